# SPDX-License-Identifier: BSD-3-Clause
"""The checker finds each conflict without an order, and nothing else."""

from pathlib import Path

import pytest
from graph_orders import Order, closure, order_of, random_program
from pollux.insight.graphs import conflicts
from pollux.insight.graphs.conflicts import find_conflicts, find_surplus, minimal_graph
from pollux.insight.graphs.file import read_graph
from pollux.insight.graphs.model import Graph
from task_graphs import (
    GRAPHS,
    IN,
    INOUT,
    INOUTSET,
    MUTEX,
    OUT,
    Program,
    program,
    tile,
    write_graph,
)

ALL = sorted(GRAPHS)


def read(p: Program, folder: Path) -> Graph:
    return read_graph(write_graph(folder / "graph.jsonl", p.lines()))


def conflicting(graph: Graph) -> set[tuple[int, int]]:
    """All pairs of calls that touch an object of which one writes it, by definition."""
    reads = [set(graph.reads[v].tolist()) for v in range(len(graph))]
    writes = [set(graph.writes[v].tolist()) for v in range(len(graph))]
    return {
        (a, b)
        for b in range(len(graph))
        for a in range(b)
        if writes[a] & (reads[b] | writes[b]) or reads[a] & writes[b]
    }


def unordered(graph: Graph) -> set[tuple[int, int]]:
    order = order_of(graph)
    return {(a, b) for a, b in conflicting(graph) if a not in order[b]}


def checked(graph: Graph) -> tuple[int, set[tuple[int, int]]]:
    """How many pairs the checker finds, and those that it names."""
    found = find_conflicts(graph, minimal_graph(graph))
    assert found is not None
    assert found.all_counted
    return found.pairs, {(c.first, c.second) for c in found.found}


def agree(graph: Graph) -> bool:
    """The checker's findings are those of the definition; whether there are any."""
    pairs, named = checked(graph)
    expected = unordered(graph)
    assert pairs == len(expected)
    assert named <= expected
    assert bool(named) == bool(expected)
    return bool(expected)


@pytest.mark.parametrize(("benchmark", "variant"), ALL)
def test_the_graphs_of_all_variants_order_all_that_conflicts(
    benchmark: str, variant: str, tmp_path: Path
) -> None:
    for rows, tiles in ((5, 5), (6, 3), (3, 6), (1, 1)):
        if benchmark != "cholesky" or rows == tiles:
            assert checked(read(program(benchmark, variant, tiles, rows=rows), tmp_path))[0] == 0


@pytest.mark.parametrize(("benchmark", "variant"), ALL)
def test_each_item_left_out_is_found_where_it_matters(
    benchmark: str, variant: str, tmp_path: Path
) -> None:
    p = program(benchmark, variant, 3)
    found = 0
    for event in [e for e in p.events if e[0] == 0]:
        whole = list(event)
        for x in range(3, len(whole), 2):
            event[:] = whole[:x] + whole[x + 2 :]
            found += agree(read(p, tmp_path))
        event[:] = whole
    assert found > 0 or variant == "forkjoin"


@pytest.mark.parametrize("seed", range(60))
def test_what_is_found_in_any_program_agrees_with_the_definition(seed: int, tmp_path: Path) -> None:
    agree(read(random_program(seed, steps=30, kinds=(IN, OUT, INOUT, INOUTSET)), tmp_path))


def test_tasks_of_a_mutexinoutset_may_conflict_in_any_order(tmp_path: Path) -> None:
    p = Program("lu", "by hand", 1, 1)
    for _ in range(3):
        p.call(p.task([("A(0,0)", MUTEX)]), "gemm", len(p.events), (0, 0), writes=["A(0,0)"])
    assert checked(read(p, tmp_path)) == (0, set())


def two_objects(first: int, second: int) -> Program:
    """Tasks that write an object in any order, and others that write another one."""
    p = Program("lu", "by hand", 1, 2)
    for name, count in ((tile(0, 0), first), (tile(0, 1), second)):
        for _ in range(count):
            p.call(p.task(), "gemm", len(p.events), (0, 0), writes=[name])
    return p


def test_pairs_are_counted_before_they_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pair_up(*_: object) -> None:
        raise AssertionError

    graph = read(two_objects(50, 0), tmp_path)
    monkeypatch.setattr(conflicts, "PAIRS_MOST", 50 * 49 // 2)
    assert checked(graph)[0] == 50 * 49 // 2
    monkeypatch.setattr(conflicts, "PAIRS_MOST", 50 * 49 // 2 - 1)
    monkeypatch.setattr(conflicts, "pair_up", pair_up)
    found = find_conflicts(graph, minimal_graph(graph))
    assert found is not None
    assert (len(found.found), found.pairs, found.all_counted) == (1, 49, False)


def test_conflicts_stay_found_where_the_search_for_more_takes_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = read(two_objects(3, 50), tmp_path)
    search, calls = conflicts.unordered, iter(range(9))
    monkeypatch.setattr(
        conflicts, "unordered", lambda *given: search(*given) if next(calls) < 2 else None
    )
    found = find_conflicts(graph, minimal_graph(graph))
    assert found is not None
    assert (len(found.found), found.pairs, found.all_counted) == (1, 3, False)


def order_of_minimal(graph: Graph) -> Order:
    minimal = minimal_graph(graph)
    return closure([set(minimal[v].tolist()) for v in range(len(graph))])


@pytest.mark.parametrize("seed", range(20))
def test_the_minimal_graph_orders_conflicts_alone(seed: int, tmp_path: Path) -> None:
    graph = read(random_program(seed, steps=30), tmp_path)
    direct: list[set[int]] = [set() for _ in range(len(graph))]
    for a, b in conflicting(graph):
        direct[b].add(a)
    assert order_of_minimal(graph) == closure(direct)


@pytest.mark.parametrize(("benchmark", "variant"), ALL)
def test_surplus_orders_are_those_beyond_the_minimal_graph(
    benchmark: str, variant: str, tmp_path: Path
) -> None:
    graph = read(program(benchmark, variant, 5), tmp_path)
    full, least, calls = order_of(graph), order_of_minimal(graph), graph.calls()
    pairs = {(a, b) for b in range(len(graph)) for a in full[b] if calls[a] and calls[b]}
    edges = {(a, b) for a, b in pairs if a in graph.before[b]}
    surplus = find_surplus(graph, minimal_graph(graph))
    assert surplus.direct == len(edges)
    assert surplus.direct_unneeded == sum(a not in least[b] for a, b in edges)
    assert surplus.ordered == len(pairs)
    assert surplus.ordered_unneeded == sum(a not in least[b] for a, b in pairs)
