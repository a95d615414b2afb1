# SPDX-License-Identifier: BSD-3-Clause
"""Shows the analysis of graphs, as a table with a column for each, or as JSON."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from rich.console import Console

from pollux.core.parameters import in_words
from pollux.core.tables import Column, Rows, fits, put, put_table
from pollux.core.text import counted, in_percent
from pollux.insight.graphs.analysis import Analysis, Path
from pollux.insight.graphs.conflicts import Conflicts, Unordered
from pollux.insight.graphs.labels import label_of
from pollux.insight.graphs.model import Graph, Instance
from pollux.insight.graphs.shape import Degrees
from pollux.output.figures.kernels import in_order

NOTHING = "–"
UNCOUNTED = "not counted"  # the graph is too large
LISTED_MOST = 10  # conflicts of one graph
RIVALS = (
    "Tasks of one mutexinoutset never run at once; depth, critical path and average parallelism "
    "leave this out."
)


@dataclass(frozen=True)
class Row:
    """The name of a table row, its cell for a graph, and a shorter cell."""

    name: str
    cell: Callable[[Analysis], str]
    brief: Callable[[Analysis], str] | None = None


def share_row(name: str, counts: Callable[[Analysis], tuple[int | None, int | None]]) -> Row:
    """A count and its share; only the share if there is little room."""
    return Row(name, lambda a: share(*counts(a)), lambda a: brief_share(*counts(a)))


ROWS = (
    Row("tasks", lambda a: str(a.shape.tasks)),
    Row("kernel calls", lambda a: str(a.shape.calls)),
    Row("edges", lambda a: str(a.shape.edges)),
    share_row("  implied by longer paths", lambda a: (a.shape.redundant, a.shape.edges)),
    Row("  in-degree: min, median, max", lambda a: degrees(a.shape.before)),
    Row("  out-degree: min, median, max", lambda a: degrees(a.shape.after)),
    Row("depth (calls)", lambda a: str(a.shape.depth)),
    Row("calls per depth: mean, max", lambda a: width(a)),
    Row("critical path / work", lambda a: percent(a.critical.length, a.work)),
    Row("average parallelism", lambda a: f"{a.parallelism:.2f}"),
    Row("  as the accesses allow", lambda a: f"{a.parallelism_possible:.2f}"),
    Row("conflicts without an order", lambda a: conflicts(a.conflicts)),
    Row("edges between calls", lambda a: str(a.surplus.direct)),
    share_row("  that no access needs", lambda a: (a.surplus.direct_unneeded, a.surplus.direct)),
    Row("ordered pairs of calls", lambda a: number(a.surplus.ordered)),
    share_row("  that no access needs", lambda a: (a.surplus.ordered_unneeded, a.surplus.ordered)),
)


def print_table(console: Console, found: Sequence[Analysis], weights: str) -> None:
    """One column for each graph; `weights` describes the durations."""
    for same in by_algorithm(found):
        if common := common_sizes([a.graph.instance for a in same]):
            put(console, f"{common}\n")
        columns = columns_of(same, is_brief=False)
        if not fits(columns, console.width):
            columns = columns_of(same, is_brief=True)
        last = len(columns[0].cells) - len(kernels_of(same)) - 2
        put_table(console, columns, Rows(sections=[last]))
        put(console, "")
    put(console, f"Work and critical path: {weights}.")
    if any(len(a.graph.exclusive) for a in found):
        put(console, RIVALS)


def by_algorithm(found: Sequence[Analysis]) -> list[list[Analysis]]:
    """Graphs grouped by algorithm, to be shown side by side: lu and lu-cw, but not lu and qr."""
    return [list(group) for _, group in groupby(found, key=lambda a: a.graph.algorithm)]


def columns_of(found: Sequence[Analysis], *, is_brief: bool) -> list[Column]:
    """The names of the rows, and the cells of each graph."""
    sizes = [*SIZES, *map(parameter_row, own_names(found))]
    different = [row for row in sizes if len({row.cell(a) for a in found}) > 1]
    rows = [*different, *ROWS]
    kernels = kernels_of(found)
    first = [row.name for row in rows]
    first += ["critical path: calls, share", *(f"  {kernel}" for kernel in kernels)]
    columns = [Column("", first, is_left=True)]
    for a in found:
        cells = [((is_brief and row.brief) or row.cell)(a) for row in rows]
        cells += ["", *(on_path(a.critical, kernel) for kernel in kernels)]
        columns.append(Column(name_of(a.graph), cells))
    return columns


SIZES = (
    Row("M", lambda a: str(a.graph.instance.m)),
    Row("N", lambda a: str(a.graph.instance.n)),
    Row("NB", lambda a: str(a.graph.instance.tile)),
    Row("IB", lambda a: str(a.graph.instance.ib or NOTHING)),
)


def own_names(found: Sequence[Analysis]) -> list[str]:
    """The names of the parameters of these graphs' benchmarks."""
    return list(dict.fromkeys(name for a in found for name, _ in a.graph.instance.parameters))


def parameter_row(name: str) -> Row:
    return Row(name, lambda a: str(dict(a.graph.instance.parameters).get(name, NOTHING)))


def kernels_of(found: Sequence[Analysis]) -> list[str]:
    return in_order({k for a in found for k in a.critical.counts})


def name_of(graph: Graph) -> str:
    return f"{graph.instance.benchmark} {graph.instance.variant}"


def common_sizes(instances: Sequence[Instance]) -> str:
    """The sizes and parameters that all of these have in common."""
    first = instances[0]
    sizes = [w for w in first.sizes_in_words() if all(w in i.sizes_in_words() for i in instances)]
    own = in_words(tuple(p for p in first.parameters if all(p in i.parameters for i in instances)))
    return ", ".join(filter(None, [*sizes, own]))


def share(part: int | None, whole: int | None) -> str:
    if part is None or whole is None:
        return UNCOUNTED
    return f"{part} ({percent(part, whole)})"


def brief_share(part: int | None, whole: int | None) -> str:
    return UNCOUNTED if part is None or whole is None else percent(part, whole)


def percent(part: float, whole: float) -> str:
    return in_percent(part / whole, 1) if whole else NOTHING


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
    return f"{found.pairs}" if found.all_counted else f"at least {found.pairs}"


def on_path(path: Path, kernel: str) -> str:
    if kernel not in path.counts:
        return NOTHING
    return f"{path.counts[kernel]}, {percent(path.weights[kernel], path.length)}"


def conflict_lines(a: Analysis) -> list[str]:
    """Each object over which calls conflict without an order, by the first two such calls."""
    if a.conflicts is None or not a.conflicts.found:
        return []
    pairs = f"{conflicts(a.conflicts)} pair{'' if a.conflicts.pairs == 1 else 's'}"
    head = f"{a.graph.instance}: {pairs} of calls in conflict without an order"
    listed = [f"  {sentence(a.graph, u)}" for u in a.conflicts.found[:LISTED_MOST]]
    left = len(a.conflicts.found) - LISTED_MOST
    return [head, *listed, *([f"  and {counted(left, 'more object')}"] if left > 0 else [])]


def sentence(graph: Graph, found: Unordered) -> str:
    item = graph.objects[found.object]
    return (
        f"{label_of(graph, found.first)} {uses(graph, found.first, found.object)} {item}, "
        f"{label_of(graph, found.second)} {uses(graph, found.second, found.object)} it"
    )


def uses(graph: Graph, node: int, item: int) -> str:
    return "writes" if item in graph.writes[node] else "reads"


def json_text(found: Sequence[Analysis], weights: str, unit: str) -> str:
    """One object; null means "too large to count".

    `schema`; `weights`, what calls weigh, in `unit`; `graphs`, for each the fields of `fields_of`.
    """
    fields = {
        "schema": "pollux-graph-analysis/1",
        "weights": weights,
        "unit": unit,
        "graphs": [fields_of(a) for a in found],
    }
    return json.dumps(fields, indent=1, allow_nan=False, ensure_ascii=False) + "\n"


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
