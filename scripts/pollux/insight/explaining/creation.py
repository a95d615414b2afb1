# SPDX-License-Identifier: BSD-3-Clause
"""When each task was created: as an OMPT tool saw it, else estimated from the creator's gaps.

The estimate: between two taskwaits, the submitting thread needs the same time to create each task,
and creates none while it runs a kernel. The time per task follows from the moment when the last
one was created, which is in every trace. No task is created after it began, nor after a task that
was created later began. Nested tasks count as created when the graph allows them to be ready.
"""

import numpy as np

from pollux.insight.explaining.model import Creation, Timing
from pollux.insight.graphs.model import TASKWAIT, Flags, Graph, Ints
from pollux.insight.traces.model import Trace


class Gaps:
    """The time in which one thread runs no kernel, as a clock that stops during kernels."""

    def __init__(self, start: Ints, end: Ints, region: int) -> None:
        self.begin = np.concatenate([[0], end])
        self.length = np.concatenate([start, [region]]) - self.begin
        self.before = np.concatenate([[0], np.cumsum(self.length)])

    def until(self, time: Ints) -> Ints:
        """How much of it has passed before each of these times."""
        at = np.searchsorted(self.begin, time, side="right") - 1
        within = np.minimum(time - self.begin[at], self.length[at])
        return np.asarray(self.before[at] + within, np.int64)

    def when(self, amount: Ints) -> Ints:
        """When this much of it has first passed."""
        at = np.searchsorted(self.before[1:], amount, side="left")
        at = np.minimum(at, len(self.begin) - 1)
        return np.asarray(self.begin[at] + amount - self.before[at], np.int64)


def submitted_nodes(graph: Graph) -> Ints:
    """The first node of each task that the submitting task created itself, in order."""
    tasks, first = np.unique(graph.task, return_index=True)
    own = (tasks != 0) & (graph.root_task[first] == tasks)
    return np.asarray(first[own], np.int64)


def creation(graph: Graph, trace: Trace, nodes: Ints, times: Timing) -> Creation:
    """When the task of each node was created, and when the submitting thread created tasks."""
    submitted = submitted_nodes(graph)
    is_wait = np.array([name == TASKWAIT for name in graph.kernels], bool)[graph.kernel]
    waits = np.flatnonzero(is_wait & (graph.task == 0))
    part = np.searchsorted(waits, submitted)  # taskwaits cut the submission into parts
    begin = np.concatenate([[0], times.end[waits]])
    latest = latest_creation(submitted, times, trace.region)
    created = times.ready.copy()
    if trace.tasks is not None:
        created[nodes] = np.maximum(trace.tasks.created, 0)
        is_seen = times.is_call[submitted]
        seen = np.minimum(np.where(is_seen, created[submitted], latest), latest)
    else:
        seen = np.minimum(estimate(trace, part, begin), latest)
    created[submitted] = seen
    created = np.where(times.is_call, np.minimum(created, times.start), created)
    phases = creating_phases(trace, part, begin, seen)
    return Creation(created, *phases, is_measured=trace.tasks is not None)


def latest_creation(submitted: Ints, times: Timing, region: int) -> Ints:
    """The latest possible times: before the task, and any created later, began."""
    begun = np.where(times.is_call[submitted], times.start[submitted], region)
    return np.asarray(np.minimum.accumulate(begun[::-1])[::-1], np.int64)


def estimate(trace: Trace, part: Ints, begin: Ints) -> Ints:
    """When each task is created if all take the creator the same time."""
    if not len(part):
        return part
    own = trace.thread == trace.submitter
    gaps = Gaps(trace.start[own], trace.end[own], trace.region)
    offset = gaps.until(begin)
    number = np.arange(len(part)) - np.searchsorted(part, part) + 1  # within its part, from 1
    last = part[-1]
    spent = max(0, int(gaps.until(np.array([trace.submitted]))[0] - offset[last]))
    return gaps.when(offset[part] + share_of(spent, number, int(number[-1])))


def share_of(spent: int, number: Ints, count: int) -> Ints:
    """`spent` × `number` / `count`, rounded up; the product alone may take more than 64 bits."""
    return np.asarray(spent // count * number - -(spent % count * number) // count, np.int64)


def creating_phases(trace: Trace, part: Ints, begin: Ints, created: Ints) -> tuple[Ints, Ints]:
    """From a taskwait's end until the last task before the next taskwait is created."""
    if not len(part):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    is_last: Flags = np.append(part[1:] != part[:-1], True)
    start, end = begin[part[is_last]], created[is_last]
    end = np.append(end[:-1], trace.submitted)
    start = np.maximum.accumulate(start)
    end = np.minimum(np.maximum(end, start), np.append(start[1:], trace.region))
    return start[start < end], end[start < end]
