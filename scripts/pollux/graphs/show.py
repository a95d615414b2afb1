# SPDX-License-Identifier: BSD-3-Clause
"""Shows what was found out about graphs, as a table with a column for each, or as JSON."""

import json
from collections.abc import Callable, Sequence

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pollux.figures.kernels import in_order
from pollux.graphs.analysis import Analysis, Path
from pollux.graphs.conflicts import Conflicts, Unordered
from pollux.graphs.labels import label_of
from pollux.graphs.model import Graph
from pollux.graphs.shape import Degrees

NOTHING = "–"
UNCOUNTED = "not counted"  # the graph is too large
LISTED_MOST = 10  # conflicts of one graph

# What each row of the table is called, and its cell for a graph.
ROWS: tuple[tuple[str, Callable[[Analysis], str]], ...] = (
    ("tasks", lambda a: str(a.shape.tasks)),
    ("kernel calls", lambda a: str(a.shape.calls)),
    ("edges", lambda a: str(a.shape.edges)),
    ("  implied by longer paths", lambda a: share(a.shape.redundant, a.shape.edges)),
    ("  into a node: least, median, most", lambda a: degrees(a.shape.before)),
    ("  out of a node: least, median, most", lambda a: degrees(a.shape.after)),
    ("depth (calls)", lambda a: str(a.shape.depth)),
    ("calls of one depth: mean, most", lambda a: width(a)),
    ("critical path, share of the work", lambda a: percent(a.critical.length, a.work)),
    ("average parallelism", lambda a: f"{a.parallelism:.2f}"),
    ("  that the accesses would allow", lambda a: f"{a.parallelism_possible:.2f}"),
    ("conflicting calls, not ordered", lambda a: conflicts(a.conflicts)),
    ("edges between calls", lambda a: str(a.surplus.direct)),
    ("  that no access needs", lambda a: share(a.surplus.direct_unneeded, a.surplus.direct)),
    ("ordered pairs of calls", lambda a: number(a.surplus.ordered)),
    ("  that no access needs", lambda a: share(a.surplus.ordered_unneeded, a.surplus.ordered)),
)


def print_table(console: Console, found: Sequence[Analysis], weights: str) -> None:
    """One column for each graph; `weights` says what the durations were."""
    sizes = {sizes_of(a.graph) for a in found}
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column(sizes.pop() if len(sizes) == 1 else "", no_wrap=True)
    for a in found:
        table.add_column(escape(name_of(a.graph)), justify="right")
    if sizes:
        table.add_row("sizes", *(sizes_of(a.graph) for a in found))
    for name, cell in ROWS:
        table.add_row(name, *(cell(a) for a in found))
    table.add_section()
    table.add_row("critical path: calls, share")
    kernels = in_order({k for a in found for k in a.critical.counts})
    for kernel in kernels:
        table.add_row(f"  {escape(kernel)}", *(on_path(a.critical, kernel) for a in found))
    console.print(table)
    console.print(f"\nWork and critical path: {escape(weights)}.", soft_wrap=True, highlight=False)


def name_of(graph: Graph) -> str:
    return f"{graph.instance.benchmark} {graph.instance.variant}"


def sizes_of(graph: Graph) -> str:
    """The instance without its names."""
    return str(graph.instance).partition(", ")[2]


def share(part: int | None, whole: int | None) -> str:
    if part is None or whole is None:
        return UNCOUNTED
    return f"{part} ({percent(part, whole)})"


def percent(part: float, whole: float) -> str:
    return f"{part / whole:.1%}".replace("%", " %") if whole else NOTHING


def number(value: int | None) -> str:
    return UNCOUNTED if value is None else str(value)


def degrees(found: Degrees) -> str:
    return f"{found.least}, {found.median:g}, {found.most}"


def width(a: Analysis) -> str:
    mean = a.shape.calls / a.shape.depth if a.shape.depth else 0.0
    return f"{mean:.1f}, {int(a.shape.width.max(initial=0))}"


def conflicts(found: Conflicts | None) -> str:
    if found is None:
        return UNCOUNTED
    return f"{found.pairs}" if found.all_counted else f"more than {found.pairs}"


def on_path(path: Path, kernel: str) -> str:
    if kernel not in path.counts:
        return NOTHING
    return f"{path.counts[kernel]}, {percent(path.weights[kernel], path.length)}"


def conflict_lines(a: Analysis) -> list[str]:
    """Each object over which calls conflict without an order, by the first two such calls."""
    if a.conflicts is None or not a.conflicts.found:
        return []
    head = (
        f"{a.graph.instance}: {conflicts(a.conflicts)} pairs of calls conflict and are not ordered"
    )
    listed = [f"  {sentence(a.graph, u)}" for u in a.conflicts.found[:LISTED_MOST]]
    left = len(a.conflicts.found) - LISTED_MOST
    return [head, *listed, *([f"  and {left} more objects"] if left > 0 else [])]


def sentence(graph: Graph, found: Unordered) -> str:
    item = graph.objects[found.object]
    return (
        f"{label_of(graph, found.first)} {uses(graph, found.first, found.object)} {item}, "
        f"{label_of(graph, found.second)} {uses(graph, found.second, found.object)} it"
    )


def uses(graph: Graph, node: int, item: int) -> str:
    return "writes" if item in graph.writes[node] else "reads"


def json_text(found: Sequence[Analysis], weights: str, unit: str) -> str:
    """One object; null is "too large to count".

    `schema`; `weights`, what calls weigh, in `unit`; `graphs`, for each the fields of `fields_of`.
    """
    told = {
        "schema": "pollux-graph-analysis/1",
        "weights": weights,
        "unit": unit,
        "graphs": [fields_of(a) for a in found],
    }
    return json.dumps(told, indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def fields_of(a: Analysis) -> dict[str, object]:
    """The instance; counts; `width`: calls by depth, from 1; `degrees`: nodes with 0, 1, 2 … edges

    on that side; paths; `conflicts`: the first for each object, and `conflicting_pairs` in all.
    """
    shape, surplus = a.shape, a.surplus
    return {
        **a.graph.instance.fields(),
        "clause": a.graph.clause,
        "tasks": shape.tasks,
        "calls": shape.calls,
        "edges": shape.edges,
        "edges_implied": shape.redundant,
        "depth": shape.depth,
        "width": shape.width.tolist(),
        "degrees": {
            "before": shape.before.histogram.tolist(),
            "after": shape.after.histogram.tolist(),
        },
        "work": a.work,
        "critical_path": vars(a.critical),
        "parallelism": a.parallelism,
        "critical_path_possible": vars(a.minimal),
        "parallelism_possible": a.parallelism_possible,
        "conflicting_pairs": a.conflicts.pairs if a.conflicts else None,
        "conflicting_pairs_all_counted": a.conflicts.all_counted if a.conflicts else None,
        "conflicts": [conflict_fields(a.graph, c) for c in a.conflicts.found]
        if a.conflicts
        else None,
        "call_edges": surplus.direct,
        "call_edges_unneeded": surplus.direct_unneeded,
        "ordered_pairs": surplus.ordered,
        "ordered_pairs_unneeded": surplus.ordered_unneeded,
    }


def conflict_fields(graph: Graph, found: Unordered) -> dict[str, object]:
    return {
        "first": label_of(graph, found.first),
        "second": label_of(graph, found.second),
        "object": graph.objects[found.object],
    }
