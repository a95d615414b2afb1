# SPDX-License-Identifier: BSD-3-Clause
"""The ready nodes of a simulated runtime: in one queue, in one per worker, or by priority."""

from heapq import heappop, heappush

from pollux.core.compiled import compiled_within
from pollux.insight.simulation.tables import (
    DRAWN,
    FIFO,
    NOBODY,
    PRIORITY,
    READY,
    STEAL,
    STOCKED,
    Queues,
    State,
    Tables,
)


@compiled_within
def push(t: Tables, s: State, q: Queues, worker: int, node: int) -> None:
    """Make a node ready; `worker` is the one that made it ready."""
    s.counts[READY] += 1
    if t.policy == PRIORITY:
        heappush(q.ranked, (-t.level[node], node))
        return
    queue = worker if t.policy == STEAL else 0
    last = s.newest[queue]
    s.older[node] = last
    s.newer[node] = NOBODY
    s.newest[queue] = node
    if last != NOBODY:
        s.newer[last] = node
        return
    s.oldest[queue] = node
    s.place[queue] = s.counts[STOCKED]
    s.stocked[s.counts[STOCKED]] = queue
    s.counts[STOCKED] += 1


@compiled_within
def take_newest(s: State, queue: int) -> int:
    """Remove the node that came last; the queue is not empty."""
    node = s.newest[queue]
    below = s.older[node]
    s.newest[queue] = below
    if below != NOBODY:
        s.newer[below] = NOBODY
    else:
        s.oldest[queue] = NOBODY
        emptied(s, queue)
    return int(node)


@compiled_within
def take_oldest(s: State, queue: int) -> int:
    """Remove the node that came first; the queue is not empty."""
    node = s.oldest[queue]
    above = s.newer[node]
    s.oldest[queue] = above
    if above != NOBODY:
        s.older[above] = NOBODY
    else:
        s.newest[queue] = NOBODY
        emptied(s, queue)
    return int(node)


@compiled_within
def emptied(s: State, queue: int) -> None:
    """Take a queue out of the list of those that are not empty."""
    s.counts[STOCKED] -= 1
    last = s.stocked[s.counts[STOCKED]]
    s.stocked[s.place[queue]] = last
    s.place[last] = s.place[queue]


@compiled_within
def take(t: Tables, s: State, q: Queues, worker: int) -> int:
    """The node that the policy gives to a worker, if at least one is ready. Stealing delays it."""
    s.counts[READY] -= 1
    if t.policy == PRIORITY:
        return heappop(q.ranked)[1]
    queue = worker if t.policy == STEAL else 0
    if t.policy == FIFO:
        return take_oldest(s, queue)
    if s.newest[queue] != NOBODY:  # always so by LIFO
        return take_newest(s, queue)
    # Only successful attempts are drawn: the victim is any worker with ready nodes.
    draw = t.draws[s.counts[DRAWN] % len(t.draws)]
    s.counts[DRAWN] += 1
    s.delay[worker] = t.steal
    return take_oldest(s, s.stocked[int(draw * s.counts[STOCKED])])
