# SPDX-License-Identifier: BSD-3-Clause
"""List scheduling of a task graph over nodes, each with workers of its own, and their messages.

Each node is a machine as in simulate.py, and creates its own tasks. What a node needs of another
comes by messages (messages.py); they occupy interfaces (cluster_loop.py) and no worker. Of the
graph's edges those between calls of one node remain.
"""

from dataclasses import dataclass, replace

import numpy as np

from pollux.core.errors import BadUsageError
from pollux.insight.graphs.model import Graph, Ints, Rows
from pollux.insight.graphs.rows import grouped, inverted, owners
from pollux.insight.graphs.shape import bottom_levels
from pollux.insight.simulation.cluster_loop import Sizes, Wires, run_nodes
from pollux.insight.simulation.messages import Messages
from pollux.insight.simulation.model import Floats, Machine, Policy, Schedule
from pollux.insight.simulation.network import Cluster, sharing
from pollux.insight.simulation.simulate import check
from pollux.insight.simulation.tables import NOBODY, Load, State, Tables, state_of, tables_of


@dataclass(frozen=True)
class Sent:
    """A schedule over nodes: worker w of node n is n * workers + w; and when messages came."""

    schedule: Schedule
    came: Floats  # ns


def simulate_nodes(  # noqa: PLR0913, PLR0917 (what is simulated)
    graph: Graph,
    messages: Messages,
    durations: Floats,
    machine: Machine,
    cluster: Cluster,
    bytes_: Floats | None = None,
) -> Sent:
    """The schedule of a graph on the nodes of a cluster, each of them such a machine."""
    check(graph, durations, machine, bytes_)
    place = messages.place
    own = replace(graph, before=local_edges(graph.before, place))
    ranked = machine.policy is Policy.PRIORITY
    level = bottom_levels(graph, durations) if ranked else np.empty(0)
    after = inverted(own.before, len(graph))
    load = Load(durations, bytes_, level)
    tables = tables_of(own, load, machine, after)
    nodes = cluster.grid.nodes
    state = repeated(state_of(own, machine), nodes)
    program, start_program = by_node(state.program, tables, place, nodes)
    state = state._replace(program=program)
    np.add.at(state.left, messages.consumers.values, 1)
    first = np.flatnonzero(state.left == 0).astype(np.int64)
    sizes = Sizes(nodes, machine.workers, len(state.oldest) // nodes, start_program)
    came = np.zeros(len(messages))
    wires = wires_of(messages, cluster)
    shared = sharing(cluster, machine.workers)
    clocks = run_nodes(tables, state, wires, sizes, first, came, *shared)
    if (state.left > 0).any():
        raise BadUsageError(f"{graph.instance}: the graph has tasks that can never run")
    ran = state.worker != NOBODY
    worker = np.where(ran, place * machine.workers + state.worker, NOBODY)
    start, end = state.start, state.end
    for group, (times, late) in enumerate(clocks):
        for at, node in ((start, place), (end, place), (came, messages.target)):
            own = shared.group[node] == group
            at[own] += np.interp(at[own], times, late)
    makespan = max(end.max(initial=0.0), came.max(initial=0.0))
    return Sent(Schedule(worker, start, end, float(makespan)), came)


def local_edges(before: Rows, place: Ints) -> Rows:
    """Those between calls of one node."""
    later = owners(before)
    kept = place[later] == place[before.values]
    return grouped(later[kept], before.values[kept], len(before))


def by_node(program: Ints, t: Tables, place: Ints, nodes: int) -> tuple[Ints, Ints]:
    """What each node's submitting task does, one node after another, and where each begins."""
    root = np.maximum(-program, 0)
    if len(t.roots) == 0:
        return program, np.zeros(nodes + 1, np.int64)
    inline = place[np.maximum(program, 0)]
    where = np.where(program < 0, place[t.roots[t.start_root[root]]], inline)
    rows = grouped(where, program, nodes)
    return rows.values, rows.start


def repeated(one: State, nodes: int) -> State:
    """The state of all nodes: what belongs to a machine is there for each."""
    own = ("oldest", "newest", "stocked", "place", "following", "node_of", "delay", "counts")
    return one._replace(**{name: np.tile(getattr(one, name), nodes) for name in own})


def wires_of(messages: Messages, cluster: Cluster) -> Wires:
    return Wires(
        place=messages.place,
        source=messages.source,
        target=messages.target,
        occupies=occupied(messages, cluster),
        latency=float(cluster.network.latency),
        start_consumer=messages.consumers.start,
        consumers=messages.consumers.values,
        start_first=messages.first.start,
        first=messages.first.values,
        start_onward=messages.onward.start,
        onward=messages.onward.values,
    )


def occupied(messages: Messages, cluster: Cluster) -> Floats:
    """How long each message occupies an interface, in ns."""
    found: Floats = messages.bytes_ / cluster.network.bandwidth * 1e9
    return found
