# SPDX-License-Identifier: BSD-3-Clause
"""`pollux explain`: from files and from runs to tables, JSON and sentences."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from explain_runs import Files, explain, explain_json
from listings import write_names
from pollux.core.errors import BadUsageError
from pollux.insight.explaining.explanation import ALL, Difference, Explanation, SideResult
from pollux.insight.explaining.split import durations_alone
from pollux.insight.explaining.spread import Spread
from pollux.insight.explaining.words import beyond_noise, slower
from pollux.insight.graphs.file import read_graph
from pollux.insight.simulation.model import Machine, Policy
from pollux.insight.simulation.simulate import simulate
from pollux.insight.traces.file import read_traces
from task_graphs import graph_lines, write_graph
from traces import trace_lines, write_lines

TERMS = (
    "work",
    "slowdown",
    "creating",
    "uncreated",
    "dispatch",
    "finishing",
    "lack",
    "ready",
    "messages",
)
GROUPS = ("work", "slowdown", "overhead", "lack", "ready", "messages")


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def test_each_round_sums_to_its_thread_time(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    path = files.write("libomp", [1.1, 1.2, 1.3])
    side = explain_json(capsys, path, graph=[files.graph])["sides"][0]
    assert [sum(r[t] for t in TERMS) for (r,) in side["rounds"]] == [
        4 * r["region"] for (r,) in side["rounds"]
    ]
    assert sum(side["groups"].values()) == side["thread_time"] == 4 * side["region"]


def test_the_round_with_the_median_time_is_shown(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    path = files.write("libomp", [1.3, 1.1, 1.2])
    side = explain_json(capsys, path, graph=[files.graph])["sides"][0]
    assert side["round"] == 2
    assert side["region_range"]["low"] < side["region"] < side["region_range"]["high"]


def test_of_two_sides_the_round_with_the_median_ratio_is_shown(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    first = files.write("libomp", [1.0, 1.5, 1.0])
    second = files.write("libgomp", [1.2, 1.9, 1.3])  # ratios near 1.2, 1.27 and 1.3
    found = explain_json(capsys, first, second, graph=[files.graph])
    assert [side["round"] for side in found["sides"]] == [1, 1]


def test_terms_that_differ_in_every_round_are_reported_though_the_times_do_not() -> None:
    ratio = Spread(1.01, 0.9, 1.1, 6)
    terms = {key: Spread(0, -1e9, 1e9, 6) for key in GROUPS}
    terms["overhead"] = Spread(3e9, 2e9, 4e9, 6)
    difference = Difference(ratio, Spread(1e9, -1e9, 2e9, 6), terms, 1e10)
    found = Explanation("", [cast(SideResult, SimpleNamespace(has_tasks=True))], difference)
    assert beyond_noise(found) == (
        " Beyond the noise are differences in thread-time: overhead of dependences and task "
        "creation +3000 ms (+2000 to +4000)."
    )
    terms["overhead"] = Spread(3e9, 2e9, 4e9, 5)  # too few rounds to decide
    assert beyond_noise(found) == ""


def test_what_made_the_slower_side_faster_is_not_its_cause() -> None:
    medians = {"work": 0, "slowdown": -50, "overhead": 30, "lack": 40, "ready": 0, "messages": 0}
    parts = {"creating": 10, "uncreated": 0, "dispatch": 20, "finishing": 0}
    terms = {key: Spread(ns, ns, ns, 6) for key, ns in (medians | parts).items()}
    ratio = Spread(1.2, 1.1, 1.3, 6)
    slow, fast = (
        cast(SideResult, SimpleNamespace(name="A", has_tasks=True)),
        cast(SideResult, SimpleNamespace(name="B")),
    )
    text = slower(slow, fast, Difference(ratio, Spread(20, 20, 20, 6), terms, 100), ratio, 1)
    assert "mainly because of idle time for lack of ready tasks: +0.000040 ms" in text
    assert "it has less kernel slow-down: -0.000050 ms" in text


@pytest.mark.parametrize(
    ("is_sequential", "words"), [(False, "chance; 6 are enough."), (True, "chance.")]
)
def test_how_many_rounds_are_enough_is_told_only_where_it_is_known(
    is_sequential: bool, words: str
) -> None:
    terms = {key: Spread(1, 1, 1, 5) for key in ALL}
    ratio = Spread(1.2, 1.1, 1.3, 5)
    difference = Difference(ratio, Spread(20, 20, 20, 5), terms, 100, is_sequential=is_sequential)
    side = cast(SideResult, SimpleNamespace(name="A", has_tasks=True))
    text = slower(side, side, difference, ratio, 1)
    assert text.endswith(f"5 rounds are too few to rule out {words}")


def test_kernel_sets_are_sides_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = graph_lines("lu", "depend", 6)
    graph = write_graph(tmp_path / "graph.jsonl", lines)
    sets = [trace_lines(lines, kernels=name) for name in ("openblas", "tuned")]
    both = write_lines(tmp_path / "both.jsonl", *sets)
    found = explain_json(capsys, both, graph=[graph])
    assert [(side["name"], side["kernel_set"]) for side in found["sides"]] == [
        ("openblas kernels", "openblas"),
        ("tuned kernels", "tuned"),
    ]


def test_slower_kernels_are_named_as_the_cause(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    first = files.write("libomp", [1.0, 1.01, 1.02])
    second = files.write("libgomp", [1.3, 1.31, 1.32])
    found = explain_json(capsys, first, second, graph=[files.graph])
    verdict = found["sentences"][0]
    subject = "lu depend, N = 384, NB = 64, openblas kernels, 4 threads"
    assert verdict.startswith(f"{subject}: libgomp 12 takes 1.")
    assert "times as long as libomp 19" in verdict
    assert "mainly because of kernel slow-down" in verdict


@pytest.mark.parametrize("is_first", [True, False])
def test_of_different_numbers_of_threads_the_time_of_each_is_compared(
    files: Files, capsys: pytest.CaptureFixture[str], is_first: bool
) -> None:
    """Fewer threads take longer, each with more work, though all of them together have less."""
    paths = [
        write_lines(
            files.folder / f"{name}.jsonl",
            *([files.trace("libomp", threads, 1.0, 500), files.trace("libomp", 1, 1.0, 500)] * 6),
        )
        for name, threads in (("few", 2), ("many", 8))
    ]
    paths = paths if is_first else paths[::-1]
    found = explain_json(capsys, *paths, graph=[files.graph])
    times = [side["region"] for side in found["sides"]]
    assert found["difference"]["per_thread"]
    assert found["difference"]["total"]["median"] == pytest.approx(times[1] - times[0])
    assert "2 threads takes" in found["sentences"][0]
    assert "mainly because of work in its kernels: +" in found["sentences"][0]
    assert "ms of time per thread" in found["sentences"][0]
    assert explain([*map(str, paths)], graph=[files.graph]) == 0
    assert "in ms of each thread" in capsys.readouterr().out


def test_long_gaps_between_tasks_are_named_as_overhead(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    first = files.write("libomp", [1.0, 1.01, 1.02])
    second = files.write("libgomp", [1.0, 1.01, 1.02], gap=20_000)
    verdict = explain_json(capsys, first, second, graph=[files.graph])["sentences"][0]
    assert "mainly because of overhead of dependences and task creation" in verdict


def test_the_slower_side_is_the_subject_whichever_comes_first(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    slow = files.write("libgomp", [1.3, 1.31])
    fast = files.write("libomp", [1.0, 1.01])
    there = explain_json(capsys, slow, fast, graph=[files.graph])
    back = explain_json(capsys, fast, slow, graph=[files.graph])
    assert there["sentences"][0] == back["sentences"][0]
    assert there["difference"]["total"]["median"] == -back["difference"]["total"]["median"]


def test_rounds_that_differ_both_ways_are_noise(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    first = files.write("libomp", [1.0, 1.1, 1.05])
    second = files.write("libgomp", [1.1, 1.0, 1.05])
    found = explain_json(capsys, first, second, graph=[files.graph])
    assert found["difference"]["noise"]
    assert "within the noise" in found["sentences"][0]


def test_one_round_cannot_distinguish_a_difference_from_noise(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = files.write("libomp", [1.0]), files.write("libgomp", [1.5])
    found = explain_json(capsys, first, second, graph=[files.graph])
    assert "cannot distinguish a difference from noise" in found["sentences"][0]


def test_bounds_are_ordered(files: Files, capsys: pytest.CaptureFixture[str]) -> None:
    side = explain_json(capsys, files.write("libomp", [1.1]), graph=[files.graph])["sides"][0]
    b = side["bounds"]
    assert b["path"] <= b["lowest"] <= b["ideal"] <= b["ideal_in_run"] <= side["region"]
    assert b["work"] == side["terms"]["work"]
    graph = read_graph(files.graph)
    alone = durations_alone(graph, read_traces(files.folder / "libomp.jsonl")[1]).astype(float)
    ideal = [
        simulate(graph, alone, Machine(workers=4, policy=policy)).makespan
        for policy in (Policy.FIFO, Policy.PRIORITY)
    ]
    assert ideal[0] != ideal[1]
    assert b["ideal"] == min(ideal)
    assert sum(k["path"] for k in side["kernels"]) == b["path"]
    assert sum(k["on_path"] for k in side["kernels"]) == b["path_nodes"]


def test_factors_multiply_to_the_parallel_efficiency(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    side = explain_json(capsys, files.write("libomp", [1.1]), graph=[files.graph])["sides"][0]
    e = side["efficiencies"]
    assert e["parallel"] == pytest.approx(e["kernel"] * e["runtime"] * e["pipeline"])
    assert e["utilization"] == pytest.approx(e["balance"] * e["busiest"])
    assert e["parallel"] == pytest.approx(side["terms"]["work"] / side["thread_time"])


def test_without_a_run_alone_the_slow_down_is_reported_as_unknown(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    path = files.write("libomp", [1.1, 1.2], alone=False)
    found = explain_json(capsys, path, graph=[files.graph])
    assert not found["sides"][0]["alone"]
    assert found["sides"][0]["terms"]["slowdown"] == 0
    assert "slow-down is not known" in found["warnings"][0]


@pytest.mark.parametrize("lacking", ["both", "second"])
def test_without_runs_alone_nothing_is_said_of_what_depends_on_them(
    lacking: str, files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither of work and slow-down, nor of a side's own traces alone if the other has none."""
    first = files.write("libomp", [1.0] * 6, alone=lacking == "second")
    second = files.write("libgomp", [1.5] * 6, alone=False)
    found = explain_json(capsys, first, second, graph=[files.graph])
    assert found["difference"]["verdicts"]["slowdown"] == "open"
    for side in found["sides"]:
        assert not side["alone"] and side["terms"]["slowdown"] == 0
        bounds, efficiencies = side["bounds"], side["efficiencies"]
        assert {bounds[key] for key in ("work", "path", "parallelism", "lowest", "ideal")} == {None}
        assert efficiencies["kernel"] is efficiencies["parallel"] is None
        assert {kernel["path"] for kernel in side["kernels"]} == {None}
        assert bounds["ideal_in_run"] > 0 and efficiencies["runtime"] > 0
    left_out = any("left out" in line for line in found["warnings"])
    assert left_out == (lacking == "second")
    unknown = [w.partition(": ")[0] for w in found["warnings"] if "is not known" in w]
    names = [side["name"] for side in found["sides"]]
    assert unknown == [" and ".join(names if lacking == "both" else names[1:])]
    explain([str(first), str(second)], graph=[files.graph])
    rows = [line.split("  ") for line in capsys.readouterr().out.splitlines()]
    (slowdown,) = [row for row in rows if row[0].strip() == "kernel slow-down"]
    assert not any(any(map(str.isdigit, cell)) for cell in slowdown)
    (path,) = [row for row in rows if row[0].startswith("T∞, critical path")]
    assert not any(any(map(str.isdigit, cell)) for cell in path)
    kernels = [row for row in rows if row[0].strip() in {"getrf", "laswp", "trsm", "gemm"}]
    assert len(kernels) == 8
    assert all([cell.strip() for cell in row if cell][-2:] == ["–", "–"] for row in kernels)


def test_a_run_alone_may_come_from_another_file(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    path = files.write("libomp", [1.1, 1.2], alone=False)
    alone = write_lines(files.folder / "alone", files.trace("libomp", 1, 1.0, 500))
    [side] = explain_json(capsys, path, graph=[files.graph], alone=[alone])["sides"]
    assert side["terms"]["slowdown"] > 0
    assert side["alone"]
    assert len(side["rounds"]) == 2


@pytest.mark.parametrize(("own", "other"), [("libomp", ""), ("", "libomp")])
def test_a_run_alone_needs_no_label(
    own: str, other: str, files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = []
    for threads, label in ((4, own), (1, other)):
        head, *events = files.trace("libomp", threads, 1.0, 500)
        labelled = json.dumps(json.loads(head) | ({"label": label} if label else {}))
        paths.append(write_lines(files.folder / f"{threads}.jsonl", [labelled, *events]))
    [side] = explain_json(capsys, paths[0], graph=[files.graph], alone=paths[1:])["sides"]
    assert side["alone"]


def test_a_run_alone_of_something_else_is_refused(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    path = files.write("libomp", [1.1], alone=False)
    right, wrong = (files.trace(name, 1, 1.0, 500) for name in ("libomp", "libgomp"))
    other = write_lines(files.folder / "other", wrong)
    with pytest.raises(BadUsageError, match=r"--alone .*other: none of its traces is of lu depend"):
        explain([str(path)], graph=[files.graph], alone=[other])
    both = write_lines(files.folder / "both", wrong, right)
    assert explain_json(capsys, path, graph=[files.graph], alone=[both])["sides"][0]["alone"]


@pytest.mark.parametrize(("name", "rounds"), [("1-libomp.jsonl", 2), ("own.jsonl", 3)])
def test_a_round_of_explain_that_was_cut_short_is_left_out(
    name: str, rounds: int, files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    path = files.write("libomp", [1.1, 1.2]).rename(files.folder / name)
    more = files.trace("libomp", 4, 9.0, 500)
    path.write_text(path.read_text() + "\n".join(more) + "\n")
    [side] = explain_json(capsys, path, graph=[files.graph])["sides"]
    assert len(side["rounds"]) == rounds
    assert side["alone"]


def test_a_run_with_one_thread_is_alone_by_itself(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_lines(files.folder / "one", files.trace("libomp", 1, 1.0, 500))
    found = explain_json(capsys, path, graph=[files.graph])
    assert found["sides"][0]["terms"]["slowdown"] == 0
    assert found["sides"][0]["terms"]["lack"] == 0
    assert "on 1 thread;" in found["sentences"][0]
    with pytest.raises(BadUsageError, match="--alone has no effect"):
        explain([str(path)], graph=[files.graph], alone=[path])


def test_two_graphs_of_one_algorithm_compare(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths, graphs = [], []
    for variant in ("depend", "multidep"):
        files = Files(tmp_path, variant)
        graphs.append(files.graph.rename(tmp_path / f"{variant}.graph"))
        paths.append(files.write("libomp", [1.0, 1.1]).rename(tmp_path / f"{variant}.jsonl"))
    found = explain_json(capsys, *paths, graph=graphs)
    assert [side["name"] for side in found["sides"]] == ["lu depend", "lu multidep"]


def test_the_answer_comes_first_and_the_table_has_every_term(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = files.write("libomp", [1.0, 1.1]), files.write("libgomp", [1.3, 1.4])
    assert explain([str(first), str(second)], graph=[files.graph]) == 0
    text = capsys.readouterr().out
    answer, table = text.index("times as long as"), text.index("thread-time, ms")
    assert answer < table
    for words in ("work", "kernel slow-down", "dispatch", "idle for lack of ready tasks"):
        assert words in text[table:]


def test_threads_without_a_processor_of_their_own_are_warned_about(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    path = files.write("libomp", [1.1])
    found = explain_json(capsys, path, graph=[files.graph])
    assert "4 threads shared 2 processors" in found["warnings"][0]


def test_threads_inside_kernels_are_said_not_to_count(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    levels = {"requested": [4, 2], "given": [4, 2]}
    lines = trace_lines(files.lines, threads=4, levels=levels)
    path = write_lines(files.folder / "nested.jsonl", lines)
    found = explain_json(capsys, path, graph=[files.graph])
    assert any("kernels run on 2 threads each" in warning for warning in found["warnings"])


def test_what_cannot_be_compared_is_refused(files: Files) -> None:
    first = files.write("libomp", [1.0])
    lines = graph_lines("cholesky", "depend", 6)
    other = write_lines(files.folder / "other", trace_lines(lines, threads=4))
    graph = write_graph(files.folder / "cholesky.graph", lines)
    with pytest.raises(BadUsageError, match="cannot be compared"):
        explain([str(first), str(other)], graph=[files.graph, graph])


def test_more_than_two_sides_are_refused(files: Files) -> None:
    paths = [files.write(name, [1.0]) for name in ("libomp", "libgomp", "libiomp5")]
    with pytest.raises(BadUsageError, match="3 sides are given"):
        explain([str(path) for path in paths], graph=[files.graph])


def test_several_numbers_of_threads_need_a_choice(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    traces = [files.trace("libomp", n, 1.0, 500) for n in (1, 2, 4)]
    path = write_lines(files.folder / "scaling", *traces)
    with pytest.raises(BadUsageError, match="with 1, 2, 4 threads; --threads chooses"):
        explain([str(path)], graph=[files.graph])
    with pytest.raises(BadUsageError, match="no trace with 3 threads"):
        explain([str(path)], graph=[files.graph], threads=3)
    assert explain_json(capsys, path, graph=[files.graph], threads=2)["sides"][0]["threads"] == 2


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["nothing.jsonl"], "nothing.jsonl is neither a file or folder of traces nor a benchmark"),
        (["lu", "qr"], "one benchmark at a time"),
        (["empty"], "empty has no trace files"),
    ],
)
def test_what_does_not_exist_is_an_error_of_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    write_names(tmp_path / "build" / "libomp" / "bin")
    with pytest.raises(BadUsageError, match=message):
        explain(names, build_root=tmp_path / "build")


def test_a_benchmark_that_cannot_be_traced_here_is_not_taken_for_a_file(tmp_path: Path) -> None:
    folder = tmp_path / "libomp" / "bin"
    write_names(folder, ["lu"], ["task-overhead"])
    lists = json.loads((folder / "benchmarks.json").read_text())
    (folder / "benchmarks.json").write_text(json.dumps(lists | {"distributed": ["lu-mpi"]}))
    for name, words in (("lu-mpi", "spread over processes"), ("task-overhead", "micro-benchmark")):
        with pytest.raises(BadUsageError, match=f"{name} is .*{words}"):
            explain([name], build_root=tmp_path)


def test_kernels_that_are_faster_than_alone_are_doubted(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    found = explain_json(capsys, files.write("libomp", [0.8]), graph=[files.graph])
    assert found["sides"][0]["terms"]["slowdown"] < 0
    assert "less than alone" in found["warnings"][0]


def test_sides_are_named_by_the_parameters_in_which_they_differ(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head, *events = graph_lines("lu", "depend", 3)
    graphs, traces = [], []
    for depth in (2, 3):
        own = {"form": "short", "depth": depth}
        lines = [json.dumps(json.loads(head) | {"schema": "pollux-graph/1", "parameters": own})]
        graphs.append(write_graph(tmp_path / f"{depth}.graph", [*lines, *events]))
        traces.append(trace_lines([*lines, *events], parameters=own))
    found = explain_json(capsys, write_lines(tmp_path / "both.jsonl", *traces), graph=graphs)
    assert [side["name"] for side in found["sides"]] == ["depth=2", "depth=3"]
    assert "form=short" in found["subject"]
    assert "depth" not in found["subject"]
