# SPDX-License-Identifier: BSD-3-Clause
"""What `calibration` prints, and what it refuses."""

import os
from pathlib import Path

import pytest
from blas_kernels import stuck
from executable import RUNTIME, SANITIZED, Record, Settings, refused, run


def calibrate(*arguments: object, settings: Settings | None = None) -> Record:
    result = run("calibration", *arguments, settings=settings)
    assert (result.status, result.err) == (0, "")
    (record,) = result.records
    return record


def test_one_line_gives_the_speed_of_every_thread() -> None:
    record = calibrate("--threads", 2, "--tile", 64, "--milliseconds", 5)
    assert set(record) == {"schema", "gflops", "seconds", "threads", "nb"}
    assert record["schema"] == "pollux-calibration/1"
    assert (record["threads"], record["nb"]) == (2, 64)
    assert len(record["gflops"]) == 2
    assert all(speed > 0 for speed in record["gflops"])


def test_it_lasts_as_long_as_asked_for() -> None:
    assert calibrate("-t", 1, "-b", 16, "-m", 30)["seconds"] >= 0.030


@pytest.mark.skipif(RUNTIME == "ompss", reason="Nanos++ warns of more threads than processors")
def test_it_takes_as_many_threads_as_the_environment_says() -> None:
    settings = {"OMP_NUM_THREADS": "3"}
    assert calibrate("-m", 1, settings=settings)["threads"] == 3


def test_without_options_it_takes_all_allowed_processors_and_tiles_of_192(tmp_path: Path) -> None:
    (tmp_path / "sys").mkdir()  # a system without quotas
    record = calibrate(settings={"POLLUX_SYSTEM_ROOT": str(tmp_path)})
    assert (record["threads"], record["nb"]) == (len(os.sched_getaffinity(0)), 192)
    assert record["seconds"] >= 0.040


@pytest.mark.skipif(SANITIZED, reason="the address sanitizer must be the first library")
def test_kernels_far_below_the_cpu_are_refused_as_by_the_benchmarks() -> None:
    settings = stuck("Prescott")
    benchmark = run("lu", "-n", 64, settings=settings)
    calibration = run("calibration", settings=settings)
    assert calibration.status == benchmark.status
    if benchmark.status == 3:
        refused(calibration, 3, "Prescott kernels")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--threads", "0"), ("--threads 0", "from 1 to")),
        (("--threads", "1,2"), ("--threads 1,2", "must be an integer from 1 to")),
        (("--tile", "5000"), ("--tile 5000", "from 1 to 4096")),
        (("--tile", "64:64:1"), ("--tile 64:64:1", "must be an integer from 1 to 4096")),
        (("--milliseconds", "0"), ("--milliseconds 0", "from 1 to 60000")),
        (("--milliseconds", "fast"), ("--milliseconds fast", "must be an integer")),
        (("--tile",), ("--help",)),
        (("--speed", "1"), ("--help",)),
        (("much",), ("'much'", "--help")),
    ],
)
def test_bad_usage_is_one_line(arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    refused(run("calibration", *arguments), 2, *words)


@pytest.mark.skipif(RUNTIME == "ompss", reason="Nanos++ does not read OMP_THREAD_LIMIT")
def test_fewer_threads_than_asked_for_are_refused() -> None:
    result = run("calibration", "-t", 2, settings={"OMP_THREAD_LIMIT": "1"})
    assert result.status == 3
    assert result.out == ""
    assert "OMP_THREAD_LIMIT" in result.errors[-1]


def test_help_names_every_option() -> None:
    result = run("calibration", "--help")
    assert result.status == 0
    for option in ("--threads", "--tile", "--milliseconds", "--help"):
        assert option in result.out
