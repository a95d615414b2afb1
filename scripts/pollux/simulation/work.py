# SPDX-License-Identifier: BSD-3-Clause
"""How the time of each kernel grows with its tiles: what its calls have in common.

A call takes work (a + b depth). For kernels on square tiles the work is the operations and b is 0.
For those on a column of tiles it is the elements of the square, or of the exchanged rows, and the
depth is the rows of the column. For kernels on tall tiles, or on a part of one, the work is what
does not grow with the rows, and the depth is the operations for each of it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from pollux.graphs.model import Ints
from pollux.simulation.flops import Calls, flops_of
from pollux.simulation.model import Floats
from pollux.simulation.panels import PIECES


@dataclass(frozen=True)
class Work:
    """Work and depth of some calls, and which of them are of the common size."""

    amount: Floats
    depth: Floats
    full: Floats  # 1 or 0

    def at(self, which: Ints) -> "Work":
        return Work(self.amount[which], self.depth[which], self.full[which])


def on_tiles(kernel: str) -> Callable[[Calls], Work]:
    def work(c: Calls) -> Work:
        flops = flops_of(kernel, c)
        full = flops >= flops.max(initial=0.0) * (1 - 1e-9)
        return Work(flops, np.zeros(len(flops)), full.astype(np.float64))

    return work


def on_tall_tiles(kernel: str, c: Calls) -> Work:
    block = c.cols(c.j) * c.cols(c.step)
    return column(block, flops_of(kernel, c) / block)


def column(amount: Floats, depth: Floats) -> Work:
    return Work(amount, depth, np.ones(len(amount)))


def panel(c: Calls) -> Work:
    return column(c.cols(c.j) ** 2, c.rows_below())


def exchange(c: Calls) -> Work:
    return column(c.exchanges() * c.cols(c.j), c.rows_below())


def pass_over_column(c: Calls) -> Work:
    return column(c.rows_below() * c.cols(c.j), np.zeros(len(c.step)))


def panel_getrf(c: Calls) -> Work:
    p = c.pieces("panel_getrf")
    return column(p.cols**2, p.rows)


def panel_exchange(c: Calls) -> Work:
    p = c.pieces("panel_swap")
    return column(p.inner * p.cols, p.rows)


def panel_copy(c: Calls) -> Work:
    p = c.pieces("panel_load")
    return column(p.rows * p.cols, np.zeros(len(p.rows)))


ON_COLUMNS: dict[str, Callable[[Calls], Work]] = {
    "getrf": panel,
    "laswp": exchange,
    "laswp behind": pass_over_column,
    "panel_getrf": panel_getrf,
    "panel_swap": panel_exchange,
    "panel_load": panel_copy,
    "panel_store": panel_copy,
}
MOVING = ("laswp", "panel_swap", "panel_load", "panel_store")  # kernels that compute nothing


def operations(kernel: str, calls: Calls) -> Iterator[tuple[str, Ints]]:
    """The kernel's calls by what they do, where one name stands for two things."""
    everything = np.arange(len(calls.step), dtype=np.int64)
    if kernel == "trsm":
        right = calls.j == calls.step
        yield from (
            ("trsm from the right", everything[right]),
            ("trsm from the left", everything[~right]),
        )
    elif kernel == "laswp":
        behind = calls.behind()
        yield from (("laswp", everything[~behind]), ("laswp behind", everything[behind]))
    elif kernel == "getrf" and calls.on_tiles():
        yield "getrf of a tile", everything
    else:
        yield kernel, everything


def work_of(operation: str, calls: Calls, *, tall: bool) -> Work:
    """The work of calls that do the same; `tall`: as it is learned from tall tiles."""
    kernel = operation.partition(" ")[0]
    known = ON_COLUMNS.get(operation)
    if known:
        return known(calls)
    return on_tall_tiles(kernel, calls) if tall else on_tiles(kernel)(calls)


def moved_bytes(kernel: str, c: Calls) -> Floats:
    """Bytes that a kernel which computes nothing reads or writes."""
    if kernel == "laswp":
        rows = np.where(c.behind(), c.rows_below(), c.exchanges())
        return 2 * 8 * rows * c.cols(c.j)
    if kernel in PIECES:
        p = c.pieces(kernel)
        rows = p.inner if kernel == "panel_swap" else p.rows
        return 2 * 8 * rows * p.cols
    return np.zeros(len(c.step))
