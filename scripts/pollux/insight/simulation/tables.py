# SPDX-License-Identifier: BSD-3-Clause
"""The input and the state of the compiled simulator, as tuples of arrays."""

from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np

from pollux.insight.graphs.model import Flags, Graph, Ints, Rows
from pollux.insight.graphs.rows import grouped
from pollux.insight.simulation.model import Floats, Machine, Policy

CODES = {Policy.FIFO: 0, Policy.LIFO: 1, Policy.PRIORITY: 2, Policy.STEAL: 3}
FIFO, LIFO, PRIORITY, STEAL = CODES.values()
Heap = list[tuple[float, int]]
NOBODY = -1  # the worker of such nodes; also the end of a linked list
# Worker 0. Of numpy's type: for a literal, numba would compile what is called with it once more.
FIRST = cast(int, np.int64(0))


class Tables(NamedTuple):
    """The input of a run. Times in ns."""

    policy: int
    start_after: Ints  # direct successors of each node, as in Rows
    after: Ints
    duration: Floats
    overhead: Floats  # before the node, on its worker
    steal: float
    bytes_per_ns: float  # 0: no limit
    bytes_: Floats
    level: Floats  # length of the longest path from each node to the end
    task: Ints
    no_time: Flags
    start_rival: Ints  # tasks that never run at the same time as each task, as in Rows
    rivals: Ints
    start_root: Ints  # nodes of each task that it creates, with those of their children
    roots: Ints
    creation: float
    throttle: int
    draws: Floats  # of victims, from 0 to 1


class State(NamedTuple):
    """The state of a run. A ready node is in one queue; queues are doubly linked lists."""

    program: Ints  # what the submitting task does: runs node v (v >= 0) or creates task -v
    left: Ints  # number of events that each node still waits for
    older: Ints  # neighbour in its queue
    newer: Ints
    oldest: Ints  # of each queue
    newest: Ints
    stocked: Ints  # queues that are not empty, in no order
    place: Ints  # position of a queue in that list
    running: Ints  # nodes of each task that run now
    held: Ints  # for each task, the first of the nodes that wait until it does not run
    todo: Ints  # scratch: nodes that are done and whose successors are not yet updated
    following: Ints  # for each worker, the next node of the task it ran
    node_of: Ints  # the node that each worker runs
    delay: Floats  # overhead of each worker before the node that it has taken
    counts: Ints  # READY, STOCKED, …
    clock: Floats  # the time
    worker: Ints  # results, for each node
    start: Floats
    end: Floats


class Queues(NamedTuple):
    """Ordered queues, as heaps."""

    ranked: Heap  # ready nodes by priority, the negative level first
    events: Heap  # when each worker ends its current action


# Positions in State.counts: ready nodes, queues with any, busy workers, draws used,
# the submitting task's place in its program, and whether worker 0 waits there with nothing to run.
READY, STOCKED, BUSY, DRAWN, AT, STUCK, COUNTS = range(7)


@dataclass(frozen=True)
class Load:
    """The load of a graph's nodes on a machine."""

    durations: Floats
    bytes_: Floats | None
    level: Floats  # length of the longest path from each node to the end, if needed


def tables_of(graph: Graph, load: Load, machine: Machine, successors: Rows) -> Tables:
    """The arrays for one run of a graph on a machine."""
    nodes = len(graph)
    no_time = ~graph.calls()
    tasks = int(graph.task.max(initial=0)) + 1
    roots = grouped(graph.root_task, np.arange(nodes, dtype=np.int64), tasks)
    rivals = rivals_of(graph)
    stealing = machine.policy is Policy.STEAL
    return Tables(
        policy=CODES[machine.policy],
        start_after=successors.start,
        after=successors.values,
        duration=np.where(no_time, 0.0, load.durations),
        overhead=overheads(graph, machine),
        steal=float(machine.steal),
        bytes_per_ns=machine.bandwidth * 1e-9 if machine.bandwidth else 0.0,
        bytes_=np.zeros(nodes) if load.bytes_ is None else load.bytes_.astype(np.float64),
        level=load.level,
        task=graph.task,
        no_time=no_time,
        start_rival=rivals.start,
        rivals=rivals.values,
        start_root=roots.start,
        roots=roots.values,
        creation=float(machine.creation),
        throttle=-1 if machine.throttle is None else machine.throttle,
        draws=np.random.default_rng(machine.seed).random(nodes if stealing else 0),
    )


def state_of(graph: Graph, machine: Machine) -> State:
    """The state before anything ran."""
    nodes = len(graph)
    tasks = int(graph.task.max(initial=0)) + 1
    queues = machine.workers if machine.policy is Policy.STEAL else 1
    submitted = machine.creation > 0  # then each node also waits for its creation

    def none(size: int) -> Ints:
        return np.full(size, NOBODY, np.int64)

    return State(
        program=program_of(graph) if submitted else np.empty(0, np.int64),
        left=np.diff(graph.before.start) + submitted,
        older=none(nodes),
        newer=none(nodes),
        oldest=none(queues),
        newest=none(queues),
        stocked=none(queues),
        place=none(queues),
        running=np.zeros(tasks, np.int64),
        held=none(tasks),
        todo=none(nodes + 1),
        following=none(machine.workers),
        node_of=none(machine.workers),
        delay=np.zeros(machine.workers),
        counts=np.zeros(COUNTS, np.int64),
        clock=np.zeros(1),
        worker=none(nodes),
        start=np.zeros(nodes),
        end=np.zeros(nodes),
    )


def overheads(graph: Graph, machine: Machine) -> Floats:
    """The overhead before each node on its worker.

    A task is dispatched once, before its first node. A nested task also pays its creation there:
    in reality the parent's worker pays it, a little earlier. What a task costs that begins with
    creating others is paid before the first call that it creates.
    """
    tasks, first = np.unique(graph.task, return_index=True)
    first = first[tasks > 0]
    nested = graph.task[first] != graph.root_task[first]
    cost = machine.dispatch + np.where(nested, machine.creation, 0.0)
    calls = np.append(np.flatnonzero(graph.calls()), len(graph))
    payer = calls[np.searchsorted(calls, first)]
    roots = np.append(graph.root_task, NOBODY)
    is_own = roots[payer] == roots[first]  # not of a task that does nothing
    return np.bincount(payer[is_own], cost[is_own], len(graph)).astype(np.float64)


def program_of(graph: Graph) -> Ints:
    """The actions of the submitting task, in order."""
    roots, first = np.unique(graph.root_task, return_index=True)
    created = roots > 0
    inline = np.flatnonzero(graph.task == 0)
    position = np.concatenate([first[created], inline])
    what = np.concatenate([-roots[created], inline])
    return what[np.argsort(position, kind="stable")].astype(np.int64)


def rivals_of(graph: Graph) -> Rows:
    """The tasks that exclude each task."""
    tasks = int(graph.task.max(initial=0)) + 1
    pairs = graph.exclusive
    both = np.unique(np.concatenate([pairs, pairs[:, ::-1]]), axis=0)
    return grouped(both[:, 0].copy(), both[:, 1].copy(), tasks)
