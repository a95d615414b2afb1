# SPDX-License-Identifier: BSD-3-Clause
"""Leaves out of a graph what orders nothing."""

from dataclasses import replace

import numpy as np

from pollux.insight.graphs.model import Graph, Rows


def without_last_wait(graph: Graph) -> Graph:
    """The graph without the taskwaits, or other nodes that are no calls, at its end.

    Nothing follows them; yet the last taskwait has an edge from each task, which would stand out in
    every count of edges and hide the others in every picture.
    """
    calls = np.flatnonzero(graph.calls())
    end = int(calls[-1]) + 1 if len(calls) else 0
    if end == len(graph):
        return graph
    return replace(
        graph,
        kernel=graph.kernel[:end],
        step=graph.step[:end],
        i=graph.i[:end],
        j=graph.j[:end],
        task=graph.task[:end],
        root_task=graph.root_task[:end],
        before=first_rows(graph.before, end),
        reads=first_rows(graph.reads, end),
        writes=first_rows(graph.writes, end),
        work=graph.work.at(np.arange(end)),
    )


def first_rows(rows: Rows, end: int) -> Rows:
    return Rows(rows.start[: end + 1], rows.values[: rows.start[end]])
