# SPDX-License-Identifier: BSD-3-Clause
"""Draws graphs, one below another: their nodes if all are small, else their width over depth."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from pollux.insight.graphs.labels import place_of
from pollux.insight.graphs.model import TIMELESS, Graph, Ints
from pollux.insight.graphs.reach import implied_edges
from pollux.insight.graphs.rows import owners
from pollux.insight.graphs.shape import Floats, top_levels
from pollux.output.figures.kernels import in_order, kernel_colours
from pollux.output.figures.style import GREY, LINE, clean, house_style

NODES_MOST = 150  # of each graph where nodes are drawn
SWEEPS = 6  # over all nodes, to place them near their predecessors and successors in turn
HEIGHT_NODES, HEIGHT_CURVE = 2.6, 1.3  # inches of a panel
LEFT, RIGHT, BELOW, ABOVE = 0.5, 0.1, 0.38, 0.26
KEY = 1.15  # inches of the legend for the longest name of a kernel
CAPTION = (
    "Depth: calls on the longest path to a call, itself included. Calls of one depth do not wait "
    "for each other."
)


def graph_figure(graphs: Sequence[Graph], width: float) -> Figure:
    """One panel for each graph, all with the same scale of depth."""
    small = all(len(graph) <= NODES_MOST for graph in graphs)
    height = HEIGHT_NODES if small else HEIGHT_CURVE
    names = in_order({n for g in graphs for n in g.names() if small or n not in TIMELESS})
    colours = kernel_colours({name for graph in graphs for name in graph.kernels})
    columns = max(1, int(width / KEY))
    with house_style():
        legend = ABOVE + LINE * 1.3 * -(-len(names) // columns)
        total = legend + len(graphs) * (ABOVE + height + BELOW) + 2 * LINE
        figure = Figure(figsize=(width, total), label="graph")
        deepest = max((int(depths(graph).max(initial=1)) for graph in graphs), default=1)
        for number, graph in enumerate(graphs):
            bottom = total - legend - (number + 1) * (ABOVE + height + BELOW) + BELOW
            axes = figure.add_axes(
                (LEFT / width, bottom / total, 1 - (LEFT + RIGHT) / width, height / total)
            )
            if small:
                draw_nodes(axes, graph, colours)
            else:
                draw_width(axes, graph, deepest, colours)
            axes.set_title(clean(str(graph.instance)), loc="left")
            axes.set_xlim(0.5, deepest + 0.5)
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        figure.legend(
            handles=[Patch(facecolor=colours[n], label=n, edgecolor=GREY, lw=0.3) for n in names],
            loc="upper center",
            ncols=columns,
            frameon=False,
        )
        figure.text(0.05 / width, 0.05 / total, CAPTION, color=GREY, wrap=True)
    return figure


def depths(graph: Graph) -> Ints:
    """The depth of each node; one that is not a call has that of the deepest call before it."""
    return np.rint(top_levels(graph.before, graph.calls().astype(np.float64))).astype(np.int64)


def draw_width(axes: Axes, graph: Graph, deepest: int, colours: Mapping[str, str]) -> None:
    """The number of calls at each depth, stacked by kernel."""
    depth = depths(graph)
    base = np.zeros(deepest)
    edges = np.arange(deepest + 1) + 0.5
    for name in in_order(n for n in graph.kernels if n not in TIMELESS):
        mine = graph.kernel == graph.kernels.index(name)
        top = base + np.bincount(depth[mine], minlength=deepest + 1)[1:]
        axes.stairs(top, edges, baseline=base, fill=True, color=colours[name], lw=0)
        base = top
    axes.set_ylim(0, max(1.0, float(base.max()) * 1.05))
    axes.set_ylabel("calls")
    axes.set_xlabel("depth")


def draw_nodes(axes: Axes, graph: Graph, colours: Mapping[str, str]) -> None:
    """Each call as a box, and the edges that no longer path implies."""
    depth = depths(graph).astype(np.float64) + np.where(graph.calls(), 0.0, 0.5)
    height = heights(graph, depth)
    implied = implied_edges(graph.before)
    kept = np.ones(len(graph.before.values), bool) if implied is None else ~implied
    ends = np.stack([graph.before.values[kept], owners(graph.before)[kept]], axis=1)
    places = np.stack([depth, height], axis=1)
    axes.add_collection(LineCollection(list(places[ends]), colors=GREY, linewidths=0.4, zorder=1))
    for node, name in enumerate(graph.names()):
        text = place_of(graph, node) or name[0]
        box = {"boxstyle": "round,pad=0.15", "facecolor": colours[name], "lw": 0.2}
        axes.text(
            depth[node], height[node], text, ha="center", va="center", size=5, bbox=box, zorder=2
        )
    reach = float(np.abs(height).max(initial=0.5)) + 0.5
    axes.set_ylim(-reach, reach)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("depth")


def heights(graph: Graph, depth: Floats) -> Floats:
    """Where to draw each node: centred at its depth, ordered by the nodes before and after it."""
    height = np.zeros(len(graph))
    second, first = owners(graph.before), graph.before.values
    for sweep in range(SWEEPS):
        own, other = (second, first) if sweep % 2 == 0 else (first, second)
        sums = np.bincount(own, height[other], minlength=len(graph))
        counts = np.bincount(own, minlength=len(graph))
        target = np.where(counts > 0, sums / np.maximum(counts, 1), height)
        for level in np.unique(depth):
            nodes = np.flatnonzero(depth == level)
            order = nodes[np.argsort(target[nodes], kind="stable")]
            height[order] = np.arange(len(order)) - (len(order) - 1) / 2
    return height
