# SPDX-License-Identifier: BSD-3-Clause
"""Traces for Perfetto (ui.perfetto.dev) and chrome://tracing: JSON in the Trace Event Format.

Each trace is a process, each thread a thread; times are in microseconds.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic_core import to_json

from pollux.core.errors import BadUsageError
from pollux.insight.graphs.model import Graph
from pollux.insight.traces.match import match
from pollux.insight.traces.model import Trace
from pollux.insight.traces.view import View

MICROSECOND = 1e3  # ns


def perfetto_json(view: View, graphs: Sequence[Graph] = ()) -> bytes:
    """The events in the window; with the edges of the graph for traces whose graph is given."""
    lines: list[bytes] = []
    used = set()
    flows = 0
    for number, trace in enumerate(view.traces, 1):
        lines += map(to_json, metadata(trace, number, view.titles[number - 1]))
        lines += map(to_json, slices(view, trace, number))
        for place, graph in enumerate(graphs):
            if graph.instance == trace.instance:
                arrows = [to_json(e) for e in flow_events(view, trace, graph, number, flows)]
                flows += len(arrows) // 2
                lines += arrows
                used.add(place)
    for place, graph in enumerate(graphs):
        if place not in used:
            raise BadUsageError(f"no trace is of the graph's instance, {graph.instance}")
    head = to_json({"displayTimeUnit": "ns", "otherData": {"records": records(view)}})
    return head[:-1] + b',"traceEvents":[\n' + b",\n".join(lines) + b"\n]}\n"


def records(view: View) -> list[dict[str, Any]]:
    return [trace.record for trace in view.traces]


def metadata(trace: Trace, process: int, title: str) -> Iterator[dict[str, Any]]:
    """Names, and the order in which viewers show them."""
    yield named("process_name", process, 0, name=title)
    yield named("process_sort_index", process, 0, sort_index=process)
    for thread in range(trace.threads):
        name = f"thread {thread}" + (" (creates the tasks)" if thread == trace.submitter else "")
        yield named("thread_name", process, thread, name=name)
        yield named("thread_sort_index", process, thread, sort_index=thread)


def named(what: str, process: int, thread: int, **values: object) -> dict[str, Any]:
    return {"ph": "M", "name": what, "pid": process, "tid": thread, "args": values}


def slices(view: View, trace: Trace, process: int) -> Iterator[dict[str, Any]]:
    """A complete event for each kernel call."""
    own = view.visible(trace)
    columns = (trace.kernel, trace.step, trace.i, trace.j, trace.thread, trace.core)
    lists = [column[own].tolist() for column in (*columns, trace.start, trace.end)]
    for kernel, step, i, j, thread, core, start, end in zip(*lists, strict=True):
        yield {
            "ph": "X",
            "cat": "kernel",
            "name": trace.kernels[kernel],
            "pid": process,
            "tid": thread,
            "ts": start / MICROSECOND,
            "dur": (end - start) / MICROSECOND,
            "args": {"step": step, "i": i, "j": j, "core": core},
        }


def flow_events(
    view: View, trace: Trace, graph: Graph, process: int, first: int
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
            shared = {"cat": "dependence", "name": "dependence", "id": number, "pid": process}
            # Within the slice that it leaves: its end already belongs to the next one.
            leaves = max(start[source], end[source] - 1) / MICROSECOND
            yield {"ph": "s", **shared, "tid": thread[source], "ts": leaves}
            arrives = {"tid": thread[event], "ts": start[event] / MICROSECOND}
            yield {"ph": "f", "bp": "e", **shared, **arrives}
