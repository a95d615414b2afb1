# SPDX-License-Identifier: BSD-3-Clause
"""Traces for Perfetto (ui.perfetto.dev) and chrome://tracing: JSON in the Trace Event Format.

Each trace is a process, each thread a thread; times are in microseconds. Of a run over MPI each
rank is a process, with further threads for what it sends and receives, and an arrow for each
message.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from pydantic_core import to_json

from pollux.core.errors import BadUsageError
from pollux.insight.graphs.model import Graph, Instance, Ints
from pollux.insight.graphs.over_ranks import over_ranks
from pollux.insight.traces.lanes import packed_rows
from pollux.insight.traces.match import match
from pollux.insight.traces.model import Ranks, Trace
from pollux.insight.traces.rank import CANDIDATE, STEP, T_FACTOR, T_OF_PAIR, TILE, WINNER
from pollux.insight.traces.view import View

MICROSECOND = 1e3  # ns


def perfetto_json(view: View, graphs: Sequence[Graph] = ()) -> bytes:
    """The events in the window; with the edges of the graph for traces whose graph is given."""
    lines: list[bytes] = []
    flows = 0
    next_ = 1  # number of a process
    check_graphs(graphs, [trace.graph_instance for trace in view.traces])
    for title, trace in zip(view.titles, view.traces, strict=True):
        places = Places(trace, next_)
        next_ += places.count
        lines += map(to_json, metadata(trace, places, title))
        lines += map(to_json, slices(view, trace, places))
        if trace.ranks is not None:
            sent = [to_json(e) for e in message_events(view, trace.ranks, places, flows)]
            flows += len(sent)
            lines += sent
        for graph in graphs:
            if graph.instance == trace.graph_instance:
                own = over_ranks(graph, trace.grid).graph
                arrows = [to_json(e) for e in flow_events(view, trace, own, places, flows)]
                flows += len(arrows) // 2
                lines += arrows
    head = to_json({"displayTimeUnit": "ns", "otherData": {"records": records(view)}})
    return head[:-1] + b',"traceEvents":[\n' + b",\n".join(lines) + b"\n]}\n"


def check_graphs(graphs: Iterable[Graph], instances: Collection[Instance]) -> None:
    """Refuse graphs of which there is no trace."""
    for graph in graphs:
        if graph.instance not in instances:
            raise BadUsageError(f"no trace is of the graph's instance, {graph.instance}")


class Places:
    """The process and the number there of each thread of a trace."""

    def __init__(self, trace: Trace, first: int) -> None:
        threads = np.arange(trace.threads)
        ranks = trace.ranks
        rank = np.zeros(trace.threads, np.int64) if ranks is None else ranks.of_thread(threads)
        start = np.zeros(1, np.int64) if ranks is None else ranks.first
        self.first = first
        self.count = 1 if ranks is None else ranks.count
        self.process: list[int] = (rank + first).tolist()
        self.thread: list[int] = (threads - start[rank]).tolist()

    def of(self, thread: int) -> dict[str, int]:
        return {"pid": self.process[thread], "tid": self.thread[thread]}


def records(view: View) -> list[dict[str, Any]]:
    return [trace.record for trace in view.traces]


def metadata(trace: Trace, places: Places, title: str) -> Iterator[dict[str, Any]]:
    """Names, and the order in which viewers show them."""
    ranks = trace.ranks
    for number in range(places.count):
        process = places.first + number
        of = "" if ranks is None else f": rank {number} on {ranks.hosts[number]}"
        yield named("process_name", process, 0, name=f"{title}{of}")
        yield named("process_sort_index", process, 0, sort_index=process)
    submitters = {trace.submitter} if ranks is None else set(ranks.submitter.tolist())
    for place in range(trace.threads):
        process, thread = places.process[place], places.thread[place]
        name = f"thread {thread}" + (" (creates the tasks)" if place in submitters else "")
        yield named("thread_name", process, thread, name=name)
        yield named("thread_sort_index", process, thread, sort_index=thread)


def named(what: str, process: int, thread: int, **values: object) -> dict[str, Any]:
    return {"ph": "M", "name": what, "pid": process, "tid": thread, "args": values}


def slices(view: View, trace: Trace, places: Places) -> Iterator[dict[str, Any]]:
    """A complete event for each kernel call."""
    own = view.visible(trace)
    columns = (trace.kernel, trace.step, trace.i, trace.j, trace.thread, trace.core)
    lists = [column[own].tolist() for column in (*columns, trace.start, trace.end)]
    for kernel, step, i, j, thread, core, start, end in zip(*lists, strict=True):
        yield {
            "ph": "X",
            "cat": "kernel",
            "name": trace.kernels[kernel],
            **places.of(thread),
            "ts": start / MICROSECOND,
            "dur": (end - start) / MICROSECOND,
            "args": {"step": step, "i": i, "j": j, "core": core},
        }


def flow_events(
    view: View, trace: Trace, graph: Graph, places: Places, first: int
) -> Iterator[dict[str, Any]]:
    """An arrow for each edge between kernel calls, from the end of one to the start of another."""
    nodes = match(trace, graph).tolist()
    event_of = {node: event for event, node in enumerate(nodes)}
    visible = view.visible(trace).tolist()
    thread, start, end = (c.tolist() for c in (trace.thread, trace.start, trace.end))
    number = first
    for event, node in enumerate(nodes):
        for before in graph.before[node].tolist():
            source = event_of.get(before)
            if source is None or not (visible[event] and visible[source]):
                continue  # a taskwait, or beyond the window
            number += 1
            shared = {"cat": "dependence", "name": "dependence", "id": number}
            # Within the slice that it leaves: its end already belongs to the next one.
            leaves = max(start[source], end[source] - 1) / MICROSECOND
            yield {"ph": "s", **shared, **places.of(thread[source]), "ts": leaves}
            arrives = {**places.of(thread[event]), "ts": start[event] / MICROSECOND}
            yield {"ph": "f", "bp": "e", **shared, **arrives}


WHAT = {
    TILE: "A",
    T_FACTOR: "T",
    STEP: "pivots",
    T_OF_PAIR: "S",
    CANDIDATE: "candidate",
    WINNER: "winner",
}  # of a message


def message_events(
    view: View, ranks: Ranks, places: Places, first: int
) -> Iterator[dict[str, Any]]:
    """A slice for each end of each message in the window, and an arrow from one to the other.

    A send lasts from its call of MPI until it was over, a receive from when both sides had called
    MPI: before that there was nothing to wait for, or nobody who waited.
    """
    m = ranks.messages
    own = np.flatnonzero((m.received > view.begin) & (m.sent < view.end))
    ends = (
        ("send", m.sender, m.sent, np.maximum(m.delivered, m.sent + 1)),
        ("receive", m.receiver, m.under_way, np.maximum(m.received, m.under_way + 1)),
    )
    tracks = [tracks_of(ranks, rank[own], begin[own], end[own]) for _, rank, begin, end in ends]
    threads = np.diff(ranks.first)
    base = [threads, threads + most_rows(ranks, m.sender[own], tracks[0])]
    yield from track_names(places, [m.sender[own], m.receiver[own]], tracks, base)
    for place, message in enumerate(own.tolist()):
        args = {
            "from": int(m.sender[message]),
            "to": int(m.receiver[message]),
            "bytes": int(m.size[message]),
            "posted": float(m.posted[message] / MICROSECOND),
        }
        name = f"{WHAT[int(m.what[message])]}({m.i[message]},{m.j[message]})"
        where = []
        for side, (what, rank, begin, end) in enumerate(ends):
            r = int(rank[message])
            tid = int(base[side][r] + tracks[side][place])
            where.append({"pid": places.first + r, "tid": tid})
            yield {
                "ph": "X",
                "cat": "message",
                "name": f"{what} {name}",
                **where[-1],
                "ts": float(begin[message] / MICROSECOND),
                "dur": float((end[message] - begin[message]) / MICROSECOND),
                "args": args,
            }
        shared = {"cat": "message", "name": "message", "id": first + place + 1}
        yield {"ph": "s", **shared, **where[0], "ts": float(m.sent[message] / MICROSECOND)}
        arrives = max(int(m.under_way[message]), int(ends[1][3][message]) - 1) / MICROSECOND
        yield {"ph": "f", "bp": "e", **shared, **where[1], "ts": arrives}


def tracks_of(ranks: Ranks, rank: Ints, begin: Ints, end: Ints) -> Ints:
    """The row of each message on its rank."""
    found = np.zeros(len(rank), np.int64)
    for r in range(ranks.count):
        own = np.flatnonzero(rank == r)
        found[own] = packed_rows(begin[own], end[own])
    return found


def most_rows(ranks: Ranks, rank: Ints, row: Ints) -> Ints:
    most = np.zeros(ranks.count, np.int64)
    np.maximum.at(most, rank, row + 1)
    return most


def track_names(
    places: Places, rank: list[Ints], rows: list[Ints], base: list[Ints]
) -> Iterator[dict[str, Any]]:
    for side, what in enumerate(("sends", "receives")):
        for r, row in sorted(set(zip(rank[side].tolist(), rows[side].tolist(), strict=True))):
            process, thread = places.first + r, int(base[side][r] + row)
            yield named("thread_name", process, thread, name=what)
            yield named("thread_sort_index", process, thread, sort_index=thread)
