# SPDX-License-Identifier: BSD-3-Clause
"""Assigns a trace's times to the nodes of its graph."""

import numpy as np

from pollux.core.compiled import compiled
from pollux.insight.explaining.model import Timing
from pollux.insight.graphs.model import Graph, Ints
from pollux.insight.traces.model import Trace

NOWHERE = -1


def timing(graph: Graph, trace: Trace, nodes: Ints) -> Timing:
    """The times of each node; `nodes` are those of the trace's events."""
    count = len(graph)
    start, end = np.zeros(count, np.int64), np.zeros(count, np.int64)
    thread = np.full(count, NOWHERE, np.int64)
    start[nodes], end[nodes], thread[nodes] = trace.start, trace.end, trace.thread
    is_call = thread != NOWHERE
    rank = np.where(is_call, 0, NOWHERE)  # as of one process
    ready = ready_on_rank(graph.before.start, graph.before.values, rank, end)
    start = np.where(is_call, start, ready)
    return Timing(is_call, ready, start, np.where(is_call, end, ready), thread)


@compiled
def ready_on_rank(first: Ints, before: Ints, rank: Ints, end: Ints) -> Ints:
    """When the last predecessor of each node ended that ran on the same rank.

    Nodes without a kernel have no rank, and end when all of their predecessors have.
    """
    ready = np.zeros(len(end), np.int64)
    done = end.copy()
    for node in range(len(end)):
        for place in range(first[node], first[node + 1]):
            other = before[place]
            if rank[node] < 0 or rank[other] < 0 or rank[node] == rank[other]:
                ready[node] = max(ready[node], done[other])
        if rank[node] < 0:
            done[node] = ready[node]
    return ready
