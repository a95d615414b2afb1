# SPDX-License-Identifier: BSD-3-Clause
"""The lines of a campaign's records: one JSON object each, distinguished by `event`.

docs/record.md describes them for readers of the file.
"""

import json
from collections.abc import Iterator
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Self

from pydantic import (
    AfterValidator,
    Field,
    TypeAdapter,
    create_model,
    model_validator,
)

from pollux.core.campaign.axes import AXES, RUNTIME, phrases, settings_of
from pollux.core.hashing import short_hash
from pollux.core.levers import LEVERS
from pollux.core.models import Strict
from pollux.core.parameters import Parameters, frozen
from pollux.core.parameters import in_words as parameters_in_words
from pollux.core.records import (
    DEFAULT_KERNELS,
    USUAL_KERNELS,
    Better,
    Count,
    Name,
    ParameterValue,
    Record,
    Seed,
    Size,
    Text,
)
from pollux.core.tiles import TABLE_WORDS, Tile

SCHEMA: Final = "pollux-campaign/1"
SchemaName = Literal["pollux-campaign/1"]
SPEED: Final = "GFlop/s"  # the unit of what matrix benchmarks compare
TILE_WORDS = (*TABLE_WORDS, "tuned")  # leave the choice to others


class Outcome(StrEnum):
    """How one process ended."""

    OK = "ok"
    FAILED_CHECK = "failed check"  # a factorization or check failed, however it ended
    CRASH = "crash"  # a signal ended it
    HANG = "hang"  # killed at its time limit
    REFUSED = "refused"  # exit status 2 or 3, cannot be started, or its files were replaced
    NO_RECORD = "no record"  # it ended normally, but its output is not what was requested


Seconds = Annotated[float, Field(ge=0, le=1e10, allow_inf_nan=False)]
Gflops = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]
Margin = Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)]  # a relevant difference
Share = Annotated[float, Field(ge=-1e3, le=1e3, allow_inf_nan=False)]  # small counts are not exact


class Stopped(StrEnum):
    """Why `pollux run` stopped."""

    COMPLETE = "complete"  # all samples that were planned are taken
    DECIDED = "decided"  # no comparison is open that could be decided
    BUDGET = "budget spent"  # or too short for a round, with comparisons open
    INTERRUPTED = "interrupted"


class Needs(Strict):
    """What a configuration needs, by what its executable states."""

    threads: int  # of its team
    bytes: int  # its data
    flops: float
    tasks: int  # with dependences, at most


def check_tile_asked(text: str) -> str:
    """A tile, or a word for one that others choose."""
    if text not in TILE_WORDS:
        Tile.parse(text)
    return text


class StructuralConfiguration(Strict):
    """One point of a campaign's grid, with what its names stand for.

    `tile`, `inner` and `threads` are null where the executable chooses, and `parameters` lacks
    those that it chooses. `tile_asked` is what the
    campaign's file says ("default", "fastest", "tuned" or a tile): configurations that differ in
    nothing but the runtime have equal `cell()`, though tuned tiles may differ. It is null where the
    benchmark computes on no matrix.
    """

    runtime: Name
    benchmark: Name
    variant: Name
    kernels: Name | None = None  # the kernel set; null: it computes on no matrix
    size: Size
    size_name: Name | None = "n"  # what the size counts; null: it has none
    rows: Size | None = None
    tile_asked: Annotated[str, AfterValidator(check_tile_asked)] | None = "default"
    tile: Tile | None = None
    inner: Size | None = None
    parameters: dict[Name, ParameterValue] = Field(default={})  # those that the campaign sets
    threads: Size | None = None
    environment: Name = "default"
    seed: Seed = 0  # of the matrix that the first process factors
    digest_group: Name | None = None
    arguments: list[str] = Field(default=[])  # of the executable, all but --seed
    executable: str = ""
    launcher: list[str] = Field(default=[])  # words before it
    variables: dict[str, str] = Field(default={})  # of the environment, that the campaign sets
    builds: dict[str, str] = Field(default={})  # SHA-256 of program, runtime and BLAS
    algorithm: str | None = None  # null, as the next: not known, as of a plain record
    default_variant: str | None = None  # of the benchmark
    unit: Name = SPEED  # of the quantity that is compared, the headline
    better: Better = "more"
    quantity: Name | None = None  # of comparisons of several: which
    is_term: bool = Field(default=False, exclude=True)  # as it: not the first of several
    node: Name | None = Field(default=None, exclude=True)  # of comparisons of several: which
    needs: Needs | None = Field(default=None, exclude=True)  # of plans, not of records
    files: dict[str, str] = Field(default={}, exclude=True)  # SHA-256 of what a run loads; as needs

    def name(self) -> tuple[object, ...]:
        """What identifies it in a plan: with an equal name but another hash, it has changed."""
        return (self.runtime, *self.cell())

    def cell(self) -> tuple[object, ...]:
        """All axes but the runtime."""
        return (
            self.benchmark,
            self.variant,
            self.kernels or DEFAULT_KERNELS,
            self.size,
            self.rows,
            self.tile_asked,
            self.inner,
            self.own,
            self.threads,
            self.environment,
            *self.settings.items(),
            *([self.node] if self.node else []),
            *([self.quantity] if self.quantity else []),
        )

    @property
    def is_cost(self) -> bool:
        """Less of its quantity is better, as of times."""
        return self.better == "less"

    @property
    def is_speed(self) -> bool:
        """Its quantity is that of the matrix benchmarks; others have tables of their own."""
        return self.unit == SPEED

    @property
    def own(self) -> Parameters:
        """The parameters that are set for its runs."""
        return frozen(self.parameters)

    @property
    def own_words(self) -> str:
        """The same, such as `sweeps=8 form=winograd`; empty where none is set."""
        return parameters_in_words(self.own)

    @property
    def levers(self) -> dict[str, str]:
        """The levers that are set for its runs."""
        return {name: value for name, value in self.settings.items() if name in LEVERS}

    @property
    def settings(self) -> dict[str, str]:
        """The values of plain axes that are set for its runs."""
        return settings_of(self)

    def label(self) -> str:
        """A few words, without the runtime."""
        return " ".join(self.label_parts())

    def label_parts(self) -> Iterator[str]:
        yield f"{self.benchmark} {self.variant}"
        if self.kernels not in USUAL_KERNELS:
            yield f"{self.kernels} kernels"
        if self.size_name == "n":
            yield f"N={self.size}" if self.rows is None else f"M={self.rows} N={self.size}"
        elif self.size_name is not None:
            yield f"{self.size} {self.size_name}"
        if self.tile_asked not in ("default", None):
            yield f"NB={self.tile_asked}"
        if self.inner is not None:
            yield f"IB={self.inner}"
        if self.parameters:
            yield self.own_words
        if self.threads is not None:
            yield f"{self.threads} thread" + "s" * (self.threads > 1)
        if self.environment not in ("default", "as run"):
            yield self.environment
        yield from phrases(self.settings)
        if self.node is not None:
            yield f"on node {self.node}"
        if self.quantity is not None:
            yield self.quantity

    def hash(self) -> str:
        """A hash of 16 hexadecimal digits over all fields but those that the benchmark implies."""
        return self.computed_hash

    @cached_property
    def computed_hash(self) -> str:
        # Pydantic makes a failure of an interruption in what it calls back, as of a tile.
        contents = self.model_dump(exclude={"algorithm", "default_variant", "tile"})
        contents["tile"] = self.tile and self.tile.brief()
        text = json.dumps(contents, sort_keys=True, separators=(",", ":"))
        return short_hash(text)


if TYPE_CHECKING:

    class Configuration(StructuralConfiguration):
        """With a field for each of the plain axes: null where they are left as they are."""

        def __init__(self, **fields: Any) -> None: ...  # noqa: ANN401
else:
    Configuration = create_model(
        "Configuration",
        __base__=StructuralConfiguration,
        __doc__=StructuralConfiguration.__doc__,
        __module__=__name__,
        **{axis.name: (Name | None, None) for axis in AXES},
    )


class Calibration(Strict):
    """The speed of the calibration kernel: dgemm on every processor that the campaign uses."""

    gflops: list[Gflops]  # of each thread
    seconds: Seconds  # the whole kernel


class PartOf(Strict):
    """Which part of a campaign a job of a batch system runs, and where."""

    campaign: Text  # what the files of its parts have in common
    number: Count  # from 1
    of: Count
    node: Text
    deals: bool | None = None  # the cells are dealt to the parts; null: not noted
    cells: Text | None = None  # a hash of what says which cells the campaign has


class Start(Strict):
    """`pollux run` started or resumed the campaign."""

    schema_name: SchemaName = Field(default=SCHEMA, alias="schema")
    event: Literal["start"] = "start"
    unix_ns: Count
    pollux: Text  # version of this package
    name: Text
    summary: Text
    by: Name = RUNTIME  # the axis whose levels are compared
    reference: Name  # the level that others are compared with
    processes: Count  # requested for each configuration
    configurations: Count
    file: str | None  # path of the campaign's file
    text: str  # its contents
    until_decided: Margin | None = None  # null: `processes` of each are taken
    budget: Seconds | None = None  # of time for that
    decide: list[Name] = Field(default=[])  # further quantities that are to be decided
    overrides: list[str] = Field(default=[])  # KEY=VALUE given on the command line
    environment: dict[str, str] = Field(default={})  # what the user's shell had set
    part: PartOf | None = None  # null: it runs in no job

    @property
    def description(self) -> str:
        """The file's summary, unless values that it may state were replaced."""
        if not self.overrides or any(text.startswith("summary") for text in self.overrides):
            return self.summary
        return f"{self.name} with {', '.join(self.overrides)}"


class ConfigurationLine(Strict):
    """A configuration, before its first sample."""

    schema_name: SchemaName = Field(default=SCHEMA, alias="schema")
    event: Literal["configuration"] = "configuration"
    hash: str
    configuration: Configuration


class Unavailable(Strict):
    """A configuration that this build or machine cannot run, with the executable's reason."""

    schema_name: SchemaName = Field(default=SCHEMA, alias="schema")
    event: Literal["unavailable"] = "unavailable"
    hash: str
    reason: str


class BlockStart(Strict):
    """A block begins: samples that follow, up to the next block, belong to it."""

    schema_name: SchemaName = Field(default=SCHEMA, alias="schema")
    event: Literal["block"] = "block"
    block: Count
    repeats: Count | None = None  # the disturbed block that this one repeats
    unix_ns: Count
    calibration: Calibration | None
    levers: dict[str, str] = Field(default={})  # that are set for its runs


class BlockEnd(Strict):
    """A block ended, with what was observed of the machine; a killed campaign leaves none."""

    schema_name: SchemaName = Field(default=SCHEMA, alias="schema")
    event: Literal["block-end"] = "block-end"
    block: Count
    unix_ns: Count
    calibration: Calibration | None
    reference_gflops: Gflops | None = None  # what both calibrations were compared with
    foreign_cpu: Share | None  # share of the allowed processors' time used by other processes
    steal: Share | None  # share that a hypervisor kept for itself
    disturbed: bool
    reasons: list[str]
    in_force: bool = True  # its levers, throughout; else its samples do not count


class SampleLine(Strict):
    """One process: `round` determines which others it is paired with; `attempt` counts repeats."""

    schema_name: SchemaName = Field(default=SCHEMA, alias="schema")
    event: Literal["sample"] = "sample"
    configuration: str  # hash
    round: Count
    attempt: Count
    block: Count
    rota: Count | None = None  # that of the samples taken in turns with it; null: by itself
    outcome: Outcome
    problem: str | None  # one line
    detail: str | None = None  # stacks of a hanging process, last lines of standard error
    warnings: list[str] = Field(default=[])  # of the executable
    start_unix_ns: Count
    ready_seconds: Seconds | None = None  # in turns: until its first repetition was ready
    process_seconds: Seconds  # from start to end of the process; in turns, of its own
    overhead_seconds: Seconds  # outside of processes since the last run, an equal part of a rota's
    records: list[dict[str, Any]]  # as the executable printed them


class End(Strict):
    """`pollux run` stopped: the plan is complete, or it was interrupted by the user."""

    schema_name: SchemaName = Field(default=SCHEMA, alias="schema")
    event: Literal["end"] = "end"
    unix_ns: Count
    complete: bool
    stopped: Stopped


class ReadSample(SampleLine):
    """A sample that is read from a file: its records are checked."""

    records: list[Record]  # type: ignore[assignment]

    @model_validator(mode="after")
    def check_outcome(self) -> Self:
        """A process that ended well has records, and all passed: else the file was changed."""
        passed = bool(self.records) and all(record["passed"] for record in self.records)
        if self.outcome is Outcome.OK and not passed:
            raise ValueError("the outcome does not fit the records")
        return self


Line = Start | ConfigurationLine | Unavailable | BlockStart | BlockEnd | SampleLine | End
LINE: TypeAdapter[Line] = TypeAdapter(
    Annotated[
        Start | ConfigurationLine | Unavailable | BlockStart | BlockEnd | ReadSample | End,
        Field(discriminator="event"),
    ]
)
