# SPDX-License-Identifier: BSD-3-Clause
"""Reads and writes files of traces (docs/traces.md)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from pydantic_core import from_json, to_json

from pollux.core.console import echo
from pollux.core.errors import BadUsageError
from pollux.insight.graphs.file import read_bytes
from pollux.insight.graphs.model import Ints
from pollux.insight.graphs.work import work_from
from pollux.insight.traces.check import first_flaw
from pollux.insight.traces.header import (
    COLUMNS,
    PROCESSOR_COLUMN,
    SCHEMA,
    TASK_COLUMNS,
    Header,
    parse_header,
)
from pollux.insight.traces.model import TaskEvents, Trace
from pollux.insight.traces.rank import MessageError, Part, is_messages, parse_part

CHUNK = 1 << 22  # bytes parsed at once: lists of a whole file would need ten times its size


@dataclass(frozen=True)
class Section:
    """The lines of one trace."""

    line: int  # of its header, from 1
    head: bytes
    whole: bool  # whether a line feed ends the header
    body: bytes


class TornError(Exception):
    """The file ends within a trace: its writer was killed or had no space left."""


def print_warning(text: str) -> None:
    echo(f"pollux: warning: {text}", to_stderr=True)


def read_traces(path: Path) -> list[Trace]:
    """All traces of a file, in its order.

    A trace that is cut off at the end of the file is left out with a warning, since its events are
    sorted by thread: some threads would be missing.
    """
    traces: list[Trace] = []
    sections = list(split(read_bytes(path, "; expected a file of traces")))
    if not sections:
        raise BadUsageError(f"{path} is empty; --trace of a benchmark program writes traces")
    for number, section in enumerate(sections, 1):
        if traces and is_messages(section.head):
            continue  # read with the trace before them
        after = sections[number] if number < len(sections) else None
        messages = after if after is not None and is_messages(after.head) else None
        is_last = number + (messages is not None) == len(sections)
        try:
            traces.append(read_section(section, path, messages, is_last=is_last))
        except TornError as error:
            if not traces:
                raise BadUsageError(f"{path} ends within its first trace: {error}") from error
            print_warning(f"{path} ends within trace {number}, which is left out: {error}")
    return traces


def split(data: bytes) -> Iterator[Section]:
    """The traces of a file: an object begins a new one."""
    line, place = 1, 0
    while place < len(data):
        next_ = data.find(b"\n{", place)
        stop = len(data) if next_ < 0 else next_ + 1
        head, feed, body = data[place:stop].partition(b"\n")
        if head.strip() or body.strip():
            yield Section(line, head, bool(feed), body)
        line += data.count(b"\n", place, stop)
        place = stop


def is_json(text: bytes) -> bool:
    try:
        from_json(text)
    except ValueError:
        return False
    return True


def read_section(section: Section, path: Path, messages: Section | None, *, is_last: bool) -> Trace:
    if not section.head.lstrip().startswith(b"{"):
        raise BadUsageError(f"{path}, line {section.line}: a trace begins with an object, {SCHEMA}")
    try:
        header = parse_header(section.head)
    except ValueError as error:
        if is_last and not section.whole and not is_json(section.head):
            raise TornError(f"line {section.line} is cut") from error
        raise BadUsageError(f"{path}, line {section.line}: {error}") from error
    events = read_events(section, header, path, is_last=is_last)
    flaw = first_flaw(header, events)
    if flaw is None:
        part = read_part(header, section, messages, path, is_last=is_last)
        return replace(trace_of(header, events), part=part)
    if flaw.event is not None:
        raise BadUsageError(f"{path}, line {line_of(section, flaw.event)}: {flaw.problem}")
    if is_last and messages is None and len(events) < (header.calls or 0):
        raise TornError(flaw.problem)
    raise BadUsageError(f"{path}, line {section.line}: the trace is not whole: {flaw.problem}")


def read_part(
    header: Header, section: Section, messages: Section | None, path: Path, *, is_last: bool
) -> Part | None:
    """What a rank of a run over MPI has written after its kernel calls."""
    if header.rank is None:
        if messages is not None:
            raise BadUsageError(f"{path}, line {messages.line}: messages of a trace of no rank")
        return None
    if messages is None:
        problem = "its messages are missing"
        if is_last:
            raise TornError(problem)
        raise BadUsageError(f"{path}, line {section.line}: the trace is not whole: {problem}")
    try:
        return parse_part(header.rank, messages.body)
    except MessageError as error:
        lines = messages.body.count(b"\n")
        if is_last and lines < header.rank.messages and error.line >= lines:
            raise TornError(f"of its messages: {error}") from error
        where = messages.line + 1 + error.line
        raise BadUsageError(f"{path}, line {where}: {error}") from error


def read_events(section: Section, header: Header, path: Path, *, is_last: bool) -> Ints:
    """The events in rows."""
    width = len(header.columns)
    parts = [np.empty((0, width), np.int64)]
    place = 0
    while place < len(section.body):
        stop = section.body.find(b"\n", place + CHUNK) + 1 or len(section.body)
        text = section.body[place:stop]
        try:
            parts.append(numbers(text, width))
        except ValueError:
            skipped = section.body.count(b"\n", 0, place)
            first = section.line + 1 + skipped
            parts.append(
                line_by_line(text, first, width, path, is_last and stop == len(section.body))
            )
        place = stop
    return np.concatenate(parts)


def numbers(text: bytes, width: int) -> Ints:
    """Lines of whole numbers as an array; ValueError where some line is anything else."""
    rows = from_json(b"[" + text.strip().replace(b"\n", b",") + b"]")
    if not rows:
        return np.empty((0, width), np.int64)
    found = np.array(rows)
    if found.dtype != np.int64 or found.shape != (len(rows), width):
        raise ValueError
    return found


def line_by_line(text: bytes, first: int, width: int, path: Path, may_be_torn: bool) -> Ints:
    """The same, line by line, for an error that names the faulty line; empty lines are skipped."""
    lines = text.split(b"\n")
    parts = []
    for number, line in enumerate(lines, first):
        if not line.strip():
            continue
        try:
            parts.append(numbers(line, width))
        except ValueError as error:
            if may_be_torn and number == first + len(lines) - 1:  # no line feed ends it
                raise TornError(f"line {number} is cut") from error
            raise BadUsageError(
                f"{path}, line {number}: an event is an array of {width} integers, "
                f"not {line[:60].decode(errors='replace')!r}"
            ) from error
    return np.concatenate(parts) if parts else np.empty((0, width), np.int64)


def line_of(section: Section, event: int) -> int:
    """The line of an event, counting empty ones."""
    lines = (n for n, line in enumerate(section.body.split(b"\n")) if line.strip())
    return section.line + 1 + next(n for place, n in enumerate(lines) if place == event)


def trace_of(header: Header, events: Ints) -> Trace:
    """The events in arrays, in the order of their start."""
    by_name = dict(zip(header.columns, events.T, strict=True))
    order = np.lexsort((by_name["thread"], by_name["end_ns"], by_name["start_ns"]))
    column = {name: np.ascontiguousarray(values[order]) for name, values in by_name.items()}
    tasks = TaskEvents(*(column[n] for n in TASK_COLUMNS)) if header.has_tasks else None
    return Trace(
        record=header.record,
        kernels=tuple(header.kernels),
        kernel=column["kernel"],
        step=column["step"],
        i=column["i"],
        j=column["j"],
        thread=column["thread"],
        core=column["core"],
        start=column["start_ns"],
        end=column["end_ns"],
        threads=header.record["threads"],
        submitter=header.submitter,
        submitted=header.submitted_ns,
        region=header.region_ns,
        event_cost=header.event_cost_ns,
        tasks=tasks,
        work=work_from(header.operations, column),
        label=header.label,
        processor=column.get(PROCESSOR_COLUMN),
    )


def write_trace(trace: Trace) -> bytes:
    """The lines of a trace; `read_traces` gives the same trace back."""
    own = [trace.kernel, trace.step, trace.i, trace.j]
    own += [trace.thread, trace.core, trace.start, trace.end, *trace.work.columns()]
    names = list(COLUMNS)
    if trace.tasks is not None:
        t = trace.tasks
        own += [t.task, t.created, t.creator, t.scheduled]
        names += TASK_COLUMNS
    if trace.processor is not None:
        own.append(trace.processor)
        names.append(PROCESSOR_COLUMN)
    header = {
        "schema": SCHEMA,
        "record": trace.record,
        "kernels": list(trace.kernels),
        "operations": [o.model_dump(by_alias=True) for o in trace.work.operations],
        "columns": names,
        "submitter": trace.submitter,
        "submitted_ns": trace.submitted,
        "region_ns": trace.region,
        "event_cost_ns": trace.event_cost,
        **({"label": trace.label} if trace.label else {}),
    }
    order = np.lexsort((trace.end, trace.start, trace.thread))
    rows = np.column_stack(own)[order].astype(np.int64)
    return to_json(header) + b"\n" + lines_of(rows)


def lines_of(rows: Ints) -> bytes:
    """A line for each row."""
    text = to_json(rows.tolist())[1:-1].replace(b"],[", b"]\n[")
    return text + b"\n" if text else b""
