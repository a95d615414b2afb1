# SPDX-License-Identifier: BSD-3-Clause
"""What the executables tell: the variants they list and the records they write."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter


class Told(BaseModel):
    """Something an executable says; fields that no command here needs are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Variant(Told):
    """One task graph of a benchmark, as `--list --format json` describes it."""

    benchmark: str
    variant: str
    summary: str
    needs: str | None
    available: bool
    reason: str | None
    digest_group: str | None  # variants of one group give the same factors bit for bit


class Residual(Told):
    """One scaled residual; its value is null where it is not a finite number."""

    name: str
    value: float | None
    threshold: float
    passed: bool


class Runtime(Told):
    """The OpenMP runtime that was loaded."""

    name: str
    version: str | None


class Blas(Told):
    """The BLAS that was loaded, and the processor its kernels are for."""

    version: str | None
    core: str | None


class ConcurrentWrite(Told):
    """How concurrent write was spelled, and what it was seen to do."""

    clause: str
    native: bool
    observed: str


class Record(Told):
    """One repetition of one factorization (schema pollux-run/1)."""

    schema_name: Literal["pollux-run/1"] = Field(alias="schema")
    benchmark: str
    variant: str
    m: int
    n: int
    nb: int
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


VARIANTS = TypeAdapter(list[Variant])
