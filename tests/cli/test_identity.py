# SPDX-License-Identifier: BSD-3-Clause
"""What is really loaded: runtimes and BLAS settings that contradict the build are refused, repaired
or recorded."""

import os
from pathlib import Path

import pytest
from executable import (
    BIN,
    ROOT,
    RUNTIME,
    SANITIZED,
    STAND_INS,
    Result,
    digests,
    refused,
    run,
    small_run,
)

SMALL = ("-n", 64, "-b", 16, "-t", 1, "-r", 1)

not_sanitized = pytest.mark.skipif(
    SANITIZED, reason="the address sanitizer must be the first library"
)


CPUINFO = Path("/proc/cpuinfo")

needs_avx2 = pytest.mark.skipif(
    not CPUINFO.exists() or " avx2 " not in CPUINFO.read_text(),
    reason="this CPU has no AVX2, so no kernels are too old for it",
)


def library(name: str) -> Path:
    """The runtime library that this build, or another one, uses."""
    folder = BIN if name == RUNTIME else ROOT / "build" / name / "bin"
    if not (folder / "lu").exists():
        pytest.skip(f"{name} is not built")
    for line in run("lu", "--version", folder=folder).out.splitlines():
        if line.startswith("runtime"):
            return Path(line.split(", ")[-1])
    raise AssertionError("--version names no runtime")


def only_for(runtime: str) -> None:
    if runtime != RUNTIME:
        pytest.skip(f"for builds with {runtime}")


def test_the_record_names_the_runtime() -> None:
    (record,) = run("lu", *SMALL, "-f", "json").records
    runtime = record["runtime"]
    assert runtime["name"] == runtime["expected"] == RUNTIME
    assert Path(runtime["path"]) == library(RUNTIME)


def test_another_runtime_than_the_expected_one_is_refused() -> None:
    message = refused(
        run("lu", *SMALL, settings={"POLLUX_EXPECT_RUNTIME": "libiomp5"}), 3, RUNTIME, "libiomp5"
    )
    assert "POLLUX_EXPECT_RUNTIME" in message


@not_sanitized
def test_a_second_runtime_is_refused() -> None:
    other = "libomp" if RUNTIME == "libgomp" else "libgomp"
    both = (str(library(RUNTIME)), str(library(other)))
    for expected in (RUNTIME, other):
        settings = {"LD_PRELOAD": both[1], "POLLUX_EXPECT_RUNTIME": expected}
        result = run("lu", *SMALL, settings=settings)
        assert (result.status, result.out) == (3, "")
        assert "two OpenMP runtimes" in result.errors[-1]
        assert all(path in result.errors[-1] for path in both)


@not_sanitized
def test_a_drop_in_runtime_runs_where_it_is_expected(tmp_path: Path) -> None:
    only_for("libgomp")
    (tmp_path / "libgomp.so.1").symlink_to(library("libomp"))
    swapped = {"LD_LIBRARY_PATH": str(tmp_path)}
    result = run("lu", *SMALL, settings=swapped)
    assert result.status == 3
    assert "libomp" in result.errors[-1]
    expected = {**swapped, "POLLUX_EXPECT_RUNTIME": "libomp"}
    for benchmark in ("cholesky", "lu", "qr"):
        own = small_run(benchmark, "-t", 2).records
        other = small_run(benchmark, "-t", 2, settings=expected).records
        assert {record["runtime"]["name"] for record in other} == {"libomp"}
        assert {record["runtime"]["abi"] for record in other} == {"GOMP"}
        assert digests(other) == digests(own)


def test_a_threaded_blas_is_repaired_and_recorded() -> None:
    (record,) = run("lu", *SMALL, "-f", "json", settings={"OPENBLAS_NUM_THREADS": "8"}).records
    assert record["runtime"]["env"]["OPENBLAS_NUM_THREADS"] == "8"
    assert record["runtime"]["env_set"]["OPENBLAS_NUM_THREADS"] == "1"


def test_a_restart_does_not_pass_on_the_binding_of_the_first_thread() -> None:
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("this process has one processor")
    binding = {"OMP_PROC_BIND": "close", "OMP_PLACES": "threads"}
    (record,) = run("lu", "-n", 64, "-t", 2, "-r", 1, "-f", "json", settings=binding).records
    assert record["runtime"]["env_set"], "nothing was set: the program did not restart"
    assert record["host"]["allowed"] == len(os.sched_getaffinity(0))
    assert len(set(record["bindings"])) == 2


def test_settings_that_already_fit_are_not_counted_as_changed() -> None:
    fit = {"OPENBLAS_NUM_THREADS": "1", "OMP_MAX_TASK_PRIORITY": "9"}
    (record,) = run("lu", *SMALL, "-f", "json", settings=fit).records
    assert fit.items() <= record["runtime"]["env"].items()
    assert not fit.keys() & record["runtime"]["env_set"].keys()


def test_without_priorities_the_runtimes_setting_is_left_alone() -> None:
    (record,) = run("lu", *SMALL, "-f", "json", "--no-priority").records
    assert record["priorities"] is False
    assert "OMP_MAX_TASK_PRIORITY" not in record["runtime"]["env_set"]


@needs_avx2
def test_old_blas_kernels_asked_for_are_used_with_a_warning() -> None:
    result = run("lu", *SMALL, "-f", "json", settings={"OPENBLAS_CORETYPE": "Prescott"})
    assert result.status == 0
    assert "warning: OPENBLAS_CORETYPE=Prescott" in result.err
    assert result.records[0]["blas"]["core"] == "Prescott"


def test_children_inherit_no_marks_of_a_restart() -> None:
    (record,) = run("lu", *SMALL, "-f", "json").records
    settings = {**record["runtime"]["env"], **record["runtime"]["env_set"]}
    assert not [name for name in settings if name.startswith("POLLUX_")]


def preloaded(name: str, **settings: str) -> Result:
    """A run with one of the libraries that stand for another BLAS or processor."""
    return run(
        "lu", *SMALL, "-f", "json", settings={"LD_PRELOAD": str(STAND_INS / name), **settings}
    )


@not_sanitized
@needs_avx2
def test_kernels_far_below_the_cpu_are_mended_by_a_restart() -> None:
    (record,) = preloaded("doctored_blas.so", DOCTORED_CORE="old").records
    chosen = record["runtime"]["env_set"]["OPENBLAS_CORETYPE"]
    assert chosen in ("Haswell", "SkylakeX")
    assert record["blas"]["core"] == chosen


@not_sanitized
@needs_avx2
def test_kernels_that_stay_far_below_the_cpu_are_refused() -> None:
    result = preloaded("doctored_blas.so", DOCTORED_CORE="stubborn")
    refused(result, 3, "Prescott kernels", "OpenBLAS_ROOT")


@not_sanitized
@pytest.mark.parametrize(("kind", "word"), [("0", "serial"), ("2", "OpenMP")])
def test_builds_of_openblas_that_tasks_cannot_use_are_refused(kind: str, word: str) -> None:
    result = preloaded("doctored_blas.so", DOCTORED_PARALLEL=kind)
    refused(result, 3, word, "pthread build")


@not_sanitized
def test_a_lapack_that_is_not_openblas_own_is_refused() -> None:
    refused(preloaded("foreign_lapack.so"), 3, "dgeqrt_", "one OpenBLAS")
