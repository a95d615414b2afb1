# SPDX-License-Identifier: BSD-3-Clause
"""Splits the threads' time of a traced run exactly into the terms of `Terms`.

At each moment, the threads without a kernel count as, in this order:

1. the submitting thread in a phase in which it creates tasks: `creating`;
2. after the last kernel's end: `finishing`;
3. as many threads as there are ready tasks: `dispatch` or `ready`. A task is ready from the end of
   its last predecessor and its creation until its start. One ready task can occupy one thread,
   not all of them;
4. as many as there are tasks that would be ready but are not created yet: `uncreated`;
5. the others: `lack`.

Each kernel begins after a wait during which its thread was free and its task ready. Of that wait,
up to the median between two kernels of which the second was ready before the first had ended is
the runtime's work (`dispatch`): to end a task, to release its successors, to find the next. The
rest of 3 is idle time although tasks were ready (`ready`). Processor time that other processes take
from a thread shows there too, or as a slower kernel.

Where the submitting thread itself runs tasks while it creates others, it ends these, releases and
finds others too: up to the same median of 1 between two of them is `dispatch`.
"""

from dataclasses import replace

import numpy as np

from pollux.core.compiled import compiled, compiled_within
from pollux.insight.explaining.creation import creation
from pollux.insight.explaining.model import Creation, Split, Terms, Timing
from pollux.insight.explaining.timing import timing
from pollux.insight.graphs.model import Flags, Graph, Ints
from pollux.insight.traces.match import match
from pollux.insight.traces.model import TaskEvents, Trace

Steps = tuple[Ints, ...]
# What is counted: calls that run, and those of the submitting thread; tasks that are available, and
# those that would be if they had been created; phases of creation. Over MPI, also tasks whose data
# are on the way, waits of the submitting thread for messages, and messages that are not over.
RUNNING, OWN, AVAILABLE, LATE, PHASES, FAR, BLOCKED, OPEN = range(8)
COUNTERS = 8
NEVER = (np.empty(0, np.int64), np.empty(0, np.int64))


def split_run(graph: Graph, trace: Trace, alone: Ints | None = None) -> Split:
    """The split of a traced run.

    `alone`: the time of each node on one thread; without it, all time in kernels is work.
    """
    nodes = match(trace, graph)
    times = timing(graph, trace, nodes)
    made = creation(graph, trace, nodes, times)
    waits = find_waits(graph, trace, times, made)
    idle = idle_terms(trace, times, made, waits)
    return replace(
        split_of(trace, times, alone, idle, waits.cap),
        is_creation_measured=made.is_measured,
        moved=None if trace.tasks is None else moved_calls(trace.thread, trace.tasks),
    )


def split_of(
    trace: Trace, times: Timing, alone: Ints | None, idle: Ints, dispatch_cap: int
) -> Split:
    """The split with these terms of idle threads, in the order in which `Terms` has them."""
    durations = np.where(times.is_call, times.end - times.start, 0)
    work = int(durations.sum() if alone is None else alone[times.is_call].sum())
    early = np.where(times.is_call, times.ready - times.start, 0)
    return Split(
        threads=trace.threads,
        region=trace.region,
        terms=Terms(work, int(durations.sum()) - work, *idle.tolist()),
        durations=durations,
        alone=alone,
        busy=np.bincount(
            trace.thread, weights=(trace.end - trace.start), minlength=trace.threads
        ).astype(np.int64),
        dispatch_cap=dispatch_cap,
        tracing=trace.event_cost * len(trace),
        too_early=int((early > 0).sum()),
        earliest=int(early.max(initial=0)),
    )


def moved_calls(thread: Ints, tasks: TaskEvents) -> int:
    """Calls on a thread other than the one that created their task."""
    return int(((tasks.task > 0) & (tasks.creator != thread)).sum())


def durations_alone(graph: Graph, trace: Trace) -> Ints:
    """The time of each node in a run with one thread."""
    alone = np.zeros(len(graph), np.int64)
    alone[match(trace, graph)] = trace.end - trace.start
    return alone


class Waits:
    """The time before each call during which its thread was free and its task ready."""

    def __init__(self, available: Ints, length: Ints, creating: Ints, cap: int) -> None:
        self.available = available  # when each node becomes ready; at the latest when it starts
        self.length = length
        self.creating = creating  # between this task and another that the submitting thread ran
        self.cap = cap

    def dispatch(self) -> tuple[int, int]:
        """The runtime's work between tasks: while none is created, and between creations."""
        ready = np.minimum(self.length, self.cap)
        created = np.minimum(self.creating, self.cap - ready)
        return int(ready.sum()), int(created.sum())


def find_waits(graph: Graph, trace: Trace, times: Timing, made: Creation) -> Waits:
    """The wait of each node, and since when it was ready for any thread."""
    before = calls_before(times)
    follows = before >= 0
    free = np.where(follows, times.end[before], np.where(times.is_call, 0, times.start))

    ready = np.minimum(times.ready, times.start)
    tied = is_tied(graph)
    available = np.where(tied, np.maximum(ready, free), np.maximum(ready, made.created))
    by_creator = times.thread == trace.submitter
    available = np.where(tied & by_creator, after_phase(made, available, times.start), available)
    available = np.minimum(available, times.start)
    since = np.maximum(available, free)
    creating = np.where(by_creator, created_between(made, since, times.start), 0)
    length = times.start - since - creating
    between = follows & (available <= free) & (creating == 0)
    cap = int(np.median(length[between])) if between.any() else 0
    if tied.all():  # without tasks, a scheduler has no part in any wait
        cap = int(length.max(initial=0))
    is_second = by_creator & ~tied & follows & (graph.task[before] != 0)
    gap = np.where(is_second, created_between(made, free, times.start), 0)
    return Waits(available, length, gap, cap)


def calls_before(times: Timing) -> Ints:
    """The call that each node's thread made before it; -1 where there is none."""
    calls = np.flatnonzero(times.is_call)
    calls = calls[np.lexsort((times.start[calls], times.thread[calls]))]
    same = times.thread[calls[1:]] == times.thread[calls[:-1]]
    before = np.full(len(times.start), -1)
    before[calls[1:][same]] = calls[:-1][same]
    return before


def is_tied(graph: Graph) -> Flags:
    """Calls that only one thread can make: those of a task that has begun, or that submits."""
    tied = np.ones(len(graph), bool)
    tasks, first = np.unique(graph.task, return_index=True)
    tied[first[tasks != 0]] = False
    return tied


def created_between(made: Creation, since: Ints, until: Ints) -> Ints:
    """How long the submitting thread was creating tasks between these times."""
    return creating_until(made, until) - creating_until(made, since)


def creating_until(made: Creation, time: Ints) -> Ints:
    """How long the submitting thread was creating tasks before each of these times."""
    if not len(made.begin):
        return np.zeros_like(time)
    before = np.concatenate([[0], np.cumsum(made.end - made.begin)])
    at = np.searchsorted(made.begin, time, side="right") - 1
    within = np.clip(time - made.begin[at], 0, made.end[at] - made.begin[at])
    return np.asarray(np.where(at < 0, 0, before[at] + within), np.int64)


def after_phase(made: Creation, since: Ints, start: Ints) -> Ints:
    """`since`, or the end of the last phase of creation before `start` where that is later."""
    if not len(made.begin):
        return since
    at = np.searchsorted(made.begin, start, side="left") - 1
    end = np.where(at < 0, 0, made.end[at])
    return np.asarray(np.maximum(since, end), np.int64)


def idle_terms(trace: Trace, times: Timing, made: Creation, waits: Waits) -> Ints:
    """All terms except those of kernels, in order."""
    calls = np.flatnonzero(times.is_call)
    own = calls[times.thread[calls] == trace.submitter]
    start, end = times.start, times.end
    would = np.minimum(times.ready, start)  # when it would be ready if all tasks were created
    steps = [
        (start[calls], end[calls]),
        (start[own], end[own]),
        (waits.available[calls], start[calls]),
        missing(calls[made.created[calls] > would[calls]], would, waits.available),
        (made.begin, made.end),
        *[NEVER] * (COUNTERS - FAR),
    ]
    sorted_ = tuple(np.sort(times_) for pair in steps for times_ in pair)
    last = int(end[calls].max(initial=0))
    found = sweep(sorted_, trace.threads, trace.region, last)
    return terms_of(found, waits)


def terms_of(found: Ints, waits: Waits) -> Ints:
    """The terms of idle threads, in order, from what `sweep` found."""
    creating, finishing, ready, uncreated, lack, messages = found.tolist()
    apart, within = waits.dispatch()
    dispatch = apart + within
    terms = [creating - within, uncreated, dispatch, finishing, lack, ready - apart, messages]
    return np.array(terms, np.int64)


def missing(late: Ints, would: Ints, available: Ints) -> tuple[Ints, Ints]:
    """The intervals in which tasks created late would be ready if they had been created."""
    return would[late], np.maximum(would, available)[late]


@compiled_within
def count_up_to(now: int, region: int, steps: Steps, places: Ints, counters: Ints) -> int:
    """Count what goes up and down until now; the time of the next step, or the region's end."""
    until = region
    for k in range(len(places)):
        while places[k] < len(steps[k]) and steps[k][places[k]] <= now:
            counters[k // 2] += 1 if k % 2 == 0 else -1
            places[k] += 1
        if places[k] < len(steps[k]):
            until = min(until, steps[k][places[k]])
    return until


@compiled
def sweep(steps: Steps, threads: int, region: int, last: int) -> Ints:
    """Time by what idle threads do: creating, finishing, ready, uncreated, lack, messages.

    `steps` are the sorted times at which each of the counters goes up, and down.
    """
    places = np.zeros(2 * COUNTERS, np.int64)
    counters = np.zeros(COUNTERS, np.int64)
    found = np.zeros(6, np.int64)
    now = 0
    while now < region:
        until = count_up_to(now, region, steps, places, counters)
        if now < last:
            until = min(until, last)
        span = until - now
        creates = counters[PHASES] > 0 and counters[OWN] == 0
        idle = threads - counters[RUNNING] - (1 if creates else 0)
        if creates:
            found[0] += span
        if now >= last and counters[OPEN] > 0:
            found[5] += idle * span
        elif now >= last:
            found[1] += idle * span
        else:
            ready = min(idle, counters[AVAILABLE])
            far = min(idle - ready, counters[FAR])
            late = min(idle - ready - far, counters[LATE])
            found[2] += ready * span
            found[4] += (idle - ready - far - late) * span
            if counters[BLOCKED] > 0:
                far += late
                late = 0
            found[5] += far * span
            found[3] += late * span
        now = until
    return found
