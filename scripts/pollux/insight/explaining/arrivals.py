# SPDX-License-Identifier: BSD-3-Clause
"""When what a call needs was computed, and when it was there, by messages from other ranks.

Which tiles a call reads, and which call wrote each last, is in the graph. Where that call ran on
another rank, the tile was there when the last message with it had come that came before the call
began. So it was where the tile has come back to the rank that wrote it.
"""

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np

from pollux.core.compiled import compiled
from pollux.insight.explaining.model import Timing
from pollux.insight.explaining.timing import NOWHERE, ready_on_rank
from pollux.insight.graphs.coordinates import NO_TILE, coordinates
from pollux.insight.graphs.model import Flags, Graph, Ints
from pollux.insight.graphs.over_ranks import MAKES_T_OF_PAIR
from pollux.insight.graphs.spread_panels import kinds_of
from pollux.insight.traces.model import Messages, Ranks
from pollux.insight.traces.rank import CANDIDATE, STEP, T_FACTOR, T_OF_PAIR, TILE


@dataclass(frozen=True)
class Needs:
    """For each node, in ns; 0 where it needs nothing."""

    computed: Ints  # when all that it needs had been computed, wherever
    arrived: Ints  # when all of it was on the node's rank; never before that, nor after its start
    local: Ints  # when the last call of the same rank had ended whose result it reads or replaces


def find_needs(graph: Graph, times: Timing, ranks: Ranks) -> Needs:
    """`times.thread` are numbered over all ranks."""
    rank = np.where(times.is_call, ranks.of_thread(np.maximum(times.thread, 0)), NOWHERE)
    rows = (graph.reads, graph.writes)
    reader, writer, item = last_writers(
        (rows[0].start, rows[1].start), (rows[0].values, rows[1].values), len(graph.objects)
    )
    same = rank[reader] == rank[writer]
    local = np.zeros(len(graph), np.int64)
    np.maximum.at(local, reader[same], times.end[writer[same]])
    computed = ready_on_rank(graph.before.start, graph.before.values, rank, times.end)
    np.maximum.at(computed, reader, times.end[writer])
    computed = np.minimum(computed, times.start)
    arrived = computed.copy()
    tile = coordinates(graph.objects)
    comes = came_to(tile, ranks)[rank[reader], item]
    far = (rank[reader] >= 0) & (rank[writer] >= 0) & (comes | ~same)
    came = arrivals(ranks.messages)
    tiles = list(zip(*(c.tolist() for c in tile), strict=True))
    starts, columns = times.start.tolist(), kinds_of(graph.objects)
    factor = kinds_of_factors(graph)
    for node, before, thing in zip(
        reader[far].tolist(), writer[far].tolist(), item[far].tolist(), strict=True
    ):
        names = [(TILE, *tiles[thing]), (factor[before], *tiles[thing])]
        if tiles[thing][0] == NO_TILE:
            names = [name_of_step(graph, before, thing, columns)]
        for name in names:
            times_of = came.get((int(rank[node]), *name), [])
            place = bisect_right(times_of, starts[node])
            if place:
                arrived[node] = max(arrived[node], times_of[place - 1])
    return Needs(computed, np.minimum(arrived, times.start), local)


def name_of_step(
    graph: Graph, writer: int, thing: int, columns: tuple[Ints, Ints]
) -> tuple[int, int, int]:
    """The message with a step's pivots, or with what a column of a spread panel has."""
    step, kind = int(graph.step[writer]), int(columns[0][thing])
    if kind == NO_TILE:
        return (STEP, step, step)
    column = int(columns[1][thing])
    return (CANDIDATE + kind, column, column)


def kinds_of_factors(graph: Graph) -> list[int]:
    """What messages with the T factor that each call writes have."""
    kinds = [T_OF_PAIR if name == MAKES_T_OF_PAIR else T_FACTOR for name in graph.kernels]
    return [kinds[kernel] for kernel in graph.kernel.tolist()]


def came_to(tile: tuple[Ints, Ints], ranks: Ranks) -> Flags:
    """Whether a message with each object, by its coordinates, came to each rank."""
    sent = ranks.messages
    columns = max(int(c.max(initial=0)) for c in (tile[1], sent.j)) + 1
    found = np.zeros((ranks.count, len(tile[0])), np.bool_)
    for rank in range(ranks.count):
        own = (sent.receiver == rank) & (sent.what == TILE)
        names = sent.i[own] * columns + sent.j[own]
        found[rank] = (tile[0] != NO_TILE) & np.isin(tile[0] * columns + tile[1], names)
    return found


def arrivals(messages: Messages) -> dict[tuple[int, int, int, int], list[int]]:
    """When messages of each name came to each rank, ascending."""
    found: dict[tuple[int, int, int, int], list[int]] = {}
    columns = (messages.receiver, messages.what, messages.i, messages.j, messages.received)
    for receiver, what, i, j, received in zip(*(c.tolist() for c in columns), strict=True):
        found.setdefault((receiver, what, i, j), []).append(received)
    for times in found.values():
        times.sort()
    return found


@compiled
def last_writers(
    first: tuple[Ints, Ints], values: tuple[Ints, Ints], objects: int
) -> tuple[Ints, Ints, Ints]:
    """For each object that a node reads or writes: the node, the last that wrote it, and it.

    `first` and `values` are the rows of what nodes read and of what they write.
    """
    nodes = len(first[0]) - 1
    most = len(values[0]) + len(values[1])
    found = np.empty((3, most), np.int64)
    last = np.full(objects, NOWHERE, np.int64)
    count = 0
    for node in range(nodes):
        for kind in range(2):
            for place in range(first[kind][node], first[kind][node + 1]):
                thing = values[kind][place]
                if last[thing] != NOWHERE:
                    found[0, count] = node
                    found[1, count] = last[thing]
                    found[2, count] = thing
                    count += 1
        for place in range(first[1][node], first[1][node + 1]):
            last[values[1][place]] = node
    return found[0, :count].copy(), found[1, :count].copy(), found[2, :count].copy()
