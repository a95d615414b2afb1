# SPDX-License-Identifier: BSD-3-Clause
"""`pollux graph`: the shape of task graphs before anything runs, and whether they are right."""

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pollux.core.commands.options import (
    files,
    is_given,
    items,
    option,
    options,
    parameters_of,
    refuse_beside,
    refuse_inner,
)
from pollux.core.commands.shared import BuildRoot, Parameters, SizeOfRun, TileOfRun, Width
from pollux.core.console import deliver, echo
from pollux.core.errors import BadUsageError, MachineError
from pollux.core.paths import BUILDS

if TYPE_CHECKING:
    from pollux.insight.graphs.analysis import Analysis
    from pollux.insight.graphs.choice import Sizes
    from pollux.insight.graphs.model import Graph
    from pollux.insight.simulation.weights import Weights

DRAWN_MOST = 100_000  # nodes and edges of graphs written for other programs
OF_FILES = ("times", "weights", "check", "format_", "output", "width", "build_root")
TABLES = ("table", "json")
PICTURES = ("svg", "png", "pdf")
FORMATS = (*TABLES, "dot", "graphml", *PICTURES)

Benchmarks = Annotated[
    list[str] | None, typer.Argument(metavar="BENCHMARK", help="Such as lu or qr.")
]
Variants = Annotated[
    list[str] | None,
    options("--variant", "Task graphs; default: all. lu includes cw of lu-cw."),
]
KernelSet = Annotated[
    str, option("--kernels", "Kernel set: openblas or tuned; the graph is the same.")
]
Rows = Annotated[int | None, option("--rows", "Rows M of lu and qr; else N.")]
Inner = Annotated[int | None, option("--inner", "Inner block IB, for qr.")]
Files = Annotated[
    list[Path] | None,
    files("--graph", "File of task graphs, written by --graph of a benchmark."),
]
Traces = Annotated[
    list[Path] | None,
    files("--times", "Trace file; calls are weighted by the kernels' mean times in it."),
]
Weight = Annotated[
    Literal["flops", "calls"],
    typer.Option("--weights", help="Weight of calls without --times."),
]
Check = Annotated[
    bool, typer.Option("--check", help="Exit status 1 if conflicting calls are unordered.")
]
Format = Annotated[
    Literal["table", "json", "dot", "graphml", "svg", "png", "pdf"],
    typer.Option("--format", help="Statistics, the graph itself, or a picture."),
]
Output = Annotated[
    Path | None,
    option("--output", "Output file, whose ending fits --format; default: standard output."),
]
Runtime = Annotated[
    str | None,
    option("--runtime", "Build or combination to take the graph from; needs OMPT."),
]


def graph(  # noqa: PLR0913 (one parameter per option)
    context: typer.Context,
    benchmark: Benchmarks = None,
    *,
    variant: Variants = None,
    kernels: KernelSet = "openblas",
    size: SizeOfRun = None,
    rows: Rows = None,
    tile: TileOfRun = "default",
    inner: Inner = None,
    parameters: Parameters = None,
    graph_files: Files = None,
    times: Traces = None,
    weights: Weight = "flops",
    check: Check = False,
    format_: Format = "table",
    output: Output = None,
    width: Width = 7.0,
    runtime: Runtime = None,
    build_root: BuildRoot = BUILDS,
) -> int:
    """Measure, check and draw task graphs as a runtime receives them; nothing is computed.

    For all variants: tasks, edges and those that longer paths imply, width over depth,
    critical path by kernel, average parallelism. The checker compares the tiles that each kernel
    touches with the order of the graph: conflicting calls without an order are errors, orders that
    no access needs are counted. docs/explaining.md explains how to read the output.

    Exit status: 0 success, 1 with --check if conflicting calls are unordered, 2 bad usage,
    3 the machine cannot do it.

    Example: pollux graph lu --size 4096 --tile 256 --check
    """
    from pollux.core.campaign.number_lists import parse_wanted_tile
    from pollux.core.writing import check_outputs
    from pollux.insight.graphs.choice import Sizes

    refuse_both(benchmark, graph_files, [*(variant or []), *(parameters or [])])
    if graph_files:
        refuse_beside("--graph", context, but=("graph_files", *OF_FILES))
    refuse_unused(context, times, format_)
    refuse_inner(context, benchmark or [], build_root)
    check_outputs({"--output": output}, [*(graph_files or []), *(times or [])])
    refuse_ending(output, format_)
    wanted = parse_wanted_tile(tile, "--tile")
    sizes = Sizes(rows, size, wanted, inner, parameters_of(parameters))
    graphs = find_graphs(
        benchmark or [], items(variant), sizes, graph_files or [], runtime, kernels, build_root
    )
    found: list[Analysis] = []
    if check or format_ in TABLES:
        weigh = weights_of(times or [], weights)
        found = analyses(graphs, weigh)
        if format_ in TABLES:
            show(found, weigh, output, as_json=format_ == "json")
    if format_ not in TABLES:
        write_bytes(drawn(graphs, format_, width), output, format_)
    return show_conflicts(found, check=check, to_stderr=format_ != "table")


def refuse_both(benchmark: list[str] | None, file: list[Path] | None, more: list[str]) -> None:
    if not benchmark and not file:
        raise BadUsageError("name a benchmark, such as lu, or --graph FILE with its graph")
    if file and (benchmark or more):
        raise BadUsageError(
            "--graph takes the graphs of the file: no benchmark, --variant or --parameters with it"
        )


def refuse_unused(context: typer.Context, times: list[Path] | None, format_: str) -> None:
    """Refuse options that have no effect on what is shown."""
    if times and is_given(context, "weights"):
        raise BadUsageError("--weights has no effect beside --times, which weighs all calls")
    for name in ("times", "weights"):
        if is_given(context, name) and format_ not in TABLES:
            raise BadUsageError(
                f"--{name} has no effect on --format {format_}, which shows no weights"
            )
    if is_given(context, "width") and format_ not in PICTURES:
        raise BadUsageError(f"--width has no effect on --format {format_}, which is no picture")


def refuse_ending(output: Path | None, format_: str) -> None:
    """Refuse a file whose name says that it has another format."""
    ending = output.suffix[1:] if output else ""
    if ending in FORMATS and ending != format_:
        raise BadUsageError(
            f"--output {output}: --format {format_} would be written; "
            f"give --format {ending}, or another name"
        )


def find_graphs(  # noqa: PLR0913, PLR0917 (all that says which)
    benchmarks: list[str],
    variants: list[str],
    sizes: "Sizes",
    files: list[Path],
    runtime: str | None,
    kernels: str,
    build_root: Path,
) -> "list[Graph]":
    from pollux.insight.graphs.choice import graphs_of_files, graphs_of_variants
    from pollux.insight.graphs.trim import without_last_wait

    found = (
        graphs_of_files(files, build_root)
        if files
        else graphs_of_variants(benchmarks, variants, sizes, build_root, runtime, kernels)
    )
    return [without_last_wait(one) for one in found]


def weights_of(traces: list[Path], name: str) -> "Weights":
    from pollux.insight.simulation.weights import by_calls, by_flops, by_traces

    if traces:
        return by_traces(traces)
    return by_flops() if name == "flops" else by_calls()


def analyses(graphs: "list[Graph]", weigh: "Weights") -> "list[Analysis]":
    from pollux.insight.graphs.analysis import analyse

    return [analyse(one, weigh.of(one)) for one in graphs]


def show(found: "list[Analysis]", weigh: "Weights", output: Path | None, *, as_json: bool) -> None:
    """The analysis as JSON or as a table, in a file or on standard output."""
    from pollux.insight.graphs.show import json_text, print_table

    if as_json:
        deliver(json_text(found, weigh.words, weigh.unit), output)
    else:
        deliver(partial(print_table, found=found, weights=weigh.words), output)


def drawn(graphs: "list[Graph]", format_: str, width: float) -> bytes:
    """The graphs in a format for other programs, or a picture of them."""
    from pollux.insight.graphs.export import dot_text, graphml_bytes
    from pollux.insight.graphs.picture import graph_figure
    from pollux.output.figures.save import render

    if format_ in ("dot", "graphml"):
        parts = sum(len(g) + len(g.before.values) for g in graphs)
        if parts > DRAWN_MOST:
            raise BadUsageError(
                f"{parts} nodes and edges are more than programs for {format_} can draw "
                f"({DRAWN_MOST}); fewer or larger tiles make fewer, --format svg draws their width"
            )
    if format_ == "dot":
        return "".join(dot_text(g, number) for number, g in enumerate(graphs)).encode()
    return (
        graphml_bytes(graphs)
        if format_ == "graphml"
        else render(graph_figure(graphs, width), format_)
    )


def write_bytes(content: bytes, output: Path | None, format_: str) -> None:
    from pollux.core.writing import write_output

    if output is not None:
        write_output(output, content)
        return
    if format_ in ("png", "pdf") and sys.stdout.isatty():
        raise BadUsageError(f"--format {format_} is not readable on a terminal: add --output")
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def show_conflicts(found: "list[Analysis]", *, check: bool, to_stderr: bool) -> int:
    """List unordered conflicts; returns the exit status."""
    from pollux.insight.graphs.show import conflict_lines

    lines = [line for a in found for line in conflict_lines(a)]
    for line in lines:
        echo(line, to_stderr=to_stderr)
    if not check:
        return 0
    unchecked = [str(a.graph.instance) for a in found if a.conflicts is None]
    too_large = f"too large to be checked: {'; '.join(unchecked)}"
    if unchecked and not lines:
        raise MachineError(too_large)
    if unchecked:
        echo(too_large, to_stderr=True)
    if not lines:
        echo("All calls that conflict are ordered.", to_stderr=to_stderr)
    return 1 if lines else 0
