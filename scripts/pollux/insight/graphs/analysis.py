# SPDX-License-Identifier: BSD-3-Clause
"""The results of `pollux graph` for one graph."""

from dataclasses import dataclass

import numpy as np

from pollux.insight.graphs.conflicts import (
    Conflicts,
    Surplus,
    find_conflicts,
    find_surplus,
    minimal_graph,
)
from pollux.insight.graphs.model import Graph, Ints, Rows
from pollux.insight.graphs.shape import Floats, Shape, by_kernel, longest_path, shape_of


@dataclass(frozen=True)
class Path:
    """A longest path: its length, and the weight and number of each kernel's calls on it."""

    length: float
    weights: dict[str, float]
    counts: dict[str, int]


@dataclass(frozen=True)
class Analysis:
    """A graph and its properties; weights are the given durations."""

    graph: Graph
    shape: Shape
    work: float  # weight of all calls
    critical: Path
    minimal: Path  # of the minimal graph: the least that any correct declaration can have
    conflicts: Conflicts | None  # None: too large to check
    surplus: Surplus

    @property
    def parallelism(self) -> float:
        """The weight of all calls over that of the critical path: 1 if nothing has a weight."""
        return self.work / self.critical.length if self.critical.length else 1.0

    @property
    def parallelism_possible(self) -> float:
        """The same for the minimal graph."""
        return self.work / self.minimal.length if self.minimal.length else 1.0


def analyse(graph: Graph, durations: Floats) -> Analysis:
    minimal = minimal_graph(graph)
    return Analysis(
        graph=graph,
        shape=shape_of(graph),
        work=float(np.sum(durations)),
        critical=path_of(graph, graph.before, durations),
        minimal=path_of(graph, minimal, durations),
        conflicts=find_conflicts(graph, minimal),
        surplus=find_surplus(graph, minimal),
    )


def path_of(graph: Graph, before: Rows, durations: Floats) -> Path:
    """The longest path with these predecessors."""
    length, nodes = longest_path(before, durations)
    calls = nodes[graph.calls()[nodes]]
    return Path(length, by_kernel(graph, calls, durations), counted(graph, calls))


def counted(graph: Graph, nodes: Ints) -> dict[str, int]:
    return {k: int(n) for k, n in by_kernel(graph, nodes, np.ones(len(graph))).items()}
