# SPDX-License-Identifier: BSD-3-Clause
"""`pollux gantt`: charts of traces, and traces for other viewers."""

import os
import time
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pollux.core.commands.options import (
    files,
    is_given,
    items,
    numbers,
    option,
    options,
    parameters_of,
    refuse_beside,
    refuse_for_files,
    refuse_inner,
)
from pollux.core.commands.shared import (
    BuildRoot,
    GraphVariants,
    Inner,
    Parameters,
    Rows,
    SizeOfRun,
    TileOfRun,
    Width,
)
from pollux.core.console import echo
from pollux.core.errors import BadUsageError
from pollux.core.paths import BUILDS, RESULTS

if TYPE_CHECKING:
    from pollux.energy.figures.power_below import Powers
    from pollux.insight.graphs.model import Graph
    from pollux.insight.traces.model import Trace
    from pollux.insight.traces.obtain import RunRequest
    from pollux.insight.traces.taking import Combinations
    from pollux.insight.traces.view import View

OF_FILES = (
    *("median", "format_", "output", "begin", "end", "label", "graph", "meter", "width"),
    "build_root",
)


class Format(StrEnum):
    """The output format of a chart."""

    SVG = "svg"
    PDF = "pdf"
    PNG = "png"
    HTML = "html"
    PERFETTO = "perfetto"
    PAJE = "paje"


DRAWN = (Format.SVG, Format.PDF, Format.PNG)
MANY = 10  # more runs than this make a chart that is hard to read
NAMES = {kind: f"gantt.{kind}" for kind in (*DRAWN, Format.HTML)} | {
    Format.PERFETTO: "gantt.perfetto.json",
    Format.PAJE: "gantt.paje.trace",
}
# Ends of names that --output takes for one file.
ENDINGS = {f".{kind}": kind for kind in (*DRAWN, Format.HTML)} | {
    ".json": Format.PERFETTO,
    ".trace": Format.PAJE,
}

What = Annotated[
    list[str],
    typer.Argument(
        metavar="WHAT", help="Benchmarks to trace, such as lu, or files or folders of traces."
    ),
]
KernelSets = Annotated[list[str], options("--kernels", "Kernel sets: openblas, tuned.")]
Threads = Annotated[
    list[str] | None,
    options(
        "--threads", "Threads; default: OMP_NUM_THREADS, else as processors and CPU quota allow."
    ),
]
Runtimes = Annotated[
    list[str],
    options("--runtime", "Builds, or combinations such as gcc+libomp19."),
]
Seed = Annotated[int, option("--seed", "Of the matrix.")]
Median = Annotated[
    bool,
    typer.Option(
        "--median",
        help="Of repeated runs in the files, draw that of median time; smaller teams first.",
    ),
]
Formats = Annotated[
    list[Format] | None,
    typer.Option("--format", metavar="|".join(Format), help="Repeatable; default: svg and html."),
]
Output = Annotated[
    Path | None,
    option(
        "--output",
        "One file, such as g.png, or a folder; default: NAME-gantt next to the traces, or a "
        "folder in results/gantt.",
        metavar="FILE|FOLDER",
    ),
]
Begin = Annotated[
    float | None, option("--from", "Start of the time range.", metavar="SECONDS", min=0)
]
End = Annotated[float | None, option("--to", "End of the time range.", metavar="SECONDS", min=0)]
Labels = Annotated[
    list[str] | None,
    option("--label", "Title of each run, in order; repeatable.", metavar="TEXT"),
]
Graphs = Annotated[
    list[Path] | None,
    files("--graph", "File of task graphs, for perfetto's arrows between tasks."),
]
Meter = Annotated[
    Path | None,
    option(
        "--meter",
        "Draw the power below each run, but for perfetto and paje: a timeline, or a meter's file.",
        metavar="FILE",
    ),
]


def gantt(  # noqa: PLR0913 (one parameter per option)
    context: typer.Context,
    what: What,
    *,
    variant: GraphVariants = None,
    kernels: KernelSets = ["openblas"],  # noqa: B006 (typer copies it)
    size: SizeOfRun = None,
    rows: Rows = None,
    tile: TileOfRun = "default",
    inner: Inner = 32,
    parameters: Parameters = None,
    threads: Threads = None,
    runtime: Runtimes = ["libgomp", "libomp"],  # noqa: B006
    seed: Seed = 42,
    median: Median = False,
    format_: Formats = None,
    output: Output = None,
    begin: Begin = None,
    end: End = None,
    label: Labels = None,
    graph: Graphs = None,
    meter: Meter = None,
    width: Width = 7.0,
    build_root: BuildRoot = BUILDS,
) -> int:
    """Show when and where each kernel ran: a lane for each thread, a colour for each kernel.

    All runs are stacked on one time axis; white is idle. Traces come from files that
    --trace of the programs wrote, or are taken here and kept with the chart. docs/traces.md
    describes them. The files of all ranks of a run over MPI are one run.

    perfetto is for ui.perfetto.dev and chrome://tracing, paje for ViTE and PajéNG.

    Examples: pollux gantt lu --variant depend --variant cw --size 2048 --tile 64 --runtime libomp

    pollux gantt --median results/explain-lu-20261130-120000-4711
    """
    from pollux.core.commands.measure import inputs
    from pollux.core.executables.builds import benchmark_names
    from pollux.core.writing import check_outputs
    from pollux.insight.graphs.choice import graphs_of_files
    from pollux.insight.traces.merge import read_runs
    from pollux.insight.traces.named import benchmarks_among, paths_in, trace_files
    from pollux.insight.traces.perfetto import check_graphs
    from pollux.insight.traces.view import check_window, make_view
    from pollux.output.figures.save import make_folder

    file, formats = chosen(output, format_)
    if file is not None:
        output = None
    check_window(nanoseconds(begin), nanoseconds(end))
    known = benchmark_names(build_root)
    benchmarks = benchmarks_among(what, known)
    refuse_unused(context, formats)
    graphs = graphs_of_files(graph or [], build_root)
    if not benchmarks:
        refuse_for_files(parameters)
        paths = paths_in(what, known, build_root)
        refuse_beside("files of traces", context, but=("what", *OF_FILES))
        folder, files = output or beside(paths), trace_files(paths)
        check_outputs(
            places(formats, folder, file),
            [*files, *(graph or []), *inputs([], [meter] if meter else [])],
        )
        traces, label = shown([t for _, t in read_runs(files)], label or [], only_medians=median)
    else:
        from pollux.core.campaign.number_lists import parse_wanted_tile
        from pollux.core.commands.team import say_quota
        from pollux.core.executables.variables import default_threads
        from pollux.insight.traces.taking import Combinations

        if median:
            raise BadUsageError("--median is for files of traces: a benchmark is traced once")
        refuse_inner(context, benchmarks, build_root)
        combinations = Combinations(
            benchmarks=benchmarks,
            variants=items(variant),
            size=size,
            rows=rows,
            tile=parse_wanted_tile(tile, "--tile"),
            inner=inner,
            threads=numbers(threads, "--threads") or [default_threads()],
            kernels=items(kernels),
            runtimes=items(runtime),
            seed=seed,
            parameters=parameters_of(parameters),
        )
        folder = output or own_folder(combinations)
        check_outputs(
            places(formats, folder, file),
            [*(graph or []), *inputs([], [meter] if meter else [])],
        )
        wishes = planned(combinations, build_root, label or [], graphs)
        say_quota(threads)
        traces = taken(wishes, folder, build_root)
    view = make_view(traces, label or [], nanoseconds(begin), nanoseconds(end))
    check_graphs(graphs, [trace.graph_instance for trace in traces])
    powers = power_of(meter, traces)
    if file is None:
        make_folder(folder)
    for kind in formats:
        path = file or folder / NAMES[kind]
        write(path, content(view, kind, graphs, powers, width), is_named=file is not None)
        echo(path)
    return 0


def shown(
    traces: "list[Trace]", labels: list[str], *, only_medians: bool
) -> "tuple[list[Trace], list[str]]":
    """The runs that are drawn, and their labels."""
    from pollux.insight.traces.view import medians

    chosen, titles = medians(traces)
    if only_medians:
        return chosen, labels or titles
    if len(traces) > MANY and len(chosen) < len(traces):
        report(
            f"{len(traces)} runs are drawn; --median would draw {len(chosen)}: of repeated runs, "
            "the one of median time"
        )
    return traces, labels


def refuse_unused(context: typer.Context, formats: list[Format]) -> None:
    """Refuse options that have no effect on any of these formats."""
    for name, own in (("width", DRAWN), ("meter", (*DRAWN, Format.HTML))):
        if is_given(context, name) and not set(formats) & {*own}:
            raise BadUsageError(f"--{name} is only for --format {', '.join(own)}")
    if is_given(context, "graph") and Format.PERFETTO not in formats:
        raise BadUsageError(
            "--graph is only for --format perfetto, which draws its edges as arrows"
        )


def chosen(output: Path | None, formats: list[Format] | None) -> tuple[Path | None, list[Format]]:
    """The file that --output names by its ending, if it does and is no folder; the formats."""
    kind = None if output is None or output.is_dir() else format_of(output)
    if kind is None:
        return None, list(dict.fromkeys(formats or (Format.SVG, Format.HTML)))
    others = [other for other in formats or [] if other is not kind]
    if others:
        raise BadUsageError(
            f"--output {output} is one file, which --format {others[0]} does not make; name a "
            "folder, or leave --format out"
        )
    return output, [kind]


def format_of(path: Path) -> Format | None:
    """What the end of a file's name tells; None of a folder's."""
    end = path.suffix.lower()
    if end[1:].isalpha() and end not in ENDINGS:
        raise BadUsageError(
            f"--output {path}: a file must end in {', '.join(ENDINGS)}; a folder whose name ends "
            f"in {path.suffix} must exist"
        )
    return ENDINGS.get(end)


def places(formats: list[Format], folder: Path, file: Path | None) -> dict[str, Path | None]:
    """The files that are written, by the option that names each; none in a folder to be made."""
    if file is not None:
        return {"--output": file}
    if not folder.is_dir():
        return {}
    return {f"--format {kind}, which writes": folder / NAMES[kind] for kind in formats}


def power_of(meter: Path | None, traces: "list[Trace]") -> "Powers | None":
    """The power of all runs; what is not known of it is a message."""
    if meter is None:
        return None
    from pollux.core.parts import required

    find = required("read_powers", "energy", "--meter")
    powers: Powers = find(meter, [trace.record for trace in traces])
    for line in powers.lacking:
        report(line)
    return powers


def nanoseconds(seconds: float | None) -> float | None:
    return None if seconds is None else seconds * 1e9


def beside(paths: list[Path]) -> Path:
    """The folder for charts of these files."""
    first = paths[0]
    name = first.resolve().name if first.is_dir() else first.stem
    more = f"-and-{len(paths) - 1}-more" if len(paths) > 1 else ""
    return first.parent / f"{name}{more}-gantt"


def own_folder(wanted: "Combinations") -> Path:
    """A folder that no other command makes, for traces that are taken and their chart."""
    names = "-".join([*dict.fromkeys(wanted.benchmarks), *dict.fromkeys(wanted.variants)])
    own = "".join(f"-{name}={values[0]}" for name, values in wanted.parameters.items())
    size = f"-n{wanted.size}" if wanted.size else ""
    name = f"{names}{size}-tile-{wanted.tile}{own}-{moment()}"
    return RESULTS / "gantt" / name


def moment() -> str:
    """What no other process has in its names."""
    return f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"


def planned(
    wanted: "Combinations", build_root: Path, labels: list[str], graphs: "list[Graph]"
) -> "list[RunRequest]":
    """The runs; what does not fit them is refused before any of them begins."""
    from pollux.insight.traces.perfetto import check_graphs
    from pollux.insight.traces.taking import plan
    from pollux.insight.traces.view import check_labels

    wishes = plan(wanted, build_root, report)
    check_labels(labels, len(wishes))
    check_graphs(graphs, [wish.instance for wish in wishes])
    return wishes


def taken(wishes: "list[RunRequest]", folder: Path, build_root: Path) -> "list[Trace]":
    """Their traces; a failure leaves those already taken in place, and no empty folder."""
    from pollux.insight.traces.taking import take_all
    from pollux.output.figures.save import make_folder

    is_new = not folder.exists()
    make_folder(folder)
    path = folder / f"traces-{moment()}.jsonl"
    try:
        return take_all(wishes, path, build_root, report)
    finally:
        if path.exists():
            echo(path)
        elif is_new:
            with suppress(OSError):
                folder.rmdir()


def report(text: str) -> None:
    echo(f"pollux: {text}", to_stderr=True)


def write(path: Path, made: bytes, *, is_named: bool) -> None:
    """Write a chart into its folder, or to the place that --output names."""
    if is_named:
        from pollux.core.writing import write_output

        write_output(path, made)
    else:
        from pollux.output.figures.save import write as write_file

        write_file(path, made)


def content(
    view: "View", kind: Format, graphs: "list[Graph]", powers: "Powers | None", width: float
) -> bytes:
    if kind is Format.PERFETTO:
        from pollux.insight.traces.perfetto import perfetto_json

        return perfetto_json(view, graphs)
    view = view.with_lanes()
    if kind in DRAWN:
        from pollux.insight.traces.chart import gantt_figure
        from pollux.output.figures.save import render

        figure = gantt_figure(view, width, vector=kind is not Format.PNG, powers=powers)
        return render(figure, str(kind))
    if kind is Format.HTML:
        from pollux.insight.traces.page import make_gantt_page

        return make_gantt_page(view, powers)
    from pollux.insight.traces.paje import paje_trace

    return paje_trace(view)
