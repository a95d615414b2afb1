# SPDX-License-Identifier: BSD-3-Clause
"""The kernel calls of a graph: listed for comparison, and as a trace on one thread."""

import numpy as np
from pollux.insight.graphs.model import Graph
from pollux.insight.simulation.model import Floats
from pollux.insight.traces.model import Trace


def calls_with_dependences(graph: Graph) -> list[tuple[object, ...]]:
    """Each call with all that is before it and its work; objects by name where they are tiles."""
    tiles = [name if name.startswith("A(") else "" for name in graph.objects]
    names = [*(operation.name for operation in graph.work.operations), ""]
    return [
        (
            name,
            *(int(x[v]) for x in (graph.step, graph.i, graph.j)),
            graph.before[v].tolist(),
            sorted(tiles[o] for o in graph.reads[v]),
            sorted(tiles[o] for o in graph.writes[v]),
            names[graph.work.operation[v]],
            *(int(column[v]) for column in graph.work.columns()[1:]),
        )
        for v, name in enumerate(graph.names())
    ]


def trace_of(graph: Graph, times: Floats) -> Trace:
    """A trace on one thread in which the nodes take these times."""
    calls = np.flatnonzero(graph.calls())
    lengths = np.rint(times[calls]).astype(np.int64)
    end = np.cumsum(lengths)
    i = graph.instance
    record = {"benchmark": i.benchmark, "variant": i.variant, "m": i.m, "n": i.n, "threads": 1}
    own = {"parameters": dict(i.parameters)}
    zeros = np.zeros(len(calls), np.int64)
    return Trace(
        record=record | {**i.tile.fields(), "ib": i.ib, "status": 0} | own,
        kernels=graph.kernels,
        kernel=graph.kernel[calls],
        step=graph.step[calls],
        i=graph.i[calls],
        j=graph.j[calls],
        thread=zeros,
        core=zeros,
        start=end - lengths,
        end=end,
        threads=1,
        submitter=0,
        submitted=0,
        region=int(end[-1]),
        event_cost=0.0,
        tasks=None,
        work=graph.work.at(calls),
    )
