# SPDX-License-Identifier: BSD-3-Clause
"""Counts, longest paths and implied edges are those that their definitions give."""

import itertools
import random
from pathlib import Path

import numpy as np
import pytest
from graph_orders import random_program
from pollux.insight.graphs.file import read_graph
from pollux.insight.graphs.model import Graph, Rows
from pollux.insight.graphs.reach import compare_orders, implied_edges, ordered
from pollux.insight.graphs.rows import grouped, inverted, owners
from pollux.insight.graphs.shape import (
    bottom_levels,
    by_kernel,
    longest_path,
    shape_of,
)
from random_graphs import from_lists
from task_graphs import Program, program, write_graph


def read(p: Program, folder: Path) -> Graph:
    return read_graph(write_graph(folder / "graph.jsonl", p.lines()))


def random_order(seed: int, nodes: int) -> Rows:
    """Some edges that lead forward, near and far."""
    chance = random.Random(seed)
    return from_lists(
        sorted(chance.sample(range(node), min(node, chance.choice((0, 1, 1, 2, 3)))))
        for node in range(nodes)
    )


def reach(before: Rows) -> list[set[int]]:
    found: list[set[int]] = []
    for node in range(len(before)):
        direct = before[node].tolist()
        found.append(set(direct).union(*(found[p] for p in direct)))
    return found


@pytest.mark.parametrize("seed", range(20))
def test_edges_are_implied_where_a_longer_path_leads_to_the_same_node(seed: int) -> None:
    before = random_order(seed, 200)
    full = reach(before)
    expected = [
        any(first in full[other] for other in before[node] if other != first)
        for node in range(200)
        for first in before[node]
    ]
    implied = implied_edges(before)
    assert implied is not None
    assert implied.tolist() == expected
    assert any(expected)


@pytest.mark.parametrize("seed", range(20))
def test_queries_are_answered_as_paths_lead(seed: int) -> None:
    before = random_order(seed, 300)
    full, chance = reach(before), np.random.default_rng(seed)
    first = chance.integers(0, 299, 500)
    second = first + 1 + chance.integers(0, 300 - first - 1)
    found = ordered(before, first, second)
    assert found is not None
    assert found.tolist() == [a in full[b] for a, b in zip(first, second, strict=True)]
    assert len(set(found.tolist())) == 2


@pytest.mark.parametrize("seed", range(10))
def test_pairs_of_two_orders_are_counted_exactly(seed: int) -> None:
    one, other = random_order(seed, 150), random_order(seed + 1000, 150)
    counted = np.random.default_rng(seed).random(150) < 0.7
    pairs, others = (
        {(a, b) for b, before in enumerate(reach(rows)) for a in before if counted[[a, b]].all()}
        for rows in (one, other)
    )
    assert compare_orders(one, other, counted) == (len(pairs), len(pairs - others))


def test_queries_of_no_pairs_have_no_answers() -> None:
    none = np.zeros(0, dtype=np.int64)
    assert ordered(random_order(0, 10), none, none) is not None


def every_path(before: Rows, node: int) -> list[list[int]]:
    shorter = [path for p in before[node].tolist() for path in every_path(before, p)]
    return [[*path, node] for path in shorter] or [[node]]


@pytest.mark.parametrize("seed", range(20))
def test_the_critical_path_is_the_longest_of_all(seed: int) -> None:
    before = random_order(seed, 14)
    durations = np.random.default_rng(seed).integers(1, 50, 14).astype(np.float64)
    lengths = {
        tuple(path): sum(durations[path]) for node in range(14) for path in every_path(before, node)
    }
    length, path = longest_path(before, durations)
    assert length == max(lengths.values()) == lengths[tuple(path.tolist())]


@pytest.mark.parametrize("seed", range(10))
def test_bottom_levels_are_the_longest_paths_to_the_end(seed: int, tmp_path: Path) -> None:
    graph = read(random_program(seed), tmp_path)
    durations = np.random.default_rng(seed).random(len(graph))
    levels = bottom_levels(graph, durations)
    after = inverted(graph.before, len(graph))
    for node in range(len(graph)):
        rest = max((levels[s] for s in after[node]), default=0.0)
        assert levels[node] == pytest.approx(durations[node] + rest)
    assert longest_path(graph.before, durations)[0] == pytest.approx(levels.max())


def test_the_depth_of_cholesky_is_that_of_the_algorithm(tmp_path: Path) -> None:
    for tiles in range(1, 9):
        shape = shape_of(read(program("cholesky", "depend", tiles), tmp_path))
        assert shape.tasks == tiles * (tiles + 1) * (tiles + 2) // 6
        assert shape.depth == 3 * tiles - 2  # potrf, trsm and syrk of each step but the last
        assert shape.width.sum() == shape.calls == shape.tasks


def test_taskwaits_are_neither_calls_nor_depth(tmp_path: Path) -> None:
    shape = shape_of(read(program("cholesky", "forkjoin", 4), tmp_path))
    assert shape.calls == shape_of(read(program("cholesky", "depend", 4), tmp_path)).calls
    assert shape.depth == 10


def test_degrees_count_every_edge(tmp_path: Path) -> None:
    graph = read(program("lu", "depend", 5), tmp_path)
    shape = shape_of(graph)
    for side in (shape.before, shape.after):
        assert (side.histogram * np.arange(len(side.histogram))).sum() == shape.edges
        assert side.histogram.sum() == len(graph)
        assert side.most == len(side.histogram) - 1


def test_the_path_of_one_task_is_that_task(tmp_path: Path) -> None:
    graph = read(program("lu", "depend", 1), tmp_path)
    length, path = longest_path(graph.before, np.array([7.0]))
    assert (length, path.tolist()) == (7.0, [0])
    assert by_kernel(graph, path, np.array([7.0])) == {"getrf": 7.0}


def test_a_graph_without_tasks_has_no_path(tmp_path: Path) -> None:
    graph = read(Program("lu", "by hand", 1, 1), tmp_path)
    length, path = longest_path(graph.before, np.zeros(0))
    assert (length, path.tolist()) == (0.0, [])
    assert shape_of(graph).depth == 0


def test_rows_are_inverted_and_grouped() -> None:
    rows = from_lists([[], [0], [0, 1], []])
    assert [inverted(rows, 4)[r].tolist() for r in range(4)] == [[1, 2], [2], [], []]
    assert owners(rows).tolist() == [1, 2, 2]
    mixed = grouped(np.array([2, 0, 2]), np.array([5, 6, 4]), 3)
    assert list(itertools.chain(*(mixed[r].tolist() for r in range(3)))) == [6, 5, 4]
    assert np.diff(mixed.start).tolist() == [1, 0, 2]
