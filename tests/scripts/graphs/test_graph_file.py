# SPDX-License-Identifier: BSD-3-Clause
"""Graph files are read whole, or one line states what is wrong with them."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from pollux.core.errors import BadUsageError
from pollux.core.tiles import Tile
from pollux.insight.graphs.file import read_graph, read_graphs
from pollux.insight.graphs.labels import label_of
from pollux.insight.graphs.model import Instance
from project import ROOT
from task_graphs import graph_lines, write_graph

LINES = graph_lines("lu-cw", "cw", 3)
CREATE, CALL = 1, 2  # lines with the first event of each kind


def error_of(path: Path) -> str:
    with pytest.raises(BadUsageError) as error:
        read_graphs(path)
    message = error.value.format_message()
    assert "\n" not in message
    return message


def changed(tmp_path: Path, line: int, text: str) -> Path:
    return write_graph(tmp_path / "g.jsonl", [*LINES[:line], text, *LINES[line + 1 :]])


def test_the_graphs_of_the_examples_are_whole() -> None:
    files = sorted((ROOT / "campaigns/example").glob("*graph*.jsonl"))
    assert [len(read_graphs(file)) for file in files] == [2, 1]


def test_the_header_says_what_the_graph_is_of(tmp_path: Path) -> None:
    graph = read_graph(write_graph(tmp_path / "g.jsonl", LINES))
    assert graph.instance == Instance("lu-cw", "cw", 192, 192, Tile.square(64), None)
    assert str(graph.instance) == "lu-cw cw, N = 192, NB = 64"
    assert graph.clause == "depend(inoutset)"
    assert len(graph) == len(LINES) // 2


def test_several_graphs_of_a_file_come_in_order(tmp_path: Path) -> None:
    path = write_graph(tmp_path / "g.jsonl", [*LINES, *graph_lines("qr", "tree", 2)])
    assert [g.instance.benchmark for g in read_graphs(path)] == ["lu-cw", "qr"]
    with pytest.raises(
        BadUsageError, match="contains 2 graphs where one is needed: lu-cw cw, N = 1"
    ):
        read_graph(path)


def test_spaces_and_empty_lines_mean_nothing(tmp_path: Path) -> None:
    spaced = [LINES[0], "", *(line.replace(",", " ,\t") + " " for line in LINES[1:]), ""]
    graphs = [
        read_graph(write_graph(tmp_path / f"{name}.jsonl", lines))
        for name, lines in (("a", LINES), ("b", spaced))
    ]
    assert graphs[0].before.values.tolist() == graphs[1].before.values.tolist()


def test_a_graph_without_events_has_no_nodes(tmp_path: Path) -> None:
    header = json.dumps(json.loads(LINES[0]) | {"events": 0})
    assert len(read_graph(write_graph(tmp_path / "g.jsonl", [header]))) == 0


@pytest.mark.parametrize("events", [0, 4, len(LINES) - 2])
def test_a_graph_that_is_cut_off_between_two_events_is_refused(events: int, tmp_path: Path) -> None:
    """Its beginning would be a graph too."""
    path = write_graph(tmp_path / "g.jsonl", [*LINES, *LINES[: 1 + events]])
    assert error_of(path) == (
        f"{path}, line {len(LINES) + 1}: {events} events after this header, which states "
        f"{len(LINES) - 1}: the graph is not whole"
    )


@pytest.mark.parametrize("keep", [1, 3, 10])
def test_a_torn_last_line_is_named(keep: int, tmp_path: Path) -> None:
    path = write_graph(tmp_path / "g.jsonl", LINES)
    text = path.read_text()
    place = text.rindex("[")
    path.write_text(text[: place + keep])
    assert f"line {len(LINES)}: the line is cut off" in error_of(path)


def test_a_torn_header_is_named(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    path.write_text(LINES[0][:40])
    assert f"{path}, line 1: this is not a header" in error_of(path)


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_an_empty_file_is_named(text: str, tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    path.write_text(text)
    assert f"{path} is empty; it should be a graph file" in error_of(path)


def test_a_file_that_is_not_there_or_no_file_is_named(tmp_path: Path) -> None:
    assert "cannot read" in error_of(tmp_path / "none")
    assert "cannot read" in error_of(tmp_path)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ({"schema": "pollux-trace/1"}, "this is a trace (pollux-trace/1)"),
        ({"kernels": ["gemm"]}, "operations name 'getrf', which is none of the kernels"),
        ({"kernels": ["task"]}, "a kernel cannot be named 'task', which takes no time"),
        ({"schema": None}, "this is an object without a schema"),
        ({"nb": 0}, "nb should be greater than 0"),
        ({"schema": "pollux-graph/9"}, "this is a task graph of a later version of Pollux"),
        ({"kernels": "gemm"}, "kernels should be"),
    ],
)
def test_a_wrong_header_is_named(header: dict[str, object], message: str, tmp_path: Path) -> None:
    path = changed(tmp_path, 0, json.dumps(json.loads(LINES[0]) | header))
    assert f"{path}, line 1: {message}" in error_of(path)


@pytest.mark.parametrize("text", ["[]", "[1.5]", "[1", "x", '["a"]', "[1,,2]", "[--1]", "[1]]"])
def test_a_line_that_is_no_array_of_whole_numbers_is_named(text: str, tmp_path: Path) -> None:
    for line in (1, 3):
        found = error_of(changed(tmp_path, line, text))
        number = int(re.findall(r"line (\d+): this is not an array of integers", found)[0])
        assert number in (line + 1, line + 2)  # an array that is not closed shows in the next line


def test_a_number_beyond_64_bits_is_refused(tmp_path: Path) -> None:
    assert "line 2: this is not an array" in error_of(changed(tmp_path, 1, f"[0,{10**19},0]"))


@pytest.mark.parametrize(
    ("event", "message"),
    [
        ([3, 1], "an event begins with 0"),
        ([-1, 1], "an event begins with 0"),
        ([2], "too few numbers"),
        ([2, 0, 5], "too few numbers, or half of a pair"),
        ([0, 1], "too few numbers"),
        ([0, 1, 0, 0], "half of a pair"),
        ([1, 0, 0, 0, 0, 0, 0, 0, 0, 0], "too few numbers"),
        ([0, 2, 0], "tasks are numbered from 1"),
        ([0, 1, 1], "a task acts before it was created"),
        ([1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0], "a task acts before it was created"),
        ([2, -1], "a task acts before it was created"),
        ([1, 0, 99, 0, 0, 0, 0, 0, 0, 0, 0], "a kernel's number"),
        ([1, 0, 0, 0, 0, 0, 99, 0, 0, 0, 0], "the number of a call's operation"),
        ([1, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0], "are not negative"),
        ([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9999, 0], "an object's number"),
        ([0, 1, 0, -1, 3], "an object's number"),
        ([0, 1, 0, 0, 5], "a dependence is of kind"),
        ([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2], "an object is read (0) or written (1)"),
    ],
)
def test_an_event_that_cannot_be_is_named(event: list[int], message: str, tmp_path: Path) -> None:
    path = changed(tmp_path, 1, json.dumps(event))
    found = error_of(path)
    assert f"{path}, line 2: " in found
    assert message in found


def test_events_out_of_the_order_of_execution_are_refused(tmp_path: Path) -> None:
    lines = graph_lines("cholesky", "depend", 2)
    late = [*lines[:2], *lines[3:], lines[2]]  # the first task's kernel comes last
    found = error_of(write_graph(tmp_path / "g.jsonl", late))
    assert "are not in the order of sequential execution" in found


@pytest.mark.parametrize(
    ("benchmark", "panel"), [("lu", "new-getrf 1 (:,1)"), ("cholesky", "new-potrf 1 (1,1)")]
)
def test_calls_on_columns_are_known_by_their_work_not_by_their_kernel(
    benchmark: str, panel: str, tmp_path: Path
) -> None:
    graph = read_graph(write_graph(tmp_path / "g.jsonl", graph_lines(benchmark, "depend", 3)))
    renamed = replace(graph, kernels=tuple(f"new-{name}" for name in graph.kernels))
    labels = [label_of(renamed, node) for node in range(len(renamed))]
    assert panel in labels
    assert "new-gemm 0 (2,1)" in labels
