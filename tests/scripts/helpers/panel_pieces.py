# SPDX-License-Identifier: BSD-3-Clause
"""The pieces of LU `column`'s and `spread`'s panels: how large each is, from where it begins.

The panel is halved recursively (lu/panel_tasks.c): columns [first, first + cols) from row `first`
down are cut into a left half and the rest. Each cut is named by the column it is at, so that a
piece's coordinates say which it is. `spread` takes one column after another, the last of each block
with all that is right of the block (kernels/spread_panel.c).
"""

from dataclasses import dataclass

import numpy as np
from pollux.insight.graphs.model import Instance, Ints
from pollux.insight.simulation.model import Floats

BY_COLUMNS = ("panel_search", "panel_pivot", "panel_column")
PIECES = (
    *("panel_load", "panel_getrf", "panel_trsm", "panel_gemm", "panel_swap", "panel_store"),
    *BY_COLUMNS,
)
ROWS_PER_TASK, LEAF_COLUMNS = 256, 32  # of lu/panel_tasks.c
BLOCK_COLUMNS = 16  # of kernels/spread_panel.c


@dataclass(frozen=True)
class Pieces:
    """Sizes of pieces in elements; `inner` is the order of the triangle, or the pivots applied."""

    rows: Floats
    cols: Floats
    inner: Floats


@dataclass(frozen=True)
class Cut:
    """A panel that is cut: its left half has `half` columns, the right `cols`."""

    first: int
    half: int
    cols: int


def cuts_of(rows: int, cols: int) -> tuple[dict[int, Cut], dict[int, int]]:
    """The cuts of a panel by their column, and the widths of what is not cut by theirs."""
    cuts: dict[int, Cut] = {}
    leaves: dict[int, int] = {}
    waiting = [(0, cols)]
    while waiting:
        first, width = waiting.pop()
        if width <= LEAF_COLUMNS or rows - first <= LEAF_COLUMNS:
            leaves[first] = width
            continue
        half = min(rows - first, width) // 2
        cuts[first + half] = Cut(first, half, width - half)
        waiting += [(first, half), (first + half, width - half)]
    return cuts, leaves


def sizes_of_column(kernel: str, rows: int, cols: int, column: int) -> tuple[int, int, int]:
    """Rows, columns and inner size of what `spread` does with a column of a panel."""
    if kernel == "panel_search":
        return rows - column, 1, 1
    if kernel == "panel_pivot":
        return 1, cols, 1
    first = column // BLOCK_COLUMNS * BLOCK_COLUMNS
    end = min(first + BLOCK_COLUMNS, rows, cols)
    if column + 1 == end:
        return rows - column - 1, 1 + cols - end, end - first
    return rows - column - 1, end - column, 1


def sizes(kernel: str, rows: int, cols: int, i: int, j: int) -> tuple[int, int, int]:
    """Rows, columns and inner size of the piece at row i, column j; zeros if there is none."""
    if kernel in BY_COLUMNS:
        return sizes_of_column(kernel, rows, cols, j)
    cuts, leaves = cuts_of(rows, cols)
    if kernel == "panel_getrf":
        return rows - i, leaves.get(j, 0), 0
    if kernel == "panel_trsm" and j in cuts:
        return rows - i, cuts[j].cols, cuts[j].half
    if kernel == "panel_gemm" and j in cuts:
        return min(ROWS_PER_TASK, rows - i), cuts[j].cols, cuts[j].half
    if kernel == "panel_swap" and i in cuts:  # below a cut, the columns left of it
        return rows - i, cuts[i].half, min(rows - i, cuts[i].cols)
    whole = kernel in ("panel_load", "panel_store")
    return (rows, cols, 0) if whole else (0, 0, 0)


def pieces_of(kernel: str, instance: Instance, step: Ints, i: Ints, j: Ints) -> Pieces:
    """The sizes of these pieces of panels."""
    panel_rows = instance.m - step * instance.nb
    panel_cols = instance.cols(step)
    which, at = np.unique(np.stack([panel_rows, panel_cols, i, j]), axis=1, return_inverse=True)
    found = np.array([sizes(kernel, *map(int, piece)) for piece in which.T], np.float64)
    return Pieces(*found.reshape(-1, 3)[at.reshape(-1)].T)
