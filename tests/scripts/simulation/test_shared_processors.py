# SPDX-License-Identifier: BSD-3-Clause
"""Simulated nodes that share processors: by hand, against plain arithmetic, and its limits."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from node_graphs import PROGRAMS, node_graph
from pollux.core.errors import BadUsageError
from pollux.insight.graphs.grid import Grid
from pollux.insight.graphs.model import Graph
from pollux.insight.graphs.over_ranks import over_ranks
from pollux.insight.simulation.across import OnNodes, asked_clusters
from pollux.insight.simulation.cluster import Sent, occupied, simulate_nodes
from pollux.insight.simulation.limits import bounds_of
from pollux.insight.simulation.messages import messages_of
from pollux.insight.simulation.model import Floats, Machine, Policy
from pollux.insight.simulation.network import Cluster, Network
from pollux.insight.simulation.prediction import predict

FREE = Network(0.0, np.inf)
SLOW = Network(2_000.0, 1e10)
MESSAGE = 64 * 64 * 8  # bytes


def two_updates(folder: Path, first: float, second: float) -> tuple[Graph, Floats]:
    """Cholesky of which two calls alone take time: the updates of A(1,1) and A(2,2) at step 0."""
    graph = node_graph(folder, "cholesky", "depend", 3)
    times = np.zeros(len(graph))
    updates = np.flatnonzero((graph.step == 0) & (graph.i == graph.j) & (graph.i > 0))
    times[updates] = first, second
    return graph, times


@pytest.mark.parametrize(
    ("first", "second", "processors", "ends"),
    [
        (10.0, 10.0, 1, [20.0, 20.0]),  # as if they ran one after the other
        (10.0, 30.0, 1, [20.0, 40.0]),  # from 20 on the second has the processor to itself
        (10.0, 30.0, 2, [10.0, 30.0]),
    ],
)
def test_two_calls_by_hand(
    first: float, second: float, processors: int, ends: list[float], tmp_path: Path
) -> None:
    graph, times = two_updates(tmp_path, first, second)
    cluster = Cluster(Grid(1, 3), FREE, processors)
    messages = messages_of(graph, cluster.grid, "openblas")
    made = simulate_nodes(graph, messages, times, Machine(1), cluster).schedule
    assert made.start[times > 0].tolist() == [0.0, 0.0]
    assert made.end[times > 0].tolist() == pytest.approx(ends)
    assert made.makespan == pytest.approx(ends[1])
    bound = bounds_of(graph, messages, times, Machine(1), cluster).processors
    assert bound == pytest.approx(1e-9 * (first + second) / processors)


def updates_of_four(folder: Path, rows: tuple[int, int]) -> tuple[Graph, Floats]:
    """Cholesky on four nodes, of which the updates of these two tiles at step 0 take 10 ns each."""
    graph = node_graph(folder, "cholesky", "depend", 4)
    own = (graph.step == 0) & (graph.i == graph.j) & np.isin(graph.i, rows)
    return graph, np.where(own & graph.calls(), 10.0, 0.0)


@pytest.mark.parametrize(
    ("rows", "workers", "processors", "end"),
    [
        ((1, 3), 1, 2, 20.0),  # on nodes 1 and 3, which have one processor, while the other is idle
        ((1, 2), 1, 2, 10.0),
        ((1, 3), 2, 2, 10.0),  # where one node has workers for all processors, all share them
        ((1, 3), 1, 4, 10.0),
    ],
)
def test_nodes_stay_on_their_processors(
    rows: tuple[int, int], workers: int, processors: int, end: float, tmp_path: Path
) -> None:
    graph, times = updates_of_four(tmp_path, rows)
    cluster = Cluster(Grid(1, 4), FREE, processors)
    messages = messages_of(graph, cluster.grid, "openblas")
    made = simulate_nodes(graph, messages, times, Machine(workers), cluster).schedule
    assert made.end[times > 0].tolist() == pytest.approx([end, end])
    assert made.makespan == pytest.approx(end)


def test_a_processor_is_shared_while_both_of_its_nodes_are_busy(tmp_path: Path) -> None:
    """Node 1 has 10 ns to do and node 3 has 30, on one processor; node 2 has 30 on the other."""
    graph, times = updates_of_four(tmp_path, (1, 3))
    second = (graph.step == 0) & (graph.i == graph.j)
    times[second & (graph.i == 3)] = times[second & (graph.i == 2)] = 30.0
    cluster = Cluster(Grid(1, 4), FREE, 2)
    messages = messages_of(graph, cluster.grid, "openblas")
    made = simulate_nodes(graph, messages, times, Machine(1), cluster).schedule
    assert made.end[times > 0].tolist() == pytest.approx([20.0, 30.0, 40.0])


def test_tasks_that_are_created_share_too(tmp_path: Path) -> None:
    """Three nodes create their ten tasks, three, four and three of them, at 7 ns each."""
    graph, times = two_updates(tmp_path, 0.0, 0.0)
    cluster = Cluster(Grid(1, 3), FREE, 1)
    messages = messages_of(graph, cluster.grid, "openblas")
    made = simulate_nodes(graph, messages, times, Machine(1, creation=7.0), cluster)
    own = np.bincount(messages.place[graph.calls()])
    assert own.tolist() == [3, 4, 3]
    assert made.schedule.makespan == pytest.approx(70.0)


def test_what_is_received_needs_a_processor(tmp_path: Path) -> None:
    """A(1,0) is at node 1 at 35 ns and takes 7 ns, A(2,0) is solved for on node 0 until 50 ns.

    When it has come, node 1 has two calls of 1 ns each.
    """
    graph = node_graph(tmp_path, "cholesky", "depend", 3)
    times = np.where(graph.calls(), 1.0, 0.0)
    times[:3] = [10.0, 20.0, 20.0]
    came = {}
    for processors in (1, 2):
        cluster = Cluster(Grid(1, 2), Network(5.0, MESSAGE / 7e-9), processors)
        messages = messages_of(graph, cluster.grid, "openblas")
        made = simulate_nodes(graph, messages, times, Machine(1), cluster)
        first = np.flatnonzero(messages.producer == 1)
        came[processors] = [*made.came[first], made.schedule.end[2]]
    assert came[2] == pytest.approx([42.0, 50.0])
    assert came[1] == pytest.approx([49.0, 59.0])


def random_times(graph: Graph) -> Floats:
    times = np.random.default_rng(1).uniform(1e3, 1e5, len(graph))
    return np.where(graph.calls(), times, 0.0)


def slowed(alone: Sent, occupies: Floats, processors: int) -> float:
    """The time of a schedule if each moment takes as much longer as more is busy then."""
    begin = np.concatenate([alone.schedule.start, alone.came - occupies])
    end = np.concatenate([alone.schedule.end, alone.came])
    moments = np.unique(np.concatenate([[0.0], begin, end]))
    middle = (moments[1:] + moments[:-1]) / 2
    busy = ((begin[:, None] < middle) & (middle < end[:, None])).sum(axis=0)
    return float((np.diff(moments) * np.maximum(1, busy / processors)).sum())


@pytest.mark.parametrize(("benchmark", "variant"), PROGRAMS)
def test_each_moment_takes_longer_by_what_is_busy(
    benchmark: str, variant: str, tmp_path: Path
) -> None:
    whole = node_graph(tmp_path, benchmark, variant, 6)
    for grid, policy in product((Grid(1, 2), Grid(2, 2)), Policy):
        graph = over_ranks(whole, grid).graph
        times, machine = random_times(graph), Machine(2, policy)
        messages = messages_of(graph, grid, "openblas")
        alone = simulate_nodes(graph, messages, times, machine, Cluster(grid, SLOW))
        for processors in (1, 2, 3):
            cluster = Cluster(grid, SLOW, processors)
            made = simulate_nodes(graph, messages, times, machine, cluster)
            expected = slowed(alone, occupied(messages, cluster), processors)
            assert made.schedule.makespan == pytest.approx(expected)
            assert (made.schedule.worker == alone.schedule.worker).all()
            bound = 1e9 * bounds_of(graph, messages, times, machine, cluster).largest
            assert made.schedule.makespan >= bound * (1 - 1e-12)


@pytest.mark.parametrize("policy", list(Policy))
def test_enough_processors_are_as_good_as_one_for_everything(
    policy: Policy, tmp_path: Path
) -> None:
    """Each worker needs one, and what each node receives."""
    grid = Grid(2, 2)
    graph = over_ranks(node_graph(tmp_path, "qr", "depend", 6), grid).graph
    messages, times = messages_of(graph, grid, "openblas"), random_times(graph)
    machine = Machine(2, policy, 900.0, 20.0, 50.0, 2)
    one, other = (
        simulate_nodes(graph, messages, times, machine, Cluster(grid, SLOW, processors))
        for processors in (None, grid.nodes * (machine.workers + 1))
    )
    assert one.schedule.makespan == other.schedule.makespan
    assert (one.came == other.came).all()
    for name in ("worker", "start", "end"):
        assert (getattr(one.schedule, name) == getattr(other.schedule, name)).all(), name


def test_efficiency_and_limit_are_those_of_the_processors(tmp_path: Path) -> None:
    graph, times = two_updates(tmp_path, 10.0, 10.0)
    messages = messages_of(graph, Grid(1, 3), "openblas")
    for processors, efficiency, limit in (
        (1, 1.0, "processors"),
        (2, 1.0, "work"),
        (6, 2 / 3, "work"),
    ):
        cluster = Cluster(Grid(1, 3), FREE, processors)
        on = OnNodes(messages, cluster)
        [(made, _)] = predict(graph, 1e6 * times, [Machine(1)], on=on)
        assert made.across is not None
        assert made.efficiency == pytest.approx(efficiency)
        assert made.across.bounds.limit == limit
        assert made.across.as_json(made.seconds)["processors"] == processors


def test_processors_need_nodes() -> None:
    with pytest.raises(BadUsageError, match="--processors"):
        asked_clusters([], None, None, None, 2)
    assert asked_clusters([2], None, "2us", 1.0, 3)[0].processors == 3
