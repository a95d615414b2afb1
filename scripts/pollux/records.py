# SPDX-License-Identifier: BSD-3-Clause
"""The output of the executables: the variants they list and the records they write."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pollux.tiles import Tiled


class Output(BaseModel):
    """Something an executable prints; fields that no command here needs are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Variant(Output):
    """One task graph of a benchmark."""

    benchmark: str
    variant: str
    summary: str
    needs: str | None
    available: bool
    reason: str | None
    digest_group: str | None  # variants of one group give the same factors bit for bit
    input: str = "uniform"  # the random matrix that it is made for
    sequential: bool = False  # it runs outside any parallel region
    tasks_per_update: int = 1  # most tasks with dependences of a step for each tile it updates


KERNEL_SETS = ("openblas", "tuned")  # values of --kernels; the first is the default
OLDER_KERNEL_SETS = {"blas": "openblas", "avx512": "tuned"}  # as before pollux-run/3


class KernelSet(Output):
    """A value of --kernels, and whether the processor can run it."""

    kernels: str
    available: bool
    reason: str


class InstanceNeeds(Output, Tiled):
    """What a factorization of one size takes, with the tile given or else the default."""

    kernels: str
    m: int
    n: int
    ib: int | None
    threads: int
    tile_source: Literal["table", "fastest", "option"]
    bytes_: int = Field(alias="bytes")
    flops: float


class Listing(Output):
    """An executable's description of itself (pollux-benchmark/2, docs/benchmark.schema.json)."""

    schema_name: Literal["pollux-benchmark/2"] = Field(alias="schema")
    benchmark: str
    algorithm: str  # the variants of one algorithm are compared with each other
    summary: str
    default_variant: str
    rectangular: bool  # rows may differ from columns
    symmetric: bool
    inner_block: bool
    tall_tiles: bool
    concurrent_write: bool
    variants: list[Variant]
    kernel_sets: list[KernelSet]
    instances: list[InstanceNeeds]

    @model_validator(mode="before")
    @classmethod
    def name_variants(cls, fields: Any) -> Any:  # noqa: ANN401 (not validated yet)
        """Variants know their benchmark."""
        if not isinstance(fields, dict) or not isinstance(fields.get("variants"), list):
            return fields
        own = {"benchmark": fields.get("benchmark")}
        return fields | {"variants": [own | v for v in fields["variants"] if isinstance(v, dict)]}


class Residual(Output):
    """One scaled residual; its value is null where it is not a finite number."""

    name: str
    value: float | None
    threshold: float
    passed: bool


class Runtime(Output):
    """The OpenMP runtime that was loaded."""

    name: str
    version: str | None


class Blas(Output):
    """The BLAS that was loaded, and the processor its kernels are for."""

    version: str | None
    core: str | None


class ConcurrentWrite(Output):
    """The clause for concurrent write, and its observed behaviour."""

    clause: str
    native: bool
    observed: str


class Record(Output, Tiled):
    """One repetition of one factorization (schemas pollux-run/1 to 3)."""

    schema_name: Literal["pollux-run/1", "pollux-run/2", "pollux-run/3"] = Field(alias="schema")
    benchmark: str
    variant: str
    m: int
    n: int
    ib: int | None
    threads: int
    seed: int
    gflops: float | None
    residuals: list[Residual]
    passed: bool
    digest: str | None
    runtime: Runtime
    blas: Blas
    concurrent_write: ConcurrentWrite | None = None


RUN_SCHEMAS = ("pollux-run/1", "pollux-run/2", "pollux-run/3")


@dataclass(frozen=True, slots=True)
class ResidualValue:
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


def priorities_in_force(record: Mapping[str, Any]) -> bool | None:
    """Whether priorities of tasks had an effect; None: not known, as in pollux-run/1."""
    unknown = None if record["priorities"] else False
    found: bool | None = record.get("priorities_in_force", unknown)
    return found


def kernels_of(record: Mapping[str, Any]) -> str | None:
    """The kernel set that a record names; None: the oldest do not."""
    name: str | None = record.get("kernels")
    return OLDER_KERNEL_SETS.get(name, name) if name is not None else None


def failed_check(record: dict[str, Any]) -> str:
    """Why a record has not passed, in one line."""
    if record["status"]:
        return f"the factorization broke down at column {record['status']}"
    failed = [r for r in residuals_of([record]) if not r.passed]
    values = ", ".join(f"{r.name} {r.value:.3g}, limit {r.threshold:g}" for r in failed)
    return f"check failed: {values}"


def median_gflops(records: Sequence[dict[str, Any]]) -> float | None:
    """The median over repetitions; None where one has no speed."""
    values = [record["gflops"] for record in records]
    return statistics.median(values) if values and None not in values else None
