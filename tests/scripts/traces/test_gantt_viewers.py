# SPDX-License-Identifier: BSD-3-Clause
"""Traces for other viewers: Perfetto and Pajé."""

import json
import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from paje_reader import parse_paje
from pollux.core.errors import BadUsageError
from pollux.insight.graphs.file import read_graphs
from pollux.insight.traces.file import read_traces
from pollux.insight.traces.model import Trace
from pollux.insight.traces.paje import paje_trace
from pollux.insight.traces.perfetto import perfetto_json
from pollux.insight.traces.view import make_view
from task_graphs import graph_lines, write_graph
from traces import trace_lines, write_lines

LU = graph_lines("lu", "depend", 4)
CW = graph_lines("lu-cw", "cw", 4)


def read(folder: Path, *traces: Sequence[str]) -> list[Trace]:
    return read_traces(write_lines(folder / "traces.jsonl", *traces))


@pytest.fixture
def traces(tmp_path: Path) -> list[Trace]:
    return read(tmp_path, trace_lines(LU, threads=3), trace_lines(CW, threads=2))


def test_perfetto_has_every_event_in_microseconds(traces: list[Trace]) -> None:
    view = make_view(traces)
    events = json.loads(perfetto_json(view))["traceEvents"]
    slices = [event for event in events if event["ph"] == "X"]
    for number, trace in enumerate(traces, 1):
        own = [e for e in slices if e["pid"] == number]
        assert len(own) == len(trace)
        for place, event in enumerate(own):
            assert event["name"] == trace.kernels[trace.kernel[place]]
            assert event["ts"] * 1000 == pytest.approx(trace.start[place])
            assert event["dur"] * 1000 == pytest.approx(trace.end[place] - trace.start[place])
            assert event["tid"] == trace.thread[place]
            assert event["args"]["step"] == trace.step[place]
    names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    assert names == {1: view.titles[0], 2: view.titles[1]}
    threads = [e for e in events if e["name"] == "thread_name"]
    assert len(threads) == 5


def test_perfetto_has_an_arrow_for_each_edge(tmp_path: Path, traces: list[Trace]) -> None:
    [graph] = read_graphs(write_graph(tmp_path / "g.jsonl", LU))
    events = json.loads(perfetto_json(make_view(traces), [graph]))["traceEvents"]
    slices = [event for event in events if event["ph"] == "X"]
    leaving = {e["id"]: e for e in events if e["ph"] == "s"}
    arriving = {e["id"]: e for e in events if e["ph"] == "f"}
    assert len(leaving) == len(arriving) == len(graph.before.values)
    for number, source in leaving.items():
        target = arriving[number]
        assert source["ts"] <= target["ts"]
        for end in (source, target):  # each is within one slice of its thread, and says so
            inside = [
                s
                for s in slices
                if (s["pid"], s["tid"]) == (end["pid"], end["tid"])
                and s["ts"] <= end["ts"] < s["ts"] + s["dur"]
            ]
            assert len(inside) == 1
        assert target["bp"] == "e"


def test_a_graph_of_no_trace_is_refused(tmp_path: Path, traces: list[Trace]) -> None:
    [graph] = read_graphs(write_graph(tmp_path / "g.jsonl", graph_lines("lu", "depend", 5)))
    with pytest.raises(BadUsageError, match="no trace is of the graph's instance"):
        perfetto_json(make_view(traces), [graph])


def test_paje_declares_what_it_uses_and_goes_forward_in_time(traces: list[Trace]) -> None:
    types, containers, values = {"0": ""}, {"0": ""}, set()
    now = -math.inf
    for name, event in parse_paje(paje_trace(make_view(traces)).decode()):
        if name in ("PajeDefineContainerType", "PajeDefineStateType"):
            assert event["Type"] in types
            types[event["Alias"]] = event["Type"]
        elif name == "PajeDefineEntityValue":
            assert event["Type"] in types
            assert len(event["Color"]) == 3
            values.add(event["Alias"])
        else:
            assert event["Time"] >= now
            now = event["Time"]
            assert event["Type"] in types
        if name == "PajeCreateContainer":
            assert containers[event["Container"]] in ("", types[event["Type"]])
            containers[event["Alias"]] = event["Type"]
        elif name == "PajeDestroyContainer":
            assert containers.pop(event["Name"]) == event["Type"]
        elif name == "PajeSetState":
            assert containers[event["Container"]] == types[event["Type"]]
            assert event["Value"] in values
    assert list(containers) == ["0"]


def test_paje_states_are_the_events(traces: list[Trace]) -> None:
    lines = parse_paje(paje_trace(make_view(traces)).decode())
    for number, trace in enumerate(traces):
        spans = []
        for thread in range(trace.threads):
            own = [
                e
                for n, e in lines
                if n == "PajeSetState" and e["Container"] == f"r{number}t{thread}"
            ]
            for event, after in pairwise(own):
                if event["Value"] != "idle":
                    tile = (event["Step"], event["I"], event["J"])
                    spans.append((thread, event["Value"], tile, event["Time"], after["Time"]))
        columns = zip(
            trace.thread,
            trace.kernel,
            trace.step,
            trace.i,
            trace.j,
            trace.start,
            trace.end,
            strict=True,
        )
        events = sorted(
            (int(t), f"k-{trace.kernels[k]}", (int(s), int(i), int(j)), a / 1e9, b / 1e9)
            for t, k, s, i, j, a, b in columns
        )
        assert [span[:3] for span in sorted(spans)] == [event[:3] for event in events]
        assert np.allclose([s[3:] for s in sorted(spans)], [e[3:] for e in events], atol=1e-12)
