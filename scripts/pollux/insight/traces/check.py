# SPDX-License-Identifier: BSD-3-Clause
"""Checks of a trace's events, whatever program wrote them."""

from dataclasses import dataclass

import numpy as np

from pollux.core.text import counted
from pollux.insight.graphs.model import Flags, Ints
from pollux.insight.graphs.work import WORK_COLUMNS
from pollux.insight.traces.header import COLUMNS, PROCESSOR_COLUMN, Header, TracedRecord


@dataclass(frozen=True)
class Flaw:
    """An error in an event; None: in their number."""

    event: int | None
    problem: str


def first_flaw(header: Header, events: Ints) -> Flaw | None:
    """The first error in the events, given as rows of the header's columns."""
    return (
        flawed_number(header, events)
        or flawed_order(header, events)
        or flawed_count(header, len(events))
    )


def flawed_number(header: Header, events: Ints) -> Flaw | None:
    """Numbers out of range."""
    own = {name: events[:, header.columns.index(name)] for name in COLUMNS}
    threads, kernels = header.record["threads"], len(header.kernels)
    operations = len(header.operations)
    start, end = own["start_ns"], own["end_ns"]
    rules: list[tuple[Flags, str]] = [
        (own["kernel"] < 0, "the kernel's number is negative"),
        (own["kernel"] >= kernels, f"there are {kernels} kernels, numbered from 0"),
        (own["operation"] < 0, "the operation's number is negative"),
        (own["operation"] >= operations, f"there are {operations} operations, numbered from 0"),
        (least_work(own) < 0, "the flops, bytes, block or rows of the call are negative"),
        (own["thread"] < 0, "the thread's number is negative"),
        (own["thread"] >= threads, f"the run had {counted(threads, 'thread')}, numbered from 0"),
        (own["step"] < 0, "the step is negative"),
        (np.minimum(own["i"], own["j"]) < 0, "a coordinate is negative"),
        (start < 0, "it starts before the timed region"),
        (end < start, "it ends before it starts"),
        (end > header.region_ns, f"it ends after the timed region ({header.region_ns} ns)"),
    ]
    if PROCESSOR_COLUMN in header.columns:
        processor = events[:, header.columns.index(PROCESSOR_COLUMN)]
        rules.append((processor < 0, "its time on a processor is negative"))
    found = [Flaw(int(wrong.argmax()), problem) for wrong, problem in rules if wrong.any()]
    return min(found, key=lambda flaw: flaw.event or 0, default=None)


def least_work(own: dict[str, Ints]) -> Ints:
    """The least of the numbers that state the work of each call."""
    found: Ints = np.min([own[name] for name in WORK_COLUMNS[1:]], axis=0)
    return found


def flawed_order(header: Header, events: Ints) -> Flaw | None:
    """Events of one thread that overlap."""
    thread, start, end = (
        events[:, header.columns.index(name)] for name in ("thread", "start_ns", "end_ns")
    )
    order = np.lexsort((end, start, thread))
    same = thread[order[1:]] == thread[order[:-1]]
    wrong = same & (start[order[1:]] < end[order[:-1]])
    if not wrong.any():
        return None
    place = int(wrong.argmax())
    event = int(order[place + 1])
    return Flaw(event, f"it overlaps another event of thread {int(thread[event])}")


def flawed_count(header: Header, events: int) -> Flaw | None:
    """Fewer or more events than the record counts kernels, where all of them ran."""
    record = TracedRecord.model_validate(header.record)
    calls = header.calls
    if record.status or calls is None or calls == events:
        return None
    return Flaw(None, f"it has {events} events, but its record counts {calls} kernel calls")
