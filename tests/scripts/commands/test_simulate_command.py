# SPDX-License-Identifier: BSD-3-Clause
"""Tests `pollux simulate`: what it predicts, writes and refuses."""

import errno
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer
from pollux.core import writing
from pollux.core.errors import BadUsageError, MachineError
from pollux.core.executables.benchmarks import benchmarks_of
from pollux.core.listings import Variant
from pollux.core.tiles import Tile
from pollux.insight.commands.simulate import simulate
from pollux.insight.graphs.file import graphs_in, read_graph
from pollux.insight.graphs.instances import usual_variant
from pollux.insight.graphs.obtain import GraphProvider
from pollux.insight.simulation import session
from pollux.insight.simulation.model import Machine
from pollux.insight.simulation.session import on_machines
from pollux.insight.simulation.show import print_predictions
from pollux.insight.simulation.source import Sizes, learned, traces_in, wanted_instances
from pollux.insight.traces.file import read_traces
from pollux.insight.traces.match import match
from task_graphs import MUTEX, Program, graph_lines, tile, write_graph
from terminals import WIDTHS, assert_readable
from traces import trace_lines, write_lines
from typer.testing import CliRunner

RATES = "gemm=40,other=10,move=5"


@pytest.fixture
def graphs(tmp_path: Path) -> Path:
    """Plain LU and LU with concurrent write, in one file."""
    lines = graph_lines("lu", "depend", 8) + graph_lines("lu-cw", "cw", 8)
    return write_graph(tmp_path / "graphs.jsonl", lines)


def run(*arguments: object) -> str:
    """What it prints on standard output; its errors are raised."""
    app = typer.Typer()
    app.command()(simulate)
    ended = CliRunner().invoke(app, [str(a) for a in arguments], standalone_mode=False)
    if ended.exception:
        raise ended.exception
    return ended.stdout


def predictions(*arguments: object) -> list[dict[str, Any]]:
    data = json.loads(run(*arguments, "--format", "json"))
    assert data["schema"] == "pollux-simulation/1"
    found: list[dict[str, Any]] = data["predictions"]
    return found


def test_every_graph_meets_every_machine(graphs: Path) -> None:
    found = predictions("--graph", graphs, "--rates", RATES, "--workers", "1,2:8:2")
    made = [(p["benchmark"], p["workers"]) for p in found]
    assert made == [(b, p) for b in ("lu", "lu-cw") for p in (1, 2, 4, 6, 8)]
    for p in found:
        assert p["gflops"] == pytest.approx(p["efficiency"] * found[0]["gflops"] * p["workers"])
        assert p["lower_bound_seconds"] <= p["seconds"] * (1 + 1e-9)
        assert p["seconds"] <= p["ideal_upper_bound_seconds"] * (1 + 1e-9)
    assert found[0]["seconds"] == pytest.approx(found[0]["work_seconds"])


def test_tasks_that_exclude_each_other_have_no_bound_of_graham(tmp_path: Path) -> None:
    program = Program("lu", "depend", 4, 4)
    for j in range(4):
        program.call(program.task([("sum", MUTEX)]), "gemm", 0, (0, j), writes=[tile(0, j)])
    file = write_graph(tmp_path / "g", program.lines())
    [found] = predictions("--graph", file, "--rates", RATES, "--workers", "4")
    assert found["seconds"] == pytest.approx(found["work_seconds"])
    assert found["seconds"] > 2 * found["lower_bound_seconds"]
    assert found["ideal_upper_bound_seconds"] is None
    assert "Graham's bound does not hold" in " ".join(
        run("--graph", file, "--rates", RATES, "--workers", "4").split()
    )


def test_inner_blocks_have_tables_of_their_own(tmp_path: Path) -> None:
    lines = graph_lines("qr", "depend", 4)
    other = json.dumps(json.loads(lines[0]) | {"ib": 32})
    file = write_graph(tmp_path / "g", [*lines, other, *lines[1:]])
    text = run("--graph", file, "--rates", "other=10", "--workers", "4")
    for ib in (16, 32):
        assert f"\nqr depend, N = 256, NB = 64, IB = {ib}\n" in text


def test_rates_give_the_speed_on_one_worker(tmp_path: Path) -> None:
    path = write_graph(tmp_path / "g", graph_lines("cholesky", "depend", 6))
    graph = read_graph(path)
    one = predictions("--graph", path, "--rates", "other=10", "--workers", "1")[0]
    assert one["gflops"] == pytest.approx(10)
    assert graph.work.flops.sum() == pytest.approx(graph.flops)


@pytest.fixture
def measured(tmp_path: Path) -> tuple[Path, list[Path]]:
    """Eight graphs, and nine rounds of traces of each, all by processes of different speeds."""
    variants = [("lu", v) for v in ("depend", "forkjoin", "multidep", "column")]
    variants += [("lu-cw", "cw"), ("qr", "depend"), ("qr", "tree"), ("cholesky", "depend")]
    graphs = [graph_lines(b, v, 4) for b, v in variants]
    traces = []
    for number in range(9):
        lines = [line for g in graphs for line in trace_lines(g, threads=1, seed=number)]
        traces.append(write_lines(tmp_path / f"round-{number}", lines))
    return write_graph(tmp_path / "graphs", [line for g in graphs for line in g]), traces


@pytest.mark.parametrize("width", WIDTHS)
def test_tables_fit_the_terminal(measured: tuple[Path, list[Path]], width: int) -> None:
    """No line wraps and no number is cut, with one graph or eight, with ranges or without."""
    file, traces = measured
    graphs = graphs_in([file])
    machines = [Machine(workers) for workers in (1, 48, 100_000)]
    times = learned(traces_in(traces), own=False)
    found = [r.prediction for graph in graphs for r in on_machines(graph, times, machines)]
    for some in (found, found[:3], [replace(p, by_round=()) for p in found]):
        write = partial(print_predictions, found=some, kernels="learned from traces")
        text = assert_readable(write, width)
        assert all(str(p.machine.workers) in text for p in some)
        assert "…" not in text


def test_schedules_say_how_sure_they_are(measured: tuple[Path, list[Path]], tmp_path: Path) -> None:
    file, traces = measured
    kernels = [word for path in traces for word in ("--times", path)]
    data = predictions("--graph", file, *kernels, "--workers", "4", "--trace", tmp_path / "t")
    found = read_traces(tmp_path / "t")
    assert len(found) == len(data)
    for schedule, predicted in zip(found, data, strict=True):
        least, most = predicted["seconds_range"]
        assert least <= predicted["seconds"] <= most
        assert "–".join(dict.fromkeys(f"{s:.3g}" for s in (least, most))) in schedule.label
        which = predicted["benchmark"], predicted["variant"]
        is_compared = which[0] in {"lu", "lu-cw"} and which != ("lu", "depend")
        assert ("× lu depend" in schedule.label) == is_compared


def test_graphs_of_one_algorithm_are_compared(graphs: Path) -> None:
    text = run("--graph", graphs, "--rates", RATES, "--workers", "4")
    assert "times lu depend" in text
    assert "parallelism" in text
    data = json.loads(
        run("--graph", graphs, "--rates", RATES, "--workers", "4", "--format", "json")
    )
    plain, cw = data["predictions"]
    [compared] = data["comparisons"]
    assert compared["benchmark"] == "lu-cw"
    assert compared["reference"] == {"benchmark": "lu", "variant": "depend", "parameters": {}}
    assert compared["ratio"] == pytest.approx(plain["seconds"] / cw["seconds"])
    assert compared["range"] is None


def test_no_graph_is_compared_with_another_of_its_own_instance(graphs: Path) -> None:
    options = ("--rates", RATES, "--workers", "4", "--format", "json")
    data = json.loads(run("--graph", graphs, "--graph", graphs, *options))
    assert [c["benchmark"] for c in data["comparisons"]] == ["lu-cw", "lu-cw"]


def test_traces_give_kernel_times(tmp_path: Path) -> None:
    lines = graph_lines("lu", "depend", 6)
    graph = write_graph(tmp_path / "graph", lines)
    trace = write_lines(tmp_path / "trace", trace_lines(lines, threads=1))
    total = sum(read_traces(trace)[0].end - read_traces(trace)[0].start) * 1e-9
    common = ("--graph", graph, "--times", trace, "--workers", "1")
    assert predictions(*common, "--own-times")[0]["seconds"] == pytest.approx(total)
    assert predictions(*common)[0]["seconds"] == pytest.approx(total, rel=0.05)


def test_schedules_are_written_as_traces_of_their_graph(graphs: Path, tmp_path: Path) -> None:
    file, chart = tmp_path / "simulated", tmp_path / "chart.svg"
    arguments = ("--graph", graphs, "--rates", RATES, "--workers", "3")
    run(*arguments, "--trace", file, "--gantt", chart, "--creation", 100, "--policy", "steal")
    traces = read_traces(file)
    assert [t.instance.benchmark for t in traces] == ["lu", "lu-cw"]
    lines = graph_lines("lu", "depend", 8)
    graph = read_graph(write_graph(tmp_path / "one", lines))
    assert sorted(match(traces[0], graph)) == list(range(len(graph)))
    assert traces[0].threads == 3
    assert chart.read_text().startswith("<?xml")


def test_a_rate_of_no_kernel_is_refused_before_anything_is_simulated(
    graphs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def simulated(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("pollux.insight.simulation.session.predict", simulated)
    with pytest.raises(
        BadUsageError, match="--rates: no graph has a kernel 'gem'; choose from getrf"
    ):
        run("--graph", graphs, "--rates", "gem=35,other=10,move=5")


def test_a_rate_of_no_kernel_of_a_build_is_told_beside_the_results(
    graphs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    known = {graph.instance: graph for graph in graphs_in([graphs])}
    provider = SimpleNamespace(check=known.get, graph=known.__getitem__)
    monkeypatch.setattr(session, "find_provider", lambda *_: provider)
    monkeypatch.setattr(session, "wanted_instances", lambda *_: list(known))
    asked = session.Asked([], ["lu"], [], Sizes([], [], 0), None, Path())
    source = session.KernelSource([], "gem=35,other=10,move=5", None, None, False, None)
    assert len([*session.simulations(asked, source, [Machine(2)], lambda _: None)]) == 2
    assert "pollux: warning: --rates: no graph has a kernel 'gem'" in capsys.readouterr().err


def test_costs_and_bandwidth_only_slow_down(graphs: Path) -> None:
    common = ("--graph", graphs, "--rates", RATES, "--workers", "4")
    ideal = predictions(*common)
    for more in (
        ("--dispatch", 50000),
        ("--creation", 50000, "--throttle", 8),
        ("--bandwidth", 1),
    ):
        for slow, fast in zip(predictions(*common, *more), ideal, strict=True):
            assert slow["seconds"] > fast["seconds"]


def test_output_holds_what_json_prints(graphs: Path, tmp_path: Path) -> None:
    common = ("--graph", graphs, "--rates", RATES, "--workers", "4")
    file = tmp_path / "out.json"
    run(*common, "--output", file)
    assert json.loads(file.read_text())["predictions"] == predictions(*common)


@pytest.mark.parametrize("option", ["--trace", "--gantt", "--output"])
def test_results_are_printed_before_a_file_that_cannot_be_written(
    option: str, graphs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(writing, "replace_file", full)
    words = ["--graph", graphs, "--rates", RATES, "--workers", "4", option, graphs.parent / "o.svg"]
    app = typer.Typer()
    app.command()(simulate)
    with pytest.raises(MachineError, match=f"No space left on device.; {option} takes another"):
        app([str(word) for word in words], standalone_mode=False)
    assert "times lu depend" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "kernel times must be given"),
        (["--rates", RATES, "--measure", "libomp"], "kernel times must be given"),
        (["--rates", RATES, "--own-times"], "--own-times needs --times"),
        (["--rates", RATES, "--throttle", "3"], "--throttle needs --creation"),
        (["--rates", RATES, "--steal", "500"], "--steal needs --policy steal"),
        (["--rates", RATES, "--seed", "0"], "--seed needs --policy steal"),
        (["--rates", RATES, "--size", "4096"], "--size has no effect beside --graph"),
        (["--rates", RATES, "--rounds", "3"], "--rounds needs --measure"),
        (["--rates", RATES, "--kernels", "tuned"], "--kernels needs --measure"),
        (["--measure", "libomp", "--kernels", "tune"], "--kernels tune: unknown"),
        (["--rates", RATES, "--ideal"], "--ideal is for --measure"),
        (["--measure", "libomp", "--ideal", "--creation", "9"], "omit the costs"),
        (["--measure", "libomp", "--ideal", "--throttle", "9"], "--throttle needs --creation"),
        (["--rates", RATES, "--workers", "0"], "--workers"),
        (["--rates", RATES, "--workers", "1000000"], "more than 100000"),
        (["--rates", RATES, "--workers", "1:2"], "--workers"),
        (["--rates", "gemm=fast"], "--rates"),
        (["--rates", RATES, "--gantt", "chart.txt"], "--gantt"),
        (["--rates", RATES, "--gantt", "c.svg", "--workers", "1:9:1"], "18 schedules are too many"),
        (["--rates", RATES, "--output", "no/such/folder/x"], "cannot write"),
        (["--rates", RATES, "--trace", "/"], "cannot write"),
        (["--times", "no-such-file"], "cannot read"),
        (["--rates", RATES, "lu"], "BENCHMARK"),
        (["--rates", RATES, "--variant", "cw"], "--variant"),
    ],
)
def test_nonsense_is_refused(graphs: Path, arguments: list[str], words: str) -> None:
    with pytest.raises(BadUsageError, match=words):
        run("--graph", graphs, *arguments)


def test_own_times_of_another_instance_are_refused(tmp_path: Path) -> None:
    graph = write_graph(tmp_path / "graph", graph_lines("lu", "depend", 6))
    trace = write_lines(tmp_path / "trace", trace_lines(graph_lines("lu", "depend", 5)))
    with pytest.raises(BadUsageError, match="no trace is of lu depend"):
        run("--graph", graph, "--times", trace, "--own-times")


def test_kernel_times_are_those_of_one_kernel_set(tmp_path: Path) -> None:
    lines = graph_lines("lu", "depend", 5)
    graph = write_graph(tmp_path / "graph", lines)
    sets = (trace_lines(lines, kernels=name) for name in ("openblas", "tuned"))
    trace = write_lines(tmp_path / "trace", *sets)
    with pytest.raises(BadUsageError, match="traces of openblas and tuned kernels"):
        run("--graph", graph, "--times", trace)
    other = graph_lines("qr", "depend", 5)  # calls none of these kernels
    both = write_graph(tmp_path / "both", [*lines, *other])
    apart = trace_lines(lines, kernels="tuned"), trace_lines(other, kernels="openblas")
    assert predictions("--graph", both, "--times", write_lines(tmp_path / "apart", *apart))


def test_kernel_times_are_those_of_single_threads(tmp_path: Path) -> None:
    lines = graph_lines("cholesky", "depend", 5)
    graph = write_graph(tmp_path / "graph", lines)
    levels = {"requested": [1, 2], "given": [1, 2]}
    trace = write_lines(tmp_path / "trace", trace_lines(lines, levels=levels))
    with pytest.raises(
        BadUsageError, match=r"kernels of cholesky depend.* ran on teams of threads"
    ):
        run("--graph", graph, "--times", trace)


class FakeProvider(GraphProvider):
    """Lists variants without a build; `flat` is a parallel loop."""

    def variants(self, benchmark: str) -> list[Variant]:
        known = {"qr": ("depend", "tree"), "lu": ("depend", "column"), "lu-cw": ("cw",)}
        known["cholesky"] = ("seq", "flat", "taskloop", "depend")
        fields: dict[str, Any] = {"summary": "", "reason": None, "parameters": []}
        fields |= {"benchmark": benchmark, "available": True, "digest_group": None}
        return [
            Variant(variant=v, own_team=v == "flat", needs=v if v == "taskloop" else None, **fields)
            for v in known[benchmark]
        ]


def test_every_variant_meets_every_size(build_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_VARIANTS", "seq,depend,column")
    monkeypatch.setenv("FAKE_VARIANTS_LU_CW", "cw")
    provider = FakeProvider(build_root, "libomp", {})
    sizes = Sizes([64, 128], [Tile.square(16), Tile(256, 64)], 32)
    asked = wanted_instances(provider, ["qr", "lu-cw"], ["all"], sizes)
    assert len(asked) == 3 * 4
    assert {i.ib for i in asked if i.benchmark == "qr"} == {16, 32}
    chosen = wanted_instances(provider, ["lu", "lu-cw"], ["column", "cw"], sizes)
    assert {i.variant for i in chosen} == {"column", "cw"}
    usual = wanted_instances(provider, ["lu", "lu-cw"], [], sizes)
    assert {i.variant for i in usual} == {"depend", "cw"}
    with pytest.raises(BadUsageError, match="no variant of lu or lu-cw is named 'tree'"):
        wanted_instances(provider, ["lu", "lu-cw"], ["tree"], sizes)


def test_only_what_has_a_task_graph_is_simulated(
    build_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_VARIANTS", "seq,flat,taskloop,depend")
    provider = FakeProvider(build_root, "libomp", {})
    sizes = Sizes([64], [Tile.square(16)], 32)
    asked = wanted_instances(provider, ["cholesky"], ["all"], sizes)
    assert [i.variant for i in asked] == ["depend"]
    with pytest.raises(BadUsageError, match="cholesky flat has no task graph: it is a parallel"):
        wanted_instances(provider, ["cholesky"], ["depend", "flat"], sizes)
    with pytest.raises(BadUsageError, match="cholesky taskloop has another task graph for each"):
        wanted_instances(provider, ["cholesky"], ["taskloop"], sizes)
    known = benchmarks_of(build_root)
    usual = known.listing("cholesky").model_copy(update={"default_variant": "flat"})
    monkeypatch.setattr(type(known), "listing", lambda *_: usual)
    assert usual_variant(known, "cholesky") == "depend"
    loops = [v for v in usual.variants if v.variant != "depend"]
    usual = usual.model_copy(update={"variants": loops})
    with pytest.raises(BadUsageError, match="no variant of cholesky has a task graph here"):
        usual_variant(known, "cholesky")


@dataclass(frozen=True)
class WithChanges(FakeProvider):
    """The same with one variant that is different."""

    changed: str = ""
    changes: Mapping[str, Any] = field(default_factory=dict)

    def variants(self, benchmark: str) -> list[Variant]:
        return [
            v.model_copy(update=self.changes if v.variant == self.changed else {})
            for v in super().variants(benchmark)
        ]


def test_variants_that_cannot_be_had_say_why(
    build_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_VARIANTS", "seq,depend,column")
    monkeypatch.setenv("FAKE_VARIANTS_LU_CW", "cw")
    changes = {"available": False, "reason": "needs inoutset"}
    provider = WithChanges(build_root, "libomp", {}, changed="cw", changes=changes)
    sizes = Sizes([64], [Tile.square(16)], 32)
    for names in (["cw"], []):
        with pytest.raises(BadUsageError, match="lu-cw cw is not available: needs inoutset"):
            wanted_instances(provider, ["lu-cw"], names, sizes)
    with pytest.raises(BadUsageError, match="no variant of lu-cw has a task graph here"):
        wanted_instances(provider, ["lu-cw"], ["all"], sizes)


def test_kernels_that_run_on_teams_are_not_those_of_single_workers(
    build_root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FAKE_VARIANTS", "seq,depend,column")
    nested = {"nested": True}
    provider = WithChanges(build_root, "libomp", {}, changed="column", changes=nested)
    sizes = Sizes([64], [Tile.square(16)], 32)
    why = "lu column: its kernels run on teams of threads, and a simulated worker is one"
    with pytest.raises(BadUsageError, match=why):
        wanted_instances(provider, ["lu"], ["column"], sizes)
    found = wanted_instances(provider, ["lu"], ["all"], sizes)
    assert [i.variant for i in found] == ["depend"]
    assert capsys.readouterr().err == f"pollux: left out: {why}\n"


def test_a_graph_that_is_too_large_is_refused_before_kernels_are_measured(
    build_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measure(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("pollux.insight.simulation.session.measured", measure)
    monkeypatch.setenv("FAKE_VARIANTS", "depend")
    asked = ("lu", "--size", "30080", "--tile", "128", "--measure", "libomp", "--ideal")
    with pytest.raises(
        BadUsageError, match=r"has about 4,\d{3},\d{3} tasks; the limit is 4,000,000: "
    ):
        run(*asked, "--build-root", build_root)


def test_what_is_missing_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "libomp/bin").mkdir(parents=True)
    with pytest.raises(BadUsageError, match="a BENCHMARK such as lu, or --graph"):
        run("--rates", RATES, "--build-root", tmp_path)
