# SPDX-License-Identifier: BSD-3-Clause
"""Programs over MPI: the digest is that of one process on every grid, by every variant, however
messages are delayed, and what goes wrong between ranks is found."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from executable import (
    DISTRIBUTED,
    FACTORIZATIONS,
    RUNTIME,
    Record,
    Result,
    described,
    refused,
    run,
    validate,
    variants,
)
from mpi import LATER, MESSAGES, found_by_cmake, mpirun, needs_mpi, own_lines

pytestmark = [needs_mpi]
any_runtime = pytest.mark.any_runtime
SMALL = ("-n", 97, "-b", 24, "-r", 2, "-w", 0, "-f", "json")
FIRST = DISTRIBUTED[:1]  # where all programs share the code
# Which rank has which tile is not the runtime's affair: these grids are for one runtime. 6x1 has
# more ranks than rows of tiles. 2x2, whose ranks send along rows and columns, is for each runtime,
# in the test of delayed messages.
slow = pytest.mark.slow
GRIDS = ("1x1", "2x1", *(pytest.param(grid, marks=slow) for grid in ("1x2", "6x1", "3x2")))


def settings_of(program: str) -> list[tuple[str, ...]]:
    """Each word of each of a program's parameters, or its first numbers from 1 on."""
    values = [
        (f"--{p['parameter']}", str(value))
        for p in described(program)["parameters"]
        for value in p.get("words", (1, 2))
    ]
    return [*values] or [()]


def ranks_of(grid: str) -> int:
    rows, columns = grid.split("x")
    return int(rows) * int(columns)


@cache
def digests_of_one_process(group: str, parameters: tuple[tuple[str, int], ...]) -> dict[int, str]:
    """What the program without MPI whose variant gives the same digest has for each seed."""
    partners = [
        (name, v)
        for name in FACTORIZATIONS
        for v in variants(name)
        if v["digest_group"] == group and not v["sequential"]
    ]
    name, variant = partners[0]
    options = [f"--{p}={value}" for p, value in parameters if p in variant["parameters"]]
    records = run(name, *SMALL, "-t", 2, "-v", variant["variant"], *options).records
    return {record["seed"]: record["digest"] for record in records}


def check_digests(records: list[Record]) -> None:
    assert records
    for record in records:
        assert record["passed"]
        parameters = tuple(record["parameters"].items())
        expected = digests_of_one_process(record["digest_group"], parameters)
        assert record["digest"] == expected[record["seed"]], record["variant"]


def check_variants(result: Result, program: str) -> None:
    """All ran, but those that would deadlock on this MPI."""
    assert result.status == 0, result.err
    check_digests(result.records)
    names = {v["variant"] for v in variants(program) if v["available"]}
    left_out = {name for name in names if f"variant {name}: not run" in result.err}
    assert left_out <= {"blocking"}
    assert {record["variant"] for record in result.records} == names - left_out


@any_runtime
@pytest.mark.parametrize("program", DISTRIBUTED)
@pytest.mark.parametrize("grid", GRIDS)
def test_every_variant_gives_the_digest_of_one_process(program: str, grid: str) -> None:
    for options in settings_of(program):
        arguments = (*SMALL, *options, "--grid", grid, "-t", 3, "-v", "all")
        check_variants(mpirun(ranks_of(grid), program, *arguments), program)


@pytest.mark.parametrize("program", DISTRIBUTED)
def test_the_digest_does_not_depend_on_when_messages_come(program: str) -> None:
    delays = {"LD_PRELOAD": MESSAGES, "POLLUX_DOUBLE_SEED": 5, "POLLUX_DOUBLE_DELAY": 300}
    arguments = ("--grid", "2x2", "-t", 3, "-v", "all", "--ahead", 1, "--patience", 60)
    for options in settings_of(program):
        check_variants(mpirun(4, program, *SMALL, *options, *arguments, **delays), program)


@any_runtime
@pytest.mark.parametrize("program", DISTRIBUTED)
def test_there_may_be_more_ranks_than_tiles(program: str) -> None:
    result = mpirun(3, program, "-n", 1, "-t", 1, "-r", 1, "-c", "full", "-f", "json")
    assert result.status == 0, result.err
    assert [record["mpi"]["ranks"] for record in result.records] == [3]
    assert result.records[0]["mpi"]["ahead"] == 1  # of 4: there are no more steps
    if "pivoting" not in result.records[0]["parameters"]:  # else there are pivots
        assert result.records[0]["mpi"]["messages"] == 0


@any_runtime
@pytest.mark.parametrize("program", DISTRIBUTED)
def test_records_state_ranks_and_messages(program: str) -> None:
    result = mpirun(2, program, *SMALL, "--grid", "1x2", "-t", 1)
    validate(result.records)
    for record in result.records:
        mpi = record["mpi"]
        assert (mpi["ranks"], mpi["hosts"], mpi["grid"]) == (2, 1, "1x2")
        assert mpi["messages"] > 0
        assert mpi["bytes"] >= 4 * mpi["messages"]
        assert 0 < mpi["fastest_rank_seconds"] <= record["seconds"]
        assert 0 < mpi["in_flight_bytes"] < mpi["matrix_bytes"] <= mpi["peak_rank_bytes"]


@any_runtime
@pytest.mark.parametrize("program", FIRST)
@pytest.mark.parametrize(
    ("text", "library", "version"),
    [
        ("Open MPI v4.1.4, package: Debian", "Open MPI", "4.1.4"),
        ("MPICH Version:      4.0.2\nMPICH ABI: 14", "MPICH", "4.0.2"),
        ("Intel(R) MPI Library 2021.9 for Linux* OS", "Intel MPI", "2021.9"),
        ("MVAPICH2 Version      :\t2.3.7\nMVAPICH2 Device: ch3", "MVAPICH", "2.3.7"),
        ("MVAPICH Version:\t3.0\nMVAPICH Device: ch4", "MVAPICH", "3.0"),
        ("MPI VERSION    : CRAY MPICH version 8.1.25 (ANL base 3.4a2)", "Cray MPICH", "8.1.25"),
        ("Another MPI 1.0", "unknown", "unknown"),
    ],
)
def test_records_name_the_library(program: str, text: str, library: str, version: str) -> None:
    double = {"LD_PRELOAD": MESSAGES, "POLLUX_DOUBLE_LIBRARY": text}
    result = mpirun(1, program, "-n", 1, "-t", 1, "-r", 1, "-w", 0, "-f", "json", **double)
    (record,) = result.records
    assert (record["mpi"]["library"], record["mpi"]["version"]) == (library, version)


@any_runtime
@slow
@pytest.mark.parametrize("program", DISTRIBUTED)
def test_the_memory_of_tiles_in_flight_is_what_the_option_says(program: str) -> None:
    options = ("-n", 200, "-b", 10, "-r", 1, "-w", 0, "-f", "json", "-t", 1, "--grid", "2x2")
    least, more = (
        mpirun(4, program, *options, "--ahead", ahead).records[0]["mpi"] for ahead in (1, 4)
    )
    assert 0 < least["in_flight_bytes"] * 4 == more["in_flight_bytes"]
    assert least["in_flight_bytes"] <= 0.3 * least["matrix_bytes"]


@any_runtime
@pytest.mark.parametrize("program", FIRST)
@pytest.mark.parametrize(
    ("fault", "words"), [("lost", "nothing has moved"), ("doubled", "nobody asked for it")]
)
def test_messages_that_are_lost_or_doubled_end_the_run(
    program: str, fault: str, words: str
) -> None:
    planted = {"LD_PRELOAD": MESSAGES, "POLLUX_DOUBLE_FAULT": fault, "POLLUX_DOUBLE_MESSAGE": 2}
    result = mpirun(2, program, *SMALL, "-t", 1, "--patience", 1, **planted)
    assert result.status == 3
    assert any(words in line for line in own_lines(result, program)), result.err


@any_runtime
@pytest.mark.parametrize("program", FIRST)
def test_pauses_do_not_follow_the_date(program: str) -> None:
    """The messages of `detach` come, and a lost one ends the run, after the date was set back."""
    options = (*SMALL, "-t", 2)
    if any(v["variant"] == "detach" and v["available"] for v in variants(program)):
        came = mpirun(2, program, *options, "-v", "detach", LD_PRELOAD=LATER)
        assert came.status == 0, came.err
    planted = {"LD_PRELOAD": f"{MESSAGES}:{LATER}", "POLLUX_DOUBLE_FAULT": "lost"}
    planted["POLLUX_DOUBLE_MESSAGE"] = "2"
    result = mpirun(2, program, *options, "--patience", 1, **planted)
    assert any("nothing has moved" in line for line in own_lines(result, program)), result.err


@any_runtime
@pytest.mark.parametrize("program", DISTRIBUTED)
@pytest.mark.parametrize("fault", ["early", "wrong"])
@pytest.mark.parametrize("grid", ["1x2", "2x1"])
def test_messages_that_hold_something_else_are_found(program: str, fault: str, grid: str) -> None:
    planted = {"LD_PRELOAD": MESSAGES, "POLLUX_DOUBLE_FAULT": fault, "POLLUX_DOUBLE_MESSAGE": 2}
    result = mpirun(2, program, *SMALL, "-t", 1, "--grid", grid, **planted)
    if "a message was damaged" in result.err:  # pivots, which a rank can tell
        assert result.status == 3
        return
    assert result.status == 1
    assert not result.records[0]["passed"]


@any_runtime
@pytest.mark.parametrize("program", FIRST)
def test_a_rank_that_dies_ends_the_others(program: str) -> None:
    planted = {"LD_PRELOAD": MESSAGES, "POLLUX_DOUBLE_KILL": 1}
    result = mpirun(2, program, *SMALL, "--grid", "2x1", "-t", 1, **planted)
    assert result.status not in (0, 1)


@any_runtime
@pytest.mark.parametrize("program", FIRST)
def test_a_grid_that_does_not_fit_the_ranks_is_refused_once(program: str) -> None:
    result = mpirun(2, program, *SMALL, "--grid", "2x2")
    assert result.status == 2
    (line,) = own_lines(result, program)
    assert "--grid 2x2 needs 4 ranks, and 2 were started" in line


@any_runtime
@pytest.mark.parametrize("program", FIRST)
@pytest.mark.parametrize("grid", ["2", "2x", "x2", "0x2", "2x2x2", "axb", "-1x2"])
def test_what_is_no_grid_is_refused(program: str, grid: str) -> None:
    words = refused(run(program, f"--grid={grid}"), 2, "--grid")
    assert "--grid :" not in words


@any_runtime
@pytest.mark.parametrize("program", DISTRIBUTED)
@pytest.mark.parametrize("option", ["--graph", "--matrix"])
def test_options_that_describe_one_process_are_refused(program: str, option: str) -> None:
    refused(run(program, option, "file"), 2, option)
    assert option not in run(program, "--help").out


@any_runtime
@pytest.mark.parametrize("program", FIRST)
@pytest.mark.parametrize(
    ("size", "tile", "words"),
    [(46341, 46341, "more elements than a message"), (2000000, 20, "more than this MPI has tags")],
)
def test_tiles_that_mpi_has_no_messages_for_are_refused(
    program: str, size: int, tile: int, words: str
) -> None:
    result = mpirun(2, program, "-n", size, "-b", tile, "-t", 1)
    assert result.status == 3
    (line,) = own_lines(result, program)
    assert words in line


@any_runtime
@pytest.mark.parametrize("program", DISTRIBUTED)
def test_tiles_too_many_to_be_counted_are_refused(program: str) -> None:
    result = run(program, "-n", 1000000, "-b", 1, "-t", 1)
    assert result.status == 3
    (line,) = own_lines(result, program)
    assert "GiB of memory" in line


@any_runtime
@pytest.mark.parametrize("program", DISTRIBUTED)
def test_the_memory_of_a_check_is_counted(program: str) -> None:
    options = ("-n", 4000, "-b", 2000, "-t", 1)
    sizes = [
        described(program, *options, "-c", check)["instances"][0]["bytes"]
        for check in ("none", "fast", "full")
    ]
    assert sizes[1] > sizes[0]
    assert sizes[2] - sizes[0] >= 3 * 4000 * 2000 * 8


@any_runtime
@pytest.mark.parametrize("program", FIRST)
def test_smaller_teams_are_refused(program: str) -> None:
    options = (*SMALL, "-t", 3, "-v", "taskyield,blocking", "--patience", 60)
    result = mpirun(2, program, *options, OMP_THREAD_LIMIT=1, OMP_WAIT_POLICY="active")
    assert result.status == 3
    assert any("the runtime gave 1 of 3 threads" in line for line in own_lines(result, program))


@any_runtime
@pytest.mark.parametrize("program", FIRST)
def test_the_launcher_inside_says_which_rank_a_process_is(program: str) -> None:
    outer = {"SLURM_PROCID": "1", "OMPI_COMM_WORLD_RANK": "0"}
    assert run(program, "--list", settings=outer).out
    assert not run(program, "--list", settings=outer | {"OMPI_COMM_WORLD_RANK": "1"}).out


@any_runtime
@pytest.mark.parametrize("program", FIRST)
def test_one_rank_lists_for_all(program: str) -> None:
    result = mpirun(2, program, "--list", "-f", "json")
    assert result.status == 0, result.err
    assert json.loads(result.out)["benchmark"] == program


@any_runtime
@pytest.mark.parametrize("program", FIRST)
def test_records_never_go_to_the_trace_of_a_rank(program: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for folder in (tmp_path, tmp_path / "folder/.."):
        files = ("-o", folder / "t.1.jsonl", "--trace", tmp_path / "t.jsonl")
        refused(run(program, *files), 2, "t.1.jsonl")


@pytest.mark.parametrize("program", FIRST)
def test_detach_is_refused_on_one_thread_where_events_are_waited_for(program: str) -> None:
    """libomp's tasks of one thread are right, and those of libgomp hang."""
    result = mpirun(2, program, *SMALL, "-t", 1, "-v", "detach")
    if RUNTIME == "libomp":
        assert result.status == 0, result.err
        check_digests(result.records)
        return
    assert result.status == 3
    (line,) = own_lines(result, program)
    assert "needs 2 threads on each rank with this runtime, and has 1" in line


@pytest.mark.parametrize("program", FIRST)
def test_blocking_is_refused_where_it_would_deadlock(program: str) -> None:
    result = mpirun(2, program, *SMALL, "-t", 2, "-v", "blocking")
    assert result.status == 3
    (line,) = own_lines(result, program)
    assert "needs 3 threads on each rank, and has 2" in line


@pytest.mark.parametrize("program", FIRST)
def test_the_thread_level_is_that_of_the_variants_that_run(program: str) -> None:
    levels = {"detach": "serialized", "callback": "multiple"}  # others that run: funneled
    result = mpirun(2, program, "-n", 1, "-t", 1, "-r", 1, "-w", 0, "-v", "all", "-f", "json")
    assert result.status == 0, result.err
    ran = {levels.get(record["variant"], "funneled") for record in result.records}
    (level,) = {record["mpi"]["thread_level_requested"] for record in result.records}
    assert level == max(ran, key=("funneled", "serialized", "multiple").index)


def has_callbacks() -> bool:
    return found_by_cmake("MPI_DETACH_LIBRARY") is not None


@any_runtime
@pytest.mark.parametrize("program", [*DISTRIBUTED, "messages-mpi"])
def test_callback_is_left_out_where_its_library_was_not_found(program: str) -> None:
    callback = next(v for v in variants(program) if v["variant"] == "callback")
    assert callback["available"] == has_callbacks()
    assert callback["reason"].startswith("" if has_callbacks() else "needs MPI Detach, a library")


@any_runtime
@pytest.mark.parametrize("program", FIRST)
def test_the_thread_of_the_library_may_call_back(program: str) -> None:
    if not has_callbacks():
        pytest.skip("MPI Detach was not found when this was built")
    result = mpirun(2, program, *SMALL, "-t", 2, "-v", "callback", MPIX_DETACH="progress")
    assert result.status == 0, result.err
    check_digests(result.records)
    assert {r["runtime"]["env"]["MPIX_DETACH"] for r in result.records} == {"progress"}


def lines_of(path: Path) -> tuple[list[dict[str, Any]], list[list[list[int]]]]:
    """The objects of a file, and the arrays that follow each."""
    heads: list[dict[str, Any]] = []
    arrays: list[list[list[int]]] = []
    for line in path.read_text().splitlines():
        entry = json.loads(line)
        if isinstance(entry, dict):
            heads.append(entry)
            arrays.append([])
        else:
            arrays[-1].append(entry)
    return heads, arrays


@pytest.mark.parametrize("program", DISTRIBUTED)
def test_each_rank_writes_a_trace_of_its_kernels_and_messages(program: str, tmp_path: Path) -> None:
    wanted = ("-t", 2, "-r", 1, "-v", "funneled", "--grid", "1x2")
    for number, options in enumerate(settings_of(program)):
        folder = tmp_path / str(number)
        folder.mkdir()
        result = mpirun(2, program, *SMALL, *options, *wanted, "--trace", folder / "t.jsonl")
        assert result.status == 0, result.err
        check_traces(folder)


def check_traces(folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == ["t.0.jsonl", "t.1.jsonl"]
    ranks = [lines_of(folder / f"t.{rank}.jsonl") for rank in range(2)]
    headers = [heads[0]["rank"] for heads, _ in ranks]
    assert [h["rank"] for h in headers] == [0, 1]
    assert headers[0]["run"] == headers[1]["run"]
    assert sum(h["calls"] for h in headers) == ranks[0][0][0]["record"]["tasks"]
    sent: list[tuple[int, ...]] = []
    received: list[tuple[int, ...]] = []
    for (heads, arrays), header in zip(ranks, headers, strict=True):
        assert [h["schema"] for h in heads] == ["pollux-trace/1", "pollux-messages/1"]
        assert len(arrays[0]) == header["calls"]
        assert len(arrays[1]) == header["messages"]
        for kind, *numbers in arrays[1]:
            if kind < 2:
                peer, *rest = numbers
                ends = (peer, header["rank"]) if kind == 0 else (header["rank"], peer)
                (sent if kind else received).append((*ends, *rest[:4]))
                assert 0 <= rest[4] <= rest[5] <= rest[6]
    assert sorted(sent) == sorted(received)
    assert len(sent) == ranks[0][0][0]["record"]["mpi"]["messages"]
    names = [
        (heads[0]["kernels"][kernel], *place)
        for heads, arrays in ranks
        for kernel, *place in (event[:4] for event in arrays[0])
    ]
    assert len(set(names)) == len(names)  # coordinates are those of the whole matrix


@pytest.mark.parametrize("program", FIRST)
def test_clocks_of_one_machine_agree_within_their_error(program: str, tmp_path: Path) -> None:
    delays = {"LD_PRELOAD": MESSAGES, "POLLUX_DOUBLE_SEED": 5, "POLLUX_DOUBLE_DELAY": 300}
    arguments = (*SMALL, "-t", 1, "-r", 1, "-w", 0, "--trace", tmp_path / "t")
    result = mpirun(2, program, *arguments, **delays)
    assert result.status == 0, result.err
    heads, _ = lines_of(tmp_path / "t.1")
    first, second = heads[0]["rank"]["clock"]
    assert first["at_ns"] <= heads[0]["rank"]["start_ns"] < second["at_ns"]
    for clock in (first, second):
        assert clock["error_ns"] > 0
        assert abs(clock["offset_ns"]) <= clock["error_ns"]  # it is one clock
