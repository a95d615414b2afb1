# SPDX-License-Identifier: BSD-3-Clause
"""What no schedule over nodes is shorter than: work, interfaces, chains of calls and messages."""

from dataclasses import dataclass

import numpy as np

from pollux.core.compiled import compiled
from pollux.insight.graphs.model import Graph, Ints
from pollux.insight.graphs.rows import inverted
from pollux.insight.simulation.cluster import local_edges, occupied
from pollux.insight.simulation.messages import Messages
from pollux.insight.simulation.model import Floats, Machine
from pollux.insight.simulation.network import Cluster, sharing


@dataclass(frozen=True)
class Bounds:
    """Seconds; the longest chain is the sum of the last three."""

    work: float  # of the node that has most, on all its workers
    interface: float  # of the node that sends or receives most
    path: float  # the longest chain of calls, if messages took no time
    latency: float  # by which latencies make the longest chain longer
    transfer: float  # by which the bytes of messages make it longer still
    processors: float = 0.0  # of nodes that share processors, and of what they receive

    @property
    def chain(self) -> float:
        return self.path + self.latency + self.transfer

    @property
    def largest(self) -> float:
        return max(self.work, self.interface, self.chain, self.processors)

    @property
    def limit(self) -> str:
        """The largest bound in words; of a chain its largest part."""
        if self.processors > max(self.work, self.interface, self.chain):
            return "processors"
        if self.work >= max(self.interface, self.chain):
            return "work"
        if self.interface >= self.chain:
            return "interface"
        parts = {"critical path": self.path, "latency": self.latency, "transfer": self.transfer}
        return max(parts, key=parts.__getitem__)


def bounds_of(
    graph: Graph, messages: Messages, durations: Floats, machine: Machine, cluster: Cluster
) -> Bounds:
    """Those of a graph whose calls take these times (ns) on a cluster of such machines."""
    nodes = cluster.grid.nodes
    occupies = occupied(messages, cluster)
    latency = np.full(len(messages), float(cluster.network.latency))
    nothing = np.zeros(len(messages))
    path, late, all_ = (
        chain_of(graph, messages, durations, delay)
        for delay in (nothing, latency, latency + occupies)
    )
    work = np.bincount(messages.place, durations, minlength=nodes)
    sent = np.bincount(messages.source, occupies, minlength=nodes)
    received = np.bincount(messages.target, occupies, minlength=nodes)
    shared = sharing(cluster, machine.workers)
    busiest = np.bincount(shared.group, work + received).max() / (shared.each or np.inf)
    interface = max(sent.max(), received.max())
    times = (work.max() / machine.workers, interface, path, late - path, all_ - late, busiest)
    return Bounds(*(float(ns) * 1e-9 for ns in times))


def chain_of(graph: Graph, messages: Messages, durations: Floats, delay: Floats) -> float:
    """The longest chain, in ns, of calls with these durations and messages with these delays."""
    before = local_edges(graph.before, messages.place)
    waits = inverted(messages.consumers, len(graph))
    return longest_chain(
        before.start,
        before.values,
        waits.start,
        waits.values,
        messages.first.start,
        messages.first.values,
        messages.onward.start,
        messages.onward.values,
        durations,
        delay,
    )


@compiled
def longest_chain(  # noqa: PLR0913, PLR0917 (lists as arrays)
    start_before: Ints,
    before: Ints,
    start_wait: Ints,
    waits: Ints,
    start_first: Ints,
    first: Ints,
    start_onward: Ints,
    onward: Ints,
    durations: Floats,
    delay: Floats,
) -> float:
    """Nodes are in an order of execution, and messages follow those that send them."""
    nodes = len(durations)
    end, came, stack = durations.copy(), np.zeros(len(delay)), np.zeros(len(delay), np.int64)
    longest = 0.0
    for step in range(nodes + 1):
        node = (step - 1) % (nodes + 1)  # the last row is what is sent at the start
        now = 0.0
        if node < nodes:
            for at in range(start_before[node], start_before[node + 1]):
                now = max(now, end[before[at]])
            for at in range(start_wait[node], start_wait[node + 1]):
                now = max(now, came[waits[at]])
            now += durations[node]
            end[node] = now
        longest = max(longest, now)
        size = 0
        for at in range(start_first[node], start_first[node + 1]):
            came[first[at]] = now + delay[first[at]]
            stack[size] = first[at]
            size += 1
        while size > 0:
            size -= 1
            message = stack[size]
            longest = max(longest, came[message])
            for at in range(start_onward[message], start_onward[message + 1]):
                came[onward[at]] = came[message] + delay[onward[at]]
                stack[size] = onward[at]
                size += 1
    return longest
