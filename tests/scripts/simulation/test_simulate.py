# SPDX-License-Identifier: BSD-3-Clause
"""Schedules of the simulator: legal, within the known bounds, and those of its rules."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from pollux.core.errors import BadUsageError
from pollux.insight.graphs.file import read_graph
from pollux.insight.graphs.model import Graph
from pollux.insight.graphs.rows import owners
from pollux.insight.graphs.shape import longest_path
from pollux.insight.simulation.model import Floats, Machine, Policy, Schedule
from pollux.insight.simulation.simulate import simulate
from pollux.insight.simulation.tables import NOBODY
from random_graphs import from_lists, independent, random_graph, random_times, with_rivals
from reference_simulator import Reference
from task_graphs import GRAPHS, Program, graph_lines, lu_gemm, write_graph

POLICIES = list(Policy)
SEEDS = range(12)
COSTLY = Machine(1, creation=130.0, dispatch=20.0, steal=50.0)
MACHINES = [
    replace(machine, workers=workers, policy=policy)
    for workers, policy in product((1, 2, 3, 5), POLICIES)
    for machine in (Machine(1), COSTLY, replace(COSTLY, throttle=2))
]


@pytest.fixture(params=sorted(GRAPHS), ids="-".join)
def graph(request: pytest.FixtureRequest, tmp_path: Path) -> Graph:
    """A graph as the programs write it."""
    benchmark, variant = request.param
    return read_graph(write_graph(tmp_path / "g.jsonl", graph_lines(benchmark, variant, 6)))


def some_times(graph: Graph, seed: int = 1) -> Floats:
    times = np.random.default_rng(seed).uniform(1e3, 1e5, len(graph))
    return np.where(graph.calls(), times, 0.0)


def check_legal(graph: Graph, times: Floats, made: Schedule, machine: Machine) -> None:
    """No overlap on a worker; every predecessor has ended; every node ran in full."""
    assert np.allclose(made.end - made.start, times) or machine.bandwidth
    assert (made.end[graph.before.values] <= made.start[owners(graph.before)]).all()
    assert ((made.worker != NOBODY) == graph.calls()).all()
    assert made.worker.max() < machine.workers
    for worker in range(machine.workers):
        mine = np.flatnonzero(made.worker == worker)
        mine = mine[np.argsort(made.start[mine], kind="stable")]
        assert (made.end[mine][:-1] <= made.start[mine][1:]).all()
    assert made.makespan >= made.end.max()


@pytest.mark.parametrize("machine", MACHINES, ids=str)
def test_schedules_are_those_of_the_plain_rules(machine: Machine) -> None:
    for seed in SEEDS:
        graph = random_graph(seed)
        times = random_times(graph, seed)
        made = simulate(graph, times, replace(machine, seed=seed))
        check_legal(graph, times, made, machine)
        length, ends, workers = Reference(graph, times, replace(machine, seed=seed)).simulate()
        assert made.makespan == pytest.approx(length)
        assert made.end == pytest.approx([ends[v] for v in range(len(graph))])
        assert made.worker.tolist() == [workers.get(v, NOBODY) for v in range(len(graph))]


@pytest.mark.parametrize("policy", POLICIES)
def test_rivals_never_run_at_once(policy: Policy) -> None:
    for seed in SEEDS:
        graph = with_rivals(random_graph(seed), seed)
        times = random_times(graph, seed)
        machine = Machine(3, policy, seed=seed)
        made = simulate(graph, times, machine)
        check_legal(graph, times, made, machine)
        for a, b in graph.exclusive:
            for v, w in product(np.flatnonzero(graph.task == a), np.flatnonzero(graph.task == b)):
                assert made.end[v] <= made.start[w] or made.end[w] <= made.start[v]
        assert made.makespan == pytest.approx(Reference(graph, times, machine).simulate()[0])


@pytest.mark.parametrize("policy", POLICIES)
def test_bandwidth_is_shared_by_those_that_run_when_a_node_begins(policy: Policy) -> None:
    for seed in SEEDS:
        graph = random_graph(seed)
        times = random_times(graph, seed)
        moved = np.random.default_rng(seed).uniform(0, 1000, len(graph))
        machine = Machine(4, policy, bandwidth=2e9, seed=seed)
        made = simulate(graph, times, machine, moved)
        check_legal(graph, times, made, machine)
        length = Reference(graph, times, machine, moved).simulate()[0]
        assert made.makespan == pytest.approx(length)


def test_a_bandwidth_bounds_what_many_workers_gain() -> None:
    graph = independent(64)
    times = np.full(64, 100.0)
    moved = np.full(64, 1000.0)
    made = simulate(graph, times, Machine(8, bandwidth=10e9), moved)
    assert made.makespan >= 64 * 1000 / 10 * (1 - 7 / 64)  # the first few see no others
    assert simulate(graph, times, Machine(8, bandwidth=1e15), moved).makespan == 800


@pytest.mark.parametrize("policy", POLICIES)
def test_ideal_schedules_keep_grahams_bound(graph: Graph, policy: Policy) -> None:
    times = some_times(graph)
    work, path = times.sum(), longest_path(graph.before, times)[0]
    for workers in (1, 2, 7, 40):
        machine = Machine(workers, policy)
        made = simulate(graph, times, machine)
        check_legal(graph, times, made, machine)
        assert made.makespan >= max(work / workers, path) * (1 - 1e-12)
        assert made.makespan <= (work / workers + (1 - 1 / workers) * path) * (1 + 1e-12)


def test_one_worker_takes_the_sum_of_all_costs() -> None:
    graph = independent(10)
    times = np.linspace(0.0, 90.0, 10)
    for policy in POLICIES:
        made = simulate(graph, times, Machine(1, policy, 7.0, 3.0, 1000.0))
        assert made.makespan == 450 + 10 * 7 + 10 * 3


def test_tasks_that_only_create_others_have_costs_too(tmp_path: Path) -> None:
    """Two levels of them, and one that does nothing."""
    program = Program("lu", "column", 6, 6)
    outer = program.task()
    inner = program.task(parent=outer)
    for row in range(1, 6):
        lu_gemm(program, program.task(parent=inner), 0, row, 1)
    program.wait(inner)
    program.wait(outer)
    program.task()
    graph = read_graph(write_graph(tmp_path / "g.jsonl", program.lines()))
    times = some_times(graph)
    for policy in POLICIES:
        made = simulate(graph, times, Machine(1, policy, creation=7.0, dispatch=3.0))
        assert made.makespan == pytest.approx(times.sum() + (2 + 6) * 7 + (2 + 5) * 3)


def test_a_slow_submitter_is_the_bottleneck() -> None:
    graph = independent(100)
    made = simulate(graph, np.full(100, 1.0), Machine(64, creation=50.0))
    assert made.makespan == 100 * 50 + 1


def test_a_throttled_submitter_runs_tasks_before_all_are_created() -> None:
    graph = independent(100)
    times = np.full(100, 1000.0)
    free = simulate(graph, times, Machine(2, creation=1.0))
    throttled = simulate(graph, times, Machine(2, creation=1.0, throttle=4))
    assert free.start[free.worker == 0].min() >= 100
    assert throttled.start[throttled.worker == 0].min() < 100


def test_stealing_depends_on_its_seed_only() -> None:
    graph = random_graph(3, tasks=60)
    times = random_times(graph, 3)
    made = [simulate(graph, times, Machine(3, Policy.STEAL, seed=s)) for s in (1, 1, 2, 3, 4)]
    assert (made[0].start == made[1].start).all()
    assert any((made[0].start != other.start).any() for other in made[2:])


def test_priority_takes_the_longest_path_first() -> None:
    """Five single tasks, then a chain of five: only its early start hides it."""
    graph = independent(10)
    before = from_lists([[]] * 6 + [[v] for v in range(5, 9)])
    chained = replace(graph, before=before)
    lengths = [simulate(chained, np.ones(10), Machine(2, policy)).makespan for policy in POLICIES]
    assert lengths[POLICIES.index(Policy.PRIORITY)] == 5
    assert lengths[POLICIES.index(Policy.FIFO)] == 7


def test_a_cycle_of_rivals_does_not_deadlock() -> None:
    graph = replace(independent(6), exclusive=np.array([[1, 2], [2, 3], [1, 3], [4, 1], [5, 6]]))
    made = simulate(graph, np.full(6, 10.0), Machine(6))
    assert made.makespan == 30


def test_nonsense_is_refused() -> None:
    graph = independent(3)
    times = np.ones(3)
    for durations, machine, moved in (
        (times[:2], Machine(1), None),
        (np.array([1.0, np.nan, 1.0]), Machine(1), None),
        (-times, Machine(1), None),
        (times, Machine(0), None),
        (times, Machine(1, bandwidth=1e9), None),
        (times, Machine(1, bandwidth=1e9), times[:1]),
    ):
        with pytest.raises(BadUsageError):
            simulate(graph, durations, machine, moved)
