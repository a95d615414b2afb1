# SPDX-License-Identifier: BSD-3-Clause
"""Teams under a CPU quota: by default none is larger, and one that was asked for is warned of."""

import os
from pathlib import Path

import pytest
from executable import RUNTIME, STAND_INS, Result, Settings, quantity, refused, run
from micro_benchmarks import available, preloads

BENCHMARK = ("-n", 64, "-b", 32, "-r", 1, "-f", "json")
MICRO = ("-r", 1, "-f", "json")
PROGRAMS = {"lu": BENCHMARK, "task-overhead": MICRO, "calibration": ("-m", 1)}
NOTE = "because of a CPU quota of 1.5 processors; --threads overrides it"

pytestmark = pytest.mark.skipif(
    RUNTIME == "ompss", reason="Nanos++ starts its threads before main begins"
)
two_processors = pytest.mark.skipif(
    len(os.sched_getaffinity(0)) < 2, reason="this process has one processor"
)


@pytest.fixture
def under_quota(tmp_path: Path) -> Settings:
    """A system whose control group has the time of one and a half processors."""
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text("0::/job\n")
    (tmp_path / "sys/fs/cgroup/job").mkdir(parents=True)
    (tmp_path / "sys/fs/cgroup/job/cpu.max").write_text("150000 100000\n")
    return {"POLLUX_SYSTEM_ROOT": str(tmp_path)}


def threads_of(result: Result) -> int:
    assert result.status == 0, result.err
    threads: int = result.records[0]["threads"]
    return threads


@two_processors
@pytest.mark.parametrize("program", PROGRAMS)
def test_by_default_a_team_fits_into_the_quota(program: str, under_quota: Settings) -> None:
    result = run(program, *PROGRAMS[program], settings=under_quota)
    assert threads_of(result) == 1
    assert f"{program}: warning: 1 thread, not " in result.err
    assert result.err.count(NOTE) == 1


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_number_of_threads_that_is_asked_for_is_kept(program: str, under_quota: Settings) -> None:
    by_option = run(program, *PROGRAMS[program], "-t", 2, settings=under_quota)
    by_variable = run(program, *PROGRAMS[program], settings={**under_quota, "OMP_NUM_THREADS": "2"})
    for result in (by_option, by_variable):
        assert threads_of(result) == 2
        assert NOTE not in result.err


@two_processors
@pytest.mark.parametrize("program", ["lu", "task-overhead"])
def test_a_team_that_the_quota_stops_is_warned_of(program: str, under_quota: Settings) -> None:
    result = run(program, *PROGRAMS[program], "-t", "1,2", settings=under_quota)
    assert "warning: 2 threads under a CPU quota of 1.5 processors: all stop" in result.err
    fitting = run(program, *PROGRAMS[program], "-t", 1, settings=under_quota)
    assert "quota" not in fitting.err


@two_processors
def test_a_team_for_tasks_alone_fits_into_the_quota(under_quota: Settings) -> None:
    if not any(v["variant"] == "taskloop" for v in available("regions")):
        pytest.skip("the compiler has no taskloop")
    options = ("-v", "taskloop", "-t", 2, "--inner", 2, *MICRO)
    result = run("regions", *options, settings=under_quota)
    assert result.records[0]["levels"]["given"] == [1]


@two_processors
@preloads
def test_the_work_of_nested_loops_is_bounded_by_the_processors_that_the_quota_has_time_for(
    under_quota: Settings,
) -> None:
    options = ("-v", "parallel", "--outer", 1, "--inner", "1,2", "--work", 100000)
    settings = {**under_quota, "LD_PRELOAD": str(STAND_INS / "doubles/ticking.so")}
    result = run("regions", *options, *MICRO, settings=settings)
    bounds = {r["parameters"]["inner"]: quantity(r, "ideal") for r in result.records}
    assert bounds[1]
    assert bounds[2] == pytest.approx(2 * bounds[1])  # twice the work on one processor


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_wrong_root_is_refused(program: str, tmp_path: Path) -> None:
    wrong = {"POLLUX_SYSTEM_ROOT": str(tmp_path)}
    refused(run(program, *PROGRAMS[program], settings=wrong), 2, "a folder that contains sys/")
