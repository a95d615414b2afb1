# SPDX-License-Identifier: BSD-3-Clause
"""Lanes for messages in charts of runs over MPI: one below the threads of each rank."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pollux.insight.graphs.model import Flags, Ints
from pollux.insight.traces.model import Messages, Ranks, Trace
from pollux.insight.traces.rank import CANDIDATE
from pollux.output.figures.kernels import MESSAGE


@dataclass(frozen=True)
class Arrows:
    """Messages from lane to lane, ns."""

    source: Ints  # lanes
    target: Ints
    sent: Ints
    received: Ints
    i: Ints
    j: Ints


def with_lanes(traces: Sequence[Trace]) -> list[Trace]:
    return [trace if trace.ranks is None else with_lane(trace, trace.ranks) for trace in traces]


def with_lane(trace: Trace, ranks: Ranks) -> Trace:
    """The trace with another thread for each rank, whose calls are messages under way to it."""
    step = np.arange(ranks.count + 1)
    moved = trace.thread + ranks.of_thread(trace.thread)
    first = ranks.first + step
    events = stretches(ranks.messages, first, trace.instance.nb)
    kernel = np.full(len(events), len(trace.kernels))
    added = {
        **dict(zip(("thread", "start", "end", "step", "i", "j"), events.T, strict=True)),
        "kernel": kernel,
        "core": np.full(len(events), -1),
    }
    columns: dict[str, Any] = {
        name: np.concatenate([moved if name == "thread" else getattr(trace, name), values])
        for name, values in added.items()
    }
    order = np.lexsort((columns["thread"], columns["end"], columns["start"]))
    submitter = ranks.submitter + step[:-1]
    lanes = replace(ranks, first=first, submitter=submitter, has_lanes=True)
    return replace(
        trace,
        kernels=(*trace.kernels, MESSAGE),
        **{name: values[order].astype(np.int64) for name, values in columns.items()},
        threads=int(first[-1]),
        submitter=int(submitter[0]),
        ranks=lanes,
    )


def stretches(messages: Messages, first: Ints, nb: int) -> Ints:
    """The times in which messages were under way to each rank: lane, start, end, step, i, j.

    Those that overlap are one stretch, named by the tile that came first, or by the column of the
    matrix if that was a row of a spread panel.
    """
    begin, end = messages.under_way, messages.received
    step = np.minimum(messages.i, messages.j)
    step = np.where(messages.what >= CANDIDATE, step // nb, step)
    rows: list[list[int]] = []
    for rank in range(len(first) - 1):
        own = np.flatnonzero(messages.receiver == rank)
        last = -1
        for m in own[np.lexsort((end[own], begin[own]))].tolist():
            if begin[m] > last or not rows:
                name = (int(step[m]), int(messages.i[m]), int(messages.j[m]))
                rows.append([int(first[rank + 1]) - 1, int(begin[m]), int(end[m]), *name])
            last = max(last, int(end[m]))
            rows[-1][2] = last
    return np.array(rows, np.int64).reshape(-1, 6)


def arrows(trace: Trace) -> Arrows:
    """An arrow for each message, between the lanes of messages; none of a run of one process."""
    ranks = trace.ranks
    if ranks is None:
        return Arrows(*(np.zeros(0, np.int64) for _ in range(6)))
    m = ranks.messages
    lane = ranks.first[1:] - 1
    return Arrows(lane[m.sender], lane[m.receiver], m.sent, m.received, m.i, m.j)


def is_kernel(trace: Trace) -> Flags:
    """Which events are kernel calls, and not messages."""
    if trace.ranks is None or not trace.ranks.has_lanes:
        return np.ones(len(trace), bool)
    return np.asarray(trace.kernel != trace.kernels.index(MESSAGE))


def computing_threads(trace: Trace) -> int:
    """The threads that run kernels."""
    ranks = trace.ranks
    return trace.threads - (ranks.count if ranks is not None and ranks.has_lanes else 0)


def name_of_lane(trace: Trace, lane: int) -> str:
    return str(lane) if trace.ranks is None else trace.ranks.name_of(lane)


def packed_rows(begin: Ints, end: Ints) -> Ints:
    """A row for each interval, the first in which it overlaps no other."""
    rows: list[int] = []  # when each is free
    found = np.zeros(len(begin), np.int64)
    for place in np.lexsort((end, begin)).tolist():
        free = next((r for r, until in enumerate(rows) if until <= begin[place]), len(rows))
        if free == len(rows):
            rows.append(0)
        rows[free] = int(end[place])
        found[place] = free
    return found
