# SPDX-License-Identifier: BSD-3-Clause
"""The simulator's compiled loop: from one end of a node to the next."""

from heapq import heappop, heappush

from pollux.core.compiled import compiled, compiled_within
from pollux.insight.graphs.model import Ints
from pollux.insight.simulation.queues import push, take
from pollux.insight.simulation.tables import (
    AT,
    BUSY,
    FIRST,
    NOBODY,
    READY,
    STEAL,
    STUCK,
    Queues,
    State,
    Tables,
)


@compiled_within
def complete(t: Tables, s: State, q: Queues, worker: int, node: int) -> None:
    """A node is done: what waited only for it becomes ready, or done if it takes no time.

    The next node of the same task stays with the worker: no other task runs between the two.
    """
    now = s.clock[0]
    s.todo[0] = node
    size, at = 1, 0
    while at < size:
        for edge in range(t.start_after[s.todo[at]], t.start_after[s.todo[at] + 1]):
            later = t.after[edge]
            s.left[later] -= 1
            if s.left[later] > 0:
                continue
            if t.no_time[later]:
                s.start[later] = now
                s.end[later] = now
                s.todo[size] = later
                size += 1
            elif t.task[later] == t.task[node] and s.following[worker] == NOBODY:
                s.following[worker] = later
            else:
                push(t, s, q, worker, later)
        at += 1


@compiled_within
def free_of(t: Tables, s: State, q: Queues, worker: int, node: int) -> None:
    """Make nodes ready again that were held because the task of this node ran."""
    task = t.task[node]
    s.running[task] -= 1
    waiting = s.held[task]
    s.held[task] = NOBODY
    while waiting != NOBODY:
        after = s.newer[waiting]
        push(t, s, q, worker, waiting)
        waiting = after


@compiled_within
def held_up(t: Tables, s: State, node: int) -> bool:
    """Whether a task that excludes the node's is running; if so, the node is held until it ends."""
    task = t.task[node]
    for at in range(t.start_rival[task], t.start_rival[task + 1]):
        rival = t.rivals[at]
        if s.running[rival] > 0:
            s.newer[node] = s.held[rival]
            s.held[rival] = node
            return True
    return False


@compiled_within
def begin(t: Tables, s: State, q: Queues, worker: int, node: int) -> None:
    """A worker begins a node. Its share of the bandwidth is the one at the moment it begins."""
    now = s.clock[0]
    s.counts[BUSY] += 1
    s.running[t.task[node]] += 1
    s.node_of[worker] = node
    length = t.duration[node]
    if t.bytes_per_ns > 0:
        length = max(length, t.bytes_[node] * s.counts[BUSY] / t.bytes_per_ns)
    s.worker[node] = worker
    s.start[node] = now + s.delay[worker] + t.overhead[node]
    s.delay[worker] = 0.0
    s.end[node] = s.start[node] + length
    heappush(q.events, (s.end[node], worker))


@compiled_within
def pick(t: Tables, s: State, q: Queues, worker: int) -> bool:
    """A free worker takes a ready node that nothing excludes, if there is one."""
    while s.counts[READY] > 0:
        node = take(t, s, q, worker)
        if not held_up(t, s, node):
            begin(t, s, q, worker, node)
            return True
        s.delay[worker] = 0.0
    return False


@compiled_within
def submit(t: Tables, s: State, q: Queues) -> bool:
    """Worker 0 continues the submitting task, or helps; whether it has something to do."""
    now = s.clock[0]
    s.counts[STUCK] = 0
    while s.counts[AT] < len(s.program):
        node = s.program[s.counts[AT]]
        if node < 0:
            full = 0 <= t.throttle <= s.counts[READY]
            if not (full and pick(t, s, q, FIRST)):
                heappush(q.events, (now + t.creation, 0))
            return True
        if s.left[node] > 1:  # besides its turn in the program
            if pick(t, s, q, FIRST):
                return True
            s.counts[STUCK] = 1
            return False
        s.counts[AT] += 1
        s.left[node] = 0
        if not t.no_time[node]:
            begin(t, s, q, FIRST, node)
            return True
        s.start[node] = now
        s.end[node] = now
        complete(t, s, q, FIRST, node)
    return pick(t, s, q, FIRST)


@compiled_within
def create(t: Tables, s: State, q: Queues) -> None:
    """Worker 0 has created a task: its nodes now wait for their dependences only."""
    now = s.clock[0]
    root = -s.program[s.counts[AT]]
    s.counts[AT] += 1
    for at in range(t.start_root[root], t.start_root[root + 1]):
        node = t.roots[at]
        s.left[node] -= 1
        if s.left[node] > 0:
            continue
        if t.no_time[node]:
            s.start[node] = now
            s.end[node] = now
            complete(t, s, q, FIRST, node)
        else:
            push(t, s, q, FIRST, node)


@compiled_within
def finish(t: Tables, s: State, q: Queues, worker: int) -> None:
    """An event of a worker: the end of the node that it runs, or else of a creation."""
    node = s.node_of[worker]
    s.node_of[worker] = NOBODY
    if node == NOBODY:
        create(t, s, q)
        return
    s.counts[BUSY] -= 1
    complete(t, s, q, worker, node)
    free_of(t, s, q, worker, node)


@compiled_within
def occupy(t: Tables, s: State, q: Queues, worker: int) -> bool:
    """A worker that has just become free continues its task, if it can."""
    node = s.following[worker]
    if node != NOBODY:
        s.following[worker] = NOBODY
        begin(t, s, q, worker, node)
        return True
    if worker == 0 and s.counts[AT] < len(s.program):
        return submit(t, s, q)
    if t.policy == STEAL and s.newest[worker] != NOBODY:
        return pick(t, s, q, worker)
    return False


@compiled_within
def place_first(t: Tables, s: State, q: Queues, first: Ints) -> None:
    """Make nodes that wait for nothing ready, on worker 0."""
    for node in first:
        if t.no_time[node]:
            complete(t, s, q, FIRST, node)
        else:
            push(t, s, q, FIRST, node)


@compiled_within
def occupy_all(t: Tables, s: State, q: Queues, free: list[int], idle: list[int]) -> None:
    """Workers that have just become free, and idle ones, begin what they can."""
    for worker in free:
        if occupy(t, s, q, worker):
            continue
        if worker != 0 or s.counts[STUCK] == 0:
            heappush(idle, worker)
    free.clear()
    while len(idle) > 0 and s.counts[READY] > 0:
        worker = heappop(idle)
        if not pick(t, s, q, worker):
            heappush(idle, worker)


@compiled
def run(t: Tables, s: State, workers: int, first: Ints) -> float:
    """Simulate; the schedule is then in the state. Returns its length."""
    events, ranked = [(0.0, 0)], [(0.0, 0)]  # an entry gives the compiler the type
    events.clear()
    ranked.clear()
    q = Queues(ranked, events)
    free = [FIRST]  # workers that have just become free
    idle = list(range(1, workers))
    place_first(t, s, q, first)
    while True:
        occupy_all(t, s, q, free, idle)
        if len(events) == 0:
            return float(s.clock[0])
        s.clock[0] = events[0][0]
        while len(events) > 0 and events[0][0] == s.clock[0]:
            worker = heappop(events)[1]
            finish(t, s, q, worker)
            free.append(worker)
        if s.counts[STUCK] == 1:
            free.append(0)
