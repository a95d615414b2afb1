# SPDX-License-Identifier: BSD-3-Clause
"""Graphs have the order that OpenMP's rules give, and no edge beyond those that they name."""

from pathlib import Path

import pytest
from graph_orders import only, order_by_definition, random_program
from pollux.insight.graphs.file import read_graph
from pollux.insight.graphs.model import TASK, TASKWAIT, Graph
from task_graphs import IN, INOUT, INOUTSET, MUTEX, OUT, ROOT, Program, graph_lines, write_graph


def read(program: Program, folder: Path) -> Graph:
    return read_graph(write_graph(folder / "graph.jsonl", program.lines()))


def flat(folder: Path, *tasks: list[tuple[str, int]]) -> Graph:
    """The graph of tasks with these items, which call one kernel each."""
    program = Program("lu", "by hand", 1, 1)
    for items in tasks:
        program.call(program.task(items), "gemm", 0, (0, 0))
    return read(program, folder)


def before(graph: Graph) -> list[list[int]]:
    return [graph.before[v].tolist() for v in range(len(graph))]


@pytest.mark.parametrize("seed", range(150))
def test_the_order_is_that_of_the_definition(seed: int, tmp_path: Path) -> None:
    program = random_program(seed, depth=1 + seed % 3)
    graph = read(program, tmp_path)
    assert only(graph, lambda name: name != TASK) == order_by_definition(program)


def test_readers_follow_the_writer_and_the_next_writer_follows_them(tmp_path: Path) -> None:
    a = "A(0,0)"
    graph = flat(tmp_path, [(a, OUT)], [(a, IN)], [(a, IN)], [(a, INOUT)], [(a, INOUT)])
    assert before(graph) == [[], [0], [0], [1, 2], [3]]


def test_each_task_follows_every_member_of_the_set_before(tmp_path: Path) -> None:
    a = "A(0,0)"
    graph = flat(tmp_path, *([(a, kind)] for kind in (INOUTSET, INOUTSET, IN, IN, INOUTSET, OUT)))
    assert before(graph) == [[], [], [0, 1], [0, 1], [2, 3], [4]]
    assert len(graph.exclusive) == 0


def test_tasks_of_one_mutexinoutset_are_unordered_and_exclusive(tmp_path: Path) -> None:
    a = "A(0,0)"
    graph = flat(tmp_path, *([(a, kind)] for kind in (OUT, MUTEX, MUTEX, MUTEX, IN, MUTEX)))
    assert before(graph) == [[], [0], [0], [0], [1, 2, 3], [4]]
    assert sorted(graph.exclusive.tolist()) == [[2, 3], [2, 4], [3, 4]]


def test_an_item_in_two_kinds_is_ordered_against_both(tmp_path: Path) -> None:
    a = "A(0,0)"
    graph = flat(tmp_path, [(a, INOUTSET)], [(a, IN), (a, INOUTSET)], [(a, INOUTSET)], [(a, IN)])
    assert before(graph) == [[], [0], [1], [2]]


def test_an_item_named_twice_in_one_kind_counts_once(tmp_path: Path) -> None:
    a = "A(0,0)"
    graph = flat(tmp_path, [(a, OUT)], [(a, IN), (a, IN)], [(a, IN)], [(a, OUT)])
    assert before(graph) == [[], [0], [0], [1, 2]]


def test_two_items_that_name_the_same_task_make_one_edge(tmp_path: Path) -> None:
    both = ["A(0,0)", "A(1,0)"]
    graph = flat(tmp_path, [(name, OUT) for name in both], [(name, IN) for name in both])
    assert before(graph) == [[], [0]]


def test_taskwait_does_not_wait_for_grandchildren(tmp_path: Path) -> None:
    program = Program("lu", "by hand", 1, 1)
    child = program.task()
    program.call(child, "trsm", 0, (0, 0))
    program.call(program.task(parent=child), "gemm", 0, (0, 0))
    program.wait(ROOT)
    graph = read(program, tmp_path)
    assert graph.names() == ["trsm", "gemm", TASKWAIT]
    assert before(graph) == [[], [0], [0]]


def test_a_taskwait_follows_the_children_since_the_last_one(tmp_path: Path) -> None:
    program = Program("lu", "by hand", 1, 1)
    for _ in range(2):
        program.call(program.task(), "gemm", 0, (0, 0))
        program.wait(ROOT)
    assert before(read(program, tmp_path)) == [[], [0], [1], [1, 2]]


def test_an_empty_task_passes_its_order_on(tmp_path: Path) -> None:
    program = Program("lu", "by hand", 1, 1)
    program.call(program.task([("A(0,0)", OUT)]), "trsm", 0, (0, 0))
    program.task([("A(0,0)", IN), ("A(1,0)", OUT)])
    program.call(program.task([("A(1,0)", IN)]), "gemm", 0, (0, 0))
    graph = read(program, tmp_path)
    assert graph.names() == ["trsm", TASK, "gemm"]
    assert before(graph) == [[], [0], [1]]
    assert graph.calls().tolist() == [True, False, True]


def test_nodes_know_their_task_and_the_ancestor_that_was_submitted(tmp_path: Path) -> None:
    lines = graph_lines("lu", "column", 3)
    graph = read_graph(write_graph(tmp_path / "graph.jsonl", lines))
    nested = graph.task != graph.root_task
    assert {name for name, n in zip(graph.names(), nested, strict=True) if n} == {"gemm"}
    updates = [v for v, name in enumerate(graph.names()) if name == "trsm"]
    assert [graph.before[v].tolist() for v in updates] == [[v - 1] for v in updates]


def test_reads_and_writes_are_those_of_the_kernel(tmp_path: Path) -> None:
    program = Program("lu", "by hand", 1, 1)
    program.call(ROOT, "gemm", 3, (5, 7), ["A(0,0)", "T", "A(0,0)", "A(5,7)"], ["A(5,7)"])
    graph = read(program, tmp_path)
    assert [graph.objects[o] for o in graph.reads[0]] == ["A(0,0)", "#1"]
    assert [graph.objects[o] for o in graph.writes[0]] == ["A(5,7)"]
    assert (graph.step[0], graph.i[0], graph.j[0]) == (3, 5, 7)


def test_items_are_kept_as_declared(tmp_path: Path) -> None:
    graph = flat(tmp_path, [("A(0,0)", OUT), ("A(1,0)", INOUTSET)], [("A(1,0)", IN)])
    assert [graph.items[t].tolist() for t in range(3)] == [[], [0 * 8 + 2, 1 * 8 + 7], [1 * 8 + 1]]
