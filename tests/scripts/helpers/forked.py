# SPDX-License-Identifier: BSD-3-Clause
"""Runs `pollux` in a fork of this process, with real descriptors: its modules are loaded once."""

import os
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path

from pollux import cli

CRASHED = 99
LONGEST_PIPE = 65536  # bytes that fit in a pipe


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it wrote where that can be read."""

    status: int
    stdout: str
    stderr: str


def pollux(
    *arguments: object,
    folder: Path,
    stdout: int | None = None,
    stderr: int | None = None,
    encoding: str = "utf-8",
) -> Ended:
    """The command with files in `folder` as its streams, or with descriptors that are given."""
    paths = [folder / "stdout", folder / "stderr"]
    opened = [os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC) for path in paths]
    child = os.fork()
    if child == 0:
        os.dup2(opened[0] if stdout is None else stdout, 1)
        os.dup2(opened[1] if stderr is None else stderr, 2)
        os._exit(status_of([*map(str, arguments)], encoding))
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    for descriptor in opened:
        os.close(descriptor)
    return Ended(status, *(path.read_text(encoding, "replace") for path in paths))


def status_of(arguments: list[str], encoding: str) -> int:
    """What `main` exits with, in the child."""
    sys.argv = ["pollux", *arguments]
    sys.__stdout__ = sys.stdout = open(1, "w", encoding=encoding, closefd=False)  # type: ignore[misc]  # noqa: SIM115
    sys.__stderr__ = sys.stderr = open(2, "w", encoding=encoding, closefd=False)  # type: ignore[misc]  # noqa: SIM115
    try:
        cli.main()
    except SystemExit as ended:
        sys.stdout.close()  # as the interpreter does at its end
        return int(ended.code or 0)
    except BaseException:
        traceback.print_exc()
    return CRASHED
