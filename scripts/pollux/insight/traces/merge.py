# SPDX-License-Identifier: BSD-3-Clause
"""Puts the traces of all ranks of a run on one clock, that of rank 0.

By how much a rank's clock differs from that of rank 0 is known before and after the run, each from
the shortest of many round trips, within half of it (F. Cristian: Probabilistic clock
synchronization, Distributed Computing 3(3), 1989). Between the two the difference is taken to
change evenly (J. Doleschal, A. Knüpfer, M. S. Müller, W. E. Nagel: Internal timer synchronization
for parallel event tracing, EuroPVM/MPI 2008). Ranks on the machine of rank 0 read the same clock:
where both differences are within their errors of zero, they are zero.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from pollux.core.errors import BadUsageError
from pollux.insight.graphs.model import Ints
from pollux.insight.graphs.work import Work
from pollux.insight.traces.file import read_traces
from pollux.insight.traces.model import Messages, Ranks, Trace, Waits
from pollux.insight.traces.rank import RECEIVE, SEND, Part, RankHeader

Clock = Callable[[int, Ints], Ints]  # times of a rank's region on the one clock


def read_runs(paths: Iterable[Path]) -> list[tuple[Path, Trace]]:
    """All runs of the files, in their order; the ranks of a run become one trace, at the first."""
    found = [(path, trace) for path in dict.fromkeys(paths) for trace in read_traces(path)]
    groups: dict[object, list[tuple[Path, Trace]]] = {}
    for number, (path, trace) in enumerate(found):
        key = number if trace.part is None else trace.part.header.run
        groups.setdefault(key, []).append((path, trace))
    return [
        (own[0][0], own[0][1] if own[0][1].part is None else merged(own)) for own in groups.values()
    ]


def merged(files: Sequence[tuple[Path, Trace]]) -> Trace:
    """The trace of a run from those of its ranks."""
    ordered = complete(files)
    traces = [trace for _, trace in ordered]
    parts = [part for trace in traces if (part := trace.part)]
    begins = [corrected(part.header, np.zeros(1, np.int64))[0] for part in parts]
    zero = min(begins)

    def on_one_clock(rank: int, times: Ints) -> Ints:
        return np.asarray(corrected(parts[rank].header, times) - zero, np.int64)

    first = np.concatenate([[0], np.cumsum([trace.threads for trace in traces])])
    ends = [int(on_one_clock(r, ints(trace.region))[0]) for r, trace in enumerate(traces)]
    ranks = Ranks(
        count=len(traces),
        first=first,
        begin=np.array(begins, np.int64) - zero,
        end=np.array(ends, np.int64),
        submitter=first[:-1] + np.array([trace.submitter for trace in traces]),
        submitted=np.array(
            [on_one_clock(r, ints(t.submitted))[0] for r, t in enumerate(traces)], np.int64
        ),
        messages=matched(parts, on_one_clock, ordered[0][0]),
        waits=waits_of(parts, on_one_clock),
        error=np.array([error_of(part.header) for part in parts], np.int64),
        hosts=tuple(part.header.host for part in parts),
        graph=parts[0].header.graph,
    )
    return together(traces, ranks, on_one_clock)


def ints(*values: int) -> Ints:
    return np.array(values, np.int64)


def complete(files: Sequence[tuple[Path, Trace]]) -> list[tuple[Path, Trace]]:
    """One trace of each rank, in order; anything else is a BadUsageError."""
    by_rank: dict[int, tuple[Path, Trace]] = {}
    path, trace = files[0]
    assert trace.part is not None
    count = trace.part.header.ranks
    for path, trace in files:
        assert trace.part is not None
        header = trace.part.header
        if header.rank in by_rank:
            raise BadUsageError(
                f"{path} and {by_rank[header.rank][0]} both are of rank {header.rank} of one run"
            )
        if header.ranks != count or trace.instance != files[0][1].instance:
            raise BadUsageError(f"{path} and {files[0][0]} are not of the same run")
        by_rank[header.rank] = (path, trace)
    missing = [rank for rank in range(count) if rank not in by_rank]
    if missing:
        listed = ", ".join(map(str, missing[:8])) + (", …" if len(missing) > 8 else "")
        raise BadUsageError(
            f"{path} is of a run of {count} ranks, of which {listed} "
            f"{'is' if len(missing) == 1 else 'are'} not given: give the files of all ranks"
        )
    return [by_rank[rank] for rank in range(count)]


def shares_clock(header: RankHeader) -> bool:
    """Whether a rank reads the clock of rank 0."""
    return header.machine == 0 and all(abs(c.offset_ns) <= c.error_ns for c in header.clock)


def error_of(header: RankHeader) -> int:
    """By how much the times of a rank may be off, ns."""
    return 0 if shares_clock(header) else max(c.error_ns for c in header.clock)


def corrected(header: RankHeader, times: Ints) -> Ints:
    """Times from the start of a rank's region, by the clock of rank 0."""
    own = header.start_ns + times
    if shares_clock(header):
        return own
    before, after = header.clock
    span = max(1, after.at_ns - before.at_ns)
    drift = (after.offset_ns - before.offset_ns) * ((own - before.at_ns) / span)
    return np.asarray(own + before.offset_ns + np.rint(drift).astype(np.int64), np.int64)


def matched(parts: Sequence[Part], clock: Clock, where: Path) -> Messages:
    """Every message with both of its ends: messages of one name arrive in the order of sending."""
    sides: dict[int, Ints] = {}
    for kind in (SEND, RECEIVE):
        rows = []
        for rank, part in enumerate(parts):
            own = part.messages[part.messages[:, 0] == kind]
            ends = (np.full(len(own), rank), own[:, 1])
            times = [clock(rank, own[:, column]) for column in (6, 7, 8)]
            names = ends if kind == SEND else ends[::-1]
            rows.append(np.column_stack([*names, own[:, 2:6], *times]))
        side = np.concatenate(rows).astype(np.int64)
        number = np.arange(len(side))  # a rank's messages are in the order in which it asked
        sides[kind] = side[np.lexsort((number, *side.T[5::-1]))]
    sent, received = sides[SEND], sides[RECEIVE]
    if sent.shape != received.shape or (sent[:, :6] != received[:, :6]).any():
        raise BadUsageError(
            f"{where}: the messages that the ranks sent and received differ; the files are "
            "not those of one run"
        )
    order = np.argsort(sent[:, 7], kind="stable")
    columns = [*sent[order].T, *received[order].T[6:]]
    return Messages(*(np.ascontiguousarray(column) for column in columns))


def waits_of(parts: Sequence[Part], clock: Clock) -> Waits:
    rows = [
        np.column_stack(
            [
                np.full(len(part.waits), rank),
                clock(rank, part.waits[:, 0]),
                clock(rank, part.waits[:, 1]),
                part.waits[:, 2],
            ]
        )
        for rank, part in enumerate(parts)
    ]
    rank, begin, end, drained = np.concatenate(rows).astype(np.int64).T
    return Waits(rank, begin, end, drained.astype(bool))


def together(traces: Sequence[Trace], ranks: Ranks, clock: Clock) -> Trace:
    """The kernel calls of all ranks as those of one run, with threads numbered through."""
    names = tuple(dict.fromkeys(name for trace in traces for name in trace.kernels))
    columns: dict[str, list[Ints]] = {}

    def add(name: str, values: Ints) -> None:
        columns.setdefault(name, []).append(values)

    for rank, trace in enumerate(traces):
        number = np.array([names.index(name) for name in trace.kernels] or [0], np.int64)
        add("kernel", number[trace.kernel])
        for name in ("step", "i", "j", "core"):
            add(name, getattr(trace, name))
        add("thread", trace.thread + ranks.first[rank])
        add("start", clock(rank, trace.start))
        add("end", clock(rank, trace.end))
    joined = {name: np.concatenate(values) for name, values in columns.items()}
    order = np.lexsort((joined["thread"], joined["end"], joined["start"]))
    calls: dict[str, Any] = {
        name: np.ascontiguousarray(values[order]) for name, values in joined.items()
    }
    processor = [t.processor for t in traces if t.processor is not None]
    return replace(
        traces[0],
        kernels=names,
        **calls,
        threads=int(ranks.first[-1]),
        submitter=int(ranks.submitter[0]),
        submitted=int(ranks.submitted[0]),
        region=int(ranks.end.max()),
        tasks=None,
        work=joined_work([trace.work for trace in traces], order),
        processor=np.concatenate(processor)[order] if len(processor) == len(traces) else None,
        part=None,
        ranks=ranks,
    )


def joined_work(works: Sequence[Work], order: Ints) -> Work:
    """The work of all calls, with the operations of all ranks numbered through."""
    operations = tuple(dict.fromkeys(o for work in works for o in work.operations))
    columns: list[list[Ints]] = []
    for work in works:
        number = np.array([operations.index(o) for o in work.operations] or [0], np.int64)
        first, *others = work.columns()
        columns.append([number[first], *others])
    return Work(operations, *(np.concatenate(own)[order] for own in zip(*columns, strict=True)))
