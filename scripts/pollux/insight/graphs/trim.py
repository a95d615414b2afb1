# SPDX-License-Identifier: BSD-3-Clause
"""Leaves out of a graph what orders nothing."""

import numpy as np

from pollux.insight.graphs.model import Graph
from pollux.insight.graphs.rows import chosen_nodes


def without_last_wait(graph: Graph) -> Graph:
    """The graph without the taskwaits, or other nodes that are no calls, at its end.

    Nothing follows them; yet the last taskwait has an edge from each task, which would stand out in
    every count of edges and hide the others in every picture.
    """
    calls = np.flatnonzero(graph.calls())
    end = int(calls[-1]) + 1 if len(calls) else 0
    if end == len(graph):
        return graph
    return chosen_nodes(graph, np.arange(end))
