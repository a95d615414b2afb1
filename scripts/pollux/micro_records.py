# SPDX-License-Identifier: BSD-3-Clause
"""The records of micro-benchmarks: named times in ns, of which less is better."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Annotated, Any, Literal, NamedTuple, NotRequired

from pydantic import AfterValidator, Field, TypeAdapter, with_config
from typing_extensions import TypedDict

from pollux.parameters import Value
from pollux.records import (
    PART,
    Compiler,
    Count,
    Finite,
    Host,
    Levels,
    Name,
    ParameterValue,
    Runtime,
    Seed,
    Size,
    Text,
)

MICRO_SCHEMA = "pollux-micro/1"
HEADLINES = ("ns_per_task", "overhead_ns")  # the first quantity of each micro-benchmark
VARIANTS = ("variant", "pattern", "construct", "schedule", "form")  # fields with what was run
SIZES = ("tasks", "partitions")  # fields with how much of it
# Whole numbers and words of a record that do not say what was run.
OTHERS = (
    *("schema", "benchmark", "threads", "repetition", "seed", "passed", "fault"),
    *("start_unix_ns", "end_unix_ns", *VARIANTS, *SIZES),
    *("loops", "executions", "rounds"),  # how often something was repeated for one time
)
UNITS = ("_bytes", "_ns", "_us")  # end fields of options that do not name their unit
NOT_ABOVE_ZERO = "not above zero"


class CurvePoint(NamedTuple):
    """How efficient tasks of one grain are."""

    grain: int
    granularity_ns: float  # time of a task, times threads
    efficiency: float


@with_config(PART)
class RecordedPoint(TypedDict):
    """A point of the curve that a record of `granularity` has."""

    grain: Size
    granularity_ns: Annotated[float, Field(gt=0, le=1e15, allow_inf_nan=False)]
    efficiency: Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]


@with_config(PART)
class MicroRecord(TypedDict):
    """One repetition of a micro-benchmark (schema pollux-micro/1, docs/micro.schema.json)."""

    schema: Literal["pollux-micro/1"]
    benchmark: Name
    variant: NotRequired[Name]
    pattern: NotRequired[Name]
    construct: NotRequired[Name]
    schedule: NotRequired[Name]
    form: NotRequired[Name]
    tasks: NotRequired[Size]
    partitions: NotRequired[Size]
    parameters: NotRequired[dict[Name, ParameterValue]]
    threads: Size
    repetition: Count
    seed: Seed
    ns_per_task: NotRequired[Finite | None]
    overhead_ns: NotRequired[Finite | None]
    terms: dict[Name, Finite | None]
    unknown: dict[Name, Text]
    clock_ns: Finite
    curve: NotRequired[list[RecordedPoint]]
    levels: NotRequired[Levels | None]
    passed: bool
    fault: Text | None
    start_unix_ns: Count
    end_unix_ns: Count
    bindings: list[Name]
    runtime: Runtime
    compiler: Compiler
    host: Host


def check_consistency(record: MicroRecord) -> MicroRecord:
    """What is wrong in itself must not look right: ValueError says what does not fit."""
    if headline_of(record) is None:
        raise ValueError(f"it has none of {', '.join(HEADLINES)}")
    if variant_of(record) is None:
        raise ValueError(f"it has none of {', '.join(VARIANTS)}")
    if record["passed"] != (record["fault"] is None):
        raise ValueError("whether it passed does not fit its fault")
    return record


Micro = Annotated[MicroRecord, AfterValidator(check_consistency)]
MICRO: TypeAdapter[MicroRecord] = TypeAdapter(Micro)


# What a record of a run has and one of a micro-benchmark has not, since it computes on no matrix.
NO_BLAS = {"library": "none", "version": None, "core": None}
WITHOUT = {
    **{"blas": NO_BLAS, "ib": None, "placement": "default", "priorities": False, "check": "own"},
    **{"concurrent_write": None, "energy": None, "kernels": None},
}


def is_micro(record: object) -> bool:
    return isinstance(record, dict) and record.get("schema") == MICRO_SCHEMA


def with_identity(record: Mapping[str, Any]) -> dict[str, Any]:
    """The record with all that tells what a run was, in the fields of a run's record."""
    size = record.get(size_name_of(record) or "", 1)
    same = dict.fromkeys(("m", "n", "mb", "nb"), size)
    own = {"parameters": parameters_of(record), "priorities_in_force": False}
    return {**record, **WITHOUT, **same, **own}


def headline_of(record: Mapping[str, Any]) -> str | None:
    """The name of its first quantity."""
    return next((name for name in HEADLINES if name in record), None)


def variant_of(record: Mapping[str, Any]) -> str | None:
    """The pattern, construct or schedule that it measured."""
    return next((record[name] for name in VARIANTS if name in record), None)


def size_name_of(record: Mapping[str, Any]) -> str | None:
    """What its size counts, such as `tasks`; None: it has no size."""
    return next((name for name in SIZES if name in record), None)


def parameters_of(record: Mapping[str, Any]) -> dict[str, Value]:
    """What else it was run with, as options of the executable name it."""
    if "parameters" in record:
        return dict(record["parameters"])
    return {
        option_of(name): value
        for name, value in record.items()
        if name not in OTHERS and isinstance(value, int | str) and not isinstance(value, bool)
    }


def option_of(field: str) -> str:
    """The option that sets a field of records."""
    for unit in UNITS:
        field = field.removesuffix(unit)
    return field.replace("_", "-")


def quantities_of(record: Mapping[str, Any]) -> dict[str, float | None]:
    """All times of a record, the headline first; None is one that is not known."""
    headline = headline_of(record)
    found = {**({headline: record[headline]} if headline else {}), **record["terms"]}
    return {n: v if v is not None and isfinite(v) else None for n, v in found.items()}


def first_of(records: Iterable[Mapping[str, Any]]) -> str | None:
    """The first quantity that the records do not call unknown: by default the headline."""
    known: dict[str, bool] = {}
    for record in records:
        for name in quantities_of(record):
            known[name] = known.get(name, True) and name not in record["unknown"]
    return next((name for name, is_known in known.items() if is_known), None)


def all_medians(records: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The median of each quantity over the repetitions in which it is known."""
    found: dict[str, list[float]] = {}
    for record in records:
        for name, value in quantities_of(record).items():
            found.setdefault(name, [])
            if value is not None:
                found[name].append(value)
    return {name: statistics.median(values) for name, values in found.items() if values}


def medians(records: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Those that are above zero: others, as differences of two times may be, have no inverse."""
    return {name: value for name, value in all_medians(records).items() if value > 0}


def reasons(records: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Why a quantity is not known, by its name: in some repetition, or as a median of all."""
    middle = all_medians(records)
    found = {name: NOT_ABOVE_ZERO for name, value in middle.items() if value <= 0}
    for record in records:
        for name, value in quantities_of(record).items():
            if value is None and record["passed"]:
                found.setdefault(name, record["unknown"].get(name, "not a number"))
    return found


def curve_of(records: Sequence[Mapping[str, Any]]) -> tuple[CurvePoint, ...]:
    """The curve of efficiency over granularity: medians over the repetitions, grain by grain."""
    each: dict[int, list[Mapping[str, Any]]] = {}
    for record in records:
        for point in record.get("curve") or ():
            each.setdefault(point["grain"], []).append(point)
    return tuple(
        CurvePoint(
            grain,
            statistics.median(point["granularity_ns"] for point in points),
            statistics.median(point["efficiency"] for point in points),
        )
        for grain, points in sorted(each.items())
    )
