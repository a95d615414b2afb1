# SPDX-License-Identifier: BSD-3-Clause
"""Processes that are found by a text in their environment, which their children have too."""

import os
import select
import signal
import time
from contextlib import suppress
from pathlib import Path


def marked(mark: str) -> dict[int, str]:
    """Those with the text, by number, with their command lines and whether they are stopped."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended, or is another user's
            if mark.encode() in (folder / "environ").read_bytes():
                words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
                found[int(folder.name)] = words + " (stopped)" * (state == "T")
    return found


def ends_within(process: int, seconds: float) -> bool:
    try:
        descriptor = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], max(0.0, seconds))[0])
    finally:
        os.close(descriptor)


def left_behind(mark: str, seconds: float) -> list[str]:
    """The command lines of those that do not end within so long, which are killed."""
    deadline = time.monotonic() + seconds
    while alive := marked(mark):
        if not ends_within(next(iter(alive)), deadline - time.monotonic()):
            for process in alive:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            return [*alive.values()]
    return []
