# SPDX-License-Identifier: BSD-3-Clause
"""One bisection at a time in a folder, and none beside what a killed one has left running."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pollux.core.errors import InterruptedByUserError, MachineError
from pollux.core.locks import lock_file
from pollux.core.text import cut, one_line
from pollux.nights.bisecting.state import REMEDY

LOCK = ".lock"
PROCESSES = Path("/proc")


@contextmanager
def alone(folder: Path) -> Iterator[int]:
    """Lock a bisection's folder; the lock's descriptor, for processes that work there.

    Signals that ask to end say what is kept. MachineError where another process has the lock.
    """
    path = folder.resolve() / LOCK
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise MachineError(f"cannot write {path} ({error.strerror})") from error
    try:
        if not lock_file(descriptor):
            raise MachineError(f"{who_holds(path)}; {REMEDY}")
        yield descriptor
    except KeyboardInterrupt as error:
        raise InterruptedByUserError(
            f"interrupted; what is known is kept in {folder}: run the same command again to resume"
        ) from error
    finally:
        with suppress(OSError):  # daemons that a build has left would keep it
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def who_holds(path: Path) -> str:
    """Which process has the lock, and what to do."""
    for pid in sorted(int(entry.name) for entry in PROCESSES.iterdir() if entry.name.isdigit()):
        with suppress(OSError):  # of another user, or it has ended
            if pid != os.getpid() and has_open(pid, path):
                group = "-- -" if os.getpgid(pid) == pid else ""
                return (
                    f"process {pid} ({command_of(pid)}) still works in {path.parent}; wait until "
                    f"it has ended, or end it (kill {group}{pid})"
                )
    return f"another process works in {path.parent}; wait until it has ended"


def has_open(pid: int, path: Path) -> bool:
    links = (PROCESSES / str(pid) / "fd").iterdir()
    return any(link.readlink() == path for link in links)


def command_of(pid: int) -> str:
    words = (PROCESSES / str(pid) / "cmdline").read_bytes().decode(errors="replace").split("\0")
    return cut(one_line(" ".join(words).strip()))
