# SPDX-License-Identifier: BSD-3-Clause
"""Panels of LU `spread` over ranks: what each rank does of a column of a panel, and its objects.

Each rank that has tiles of the panel searches them for a candidate, and updates them when it has
the winner; the rank of the diagonal chooses it (benchmarks/mpi/lu-mpi/panel_spread.c). Calls are
named by the row of the panel, in elements, at which their part begins, and the column.
"""

import re
from dataclasses import replace

import numpy as np

from pollux.insight.graphs.coordinates import NO_TILE, coordinates
from pollux.insight.graphs.model import Flags, Graph, Ints, Rows
from pollux.insight.graphs.rows import grouped, owners, starts

SEARCH, PIVOT, COLUMN = "panel_search", "panel_pivot", "panel_column"
OBJECT = re.compile(r"(candidate|winner)\((\d+),(\d+)\)")
OF_COLUMN = ("candidate", "winner")  # kinds of objects that ranks send for each column


def calls_of(graph: Graph, kernel: str) -> Flags:
    """Which nodes are calls of this kernel."""
    numbers = [k for k, name in enumerate(graph.kernels) if name == kernel]
    return np.isin(graph.kernel, numbers)


def in_panels(graph: Graph) -> Flags:
    """Which nodes are calls on a column of a spread panel."""
    return calls_of(graph, SEARCH) | calls_of(graph, PIVOT) | calls_of(graph, COLUMN)


def distances(graph: Graph) -> Ints:
    """By how many rows of tiles the tiles of such calls are below the diagonal, to begin with."""
    return np.where(in_panels(graph), graph.i // graph.instance.nb, 0)


def first_calls(graph: Graph) -> Ints:
    """The first call of each call's task: itself, but the next column is searched with the last."""
    parts = int(distances(graph).max(initial=0)) + 1
    key = (graph.step * graph.instance.nb + graph.j) * parts + distances(graph)
    columns = np.flatnonzero(calls_of(graph, COLUMN))
    columns = columns[np.argsort(key[columns])]
    following = np.flatnonzero(calls_of(graph, SEARCH) & (graph.j > 0))
    found = np.arange(len(graph))
    found[following] = columns[np.searchsorted(key[columns], key[following] - parts)]
    return found


def kinds_of(objects: tuple[str, ...]) -> tuple[Ints, Ints]:
    """Of each object its place in OF_COLUMN, or NO_TILE, and the column of the matrix."""
    found = [OBJECT.fullmatch(name) for name in objects]
    pairs = [(OF_COLUMN.index(f[1]), int(f[3])) if f else (NO_TILE, 0) for f in found]
    both = np.array(pairs, np.int64).reshape(-1, 2)
    return both[:, 0].copy(), both[:, 1].copy()


def with_own_objects(graph: Graph, parts: Ints, rows: int) -> Graph:
    """Calls in panels use the tiles of their rank, and candidates and winners instead of the rest.

    `parts`: on how many ranks the panel of each call is; `rows`: of the grid.
    """
    search, pivot, column = (calls_of(graph, kernel) for kernel in (SEARCH, PIVOT, COLUMN))
    names, candidate, winner = new_objects(graph, int(parts.max(initial=1)))
    reads, writes = own_tiles(graph, graph.reads, rows), own_tiles(graph, graph.writes, rows)
    all_candidates = repeated_for_parts(np.flatnonzero(pivot), parts, candidate, graph.instance.n)
    last = np.flatnonzero(column & is_last_column(graph) & (distances(graph) == 0))
    pivots = graph.writes.values[graph.writes.start[last + 1] - 2]  # before the row that is kept
    top = graph.step * graph.instance.nb + graph.j + column  # the row at which they begin
    own_rows = np.where(search | column, rows_of(graph, top, reads, writes), graph.work.rows)
    return replace(
        graph,
        work=replace(graph.work, rows=own_rows),
        objects=(*graph.objects, *names),
        reads=added(reads, all_candidates, of(column, winner)),
        writes=added(writes, of(search, candidate), of(pivot, winner), (last, pivots)),
    )


def new_objects(graph: Graph, parts: int) -> tuple[list[str], Ints, Ints]:
    """Names of the candidates and winners of all columns; those of each call in a panel."""
    columns, count = graph.instance.n, len(graph.objects)
    names = [f"candidate({d},{c})" for d in range(parts) for c in range(columns)]
    names += [f"winner(0,{c})" for c in range(columns)]
    own = count + graph.step * graph.instance.nb + graph.j
    return names, own + distances(graph) * columns, own + parts * columns


def repeated_for_parts(
    nodes: Ints, parts: Ints, candidate: Ints, columns: int
) -> tuple[Ints, Ints]:
    """These calls, once for each rank, with the candidate of that rank."""
    count = parts[nodes]
    every = np.repeat(nodes, count)
    rank = np.arange(len(every)) - starts(count)[:-1].repeat(count)
    return every, candidate[every] + rank * columns


def rows_of(graph: Graph, top: Ints, *touched: Rows) -> Ints:
    """Rows of the tiles that each node touches, from row `top` of the matrix down."""
    found = np.zeros(len(graph), np.int64)
    for rows in touched:
        i = coordinates(graph.objects)[0][rows.values]
        node = owners(rows)[i != NO_TILE]
        i = i[i != NO_TILE]
        np.add.at(found, node, graph.instance.rows_from(i, top[node]))
    return found


def of(which: Flags, objects: Ints) -> tuple[Ints, Ints]:
    nodes = np.flatnonzero(which)
    return nodes, objects[nodes]


def is_last_column(graph: Graph) -> Flags:
    """Whether a call is on the last column of its panel that has a pivot."""
    own = graph.instance
    first = graph.step * own.nb
    return np.asarray(graph.j + 1 == np.minimum(own.cols(graph.step), own.m - first))


def own_tiles(graph: Graph, rows: Rows, of_grid: int) -> Rows:
    """Without the tiles of other ranks, and what is no tile, where calls are in panels."""
    node = owners(rows)
    i = coordinates(graph.objects)[0][rows.values]
    first = (graph.step + distances(graph))[node]
    kept = ~in_panels(graph)[node] | ((i != NO_TILE) & ((i - first) % of_grid == 0))
    return grouped(node[kept], rows.values[kept], len(rows))


def added(rows: Rows, *more: tuple[Ints, Ints]) -> Rows:
    nodes = np.concatenate([owners(rows), *(pair[0] for pair in more)])
    values = np.concatenate([rows.values, *(pair[1] for pair in more)])
    return grouped(nodes, values, len(rows))
