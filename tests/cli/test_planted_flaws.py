# SPDX-License-Identifier: BSD-3-Clause
"""The libraries that stand for runtimes with a planted flaw do what they say."""

import signal
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

import pytest
from executable import BIN, RUNTIME, SANITIZED, STAND_INS, Record, Result, run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(RUNTIME != "libgomp", reason="they stand for libgomp"),
    pytest.mark.skipif(SANITIZED, reason="the address sanitizer must be the first library"),
]

BENCHMARKS = (("cholesky", "depend"), ("lu", "depend"), ("lu", "multidep"), ("qr", "tree"))


def preloading(name: str, **settings: object) -> dict[str, str]:
    library = STAND_INS / "doubles" / f"{name}.so"
    assert library.exists()
    return {"LD_PRELOAD": str(library), **{k: str(v) for k, v in settings.items()}}


def doubled(name: str, benchmark: str, variant: str, **settings: object) -> Result:
    arguments = ("-v", variant, "-n", 96, "-b", 32, "-t", 2, "-r", 1, "-w", 1, "-f", "json")
    return run(benchmark, *arguments, settings=preloading(name, **settings) if name else None)


def the_record(name: str, benchmark: str, variant: str, **settings: object) -> Record:
    result = doubled(name, benchmark, variant, **settings)
    assert result.status == 0, result.err
    (record,) = result.records
    return record


@pytest.mark.parametrize(("benchmark", "variant"), [*BENCHMARKS, ("lu-cw", "cw")])
def test_wrapped_tasks_compute_the_same_factors(benchmark: str, variant: str) -> None:
    plain = the_record("", benchmark, variant)
    wrapped = the_record("slowed", benchmark, variant, POLLUX_DOUBLE_DELAY=0.5)
    assert wrapped["digest"] == plain["digest"]
    assert wrapped["tasks"] == plain["tasks"]
    assert wrapped["runtime"]["path"] == plain["runtime"]["path"]


def cpu_seconds(program: str, *arguments: object, folder: Path = BIN, delay: float) -> float:
    """Of a process that `slowed` delays."""
    before = getrusage(RUSAGE_CHILDREN)
    settings = preloading("slowed", POLLUX_DOUBLE_DELAY=delay)
    assert run(program, *arguments, folder=folder, settings=settings).status == 0
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


@pytest.mark.parametrize("threads", [1, 2])
def test_a_delay_makes_tasks_longer_by_that_share(threads: int) -> None:
    """By CPU time, which other processes hardly change, and by so much that it cannot be noise."""
    tasks = ("cholesky", "-n", 384, "-b", 64, "-t", threads, "-w", 0, "-r", 15, "-c", "none")
    assert cpu_seconds(*tasks, delay=40) > 4 * cpu_seconds(*tasks, delay=0)


def test_a_task_that_only_waits_is_not_delayed() -> None:
    """As one would be that others interrupted; it waits for 0.2 s, of which 40 times are 8 s."""
    assert cpu_seconds("waiting", folder=STAND_INS, delay=40) < 2


@pytest.mark.parametrize("task", [1, 5])
def test_a_crash_is_a_segmentation_fault(task: int) -> None:
    result = doubled("crashing", "cholesky", "depend", POLLUX_DOUBLE_TASK=task)
    assert result.status == -signal.SIGSEGV


def test_a_crash_beyond_the_last_task_never_comes() -> None:
    assert the_record("crashing", "cholesky", "depend", POLLUX_DOUBLE_TASK=10**6)["passed"]


@pytest.mark.parametrize(("benchmark", "variant"), BENCHMARKS)
def test_spoiled_results_fail_the_check(benchmark: str, variant: str) -> None:
    result = doubled("wrong", benchmark, variant)
    assert result.status == 1
    (record,) = result.records
    assert record["passed"] is False


@pytest.mark.parametrize(("benchmark", "variant"), BENCHMARKS)
def test_slightly_spoiled_results_pass_the_check_with_another_digest(
    benchmark: str, variant: str
) -> None:
    spoiled = the_record("wrong", benchmark, variant, POLLUX_DOUBLE_CHANGE=1e-14)
    assert spoiled["passed"] is True
    assert spoiled["digest"] != the_record("", benchmark, variant)["digest"]


@pytest.mark.parametrize(("benchmark", "variant"), BENCHMARKS)
def test_one_bit_is_changed_and_only_in_teams_of_that_size(benchmark: str, variant: str) -> None:
    right = the_record("", benchmark, variant)["digest"]
    for threads, is_wrong in ((2, True), (3, False)):
        settings = {"POLLUX_DOUBLE_CHANGE": "bit", "POLLUX_DOUBLE_THREADS": threads}
        spoiled = the_record("wrong", benchmark, variant, **settings)
        assert spoiled["passed"] is True
        assert (spoiled["digest"] != right) is is_wrong


def test_a_skipped_task_fails_the_check() -> None:
    result = doubled("skipping", "cholesky", "depend", POLLUX_DOUBLE_TASK=4)
    assert result.status == 1
    assert doubled("skipping", "cholesky", "depend", POLLUX_DOUBLE_TASK=10**6).status == 0


def test_a_setting_that_is_no_number_is_not_passed_over() -> None:
    result = doubled("slowed", "cholesky", "depend", POLLUX_DOUBLE_DELAY="five")
    assert result.status == -signal.SIGABRT
    assert "POLLUX_DOUBLE_DELAY=five" in result.err
