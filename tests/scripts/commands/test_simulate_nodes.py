# SPDX-License-Identifier: BSD-3-Clause
"""Tests `pollux simulate --nodes`: what it predicts, shows and refuses."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from node_graphs import lu_late, node_graph
from pollux.core.cli import app
from pollux.core.errors import BadUsageError
from pollux.insight.graphs.file import read_graph
from pollux.insight.graphs.grid import Grid
from pollux.insight.simulation.messages import messages_of
from pollux.insight.simulation.model import Machine
from pollux.insight.simulation.network import Cluster, Network
from pollux.insight.simulation.rates import Rates
from pollux.insight.simulation.session import on_machines
from pollux.insight.simulation.show import print_predictions, work_lines
from pollux.insight.simulation.source import Estimate
from pollux.insight.traces.file import read_traces
from task_graphs import Program, graph_lines, write_graph
from terminals import WIDTHS, assert_readable
from traces import trace_lines, write_lines

NETWORK = ("--latency", "2us", "--network-bandwidth", "12.5")
COMMON = ("--rates", "other=10", "--workers", "2")


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    return write_graph(tmp_path / "graph", graph_lines("cholesky", "depend", 6))


def run(*arguments: object) -> None:
    app(["simulate", *map(str, arguments)], standalone_mode=False)


def predictions(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[dict[str, Any]]:
    run(*arguments, "--format", "json")
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["predictions"]
    return found


def test_each_number_of_nodes_has_a_prediction(
    graph: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = predictions(capsys, "--graph", graph, *COMMON, "--nodes", "1,2,4", *NETWORK)
    assert [(p["nodes"], p["grid"]) for p in found] == [(1, "1x1"), (2, "1x2"), (4, "2x2")]
    assert [(p["messages"], p["bytes"]) for p in found] == [(0, 0), (15, 491520), (30, 983040)]
    [alone] = predictions(capsys, "--graph", graph, *COMMON)
    assert found[0]["seconds"] == alone["seconds"]
    for p in found:
        busy = p["work_seconds"] / (2 * p["nodes"] * p["seconds"])
        assert p["efficiency"] == pytest.approx(busy)
        assert 0 < p["limit_share"] <= 1 + 1e-9
        assert p["latency_ns"] == pytest.approx(2000)


@pytest.mark.parametrize(
    ("grid", "workers", "latency", "gigabytes", "limit"),
    [
        (Grid(1, 2), 1, 0.0, 1e9, "work"),
        (Grid(4, 4), 64, 0.0, 1e9, "critical path"),
        (Grid(4, 4), 64, 1e7, 1e9, "latency"),
        (Grid(12, 12), 64, 0.0, 1e-3, "transfer"),
        (Grid(1, 2), 64, 0.0, 1e-3, "interface"),
    ],
)
def test_the_limit_is_what_the_machine_makes_it(  # noqa: PLR0913, PLR0917
    grid: Grid, workers: int, latency: float, gigabytes: float, limit: str, tmp_path: Path
) -> None:
    graph = node_graph(tmp_path, "cholesky", "depend", 12)
    cluster = Cluster(grid, Network(latency, gigabytes * 1e9))
    times = Estimate(Rates.parse("other=10"))
    [made] = on_machines(graph, times, [Machine(workers)], [cluster])
    across = made.prediction.across
    assert across is not None
    assert across.bounds.limit == limit


@pytest.mark.parametrize("width", WIDTHS)
def test_tables_of_nodes_fit_the_terminal(width: int, tmp_path: Path) -> None:
    graph = node_graph(tmp_path, "qr", "depend", 5)
    clusters = [Cluster(Grid.square(n), Network(2000.0, 1e10)) for n in (1, 2, 1024)]
    times = Estimate(Rates.parse("other=10"))
    made = on_machines(graph, times, [Machine(1), Machine(48)], clusters)
    write = partial(print_predictions, found=[r.prediction for r in made], kernels="given")
    text = assert_readable(write, width)
    assert "1024" in text
    assert "interface:" in " ".join(text.split())


def test_the_work_of_each_grid_is_stated_where_it_differs(tmp_path: Path) -> None:
    graph = node_graph(tmp_path, "lu", "late", 5)
    clusters = [
        Cluster(grid, Network(2000.0, 1e10)) for grid in (Grid(1, 1), Grid(1, 2), Grid(3, 1))
    ]
    made = on_machines(graph, Estimate(Rates.parse("other=10,move=5")), [Machine(2)], clusters)
    one, three = work_lines([result.prediction for result in made])
    assert one.startswith(f"{graph.instance} on 1x1 nodes and on 1x2 nodes: {graph.calls().sum()} ")
    assert three.startswith(f"{graph.instance} on 3x1 nodes: ")


def test_schedules_over_nodes_are_written_as_traces(graph: Path, tmp_path: Path) -> None:
    file = tmp_path / "trace"
    run("--graph", graph, *COMMON, "--grid", "1x3", *NETWORK, "--trace", file)
    [trace] = read_traces(file)
    assert trace.threads == 6
    assert "1x3 nodes" in trace.label


@pytest.mark.parametrize(
    "arguments",
    [
        ("--nodes", "2", "--latency", "2us"),
        ("--nodes", "2", "--network-bandwidth", "1"),
        NETWORK,
        ("--grid", "2by2", *NETWORK),
        ("--grid", "2x2", "--nodes", "2", *NETWORK),
        ("--nodes", "99999", *NETWORK),
        ("--nodes", "10000", "--workers", "1001", *NETWORK),
        ("--processors", "2"),
        ("--nodes", "2", *NETWORK, "--processors", "2", "--bandwidth", "10"),
    ],
    ids=" ".join,
)
def test_what_makes_no_cluster_is_refused(arguments: tuple[str, ...], graph: Path) -> None:
    with pytest.raises(BadUsageError) as refused:
        run("--graph", graph, *COMMON, *arguments)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("count", ["0", "-1", "two", str(10**30)])
def test_processors_are_a_number_that_machines_have(
    count: str, graph: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("--nodes", "2", *NETWORK, "--processors", count)
    with pytest.raises(SystemExit) as ended:
        app(["simulate", "--graph", str(graph), *COMMON, *arguments])
    assert ended.value.code == 2
    assert "--processors" in capsys.readouterr().err.splitlines()[-1]


def test_processors_that_nodes_share(graph: Path, capsys: pytest.CaptureFixture[str]) -> None:
    common = ("--graph", graph, *COMMON, "--nodes", "2", *NETWORK)
    [alone], [enough], [two] = (
        predictions(capsys, *common, *more)
        for more in ((), ("--processors", "1000"), ("--processors", "2"))
    )
    own = ("processors", "bounds_seconds")
    assert {k: v for k, v in enough.items() if k not in own} == {
        k: v for k, v in alone.items() if k not in own
    }
    assert "processors" not in alone | alone["bounds_seconds"]
    assert two["bounds_seconds"]["processors"] <= two["seconds"]
    assert two["seconds"] > alone["seconds"]


@pytest.mark.parametrize(
    ("nodes", "processors", "words"),
    [
        (2, 2, "2, shared by all nodes"),
        (4, 4, "4, 2 for every 2 nodes"),
        (2, 4, "4, 2 for each node"),
    ],
)
def test_it_is_said_which_nodes_share_processors(
    nodes: int, processors: int, words: str, graph: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("--graph", graph, *COMMON, "--nodes", nodes, *NETWORK, "--processors", processors)
    assert f"processors: {words}" in capsys.readouterr().out


@pytest.mark.parametrize("grid", ["1x2", "2x1", "2x2"])
def test_parts_of_a_call_share_its_own_time(
    grid: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On several rows of nodes, rows of LU are exchanged in parts."""
    program = Program("lu", "late", 4, 4)
    lu_late(program)
    graph = write_graph(tmp_path / "late", program.lines())
    trace = write_lines(tmp_path / "trace", trace_lines(program.lines(), threads=1))
    times = ("--times", trace, "--own-times", "--workers", "1")
    [one] = predictions(capsys, "--graph", graph, *times)
    [made] = predictions(capsys, "--graph", graph, *times, "--grid", grid, *NETWORK)
    assert made["work_seconds"] == pytest.approx(one["seconds"], abs=1e-7)
    assert (made["calls"] > one["calls"]) == (grid[0] == "2")


@pytest.mark.parametrize("kernels", ["openblas", "tuned"])
def test_messages_are_those_of_the_kernels_whose_times_are_taken(
    kernels: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """T factors of small tiles hold products too, with OpenBLAS' kernels."""
    lines = graph_lines("qr", "depend", 4)
    graph = write_graph(tmp_path / "qr", lines)
    trace = write_lines(tmp_path / "trace", trace_lines(lines, threads=1, kernels=kernels))
    times = ("--times", trace, "--workers", "1", "--grid", "2x2", *NETWORK)
    [made] = predictions(capsys, "--graph", graph, *times)
    assert made["bytes"] == messages_of(read_graph(graph), Grid(2, 2), kernels).bytes_.sum()


@pytest.mark.parametrize("grid", ["1x2", "2x1", "3x2"])
@pytest.mark.parametrize("variant", ["late", "spread"])
def test_parts_of_a_call_do_its_work_together(variant: str, grid: str, tmp_path: Path) -> None:
    graph = node_graph(tmp_path, "lu", variant, 4)
    times = Estimate(Rates.parse("other=10,move=5"))
    [one] = on_machines(graph, times, [Machine(1)])
    cluster = Cluster(Grid.parse(grid), Network(2000.0, 1e10))
    [made] = on_machines(graph, times, [Machine(1)], [cluster])
    assert made.prediction.work == pytest.approx(one.prediction.work, rel=1e-3)


@pytest.mark.parametrize("variant", ["late", "spread"])
def test_lu_on_one_node_is_lu_without_nodes(variant: str, tmp_path: Path) -> None:
    graph = node_graph(tmp_path, "lu", variant, 4)
    times, machine = Estimate(Rates.parse("other=10,move=5")), Machine(2, creation=900.0)
    [expected] = on_machines(graph, times, [machine])
    cluster = Cluster(Grid(1, 1), Network(2000.0, 1e10))
    [made] = on_machines(graph, times, [machine], [cluster])
    assert replace(made.prediction, across=None) == expected.prediction


def test_nodes_need_workers_and_a_program(graph: Path, tmp_path: Path) -> None:
    common = ("--graph", graph, "--rates", "other=10", "--nodes", "2", *NETWORK)
    with pytest.raises(BadUsageError, match="--workers"):
        run(*common)
    run(*common, "--workers", "1,2,4,8,16,32,48,64,96,128")  # as without nodes
    lu = write_graph(tmp_path / "lu", graph_lines("lu", "depend", 4))
    with pytest.raises(BadUsageError, match="not simulated on nodes"):
        run("--graph", lu, *COMMON, "--nodes", "2", *NETWORK)
