# SPDX-License-Identifier: BSD-3-Clause
"""Matches a trace to the task graph of its instance: the node of each event."""

import numpy as np

from pollux.core.errors import BadUsageError
from pollux.insight.graphs.model import Graph, Ints
from pollux.insight.traces.model import Trace

LARGEST = 2**63 - 1


def match(trace: Trace, graph: Graph) -> Ints:
    """The node of each event.

    Every kernel call of the graph is exactly one event; anything else is a BadUsageError.
    """
    if trace.graph_instance != graph.instance:
        raise BadUsageError(
            f"the trace is of {trace.graph_instance}, the graph of {graph.instance}; "
            "they must be of the same instance"
        )
    if status := trace.record.get("status"):
        raise BadUsageError(
            f"the traced factorization broke down at column {status}: what came after did not "
            "run, so that its trace and its graph cannot be compared"
        )
    calls = np.flatnonzero(graph.calls())
    names = sorted({*trace.kernels, *graph.kernels})
    ours = keyed(names, trace.kernels, (trace.kernel, trace.step, trace.i, trace.j))
    theirs = keyed(
        names,
        graph.kernels,
        (graph.kernel[calls], graph.step[calls], graph.i[calls], graph.j[calls]),
    )
    own, other = encode(ours, theirs)
    order = np.argsort(other, kind="stable")
    check_unique(own, np.arange(len(own)), trace, "trace")
    check_unique(other, calls, graph, "graph")
    place = np.searchsorted(other, own, sorter=order)
    found = calls[order[np.minimum(place, len(order) - 1)]] if len(order) else own
    known = np.isin(own, other)
    if not known.all():
        event = int((~known).argmax())
        raise BadUsageError(
            f"the trace has {int((~known).sum())} kernel calls that the graph does not have; "
            f"the first is {call(trace, event)}"
        )
    if len(own) < len(other):
        node = int(calls[(~np.isin(other, own)).argmax()])
        raise BadUsageError(
            f"the trace lacks {len(other) - len(own)} kernel calls of the graph; "
            f"the first is {call(graph, node)}"
        )
    return np.asarray(found, np.int64)


def keyed(names: list[str], kernels: tuple[str, ...], columns: tuple[Ints, ...]) -> list[Ints]:
    """The columns that name a call, with kernels numbered by their position in `names`."""
    number = np.array([names.index(name) for name in kernels] or [0], np.int64)
    return [number[columns[0]], *columns[1:]]


def encode(ours: list[Ints], theirs: list[Ints]) -> tuple[Ints, Ints]:
    """One number for each call's name; equal numbers for equal names."""
    together = [np.concatenate(pair) for pair in zip(ours, theirs, strict=True)]
    sizes = [int(column.max(initial=0)) + 1 for column in together]
    if np.prod([float(size) for size in sizes]) < LARGEST:
        codes = np.zeros(len(together[0]), np.int64)
        for column, size in zip(together, sizes, strict=True):
            codes = codes * size + column
    else:  # too large to pack: coordinates of elements of an enormous matrix
        codes = np.unique(np.column_stack(together), axis=0, return_inverse=True)[1].reshape(-1)
    return codes[: len(ours[0])], codes[len(ours[0]) :]


def check_unique(codes: Ints, places: Ints, of: Trace | Graph, what: str) -> None:
    """Refuse two calls of one name; `places` are where `of` has them."""
    order = np.argsort(codes, kind="stable")
    same = np.flatnonzero(np.diff(codes[order]) == 0)
    if len(same):
        raise BadUsageError(f"the {what} has {call(of, int(places[order[same[0]]]))} twice")


def call(of: Trace | Graph, place: int) -> str:
    """A kernel call in words."""
    i, j, step = int(of.i[place]), int(of.j[place]), int(of.step[place])
    return f"{of.kernels[of.kernel[place]]}({i},{j}) of step {step}"
