# SPDX-License-Identifier: BSD-3-Clause
"""The shape of a graph: its longest paths, its width over its depth, the degrees of its nodes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pollux.core.compiled import compiled
from pollux.insight.graphs.model import Graph, Ints, Rows
from pollux.insight.graphs.reach import implied_edges

Floats = NDArray[np.float64]
NOTHING = -1


@dataclass(frozen=True)
class Degrees:
    """The number of edges that nodes have on one side."""

    least: int
    median: float
    most: int
    histogram: Ints  # nodes with 0, 1, 2 … edges


@dataclass(frozen=True)
class Shape:
    """The properties of a graph that need no times. Taskwaits count as edges, not as calls."""

    tasks: int
    calls: int
    edges: int
    redundant: int | None  # edges that a longer path implies; None: too large to count
    width: Ints  # calls with the same number of calls on the longest path to them
    before: Degrees
    after: Degrees

    @property
    def depth(self) -> int:
        """Calls on the longest path."""
        return len(self.width)


def shape_of(graph: Graph) -> Shape:
    calls = graph.calls()
    depth = np.rint(top_levels(graph.before, calls.astype(np.float64))).astype(np.int64)
    implied = implied_edges(graph.before)
    outgoing = np.bincount(graph.before.values, minlength=len(graph)).astype(np.int64)
    return Shape(
        tasks=len(graph.items) - 1,
        calls=int(np.count_nonzero(calls)),
        edges=len(graph.before.values),
        redundant=None if implied is None else int(np.count_nonzero(implied)),
        width=np.bincount(depth[calls])[1:].astype(np.int64),
        before=degrees(np.diff(graph.before.start)),
        after=degrees(outgoing),
    )


def degrees(counts: Ints) -> Degrees:
    """Summarize the number of edges of each node."""
    if len(counts) == 0:
        return Degrees(0, 0.0, 0, np.zeros(0, dtype=np.int64))
    histogram = np.bincount(counts).astype(np.int64)
    return Degrees(int(counts.min()), float(np.median(counts)), int(counts.max()), histogram)


def longest_path(before: Rows, durations: Floats) -> tuple[float, Ints]:
    """The length of a longest path, and the nodes on it from first to last."""
    if len(before) == 0:
        return 0.0, np.zeros(0, dtype=np.int64)
    ends = top_levels(before, durations)
    last = int(np.argmax(ends))
    return float(ends[last]), path_to(before.start, before.values, ends, last)


def top_levels(before: Rows, durations: Floats) -> Floats:
    """The longest path from the beginning to each node, its own time included."""
    return levels_down(before.start, before.values, np.asarray(durations, dtype=np.float64))


def bottom_levels(graph: Graph, durations: Floats) -> Floats:
    """The longest path from each node to the end, its own time included."""
    before = graph.before
    return levels_up(before.start, before.values, np.asarray(durations, dtype=np.float64))


def by_kernel(graph: Graph, nodes: Ints, weights: Floats) -> dict[str, float]:
    """The total weight of these nodes by kernel."""
    sums = np.bincount(graph.kernel[nodes], weights[nodes], minlength=len(graph.kernels))
    counts = np.bincount(graph.kernel[nodes], minlength=len(graph.kernels))
    return {n: float(s) for n, s, c in zip(graph.kernels, sums, counts, strict=True) if c}


@compiled
def levels_down(start: Ints, values: Ints, durations: Floats) -> Floats:
    levels = durations.copy()
    for node in range(len(durations)):
        latest = 0.0
        for at in range(start[node], start[node + 1]):
            latest = max(latest, levels[values[at]])
        levels[node] += latest
    return levels


@compiled
def levels_up(start: Ints, values: Ints, durations: Floats) -> Floats:
    levels = np.zeros(len(durations))
    for node in range(len(durations) - 1, -1, -1):
        levels[node] += durations[node]
        for at in range(start[node], start[node + 1]):
            levels[values[at]] = max(levels[values[at]], levels[node])
    return levels


@compiled
def path_to(start: Ints, values: Ints, ends: Floats, last: int) -> Ints:
    """The nodes of a longest path that ends there."""
    path, length, node = np.empty(len(ends), dtype=np.int64), 0, last
    while node != NOTHING:
        path[length] = node
        length += 1
        latest = NOTHING
        for at in range(start[node], start[node + 1]):
            if latest == NOTHING or ends[values[at]] > ends[latest]:
                latest = values[at]
        node = latest
    return path[:length][::-1].copy()
