# SPDX-License-Identifier: BSD-3-Clause
"""Limits of the system: a team that they do not allow is refused before anything starts."""

import errno
import os
import re
import resource
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from executable import BIN, RUNTIME, SANITIZED, Result, environment, refused, run

MIB = 1 << 20
PROGRAMS: list[tuple[str, tuple[object, ...]]] = [
    ("lu", ("-n", 64, "-r", 1)),
    ("calibration", ("-m", 1)),
    ("conformance/final", ("--trials", 1)),
]
not_nanos = pytest.mark.skipif(RUNTIME == "ompss", reason="Nanos++ has its threads from the start")


def limited(
    limit: int, value: int, command: Sequence[object], user: int | None = None, **settings: str
) -> Result:
    """A run under one limit and with stacks of 8 MiB, without threads of BLAS; a process that would
    not end is an error."""

    def prepare() -> None:
        resource.setrlimit(resource.RLIMIT_STACK, (8 * MIB, 8 * MIB))
        resource.setrlimit(limit, (value, value))

    done = subprocess.run(
        [str(BIN / str(command[0])), *map(str, command[1:])],
        env=environment({"OPENBLAS_NUM_THREADS": "1", **settings}),
        preexec_fn=prepare,
        user=user,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)


@not_nanos
@pytest.mark.parametrize(("program", "options"), PROGRAMS)
def test_a_team_too_large_for_the_first_threads_stack_is_refused(
    program: str, options: tuple[object, ...]
) -> None:
    command = [program, *options, "--threads", 65536]
    refused(limited(resource.RLIMIT_STACK, 8 * MIB, command), 3, "65536 threads are too many")


@not_nanos
@pytest.mark.skipif(SANITIZED, reason="the address sanitizer reserves terabytes")
@pytest.mark.parametrize(
    ("limit", "option"), [(resource.RLIMIT_AS, "ulimit -v"), (resource.RLIMIT_DATA, "ulimit -d")]
)
@pytest.mark.parametrize(("program", "options"), PROGRAMS[:2])
def test_the_memory_that_blas_reserves_is_counted(
    program: str, options: tuple[object, ...], limit: int, option: str
) -> None:
    command = [program, *options, "--threads", 8]
    refused(limited(limit, 1000 * MIB, command), 3, "8 threads need 1.", "BLAS", option)
    command[-1] = 1
    assert limited(limit, 1000 * MIB, command).status == 0


@not_nanos
@pytest.mark.skipif(os.getuid() != 0, reason="needs another user, one without processes")
def test_the_limit_on_the_users_processes_is_read_first() -> None:
    command = ["lu", "-n", 64, "-r", 1, "-t", 2]
    nobody = 65534
    try:
        allowed = limited(resource.RLIMIT_NPROC, 10000, command, user=nobody)
    except PermissionError:
        pytest.skip("other users cannot run the programs of this build")
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        pytest.skip("root of a container that has no other user")
    assert allowed.status == 0, allowed.err
    command[-1] = 64
    message = refused(limited(resource.RLIMIT_NPROC, 20, command, user=nobody), 3, "ulimit -u")
    assert "64 threads are too many" in message


@not_nanos
@pytest.mark.parametrize("threads", ["2147483648", "65537", "", "0", "-1", "two", "2x", "65537,2"])
def test_a_number_of_threads_that_is_impossible_is_refused_in_the_environment_too(
    threads: str,
) -> None:
    result = run("lu", "-n", 64, settings={"OMP_NUM_THREADS": threads})
    assert (result.status, result.out) == (2, "")
    # Before it, runtimes have lines of their own on some of these.
    assert f"OMP_NUM_THREADS={threads}: must be an integer from 1 to 65536" in result.errors[-1]


@not_nanos
@pytest.mark.parametrize("threads", ["2", " 2 ,3", "2,99999"])
def test_the_first_number_of_threads_in_the_environment_counts(threads: str) -> None:
    options = ("-n", 64, "-r", 1, "-f", "json")
    (record,) = run("lu", *options, settings={"OMP_NUM_THREADS": threads}).records
    assert record["threads"] == 2


@not_nanos
@pytest.mark.parametrize(("program", "options"), PROGRAMS)
def test_stacks_too_small_for_a_thread_are_refused(
    program: str, options: tuple[object, ...]
) -> None:
    result = run(program, *options, settings={"OMP_STACKSIZE": "17k"})
    refused(result, 2, "OMP_STACKSIZE=17k", "KiB")


@not_nanos
@pytest.mark.parametrize(
    ("size", "is_taken"), [("17kxyz", False), ("17k b", False), ("17kB", RUNTIME != "libgomp")]
)
def test_a_size_of_stacks_that_the_runtime_does_not_take_is_not_checked(
    size: str, is_taken: bool
) -> None:
    result = run("lu", "-n", 64, "-r", 1, settings={"OMP_STACKSIZE": size})
    assert (result.status, "KiB" in result.err) == ((2, True) if is_taken else (0, False))


# A runtime without a valid size takes the limit on the first thread's stack, 8 MiB here.
@not_nanos
@pytest.mark.skipif(SANITIZED, reason="the address sanitizer reserves terabytes")
@pytest.mark.parametrize(
    ("settings", "of_libgomp", "of_libomp"),
    [
        ({}, 8 * MIB, 8 * MIB),
        ({"OMP_STACKSIZE": "x"}, 8 * MIB, 8 * MIB),
        ({"OMP_STACKSIZE": "1T"}, 8 * MIB, MIB << 20),
        ({"OMP_STACKSIZE": "1G", "GOMP_STACKSIZE": "x", "KMP_STACKSIZE": "x"}, 1024 * MIB, 8 * MIB),
        ({"OMP_STACKSIZE": "x", "GOMP_STACKSIZE": "1G", "KMP_STACKSIZE": "1G"}, *(1024 * MIB,) * 2),
    ],
)
def test_the_stacks_that_the_runtime_would_give_are_counted(
    settings: dict[str, str], of_libgomp: int, of_libomp: int
) -> None:
    command = ["lu", "-n", 64, "-r", 1, "-t", 8]
    result = limited(resource.RLIMIT_AS, 1000 * MIB, command, None, **settings)
    stacks = 7 * (of_libgomp if RUNTIME == "libgomp" else of_libomp)
    arenas, of_blas = 7 * 64 * MIB, 8 * 128 * MIB
    (needed,) = re.findall(r"8 threads need (\S+) GiB", result.errors[-1])
    assert float(needed) * 1024 * MIB == pytest.approx(stacks + arenas + of_blas, rel=0.01)
    assert result.status == 3


@not_nanos
def test_a_stack_of_no_bytes_is_the_least_that_libomp_has() -> None:
    result = run("lu", "-n", 64, "-r", 1, "-t", 2, settings={"OMP_STACKSIZE": "0"})
    assert (result.status, "OMP_STACKSIZE=0" in result.err) == (
        (0, False) if RUNTIME == "libgomp" else (2, True)
    )


@not_nanos
def test_a_sequential_variant_has_no_threads_beside_it() -> None:
    options = ("lu", "-n", 256, "-b", 64, "-r", 2, "-t", 4, "-c", "full", "-v")
    settings = {"OMP_DISPLAY_AFFINITY": "true", "OMP_AFFINITY_FORMAT": "level %L"}
    teams = {}
    for variant in ("seq", "depend"):
        result = run(*options, variant, settings=settings)
        teams[variant] = (result.out + result.err).count("level 1")
    if teams["depend"] == 0:
        pytest.skip("this runtime shows no teams")
    assert teams["seq"] <= 1  # a team of one thread


def test_a_process_that_may_not_write_a_trace_says_so(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    command = ["lu", "-n", 512, "-b", 16, "-r", 1, "-t", 1, "--trace", path]
    result = limited(resource.RLIMIT_FSIZE, 4096, command)
    assert result.status == 3
    assert "File too large; the file is incomplete" in result.errors[-1]
