# SPDX-License-Identifier: BSD-3-Clause
"""Files of traces are read as they were written, or refused by the line that is wrong."""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pollux.core.errors import BadUsageError
from pollux.insight.graphs.file import read_graphs
from pollux.insight.graphs.model import TASKWAIT, Graph
from pollux.insight.simulation.model import Schedule
from pollux.insight.simulation.scheduled import scheduled_trace
from pollux.insight.traces.file import read_traces, write_trace
from pollux.insight.traces.match import match
from task_graphs import GRAPHS, graph_lines, write_graph
from traces import trace_lines, write_lines

LU = graph_lines("lu", "depend", 4)


def graph_of(folder: Path, lines: list[str]) -> Graph:
    return read_graphs(write_graph(folder / "graph.jsonl", lines))[0]


def changed(lines: list[str], line: int, **columns: int) -> list[str]:
    """The lines with an event's numbers changed."""
    names = json.loads(lines[0])["columns"]
    event = json.loads(lines[line])
    for name, value in columns.items():
        event[names.index(name)] = value
    return [*lines[:line], json.dumps(event), *lines[line + 1 :]]


def with_header(lines: list[str], **fields: object) -> list[str]:
    return [json.dumps(json.loads(lines[0]) | fields), *lines[1:]]


@pytest.mark.parametrize("ompt", [False, True])
def test_what_is_written_is_what_was_read(tmp_path: Path, ompt: bool) -> None:
    lines = [trace_lines(LU, threads=t, ompt=ompt) for t in (1, 3)]
    path = write_lines(tmp_path / "traces.jsonl", *lines)
    traces = read_traces(path)
    assert [trace.threads for trace in traces] == [1, 3]
    assert b"".join(write_trace(trace) for trace in traces) == path.read_bytes()
    assert all((trace.tasks is not None) == ompt for trace in traces)


def test_times_on_a_processor_are_kept(tmp_path: Path) -> None:
    [trace] = read_traces(write_lines(tmp_path / "t.jsonl", trace_lines(LU, threads=3)))
    assert trace.processor is None
    timed = replace(trace, processor=(trace.end - trace.start) // 2 + np.arange(len(trace)))
    (tmp_path / "u.jsonl").write_bytes(write_trace(timed))
    [back] = read_traces(tmp_path / "u.jsonl")
    assert back.processor is not None
    assert timed.processor is not None
    assert back.processor.tolist() == timed.processor.tolist()
    negative = replace(trace, processor=trace.start - trace.end)
    (tmp_path / "v.jsonl").write_bytes(write_trace(negative))
    with pytest.raises(BadUsageError, match="time on a processor is negative"):
        read_traces(tmp_path / "v.jsonl")


def test_events_come_in_the_order_of_their_start(tmp_path: Path) -> None:
    lines = trace_lines(LU, threads=3)
    [trace] = read_traces(write_lines(tmp_path / "t.jsonl", lines))
    rows = [json.loads(line) for line in lines[1:]]
    assert (np.diff(trace.start) >= 0).all()
    columns = (trace.kernel, trace.step, trace.i, trace.j, trace.thread, trace.core)
    own = np.column_stack([*columns, trace.start, trace.end, *trace.work.columns()]).tolist()
    assert sorted(own) == sorted(rows)


def test_a_label_survives(tmp_path: Path) -> None:
    [trace] = read_traces(write_lines(tmp_path / "t.jsonl", trace_lines(LU)))
    (tmp_path / "u.jsonl").write_bytes(write_trace(replace(trace, label="gcc+libomp19")))
    assert read_traces(tmp_path / "u.jsonl")[0].label == "gcc+libomp19"


def test_a_trace_without_events_is_one(tmp_path: Path) -> None:
    lines = trace_lines(LU)
    head = json.loads(lines[0])
    head["record"] |= {"tasks": 0}
    [trace] = read_traces(write_lines(tmp_path / "t.jsonl", [json.dumps(head)]))
    assert len(trace) == 0
    assert write_trace(trace).count(b"\n") == 1


def test_empty_lines_are_no_events(tmp_path: Path) -> None:
    lines = trace_lines(LU)
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join([*lines[:3], "", *lines[3:], ""]))
    assert len(read_traces(path)[0]) == len(lines) - 1


BROKEN: dict[str, tuple[Callable[[list[str]], list[str]], int, str]] = {
    "a kernel without a name": (lambda x: changed(x, 3, kernel=99), 4, "there are 4 kernels"),
    "a thread too many": (lambda x: changed(x, 3, thread=2), 4, "2 threads"),
    "negative time": (lambda x: changed(x, 2, start_ns=-5), 3, "before the timed region"),
    "an end before its start": (lambda x: changed(x, 3, end_ns=0), 4, "before it starts"),
    "an end after the region": (lambda x: changed(x, 3, end_ns=10**15), 4, "after the timed"),
    "overlapping events": (lambda x: changed(x, 3, start_ns=600), 4, "overlaps another"),
    "a number too few": (lambda x: [*x[:3], "[1,2,3]", *x[4:]], 4, "array of 13 integers"),
    "a fraction": (lambda x: [*x[:3], "[0,0,0,0,0,0,1.5,2,0,0,0,0,0]", *x[4:]], 4, "integers"),
    "a huge number": (
        lambda x: [*x[:3], f"[{2**70},0,0,0,0,0,1,2,0,0,0,0,0]", *x[4:]],
        4,
        "integers",
    ),
    "a text": (lambda x: [*x[:3], "Segmentation fault", *x[4:]], 4, "not 'Segmentation"),
    "another schema": (lambda x: with_header(x, schema="pollux-trace/3"), 1, "pollux-trace/1"),
    "an unknown operation": (lambda x: changed(x, 3, operation=99), 4, "there are 4 operations"),
    "negative work": (lambda x: changed(x, 3, flops=-1), 4, "are negative"),
    "an unknown kernel": (lambda x: with_header(x, kernels=["a", "b", "c", "d"]), 1, "'getrf'"),
    "no columns": (lambda x: with_header(x, columns=["kernel"]), 1, "columns lack step"),
    "a record of nothing": (lambda x: with_header(x, record={}), 1, "nb is missing"),
    "a submitter that is not a thread": (lambda x: with_header(x, submitter=7), 1, "submitter 7"),
    "an event too few": (lambda x: [*x[:-1], *trace_lines(LU)], 1, "not whole"),
}


@pytest.mark.parametrize("flaw", BROKEN)
def test_a_broken_file_is_refused_by_its_line(tmp_path: Path, flaw: str) -> None:
    spoil, line, words = BROKEN[flaw]
    path = write_lines(tmp_path / "t.jsonl", spoil(trace_lines(LU)))
    with pytest.raises(BadUsageError) as error:
        read_traces(path)
    assert f"{path}, line {line}: " in error.value.message
    assert words in error.value.message


@pytest.mark.parametrize(
    "fields",
    [
        {"levels": {"given": [2]}},
        {"levels": {"requested": []}},
        {"levels": {"requested": ["2"]}},
        {"mpi": "x"},
        {"mpi": {"grid": "2"}},
        {"mpi": {"grid": 2}},
    ],
)
def test_levels_and_ranks_of_another_form_are_refused(
    tmp_path: Path, fields: dict[str, object]
) -> None:
    for own, is_right in ((fields, False), ({"levels": None, "mpi": None}, True)):
        head, *events = trace_lines(LU)
        header = json.loads(head)
        header["record"] |= own
        path = write_lines(tmp_path / "t.jsonl", [json.dumps(header), *events])
        if is_right:
            assert [trace.grid for trace in read_traces(path)] == [None]
            continue
        with pytest.raises(BadUsageError, match=f"line 1: .*{next(iter(own))}"):
            read_traces(path)


def test_a_broken_second_trace_is_refused_by_its_line_of_the_file(tmp_path: Path) -> None:
    first, second = trace_lines(LU), changed(trace_lines(LU), 5, thread=9)
    path = write_lines(tmp_path / "t.jsonl", first, ["", *second])
    with pytest.raises(BadUsageError, match=f"line {len(first) + 1 + 6}:"):
        read_traces(path)


@pytest.mark.parametrize("cut", ["within a line", "after a line", "in the header", "after a brace"])
def test_a_torn_trace_costs_only_itself(
    tmp_path: Path, cut: str, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = trace_lines(LU, threads=2), trace_lines(LU, threads=3)
    path = write_lines(tmp_path / "t.jsonl", first, second)
    kept = {"within a line": len(first) + 9, "after a line": len(first) + 9}.get(cut, len(first))
    text = "".join(f"{line}\n" for line in [*first, *second][:kept])
    brace = second[0].index("}") + 1
    heads = {"in the header": second[0][:50], "after a brace": second[0][:brace]}
    torn = {"within a line": "[1,0,1", **heads}.get(cut, "")
    path.write_text(text + torn)
    assert [trace.threads for trace in read_traces(path)] == [2]
    (warning,) = capsys.readouterr().err.splitlines()
    assert "ends within trace 2" in warning


def test_a_file_with_no_whole_trace_is_refused(tmp_path: Path) -> None:
    lines = trace_lines(LU)
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(lines[:5]))
    with pytest.raises(BadUsageError, match="ends within its first trace"):
        read_traces(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b'{"schema":"pollux-run/1"}\n', "the record of a run"),
        (b'{"schema":"pollux-graph/1"}\n', "a task graph"),
        (b'{"a":1}\n', "without a schema"),
        (b'{"a":1}', "without a schema"),
        (b"[1,2]\n", "begins with an object"),
        (b"\x89PNG\r\n", "begins with an object"),
        (b"{]}\n", "not JSON"),
    ],
)
def test_other_files_are_named_for_what_they_are(
    tmp_path: Path, content: bytes, words: str
) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(BadUsageError, match=words):
        read_traces(path)


def test_files_that_cannot_be_read_are_bad_usage(tmp_path: Path) -> None:
    for path in (tmp_path / "missing", tmp_path):
        with pytest.raises(BadUsageError, match="cannot read"):
            read_traces(path)


@pytest.mark.parametrize(("benchmark", "variant"), GRAPHS)
def test_every_event_finds_the_node_of_its_name(
    tmp_path: Path, benchmark: str, variant: str
) -> None:
    lines = graph_lines(benchmark, variant, 4)
    graph = graph_of(tmp_path, lines)
    [trace] = read_traces(write_lines(tmp_path / "t.jsonl", trace_lines(lines, threads=3)))
    nodes = match(trace, graph)
    calls = [n for n in range(len(graph)) if graph.kernels[graph.kernel[n]] != TASKWAIT]
    assert sorted(nodes.tolist()) == calls
    for event, node in enumerate(nodes):
        ours = (trace.kernels[trace.kernel[event]], trace.step[event], trace.i[event])
        theirs = (graph.kernels[graph.kernel[node]], graph.step[node], graph.i[node])
        assert ours == theirs
        assert trace.j[event] == graph.j[node]


def test_names_are_matched_in_any_order_of_kernels(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, LU)
    [trace] = read_traces(write_lines(tmp_path / "t.jsonl", trace_lines(LU)))
    names = tuple(reversed(trace.kernels))
    other = replace(trace, kernels=names, kernel=len(names) - 1 - trace.kernel)
    assert (match(other, graph) == match(trace, graph)).all()


def test_enormous_coordinates_are_matched(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, LU)
    [trace] = read_traces(write_lines(tmp_path / "t.jsonl", trace_lines(LU)))
    far = 2**40
    moved = replace(trace, i=trace.i * far, j=trace.j * far)
    there = replace(graph, i=graph.i * far, j=graph.j * far)
    assert (match(moved, there) == match(trace, graph)).all()


def test_a_trace_of_another_instance_is_refused(tmp_path: Path) -> None:
    [trace] = read_traces(write_lines(tmp_path / "t.jsonl", trace_lines(LU)))
    for other in (("lu", "depend", 5), ("lu", "multidep", 4), ("cholesky", "depend", 4)):
        with pytest.raises(BadUsageError, match="same instance"):
            match(trace, graph_of(tmp_path, graph_lines(*other)))


def test_a_factorization_that_broke_down_is_refused(tmp_path: Path) -> None:
    [trace] = read_traces(write_lines(tmp_path / "t.jsonl", trace_lines(LU, status=3)))
    with pytest.raises(BadUsageError, match="broke down at column 3"):
        match(trace, graph_of(tmp_path, LU))


def test_missing_foreign_and_repeated_calls_are_named(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, LU)
    [trace] = read_traces(write_lines(tmp_path / "t.jsonl", trace_lines(LU)))
    gone = random.Random(1).randrange(len(trace))
    names = ("kernel", "step", "i", "j", "thread", "core", "start", "end")
    kept: dict[str, Any] = {n: np.delete(getattr(trace, n), gone) for n in names}
    fewer = replace(trace, **kept)
    with pytest.raises(BadUsageError, match="lacks 1 kernel calls"):
        match(fewer, graph)
    moved = trace.i.copy()
    moved[gone] = 77
    with pytest.raises(
        BadUsageError, match=r"has 1 kernel calls that the graph does not have.*\(77,"
    ):
        match(replace(trace, i=moved), graph)
    columns = {n: getattr(trace, n).copy() for n in ("kernel", "step", "i", "j")}
    for column in columns.values():
        column[0] = column[1]
    with pytest.raises(BadUsageError, match="twice"):
        match(replace(trace, **columns), graph)


def test_a_schedule_becomes_a_trace_that_can_be_written(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, graph_lines("cholesky", "forkjoin", 4))
    chance = np.random.default_rng(1)
    lengths = chance.random(len(graph)) * 1000.3
    end = np.cumsum(lengths)
    worker = chance.integers(0, 5, len(graph))
    schedule = Schedule(worker, end - lengths, end, float(end[-1]))
    trace = scheduled_trace(graph, schedule, 5, label="ideal")
    (tmp_path / "s.jsonl").write_bytes(write_trace(trace))
    [back] = read_traces(tmp_path / "s.jsonl")
    assert back.instance == graph.instance
    assert len(match(back, graph)) == len(back) < len(graph)  # a taskwait is no kernel call
    assert back.record["gflops"] == pytest.approx(graph.flops / end[-1], rel=1e-3)
