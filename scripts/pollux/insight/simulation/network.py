# SPDX-License-Identifier: BSD-3-Clause
"""Nodes, each a machine or a process of one, and the network between them."""

from dataclasses import dataclass
from math import gcd
from typing import NamedTuple

import numpy as np

from pollux.core.errors import BadUsageError
from pollux.insight.graphs.grid import Grid
from pollux.insight.graphs.model import Ints

NODES_MAX = 10_000
WORKERS_MAX = 10_000_000  # of all nodes: each takes memory


@dataclass(frozen=True)
class Network:
    """A message takes the latency and its bytes over the bandwidth."""

    latency: float  # ns
    bandwidth: float  # bytes/s of each node's interface, in each direction; may be infinite


@dataclass(frozen=True)
class Cluster:
    """The nodes of one prediction."""

    grid: Grid
    network: Network
    processors: int | None = None  # that all nodes share, if they are processes of one machine


class Sharing(NamedTuple):
    """Which nodes share processors."""

    each: float  # processors of a group of nodes; 0: there is one for everything
    group: Ints  # of each node

    @property
    def nodes(self) -> int:
        """Of each group."""
        return len(self.group) // (int(self.group.max()) + 1)


def sharing(cluster: Cluster, workers: int) -> Sharing:
    """The smallest groups that are equal and have a processor for each worker of a node.

    While ranks wait they look for messages again and again. So all seem busy to the system's
    scheduler, which moves none to a processor where the others only wait.
    """
    nodes, count = cluster.grid.nodes, cluster.processors or 0
    groups = gcd(nodes, max(1, count // workers)) if count else 1
    return Sharing(count / groups, np.arange(nodes, dtype=np.int64) % groups)


def clusters_of(
    nodes: list[int], grid: str | None, network: Network, processors: int | None = None
) -> list[Cluster]:
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
    return [Cluster(g, network, processors) for g in found]
