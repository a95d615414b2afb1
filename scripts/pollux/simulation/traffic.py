# SPDX-License-Identifier: BSD-3-Clause
"""Bytes that each kernel call touches."""

import re

import numpy as np

from pollux.graphs.model import Flags, Graph, Ints, Rows
from pollux.graphs.rows import owners
from pollux.simulation.flops import calls_at
from pollux.simulation.model import Floats
from pollux.simulation.work import MOVING, moved_bytes

TILE = re.compile(r"A\((\d+),(\d+)\)")
NOWHERE = (-1, -1)  # of what is no tile of the matrix
WHOLE = ("getrf",)  # touch all rows from the step's first down, in several tiles
TRIANGLES = ("ttqrt", "ttmqr")  # touch the first NB rows of their own tile, too


def node_bytes(graph: Graph) -> Floats:
    """Eight for each element of the tiles that a call touches, each counted once.

    Of tall tiles, a call touches what its step works on of its own tile, and of tiles below the
    step's topmost; of others NB rows. Row exchanges touch only the rows that they exchange; pivots,
    T factors and stand-ins are left out.
    """
    tiles = np.array([tile_of(name) for name in graph.objects] or [NOWHERE], np.int64)
    found = touched(graph, graph.reads, tiles) + touched(graph, graph.writes, tiles)
    for k, kernel in enumerate(graph.kernels):
        if kernel in MOVING:
            nodes = np.flatnonzero(graph.kernel == k)
            found[nodes] = moved_bytes(kernel, calls_at(graph, nodes))
    return found


def touched(graph: Graph, objects: Rows, tiles: Ints) -> Floats:
    """The bytes of these objects, summed for each node."""
    if not len(objects.values):
        return np.zeros(len(graph))
    nodes, where = owners(objects), tiles[objects.values]
    instance, (i, j) = graph.instance, where.T
    rows = instance.rows_from(i, first_rows(graph, nodes))
    block = only_block(graph, nodes, i)
    rows = np.where(block, np.minimum(rows, instance.nb), rows)
    sizes = np.where(i < 0, 0, 8 * rows * instance.cols(j))
    return np.bincount(nodes, sizes, minlength=len(graph)).astype(np.float64)


def first_rows(graph: Graph, nodes: Ints) -> Ints:
    """The matrix' first row that each node works on: the step's; for syrk its own column's."""
    syrk = np.isin(graph.kernel[nodes], places(graph, ("syrk",)))
    return graph.instance.nb * np.where(syrk, graph.j[nodes], graph.step[nodes])


def only_block(graph: Graph, nodes: Ints, i: Ints) -> Flags:
    """Whether a node touches no more than NB rows of a tile in tile row i."""
    kernel = graph.kernel[nodes]
    other = (i != graph.i[nodes]) & ~np.isin(kernel, places(graph, WHOLE))
    return np.asarray(other | np.isin(kernel, places(graph, TRIANGLES)))


def places(graph: Graph, names: tuple[str, ...]) -> list[int]:
    return [k for k, name in enumerate(graph.kernels) if name in names]


def tile_of(name: str) -> tuple[int, int]:
    """The tile that an object is."""
    match = TILE.fullmatch(name)
    return (int(match[1]), int(match[2])) if match else NOWHERE
