# SPDX-License-Identifier: BSD-3-Clause
"""Predictions of a factorization over nodes: its messages, and what limits it."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from pollux.core.errors import BadUsageError
from pollux.core.spans import parse_span
from pollux.insight.graphs.model import Graph
from pollux.insight.simulation.cluster import simulate_nodes
from pollux.insight.simulation.limits import Bounds, bounds_of
from pollux.insight.simulation.messages import Messages
from pollux.insight.simulation.model import Floats, Machine, Schedule
from pollux.insight.simulation.network import Cluster, Network, clusters_of


@dataclass(frozen=True)
class OnNodes:
    """What a graph needs to run on the nodes of a cluster."""

    messages: Messages
    cluster: Cluster


@dataclass(frozen=True)
class Across:
    """What a prediction has besides where there are several nodes."""

    cluster: Cluster
    messages: int
    bytes_: int
    bounds: Bounds

    @property
    def nodes(self) -> int:
        return self.cluster.grid.nodes

    def as_json(self, seconds: float) -> dict[str, Any]:
        network, bounds = self.cluster.network, self.bounds
        bandwidth = network.bandwidth if isfinite(network.bandwidth) else None
        processors = self.cluster.processors
        return {
            "nodes": self.nodes,
            "grid": str(self.cluster.grid),
            "latency_ns": network.latency,
            "network_bytes_per_second": bandwidth,
            **({} if processors is None else {"processors": processors}),
            "messages": self.messages,
            "bytes": self.bytes_,
            "limit": bounds.limit,
            "limit_share": bounds.largest / max(seconds, 1e-9),
            "bounds_seconds": {
                "work": bounds.work,
                "interface": bounds.interface,
                "critical_path": bounds.path,
                "latency": bounds.latency,
                "transfer": bounds.transfer,
                **({} if processors is None else {"processors": bounds.processors}),
            },
        }


def across_nodes(
    graph: Graph, on: OnNodes, durations: Floats, machine: Machine, bytes_: Floats | None
) -> tuple[Across, Schedule]:
    """One schedule over nodes, and what it sends."""
    messages, cluster = on.messages, on.cluster
    sent = simulate_nodes(graph, messages, durations, machine, cluster, bytes_)
    bounds = bounds_of(graph, messages, durations, machine, cluster)
    total = int(messages.bytes_.sum())
    return Across(cluster, len(messages), total, bounds), sent.schedule


def asked_clusters(
    nodes: Sequence[int],
    grid: str | None,
    latency: str | None,
    bandwidth: float | None,
    processors: int | None = None,
) -> list[Cluster]:
    """The clusters that options name; none where they name no nodes."""
    if not nodes and grid is None:
        if latency is not None or bandwidth is not None:
            raise BadUsageError("--latency and --network-bandwidth need --nodes or --grid")
        if processors is not None:
            raise BadUsageError("--processors needs --nodes or --grid: these share them")
        return []
    if latency is None or bandwidth is None:
        raise BadUsageError(
            "--nodes needs the network: --latency 2us and --network-bandwidth 12.5 (GB/s)"
        )
    network = Network(parse_span(latency) * 1e9, bandwidth * 1e9)
    return clusters_of([*nodes], grid, network, processors)
