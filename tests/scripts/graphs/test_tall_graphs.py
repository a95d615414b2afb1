# SPDX-License-Identifier: BSD-3-Clause
"""Graphs and simulations with tall tiles: kernel times, names, steps."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from graph_calls import calls_with_dependences, trace_of
from kernel_work import with_instance
from pollux.core.errors import BadUsageError
from pollux.core.tiles import Tile
from pollux.insight.graphs.model import Graph, Instance
from pollux.insight.graphs.obtain import about_tasks, find_provider, obtain_graph
from pollux.insight.graphs.over_ranks import over_ranks
from pollux.insight.graphs.trim import without_last_wait
from pollux.insight.simulation.durations import KernelTimes
from pollux.insight.simulation.model import Floats
from pollux.insight.simulation.source import Sizes, wanted_instances
from pollux.insight.traces.view import panels
from project import ROOT
from tall_graphs import read_tall
from task_graphs import graph_lines, write_graph

NB = 64


def cut(graph: Graph, missing: int) -> Graph:
    """The same of a matrix that lacks some rows and columns at its edge."""
    i = graph.instance
    return with_instance(graph, replace(i, m=i.m - missing, n=i.n - missing))


def of(graph: Graph, kernel: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.flatnonzero(np.array(graph.names()) == kernel)


@pytest.mark.parametrize("benchmark", ["cholesky", "lu", "qr"])
@pytest.mark.parametrize("height", [2, 8])
def test_programs_write_the_graphs_that_are_tested_here(
    tmp_path: Path, benchmark: str, height: int
) -> None:
    if not (ROOT / "build/libomp/lib/libpollux-ompt.so").is_file():
        pytest.skip("no build for libomp, which writes graphs")
    ours = read_tall(tmp_path, benchmark, 5, 5, height)
    theirs = obtain_graph(ours.instance, ROOT / "build", "libomp")
    assert calls_with_dependences(without_last_wait(theirs)) == calls_with_dependences(
        without_last_wait(ours)
    )


def test_a_tile_that_has_two_names_gives_one_graph() -> None:
    if not (ROOT / "build/libomp/lib/libpollux-ompt.so").is_file():
        pytest.skip("no build for libomp, which writes graphs")
    provider, sizes = find_provider(ROOT / "build", "libomp"), Sizes([512], ["default"], 32)
    (only,) = wanted_instances(provider, ["lu"], [], sizes)
    twice = replace(sizes, tiles=["default", only.tile])
    assert wanted_instances(provider, ["lu"], [], twice) == [only]


def test_without_sizes_a_prediction_is_for_twice_that_of_a_run() -> None:
    if not (ROOT / "build/libomp/lib/libpollux-ompt.so").is_file():
        pytest.skip("no build for libomp, which writes graphs")
    provider, sizes = find_provider(ROOT / "build", "libomp"), Sizes([], [Tile.square(32)], 32)
    known = provider.benchmarks
    usual = {name: known.listing(name).usual_size for name in known.names}
    found = wanted_instances(provider, known.names, ["depend"], sizes)
    assert {i.benchmark: (i.m, i.n) for i in found} == {
        i.benchmark: (2 * usual[i.benchmark],) * 2 for i in found
    }
    assert len({i.n for i in found}) > 1


def linear(graph: Graph) -> Floats:
    """Times that grow with the operations, and have a part that only grows with the columns."""
    i = graph.instance
    return 0.5 * i.cols(graph.j) * i.cols(graph.step) + 0.03 * graph.work.flops


@pytest.mark.parametrize("benchmark", ["cholesky", "qr"])
def test_times_of_parts_of_tall_tiles_are_learned(tmp_path: Path, benchmark: str) -> None:
    small, large = (read_tall(tmp_path, benchmark, n, n, 4) for n in (10, 15))
    learned = KernelTimes.learn([trace_of(small, linear(small))])
    for graph in (small, large, cut(large, 17)):
        assert learned.durations(graph) == pytest.approx(linear(graph), rel=2e-3, abs=2)


def test_times_are_those_of_tiles_of_the_same_kind(tmp_path: Path) -> None:
    """Square tiles learn from square ones, tall ones from their MB, else from the nearest."""
    square, four, eight = (read_tall(tmp_path, "cholesky", 16, 16, h) for h in (1, 4, 8))
    traces = [
        trace_of(g, np.asarray(g.work.flops * t, np.float64))
        for g, t in ((square, 0.1), (four, 0.2))
    ]
    learned = KernelTimes.learn(traces)
    for graph, factor in ((square, 0.1), (four, 0.2), (eight, 0.2)):
        found, expected = learned.durations(graph), graph.work.flops * factor
        assert found == pytest.approx(expected, rel=2e-3, abs=2)


def test_tall_tiles_learn_from_tall_ones_though_a_square_one_is_as_high(tmp_path: Path) -> None:
    square, four, eight = (read_tall(tmp_path, "cholesky", 16, 16, h) for h in (1, 4, 8))
    high = Tile.square(8 * NB)
    large = replace(square.instance, m=16 * high.nb, n=16 * high.nb, tile=high)
    traces = [
        trace_of(g, np.asarray(g.work.flops * t, np.float64))
        for g, t in ((with_instance(square, large), 0.1), (four, 0.2))
    ]
    found = KernelTimes.learn(traces).durations(eight)
    assert found == pytest.approx(eight.work.flops * 0.2, rel=2e-3, abs=2)


@pytest.mark.parametrize("variant", ["late", "spread"])
def test_on_one_machine_exchanges_of_tall_tiles_stay_whole(tmp_path: Path, variant: str) -> None:
    graph = read_tall(tmp_path, "lu", 9, 9, 4)
    graph = with_instance(graph, replace(graph.instance, variant=variant))
    assert over_ranks(graph, None).graph is graph


def test_steps_begin_with_the_call_on_the_diagonal(tmp_path: Path) -> None:
    graph = read_tall(tmp_path, "cholesky", 8, 8, 4)
    trace = trace_of(graph, np.full(len(graph), 1000.0))
    assert {trace.kernels[k] for k in trace.kernel[panels(trace)]} == {"potrf"}
    assert panels(trace).sum() == 8


def test_a_header_with_an_impossible_tile_is_refused(tmp_path: Path) -> None:
    from pollux.insight.graphs.file import read_graph

    lines = graph_lines("lu", "depend", 3)
    path = write_graph(tmp_path / "odd.jsonl", [lines[0].replace('"mb": 64', '"mb": 100')])
    with pytest.raises(BadUsageError, match="MB = 100 is no multiple of NB"):
        read_graph(path)


@pytest.mark.slow
@pytest.mark.parametrize(("benchmark", "height"), [("lu", 1), ("lu", 4), ("cholesky", 1)])
def test_the_expected_number_of_tasks_is_about_right(
    tmp_path: Path, benchmark: str, height: int
) -> None:
    graph = read_tall(tmp_path, benchmark, 32, 32, height)
    about = about_tasks(graph.instance, symmetric=benchmark == "cholesky")
    assert about == pytest.approx(len(of(graph, "gemm")), rel=0.5)


def test_an_instance_says_its_tile() -> None:
    instance = Instance("lu", "depend", 4096, 4096, Tile(1024, 128), None)
    assert str(instance) == "lu depend, N = 4096, NB = 1024x128"
    assert instance.fields()["mb"] == 1024
    assert Instance.of(instance.fields()) == instance
