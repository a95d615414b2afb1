# SPDX-License-Identifier: BSD-3-Clause
"""What LU `spread` does with the columns of its panels, by the column.

It takes one after another, the last of each block with all that is right of the block
(kernels/spread_panel.c).
"""

from dataclasses import dataclass

import numpy as np
from pollux.insight.graphs.model import Instance, Ints
from pollux.insight.simulation.model import Floats

PIECES = ("panel_search", "panel_pivot", "panel_column")
BLOCK_COLUMNS = 16  # of kernels/spread_panel.c


@dataclass(frozen=True)
class Pieces:
    """Sizes of pieces in elements; `inner` is the number of pivots applied."""

    rows: Floats
    cols: Floats
    inner: Floats


def sizes(kernel: str, rows: int, cols: int, column: int) -> tuple[int, int, int]:
    """Rows, columns and inner size of what a kernel does with a column of a panel."""
    if kernel == "panel_search":
        return rows - column, 1, 1
    if kernel == "panel_pivot":
        return 1, cols, 1
    first = column // BLOCK_COLUMNS * BLOCK_COLUMNS
    end = min(first + BLOCK_COLUMNS, rows, cols)
    if column + 1 == end:
        return rows - column - 1, 1 + cols - end, end - first
    return rows - column - 1, end - column, 1


def pieces_of(kernel: str, instance: Instance, step: Ints, j: Ints) -> Pieces:
    """The sizes of these pieces of panels."""
    panels = (instance.m - step * instance.nb, instance.cols(step), j)
    found = [sizes(kernel, *map(int, piece)) for piece in zip(*panels, strict=True)]
    return Pieces(*np.array(found, np.float64).reshape(-1, 3).T)
