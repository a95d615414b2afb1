# SPDX-License-Identifier: BSD-3-Clause
"""Traces of kernels and graphs of tasks as the executables write them."""

import json
import resource
import signal
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
from executable import (
    BENCHMARKS,
    BIN,
    RUNTIME,
    SANITIZED,
    STAND_INS,
    Result,
    described,
    run,
    variants,
)

Numbers = list[int]
HAS_TOOL = (BIN.parent / "lib/libpollux-ompt.so").exists()
needs_tool = pytest.mark.skipif(not HAS_TOOL, reason="this build has no OMPT tool")
SIZES = ("-n", 100, "-b", 16)
THREADS = 3


class Part(NamedTuple):
    """A header and the arrays that follow it."""

    header: dict[str, Any]
    events: list[Numbers]

    def columns(self, *names: str) -> list[tuple[int, ...]]:
        places = [self.header["columns"].index(name) for name in names]
        return [tuple(event[p] for p in places) for event in self.events]


def read(path: Path) -> list[Part]:
    parts: list[Part] = []
    for line in path.read_text().splitlines():
        entry = json.loads(line)
        if isinstance(entry, dict):
            parts.append(Part(entry, []))
        else:
            parts[-1].events.append(entry)
    return parts


def runnable(benchmark: str) -> list[str]:
    return [entry["variant"] for entry in variants(benchmark) if entry["available"]]


def traced(path: Path, benchmark: str, *options: object) -> list[Part]:
    result = run(benchmark, *SIZES, "-t", THREADS, "-r", 2, "--trace", path, *options)
    assert result.status == 0, result.err
    return read(path)


@cache
def traces(benchmark: str) -> list[Part]:
    """Those of all variants; one run serves all tests that only read them."""
    with TemporaryDirectory() as folder:
        return traced(Path(folder) / "trace", benchmark, "-v", "all")


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_every_variant_is_traced_whole(benchmark: str) -> None:
    parts = traces(benchmark)
    assert [p.header["record"]["variant"] for p in parts] == runnable(benchmark)
    for part in parts:
        assert part.header["schema"] == "pollux-trace/1"
        record = part.header["record"]
        assert record["traced"] is True
        assert record["passed"] is True
        assert len(part.events) == record["tasks"]


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_no_two_calls_have_the_same_name(benchmark: str) -> None:
    for part in traces(benchmark):
        names = Counter(part.columns("kernel", "step", "i", "j"))
        assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_events_lie_in_the_region_and_never_overlap_on_a_thread(benchmark: str) -> None:
    for part in traces(benchmark):
        last = dict.fromkeys(range(THREADS), 0)
        for thread, start, end in part.columns("thread", "start_ns", "end_ns"):
            assert last[thread] <= start <= end <= part.header["region_ns"]
            last[thread] = end
        assert 0 <= part.header["submitted_ns"] <= part.header["region_ns"]
        assert 0 <= part.header["submitter"] < THREADS
        seconds = part.header["record"]["seconds"]
        assert part.header["region_ns"] == pytest.approx(1e9 * seconds, abs=1)


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_traces_state_the_operations_that_the_description_lists(benchmark: str) -> None:
    listed = [json.dumps(kernel) for kernel in described(benchmark)["kernels"]]
    for part in traces(benchmark):
        assert set(map(json.dumps, part.header["operations"])) <= set(listed)


def test_factors_are_the_same_with_and_without_tracing(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    result = run("lu", *SIZES, "-r", 1, "-f", "json", "--trace", path)
    assert [r["digest"] for r in result.records] == [read(path)[0].header["record"]["digest"]]


def test_the_traced_repetition_is_no_measured_one(tmp_path: Path) -> None:
    path, output = tmp_path / "trace", tmp_path / "runs.jsonl"
    result = run("qr", *SIZES, "-r", 2, "-f", "json", "-o", output, "--trace", path)
    assert [r["traced"] for r in result.records] == [False, False]
    assert len(output.read_text().splitlines()) == 2
    record = read(path)[0].header["record"]
    assert (record["repetition"], record["seed"]) == (2, result.records[-1]["seed"])


def test_several_repetitions_are_traced_one_after_the_other(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    result = run("lu", *SIZES, "-r", 2, "-f", "json", "--trace", path, "--traced", 3)
    records = [part.header["record"] for part in read(path)]
    assert [record["repetition"] for record in records] == [2, 3, 4]
    assert {record["digest"] for record in records} == {result.records[-1]["digest"]}
    assert all(record["passed"] and record["traced"] for record in records)
    spans = [(record["start_unix_ns"], record["end_unix_ns"]) for record in records]
    assert all(end < begin for (_, end), (begin, _) in pairwise(spans))


def test_the_cost_of_tracing_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    result = run("cholesky", *SIZES, "-r", 1, "--trace", path)
    (line,) = [line for line in result.errors if "trace of" in line]
    assert "ns each to record" in line
    assert read(path)[0].header["event_cost_ns"] > 0


def test_the_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    for _ in range(2):
        assert len(traced(path, "cholesky")) == 1


def test_a_failed_factorization_is_traced_up_to_its_failure(tmp_path: Path) -> None:
    matrix, path = tmp_path / "zero.mtx", tmp_path / "trace"
    matrix.write_text("%%MatrixMarket matrix array real general\n2 2\n0\n0\n0\n0\n")
    result = run("lu", "--matrix", matrix, "-b", 1, "-t", 1, "-r", 1, "--trace", path)
    assert result.status == 1
    (part,) = read(path)
    assert part.header["record"]["passed"] is False
    assert len(part.events) < part.header["record"]["tasks"]


@pytest.mark.skipif(RUNTIME != "libgomp", reason="the crash is planted in libgomp's tasks")
@pytest.mark.skipif(SANITIZED, reason="the address sanitizer must be the first library")
def test_a_run_that_crashes_leaves_an_older_trace_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    traced(path, "lu")
    before = path.read_text()
    crash = {"LD_PRELOAD": str(STAND_INS / "doubles/crashing.so")}
    assert run("lu", *SIZES, "--trace", path, settings=crash).status == -signal.SIGSEGV
    assert path.read_text() == before


@pytest.mark.parametrize("option", ["--trace", "--graph"])
def test_a_file_that_cannot_be_opened_is_bad_usage(option: str, tmp_path: Path) -> None:
    if option == "--graph" and not HAS_TOOL:
        pytest.skip("this build has no OMPT tool")
    result = run("lu", *SIZES, option, tmp_path / "missing/file")
    assert result.status == 2
    assert "cannot write to" in result.errors[-1]


@pytest.mark.parametrize("option", ["--trace", "--graph"])
def test_a_full_disk_is_an_error(option: str) -> None:
    if option == "--graph" and not HAS_TOOL:
        pytest.skip("this build has no OMPT tool")
    result = run("lu", "-n", 400, "-b", 8, "-r", 1, option, "/dev/full")
    assert result.status == 3
    assert "No space left" in result.errors[-1]


@pytest.mark.parametrize("option", ["--ompt", "--processor-time", "--traced=2"])
def test_what_goes_into_a_trace_is_bad_usage_without_one(option: str) -> None:
    result = run("lu", *SIZES, option)
    assert (result.status, len(result.errors)) == (2, 1)


def test_times_on_a_processor_add_up_to_no_more_than_the_process_had(tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    (part,) = traced(tmp_path / "trace", "lu", "--processor-time")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    had = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    times = [row[0] for row in part.columns("processor_ns")]
    assert min(times) > 0
    assert sum(times) <= had * 1e9
    (part,) = traced(tmp_path / "trace", "lu")
    assert "processor_ns" not in part.header["columns"]


@pytest.mark.parametrize("option", ["--trace", "--output", "--matrix"])
def test_graph_excludes_what_needs_a_run(option: str, tmp_path: Path) -> None:
    result = run("lu", "--graph", tmp_path / "graph", option, tmp_path / "other")
    assert (result.status, len(result.errors)) == (2, 1)


@pytest.mark.skipif(HAS_TOOL, reason="this build has the OMPT tool")
@pytest.mark.parametrize("options", [["--graph"], ["--ompt", "--trace"]])
def test_a_runtime_without_ompt_is_recognized(tmp_path: Path, options: list[str]) -> None:
    result: Result = run("lu", *SIZES, *options, tmp_path / "graph")
    assert result.status == 3
    assert "whose graph" not in result.errors[-1] or options == ["--graph"]
    assert "OMPT" in result.errors[-1]
    assert RUNTIME in result.errors[-1] or "libpollux-ompt" in result.errors[-1]
    assert not (tmp_path / "graph").exists()


@needs_tool
@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_graph_and_trace_name_the_same_calls(benchmark: str, tmp_path: Path) -> None:
    graph = tmp_path / "graph"
    result = run(benchmark, *SIZES, "-v", "all", "--graph", graph)
    assert result.status == 0, result.err
    graphs = read(graph)  # not of parallel loops, which have none
    assert graphs
    parts = {part.header["record"]["variant"]: part for part in traces(benchmark)}
    for created in graphs:
        part = parts[created.header["variant"]]
        assert created.header["events"] == len(created.events)
        kernels = created.header["kernels"]
        calls = {(kernels[e[2]], *e[3:6], *e[7:11]) for e in created.events if e[0] == 1}
        names = part.header["kernels"]
        columns = ("kernel", "step", "i", "j", "flops", "bytes", "block", "rows")
        assert calls == {(names[k], *stated) for k, *stated in part.columns(*columns)} != set()


@needs_tool
def test_a_graph_has_the_default_tiles_of_the_teams_requested(tmp_path: Path) -> None:
    path = tmp_path / "graph"
    options = ("-n", 1024, "-t", "1,2,64")
    tiles = [instance["nb"] for instance in described("lu", *options)["instances"]]
    assert tiles[0] > tiles[-1]
    for own, expected in ((), [*dict.fromkeys(tiles)]), (("-b", 128), [128]):
        assert run("lu", *options, *own, "--graph", path).status == 0
        assert [created.header["nb"] for created in read(path)] == expected


@needs_tool
def test_a_graph_takes_no_memory_for_its_matrix(tmp_path: Path) -> None:
    path = tmp_path / "graph"
    result = run("qr", "-n", 1000000, "-b", 100000, "-i", 100, "--graph", path)
    assert result.status == 0, result.err
    assert len([e for e in read(path)[0].events if e[0] == 0]) == 385  # sum of k², k = 1 … 10


@needs_tool
def test_tasks_are_recorded_with_ompt(tmp_path: Path) -> None:
    (part,) = traced(tmp_path / "trace", "cholesky", "--ompt")
    tasks = part.columns("task", "created_ns", "creator", "scheduled_ns", "start_ns", "thread")
    assert len({task for task, *_ in tasks}) == len(tasks)
    for _, created, creator, scheduled, start, _ in tasks:
        assert 0 <= created <= scheduled <= start
        assert creator == part.header["submitter"]


def test_graphs_that_cannot_all_be_had_leave_the_file_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "g.jsonl"
    file.write_text("mine\n")
    result = run("sparselu", "-n", "100,20000", "-b", 1, "--graph", file)
    assert result.status == 3
    assert file.read_text() == "mine\n"
