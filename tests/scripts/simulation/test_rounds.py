# SPDX-License-Identifier: BSD-3-Clause
"""Several traces: variants share kernel times, and ranges say how sure predictions are."""

import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pollux.core.parameters import Parameters
from pollux.core.tiles import Tile
from pollux.insight.graphs.file import read_graphs
from pollux.insight.graphs.model import Graph, Instance
from pollux.insight.simulation import source
from pollux.insight.simulation.durations import KernelTimes
from pollux.insight.simulation.model import Machine
from pollux.insight.simulation.prediction import Comparison, Prediction, comparisons
from pollux.insight.simulation.ranges import range_of
from pollux.insight.simulation.rates import Rates
from pollux.insight.simulation.session import on_machines
from pollux.insight.simulation.show import tables_of, title_of
from pollux.insight.simulation.source import (
    Estimate,
    learned,
    measured,
    representatives,
    traces_in,
)
from pollux.insight.traces.file import read_traces
from pollux.insight.traces.model import Trace
from pollux.insight.traces.obtain import RunRequest
from rank_traces import run_on_ranks, write_ranks
from task_graphs import graph_lines, write_graph
from traces import Call, trace_lines, write_lines

VARIANTS = (("lu", "depend"), ("lu-cw", "cw"))
TILES = 10
WORKERS = 48
ROUNDS = 9
NOISE = 0.15  # of a kernel's speed from process to process: standard deviation of its logarithm
NS = {"getrf": 900_000, "gemm": 100_000, "trsm": 60_000, "laswp": 20_000}


@pytest.fixture(scope="module")
def lines() -> dict[tuple[str, str], list[str]]:
    return {which: graph_lines(*which, TILES) for which in VARIANTS}


@pytest.fixture
def graphs(lines: dict[tuple[str, str], list[str]], tmp_path: Path) -> list[Graph]:
    return read_graphs(write_graph(tmp_path / "graphs", [x for own in lines.values() for x in own]))


def process(seed: str) -> Callable[[Call], int]:
    """What calls take in one process, of which each kernel has a speed of its own."""
    speed = {kernel: random.Random(seed + kernel).gauss(0, NOISE) for kernel in NS}
    return lambda call: int(NS[call[0]] * np.exp(speed[call[0]]))


def rounds(
    lines: dict[tuple[str, str], list[str]], folder: Path, seed: int, count: int = ROUNDS
) -> list[Trace]:
    """The traces that one command would take."""
    found = []
    for number in range(count):
        for which, graph in lines.items():
            duration = process(f"{seed} {number} {which}")
            path = write_lines(folder / "t", trace_lines(graph, threads=1, duration=duration))
            found += read_traces(path)
    return found


def gain(graphs: Sequence[Graph], traces: Sequence[Trace]) -> Comparison:
    """LU with concurrent write next to plain LU."""
    times = learned(traces, own=False)
    found = [r.prediction for g in graphs for r in on_machines(g, times, [Machine(WORKERS)])]
    [comparison] = comparisons(found)
    assert comparison.prediction.instance.benchmark == "lu-cw"
    return comparison


@pytest.mark.slow
def test_identical_simulations_give_the_same_gain(
    lines: dict[tuple[str, str], list[str]], graphs: list[Graph], tmp_path: Path
) -> None:
    """Within 5 % of each other, whatever the processes' speeds; and what they give is true."""
    true = gain(graphs, exact(lines, tmp_path)).ratio
    gains = [gain(graphs, rounds(lines, tmp_path, seed)) for seed in range(1, 6)]
    for found in gains:
        assert found.ratio == pytest.approx(true, rel=0.05)
        assert found.range is not None
        assert found.range[0] <= found.ratio <= found.range[1]
    assert sum(g.range[0] <= true <= g.range[1] for g in gains if g.range) >= len(gains) - 1


def exact(lines: dict[tuple[str, str], list[str]], folder: Path) -> list[Trace]:
    """Traces of processes without noise."""
    found = []
    for graph in lines.values():
        made = trace_lines(graph, threads=1, duration=lambda call: NS[call[0]])
        found += read_traces(write_lines(folder / "t", made))
    return found


def test_variants_share_the_times_of_their_kernels(
    lines: dict[tuple[str, str], list[str]], graphs: list[Graph], tmp_path: Path
) -> None:
    """A process that was slow as a whole is slow for both task graphs."""
    traces = exact(lines, tmp_path)
    slow = replace(traces[1], start=traces[1].start * 3, end=traces[1].end * 3)
    plain, cw = (KernelTimes.learn([traces[0], slow]).durations(graph) for graph in graphs)
    for kernel in NS:
        times = {
            float(t)
            for graph, found in zip(graphs, (plain, cw), strict=True)
            for t in found[np.array(graph.names()) == kernel].round(3)
        }
        assert len(times) == 1, kernel
        assert times.pop() == pytest.approx(2 * NS[kernel])  # the median of one and three


def test_graphs_are_compared_if_the_parameters_that_both_have_agree(graphs: list[Graph]) -> None:
    """As `depend` and `wavefront` of Jacobi are, of which the latter has one more."""

    def predictions(*chosen: tuple[Graph, Parameters]) -> list[Prediction]:
        times, machines = Estimate(Rates.parse("other=10,move=5")), [Machine(4)]
        named = [replace(g, instance=replace(g.instance, parameters=own)) for g, own in chosen]
        return [r.prediction for g in named for r in on_machines(g, times, machines)]

    plain, cw = graphs
    found = predictions(
        (plain, (("sweeps", 4),)),
        *((cw, (("sweeps", sweeps), ("depth", depth))) for sweeps in (4, 8) for depth in (1, 2)),
    )
    made = comparisons(found)
    assert [c.prediction for c in made] == [found[1], found[2]]
    assert [c.reference for c in made] == [found[0], found[0]]
    assert tables_of(found) == [found[:2], found[2:3], found[3:4], found[4:]]
    assert title_of(found[:2]).endswith(", sweeps=4 depth=1")


def test_graphs_without_operations_are_compared_by_their_times(
    lines: dict[tuple[str, str], list[str]], graphs: list[Graph], tmp_path: Path
) -> None:
    traces = rounds(lines, tmp_path, 1, 2)
    true = gain(graphs, traces)
    found = gain([replace(graph, flops=0.0) for graph in graphs], traces)
    assert (found.ratio, found.range) == (true.ratio, true.range)


def test_one_disturbed_process_of_several_changes_nothing(
    lines: dict[tuple[str, str], list[str]], graphs: list[Graph], tmp_path: Path
) -> None:
    calm = exact(lines, tmp_path) * 2
    disturbed = replace(calm[0], start=calm[0].start * 9, end=calm[0].end * 9)
    times = KernelTimes.learn([*calm[:3], disturbed])
    for graph in graphs:
        assert times.durations(graph) == pytest.approx(KernelTimes.learn(calm).durations(graph))


def test_what_other_programs_took_is_no_part_of_a_kernel(
    lines: dict[tuple[str, str], list[str]], graphs: list[Graph], tmp_path: Path
) -> None:
    """A process that had half of a processor; panels are too long to escape in any trace."""
    calm = exact(lines, tmp_path)
    shared = [
        replace(t, start=2 * t.start, end=2 * t.end, processor=t.end - t.start + 300) for t in calm
    ]
    expected = gain(graphs, calm)
    found = gain(graphs, shared)
    assert found.ratio == pytest.approx(expected.ratio, rel=1e-3)
    assert found.prediction.seconds == pytest.approx(expected.prediction.seconds, rel=0.02)
    undisturbed = [replace(t, processor=t.end - t.start + 300) for t in calm]
    assert gain(graphs, undisturbed).prediction.seconds == expected.prediction.seconds


@pytest.mark.parametrize(
    ("asked", "tile", "square", "rectangular"),
    [
        ((1024, 1024), Tile.square(128), (1024, 1024), (1024, 1024)),
        ((32768, 32768), Tile.square(128), (4096, 4096), (4096, 4096)),
        ((32768, 32768), Tile.square(3000), (6000, 6000), (6000, 6000)),
        ((32768, 32768), Tile(8192, 128), (16384, 16384), (16384, 4096)),
        ((8192, 8192), Tile(8192, 128), (8192, 8192), (8192, 4096)),
        ((100000, 512), Tile.square(128), (4096, 512), (4096, 512)),
        ((100000, 512), Tile(8192, 128), (16384, 512), (16384, 512)),
        ((512, 100000), Tile.square(128), (512, 4096), (512, 4096)),
    ],
)
def test_what_is_measured_has_two_tiles_and_the_shape_of_what_is_asked(
    asked: tuple[int, int], tile: Tile, square: tuple[int, int], rectangular: tuple[int, int]
) -> None:
    instance = Instance("lu", "depend", *asked, tile, None)
    for takes_rows, sizes in ((False, square), (True, rectangular)):
        [found] = representatives([instance], {"lu": takes_rows}.__getitem__)
        assert (found.m, found.n) == sizes


def test_processes_alternate_between_task_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    """And each graph's process is as often the first of its round as the last."""
    taken: list[str] = []

    def take(request: RunRequest, **_: object) -> str:
        taken.append(request.instance.benchmark)
        return ""

    monkeypatch.setattr(source, "take_trace", take)
    instances = [Instance(b, v, 8192, 8192, Tile.square(128), None) for b, v in VARIANTS]
    measured(instances, "libomp", "openblas", 3, Path(), lambda _: None)
    assert taken == ["lu", "lu-cw", "lu-cw", "lu", "lu", "lu-cw"]


def test_one_round_of_traces_gives_no_range(
    lines: dict[tuple[str, str], list[str]], graphs: list[Graph], tmp_path: Path
) -> None:
    found = gain(graphs, rounds(lines, tmp_path, 1, 1))
    assert found.range is None
    assert found.prediction.seconds_range is None


def test_the_ranks_of_a_run_are_one_process_of_one_round(tmp_path: Path) -> None:
    """Rank 1 has every other column, where calls take three times as long."""
    lines = graph_lines("cholesky", "depend", 5)
    [graph] = read_graphs(write_graph(tmp_path / "g", lines))
    run = run_on_ranks(lines, ranks=2, duration=lambda call: 50_000 * (1 + 2 * (call[3] % 2)))
    times = learned(traces_in(write_ranks(tmp_path, run)), own=False)
    assert times.rounds == ()
    is_gemm = np.array(graph.names()) == "gemm"
    assert np.mean(graph.j[is_gemm] % 2) == 0.6
    assert times.whole.durations(graph)[is_gemm] == pytest.approx(110_000)


@pytest.mark.parametrize("count", [6, 9, 15, 30])
def test_ranges_hold_the_median_as_often_as_they_say(count: int) -> None:
    rng = np.random.default_rng(count)
    draws = rng.lognormal(0, 1, (4000, count))
    ranges = [range_of(statistics.median(own), own.tolist()) for own in draws]
    held = [r[0] <= 1 <= r[1] for r in ranges if r is not None]
    assert len(held) == len(draws)
    assert statistics.fmean(held) >= 0.94  # 0.95 less three standard errors


def test_a_range_leaves_the_outermost_of_nine_rounds_out_and_holds_the_value() -> None:
    values = [5.0, 1, 9, 2, 8, 3, 7, 4, 6]
    assert range_of(5.0, values) == (2, 8)
    assert range_of(8.5, values) == (2, 8.5)
    assert range_of(2.0, [1, 3]) == (1, 3)
    assert range_of(2.0, [2]) is None
