# SPDX-License-Identifier: BSD-3-Clause
"""Compares the order of a graph with what its kernels touch.

Two calls *conflict* if both touch an object and one of them writes it. The order in which such
calls must run is that of sequential execution. The *minimal graph* has that order and no other: an
edge from the last writer of each object to those that read it then, and from these, or from the
writer, to the next writer. A graph is correct if it orders all conflicting calls; no access needs
what it orders beyond the minimal graph. Objects are whole tiles and other memory, so that an order
between calls that use different parts of one tile counts as needed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from pollux.core.compiled import compiled
from pollux.insight.graphs.dependences import follow
from pollux.insight.graphs.events import IN, INOUT
from pollux.insight.graphs.model import Flags, Graph, Ints, Rows
from pollux.insight.graphs.reach import compare_orders, ordered
from pollux.insight.graphs.rows import grouped, inverted, owners

PAIRS_MOST = 20_000_000  # most unordered pairs of calls to search, over all objects


@dataclass(frozen=True)
class Unordered:
    """Two calls that conflict and that no path orders, in sequential order."""

    first: int  # nodes
    second: int
    object: int


@dataclass(frozen=True)
class Conflicts:
    """The pairs of calls that conflict and that the graph does not order."""

    found: list[Unordered]  # for each object that has some, the first in sequential order
    pairs: int  # in all; at least, unless all are counted
    all_counted: bool = True


@dataclass(frozen=True)
class Surplus:
    """What a graph orders beyond the minimal graph; None if counting takes too long."""

    direct: int  # edges between calls
    direct_unneeded: int | None  # of these, between calls that the minimal graph does not order
    ordered: int | None  # pairs of calls that a path orders
    ordered_unneeded: int | None


def minimal_graph(graph: Graph) -> Rows:
    """The nodes directly before each in the minimal graph."""
    node = np.concatenate([owners(graph.reads), owners(graph.writes)])
    item = np.concatenate([graph.reads.values, graph.writes.values])
    kind = np.repeat(np.array([IN, INOUT]), [len(graph.reads.values), len(graph.writes.values)])
    rows = grouped(node, item * 8 + kind, len(graph))
    start, values, _ = follow(rows.start, rows.values // 8, rows.values % 8, len(graph.objects))
    return Rows(start, values)


def find_conflicts(graph: Graph, minimal: Rows) -> Conflicts | None:
    """The pairs of calls that conflict and are not ordered; None if that takes too long.

    An object all of whose edges in the minimal graph are ordered has no such pair.
    """
    broken = unordered(graph.before, minimal.values, owners(minimal))
    if broken is None:
        return None
    suspects = np.flatnonzero(broken)
    if len(suspects) == 0:
        return Conflicts([], 0)
    first, second = minimal.values[suspects], owners(minimal)[suspects]
    pairs = [
        Unordered(one, other, item)
        for one, other in zip(first.tolist(), second.tolist(), strict=True)
        for item in shared(graph, one, other).tolist()
    ]
    objects = np.unique([pair.object for pair in pairs])
    return on_objects(graph, objects) or at_least(graph, pairs)


def at_least(graph: Graph, pairs: Sequence[Unordered]) -> Conflicts | None:
    """Those of these pairs that may run at once, where not all pairs can be searched."""
    first, second = np.array([(pair.first, pair.second) for pair in pairs], np.int64).T
    found = [
        p for p, never in zip(pairs, never_at_once(graph, first, second), strict=True) if not never
    ]
    by_object: dict[int, Unordered] = {}
    for pair in sorted(found, key=attrgetter("first", "second")):
        by_object.setdefault(pair.object, pair)
    count = len({(pair.first, pair.second) for pair in found})
    return Conflicts([*by_object.values()], count, all_counted=False) if found else None


def shared(graph: Graph, first: int, second: int) -> Ints:
    """The objects over which two nodes conflict."""
    return np.union1d(
        np.intersect1d(graph.writes[first], graph.writes[second]),
        np.union1d(
            np.intersect1d(graph.writes[first], graph.reads[second]),
            np.intersect1d(graph.reads[first], graph.writes[second]),
        ),
    )


def unordered(before: Rows, first: Ints, second: Ints) -> Flags | None:
    """Which of these pairs no path orders; None if that takes too long."""
    nodes = len(before)
    edges = owners(before) * nodes + before.values  # ascending
    wanted = second * nodes + first
    at = np.minimum(np.searchsorted(edges, wanted), max(len(edges) - 1, 0))
    found = edges[at] != wanted if len(edges) else np.ones(len(wanted), dtype=np.bool_)
    rest = np.flatnonzero(found)
    reached = ordered(before, first[rest], second[rest])
    if reached is None:
        return None
    found[rest] = ~reached
    return found


def on_objects(graph: Graph, objects: Ints) -> Conflicts | None:
    """The unordered pairs over these objects; None if none is found before it takes too long."""
    readers, writers = (
        inverted(graph.reads, len(graph.objects)),
        inverted(graph.writes, len(graph.objects)),
    )
    found: list[Unordered] = []
    pairs: list[Ints] = []
    looked = 0
    for item in objects:
        looked += pairs_of(len(readers[item]), len(writers[item]))
        if looked > PAIRS_MOST:
            return unfinished(found, pairs)
        first, second = conflicting(readers[item], writers[item])
        apart = never_at_once(graph, first, second)
        broken = unordered(graph.before, first[~apart], second[~apart])
        if broken is None:
            return unfinished(found, pairs)
        ones = np.flatnonzero(broken)
        if len(ones):
            pairs.append(first[~apart][ones] * len(graph) + second[~apart][ones])
            least = int(pairs[-1].min())
            found.append(Unordered(least // len(graph), least % len(graph), int(item)))
    return Conflicts(found, distinct_pairs(pairs))


def unfinished(found: list[Unordered], pairs: list[Ints]) -> Conflicts | None:
    """What was found before the search took too long."""
    return Conflicts(found, distinct_pairs(pairs), all_counted=False) if found else None


def pairs_of(readers: int, writers: int) -> int:
    """How many pairs of accesses to one object have a writer."""
    return writers * readers + writers * (writers - 1) // 2


def distinct_pairs(pairs: list[Ints]) -> int:
    return len(np.unique(np.concatenate(pairs))) if pairs else 0


def conflicting(readers: Ints, writers: Ints) -> tuple[Ints, Ints]:
    """All pairs of accesses to one object of which at least one writes; the earlier one first."""
    nodes = np.concatenate([readers, writers])
    order = np.argsort(nodes)
    writes = np.repeat(np.array([False, True]), [len(readers), len(writers)])[order]
    return pair_up(nodes[order], writes)


@compiled
def pair_up(nodes: Ints, writes: Flags) -> tuple[Ints, Ints]:
    count = len(nodes)
    writers = np.count_nonzero(writes)
    pairs = writers * (count - writers) + writers * (writers - 1) // 2
    first, second = np.empty(pairs, dtype=np.int64), np.empty(pairs, dtype=np.int64)
    pair = 0
    for later in range(count):
        for earlier in range(later):
            if writes[earlier] or writes[later]:
                first[pair], second[pair] = nodes[earlier], nodes[later]
                pair += 1
    return first, second


def never_at_once(graph: Graph, first: Ints, second: Ints) -> Flags:
    """Which pairs of nodes belong to tasks of one mutexinoutset."""
    tasks = len(graph.items)
    keys = graph.exclusive.min(axis=1) * tasks + graph.exclusive.max(axis=1)
    one, other = graph.task[first], graph.task[second]
    return np.isin(np.minimum(one, other) * tasks + np.maximum(one, other), keys)


def find_surplus(graph: Graph, minimal: Rows) -> Surplus:
    """What the graph orders beyond the minimal graph."""
    calls = graph.calls()
    first, second = graph.before.values, owners(graph.before)
    between = calls[first] & calls[second]
    unneeded = unordered(minimal, first[between], second[between])
    counts = compare_orders(graph.before, minimal, calls)
    return Surplus(
        int(np.count_nonzero(between)),
        None if unneeded is None else int(np.count_nonzero(unneeded)),
        None if counts is None else counts[0],
        None if counts is None else counts[1],
    )
