# SPDX-License-Identifier: BSD-3-Clause
"""Micro-benchmarks of messages and tasks: their records, what is refused, and that messages which
hold something else are found."""

import math
from functools import cache

import pytest
from executable import quantity, refused, run, validate, variants
from mpi import MESSAGES, mpirun, needs_mpi, own_lines

PROGRAM = "messages-mpi"
SHORT = ("-r", 1, "-w", 0, "-f", "json")
SMALL = (*SHORT, "--transfer", 65536, "--pause", 0)

pytestmark = [needs_mpi]
any_runtime = pytest.mark.any_runtime
LOSING = "6.0.0rc"  # Open MPI whose MPI_Waitall on several threads at a time may never return


@cache
def mpi_version() -> str:
    result = mpirun(2, PROGRAM, *SMALL, "-t", 1, "-v", "funneled", "-n", 24)
    assert result.status == 0, result.err
    return str(result.records[0]["mpi"]["version"])


def skip_if_mpi_loses_messages_of_threads() -> None:
    if LOSING in mpi_version():
        pytest.skip(f"{mpi_version()} loses messages of several threads (docs/messages.md)")


@pytest.mark.parametrize(
    ("threads", "delay", "sizes"),
    [
        pytest.param(1, 0, (24, 4101), marks=pytest.mark.slow, id="one thread"),
        pytest.param(2, 100, (4101,), marks=pytest.mark.slow, id="delayed"),
        pytest.param(3, 0, (24,), id="three threads"),
    ],
)
def test_every_variant_has_latency_rate_and_overlap(
    threads: int, delay: int, sizes: tuple[int, ...]
) -> None:
    if threads > 1:
        skip_if_mpi_loses_messages_of_threads()
    delays = {"LD_PRELOAD": MESSAGES, "POLLUX_DOUBLE_DELAY": delay} if delay else {}
    options = ("-t", threads, "-v", "all", "-n", ",".join(map(str, sizes)), "--patience", 60)
    result = mpirun(2, PROGRAM, *SMALL, *options, **delays)
    assert result.status == 0, result.err
    validate(result.records)
    names = {v["variant"] for v in variants(PROGRAM) if v["available"]}
    left_out = {name for name in names if f"variant {name}: not run" in result.err}
    assert left_out <= ({"blocking", "detach", "callback"} if threads == 1 else {"blocking"})
    found = {(r["variant"], r["size"]["value"]) for r in result.records}
    assert found == {(name, size) for name in names - left_out for size in sizes}
    for record in result.records:
        assert record["passed"]
        assert quantity(record, "rate") > 0
        assert record["mpi"]["ranks"] == 2
        with_tasks = record["variant"] != "threads"
        assert (quantity(record, "latency") is not None) == with_tasks
        assert (quantity(record, "overlap") is not None) == with_tasks


@any_runtime
def test_overlap_is_what_the_times_say_and_messages_are_counted() -> None:
    result = mpirun(2, PROGRAM, *SMALL, "-t", 1, "-v", "funneled", "-r", 2)
    assert result.status == 0, result.err
    for record in result.records:
        own = record["figures"]
        transfer, work, both = (own[f"{name}_ns"] for name in ("transfer", "work", "both"))
        hidden = 100 * (transfer + work - both) / min(transfer, work)
        assert math.isclose(quantity(record, "overlap"), hidden, abs_tol=1e-6)
        assert own["one_way_ns"] > 0
        assert own["polled_ns"] > 0
        mpi = record["mpi"]
        assert (mpi["thread_level_requested"], mpi["grid"]) == ("funneled", "1x2")
        windows, latencies, transfers, ready = 17 * 64, 2 * 100, 2 * (5 + 2 * 9), 2 * 100
        assert mpi["messages"] == windows + latencies + transfers + ready
        assert mpi["bytes"] == 64 * (windows + latencies) + 65536 * transfers + 24 * ready


def test_the_thread_level_is_that_of_the_variants() -> None:
    skip_if_mpi_loses_messages_of_threads()
    result = mpirun(2, PROGRAM, *SHORT, "-t", 2, "-v", "threads")
    assert result.status == 0, result.err
    assert result.records[0]["mpi"]["thread_level"] == "multiple"


@any_runtime
@pytest.mark.parametrize("ranks", [1, 3])
def test_another_number_of_ranks_than_two_is_refused_once(ranks: int) -> None:
    result = mpirun(ranks, PROGRAM, *SMALL, "-t", 1, "-v", "funneled")
    assert result.status == 2
    (line,) = own_lines(result, PROGRAM)
    assert "needs 2 ranks" in line
    assert "mpirun -n 2" in line


def test_blocking_is_refused_where_it_would_deadlock() -> None:
    result = mpirun(2, PROGRAM, *SMALL, "-t", 2, "-v", "blocking")
    assert result.status == 3
    (line,) = own_lines(result, PROGRAM)
    assert "needs 3 threads on each rank, and has 2" in line


@any_runtime
@pytest.mark.parametrize(
    "options",
    [
        *(("--bytes", size) for size in ("0", "23", "2147483648", "x")),
        *(("--transfer", size) for size in ("0", "4095")),
        ("--pause", "1000001"),
        ("--patience", "0"),
    ],
    ids=" ".join,
)
def test_sizes_that_are_none_are_refused(options: tuple[str, str]) -> None:
    refused(run(PROGRAM, *options), 2, options[0])


def test_pauses_that_nobody_would_wait_for_are_refused() -> None:
    line = refused(run(PROGRAM, "--pause", "100,500000", "--patience", 1), 2, "--pause 500000")
    assert "up to 1 s" in line


@any_runtime
@pytest.mark.slow
def test_a_run_that_pauses_is_not_taken_for_one_that_hangs() -> None:
    options = ("-t", 1, "-v", "funneled", "--pause", 10000, "--patience", 2)
    result = mpirun(2, PROGRAM, *SMALL, *options)
    assert result.status == 0, result.err


@any_runtime
@pytest.mark.parametrize(
    ("fault", "message"),
    [("early", 2), ("wrong", 3), ("early", 250)],
    ids=["polled", "read by a task", "of a window"],
)
def test_messages_that_hold_something_else_are_found(fault: str, message: int) -> None:
    planted = {
        "LD_PRELOAD": MESSAGES,
        "POLLUX_DOUBLE_FAULT": fault,
        "POLLUX_DOUBLE_MESSAGE": message,
    }
    result = mpirun(2, PROGRAM, *SMALL, "-n", 4096, "-t", 1, "-v", "funneled", **planted)
    assert result.status == 1, result.err
    (record,) = result.records
    assert "something else" in record["fault"]
    assert {record["figures"][name] for name in ("one_way_ns", "both_ns")} == {None}
    assert quantity(record, "latency") is quantity(record, "rate") is None


@any_runtime
def test_faults_of_a_warm_up_fail_the_run() -> None:
    planted = {
        "LD_PRELOAD": MESSAGES,
        "POLLUX_DOUBLE_FAULT": "wrong",
        "POLLUX_DOUBLE_MESSAGE": 3,
    }
    options = (*SMALL, "-w", 2, "-n", 4096, "-t", 1, "-v", "funneled")
    result = mpirun(2, PROGRAM, *options, **planted)
    assert result.status == 1, result.err
    assert [record["passed"] for record in result.records] == [True]
    (line,) = own_lines(result, PROGRAM)
    assert "funneled, warm-up repetition 0: " in line
    assert "something else" in line


@any_runtime
def test_a_message_that_is_lost_ends_the_run() -> None:
    planted = {
        "LD_PRELOAD": MESSAGES,
        "POLLUX_DOUBLE_FAULT": "lost",
        "POLLUX_DOUBLE_MESSAGE": 220,
    }
    options = ("-t", 1, "-v", "funneled", "--patience", 1)
    result = mpirun(2, PROGRAM, *SMALL, *options, **planted)
    assert result.status == 3
    assert any("nothing has moved" in line for line in own_lines(result, PROGRAM)), result.err
