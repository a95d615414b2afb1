# SPDX-License-Identifier: BSD-3-Clause
"""How the time of calls grows with their tiles, from the work that they state.

A call takes amount (a + b depth). For kernels on square tiles the amount is the operations and b is
0. For those on a column of tiles it is what does not grow with the rows of the column, such as the
columns squared, and the depth is these rows. For kernels on tall tiles, or on a part of one, it is
what does not grow with the rows either, and the depth is the operations for each of it. The columns
of a spread panel take a time for each row and for each operation: of most one column is subtracted,
of the last of a block all of the block. What copies takes a time proportional to the bytes.
"""

from dataclasses import dataclass

import numpy as np

from pollux.insight.graphs.spread_panels import COLUMN
from pollux.insight.graphs.work import Ints, Operation, Work
from pollux.insight.simulation.model import Floats


@dataclass(frozen=True)
class Scale:
    """Amount and depth of some calls, and which of them are of the common size."""

    amount: Floats
    depth: Floats
    full: Floats  # 1 or 0

    def at(self, which: Ints) -> "Scale":
        return Scale(self.amount[which], self.depth[which], self.full[which])


def scale_of(operation: Operation, work: Work, *, tall: bool) -> Scale:
    """Of calls of one operation; `tall`: as it is learned from tall tiles."""
    count = len(work.operation)
    nothing, all_full = np.zeros(count), np.ones(count)
    block = work.block.astype(np.float64)
    if operation.grows_with == "rows":
        return Scale(block, work.rows.astype(np.float64), all_full)
    if operation.grows_with == "bytes":
        return Scale(work.bytes_.astype(np.float64), nothing, all_full)
    flops = work.flops.astype(np.float64)
    if operation.kernel == COLUMN:
        rows = np.maximum(work.rows.astype(np.float64), 1.0)
        return Scale(rows, flops / rows, all_full)
    if tall:
        return Scale(block, flops / np.maximum(block, 1.0), all_full)
    full = flops >= flops.max(initial=0.0) * (1 - 1e-9)
    return Scale(flops, nothing, full.astype(np.float64))
