# SPDX-License-Identifier: BSD-3-Clause
"""Runs one process to its end or its time limit, and leaves nothing of it behind."""

import contextlib
import ctypes
import os
import resource
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import IO

from pollux.executables.stacks import read_stacks

# Threads that stay on their cores give steadier times; what the user's shell sets is kept.
BINDING = {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores"}
OUTPUT_BYTES = 1 << 26  # what a process may write; one that writes more is ended by SIGXFSZ
# Numbers of prctl(2), from linux/prctl.h.
PR_SET_PDEATHSIG = 1
PR_SET_PTRACER = 0x59616D61
PTRACER_ANY = ctypes.c_ulong(-1)
LIBC = ctypes.CDLL(None, use_errno=True)


def binding() -> dict[str, str]:
    """The variables that bind threads, less those that the user's shell sets."""
    return {name: value for name, value in BINDING.items() if name not in os.environ}


@dataclass(frozen=True)
class Ended:
    """How a process ended and what it said."""

    status: int | None  # as subprocess has it: -N for signal N; None: killed at its time limit
    stdout: str
    stderr: str
    seconds: float  # from start to end
    stacks: str | None  # of its threads, where it was killed at its limit


def run_process(
    command: Sequence[str],
    variables: Mapping[str, str],
    seconds_limit: float,
    file_bytes: int = OUTPUT_BYTES,
) -> Ended:
    """Run a command with `variables` added to the environment; it writes no longer file than told.

    The process leads a session of its own and dies with this one, so that no run outlives a
    campaign that was killed. Raises OSError if the command cannot be started.
    """
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        start = time.monotonic()
        process = subprocess.Popen(
            command,
            env={**os.environ, **variables},
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
            # Safe: no other thread runs here.
            preexec_fn=partial(prepare_child, os.getpid(), file_bytes),
        )
        stacks = None
        try:
            in_time = wait(process, seconds_limit)
            seconds = time.monotonic() - start
            if not in_time:
                stacks = read_stacks(process.pid)
        finally:
            kill_session(process)
        status = process.returncode if in_time else None
        return Ended(status, read_text(stdout), read_text(stderr), seconds, stacks)


def prepare_child(parent: int, file_bytes: int) -> None:
    """In the child: die with the parent, write no core file, let a debugger look at it."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the line above
        os._exit(1)
    LIBC.prctl(PR_SET_PTRACER, PTRACER_ANY)  # fails, rightly, where Yama does not restrict ptrace
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))


def wait(process: "subprocess.Popen[bytes]", seconds_limit: float) -> bool:
    """Whether the process ended within the limit; sleeps until it does, without polling."""
    descriptor = os.pidfd_open(process.pid)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(seconds_limit * 1000))
    finally:
        os.close(descriptor)


def kill_session(process: "subprocess.Popen[bytes]") -> None:
    """End whatever is left of the process and its children, and reap it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def read_text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")
