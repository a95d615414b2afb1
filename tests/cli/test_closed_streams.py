# SPDX-License-Identifier: BSD-3-Clause
"""Standard streams: closed ones are replaced, in every program; limits on files are survived."""

import errno
import json
import os
import resource
import subprocess
from pathlib import Path

import pytest
from executable import BENCHMARKS, BIN, MICRO_BENCHMARKS, SANITIZED, environment
from libraries import SMALL, compiled

pytestmark = pytest.mark.any_runtime

CLOSED = "<&- >&- 2>&-"
LIBOMP_FILE_BYTES = 1024
OTHERS = ("identify", "calibration", "lapack-reference", "task-cost", *MICRO_BENCHMARKS)
PROGRAMS = (*BENCHMARKS, *OTHERS)
HELPFUL = (*BENCHMARKS, *MICRO_BENCHMARKS, "identify", "calibration", "power-sampler")
RULES = sorted(path for path in (BIN / "conformance").iterdir() if not path.suffix)

# Status 99 where a descriptor is closed when the constructors of libraries run, else 0.
PROBE = """
#include <fcntl.h>
#include <unistd.h>
__attribute__((constructor)) static void probe(void)
{
    for (int stream = 0; stream <= 2; stream++)
        if (fcntl(stream, F_GETFD) < 0)
            _exit(99);
    _exit(0);
}
"""


def shell(text: str, **settings: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["sh", "-c", text],
        cwd=BIN,
        env=environment(settings),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(SANITIZED, reason="the address sanitizer must be the first library")
def test_every_program_opens_closed_streams_before_anything_else_runs(tmp_path: Path) -> None:
    probe = compiled(tmp_path / "probe.so", PROBE)
    assert RULES
    for program in [*PROGRAMS, *(str(rule) for rule in RULES[:2])]:
        path = BIN / program
        assert shell(f"LD_PRELOAD={probe} exec {path} {CLOSED}").returncode == 0, program


@pytest.mark.parametrize("closed", ["<&-", "2>&-", "<&- 2>&-"])
def test_a_file_of_records_contains_nothing_else(closed: str, tmp_path: Path) -> None:
    path = tmp_path / "records"
    options = " ".join(map(str, SMALL))
    assert shell(f"exec ./lu {options} -o {path} {closed}").returncode == 0
    (record,) = [json.loads(line) for line in path.read_text().splitlines()]
    assert record["passed"]


def test_what_closed_standard_output_loses_is_an_error() -> None:
    for program in (*HELPFUL, str(RULES[0])):
        done = shell(f"exec {BIN / program} --help >&-")
        assert done.returncode == 3, program
        assert "cannot write to standard output" in done.stderr, program
    for options in ("--list", "--list -f json", " ".join(map(str, SMALL)) + " -f json"):
        assert shell(f"exec ./lu {options} >&-").returncode == 3, options


def test_a_record_beyond_the_limit_on_files_is_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "records"
    # libomp must be able to set the length of its file in /dev/shm: else it leaves that empty, and
    # a later process that has the same number dies of SIGBUS when it reads the file.
    limit = LIBOMP_FILE_BYTES
    left_by_killed = set(Path("/dev/shm").iterdir())
    with subprocess.Popen(
        [BIN / "lu", *map(str, SMALL), "-o", path],
        env=environment(),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        _, errors = process.communicate()
    assert process.returncode == 3
    *_, record, reason = errors.splitlines()
    assert len(record) > limit
    assert json.loads(record)["passed"]
    assert os.strerror(errno.EFBIG) in reason
    assert path.read_text() == ""
    own = Path(f"/dev/shm/__KMP_REGISTERED_LIB_{process.pid}_{os.getuid()}")
    assert not own.exists() or own in left_by_killed
