# SPDX-License-Identifier: BSD-3-Clause
"""Kernel times learned from traces or given as rates."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from graph_calls import trace_of
from kernel_work import with_instance
from node_graphs import node_graph
from pollux.core.errors import BadUsageError
from pollux.core.tiles import Tile
from pollux.insight.graphs.file import read_graph
from pollux.insight.graphs.model import Graph
from pollux.insight.simulation.durations import KernelTimes, from_trace
from pollux.insight.simulation.rates import Rates
from pollux.insight.traces.file import read_traces
from pollux.insight.traces.match import match
from task_graphs import GRAPHS, graph_lines, write_graph
from traces import trace_lines, write_lines

NB = 64


def graph_of(  # noqa: PLR0913 (what makes a graph)
    folder: Path, benchmark: str, variant: str, tiles: int, *, cut: int = 0, rows: int = 0
) -> Graph:
    """A graph as the programs write it; `cut` columns and rows are missing at the edge."""
    path = folder / f"{benchmark}-{variant}-{tiles}-{cut}-{rows}.jsonl"
    graph = read_graph(write_graph(path, graph_lines(benchmark, variant, tiles, rows=rows, nb=NB)))
    i = graph.instance
    return with_instance(graph, replace(i, m=i.m - cut, n=i.n - cut))


def test_a_trace_gives_its_own_times(tmp_path: Path) -> None:
    for benchmark, variant in sorted(GRAPHS):
        graph = graph_of(tmp_path, benchmark, variant, 5)
        lines = trace_lines(graph_lines(benchmark, variant, 5, nb=NB))
        trace = read_traces(write_lines(tmp_path / "t.jsonl", lines))[0]
        times = from_trace(graph, trace, match(trace, graph))
        assert times.sum() == (trace.end - trace.start).sum()
        assert (times[~graph.calls()] == 0).all()


def laws(graph: Graph, per_flop: float = 0.02) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Times that follow the model exactly: by operations, or linear in the rows of a column."""
    names = np.array(graph.names())
    rows = graph.instance.m - graph.step * graph.instance.nb
    times = graph.work.flops * per_flop
    cols = np.minimum(NB, graph.instance.n - graph.j * NB)
    pivots = np.minimum(NB, graph.instance.n - graph.step * NB)
    times = np.where(names == "getrf", cols**2 * (3 + 0.05 * rows), times)
    return np.where(names == "laswp", pivots * cols * (1 + 0.01 * rows), times)


@pytest.mark.parametrize(("benchmark", "variant"), sorted(GRAPHS))
def test_learned_times_carry_over_to_larger_matrices(
    tmp_path: Path, benchmark: str, variant: str
) -> None:
    small, large = (graph_of(tmp_path, benchmark, variant, t, cut=5) for t in (6, 9))
    learned = KernelTimes.learn([trace_of(small, laws(small))])
    assert learned.durations(large) == pytest.approx(laws(large), rel=2e-3, abs=2)


def test_columns_of_spread_panels_are_learned_from_all_of_them(tmp_path: Path) -> None:
    """One column is subtracted at a time, in the end a block: other times for an operation."""
    small, large = graphs = [node_graph(tmp_path, "lu", "spread", tiles) for tiles in (3, 5)]
    taken, wanted = (4e2 * np.maximum(g.work.rows, 1) + 5.0 * g.work.flops for g in graphs)
    found = KernelTimes.learn([trace_of(small, taken)]).durations(large)
    columns = np.array(large.names()) == "panel_column"
    assert found[columns] == pytest.approx(wanted[columns], rel=1e-3)


def test_sums_survive_a_disturbed_machine(tmp_path: Path) -> None:
    """Noise keeps its mean; calls that were interrupted for long are left out."""
    graph = graph_of(tmp_path, "lu", "depend", 16)
    rng = np.random.default_rng(5)
    calm = laws(graph) * rng.gamma(30, 1 / 30, len(graph))
    disturbed = np.where(rng.random(len(graph)) < 0.01, calm + 50 * calm.max(), calm)
    learned = KernelTimes.learn([trace_of(graph, disturbed)]).durations(graph)
    names = np.array(graph.names())
    for kernel in ("gemm", "trsm", "laswp"):
        mine = names == kernel
        assert learned[mine].sum() == pytest.approx(calm[mine].sum(), rel=0.03)


def test_times_without_disturbance_keep_their_sum(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, "lu", "depend", 12)
    times = laws(graph) * np.random.default_rng(6).uniform(0.8, 1.4, len(graph))
    learned = KernelTimes.learn([trace_of(graph, times)]).durations(graph)
    names = np.array(graph.names())
    for kernel in ("gemm", "trsm", "laswp", "getrf"):
        assert learned[names == kernel].sum() == pytest.approx(
            times[names == kernel].sum(), rel=1e-3
        )


@pytest.mark.slow
def test_longer_columns_never_take_less(tmp_path: Path) -> None:
    """Not even where the measured ones happened to."""
    small, large = (graph_of(tmp_path, "lu", "depend", t) for t in (6, 30))
    names = np.array(small.names())
    falling = np.where(names == "getrf", 1e6 + 1e5 * small.step, laws(small))
    found = KernelTimes.learn([trace_of(small, falling)]).durations(large)
    panels = found[np.array(large.names()) == "getrf"]
    assert (panels > 0).all()
    assert (np.diff(panels) <= 1e-6).all()


def test_tile_sizes_between_two_are_interpolated(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, "cholesky", "depend", 8)
    at = {}
    traces = []
    for nb, per_flop in ((64, 0.04), (128, 0.02)):
        i = replace(graph.instance, tile=Tile.square(nb), m=8 * nb, n=8 * nb)
        g = with_instance(graph, i)
        traces.append(trace_of(g, np.asarray(g.work.flops * per_flop, np.float64)))
        at[nb] = g
    learned = KernelTimes.learn(traces)
    for nb, per_flop in ((32, 0.04), (64, 0.04), (96, 0.03), (128, 0.02), (256, 0.02)):
        sizes = replace(graph.instance, tile=Tile.square(nb), m=8 * nb, n=8 * nb)
        g = with_instance(graph, sizes)
        assert learned.durations(g) == pytest.approx(g.work.flops * per_flop, rel=1e-3)


def test_kernels_that_move_bytes_have_the_times_of_their_own_variant(tmp_path: Path) -> None:
    for grows, factors in (("bytes", (1.0, 3.0)), ("flops", (2.0, 2.0))):
        graphs = [growing(graph_of(tmp_path, "lu", v, 4), grows) for v in ("depend", "lean")]
        taken = [graph.work.bytes_.astype(np.float64) for graph in graphs]
        traces = [trace_of(graphs[0], taken[0]), trace_of(graphs[1], np.multiply(3.0, taken[1]))]
        learned = KernelTimes.learn(traces)
        for graph, factor, times in zip(graphs, factors, taken, strict=True):
            calls = np.array(graph.names()) == "gemm"
            assert learned.durations(graph)[calls] == pytest.approx(factor * times[calls])


def growing(graph: Graph, grows: str) -> Graph:
    """The graph with operations whose times grow with something else."""
    changed = tuple(o.model_copy(update={"grows_with": grows}) for o in graph.work.operations)
    return replace(graph, work=replace(graph.work, operations=changed))


def test_traces_whose_parameters_agree_come_before_others(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, "cholesky", "depend", 4)

    def at(depth: int) -> Graph:
        return replace(graph, instance=replace(graph.instance, parameters=(("depth", depth),)))

    flops = graph.work.flops.astype(np.float64)
    learned = KernelTimes.learn([trace_of(at(1), flops), trace_of(at(2), np.multiply(3.0, flops))])
    for depth, factor in ((1, 1.0), (2, 3.0), (3, 2.0)):
        assert learned.durations(at(depth)) == pytest.approx(factor * flops)
    assert learned.durations(graph) == pytest.approx(2.0 * flops)
    assert KernelTimes.learn(
        [trace_of(at(1), flops), trace_of(graph, np.multiply(3.0, flops))]
    ).durations(at(1)) == pytest.approx(2.0 * flops)


def test_both_ways_to_solve_are_learned_apart(tmp_path: Path) -> None:
    lu, cholesky = (
        graph_of(tmp_path, "lu", "depend", 6),
        graph_of(tmp_path, "cholesky", "depend", 6),
    )
    times = np.asarray(cholesky.work.flops * 0.5, np.float64)
    learned = KernelTimes.learn([trace_of(lu, laws(lu)), trace_of(cholesky, times)])
    assert learned.durations(lu) == pytest.approx(laws(lu), rel=2e-3, abs=2)
    assert learned.durations(cholesky) == pytest.approx(times, rel=2e-3, abs=2)


def test_a_kernel_that_no_trace_has_is_named(tmp_path: Path) -> None:
    lu, cholesky = (
        graph_of(tmp_path, "lu", "depend", 4),
        graph_of(tmp_path, "cholesky", "depend", 4),
    )
    learned = KernelTimes.learn([trace_of(cholesky, laws(cholesky))])
    with pytest.raises(BadUsageError, match=r"getrf.*a trace of lu depend is needed"):
        learned.durations(lu)


def test_a_single_tile_can_be_learned_and_predicted(tmp_path: Path) -> None:
    for cut in (0, 63):
        graph = graph_of(tmp_path, "lu", "depend", 1, cut=cut)
        times = np.full(len(graph), 1000.0)
        assert KernelTimes.learn([trace_of(graph, times)]).durations(graph) == pytest.approx(times)


def test_rates_give_operations_per_time(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, "lu", "depend", 5)
    names = np.array(graph.names())
    found = Rates.parse("gemm=40, other=10,laswp=4").durations(graph)
    flops = graph.work.flops
    assert found[names == "gemm"] == pytest.approx(flops[names == "gemm"] / 40)
    assert found[names == "trsm"] == pytest.approx(flops[names == "trsm"] / 10)
    assert found[names == "laswp"] == pytest.approx(2 * 8 * NB * NB / 4)


@pytest.mark.parametrize(
    "text",
    [
        *("", "gemm", "gemm=", "gemm=0", "gemm=-1", "gemm=nan", "gemm=inf", "=3", "gemm=1,,"),
        "gemm=35,trsm=20,gemm=20",
    ],
)
def test_rates_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(BadUsageError, match="--rates"):
        Rates.parse(text)


def test_a_rate_of_a_kernel_that_no_graph_calls_is_refused(tmp_path: Path) -> None:
    rates = Rates.parse("gem=3,other=2,move=1")
    with pytest.raises(
        BadUsageError, match=r"no graph has a kernel 'gem'; choose from getrf, laswp, trsm, gemm"
    ):
        rates.check_names([graph_of(tmp_path, "lu", "depend", 3)])


def test_a_rate_that_is_missing_is_named(tmp_path: Path) -> None:
    graph = graph_of(tmp_path, "lu", "depend", 5)
    with pytest.raises(BadUsageError, match="laswp"):
        Rates.parse("other=3").durations(graph)
    with pytest.raises(BadUsageError, match="getrf"):
        Rates.parse("gemm=3,move=1").durations(graph)
