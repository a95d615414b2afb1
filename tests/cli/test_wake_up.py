# SPDX-License-Identifier: BSD-3-Clause
"""wake-up: its records, a planted cost, and starts that wake nobody."""

import pytest
from executable import MICRO_BENCHMARKS, STAND_INS, passing, quantity, refused, run, validate
from micro_benchmarks import preloads

PROGRAM = "wake-up"
SMALL = ("-r", 1, "-w", 0, "-f", "json")

pytestmark = pytest.mark.skipif(
    PROGRAM not in MICRO_BENCHMARKS, reason="the compiler has no parallel regions"
)


def test_a_thread_begins_before_the_region_that_started_it_ends() -> None:
    result = run(PROGRAM, *SMALL, "-t", "2,3", "--pause", "0,50")
    assert result.status == 0, result.err
    validate(result.records)
    assert {(r["variant"], r["threads"], r["parameters"]["pause"]) for r in result.records} == {
        (start, threads, pause)
        for start in ("task", "region")
        for threads in (2, 3)
        for pause in (0, 50)
    }
    for record in result.records:
        figures = record["figures"]
        if figures["starts"] == 0:  # a thread that just falls asleep may not see the task
            assert (record["variant"], figures["missed"]) == ("task", 1)
            assert record["unknown"]["wake_up"] == "no other thread began within a second"
        else:
            assert 0 < (quantity(record, "wake_up") or 0) <= quantity(record, "ns_per_start")


@preloads
def test_a_planted_cost_of_waking_is_part_of_it() -> None:
    settings = {
        "LD_PRELOAD": str(STAND_INS / "doubles/costly.so"),
        "POLLUX_DOUBLE_WAKE": "50000",
    }
    options = ("-v", "task", "-w", 0, "-r", 5, "-t", 2, "-f", "json")
    records = passing(PROGRAM, *options, settings=settings)
    woken = [r for r in records if r["figures"]["starts"] > 0]  # see above
    assert woken
    assert all(quantity(record, "wake_up") >= 50000 for record in woken)


@pytest.mark.parametrize("start", ["task", "region"])
def test_without_another_thread_nothing_is_woken(start: str) -> None:
    (record,) = run(PROGRAM, "-v", start, *SMALL, "-t", 1).records
    validate([record])
    assert record["passed"]
    assert quantity(record, "wake_up") is quantity(record, "ns_per_start") is None
    assert record["unknown"] == dict.fromkeys(("wake_up", "ns_per_start"), "no other thread")
    assert (record["figures"]["starts"], record["figures"]["missed"]) == (0, 0)


@preloads
@pytest.mark.parametrize("start", ["task", "region"])
def test_a_team_that_becomes_smaller_fails(start: str) -> None:
    settings = {
        "LD_PRELOAD": str(STAND_INS / "doubles/shrinking.so"),
        "POLLUX_DOUBLE_TEAMS": "2",  # the teams before the first start
    }
    result = run(PROGRAM, "-v", start, *SMALL, "-t", 2, settings=settings)
    assert result.status == 1
    validate(result.records)
    (record,) = result.records
    assert record["fault"] == "the runtime gave 1 of 2 threads"
    assert quantity(record, "wake_up") is quantity(record, "ns_per_start") is None
    assert record["figures"]["missed"] == 0


@pytest.mark.parametrize(("limit", "threads"), [(1, 2), (2, 4)])
def test_a_smaller_team_than_requested_is_not_measured(limit: int, threads: int) -> None:
    result = run(PROGRAM, *SMALL, "-t", threads, settings={"OMP_THREAD_LIMIT": str(limit)})
    assert (result.status, result.records) == (3, [])
    assert f"{limit} of {threads} threads: raise OMP_THREAD_LIMIT" in result.errors[-1]


def test_pauses_that_are_none_are_refused() -> None:
    for pause in ("-1", "1000001", "long"):
        refused(run(PROGRAM, *SMALL, "--pause", pause), 2, "--pause")
