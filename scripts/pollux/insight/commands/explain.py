# SPDX-License-Identifier: BSD-3-Clause
"""`pollux explain`: where the threads' time went, and why one run is slower than another."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pollux.core.commands.options import (
    files,
    items,
    option,
    options,
    parameters_of,
    refuse_beside,
    refuse_for_files,
    refuse_inner,
    share,
    span,
)
from pollux.core.commands.shared import BuildRoot, Inner, Rows, SizeOfRun, TableOrJson
from pollux.core.errors import BadUsageError
from pollux.core.paths import BUILDS
from pollux.core.spans import parse_span

if TYPE_CHECKING:
    from rich.console import Console

    from pollux.core.tiles import WantedTile
    from pollux.insight.explaining.explanation import Explanation

PICTURES = (".svg", ".pdf", ".png")
ROUNDS = 6  # the fewest that give an interval of 95 %
ROUNDS_MAX = 1000  # until decided
BUDGET = "2m"
OF_FILES = ("threads", "graph", "alone", "plot", "format_", "build_root")

What = Annotated[
    list[str],
    typer.Argument(
        metavar="WHAT",
        help="A benchmark to run, one or two trace files, or a folder of them.",
    ),
]
Variants = Annotated[
    list[str] | None,
    options(
        "--variant",
        "Task graph, or two to compare; default: the benchmark's, or its first with a task graph.",
    ),
]
KernelSets = Annotated[
    list[str], options("--kernels", "Kernel set: openblas, tuned, or both to compare.")
]
Runtimes = Annotated[
    list[str] | None,
    options(
        "--runtime",
        "Builds, or combinations such as gcc+libomp19; default: libgomp and libomp, or libomp "
        "with --ompt, or if two variants, tiles, kernel sets or parameters are compared.",
    ),
]
Tiles = Annotated[
    list[str],
    options(
        "--tile",
        "Tile size NB, MBxNB, fastest, or default: that of a run of this size; or two to compare, "
        "such as 64,128.",
    ),
]
Own = Annotated[
    list[str] | None,
    options(
        "--parameters",
        "Of the benchmark, such as sweeps=8; or two values to compare, such as time-tile=2,4.",
    ),
]
Threads = Annotated[
    int | None,
    option(
        "--threads",
        "Threads; default: OMP_NUM_THREADS, else as processors and CPU quota allow. Selects runs "
        "from files, over MPI by the threads of each rank.",
        min=1,
    ),
]
Rounds = Annotated[
    int | None,
    option("--rounds", "Processes of each side; default: 6; the most with --until-decided.", min=1),
]
UntilDecided = Annotated[
    float | None,
    typer.Option(
        parser=share,
        metavar="SHARE",
        help="Go on until it is decided which side is slower and because of what, or that no "
        "difference is as large as this, such as 3%.",
    ),
]
Budget = Annotated[
    str | None,
    option(
        "--budget",
        "Time for that, such as 2m (default); one round at least.",
        parser=span,
        metavar="TIME",
    ),
]
Seed = Annotated[int, option("--seed", "Of the matrix.")]
Ompt = Annotated[
    bool,
    typer.Option("--ompt", help="Measure task creation; the runtime must support OMPT."),
]
Graphs = Annotated[
    list[Path] | None,
    files("--graph", "File of task graphs; default: taken from a build."),
]
Alone = Annotated[
    list[Path] | None,
    files("--alone", "File of one-thread traces, if the files of WHAT have none."),
]
Output = Annotated[
    Path | None,
    option(
        "--output", "New folder for the measurements; default: one in results/.", metavar="FOLDER"
    ),
]
Plot = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Plot the split as stacked bars: FILE.svg, .pdf or .png."),
]


def explain(  # noqa: PLR0913 (one parameter per option)
    context: typer.Context,
    what: What,
    *,
    variant: Variants = None,
    kernels: KernelSets = ["openblas"],  # noqa: B006 (typer copies it)
    runtime: Runtimes = None,
    size: SizeOfRun = None,
    rows: Rows = None,
    tile: Tiles = ["default"],  # noqa: B006
    inner: Inner = 32,
    parameters: Own = None,
    threads: Threads = None,
    rounds: Rounds = None,
    until_decided: UntilDecided = None,
    budget: Budget = None,
    seed: Seed = 42,
    ompt: Ompt = False,
    graph: Graphs = None,
    alone: Alone = None,
    output: Output = None,
    plot: Plot = None,
    format_: TableOrJson = "table",
    build_root: BuildRoot = BUILDS,
) -> int:
    """Split the time of a run, or the difference of two runs, into work and losses.

    The time of all threads is split, to the nanosecond, into the work of kernels as fast as alone,
    their slow-down when others run too, the overhead of dependences and task creation, idle time
    for lack of ready tasks, and idle time although tasks were ready. Files of all ranks of a run
    over MPI are one run, some of whose time is spent waiting for messages. All traces are kept;
    given their folder, the command explains them again. docs/explaining.md has the method.

    Exit status: 0 success, 2 bad usage, 3 the machine cannot do it.

    Examples: pollux explain lu --size 2048 --tile 64 --runtime libgomp --runtime libomp

    pollux explain cholesky --runtime libomp,clang+mine --until-decided 3%
    """
    from pollux.core.commands.team import say_quota
    from pollux.core.console import make_console
    from pollux.core.executables.benchmarks import benchmarks_of
    from pollux.core.executables.variables import default_threads
    from pollux.core.streams import carry_on
    from pollux.core.writing import check_outputs
    from pollux.insight.explaining.explanation import explain_sides
    from pollux.insight.explaining.graphs import graphs_for, kept_graphs
    from pollux.insight.explaining.request import ONE, runs_of
    from pollux.insight.explaining.session import Plan, kept_margin, measure
    from pollux.insight.explaining.sides import read_sides
    from pollux.insight.traces.named import benchmarks_among, paths_in

    check_plot(plot)
    check_outputs({"--plot": plot})
    console = make_console(to_stderr=format_ == "json")
    known = benchmarks_of(build_root)
    benchmarks = benchmarks_among(what, known.names)
    if len(benchmarks) > 1:
        raise BadUsageError(
            "one benchmark at a time; --runtime and --variant, given twice, compare"
        )
    if budget is not None and until_decided is None:
        raise BadUsageError("--budget is the time for --until-decided, which is not given")
    if benchmarks:
        if alone:
            raise BadUsageError(
                "--alone is for files of traces: runs on one thread are among those of a benchmark"
            )
        refuse_inner(context, benchmarks, build_root)
        plan = Plan(
            runs_of(
                known,
                benchmarks[0],
                items(variant),
                items(kernels),
                items(runtime) or (ONE if ompt else ()),
                (rows, size),
                tiles_in_order(tile),
                inner,
                parameters_of(parameters),
            ),
            threads=threads or default_threads(),
            rounds=rounds or (ROUNDS if until_decided is None else ROUNDS_MAX),
            seed=seed,
            ompt=ompt,
            build_root=build_root,
            graphs=graph or [],
            until_decided=until_decided,
            budget=parse_span(budget or BUDGET),
        )
        if until_decided is not None and len(plan.runs) < 2:
            raise BadUsageError("--until-decided compares: give two runtimes, variants or tiles")
        if format_ != "json":
            carry_on("the measurement goes on")
        say_quota(threads)
        folder = measure(plan, output, console)
        paths, threads = [folder], None
    else:
        refuse_for_files(parameters)
        if until_decided is not None:
            raise BadUsageError("--until-decided is for runs: files have the rounds that they have")
        paths = paths_in(what, known.names, build_root)
        refuse_beside("files of traces", context, but=("what", *OF_FILES))
    check_outputs({"--plot": plot}, [*files_in(paths), *(graph or []), *(alone or [])])
    sides = read_sides(paths, alone or [], threads)
    instances = [side.graph_instance for side in sides]
    kept = kept_graphs(paths, instances)
    graphs = graphs_for(instances, kept, build_root, graph or [])
    found = explain_sides(sides, graphs, kept_margin(paths))
    show(console, found, as_json=format_ == "json")
    if plot is not None:
        draw(found, plot)
    return 0


def check_plot(plot: Path | None) -> None:
    """Refuse a name without a known format, before anything is measured."""
    if plot is not None and plot.suffix not in PICTURES:
        raise BadUsageError(f"--plot {plot}: its name must end in {', '.join(PICTURES)}")


def tiles_in_order(texts: list[str]) -> "list[WantedTile]":
    """As given, since the first is compared with the second."""
    from pollux.core.campaign.number_lists import parse_wanted_tiles

    parts = ",".join(texts).split(",")
    found = [tile for part in parts for tile in parse_wanted_tiles(part, "--tile")]
    return list(dict.fromkeys(found))


def files_in(paths: list[Path]) -> list[Path]:
    """The paths, and what those that are folders contain."""
    return [
        file for path in paths for file in (sorted(path.iterdir()) if path.is_dir() else [path])
    ]


def draw(found: "Explanation", plot: Path) -> None:
    from pollux.core.writing import write_output
    from pollux.insight.explaining.picture import split_figure
    from pollux.output.figures.save import render

    write_output(plot, render(split_figure(found), plot.suffix[1:]), "--plot")


def show(console: "Console", found: "Explanation", *, as_json: bool) -> None:
    from pollux.core.console import echo
    from pollux.insight.explaining.document import json_text
    from pollux.insight.explaining.show import write

    if as_json:
        echo(json_text(found), end="")
    else:
        write(console, found)
