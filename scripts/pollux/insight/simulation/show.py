# SPDX-License-Identifier: BSD-3-Clause
"""Predictions as tables for terminals and as JSON."""

import json
from collections import Counter
from collections.abc import Sequence

from rich.console import Console

from pollux.core.parameters import Parameters, Value, agree, frozen, in_words
from pollux.core.tables import Column, Rows, put, put_table
from pollux.core.text import counted, in_percent
from pollux.core.tiles import Tile
from pollux.insight.graphs.model import Instance
from pollux.insight.simulation import ranges
from pollux.insight.simulation.model import Machine
from pollux.insight.simulation.network import sharing
from pollux.insight.simulation.prediction import Comparison, Prediction, comparisons, warnings
from pollux.insight.simulation.ranges import Range

SCHEMA = "pollux-simulation/1"
NOTE = (
    "eff.: work / (workers × time); work: sum of all kernels' times; path: critical path; "
    "no schedule is shorter than the bound, and no ideal list schedule longer than Graham's."
)
NOTE_OF_RIVALS = (
    "Tasks of one mutexinoutset never run at once: path, parallelism and bound leave this out, and "
    "Graham's bound does not hold."
)
NOTE_OF_NODES = (
    "eff.: work / (all workers × time); limited by: the largest of the bounds, which no schedule "
    "is shorter than, with its share of the time. work: of the node that has most; interface: "
    "the bytes of one node; else the longest chain of calls and messages, by its largest part: "
    "critical path (calls), latency or transfer (bytes)."
)
NOTE_OF_PROCESSORS = (
    "processors: the kernels of nodes that share processors, and the copies of their messages, on "
    "these; eff. counts all of them."
)
THOUSAND = 1000

Compared = dict[int, Comparison]  # by the identity of the prediction


def json_text(found: Sequence[Prediction], kernels: str) -> str:
    """All predictions; `kernels` describes the source of the kernels' times."""
    data = {
        "schema": SCHEMA,
        "kernels": kernels,
        "rounds": rounds_of(found),
        "warnings": warnings(found),
        "predictions": [prediction.as_json() for prediction in found],
        "comparisons": [comparison.as_json() for comparison in comparisons(found)],
    }
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def rounds_of(found: Sequence[Prediction]) -> int:
    """Rounds of traces; given rates have none."""
    return max((len(p.by_round) for p in found), default=0)


def print_predictions(console: Console, found: Sequence[Prediction], kernels: str) -> None:
    put(console, f"kernel times: {kernels}")
    for line in [*runtime_lines(found), *network_lines(found)]:
        put(console, line)
    compared = {id(c.prediction): c for c in comparisons(found)}
    for here in tables_of(found):
        here.sort(key=lambda p: (p.nodes, p.machine.workers))
        put(console, "")
        put(console, title_of(here), "bold")
        put_table(console, columns(here, compared), Rows(sections=last_of_machines(here)))
    put(console, "")
    for line in work_lines(found):
        put(console, line)
    for line in warnings(found):
        put(console, line, "yellow")
    put(console, NOTE if found[0].across is None else NOTE_OF_NODES)
    if any(p.has_rivals for p in found):
        put(console, NOTE_OF_RIVALS)
    if shares_processors(found[0]):
        put(console, NOTE_OF_PROCESSORS)
    put(console, ranges.words(rounds_of(found)))


def runtime_lines(found: Sequence[Prediction]) -> list[str]:
    """The costs of the machines; where they differ, which graphs and workers have which."""
    machines: dict[str, dict[str, dict[int, None]]] = {}
    for p in found:
        by_graph = machines.setdefault(costs_of(p.machine), {})
        by_graph.setdefault(p.instance.benchmark, {})[p.machine.workers] = None
    if len(machines) == 1:
        return [f"runtime: {costs}" for costs in machines]
    return [
        f"runtime, {benchmark} on {', '.join(map(str, workers))}: {costs}"
        for costs, by_graph in machines.items()
        for benchmark, workers in by_graph.items()
    ]


def network_lines(found: Sequence[Prediction]) -> list[str]:
    """The network between nodes, and what processors they share."""
    clusters = [p.across.cluster for p in found if p.across]
    lines = [
        f"network: latency {n.latency * 1e-3:g} us, {n.bandwidth * 1e-9:g} GB/s for each node and "
        "direction"
        for n in dict.fromkeys(c.network for c in clusters)
    ]
    shared = dict.fromkeys(map(processors_of, filter(shares_processors, found)))
    return [*lines, *(f"processors: {words}" for words in shared)]


def processors_of(p: Prediction) -> str:
    """How many the nodes have, and which share them."""
    assert p.across is not None
    cluster = p.across.cluster
    shared = sharing(cluster, p.machine.workers)
    if shared.nodes == cluster.grid.nodes:
        return f"{cluster.processors}, shared by all nodes"
    nodes = "each node" if shared.nodes == 1 else f"every {shared.nodes} nodes"
    return f"{cluster.processors}, {shared.each:g} for {nodes}"


def shares_processors(p: Prediction) -> bool:
    return p.across is not None and p.across.cluster.processors is not None


def costs_of(machine: Machine) -> str:
    """The machine's policy and costs in words."""
    if not (machine.creation or machine.dispatch or machine.steal):
        words = [f"policy {machine.policy}", "ideal: tasks cost nothing"]
        return ", ".join([*words, *limits_of(machine)])
    words = [
        f"policy {machine.policy}",
        f"creation {machine.creation:g} ns",
        f"dispatch {machine.dispatch:g} ns",
        *([f"steal {machine.steal:g} ns"] if machine.steal else []),
    ]
    return ", ".join([*words, *limits_of(machine)])


def limits_of(machine: Machine) -> list[str]:
    words = []
    if machine.throttle is not None:
        words.append(f"throttle at {machine.throttle} ready tasks")
    if machine.bandwidth is not None:
        words.append(f"bandwidth {machine.bandwidth * 1e-9:g} GB/s")
    return words


def graph_of(p: Prediction) -> str:
    return f"{p.instance.benchmark} {p.instance.variant}"


def tables_of(found: Sequence[Prediction]) -> list[list[Prediction]]:
    """Those of each table: of one size, tile and inner block, and one value of each parameter."""
    tables: list[tuple[tuple[int, int, Tile], dict[str, Value], list[Prediction]]] = []
    for p in found:
        place, own = (p.instance.m, p.instance.n, p.instance.tile), values_of(p)
        for there, values, here in tables:
            if there == place and agree(frozen(values), own):
                values.update(own)
                here.append(p)
                break
        else:
            tables.append((place, dict(own), [p]))
    return [here for _, _, here in tables]


def values_of(p: Prediction) -> Parameters:
    """Of the inner block and the parameters: those that the instance has."""
    inner = (("IB", p.instance.ib),) if p.instance.ib else ()
    return (*inner, *p.instance.parameters)


def title_of(here: Sequence[Prediction]) -> str:
    """The title: sizes, tile, inner block, parameters, and the task graph if there is only one."""
    i = here[0].instance
    rows = "" if i.m == i.n else f"M = {i.m}, "
    name = "NB" if i.tile.is_square else "tile"
    graphs = {graph_of(p) for p in here}
    alone = f"{graph_of(here[0])}, " if len(graphs) == 1 else ""
    inner = next((f", IB = {p.instance.ib}" for p in here if p.instance.ib), "")
    parameters = frozen(dict(pair for p in here for pair in p.instance.parameters))
    own = f", {in_words(parameters)}" if parameters else ""
    return f"{alone}{rows}N = {i.n}, {name} = {i.tile}{inner}{own}"


def last_of_machines(here: Sequence[Prediction]) -> list[int]:
    """The rows after which the number of workers changes, if there are several for each."""
    workers = [(p.nodes, p.machine.workers) for p in here]
    if len(set(workers)) == len(workers):
        return []
    return [row for row in range(len(workers) - 1) if workers[row] != workers[row + 1]]


def columns(here: Sequence[Prediction], compared: Compared) -> list[Column]:
    """A row for each number of workers and task graph; the bounds only if there is room."""
    found = [*nodes_columns(here), Column("workers", [str(p.machine.workers) for p in here])]
    if len({graph_of(p) for p in here}) > 1:
        found.append(Column("task graph", [graph_of(p) for p in here], is_left=True))
    found.append(Column("GFlop/s", [significant(p.gflops) for p in here]))
    has_ranges = any(p.gflops_range for p in here)
    if has_ranges:
        found.append(Column("range", [between(p.gflops_range) for p in here]))
    found += comparison_columns([compared.get(id(p)) for p in here], has_ranges=has_ranges)
    found += [
        Column("eff.", [in_percent(p.efficiency, 1) for p in here]),
        Column("seconds", [f"{p.seconds:.4g}" for p in here], spare=1),
        *([Column("range, s", [between(p.seconds_range) for p in here], spare=2)] * has_ranges),
        *(bound_columns(here) if here[0].across is None else limit_columns(here)),
    ]
    return found


def bound_columns(here: Sequence[Prediction]) -> list[Column]:
    upper = ["–" if p.upper_bound is None else f"{p.upper_bound:.4g}" for p in here]
    return [
        Column("bound, s", [f"{p.lower_bound:.4g}" for p in here], spare=2),
        Column("Graham's, s", upper, spare=2),
    ]


def nodes_columns(here: Sequence[Prediction]) -> list[Column]:
    """The nodes; the workers that follow are those of each."""
    found = [p.across for p in here if p.across]
    if not found:
        return []
    return [
        Column("nodes", [str(a.nodes) for a in found]),
        Column("grid", [str(a.cluster.grid) for a in found], spare=1),
    ]


def limit_columns(here: Sequence[Prediction]) -> list[Column]:
    """What is sent, and what limits the speed."""
    found = [(p.across, p.seconds) for p in here if p.across]
    return [
        Column("messages", [str(a.messages) for a, _ in found]),
        Column("MB", [significant(a.bytes_ * 1e-6) for a, _ in found]),
        Column("limited by", [a.bounds.limit for a, _ in found], is_left=True),
        Column("share", [in_percent(a.bounds.largest / max(s, 1e-9)) for a, s in found]),
    ]


def comparison_columns(compared: Sequence[Comparison | None], *, has_ranges: bool) -> list[Column]:
    """How many times as fast as the reference, which has no number of its own."""
    names = {graph_of(c.reference): c for c in compared if c}
    found = []
    for name in names:
        own = [c if c and graph_of(c.reference) == name else None for c in compared]
        found.append(Column(f"times {name}", [f"{c.ratio:.3f}" if c else "" for c in own]))
        if has_ranges:
            cells = [between(c.range, ".3f") if c else "" for c in own]
            found.append(Column("range", cells))
    return found


def between(found: Range | None, form: str | None = None) -> str:
    """A range in few characters; one number if both ends look the same."""
    if found is None:
        return ""
    ends = [significant(x) if form is None else format(x, form) for x in found]
    return "–".join(dict.fromkeys(ends))


def labels(found: Sequence[Prediction]) -> list[str]:
    """The label of each schedule in figures: the policy and the ranges."""
    compared = {id(c.prediction): c for c in comparisons(found)}
    return [label_of(p, compared.get(id(p))) for p in found]


def label_of(p: Prediction, comparison: Comparison | None) -> str:
    words = [f"simulated, {p.machine.policy}"]
    if p.across is not None:
        words.append(f"{p.across.cluster.grid} nodes")
    if p.seconds_range is not None:
        words.append(f"{between(p.seconds_range, '.3g')} s")
        words.append(f"{between(p.gflops_range, '.0f')} GFlop/s")
    if comparison is not None:
        ratio = comparison.range or (comparison.ratio, comparison.ratio)
        words.append(f"{between(ratio, '.2f')} × {graph_of(comparison.reference)}")
    return ", ".join(words)


def work_lines(found: Sequence[Prediction]) -> list[str]:
    """For each graph: kernel calls, work, critical path, and how many workers it keeps busy."""
    grids: dict[tuple[Instance, str], list[str]] = {}
    for p in found:
        words = (
            f"{counted(p.calls, 'kernel call')}, work {p.work:.4g} s, path {p.path:.4g} s, "
            f"parallelism {p.parallelism:.1f}"
        )
        grids.setdefault((p.instance, words), []).append(
            f" on {p.across.cluster.grid} nodes" if p.across else ""
        )
    several = Counter(instance for instance, _ in grids)
    return [
        f"{instance}{' and'.join(dict.fromkeys(on)) if several[instance] > 1 else ''}: {words}"
        for (instance, words), on in grids.items()
    ]


def significant(number: float) -> str:
    """Four digits, or all before the point."""
    return f"{number:.0f}" if number >= THOUSAND else f"{number:.4g}"
