# SPDX-License-Identifier: BSD-3-Clause
"""Splits the threads' time of a run over MPI: as `split.py`, rank by rank, with messages.

A task is ready when what it needs is on its rank. At each moment, the threads of a rank without a
kernel count as, in this order:

1. the thread that creates tasks, in a phase in which it does: `creating`;
2. after the last kernel's end on all ranks: `messages` while one of the rank is not over, else
   `finishing`;
3. as many threads as there are ready tasks: `dispatch` or `ready`;
4. as many as there are tasks of which all that they need has been computed, on whatever rank, and
   is not there yet: `messages`;
5. as many as there are tasks that would be ready but are not created yet: `messages` while the
   thread that creates them waits for messages, else `uncreated`;
6. the others: `lack`. That includes waiting for tiles that other ranks still compute, and all
   threads of a rank before its timed region has begun.
"""

from dataclasses import replace

import numpy as np

from pollux.insight.explaining.arrivals import Needs, find_needs
from pollux.insight.explaining.creation import Gaps, latest_creation, share_of
from pollux.insight.explaining.model import Creation, Split, Timing
from pollux.insight.explaining.split import (
    Waits,
    find_waits,
    is_tied,
    missing,
    split_of,
    split_run,
    sweep,
    terms_of,
)
from pollux.insight.explaining.timing import NOWHERE, timing
from pollux.insight.graphs.model import Flags, Graph, Ints
from pollux.insight.traces.match import match
from pollux.insight.traces.model import Messages, Ranks, Trace


def split_any(graph: Graph, trace: Trace, alone: Ints | None = None) -> Split:
    """The split of a traced run of one process, or of several."""
    split = split_run if trace.ranks is None else split_ranks
    return split(graph, trace, alone)


def split_ranks(graph: Graph, trace: Trace, alone: Ints | None = None) -> Split:
    """The split of a run over MPI; `alone` as of `split_run`."""
    ranks = trace.ranks
    assert ranks is not None
    nodes = match(trace, graph)
    times = timing(graph, trace, nodes)
    needs = find_needs(graph, times, ranks)
    found = [RankSplit(graph, trace, times, needs, rank) for rank in range(ranks.count)]
    last = int(times.end[times.is_call].max(initial=0))
    idle = np.sum([own.terms(last) for own in found], axis=0)
    late = ranks.messages.sent - ranks.messages.received
    on_ranks = replace(times, ready=needs.local)
    cap = max(own.waits.cap for own in found)
    return replace(
        split_of(trace, on_ranks, alone, idle, cap),
        backwards=int(late.max(initial=0)),
    )


class RankSplit:
    """The idle threads of one rank."""

    def __init__(self, graph: Graph, trace: Trace, times: Timing, needs: Needs, rank: int) -> None:
        ranks = trace.ranks
        assert ranks is not None
        first, end = int(ranks.first[rank]), int(ranks.first[rank + 1])
        own = times.is_call & (times.thread >= first) & (times.thread < end)
        self.needs = needs
        self.far = own & (needs.arrived > needs.computed)  # calls that waited for a message
        self.trace = replace(
            trace, threads=end - first, submitter=int(ranks.submitter[rank]), ranks=None
        )
        self.times = replace(
            times, is_call=own, ready=needs.arrived, thread=np.where(own, times.thread, NOWHERE)
        )
        self.begin = int(ranks.begin[rank])
        self.blocked = waits_of(ranks, rank)
        self.open = open_messages(ranks.messages, rank)
        self.made = creation_on_rank(graph, trace, self.times, rank, self.far)
        self.waits: Waits = find_waits(graph, self.trace, self.times, self.made)

    def terms(self, last: int) -> Ints:
        """Creating, uncreated, dispatch, finishing, lack, ready, messages; `last`: end of all."""
        times, made = self.times, self.made
        calls = np.flatnonzero(times.is_call)
        own = calls[times.thread[calls] == self.trace.submitter]
        start, end = times.start, times.end
        arrived = np.maximum(self.needs.arrived, self.begin)
        computed = np.maximum(self.needs.computed, self.begin)
        late = calls[made.created[calls] > arrived[calls]]
        far = np.flatnonzero(self.far)
        steps = [
            (start[calls], end[calls]),
            (start[own], end[own]),
            (self.waits.available[calls], start[calls]),
            missing(late, arrived, self.waits.available),
            (made.begin, made.end),
            (computed[far], arrived[far]),
            (self.blocked[0], self.blocked[1]),
            self.open,
        ]
        sorted_ = tuple(np.sort(times_) for pair in steps for times_ in pair)
        found = sweep(sorted_, self.trace.threads, self.trace.region, last)
        return terms_of(found, self.waits)


def waits_of(ranks: Ranks, rank: int) -> tuple[Ints, Ints]:
    """When the thread that creates a rank's tasks waited for messages, until all were created."""
    own = (ranks.waits.rank == rank) & (ranks.waits.begin < ranks.submitted[rank])
    end = np.minimum(ranks.waits.end[own], ranks.submitted[rank])
    return ranks.waits.begin[own], end


def open_messages(messages: Messages, rank: int) -> tuple[Ints, Ints]:
    """When each message of a rank was under way, by what the rank knew."""
    sends, receives = messages.sender == rank, messages.receiver == rank
    begin = np.concatenate([messages.sent[sends], messages.posted[receives]])
    return begin, np.concatenate([messages.delivered[sends], messages.received[receives]])


def creation_on_rank(graph: Graph, trace: Trace, times: Timing, rank: int, far: Flags) -> Creation:
    """When the tasks of a rank were created, estimated as in `creation.py`.

    The thread that creates them also waits for messages, and creates none then. Where all tasks
    were complete at the end of such a wait, those that began later were created after it; and so
    were tasks that read what came during a wait.
    """
    ranks = trace.ranks
    assert ranks is not None
    begin, submitted = int(ranks.begin[rank]), int(ranks.submitted[rank])
    blocked = waits_of(ranks, rank)
    own = times.is_call & (times.thread == ranks.submitter[rank])
    busy = union(
        np.concatenate([times.start[own], blocked[0], [0]]),
        np.concatenate([times.end[own], blocked[1], [begin]]),
    )
    made = np.flatnonzero(times.is_call & ~is_tied(graph))
    created = np.where(times.is_call, times.ready, 0)
    if len(made):
        gaps = Gaps(busy[0], busy[1], trace.region)
        spent = int(gaps.until(np.array([submitted]))[0])
        number = np.arange(1, len(made) + 1)
        likely = gaps.when(share_of(spent, number, len(made)))
        likely = np.maximum(likely, earliest_creation(ranks, rank, times, made, far))
        created[made] = np.minimum(likely, latest_creation(made, times, trace.region))
    created = np.where(times.is_call, np.minimum(created, times.start), created)
    return Creation(created, *phases(begin, submitted, blocked), is_measured=False)


def earliest_creation(ranks: Ranks, rank: int, times: Timing, made: Ints, far: Flags) -> Ints:
    """After the last wait that emptied the rank, and after that in which data came from others."""
    begin, end = waits_of(ranks, rank)
    own = (ranks.waits.rank == rank) & (ranks.waits.begin < ranks.submitted[rank])
    drained = np.sort(end[ranks.waits.drained[own]])
    after = np.concatenate([[0], drained])[
        np.searchsorted(drained, times.start[made], side="right")
    ]
    if not len(begin):
        return after
    at = np.searchsorted(begin, times.ready[made], side="right") - 1
    inside = far[made] & (at >= 0) & (times.ready[made] <= end[at]) & (end[at] <= times.start[made])
    return np.asarray(np.maximum(after, np.where(inside, end[at], 0)), np.int64)


def phases(begin: int, submitted: int, blocked: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """From the start of the region until all tasks were created, without the waits."""
    start = np.maximum(np.concatenate([[begin], blocked[1]]), begin)
    end = np.minimum(np.concatenate([blocked[0], [submitted]]), submitted)
    return start[start < end], end[start < end]


def union(begin: Ints, end: Ints) -> tuple[Ints, Ints]:
    """The intervals with those that overlap or touch joined, in order."""
    order = np.argsort(begin, kind="stable")
    begin, end = begin[order], np.maximum.accumulate(end[order])
    is_new = np.append(True, begin[1:] > end[:-1])
    return begin[is_new], end[np.append(is_new[1:], True)]
