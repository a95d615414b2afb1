# SPDX-License-Identifier: BSD-3-Clause
"""A campaign as its file describes it: what is compared, over which grid, with how many samples."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PrivateAttr,
    create_model,
)

from pollux.core.campaign.axes import AXES, BY_NAME, IN_TURNS, NAME, RUNTIME
from pollux.core.campaign.sections import Blocks, Runtime, Submit
from pollux.core.campaign.source import Source
from pollux.core.campaign.values import (
    NUMBER_SCHEMA,
    PARAMETERS_SCHEMA,
    TILE_SCHEMA,
    Label,
    Line,
    Share,
    Span,
    Variables,
    as_list,
    axis,
    names,
    numbers,
    own_axes,
    replace,
    words,
)
from pollux.core.executables.launcher import Launcher
from pollux.core.limits import SECONDS_MAX, SEED_MAX, THREADS_MAX
from pollux.core.models import Table
from pollux.core.records import KERNEL_SETS
from pollux.core.tiles import FASTEST

DEFAULT_ENVIRONMENT = "default"
TABLES_MAX = 200  # of one kind

Names = list[str]
Numbers = list[int | str]


def axis_in_turns(name: str) -> str:
    if name in IN_TURNS:
        return name
    if name in BY_NAME:
        raise ValueError(
            f"{name} is a setting of the whole machine, which processes that take turns share; "
            f"pollux compare --by {name} compares its values"
        )
    raise ValueError(f"no such axis; choose one of {', '.join(IN_TURNS)}")


class StructuralAxes(Table):
    """Axes of a grid; each takes one value or a list. An axis left out keeps its default."""

    runtime: Annotated[
        Names | None,
        *axis(
            names("a runtime"),
            'Names of [runtimes], or "all" of them (default). Without an entry there: a '
            "build's name, or a combination of a compiler with a library that `pollux runtimes` "
            'lists, such as "gcc+libomp19".',
            NAME,
        ),
    ] = None
    benchmark: Annotated[
        Names | None,
        *axis(
            names("a benchmark"),
            'Benchmarks that are built, micro-benchmarks among them, or "all" (default) but these.',
            NAME,
        ),
    ] = None
    variant: Annotated[
        Names | None,
        *axis(
            names("a variant"),
            'Task graphs as `--list` names them, or "all" (default); of micro-benchmarks what '
            "--pattern, --construct or --schedule takes. A benchmark without such a variant is "
            "left out.",
            NAME,
        ),
    ] = None
    kernels: Annotated[
        Names | None,
        *axis(
            names("a kernel set", ("all", *KERNEL_SETS)),
            'Kernel sets: "openblas" (builds for other libraries have "blis", "mkl", "armpl"), '
            '"tuned" (the suite\'s own code for vectors), "loops", "fftw" (of benchmarks that call '
            'no BLAS), or "all". Default: the first that a benchmark has. A benchmark without such '
            "a set is left out.",
            words("all", *KERNEL_SETS),
        ),
    ] = None
    size: Annotated[
        list[int] | None,
        *axis(
            numbers("a matrix order"),
            "Matrix orders N, or what the size of a micro-benchmark counts: numbers, or ranges "
            '"START:STOP:STEP". All but micro-benchmarks without a size need one.',
            *NUMBER_SCHEMA,
        ),
    ] = None
    rows: Annotated[
        list[int] | None,
        *axis(
            numbers("a number of rows"),
            "Rows M of rectangular matrices, where the benchmark takes them; default N.",
            *NUMBER_SCHEMA,
        ),
    ] = None
    tile: Annotated[
        Numbers | None,
        *axis(
            numbers("a tile size", ("default", FASTEST, "tuned"), tall=True),
            'Tile sizes: NB of square tiles as numbers or ranges, "MBxNB" of tall ones such as '
            '"1024x128", "default" (square, from the programs\' table), "fastest" (of any shape, '
            'from that table) or "tuned" (found by `pollux tune` for the runtime\'s label, else '
            "for its preset).",
            *TILE_SCHEMA,
            words("default", FASTEST, "tuned"),
        ),
    ] = None
    inner: Annotated[
        Numbers | None,
        *axis(
            numbers("an inner block", ("default",)),
            'Inner blocks IB of the QR kernels: numbers, ranges, or "default".',
            *NUMBER_SCHEMA,
            words("default"),
        ),
    ] = None
    parameters: Annotated[
        dict[str, Numbers] | None,
        Field(
            description="Axes that single benchmarks have, by name, each with one value or a "
            'list: such as {sweeps = [4, 8]} of jacobi; "--list" of an executable names them. '
            "Benchmarks without one of that name are run without it.",
            json_schema_extra=lambda s: replace(s, PARAMETERS_SCHEMA),
        ),
        BeforeValidator(own_axes),
    ] = None
    threads: Annotated[
        Numbers | None,
        *axis(
            numbers("a number of threads", ("all",), most=THREADS_MAX),
            'Threads: numbers, ranges, or "all" (default: OMP_NUM_THREADS, else one for each '
            "processor that the campaign may use). Variants `seq` run once, on one thread.",
            *NUMBER_SCHEMA,
            words("all"),
        ),
    ] = None
    environment: Annotated[
        Names | None,
        *axis(
            names("an environment"), 'Names of [environments], "default" (default), or "all".', NAME
        ),
    ] = None

    def given(self) -> dict[str, Any]:
        """The axes that the file sets."""
        return self.model_dump(exclude_none=True)


if TYPE_CHECKING:

    class Axes(StructuralAxes):
        """With those of the table of axes; getattr has their values."""
else:
    Axes = create_model(
        "Axes",
        __base__=StructuralAxes,
        __doc__=StructuralAxes.__doc__,
        __module__=__name__,
        **{a.name: (Annotated[Names | None, *a.annotations], None) for a in AXES},
    )


class Rule(Axes):
    """Configurations that match all keys are left out; a key matches if one of its values does."""


class Grid(Axes):
    """The grid: every combination of the axes' values is a configuration."""


class Campaign(Table):
    """A campaign: which configurations are compared, with how many processes each."""

    name: str = Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$",
        max_length=100,
        description="Name of the campaign and of its records: letters, digits, '.', '_', '-'.",
    )
    summary: Line = Field(default="", description="One line that says what is compared.")
    processes: int = Field(
        default=12,
        ge=1,
        le=1_000_000,
        description="Fresh processes of each configuration; each is one sample. With "
        "until_decided, at most so many (no limit where it is not given).",
    )
    repetitions: int = Field(
        default=1,
        ge=1,
        le=1_000_000,
        description="Runs measured in a process; the sample is their median. With until_decided, "
        "if this key is not given, as many as the variances of the rounds so far suggest.",
    )
    warmup: int = Field(
        default=1,
        ge=0,
        le=1_000_000,
        description="Runs before these that are not measured.",
    )
    seed: int = Field(
        default=20261,
        ge=0,
        le=SEED_MAX,
        description="Process p of every configuration factors the matrices of seeds "
        "seed + p·repetitions + 0, 1, …: the same for all configurations, new for each process.",
    )
    check: Literal["none", "fast", "full"] = Field(
        default="fast",
        description="How factors are verified: not at all, by random probes, or completely.",
    )
    priorities: Literal["as-is", "off", "equal"] = Field(
        default="as-is",
        description='Priorities of tasks: "as-is" (whatever each runtime does), "off" for all, or '
        '"equal": off for all unless they are in force on every runtime of the campaign.',
    )
    launcher: Annotated[
        Line | None,
        AfterValidator(lambda text: text and (Launcher.parse(text), text)[1]),
    ] = Field(
        default=None,
        min_length=1,
        description="Program that starts each process of a run, with its options, such as "
        '"taskset --cpu-list 0-3"; {threads} stands for the number of threads.',
    )
    apart: bool = Field(
        default=False,
        description="Run the processes of a cell one after the other; otherwise their "
        "repetitions take turns, one process at a time, so that what is compared is as close in "
        "time as it can be.",
    )
    by: Annotated[str, AfterValidator(axis_in_turns)] = Field(
        default=RUNTIME,
        json_schema_extra={"enum": [*IN_TURNS]},
        description="The axis whose levels are compared: their processes take turns.",
    )
    reference: Label | None = Field(
        default=None,
        description="The level that others are compared with; default: the first of [runtimes], a "
        "benchmark's default variant, or the first of the grid.",
    )
    time_limit: float | None = Field(
        default=None,
        gt=0,
        le=SECONDS_MAX,
        description="Seconds after which a process is killed; default: ten seconds (two "
        "minutes for micro-benchmarks, which are not estimated) plus ten times an estimate.",
    )
    until_decided: Share | None = Field(
        default=None,
        gt=0,
        lt=1,
        description="Go on until every comparison is decided: faster, slower, or no difference "
        'that is relevant, which is this share, such as "3%" (default where runtimes are compared '
        "and `processes` is not given).",
    )
    budget: Span | None = Field(
        default=None,
        gt=0,
        le=SECONDS_MAX,
        description='Time after which a campaign with until_decided stops, such as "10m" '
        "(default), in all of its runs together.",
    )
    decide: Annotated[Names | None, BeforeValidator(as_list)] = Field(
        default=None,
        min_length=1,
        description="Further quantities that until_decided is to decide besides the headline of "
        'each benchmark, by their names, or "all"; default: what executables list as terms '
        "(task-overhead, wake-up, messages-mpi).",
    )
    power: Span | None = Field(
        default=None,
        ge=1e-3,
        le=3600,
        description='Time between samples of power beside the runs, such as "10ms", from 1 ms '
        "to 1 h; default: none. The timeline is NAME.power.csv beside the records.",
    )
    runtimes: dict[Label, Runtime] = Field(
        default={"libgomp": Runtime(preset="libgomp"), "libomp": Runtime(preset="libomp")},
        min_length=1,
        max_length=TABLES_MAX,
        description="The runtimes, each under its label; default: libgomp and libomp.",
    )
    environments: dict[Label, Variables] = Field(
        default={},
        max_length=TABLES_MAX,
        description="Sets of environment variables, each under a name. All start from the "
        "binding OMP_PROC_BIND=close, OMP_PLACES=cores, unless they or the shell set it.",
    )
    grid: Grid = Field(description="The grid of configurations.")
    include: list[Axes] = Field(
        default=[],
        max_length=TABLES_MAX,
        description="Further grids: their keys replace those of [grid].",
    )
    exclude: list[Rule] = Field(
        default=[],
        max_length=TABLES_MAX,
        description="Rules: configurations that match all keys of one are left out.",
    )
    blocks: Blocks = Field(default=Blocks(), description="When samples are repeated.")
    submit: Submit | None = Field(
        default=None, description="Jobs of a batch system that run it; default: it runs here."
    )

    _source: Source = PrivateAttr(default_factory=Source)
    _named: frozenset[str] = PrivateAttr(default=frozenset())

    @property
    def source(self) -> Source:
        """Where the campaign's values were written, for messages."""
        return self._source

    def all_runtimes(self) -> list[str]:
        """What "all" stands for: the entries of [runtimes], without those added for labels."""
        return [label for label in self.runtimes if label not in self._named]

    @property
    def states_length(self) -> bool:
        """Whether it says how long to go on."""
        return bool({"processes", "until_decided"} & self.model_fields_set)

    def without_use(self) -> list[tuple[tuple[str], str]]:
        """The keys given that only a campaign until it is decided has a use for, and what is wrong.

        One that states no length may still become such a campaign when it is planned.
        """
        given = ("decide", "budget") if self.until_decided is None else ()
        message = "is for a campaign that runs until_decided, and this one does not"
        return [((key,), message) for key in given if getattr(self, key) is not None]

    @property
    def most_rounds(self) -> int | None:
        """Of a campaign that runs until it is decided; None: as many as its budget allows."""
        return self.processes if "processes" in self.model_fields_set else None

    @property
    def chooses_repetitions(self) -> bool:
        """Whether the first rounds determine how many repetitions a process has."""
        return self.until_decided is not None and "repetitions" not in self.model_fields_set

    @property
    def compares_runtimes(self) -> bool:
        """And not the levels of another axis."""
        return self.by == RUNTIME

    def reference_runtime(self) -> str:
        """The one that others are compared with, where runtimes are, or else the first."""
        first = next(iter(self.runtimes))
        return self.reference or first if self.compares_runtimes else first
