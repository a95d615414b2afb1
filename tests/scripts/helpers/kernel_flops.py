# SPDX-License-Identifier: BSD-3-Clause
"""Operations of each kernel call by its coordinates, for tests to compare the programs' with.

Of a tall tile, step k works on what lies from row k * NB down: potrf, getrf without pivoting and
trsm from the left also update the rows below their block of NB rows.

A multiplication, addition, division and square root count one each. Cholesky's and LU's kernels
follow LAPACK Working Note 41 (Anderson, Dongarra, Ostrouchov, "Installation Guide for LAPACK",
1992), so that their sum is exactly the count of the whole factorization; the unit triangle of LU's
trsm saves the divisions. QR's follow Buttari, Langou, Kurzak, Dongarra, "A class of parallel tiled
linear algebra algorithms for multicore architectures" (Parallel Computing 35(1), 2009), and for TT
kernels Hadri, Ltaief, Agullo, Dongarra, "Tile QR factorization with parallel panel processing for
multicore architectures" (IPDPS 2010), to the order of NB² IB: what T factors cost is counted, so
that the sum is a little above the standard count of QR.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from panel_pieces import PIECES, Pieces, pieces_of
from pollux.insight.graphs.model import Flags, Instance, Ints
from pollux.insight.simulation.model import Floats

EXCHANGING_LATE = ("late", "ahead", "spread")  # variants of LU


@dataclass(frozen=True)
class Calls:
    """Calls of one kernel: their coordinates in tiles (docs/traces.md)."""

    instance: Instance
    step: Ints
    i: Ints
    j: Ints

    def rows(self, first: Ints | None = None) -> Floats:
        """Rows of the calls' tiles from row NB * `first` of the matrix down, else the step's."""
        begin = self.instance.nb * (self.step if first is None else first)
        return self.instance.rows_from(self.i, begin).astype(np.float64)

    def cols(self, of: Ints) -> Floats:
        """Columns of the tiles in these tile columns."""
        return self.instance.cols(of).astype(np.float64)

    def rows_below(self) -> Floats:
        """Rows of the matrix from the step's first down: of a panel or a row exchange."""
        return (self.instance.m - self.step * self.instance.nb).astype(np.float64)

    def inner_block(self) -> float:
        return float(self.instance.ib or 0)

    def exchanges(self) -> Floats:
        """Rows that a step's exchanges move: as many as its panel has pivots."""
        return np.minimum(self.rows_below(), self.cols(self.step))

    def behind(self) -> Flags:
        """Which row exchanges bring those of all later panels at once."""
        return np.asarray((self.j < self.step) & (self.instance.variant in EXCHANGING_LATE))

    def on_tiles(self) -> bool:
        """Whether getrf works on one tile, as without pivoting, not on a column of them."""
        return self.instance.variant == "nopiv"

    def pieces(self, kernel: str) -> Pieces:
        return pieces_of(kernel, self.instance, self.step, self.j)


def getrf_flops(m: Floats, n: Floats) -> Floats:
    """LU of m × n."""
    a, b = np.maximum(m, n), np.minimum(m, n)
    return b * b * (a - b / 3) - b * b / 2 + 5 * b / 6


def geqrf_flops(m: Floats, n: Floats) -> Floats:
    """QR of m × n."""
    tall = n * (2 * n * (m - n / 3 + 0.5) + m + 14 / 3)
    wide = m * (2 * m * (n - m / 3 - 0.5) + 3 * n + 14 / 3)
    return np.where(m >= n, tall, wide)


def potrf(c: Calls) -> Floats:
    """The triangle, and the solution for the rows below it."""
    n = c.cols(c.j)
    return n**3 / 3 + n**2 / 2 + n / 6 + (c.rows() - n) * n**2


def getrf(c: Calls) -> Floats:
    return getrf_flops(c.rows() if c.on_tiles() else c.rows_below(), c.cols(c.j))


def trsm(c: Calls) -> Floats:
    """From the right in the step's own column; else from the left by a unit triangle, and the
    product with the rows below it."""
    order, rows = c.exchanges(), c.rows()
    right = rows * order**2
    left = c.cols(c.j) * order * (order - 1 + 2 * (rows - order))
    return np.where(c.j == c.step, right, left)


def gemm(c: Calls) -> Floats:
    return 2.0 * c.rows() * c.cols(c.j) * c.cols(c.step)


def syrk(c: Calls) -> Floats:
    """The triangle of the column's block on the diagonal, and the product below it."""
    n = c.cols(c.j)
    return n * (n + 1 + 2 * (c.rows(c.j) - n)) * c.cols(c.step)


def none(c: Calls) -> Floats:
    """Of kernels that move data only."""
    return np.zeros(len(c.step))


def geqrt(c: Calls) -> Floats:
    m, n = c.rows(), c.cols(c.j)
    k: Floats = np.minimum(m, n)
    factors: Floats = np.minimum(c.inner_block(), k) * k * (m - k / 2)
    return geqrf_flops(m, n) + factors


def unmqr(c: Calls) -> Floats:
    m, n = c.rows(), c.cols(c.j)
    k: Floats = np.minimum(m, c.cols(c.step))
    return n * k * (4 * m - 2 * k + np.minimum(c.inner_block(), k))


def tsqrt(c: Calls) -> Floats:
    m, n = c.rows(), c.cols(c.j)
    return m * n * (2 * n + np.minimum(c.inner_block(), n))


def tsmqr(c: Calls) -> Floats:
    m, n, k = c.rows(), c.cols(c.j), c.cols(c.step)
    return n * k * (4 * m + np.minimum(c.inner_block(), k))


def ttqrt(c: Calls) -> Floats:
    n = c.cols(c.j)
    k = np.minimum(c.rows(), n)  # rows of the lower triangle, or trapezoid
    return 2 * k * k * (n - 2 * k / 3) + np.minimum(c.inner_block(), n) * n * k / 2


def ttmqr(c: Calls) -> Floats:
    n, k = c.cols(c.j), c.cols(c.step)
    rows = np.minimum(c.rows(), k)
    return n * (4 * rows * (k - rows / 2) + np.minimum(c.inner_block(), k) * k)


def panel_column(c: Calls) -> Floats:
    p = c.pieces("panel_column")
    return 1 + p.rows + (p.cols - 1) * p.inner * (2 * p.rows + p.inner - 1)


COUNTS: dict[str, Callable[[Calls], Floats]] = {
    **{"potrf": potrf, "getrf": getrf, "trsm": trsm, "gemm": gemm, "syrk": syrk, "laswp": none},
    **{"geqrt": geqrt, "unmqr": unmqr, "tsqrt": tsqrt, "tsmqr": tsmqr},
    **{"ttqrt": ttqrt, "ttmqr": ttmqr},
    **dict.fromkeys(PIECES, none),
    "panel_column": panel_column,
}


def flops_of(kernel: str, calls: Calls) -> Floats:
    """Operations of each of these calls of a kernel."""
    return COUNTS[kernel](calls)


def standard_flops(instance: Instance) -> float:
    """Operations that the rate of a whole factorization is computed with (LAPACK's counts)."""
    m, n = float(instance.m), float(instance.n)
    if instance.benchmark == "cholesky":
        return n**3 / 3 + n**2 / 2 + n / 6
    count = geqrf_flops if instance.benchmark == "qr" else getrf_flops
    return float(count(np.array([m]), np.array([n]))[0])
