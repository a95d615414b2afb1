# SPDX-License-Identifier: BSD-3-Clause
"""Programs restart themselves once, where variables have to change; where that is of no avail, one
line says so."""

import re
import shutil
from pathlib import Path

import pytest
from blas_kernels import INSTEAD, REPRESENTATIVES, chosen, simd_here
from executable import BIN, SANITIZED, Result, refused, run, run_command
from libraries import SMALL, compiled

not_sanitized = pytest.mark.skipif(
    SANITIZED, reason="the address sanitizer must be the first library"
)

# A processor that is not this one, as a process before the restart would have seen it.
ELSEWHERE = {
    "POLLUX_RESTARTED_ON": "Some Other Processor;0,0,0,0",
    "POLLUX_RESTARTED": "OPENBLAS_NUM_THREADS,OMP_MAX_TASK_PRIORITY",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_MAX_TASK_PRIORITY": "34",
}

PROGRAMS = [
    ("lu", SMALL),
    ("calibration", ("--milliseconds", 1)),
    ("task-overhead", ("-t", 1, "-r", 1)),
    ("conformance/depend-order", ("--trials", 1)),
]


def test_all_settings_that_are_still_wrong_after_a_restart_are_named() -> None:
    wrong = {"POLLUX_RESTARTED": "OPENBLAS_NUM_THREADS", "OPENBLAS_NUM_THREADS": "2"}
    line = refused(run("lu", *SMALL, settings=wrong), 3, "cannot restart itself with ")
    assert "OPENBLAS_NUM_THREADS=1, OMP_MAX_TASK_PRIORITY=34 (it has been restarted" in line
    assert line.endswith("set them yourself\n")


def test_a_single_setting_that_is_still_wrong_is_named_alone() -> None:
    wrong = {"POLLUX_RESTARTED": "", "OMP_MAX_TASK_PRIORITY": "34", **fitting_kernels()}
    line = refused(run("lu", *SMALL, settings=wrong), 3, "itself with OPENBLAS_NUM_THREADS=1 (")
    assert line.endswith("set it yourself\n")


def fitting_kernels() -> dict[str, str]:
    """What this OpenBLAS has to be asked for on this processor, if anything."""
    set_ = run("lu", *SMALL, "-f", "json").records[0]["runtime"]["env_set"]
    return {name: value for name, value in set_.items() if name == "OPENBLAS_CORETYPE"}


@not_sanitized
@pytest.mark.parametrize("core", REPRESENTATIVES)
def test_kernels_that_are_still_wrong_are_named_too(core: str) -> None:
    cpu = simd_here()
    better = INSTEAD[core][cpu] if cpu is not None else None
    wrong = {"POLLUX_RESTARTED": "OPENBLAS_NUM_THREADS", **chosen(core)}
    line = refused(run("lu", *SMALL, settings=wrong), 3, "OPENBLAS_NUM_THREADS=1")
    assert (f"OPENBLAS_CORETYPE={better}, " in line) == (better is not None)


@not_sanitized
def test_a_program_whose_file_was_removed_says_so(tmp_path: Path) -> None:
    source = """
    #include <stdlib.h>
    #include <unistd.h>
    __attribute__((constructor)) static void remove_it(void) { unlink(getenv("REMOVED")); }"""
    program = shutil.copy(BIN / "lu", tmp_path)
    removing = compiled(tmp_path / "libremoving.so", source)
    settings = {"LD_PRELOAD": str(removing), "REMOVED": str(program)}
    refused(run_command([program, *SMALL], settings), 3, " (its file was removed or replaced): set")


def test_a_variable_of_a_rule_that_is_still_wrong_is_named() -> None:
    wrong = {"POLLUX_RESTARTED": "OMP_CANCELLATION", "OMP_CANCELLATION": "false"}
    program = "conformance/cancel-taskgroup"
    if not (BIN / program).exists():
        pytest.skip("this build has no program for cancellation")
    refused(run(program, settings=wrong), 3, "OMP_CANCELLATION=true", "set it yourself")


@not_sanitized
@pytest.mark.parametrize(("program", "options"), [PROGRAMS[0], PROGRAMS[1]])
def test_a_system_that_does_not_start_the_program_again_is_named(
    program: str, options: tuple[object, ...], tmp_path: Path
) -> None:
    source = """
    #include <errno.h>
    int execv(const char *path, char *const arguments[])
    { (void)path, (void)arguments; errno = EACCES; return -1; }"""
    failing = compiled(tmp_path / "libfailing.so", source)
    result = run(program, *options, settings={"LD_PRELOAD": str(failing)})
    refused(result, 3, "cannot restart itself with", "OPENBLAS_NUM_THREADS=1", "Permission denied")


@not_sanitized
def test_without_proc_the_program_cannot_start_itself_again(tmp_path: Path) -> None:
    source = """
    char *realpath(const char *path, char *resolved)
    { (void)path, (void)resolved; return 0; }
    char *__realpath_chk(const char *path, char *resolved, unsigned long size)
    { (void)size; return realpath(path, resolved); }
    int access(const char *path, int mode) { (void)path, (void)mode; return -1; }"""
    no_proc = compiled(tmp_path / "libno_proc.so", source)
    settings = {"LD_PRELOAD": str(no_proc)}
    result = run("conformance/priority", settings=settings)
    refused(result, 3, "OMP_MAX_TASK_PRIORITY=64 (/proc/self/exe cannot be read)")


def started_by_the_linker(program: str, *options: object, **settings: str) -> Result:
    found = re.search(rb"/[\w./-]+/ld[\w.-]+\.so[\w.]*", (BIN / program).read_bytes())
    if found is None:
        pytest.skip("the executable names no dynamic linker")
    return run_command([found[0].decode(), BIN / program, *options], settings)


@not_sanitized
def test_a_program_that_the_dynamic_linker_was_given_cannot_start_itself_again() -> None:
    refused(started_by_the_linker("lu", *SMALL), 3, "argument of the dynamic linker")
    set_ = run("lu", *SMALL, "-f", "json").records[0]["runtime"]["env_set"]
    result = started_by_the_linker("lu", *SMALL, **set_)
    assert result.status == 0, result.err


@pytest.mark.parametrize(("program", "options"), PROGRAMS[:2])
def test_a_restart_goes_through_the_emulator_that_is_named(
    program: str, options: tuple[object, ...], tmp_path: Path
) -> None:
    emulator, seen = tmp_path / "an emulator", tmp_path / "seen"
    emulator.write_text(f'#!/bin/sh\necho "$@" >>"{seen}"\nexec "$@"\n')
    emulator.chmod(0o755)
    result = run(program, *options, settings={"POLLUX_EMULATOR": str(emulator)})
    assert result.status == 0, result.err
    (started,) = seen.read_text().splitlines()
    assert started == " ".join(map(str, [(BIN / program).resolve(), *options]))


def test_an_emulator_that_cannot_be_started_is_named_as_the_reason(tmp_path: Path) -> None:
    result = run("lu", *SMALL, settings={"POLLUX_EMULATOR": str(tmp_path / "none")})
    refused(result, 3, "cannot restart itself with", "No such file or directory")


@pytest.mark.parametrize(("program", "options"), PROGRAMS)
def test_a_restart_that_has_left_an_emulator_is_refused(
    program: str, options: tuple[object, ...]
) -> None:
    result = run(program, *options, settings=ELSEWHERE)
    line = refused(result, 3, "restarting itself with OPENBLAS_NUM_THREADS=1, OMP_MAX_TASK_PRIO")
    assert "left the emulator that it was started in (Some Other Processor, now " in line
    assert line.endswith("set them yourself\n")
