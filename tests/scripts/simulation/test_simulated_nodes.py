# SPDX-License-Identifier: BSD-3-Clause
"""Simulations over nodes: the messages of the programs, schedules by hand, bounds, one node."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from node_graphs import PROGRAMS, node_graph
from pollux.core.errors import BadUsageError
from pollux.insight.graphs.grid import Grid
from pollux.insight.graphs.model import Graph
from pollux.insight.graphs.over_ranks import over_ranks, places
from pollux.insight.graphs.rows import owners
from pollux.insight.graphs.shape import longest_path
from pollux.insight.simulation.across import asked_clusters
from pollux.insight.simulation.cluster import Sent, occupied, simulate_nodes
from pollux.insight.simulation.limits import bounds_of
from pollux.insight.simulation.messages import NOBODY, Messages, messages_of
from pollux.insight.simulation.model import Floats, Machine, Policy
from pollux.insight.simulation.network import Cluster, Network
from pollux.insight.simulation.simulate import simulate

# What cholesky-mpi, lu-mpi and qr-mpi recorded as mpi.messages and mpi.bytes, N = 384, NB = 64,
# IB = 32, OpenBLAS' kernels; `late` and `spread` are partial pivoting.
RECORDED = """
cholesky depend 1x2  15  491520
cholesky depend 2x1  15  491520
cholesky depend 2x2  30  983040
cholesky depend 2x3  40 1310720
cholesky depend 1x8  35 1146880
lu       nopiv  1x2  20  655360
lu       nopiv  1x3  38 1245184
lu       nopiv  2x2  40 1310720
lu       nopiv  2x3  58 1900544
lu       nopiv  1x8  70 2293760
lu       late   1x2  26  656896
lu       late   1x3  50 1248256
lu       late   1x8 112 2304512
lu       late   2x1  87 2655744
lu       late   2x2 119 3314176
lu       late   3x1 133 3968000
lu       late   3x2 171 4627968
lu       late   2x3 149 3907072
lu       late   8x1 227 6072832
lu       spread 1x2  26 656896
lu       spread 2x1 709 2567680
lu       spread 2x2 741 3226112
lu       spread 2x3 771 3819008
lu       spread 3x1 1261 4084736
lu       spread 3x2 1299 4744704
qr       depend 1x2  40 1966080
qr       depend 1x3  76 3735552
qr       depend 2x1  82 2686976
qr       depend 2x2 122 4653056
qr       depend 2x3 158 6422528
qr       depend 1x8 140 6881280
"""
RECORDS = [line.split() for line in RECORDED.strip().splitlines()]
GRIDS = [Grid(1, 2), Grid(2, 2), Grid(2, 3), Grid(3, 1), Grid(4, 5)]
FREE = Network(0.0, np.inf)
SLOW = Network(2_000.0, 1e10)
MESSAGE = 64 * 64 * 8  # bytes


def random_times(graph: Graph, seed: int = 1) -> Floats:
    times = np.random.default_rng(seed).uniform(1e3, 1e5, len(graph))
    return np.where(graph.calls(), times, 0.0)


@pytest.mark.parametrize("record", RECORDS, ids=" ".join)
def test_messages_are_those_that_the_programs_recorded(record: list[str], tmp_path: Path) -> None:
    benchmark, variant, name, *counts = record
    grid = Grid.parse(name)
    graph = over_ranks(node_graph(tmp_path, benchmark, variant, 6), grid).graph
    made = messages_of(graph, grid, "openblas")
    assert [len(made), made.bytes_.sum()] == [*map(int, counts)]


@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_exchanges_are_made_in_a_part_for_each_rank_of_a_column(grid: Grid, tmp_path: Path) -> None:
    """Each part is where its tiles live; together they write what the whole writes."""
    over = over_ranks(node_graph(tmp_path, "lu", "late", 7), grid)
    graph, whole, place = over.graph, over.whole, places(over.graph, grid)
    names = np.column_stack([graph.kernel, graph.step, graph.i, graph.j])[graph.calls()]
    assert len(np.unique(names, axis=0)) == len(names)
    later, earlier = owners(graph.before), graph.before.values
    assert (earlier < later).all()
    shared = over.shared_out(np.full(len(whole), 1000))
    assert np.abs(np.bincount(over.origin, shared) - 1000).max() <= grid.rows  # roundings
    for node in np.flatnonzero((whole.names() == np.array("laswp")) & (whole.j > whole.step)):
        parts = np.flatnonzero(over.origin == node)
        below = []
        for part in parts.tolist():
            row = {int(graph.objects[o][2:].split(",")[0]) for o in graph.writes[part]}
            assert whole.step[node] in row
            own = sorted(row - {int(whole.step[node])})
            column = np.full(len(own), whole.j[node])
            assert (grid.owner(np.array(own, np.int64), column) == place[part]).all()
            assert graph.work.rows[part] == 64 * len(row)
            below += own
        assert sorted(below) == [*range(whole.step[node] + 1, 7)]


@pytest.mark.parametrize("kernel", ["panel_search", "panel_column"])
@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_each_rank_works_on_its_own_rows_of_a_spread_panel(
    grid: Grid, kernel: str, tmp_path: Path
) -> None:
    """Together they do what the whole does."""
    over = over_ranks(node_graph(tmp_path, "lu", "spread", 5), grid)
    graph, whole, place = over.graph, over.whole, places(over.graph, grid)
    parts = np.flatnonzero(np.array(graph.names()) == kernel)
    first = 64 * graph.step + graph.j + (kernel == "panel_column")
    for part in parts.tolist():
        own = [i for i in range(5) if i % grid.rows == place[part] // grid.columns]
        rows = sum(max(0, 64 * (i + 1) - max(64 * i, int(first[part]))) for i in own)
        assert graph.work.rows[part] == rows
    for amount, unsure in (("rows", 0), ("flops", grid.rows), ("bytes_", grid.rows)):
        own, of_whole = getattr(graph.work, amount)[parts], getattr(whole.work, amount)
        found = np.bincount(over.origin[parts], own, minlength=len(whole))
        nodes = np.unique(over.origin[parts])
        assert np.abs(found[nodes] - of_whole[nodes]).max() <= unsure, amount


@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_tasks_of_spread_panels_are_those_of_the_program(grid: Grid, tmp_path: Path) -> None:
    """A column and the search of the next are one task of a rank (lu-mpi/panel_spread.c)."""
    graph = over_ranks(node_graph(tmp_path, "lu", "spread", 3), grid).graph
    place, names = places(graph, grid), graph.names()
    called: dict[int, list[tuple[str, int, int]]] = {}
    for node in np.flatnonzero(graph.calls()).tolist():
        call = (names[node], int(graph.j[node]), int(place[node]))
        called.setdefault(int(graph.task[node]), []).append(call)
    assert [*called] == [*range(1, len(graph.items))]
    for calls in called.values():
        name, column, rank = calls[0]
        if name == "panel_column" and column < 63:
            assert calls[1:] == [("panel_search", column + 1, rank)]
        else:
            assert len(calls) == 1
            assert name != "panel_search" or column == 0


@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_messages_of_cholesky_are_those_of_the_closed_form(grid: Grid, tmp_path: Path) -> None:
    for tiles in (1, 2, 5, 7):
        expected = 0
        for k in range(tiles):
            for m in range(k, tiles):
                row = [(m, n) for n in range(k + 1, m + 1)]
                below = [(i, m) for i in range(m if m > k else m + 1, tiles)]
                there = {(i % grid.rows, j % grid.columns) for i, j in [*row, *below]}
                expected += len(there - {(m % grid.rows, k % grid.columns)})
        made = messages_of(node_graph(tmp_path, "cholesky", "depend", tiles), grid, "openblas")
        assert len(made) == expected


@pytest.mark.parametrize(("benchmark", "variant"), PROGRAMS)
def test_a_tile_goes_by_the_tree_of_the_programs(
    benchmark: str, variant: str, tmp_path: Path
) -> None:
    grid = Grid(1, 8)
    made = messages_of(node_graph(tmp_path, benchmark, variant, 9), grid, "openblas")
    routes: dict[int, list[int]] = {}
    for number in np.flatnonzero((made.producer == 0) & (made.bytes_ == made.bytes_[0])):
        parent = int(made.parent[number])
        expected = made.target[parent] if parent != NOBODY else 0
        assert made.source[number] == expected
        routes.setdefault(int(made.source[number]), []).append(int(made.target[number]))
    if benchmark == "cholesky":  # A(0,0) is read in its column alone, which is on one node
        assert routes == {}
    else:
        assert {node: set(to) for node, to in routes.items()} == {
            0: {1, 2, 4},
            2: {3},
            4: {5, 6},
            6: {7},
        }


@pytest.mark.parametrize("policy", list(Policy))
@pytest.mark.parametrize("benchmark", ["cholesky", "qr"])
def test_one_node_is_the_machine_of_today(benchmark: str, policy: Policy, tmp_path: Path) -> None:
    graph = node_graph(tmp_path, benchmark, "depend", 6)
    times, alone = random_times(graph), Grid(1, 1)
    messages = messages_of(graph, alone, "openblas")
    assert len(messages) == 0
    for workers, costs, throttle in product(
        (1, 3), ((0.0, 0.0, 0.0), (900.0, 20.0, 50.0)), (None, 2)
    ):
        machine = Machine(workers, policy, *costs, throttle if costs[0] else None)
        expected = simulate(graph, times, machine)
        made = simulate_nodes(graph, messages, times, machine, Cluster(alone, SLOW)).schedule
        assert made.makespan == expected.makespan
        for name in ("worker", "start", "end"):
            assert (getattr(made, name) == getattr(expected, name)).all(), name


def test_two_nodes_by_hand(tmp_path: Path) -> None:
    """A(1,0) alone goes from node 0 to node 1: 5 ns, and 7 ns for its bytes."""
    graph = node_graph(tmp_path, "cholesky", "depend", 2)
    times = np.array([10.0, 20.0, 30.0, 40.0, 0.0][: len(graph)])
    cluster = Cluster(Grid(1, 2), Network(5.0, MESSAGE / 7e-9))
    messages = messages_of(graph, cluster.grid, "openblas")
    made = simulate_nodes(graph, messages, times, Machine(1), cluster)
    assert made.came == pytest.approx([42.0])
    assert made.schedule.makespan == pytest.approx(112.0)
    bounds = bounds_of(graph, messages, times, Machine(1), cluster)
    parts = [bounds.work, bounds.interface, bounds.path, bounds.latency, bounds.transfer]
    assert parts == pytest.approx([70e-9, 7e-9, 100e-9, 5e-9, 7e-9])
    assert bounds.limit == "critical path"


def test_an_interface_sends_one_message_at_a_time(tmp_path: Path) -> None:
    """A(1,0) goes to node 1, A(2,0) then to nodes 2 and 1, all of them ready at 30 ns."""
    graph = node_graph(tmp_path, "cholesky", "depend", 3)
    cluster = Cluster(Grid(1, 3), Network(5.0, MESSAGE / 7e-9))
    messages = messages_of(graph, cluster.grid, "openblas")
    times = np.where(graph.calls(), 1.0, 0.0)
    times[:3] = [10.0, 20.0, 20.0]
    made = simulate_nodes(graph, messages, times, Machine(2), cluster)
    came = {
        (int(p), int(to)): float(at)
        for p, to, at in zip(messages.producer, messages.target, made.came, strict=True)
    }
    assert came[1, 1] == pytest.approx(42.0)
    assert came[2, 2] == pytest.approx(49.0)
    assert came[2, 1] == pytest.approx(56.0)


def check_legal(graph: Graph, messages: Messages, times: Floats, made: Sent, at: Cluster) -> None:
    """Messages follow what they carry, calls their messages; no interface does two at once."""
    end, occupies = made.schedule.end, occupied(messages, at)
    ready = np.where(messages.producer == NOBODY, 0.0, end[messages.producer])
    passed = messages.parent != NOBODY
    ready[passed] = made.came[messages.parent[passed]]
    slack = 1e-6
    assert (made.came + slack >= ready + at.network.latency + occupies).all()
    starts = made.schedule.start[messages.consumers.values]
    assert (starts + slack >= made.came[owners(messages.consumers)]).all()
    assert np.allclose(end - made.schedule.start, times)
    for node in range(at.grid.nodes):
        mine = np.flatnonzero(messages.target == node)
        mine = mine[np.argsort(made.came[mine], kind="stable")]
        assert (np.diff(made.came[mine]) + slack >= occupies[mine][1:]).all()


@pytest.mark.parametrize("network", [FREE, SLOW], ids=["free", "slow"])
@pytest.mark.parametrize(("benchmark", "variant"), PROGRAMS)
def test_no_schedule_is_shorter_than_its_bounds(
    benchmark: str, variant: str, network: Network, tmp_path: Path
) -> None:
    whole = node_graph(tmp_path, benchmark, variant, 7)
    for grid in GRIDS:
        graph = over_ranks(whole, grid).graph
        times = random_times(graph)
        cluster = Cluster(grid, network)
        messages = messages_of(graph, grid, "openblas")
        for policy, costs in product(Policy, ((0.0, 0.0), (300.0, 20.0))):
            machine = Machine(2, policy, *costs)
            made = simulate_nodes(graph, messages, times, machine, cluster)
            check_legal(graph, messages, times, made, cluster)
            bound = 1e9 * bounds_of(graph, messages, times, machine, cluster).largest
            assert made.schedule.makespan >= bound * (1 - 1e-12)
            if benchmark == "cholesky":
                shared = max(times.sum() / (2 * grid.nodes), longest_path(graph.before, times)[0])
                assert made.schedule.makespan >= shared * (1 - 1e-12)


def test_the_default_grid_is_that_of_the_programs() -> None:
    grids = {n: str(Grid.square(n)) for n in (1, 2, 4, 6, 7, 12, 1024)}
    assert grids == {1: "1x1", 2: "1x2", 4: "2x2", 6: "2x3", 7: "1x7", 12: "3x4", 1024: "32x32"}


def test_what_is_not_simulated_on_nodes_is_refused(tmp_path: Path) -> None:
    graph = node_graph(tmp_path, "lu", "nopiv", 3)
    other = replace(graph, instance=replace(graph.instance, variant="depend"))
    with pytest.raises(BadUsageError, match="not simulated on nodes"):
        messages_of(other, Grid(2, 2), "openblas")
    for nodes, grid, latency, bandwidth in (
        ([2], None, None, 1.0),
        ([2], None, "2us", None),
        ([], None, "2us", None),
        ([], "2by2", "2us", 1.0),
        ([2], "2x2", "2us", 1.0),
        ([20_000], None, "2us", 1.0),
    ):
        with pytest.raises(BadUsageError):
            asked_clusters(nodes, grid, latency, bandwidth)
    assert [c.grid for c in asked_clusters([4], "4x1", "2us", 1.0)] == [Grid(4, 1)]
