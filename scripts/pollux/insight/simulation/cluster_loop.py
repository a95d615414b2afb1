# SPDX-License-Identifier: BSD-3-Clause
"""The compiled loop over several nodes: each schedules its own tasks as loop.py does.

A message that is ready waits until its sender's interface is free and occupies it; its first byte
is at the receiver after the latency, waits until that interface is free, and occupies it as long.

Nodes that share processors (Processors) are slower: where more of them are busy than they have
processors, each gets an equal share of one. So the events of those that share are at the times of a
machine that has a processor for each, and beside them it is kept by how much the real time is
later.
"""

from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np

from pollux.core.compiled import compiled, compiled_within
from pollux.insight.graphs.model import Ints
from pollux.insight.simulation.loop import finish, occupy_all, place_first
from pollux.insight.simulation.model import Floats
from pollux.insight.simulation.queues import push
from pollux.insight.simulation.tables import COUNTS, FIRST, NOBODY, STUCK, Queues, State, Tables

ARRIVES, COMES = 0, 1  # kinds of events of a message: its first byte is there; all of it is
Agenda = list[tuple[float, int]]  # when a node has an event
Wire = list[tuple[float, int, int, int]]  # time, number of the event, kind, message
NEVER = np.inf


class Sizes(NamedTuple):
    """How the arrays of all nodes are divided."""

    nodes: int
    workers: int  # of each
    queues: int  # of each
    start_program: Ints  # where the program of each begins


class Wires(NamedTuple):
    """The messages (messages.py). Times in ns."""

    place: Ints
    source: Ints
    target: Ints
    occupies: Floats
    latency: float
    start_consumer: Ints
    consumers: Ints
    start_first: Ints
    first: Ints
    start_onward: Ints
    onward: Ints


class Network(NamedTuple):
    """The state of all interfaces, and when each message was complete."""

    free_to_send: Floats  # of each node
    free_to_receive: Floats
    came: Floats
    events: Ints  # their number so far
    wire: list[Wire]  # of each group


class Processors(NamedTuple):
    """Groups of nodes that share processors, and by how much that makes their time later."""

    each: float  # processors of a group; 0: there is one for everything
    group: Ints  # of each node
    busy: Ints  # how much needs one: workers, and messages that are received, which are copied
    receiving: Ints  # messages at the interface of each node
    clock: Floats  # of each group
    times: list[list[float]]  # of each group: where it changes how fast its time gets later
    lates: list[list[float]]


class Nodes(NamedTuple):
    """The workers of all nodes, and which nodes have something new."""

    ranked: list[Agenda]
    events: list[Agenda]
    free: list[list[int]]
    idle: list[list[int]]
    agenda: list[Agenda]  # of each group
    active: list[int]
    is_active: Ints


@compiled_within
def state_of_node(s: State, sizes: Sizes, n: int) -> State:
    """A node's state: its own queues and workers, and what is created there."""
    q, w = n * sizes.queues, n * sizes.workers
    end_q, end_w = q + sizes.queues, w + sizes.workers
    return State(
        s.program[sizes.start_program[n] : sizes.start_program[n + 1]],
        s.left,
        s.older,
        s.newer,
        s.oldest[q:end_q],
        s.newest[q:end_q],
        s.stocked[q:end_q],
        s.place[q:end_q],
        s.running,
        s.held,
        s.todo,
        s.following[w:end_w],
        s.node_of[w:end_w],
        s.delay[w:end_w],
        s.counts[n * COUNTS : (n + 1) * COUNTS],
        s.clock,
        s.worker,
        s.start,
        s.end,
    )


@compiled_within
def activate(c: Nodes, n: int) -> None:
    """A node has something new to do."""
    if c.is_active[n] == 0:
        c.is_active[n] = 1
        c.active.append(n)


@compiled_within
def happens(net: Network, group: int, time: float, kind: int, message: int) -> None:
    heappush(net.wire[group], (time, net.events[0], kind, message))
    net.events[0] += 1


@compiled_within
def send(w: Wires, net: Network, p: Processors, message: int) -> None:
    """A message is ready: its sender's interface takes it when it is free."""
    node = w.source[message]
    group = p.group[node]
    start = max(p.clock[group], net.free_to_send[node])
    net.free_to_send[node] = start + w.occupies[message]
    happens(net, group, start + w.latency, ARRIVES, message)


@compiled_within
def arrive(w: Wires, net: Network, p: Processors, message: int) -> None:
    """Its first byte is there: the receiver's interface takes it when it is free."""
    node = w.target[message]
    group = p.group[node]
    p.receiving[node] += 1
    if p.receiving[node] == 1:
        p.busy[group] += 1
    end = max(p.clock[group], net.free_to_receive[node]) + w.occupies[message]
    net.free_to_receive[node] = end
    happens(net, group, end, COMES, message)


@compiled_within
def come(  # noqa: PLR0913, PLR0917 (the state of a simulation)
    t: Tables,
    s: State,
    w: Wires,
    net: Network,
    p: Processors,
    c: Nodes,
    sizes: Sizes,
    message: int,
) -> None:
    """A message is complete: it goes on, and calls that waited only for it become ready."""
    n = w.target[message]
    group = p.group[n]
    net.came[message] = p.clock[group]
    for at in range(w.start_onward[message], w.start_onward[message + 1]):
        send(w, net, p, w.onward[at])
    p.receiving[n] -= 1
    if p.receiving[n] == 0:
        p.busy[group] -= 1
    own = state_of_node(s, sizes, n)
    for at in range(w.start_consumer[message], w.start_consumer[message + 1]):
        node = w.consumers[at]
        s.left[node] -= 1
        if s.left[node] == 0:
            push(t, own, Queues(c.ranked[n], c.events[n]), FIRST, node)
    activate(c, n)


@compiled_within
def end_calls(  # noqa: PLR0913, PLR0917
    t: Tables, s: State, w: Wires, net: Network, p: Processors, c: Nodes, n: int
) -> None:
    """What ends now on a node, and the messages that it sends then."""
    now = s.clock[0]
    q = Queues(c.ranked[n], c.events[n])
    while len(q.events) > 0 and q.events[0][0] <= now:
        worker = heappop(q.events)[1]
        node = s.node_of[worker]
        finish(t, s, q, worker)
        p.busy[p.group[n]] -= 1
        c.free[n].append(worker)
        if node != NOBODY:
            for at in range(w.start_first[node], w.start_first[node + 1]):
                send(w, net, p, w.first[at])
        activate(c, n)


@compiled_within
def settle(t: Tables, s: State, p: Processors, c: Nodes, n: int) -> None:
    """The free workers of a node begin what they can."""
    q = Queues(c.ranked[n], c.events[n])
    before = len(q.events)
    s.clock[0] = p.clock[p.group[n]]
    occupy_all(t, s, q, c.free[n], c.idle[n])
    p.busy[p.group[n]] += len(q.events) - before
    if len(q.events) > 0:
        heappush(c.agenda[p.group[n]], (q.events[0][0], n))


@compiled_within
def all_nodes(sizes: Sizes, groups: int) -> Nodes:
    """Before anything ran: worker 0 of each node has just become free."""
    ranked = [[(0.0, 0)] for _ in range(sizes.nodes)]  # an entry gives the compiler the type
    events = [[(0.0, 0)] for _ in range(sizes.nodes)]
    for n in range(sizes.nodes):
        ranked[n].clear()
        events[n].clear()
    free = [[0] for _ in range(sizes.nodes)]
    idle = [list(range(1, sizes.workers)) for _ in range(sizes.nodes)]
    agenda = [[(0.0, 0)] for _ in range(groups)]
    for group in range(groups):
        agenda[group].clear()
    active = list(range(sizes.nodes))
    return Nodes(ranked, events, free, idle, agenda, active, np.ones(sizes.nodes, np.int64))


@compiled_within
def begin_all(  # noqa: PLR0913, PLR0917
    t: Tables,
    s: State,
    w: Wires,
    net: Network,
    p: Processors,
    c: Nodes,
    sizes: Sizes,
    first: Ints,
) -> None:
    """What waits for nothing: calls are ready, and messages are sent."""
    one = np.zeros(1, np.int64)
    for node in first:
        n = w.place[node]
        one[0] = node
        place_first(t, state_of_node(s, sizes, n), Queues(c.ranked[n], c.events[n]), one)
    start = len(w.start_first) - 2
    for at in range(w.start_first[start], w.start_first[start + 1]):
        send(w, net, p, w.first[at])


@compiled_within
def settle_all(t: Tables, s: State, p: Processors, c: Nodes, sizes: Sizes) -> None:
    for n in c.active:
        c.is_active[n] = 0
        own = state_of_node(s, sizes, n)
        if own.counts[STUCK] == 1:
            c.free[n].append(0)
        settle(t, own, p, c, n)
    c.active.clear()


@compiled_within
def all_that_happens_now(  # noqa: PLR0913, PLR0917
    t: Tables,
    s: State,
    w: Wires,
    net: Network,
    p: Processors,
    c: Nodes,
    sizes: Sizes,
    group: int,
) -> None:
    """Calls and messages of a group that end at this time, and what follows from them at once."""
    now = p.clock[group]
    s.clock[0] = now
    agenda, wire = c.agenda[group], net.wire[group]
    while True:
        while len(agenda) > 0 and agenda[0][0] <= now:
            n = heappop(agenda)[1]
            own = state_of_node(s, sizes, n)
            end_calls(t, own, w, net, p, c, n)
        while len(wire) > 0 and wire[0][0] <= now:
            event = heappop(wire)
            if event[2] == ARRIVES:
                arrive(w, net, p, event[3])
            else:
                come(t, s, w, net, p, c, sizes, event[3])
        if len(agenda) == 0 or agenda[0][0] > now:
            return


@compiled_within
def all_processors(sizes: Sizes, each: float, group: Ints) -> Processors:
    """Before anything ran."""
    groups = group.max() + 1
    return Processors(
        each,
        group,
        np.zeros(groups, np.int64),
        np.zeros(sizes.nodes, np.int64),
        np.zeros(groups),
        [[0.0] for _ in range(groups)],
        [[0.0] for _ in range(groups)],
    )


@compiled_within
def stretch(p: Processors, group: int) -> float:
    """How many times as long everything takes now that needs one of the group's processors."""
    return max(1.0, p.busy[group] / p.each) if p.each > 0 else 1.0


@compiled_within
def next_event(net: Network, c: Nodes, group: int) -> float:
    """When a group has its next event, by its clock."""
    agenda, wire = c.agenda[group], net.wire[group]
    time = agenda[0][0] if len(agenda) > 0 else NEVER
    return min(time, wire[0][0]) if len(wire) > 0 else time


@compiled_within
def first_group(net: Network, p: Processors, c: Nodes) -> int:
    """The group that has the next event; NOBODY if none has one."""
    first, least = NOBODY, NEVER
    for group in range(len(p.clock)):
        until = (next_event(net, c, group) - p.clock[group]) * stretch(p, group)
        if until < least:
            first, least = group, until
    return first


@compiled_within
def go_on(p: Processors, first: int, time: float) -> None:
    """To this time of a group: until then, what is busy has shared the processors."""
    real = max(0.0, (time - p.clock[first]) * stretch(p, first))
    for group in range(len(p.clock)):
        slower = stretch(p, group)
        before = p.clock[group]
        p.clock[group] = time if group == first else before + real / slower
        if slower > 1.0:
            late = p.lates[group][-1]
            if p.times[group][-1] < before:
                p.times[group].append(before)
                p.lates[group].append(late)
            p.times[group].append(p.clock[group])
            p.lates[group].append(late + real - real / slower)


@compiled
def run_nodes(  # noqa: PLR0913, PLR0917
    t: Tables,
    s: State,
    w: Wires,
    sizes: Sizes,
    first: Ints,
    came: Floats,
    each: float,
    group: Ints,
) -> list[tuple[Floats, Floats]]:
    """Simulate; the schedule is then in the state, with the worker of its node for each call.

    `group` is that of each node, and each has so many processors. Returns for each the times, and
    by how much the real time is later then.
    """
    p = all_processors(sizes, each, group)
    wire = [[(0.0, 0, 0, 0)] for _ in p.clock]
    for one in wire:
        one.clear()
    nothing = np.zeros(sizes.nodes)
    net = Network(nothing.copy(), nothing.copy(), came, np.zeros(1, np.int64), wire)
    c = all_nodes(sizes, len(p.clock))
    begin_all(t, s, w, net, p, c, sizes, first)
    while True:
        settle_all(t, s, p, c, sizes)
        own = first_group(net, p, c)
        if own == NOBODY:
            return [
                (np.array(times), np.array(lates))
                for times, lates in zip(p.times, p.lates)  # noqa: B905 (which numba lacks)
            ]
        go_on(p, own, next_event(net, c, own))
        all_that_happens_now(t, s, w, net, p, c, sizes, own)
