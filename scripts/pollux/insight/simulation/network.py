# SPDX-License-Identifier: BSD-3-Clause
"""Nodes in a grid, each a machine, and the network between them."""

import math
import re
from dataclasses import dataclass

from pollux.core.errors import BadUsageError
from pollux.insight.graphs.model import Ints

NODES_MAX = 10_000
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


@dataclass(frozen=True)
class Network:
    """A message takes the latency and its bytes over the bandwidth."""

    latency: float  # ns
    bandwidth: float  # bytes/s of each node's interface, in each direction; may be infinite

    def ns(self, bytes_: float) -> float:
        """How long a message of so many bytes occupies an interface."""
        return bytes_ / self.bandwidth * 1e9


@dataclass(frozen=True)
class Cluster:
    """The nodes of one prediction."""

    grid: Grid
    network: Network


def clusters_of(nodes: list[int], grid: str | None, network: Network) -> list[Cluster]:
    """A cluster for each number of nodes; a grid is that of one number."""
    if grid is None:
        found = [Grid.square(count) for count in nodes]
    else:
        found = [Grid.parse(grid)]
        if nodes not in ([], [found[0].nodes]):
            raise BadUsageError(
                f"--grid: {grid} has {found[0].nodes} nodes, and --nodes asks for others; give one "
                "of the two"
            )
    if max(g.nodes for g in found) > NODES_MAX:
        raise BadUsageError(f"--nodes: more than {NODES_MAX} are not simulated")
    return [Cluster(g, network) for g in found]
