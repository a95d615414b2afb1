# SPDX-License-Identifier: BSD-3-Clause
"""The record of a run: one repetition of any benchmark (schema pollux-run/1, docs/record.md)."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal, NamedTuple, NotRequired

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    with_config,
)
from typing_extensions import TypedDict

from pollux.core.limits import NUMBER_MAX

RUN_SCHEMA = "pollux-run/1"

BLAS_KERNELS = ("openblas", "blis", "mkl", "armpl")  # of which a build has one
KERNEL_SETS = (*BLAS_KERNELS, "tuned", "loops", "fftw")  # values of --kernels
DEFAULT_KERNELS = "openblas"  # or, of a benchmark without it, its first set
USUAL_KERNELS = (DEFAULT_KERNELS, "loops", "fftw", None)  # not mentioned; None: it has none

# Of the parts of a record: what no command needs is kept too, since the report shows all of it.
PART = ConfigDict(strict=True, extra="allow")
Name = Annotated[str, Field(min_length=1, max_length=200)]
Text = Annotated[str, Field(max_length=100_000)]
Size = Annotated[int, Field(ge=1, le=NUMBER_MAX)]
Count = Annotated[int, Field(ge=0, le=2**63 - 1)]
Seed = Annotated[int, Field(ge=0, le=2**64 - 1)]
Speed = Annotated[float, Field(gt=0, le=1e15, allow_inf_nan=False)]
Joules = Annotated[float, Field(gt=0, le=1e15, allow_inf_nan=False)]
ParameterValue = Count | Name
Finite = Annotated[float, Field(allow_inf_nan=False)]


@with_config(PART)
class SizeValue(TypedDict):
    """How large the problem is, and what that counts: the order n of the matrix, tasks …"""

    name: Name
    value: Size


Better = Literal["more", "less"]


@with_config(PART)
class QuantityValue(TypedDict):
    """A result by which runs are compared; its value is null where it is not known."""

    value: Finite | None
    unit: Name
    better: Better


@with_config(PART)
class CurvePoint(TypedDict):
    """How efficient tasks of one grain are; their granularity is a task's time, times threads."""

    grain: Size
    granularity_ns: Annotated[float, Field(gt=0, le=1e15, allow_inf_nan=False)]
    efficiency: Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]


@with_config(PART)
class Details(TypedDict):
    """Non-numeric results of some benchmarks."""

    curve: NotRequired[list[CurvePoint]]


@with_config(PART)
class Residual(TypedDict):
    """One scaled residual; its value is null where it is not a finite number."""

    name: Name
    value: Finite | None
    threshold: Finite
    passed: bool


@with_config(PART)
class Runtime(TypedDict):
    """The OpenMP runtime that was loaded, and the variables of the environment."""

    name: Name
    version: Name | None
    path: Text
    build_id: Name | None
    env: dict[str, str]
    env_set: dict[str, str]


@with_config(PART)
class Compiler(TypedDict):
    """The compiler of the task graphs."""

    name: Name
    version: Name
    build_type: Text
    flags: Text


@with_config(PART)
class Blas(TypedDict):
    """The BLAS that was loaded, and the processor its kernels are for."""

    library: Name
    version: Name | None
    core: Text | None


@with_config(PART)
class Cache(TypedDict):
    """The caches of one level."""

    level: Count
    bytes: Count
    count: Count


@with_config(PART)
class Host(TypedDict):
    """The machine; null where it does not report a value."""

    hostname: Text
    cpu: Text | None
    cores: Count
    processors: Size
    caches: list[Cache]
    governor: Text | None
    turbo: Text | None
    allowed: Size


@with_config(PART)
class WriteClause(TypedDict):
    """How concurrent write was expressed."""

    clause: Name
    native: bool
    observed: Text


EnergyStatus = Literal["measured", "too-short", "unknown", "unavailable"]


@with_config(PART)
class EnergyZone(TypedDict):
    """One counter or meter of energy."""

    source: Name
    name: Name
    path: Text | None
    joules: Joules | None
    status: EnergyStatus
    reason: Text | None


@with_config(PART)
class Energy(TypedDict):
    """The energy of the timed region."""

    status: EnergyStatus
    reason: Text | None
    joules: Joules | None  # of packages and memory
    parts: list[Name]  # the zones that it adds up, as source:name
    zones: list[EnergyZone]
    virtual: bool


@with_config(PART)
class Levels(TypedDict):
    """Threads of the team and of the regions inside its tasks, from the outside inwards."""

    requested: list[Size]
    allowed: NotRequired[list[Size]]  # where limits leave fewer of them
    given: list[Size | None]  # the fewest of a level; None: no region was opened there


ThreadLevel = Literal["single", "funneled", "serialized", "multiple"]


@with_config(PART)
class Mpi(TypedDict):
    """The processes of a program over MPI, and what they sent each other."""

    library: Name
    version: Name
    thread_level: ThreadLevel
    thread_level_requested: ThreadLevel
    ranks: Size
    hosts: Size
    grid: Name
    messages: Count
    bytes: Count
    ahead: NotRequired[Size]  # the rest: of factorizations
    fastest_rank_seconds: NotRequired[Finite]
    peak_rank_bytes: NotRequired[Count]
    matrix_bytes: NotRequired[Count]
    in_flight_bytes: NotRequired[Count]


def is_nested(levels: Levels) -> bool:
    """Whether each level had the threads that it should have."""
    each = zip(expected(levels), levels["given"], strict=True)
    return all(given is None or given >= least for least, given in each)


def expected(levels: Levels) -> list[Size]:
    """The threads that were requested of each level, as far as limits allow them."""
    return levels.get("allowed", levels["requested"])


@with_config(PART)
class FullRecord(TypedDict):
    """One repetition; the fields about a matrix are null where the benchmark computes on none."""

    schema: Literal["pollux-run/1"]
    benchmark: Name
    variant: Name
    digest_group: Name | None
    size: SizeValue | None
    m: Size | None
    n: Size | None
    mb: Size | None
    nb: Size | None
    ib: Size | None
    parameters: dict[Name, ParameterValue]
    threads: Size
    seed: Seed
    quantities: dict[Name, QuantityValue]  # the headline first
    unknown: dict[Name, Text]  # why quantities and figures are null
    seconds: Finite | None
    gflops: Speed | None
    flops: Finite | None
    tasks: Count | None
    status: Count
    residuals: list[Residual]
    levels: Levels | None  # None: not nested
    mpi: NotRequired[Mpi]  # of programs over MPI alone
    passed: bool
    fault: Text | None  # what was wrong, where no other field says it
    digest: Name | None
    figures: dict[Name, Finite | None]
    details: Details
    start_unix_ns: Count
    end_unix_ns: Count
    preemptions: Count
    check: Name
    matrix: Text | None
    placement: Name | None
    kernels: Name | None
    kernels_isa: Name | None  # of the suite's own code, or FFTW's build
    traced: bool
    priorities: bool
    priorities_in_force: bool | None
    concurrent_write: WriteClause | None
    bindings: list[Text]
    energy: Energy | None  # None: the benchmark does not measure it
    runtime: Runtime
    compiler: Compiler
    blas: Blas | None
    host: Host


OF_MATRIX = ("m", "n", "mb", "nb", "kernels", "matrix", "seconds", "flops", "tasks")


def check_consistency(record: FullRecord) -> FullRecord:
    """What is wrong in itself must not look right: ValueError says what does not fit."""
    check_matrix(record)
    check_quantities(record)
    sound = record["status"] == 0 and record["fault"] is None
    for residual in record["residuals"]:
        value = residual["value"]
        if residual["passed"] != (value is not None and value <= residual["threshold"]):
            raise ValueError(f"whether {residual['name']} passed does not fit its value")
        sound = sound and residual["passed"]
    levels = record["levels"]
    if levels is not None and record["fault"] is None:
        sound = sound and is_nested(levels)
    if record["passed"] != sound:
        raise ValueError("whether it passed does not fit its status, fault, levels and residuals")
    return record


def check_quantities(record: FullRecord) -> None:
    """There is a headline, and it is the speed that the record states otherwise too."""
    if not record["quantities"]:
        raise ValueError("it has no quantity")
    speed = record["quantities"].get("gflops")
    if speed is not None and speed["value"] != record["gflops"]:
        raise ValueError("its quantity gflops is not its gflops")


def check_matrix(record: FullRecord) -> None:
    """Either all fields about a matrix are there, or none is."""
    given = [name for name in OF_MATRIX if record[name] is not None]  # type: ignore[literal-required]
    if given and len(given) < len(OF_MATRIX):
        lacking = next(name for name in OF_MATRIX if name not in given)
        raise ValueError(f"it has {given[0]}, but no {lacking}")
    mb, nb, energy = record["mb"], record["nb"], record["energy"]
    if mb is not None and nb is not None and mb % nb:
        raise ValueError(f"mb = {mb} is no multiple of nb = {nb}")
    if energy is not None and energy["status"] == "measured" and energy["joules"] is None:
        raise ValueError("its energy is measured, but not stated")


# A record that was checked is used as a dictionary, since the report shows all that is in it.
Record = Annotated[FullRecord, AfterValidator(check_consistency)]
RECORD: TypeAdapter[FullRecord] = TypeAdapter(Record)


class ResidualValue(NamedTuple):
    """One scaled residual; NaN where it was not finite."""

    name: str
    value: float
    threshold: float
    passed: bool


def residuals_of(records: Iterable[dict[str, Any]]) -> tuple[ResidualValue, ...]:
    """All residuals of some records."""
    return tuple(
        ResidualValue(
            r["name"],
            float("nan") if r["value"] is None else r["value"],
            r["threshold"],
            r["passed"],
        )
        for record in records
        for r in record["residuals"]
    )


def kernels_option(name: str) -> str | None:
    """What --kernels is given: without it, each executable takes its own default."""
    return None if name == DEFAULT_KERNELS else name


def failed_check(record: dict[str, Any]) -> str:
    """Why the record of a run has not passed, in one line."""
    if record["status"]:
        return f"the factorization broke down at column {record['status']}"
    if record["fault"] is not None:
        return f"check failed: {record['fault']}"
    failed = [r for r in residuals_of([record]) if not r.passed]
    if not failed and (levels := record["levels"]) is not None:
        each = ", ".join(map(str, levels["given"])), ", ".join(map(str, expected(levels)))
        return f"check failed: levels of {each[0]} threads, not of {each[1]}"
    values = ", ".join(f"{r.name} {r.value:.3g}, limit {r.threshold:g}" for r in failed)
    return f"check failed: {values}"
