# SPDX-License-Identifier: BSD-3-Clause
"""Bytes of the messages of the programs over MPI: tiles with their padding, T factors, pivots."""

import numpy as np

from pollux.insight.graphs.model import Graph, Instance, Ints
from pollux.insight.graphs.over_ranks import MAKES_T_OF_PAIR

DOUBLE, INT = 8, 4  # bytes
LINE, BAD_STRIDE = 8, 128  # doubles: common/matrix/tile_matrix.c
# T factors hold products too, with OpenBLAS' kernels where that pays: kernels/qr_blocks.c
LARGEST_WITH_PRODUCTS, LEAST_BLOCK_WITH_PRODUCTS = 64, 8


def leading_dimension(rows: Ints) -> Ints:
    """Doubles from one column of a tile to the next."""
    lines = -(-rows // LINE) * LINE
    found: Ints = np.where(lines % BAD_STRIDE == 0, lines + LINE, lines)
    return found


def tile_bytes(instance: Instance, i: Ints, j: Ints) -> Ints:
    """Of the messages of tiles (i, j)."""
    rows = instance.rows_from(i, np.zeros_like(i))
    found: Ints = leading_dimension(rows) * instance.cols(j) * DOUBLE
    return found


def other_bytes(graph: Graph, node: Ints, kernels: str) -> Ints:
    """Of what these calls make beside tiles: QR's T factors, LU's pivots."""
    instance, panel = graph.instance, graph.j[node]
    if instance.benchmark != "qr":
        return instance.cols(graph.step[node]) * INT
    ib = instance.ib or 1
    rows = int(leading_dimension(np.array([ib], np.int64))[0])
    of_pair = np.array([name == MAKES_T_OF_PAIR for name in graph.kernels])[graph.kernel[node]]
    columns = np.where(of_pair, instance.cols(panel), t_columns(instance, panel, ib, kernels))
    found: Ints = rows * columns * DOUBLE
    return found


def column_bytes(instance: Instance, kind: Ints) -> Ints:
    """Of what ranks send for a column of a spread panel: kernels/spread_panel.c."""
    width = min(instance.nb, instance.n)
    doubles = np.array([2 + width, 2 + 2 * width], np.int64)  # a candidate, a winner
    found: Ints = doubles[np.maximum(kind, 0)] * DOUBLE
    return found


def t_columns(instance: Instance, panel: Ints, ib: int, kernels: str) -> Ints:
    """Columns of the tiles of T."""
    order = min(instance.nb, instance.n)
    if kernels == "tuned" or order > LARGEST_WITH_PRODUCTS or ib < LEAST_BLOCK_WITH_PRODUCTS:
        return instance.cols(panel)
    return np.full(len(panel), order + -(-order // ib) * (ib + order), np.int64)
