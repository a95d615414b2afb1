# SPDX-License-Identifier: BSD-3-Clause
"""A grid of ranks, or of the nodes that are simulated in their place."""

import math
import re
from dataclasses import dataclass

from pollux.core.errors import BadUsageError
from pollux.insight.graphs.model import Ints

GRID = re.compile(r"([1-9]\d{0,4})x([1-9]\d{0,4})")


@dataclass(frozen=True)
class Grid:
    """Nodes in rows and columns, over which tiles are spread block-cyclically."""

    rows: int
    columns: int

    @property
    def nodes(self) -> int:
        return self.rows * self.columns

    def owner(self, i: Ints, j: Ints) -> Ints:
        """The node of tiles (i, j), as in the programs over MPI (benchmarks/mpi/spread.h)."""
        found: Ints = i % self.rows * self.columns + j % self.columns
        return found

    def __str__(self) -> str:
        return f"{self.rows}x{self.columns}"

    @classmethod
    def square(cls, nodes: int) -> "Grid":
        """The most square one, of no more rows than columns."""
        rows = max(p for p in range(1, math.isqrt(nodes) + 1) if nodes % p == 0)
        return cls(rows, nodes // rows)

    @classmethod
    def parse(cls, text: str) -> "Grid":
        found = GRID.fullmatch(text.strip())
        if found is None:
            raise BadUsageError(f"--grid: {text!r} is no grid of nodes such as 2x4")
        return cls(int(found[1]), int(found[2]))
