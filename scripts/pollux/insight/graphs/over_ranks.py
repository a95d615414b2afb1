# SPDX-License-Identifier: BSD-3-Clause
"""The calls that the ranks of a program over MPI make, from the graph of one process.

They are the same calls, but for the row exchanges of LU with partial pivoting on a grid of several
rows: each rank of a column exchanges rows of its tiles with tile A(k,j), which visits one after
another, and comes home last (benchmarks/mpi/lu-mpi/depend_partial.c). The part at home is named by
(k,j), as the whole is, the others by the first of their tiles. And in spread panels each rank works
on its own tiles (spread_panels.py).
"""

from dataclasses import dataclass, replace

import numpy as np

from pollux.insight.graphs.coordinates import coordinates
from pollux.insight.graphs.grid import Grid
from pollux.insight.graphs.model import Flags, Graph, Ints, Rows
from pollux.insight.graphs.rows import chosen, chosen_nodes, grouped, owners, starts
from pollux.insight.graphs.spread_panels import (
    PIVOT,
    calls_of,
    distances,
    first_calls,
    in_panels,
    with_own_objects,
)
from pollux.insight.graphs.work import Work

EXCHANGE = "laswp"
EXCHANGING_IN_PARTS = ("late", "spread")  # of lu
MAKES_T_OF_PAIR = "ttqrt"  # whose T factor is not that of the tile, but of a pair of triangles


@dataclass(frozen=True)
class OverRanks:
    """What all ranks do; each node is one of the graph of one process, or a part of it."""

    graph: Graph
    whole: Graph
    origin: Ints  # the node of `whole`

    def shared_out(self, times: Ints) -> Ints:
        """The times of the nodes of `whole`, shared among parts by the rows that they work on."""
        return shared(times, self.origin, self.graph.work.rows)


@dataclass(frozen=True)
class Parts:
    """Of each node over ranks."""

    origin: Ints
    is_part: Flags  # of a row exchange
    is_last: Flags  # or the only one
    in_panel: Flags  # a call in a spread panel


def over_ranks(graph: Graph, grid: Grid | None) -> OverRanks:
    """The graph of the ranks of a grid; None: of one process."""
    if grid is None:
        return OverRanks(graph, graph, np.arange(len(graph), dtype=np.int64))
    count = counts_of_parts(graph, grid.rows)
    origin = np.repeat(np.arange(len(graph), dtype=np.int64), count)
    in_panel = in_panels(graph)[origin]
    if len(origin) == len(graph) and not in_panel.any():
        return OverRanks(graph, graph, origin)
    turn = np.arange(len(origin)) - starts(count)[origin]
    is_last = turn == count[origin] - 1
    parts = Parts(origin, (count[origin] > 1) & ~in_panel, is_last | in_panel, in_panel)
    below = np.where(in_panel, (1 + turn) * graph.instance.nb, graph.i[origin] + 1 + turn)
    row = np.where(is_last, graph.i[origin], below)
    split = with_own_tiles(repeated(graph, origin, row), parts, grid)
    split = with_own_objects(split, counts_of_ranks(graph, grid)[origin], grid.rows)
    work = with_shares(graph.work, origin, split.work.rows)
    edges = own_edges(split, parts, grid)
    return OverRanks(replace(split, before=edges, work=work), graph, origin)


def shared(amounts: Ints, origin: Ints, rows: Ints) -> Ints:
    """Of each part its share by rows of what the node that it is of has."""
    own = np.maximum(rows, 1)
    of_all = np.bincount(origin, own)[origin]
    return np.rint(amounts[origin] * (own / of_all)).astype(np.int64)


def with_shares(whole: Work, origin: Ints, rows: Ints) -> Work:
    """The work of parts on so many rows."""
    flops, bytes_ = (shared(amounts, origin, rows) for amounts in (whole.flops, whole.bytes_))
    return replace(whole.at(origin), flops=flops, bytes_=bytes_, rows=rows)


def counts_of_ranks(graph: Graph, grid: Grid) -> Ints:
    """On how many ranks of a column of the grid there are tiles from each call's step down."""
    own = graph.instance
    return np.minimum(-(-own.m // own.mb) - graph.step, grid.rows)


def counts_of_parts(graph: Graph, rows: int) -> Ints:
    """In how many parts each call is made on so many rows of ranks."""
    own = graph.instance
    exchanges = own.benchmark == "lu" and own.variant in EXCHANGING_IN_PARTS
    in_parts = calls_of(graph, EXCHANGE) & (graph.j > graph.step) & exchanges
    in_parts |= in_panels(graph) & ~calls_of(graph, PIVOT)
    tiles_below = -(-own.m // own.mb) - 1 - graph.step
    return np.where(in_parts, 1 + np.minimum(tiles_below, rows - 1), 1)


def places(graph: Graph, grid: Grid) -> Ints:
    """The rank on which each call runs: that of the tile that names it.

    Exchanges left of the panels are made on the rank of their column's diagonal.
    """
    i, j = np.maximum(graph.i, 0), np.maximum(graph.j, 0)
    i = np.where(graph.j < graph.step, j, i)
    in_panel = in_panels(graph)
    i = np.where(in_panel, graph.step + distances(graph), i)
    return grid.owner(i, np.where(in_panel, graph.step, j))


def repeated(graph: Graph, origin: Ints, row: Ints) -> Graph:
    """The graph with these nodes of it; edges are still those of the origins."""
    made = replace(chosen_nodes(graph, origin), i=row)
    task, first = own_tasks(made, graph.task[origin] > 0)
    items = chosen(graph.items, np.append(0, graph.task[origin[first]]))
    return replace(made, task=task, root_task=task, items=items)


def own_tasks(graph: Graph, is_task: Flags) -> tuple[Ints, Ints]:
    """The task of each node, by creation, and the first node of each; most are of one call."""
    first = first_calls(graph)
    is_first = is_task & (first == np.arange(len(graph)))
    return np.where(is_task, np.cumsum(is_first)[first], 0), np.flatnonzero(is_first)


def with_own_tiles(graph: Graph, parts: Parts, grid: Grid) -> Graph:
    """Parts write the step's tile and those of their rank below, and work on so many rows."""
    node, written = owners(graph.writes), graph.writes.values
    i = coordinates(graph.objects)[0][written]
    is_own = (i == graph.step[node]) | ((i - graph.i[node]) % grid.rows == 0)
    kept = is_own | ~parts.is_part[node]
    rows = graph.instance.rows_from(i[kept], np.zeros_like(i[kept]))
    all_rows = np.bincount(node[kept], rows, minlength=len(graph)).astype(np.int64)
    return replace(
        graph,
        writes=grouped(node[kept], written[kept], len(graph)),
        work=replace(graph.work, rows=np.where(parts.is_part, all_rows, graph.work.rows)),
    )


def own_edges(graph: Graph, parts: Parts, grid: Grid) -> Rows:
    """The edges of parts.

    A part follows the one before it, what is on its own rank, and what makes what it touches. The
    last part stands for all where something on another rank follows.
    """
    later, earlier = owners(graph.before), graph.before.values
    first = np.searchsorted(parts.origin, earlier)
    count = np.searchsorted(parts.origin, earlier, side="right") - first
    later = np.repeat(later, count)
    earlier = np.repeat(first - starts(count)[:-1], count) + np.arange(len(later))
    place = places(graph, grid)
    kept = (place[later] == place[earlier]) | ~graph.calls()[earlier]
    kept |= np.where(parts.is_part[earlier], parts.is_last[earlier], ~parts.is_part[later]) & ~(
        parts.in_panel[earlier] | parts.in_panel[later]
    )
    unknown = np.flatnonzero(~kept)
    kept[unknown] = is_needed(graph, earlier[unknown], later[unknown])
    chained = np.flatnonzero(~parts.is_last)
    later = np.append(later[kept], chained + 1)
    earlier = np.append(earlier[kept], chained)
    order = np.lexsort((earlier, later))
    return grouped(later[order], earlier[order], len(graph))


def is_needed(graph: Graph, earlier: Ints, later: Ints) -> Flags:
    """Whether the first of each pair of nodes writes what the second reads or writes."""
    count = len(graph.objects)
    touched = np.concatenate(
        [owners(rows) * count + rows.values for rows in (graph.reads, graph.writes)]
    )
    written = chosen(graph.writes, earlier)
    pair = owners(written)
    found = np.isin(later[pair] * count + written.values, touched)
    return np.bincount(pair, found, minlength=len(earlier)) > 0
