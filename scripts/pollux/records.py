# SPDX-License-Identifier: BSD-3-Clause
"""The output of the executables: the variants they list and the records they write."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    model_validator,
    with_config,
)
from typing_extensions import TypedDict

from pollux.limits import NUMBER_MAX
from pollux.micro_listing import MICRO_LISTING, MicroOptions, Quantity, like_a_benchmark
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
    nested: bool = False  # its tasks open parallel regions
    own_team: bool = False  # it consists of parallel loops, and so has no task graph
    tasks_per_update: int = 1  # most tasks with dependences of a step for each tile it updates
    parameters: list[str] | None = None  # of a micro-benchmark: those that it has


KERNEL_SETS = ("openblas", "tuned", "loops", "fftw")  # values of --kernels; each benchmark has some
DEFAULT_KERNELS = "openblas"  # or, of a benchmark that calls no BLAS, its only set
USUAL_KERNELS = (DEFAULT_KERNELS, "loops", "fftw", None)  # not mentioned; None: it has none


class KernelSet(Output):
    """A value of --kernels, and whether the processor can run it."""

    kernels: str
    available: bool
    reason: str


class Parameter(Output):
    """A number or a word that a benchmark has besides the sizes: the option --NAME."""

    parameter: str
    summary: str
    standard: int | str  # its value without the option
    range_: tuple[int, int] | None = Field(default=None, alias="range")  # of a number
    words: list[str] | None = None  # that it can be, where it is no number
    inner_team: bool = False  # threads of the regions inside tasks: only nested variants have it

    def takes(self, value: int | str) -> bool:
        if self.range_ is not None:
            return isinstance(value, int) and self.range_[0] <= value <= self.range_[1]
        return value in (self.words or ())

    def in_words(self) -> str:
        """The values that it takes."""
        if self.range_ is not None:
            return f"integers from {self.range_[0]} to {self.range_[1]}"
        return ", ".join(self.words or ())


class InstanceNeeds(Output, Tiled):
    """What a problem of one size takes, with the tile given or else the default."""

    kernels: str
    m: int
    n: int
    ib: int | None
    parameters: dict[str, int | str]
    threads: int
    tile_source: Literal["table", "fastest", "option"]
    bytes_: int = Field(alias="bytes", ge=0)  # at most 2^63 - 1, more than any machine has
    flops: float
    tasks: dict[str, float] | None = None  # of each variant at most; None: as of a factorization


class Listing(Output):
    """An executable's description of itself.

    Of a benchmark (pollux-benchmark/1, docs/benchmark.schema.json) or of a micro-benchmark
    (pollux-micro-benchmark/1, docs/micro-benchmark.schema.json), which alone has quantities.
    """

    schema_name: Literal["pollux-benchmark/1", "pollux-micro-benchmark/1"] = Field(alias="schema")
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
    kernel_sets: list[KernelSet]  # the first is the default
    parameters: list[Parameter]
    instances: list[InstanceNeeds]
    options: MicroOptions | None = None
    quantities: list[Quantity] = []

    @model_validator(mode="before")
    @classmethod
    def name_variants(cls, fields: Any) -> Any:  # noqa: ANN401 (not validated yet)
        """Variants know their benchmark."""
        if not isinstance(fields, dict) or not isinstance(fields.get("variants"), list):
            return fields
        own = {"benchmark": fields.get("benchmark")}
        if fields.get("schema") == MICRO_LISTING:
            fields = like_a_benchmark(fields)
        return fields | {"variants": [own | v for v in fields["variants"] if isinstance(v, dict)]}

    @model_validator(mode="after")
    def check_kind(self) -> Self:
        """A micro-benchmark has options and quantities, others have neither."""
        is_micro = self.schema_name == MICRO_LISTING
        if {self.options is not None, bool(self.quantities)} != {is_micro}:
            raise ValueError("options and quantities do not fit its schema")
        return self

    @property
    def is_micro(self) -> bool:
        """Whether it measures what a runtime itself costs."""
        return self.options is not None

    def kernels_for(self, name: str) -> str:
        """The kernel set of that name; for the usual default, the benchmark's own."""
        known = [found.kernels for found in self.kernel_sets]
        return known[0] if name == DEFAULT_KERNELS and name not in known else name

    def parameters_of(self, variant: str) -> list[Parameter]:
        """Those that a variant has."""
        found = next((v for v in self.variants if v.variant == variant), None)
        if found is not None and found.parameters is not None:
            return [p for p in self.parameters if p.parameter in found.parameters]
        nested = found is not None and found.nested
        return [p for p in self.parameters if nested or not p.inner_team]


class ConcurrentWrite(Output):
    """The clause for concurrent write, and its observed behaviour."""

    clause: str
    native: bool
    observed: str


RUN_SCHEMA = "pollux-run/1"

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
    given: list[Size | None]  # the fewest of a level; None: no region was opened there


def is_nested(levels: Levels) -> bool:
    """Whether each level had the threads that were requested."""
    each = zip(levels["requested"], levels["given"], strict=True)
    return all(given is None or given >= requested for requested, given in each)


@with_config(PART)
class FullRecord(TypedDict):
    """One repetition of a benchmark (schema pollux-run/1, docs/record.md)."""

    schema: Literal["pollux-run/1"]
    benchmark: Name
    variant: Name
    digest_group: Name | None
    m: Size
    n: Size
    mb: Size
    nb: Size
    ib: Size | None
    parameters: dict[Name, ParameterValue]
    threads: Size
    seed: Seed
    seconds: Finite
    gflops: Speed | None
    flops: Finite
    tasks: Count
    status: Count
    residuals: list[Residual]
    levels: Levels | None  # None: not nested
    passed: bool
    digest: Name | None
    figures: dict[Name, Finite | None]
    start_unix_ns: Count
    end_unix_ns: Count
    check: Name
    matrix: Text
    placement: Name
    kernels: Name
    traced: bool
    priorities: bool
    priorities_in_force: bool | None
    concurrent_write: WriteClause | None
    bindings: list[Name]
    energy: Energy
    runtime: Runtime
    compiler: Compiler
    blas: Blas
    host: Host


def check_consistency(record: FullRecord) -> FullRecord:
    """What is wrong in itself must not look right: ValueError says what does not fit."""
    nb = record["nb"]
    if (mb := record["mb"]) % nb:
        raise ValueError(f"mb = {mb} is no multiple of nb = {nb}")
    sound = record["status"] == 0
    for residual in record["residuals"]:
        value = residual["value"]
        if residual["passed"] != (value is not None and value <= residual["threshold"]):
            raise ValueError(f"whether {residual['name']} passed does not fit its value")
        sound = sound and residual["passed"]
    levels = record["levels"]
    if levels is not None:
        sound = sound and is_nested(levels)
    energy = record["energy"]
    if (energy["status"] == "measured") > (energy["joules"] is not None):
        raise ValueError("its energy is measured, but not stated")
    if record["passed"] != sound:
        raise ValueError("whether it passed does not fit its status, levels and residuals")
    return record


# A record that was checked is used as a dictionary, since the report shows all that is in it.
Record = Annotated[FullRecord, AfterValidator(check_consistency)]
RECORD: TypeAdapter[FullRecord] = TypeAdapter(Record)


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


def kernels_option(name: str) -> str | None:
    """What --kernels is given: without it, each executable takes its own default."""
    return None if name == DEFAULT_KERNELS else name


def joules_of(record: Mapping[str, Any]) -> float | None:
    """The energy of packages and memory in the timed region; None where it was not measured."""
    energy = record["energy"]
    joules: float | None = energy["joules"] if energy["status"] == "measured" else None
    return joules


def failed_check(record: dict[str, Any]) -> str:
    """Why the record of a run has not passed, in one line."""
    if record["status"]:
        return f"the factorization broke down at column {record['status']}"
    failed = [r for r in residuals_of([record]) if not r.passed]
    values = ", ".join(f"{r.name} {r.value:.3g}, limit {r.threshold:g}" for r in failed)
    return f"check failed: {values}"


def median_gflops(records: Sequence[dict[str, Any]]) -> float | None:
    """The median over repetitions; None where one has no speed."""
    values = [record["gflops"] for record in records]
    if len(values) == 1:
        only: float | None = values[0]
        return only
    return statistics.median(values) if values and None not in values else None
