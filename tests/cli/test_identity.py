# SPDX-License-Identifier: BSD-3-Clause
"""What is really loaded: runtimes and BLAS settings that contradict the build are refused, repaired
or recorded."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from executable import (
    BIN,
    FACTORIZATIONS,
    RUNTIME,
    SANITIZED,
    Result,
    digests,
    refused,
    run,
    small_run,
    validate,
)
from libraries import (
    SMALL,
    SONAMES,
    compiled,
    copied,
    drop_in,
    identity,
    library,
    needing,
    only_for,
    opener,
    soname,
    versions_of_libomp,
)

not_sanitized = pytest.mark.skipif(
    SANITIZED, reason="the address sanitizer must be the first library"
)

# Its libraries are three, under names of their own, and nothing else can stand for them.
not_nanos = pytest.mark.skipif(RUNTIME == "ompss", reason="for runtimes with GCC's or LLVM's names")

CPUINFO = Path("/proc/cpuinfo")

needs_avx2 = pytest.mark.skipif(
    not CPUINFO.exists() or " avx2 " not in CPUINFO.read_text(),
    reason="this CPU has no AVX2, so no kernels are too old for it",
)


def test_the_record_names_the_runtime() -> None:
    (record,) = run("lu", *SMALL, "-f", "json").records
    runtime = record["runtime"]
    assert runtime["name"] == runtime["expected"] == RUNTIME
    assert Path(runtime["path"]) == library(RUNTIME)
    found = identity(library(RUNTIME))
    assert {key: runtime[key] for key in ("version", "build_id", "ompt")} == {
        key: found[key] for key in ("version", "build_id", "ompt")
    }
    assert runtime["abi"] in found["abi"]
    tools = "OMPT" if runtime["ompt"] else "no OMPT"
    assert f"tools     {tools}\n" in run("lu", "--version").out


def test_another_runtime_than_the_expected_one_is_refused() -> None:
    message = refused(
        run("lu", *SMALL, settings={"POLLUX_EXPECT_RUNTIME": "libiomp5"}), 3, RUNTIME, "libiomp5"
    )
    assert "POLLUX_EXPECT_RUNTIME" in message


def refused_pair(result: Result) -> str:
    """Expects the line about two runtimes."""
    return refused(result, 3, "two OpenMP runtimes")


@not_sanitized
def test_a_second_runtime_is_refused() -> None:
    other = "libomp" if RUNTIME == "libgomp" else "libgomp"
    both = (str(library(RUNTIME)), str(library(other)))
    for expected in (RUNTIME, other):
        settings = {"LD_PRELOAD": both[1], "POLLUX_EXPECT_RUNTIME": expected}
        message = refused_pair(run("lu", *SMALL, settings=settings))
        assert all(path in message for path in both)
        assert "named in LD_PRELOAD" in message


@not_sanitized
def test_a_second_runtime_is_named_with_the_library_that_needs_it(tmp_path: Path) -> None:
    only_for("libomp")
    puller = needing(tmp_path, library("libgomp"))
    message = refused_pair(run("lu", *SMALL, settings={"LD_PRELOAD": str(puller)}))
    assert (
        f"{library('libgomp')}; needed by {puller}, which is named in LD_PRELOAD; idle" in message
    )
    assert f"{library('libomp')}; needed by lu; in use" in message


@not_nanos
@not_sanitized
def test_a_second_runtime_that_a_constructor_opens_is_refused(tmp_path: Path) -> None:
    other = "libomp" if RUNTIME == "libgomp" else "libgomp"
    settings = {"LD_PRELOAD": str(opener(tmp_path, library(other)))}
    message = refused_pair(run("lu", *SMALL, settings=settings))
    assert f"{library(other)}; opened at run time; idle" in message


@not_sanitized
def test_a_runtime_that_took_over_the_entry_points_is_distinguished_from_the_idle_one() -> None:
    only_for("libgomp")
    message = refused_pair(run("lu", *SMALL, settings={"LD_PRELOAD": str(library("libomp"))}))
    assert f"{library('libomp')}; named in LD_PRELOAD; in use" in message
    assert f"{library('libgomp')}; needed by lu; idle" in message


@not_nanos
@not_sanitized
def test_two_copies_of_one_runtime_are_refused(tmp_path: Path) -> None:
    own = library(RUNTIME)
    copy = copied(own, tmp_path / "copy")
    preloaded = {"LD_PRELOAD": str(opener(tmp_path, copy))}
    message = refused_pair(run("lu", *SMALL, settings=preloaded))
    assert str(own) in message
    assert str(copy) in message


@not_sanitized
def test_two_versions_of_one_runtime_are_refused(tmp_path: Path) -> None:
    only_for("libomp")
    others = versions_of_libomp().keys() - {library("libomp")}
    if not others:
        pytest.skip("no other libomp below runtimes/: scripts/get-runtime libomp 16")
    for other in others:
        settings = {"LD_PRELOAD": str(opener(tmp_path, other))}
        message = refused_pair(run("lu", *SMALL, settings=settings))
        assert f"libomp {identity(other)['version']} ({other}" in message


@not_sanitized
def test_an_openblas_over_openmp_is_refused_in_one_line() -> None:
    found = sorted(Path("/usr/lib").glob("*/openblas-openmp/libopenblas.so.0"))
    if not found:
        pytest.skip("libopenblas0-openmp is not installed")
    message = refused(run("lu", *SMALL, settings={"LD_LIBRARY_PATH": str(found[0].parent)}), 3)
    assert str(found[0].resolve()) in message
    assert RUNTIME == "libgomp" or "two OpenMP runtimes" in message


@not_sanitized
def test_another_file_in_place_of_the_builds_own_runtime_must_be_announced(tmp_path: Path) -> None:
    own = library(RUNTIME)
    copy = copied(own, tmp_path)
    for replaced in ({"LD_LIBRARY_PATH": str(tmp_path)}, {"LD_PRELOAD": str(copy)}):
        message = refused(run("lu", *SMALL, settings=replaced), 3, str(copy), str(own))
        assert f"POLLUX_EXPECT_RUNTIME={RUNTIME}" in message
        for name, value in (("RUNTIME", RUNTIME), ("RUNTIME_PATH", str(copy))):
            announced = {**replaced, f"POLLUX_EXPECT_{name}": value}
            (record,) = run("lu", *SMALL, "-f", "json", settings=announced).records
            assert record["runtime"]["path"] == str(copy)


def test_library_paths_that_change_nothing_need_no_announcement(tmp_path: Path) -> None:
    for folder in (tmp_path, library(RUNTIME).parent):
        result = run("lu", *SMALL, settings={"LD_LIBRARY_PATH": str(folder)})
        assert result.status == 0, result.err


def test_another_file_than_the_expected_one_is_refused(tmp_path: Path) -> None:
    copy = copied(library(RUNTIME), tmp_path)
    settings = {"POLLUX_EXPECT_RUNTIME": RUNTIME, "POLLUX_EXPECT_RUNTIME_PATH": str(copy)}
    message = refused(run("lu", *SMALL, settings=settings), 3, str(copy), str(library(RUNTIME)))
    assert "LD_LIBRARY_PATH" in message


def test_an_expected_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    settings = {"POLLUX_EXPECT_RUNTIME_PATH": str(tmp_path / "libomp.so.5")}
    refused(run("lu", *SMALL, settings=settings), 3, "POLLUX_EXPECT_RUNTIME_PATH", "no such file")


@not_nanos
@not_sanitized
def test_a_drop_in_folder_without_the_name_asked_for_is_not_taken_for_one(tmp_path: Path) -> None:
    copy = copied(library(RUNTIME), tmp_path / "elsewhere", "runtime.so")
    folder = drop_in(tmp_path / "drop-in", copy)
    (folder / soname(library(RUNTIME))).unlink()
    settings = {
        "LD_LIBRARY_PATH": str(folder),
        "POLLUX_EXPECT_RUNTIME": RUNTIME,
        "POLLUX_EXPECT_RUNTIME_PATH": str(copy),
    }
    message = refused(run("lu", *SMALL, settings=settings), 3, str(copy), str(library(RUNTIME)))
    assert all(name in message for name in SONAMES)


@not_sanitized
def test_a_runtime_without_an_entry_point_that_is_called_is_refused(tmp_path: Path) -> None:
    """A copy in which one name is spelled in another way."""
    own = library(RUNTIME)
    called = {"libgomp": b"\0GOMP_barrier\0", "libomp": b"\0__kmpc_barrier\0"}
    only_for(*called)
    broken = called[RUNTIME].replace(b"barrier", b"garrier")
    copy = tmp_path / soname(own)
    copy.write_bytes(own.read_bytes().replace(called[RUNTIME], broken))
    settings = {"LD_LIBRARY_PATH": str(tmp_path), "POLLUX_EXPECT_RUNTIME": RUNTIME}
    message = refused(run("lu", *SMALL, settings=settings), 3, str(copy))
    assert called[RUNTIME].strip(b"\0").decode() in message


@not_nanos
@not_sanitized
def test_a_relocated_libomp_can_stand_for_libkomp(tmp_path: Path) -> None:
    copy = copied(library("libomp"), tmp_path / "lib", "libkomp.so")
    folder = drop_in(tmp_path / "drop-in", copy)
    settings = {"LD_LIBRARY_PATH": str(folder), "POLLUX_EXPECT_RUNTIME": "libkomp"}
    (record,) = run("lu", *SMALL, "-f", "json", settings=settings).records
    assert record["runtime"]["name"] == "libkomp"
    assert record["runtime"]["version"] is None


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


OF_A_LARGE_MACHINE = """
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set)
{
    errno = EINVAL;
    if (size < 8 * sizeof *set)
        return -1;
    memset(set, 0, size);
    return syscall(SYS_sched_getaffinity, process, size, set) < 0 ? -1 : 0;
}"""


@not_sanitized
def test_trying_concurrent_write_leaves_the_first_thread_bound(tmp_path: Path) -> None:
    """Where the kernel has more processors than one cpu_set_t holds, too."""
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("this process has one processor")
    preload = str(compiled(tmp_path / "liblarge.so", OF_A_LARGE_MACHINE))
    bound = {"LD_PRELOAD": preload, "OMP_PROC_BIND": "close", "OMP_PLACES": "threads"}
    records = run("lu-cw", *SMALL, "-v", "cw", "-f", "json", settings=bound).records
    assert [binding.isdigit() for record in records for binding in record["bindings"]] == [True]


BOUND_TO_EVERY_SECOND = """
int hwloc_bitmap_set(void *set, unsigned processor);
int hwloc_get_cpubind(void *topology, void *set, int flags)
{
    (void)topology, (void)flags;
    for (unsigned p = 0; p < 160; p += 2)
        hwloc_bitmap_set(set, p);
    return 0;
}"""


@not_sanitized
def test_a_record_has_all_the_processors_of_a_thread(tmp_path: Path) -> None:
    """As of one socket, where the processors of two take turns."""
    preload = str(compiled(tmp_path / "libbound.so", BOUND_TO_EVERY_SECOND))
    records = run("lu", *SMALL, "-f", "json", settings={"LD_PRELOAD": preload}).records
    validate(records)
    assert records[0]["bindings"] == [",".join(str(p) for p in range(0, 160, 2))]


def test_settings_that_already_fit_are_not_counted_as_changed() -> None:
    fit = {"OPENBLAS_NUM_THREADS": "1", "OMP_MAX_TASK_PRIORITY": "99"}
    (record,) = run("lu", *SMALL, "-f", "json", settings=fit).records
    assert fit.items() <= record["runtime"]["env"].items()
    assert not fit.keys() & record["runtime"]["env_set"].keys()


def test_without_priorities_the_runtimes_setting_is_left_alone() -> None:
    (record,) = run("lu", *SMALL, "-f", "json", "--no-priority").records
    assert (record["priorities"], record["priorities_in_force"]) == (False, False)
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


def test_a_process_started_as_if_restarted_has_the_same_record() -> None:
    own = {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores", "OPENBLAS_NUM_THREADS": "8"}
    (restarted,) = run("lu", *SMALL, "-f", "json", settings=own).records
    set_ = restarted["runtime"]["env_set"]
    assert set_["OPENBLAS_NUM_THREADS"] == "1"
    marks = {"POLLUX_RESTARTED": ",".join(set_), "POLLUX_FOUND_OPENBLAS_NUM_THREADS": "8"}
    (record,) = run("lu", *SMALL, "-f", "json", settings={**own, **set_, **marks}).records
    for same in ("runtime", "bindings", "digest", "priorities_in_force", "host"):
        assert record[same] == restarted[same]


def linked_routines(benchmark: str) -> list[str]:
    """The routines of BLAS and LAPACK that the executable was linked with."""
    command: list[str | Path] = ["nm", "-D", "--undefined-only", BIN / benchmark]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return [name for name in listed if name.startswith(("cblas_", "LAPACKE_"))]


@pytest.fixture(scope="module")
def lapack(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Makes a library that defines one routine, which is never called."""
    folder = tmp_path_factory.mktemp("lapack")

    def defining(routine: str) -> Path:
        path = folder / f"{routine}.so"
        return path if path.exists() else compiled(path, f"void {routine}(void) {{ }}")

    return defining


@not_sanitized
@pytest.mark.parametrize("benchmark", FACTORIZATIONS)
def test_every_routine_that_is_called_must_be_openblas_own(
    benchmark: str, lapack: Callable[[str], Path]
) -> None:
    routines = linked_routines(benchmark)
    assert len(routines) >= 3
    for routine in routines:
        path = lapack(routine)
        result = run(benchmark, *SMALL, settings={"LD_PRELOAD": str(path)})
        refused(result, 3, f"{routine} comes from {path}", "one OpenBLAS")


@not_sanitized
@pytest.mark.parametrize("routine", ["dgemm_", "dgetrf_", "dlarfg_"])
def test_so_must_be_routines_that_only_blas_and_lapack_call(
    routine: str, lapack: Callable[[str], Path]
) -> None:
    result = run("calibration", settings={"LD_PRELOAD": str(lapack(routine))})
    refused(result, 3, f"{routine} comes from", "one OpenBLAS")


@not_sanitized
def test_symbols_are_found_in_the_older_form_of_symbol_tables(tmp_path: Path) -> None:
    source = "void cblas_dgemm(void) { } void dgemm_(void) { }"
    path = compiled(tmp_path / "old.so", source, "-Wl,--hash-style=sysv")
    refused(run("calibration", settings={"LD_PRELOAD": str(path)}), 3, "gemm", "one OpenBLAS")


@not_sanitized
def test_a_library_with_symbols_of_its_own_replaces_nothing(
    lapack: Callable[[str], Path],
) -> None:
    result = run("lu", *SMALL, settings={"LD_PRELOAD": str(lapack("dnothing_of_the_kind_"))})
    assert result.status == 0, result.err
