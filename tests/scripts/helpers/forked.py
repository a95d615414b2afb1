# SPDX-License-Identifier: BSD-3-Clause
"""Runs `pollux` in a fork of this process, with real descriptors: its modules are loaded once.

A command loads modules that only it needs. What a child loaded is loaded here after it, and the
next child has it: loading can take longer than all else that a command does."""

import gc
import os
import subprocess
import sys
import traceback
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from pollux.core import cli
from project import heed_interrupts

CRASHED = 99


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
    variables: Mapping[str, str] | None = None,
) -> Ended:
    """The command with files in `folder` as its streams, or with descriptors that are given."""
    paths = [folder / "stdout", folder / "stderr"]
    loaded = folder / "loaded"
    opened = [os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC) for path in paths]
    gc.freeze()  # a collection in the child would write to, and so copy, all memory of this process
    child = os.fork()
    if child == 0:
        os.dup2(opened[0] if stdout is None else stdout, 1)
        os.dup2(opened[1] if stderr is None else stderr, 2)
        heed_interrupts()
        os.environ.update(variables or {})
        before = {*sys.modules}
        status = status_of([*map(str, arguments)], encoding)
        with suppress(OSError):
            loaded.write_text("\n".join(name for name in sys.modules if name not in before))
        os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    for descriptor in opened:
        os.close(descriptor)
    load(loaded)
    return Ended(status, *(path.read_text(encoding, "replace") for path in paths))


def completed(
    *arguments: object, folder: Path, **variables: str
) -> "subprocess.CompletedProcess[str]":
    """The command as `subprocess.run` would give it, with more variables of the environment."""
    ended = pollux(*arguments, folder=folder, variables=variables)
    command = ["pollux", *map(str, arguments)]
    return subprocess.CompletedProcess(command, ended.status, ended.stdout, ended.stderr)


def load(names: Path) -> None:
    """Load the modules that a child listed; one that was killed listed none."""
    if names.exists():
        for name in names.read_text().split():
            with suppress(ImportError):
                import_module(name)
        names.unlink()


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
