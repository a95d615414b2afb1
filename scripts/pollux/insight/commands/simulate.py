# SPDX-License-Identifier: BSD-3-Clause
"""`pollux simulate`: how a task graph would perform on a machine that is not available."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

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
    refuse_inner,
    span,
)
from pollux.core.commands.shared import BuildRoot, GraphVariants, Inner, Parameters, TableOrJson
from pollux.core.errors import BadUsageError
from pollux.core.paths import BUILDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pollux.insight.simulation.model import Machine
    from pollux.insight.simulation.overheads import Overheads
    from pollux.insight.simulation.prediction import Prediction
    from pollux.insight.simulation.session import Result
    from pollux.insight.traces.model import Trace

WORKERS_MAX = 100_000
PROCESSORS_MAX = 1_000_000_000
OF_INSTANCES = {"size", "tile", "inner", "runtime"}  # options that choose graphs of a build
CHARTS_MAX = 16  # schedules above each other in one chart
CHARTS = (".svg", ".pdf", ".png", ".html")

Benchmarks = Annotated[
    list[str] | None, typer.Argument(metavar="BENCHMARK", help="Such as lu lu-cw.")
]
Size = Annotated[
    list[str] | None,
    options("--size", "Orders N, or START:STOP:STEP; default: twice that of a run, mostly 4096."),
]
Tiles = Annotated[
    list[str],
    options("--tile", "Tile sizes NB, likewise, MBxNB, fastest, or default: that of each size."),
]
Workers = Annotated[list[str], options("--workers", "Numbers of workers P, likewise.", metavar="P")]
PolicyOption = Annotated[
    Literal["fifo", "lifo", "priority", "steal"],
    typer.Option(
        "--policy",
        help="Ready task that a worker takes: oldest, newest, the one with the longest path to the "
        "end, or the newest of its own queue, else stolen.",
    ),
]
Times = Annotated[
    list[Path] | None,
    files("--times", "Trace file to learn kernel times from."),
]
OwnTimes = Annotated[
    bool,
    typer.Option("--own-times", help="Use each call's own time, from a trace of that instance."),
]
RatesOption = Annotated[
    str | None,
    typer.Option(
        "--rates",
        metavar="KERNEL=RATE,…",
        help="GFlop/s of kernels, such as gemm=35,other=10; of laswp GB/s (or move=5 for all "
        "that only move data).",
    ),
]
Measure = Annotated[
    str | None,
    typer.Option(
        "--measure", metavar="BUILD", help="Measure kernel times now, on one thread of this build."
    ),
]
KernelSet = Annotated[
    str | None,
    option("--kernels", "With --measure: kernel set, openblas (default) or tuned."),
]
Rounds = Annotated[
    int | None,
    option("--rounds", "With --measure: processes for each task graph (9).", min=1),
]
COSTS: dict[str, Any] = {"min": 0, "max": 1e12}  # so that no sum exceeds 64 bits
Creation = Annotated[
    float,
    option("--creation", "Per task, on the worker that creates it.", metavar="NS", **COSTS),
]
Dispatch = Annotated[float, option("--dispatch", "Per task, on its worker.", metavar="NS", **COSTS)]
Steal = Annotated[float, option("--steal", "Per stolen task.", metavar="NS", **COSTS)]
OverheadFiles = Annotated[
    list[Path] | None,
    files(
        "--overheads",
        "Records of task-overhead: costs of creation and dispatch, by the pattern of each "
        "benchmark's name.",
    ),
]
Ideal = Annotated[
    bool,
    typer.Option(
        "--ideal",
        help="With --measure: tasks cost nothing; else their costs are measured or given.",
    ),
]
Throttle = Annotated[
    int | None,
    option(
        "--throttle",
        "Number of ready tasks at which the creating worker runs tasks itself.",
        metavar="COUNT",
        min=0,
    ),
]
Bandwidth = Annotated[
    float | None,
    option(
        "--bandwidth", "Bandwidth of the memory that all workers share.", metavar="GB/S", min=0.001
    ),
]
Nodes = Annotated[
    list[str] | None,
    options(
        "--nodes",
        "Numbers of nodes, each with --workers of its own: cholesky, lu nopiv, late or spread, qr.",
        metavar="NODES",
    ),
]
NodeGrid = Annotated[
    str | None,
    option(
        "--grid",
        "Nodes in P rows and Q columns, in place of a grid that is nearly square.",
        metavar="PxQ",
    ),
]
Latency = Annotated[
    str | None,
    option(
        "--latency",
        "Latency of the network between nodes, such as 2us.",
        metavar="TIME",
        callback=lambda text: None if text is None else span(text),
    ),
]
NetworkBandwidth = Annotated[
    float | None,
    option(
        "--network-bandwidth",
        "GB/s of each node's network interface, in each direction.",
        metavar="BANDWIDTH",
        min=0.001,
    ),
]
Processors = Annotated[
    int | None,
    option(
        "--processors",
        "The nodes are processes of one machine, and share so many processors.",
        metavar="C",
        min=1,
        max=PROCESSORS_MAX,
    ),
]
Seed = Annotated[
    int | None, option("--seed", "With --policy steal: seed for the choice of victims (0).")
]
Graphs = Annotated[
    list[Path] | None,
    files("--graph", "File of task graphs in place of BENCHMARK."),
]
Runtime = Annotated[
    str | None, option("--runtime", "Build or combination to take the graph from; needs OMPT.")
]
TraceFile = Annotated[
    Path | None,
    option("--trace", "File for the schedules as traces, for pollux gantt.", metavar="FILE"),
]
Gantt = Annotated[
    Path | None,
    option(
        "--gantt",
        "File for a chart of the schedules: .svg, .pdf, .png or .html.",
        metavar="FILE",
    ),
]
Output = Annotated[Path | None, option("--output", "File for all results as JSON.")]


def simulate(  # noqa: PLR0913 (one parameter per option)
    context: typer.Context,
    benchmark: Benchmarks = None,
    *,
    variant: GraphVariants = None,
    size: Size = None,
    tile: Tiles = ["default"],  # noqa: B006 (typer copies it)
    inner: Inner = 32,
    parameters: Parameters = None,
    workers: Workers = ["1,2,4,8,16,32,48,64,96,128"],  # noqa: B006
    policy: PolicyOption = "fifo",
    times: Times = None,
    own_times: OwnTimes = False,
    rates: RatesOption = None,
    measure: Measure = None,
    kernels: KernelSet = None,
    rounds: Rounds = None,
    creation: Creation = 0.0,
    dispatch: Dispatch = 0.0,
    steal: Steal = 0.0,
    overheads: OverheadFiles = None,
    ideal: Ideal = False,
    throttle: Throttle = None,
    bandwidth: Bandwidth = None,
    nodes: Nodes = None,
    grid: NodeGrid = None,
    latency: Latency = None,
    network_bandwidth: NetworkBandwidth = None,
    processors: Processors = None,
    seed: Seed = None,
    graph: Graphs = None,
    runtime: Runtime = None,
    trace: TraceFile = None,
    gantt: Gantt = None,
    output: Output = None,
    format_: TableOrJson = "table",
    build_root: BuildRoot = BUILDS,
) -> int:
    """Predict time and speed of task graphs on any number of workers, by list scheduling.

    Kernel times are learned from traces (--times), measured now (--measure) or given as rates
    (--rates). Variants of one algorithm share them, as medians over several traces; ranges show
    how far single traces differ. --measure measures what tasks cost, too, unless costs or --ideal
    are given. Without costs the machine is ideal: all losses are due to the graph. With costs it
    shows the effect of a runtime's task creation, dispatch, steals and throttling, or of memory
    bandwidth that all workers share. docs/explaining.md has the method and its accuracy.
    --overheads takes a runtime's costs as task-overhead measured them.

    --nodes spreads the tiles over nodes as the programs over MPI do, with a network of that
    latency and bandwidth, and says what limits the speed at each number (docs/nodes.md).
    With --processors the nodes are the ranks of one machine.

    Exit status: 0 success, 2 bad usage, 3 the machine cannot do it.

    Examples: pollux simulate lu lu-cw --size 8192 --tile 128,256 --measure libomp

    pollux simulate cholesky --size 32768 --tile 352 --workers 48 --rates gemm=18,other=12

    pollux simulate cholesky --size 32768 --tile 256 --nodes 1,4,16,64 --workers 16 --latency 2us
    --network-bandwidth 12.5 --rates gemm=35,other=20
    """
    from pollux.core.campaign.number_lists import parse_wanted_tiles
    from pollux.core.console import echo, make_console, stage_line
    from pollux.core.writing import check_outputs, write_output
    from pollux.insight.simulation.across import asked_clusters
    from pollux.insight.simulation.overheads import Overheads
    from pollux.insight.simulation.session import Asked, KernelSource, simulations
    from pollux.insight.simulation.show import json_text, labels, print_predictions
    from pollux.insight.simulation.source import Sizes
    from pollux.insight.simulation.task_costs import measured_overheads

    is_free = not (creation or dispatch or overheads)
    measures_costs = measure is not None and is_free and not ideal
    check_ideal(ideal, measure, is_free and not steal)
    check_costs(creation, dispatch, throttle, overheads, measures=measures_costs)
    refuse_unused(context, policy, steal, seed, graph)
    refuse_inner(context, benchmark or [], build_root)
    check_outputs(
        {"--trace": trace, "--gantt": gantt, "--output": output},
        [*(times or []), *(graph or []), *(overheads or [])],
    )
    check_chart(gantt)
    counts = numbers(workers, "--workers")
    clusters = asked_clusters(
        numbers(nodes, "--nodes"), grid, latency, network_bandwidth, processors
    )
    check_nodes(processors, bandwidth, has_workers=not clusters or is_given(context, "workers"))
    machines = machines_of(counts, policy, (creation, dispatch, steal), throttle, bandwidth, seed)
    sizes = Sizes(
        numbers(size, "--size"),
        parse_wanted_tiles(",".join(tile), "--tile"),
        inner,
        parameters_of(parameters),
    )
    asked = Asked(graph or [], benchmark or [], items(variant), sizes, runtime, build_root)
    source = KernelSource(times or [], rates, measure, kernels, own_times, rounds)
    given = Overheads.read(overheads) if overheads else None

    def costs(names: "Sequence[str]") -> "Overheads | None":
        if gantt is not None:
            check_charts(len(names) * len(machines) * max(1, len(clusters)))
        if not measures_costs or measure is None:
            return given
        show(f"measuring what tasks cost on {measure}")
        measured = measured_overheads(names, measure, asked.build_root)
        check_throttle(throttle, names, measured)
        return measured

    console = make_console(to_stderr=True)
    with stage_line(console) as show:
        found = [
            kept(result, schedules=bool(trace or gantt))
            for result in simulations(asked, source, machines, show, costs, clusters)
        ]
    predictions = [prediction for prediction, _ in found]
    measured = {p.instance.benchmark: None for p in predictions}
    words = source.words(source.kernel_sets(measured, asked.build_root))
    text = json_text(predictions, words)
    if format_ == "json":  # before files, which may fail
        echo(text, end="")
    else:
        print_predictions(make_console(), predictions, words)
    if output is not None:
        write_output(output, text.encode())
    if trace is not None or gantt is not None:
        made = [schedule for _, schedule in found if schedule is not None]
        named = [
            replace(s, label=label) for s, label in zip(made, labels(predictions), strict=True)
        ]
        write_schedules(named, trace, gantt)
    return 0


def check_ideal(ideal: bool, measure: str | None, is_free: bool) -> None:
    """Refuse an ideal machine that has costs, or that is one without being asked for."""
    if ideal and not is_free:
        raise BadUsageError("--ideal is for tasks that cost nothing: omit the costs")
    if ideal and measure is None:
        raise BadUsageError("--ideal is for --measure: without it, only the costs given count")


def check_costs(
    creation: float,
    dispatch: float,
    throttle: int | None,
    overheads: list[Path] | None,
    *,
    measures: bool,
) -> None:
    """Refuse costs that are given twice, or of which one needs another."""
    if overheads and (creation or dispatch):
        raise BadUsageError("--overheads has the costs of --creation and --dispatch: omit these")
    if throttle is not None and not (creation or overheads or measures):
        raise BadUsageError(
            "--throttle needs --creation or --overheads: without them all tasks exist from the "
            "start"
        )


def check_throttle(throttle: int | None, names: "Sequence[str]", measured: "Overheads") -> None:
    """Refuse to throttle tasks none of which has a measured cost."""
    if throttle is not None and all(map(measured.lacks, names)):
        unknown = " or ".join(dict.fromkeys(names))
        raise BadUsageError(
            f"--throttle needs --creation: task-overhead has no pattern of {unknown}"
        )


def refuse_unused(
    context: typer.Context, policy: str, steal: float, seed: int | None, graph: list[Path] | None
) -> None:
    """Refuse options that have no effect beside others."""
    if steal and policy != "steal":
        raise BadUsageError("--steal needs --policy steal: no other policy steals tasks")
    if seed is not None and policy != "steal":
        raise BadUsageError("--seed needs --policy steal: no other policy chooses at random")
    if graph:
        names = {str(parameter.name) for parameter in context.command.params}
        refuse_beside("--graph", context, but=names - OF_INSTANCES)


def check_nodes(processors: int | None, bandwidth: float | None, *, has_workers: bool) -> None:
    """Refuse nodes without a number of workers, or with a memory of each that they share."""
    if processors is not None and bandwidth is not None:
        raise BadUsageError(
            "--bandwidth is that of each node: with --processors all share one memory"
        )
    if not has_workers:
        raise BadUsageError("--nodes needs --workers: the workers of each node")


def machines_of(  # noqa: PLR0913, PLR0917 (one argument per option)
    counts: list[int],
    policy: str,
    costs: tuple[float, float, float],
    throttle: int | None,
    bandwidth: float | None,
    seed: int | None,
) -> "list[Machine]":
    """A machine for each number of workers."""
    from pollux.insight.simulation.model import Machine, Policy

    if counts[-1] > WORKERS_MAX:
        raise BadUsageError(f"--workers: {counts[-1]} is more than {WORKERS_MAX}")
    rate = None if bandwidth is None else bandwidth * 1e9
    return [Machine(p, Policy(policy), *costs, throttle, rate, seed or 0) for p in counts]


def kept(result: "Result", *, schedules: bool) -> "tuple[Prediction, Trace | None]":
    """The part of a simulation that is kept when the next one begins."""
    from pollux.insight.simulation.session import as_trace

    return result.prediction, as_trace(result) if schedules else None


def check_chart(chart: Path | None) -> None:
    """Refuse a name without a known format, before anything is simulated."""
    if chart is not None and chart.suffix not in CHARTS:
        raise BadUsageError(f"--gantt: {chart} ends in none of {', '.join(CHARTS)}")


def check_charts(count: int) -> None:
    if count > CHARTS_MAX:
        raise BadUsageError(
            f"--gantt: {count} schedules are too many for one chart; at most {CHARTS_MAX}"
        )


def write_schedules(traces: "list[Trace]", trace: Path | None, chart: Path | None) -> None:
    """The schedules as a file of traces, and as a chart."""
    from pollux.core.writing import write_output
    from pollux.insight.traces.file import write_trace

    if trace is not None:
        write_output(trace, b"".join(map(write_trace, traces)), "--trace")
    if chart is None:
        return
    write_output(chart, drawn(traces, chart.suffix), "--gantt")


def drawn(traces: "list[Trace]", suffix: str) -> bytes:
    """A chart of the schedules above each other."""
    from pollux.insight.traces.chart import gantt_figure
    from pollux.insight.traces.page import make_gantt_page
    from pollux.insight.traces.view import make_view
    from pollux.output.figures.save import render
    from pollux.output.figures.style import PAGE_WIDTH

    view = make_view(traces)
    if suffix == ".html":
        return make_gantt_page(view)
    return render(gantt_figure(view, PAGE_WIDTH, vector=suffix != ".png"), suffix[1:])
