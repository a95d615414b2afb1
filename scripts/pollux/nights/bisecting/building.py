# SPDX-License-Identifier: BSD-3-Clause
"""Builds a commit and takes its library aside."""

import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pollux.core.errors import BadUsageError, MachineError
from pollux.core.executables.process import SHORTAGES, Ended, run_process
from pollux.core.hashing import digest
from pollux.core.runtimes.library import is_library
from pollux.core.text import cut, one_line
from pollux.core.writing import replace_file
from pollux.nights.bisecting.state import Plan

LOG = "build.log"
SHELL = "/bin/sh"
# So that SHORT is recognised; not LC_ALL, which would change what characters the build reads.
ENGLISH = {"LC_MESSAGES": "C", "LANGUAGE": ""}
SIGNALLED = 128  # plus the signal: what a shell returns for a command that one has ended
# What builds print of that, which end with a status of their own then.
SHORT = re.compile("|".join([*map(os.strerror, SHORTAGES), "Killed", "[Oo]ut of memory"]))


@dataclass(frozen=True)
class Library:
    """A commit's library, where nothing replaces it."""

    path: Path
    digest: str  # SHA-256


class NotBuiltError(Exception):
    """A commit that cannot be tried, with the reason in a phrase."""

    def __init__(self, reason: str, *, may_pass: bool = False) -> None:
        """`may_pass`: another time it may be built."""
        super().__init__(reason)
        self.may_pass = may_pass


def build(
    tree: Path, plan: Plan, folder: Path, seconds: float, locks: Sequence[int] = ()
) -> Library:
    """Build what is checked out in `tree`, and copy its library to `folder`.

    A library that an earlier commit has left is removed before, so that it is not taken for this
    one's. A build that outlives this process keeps the locks. Raises NotBuiltError.
    """
    library = plan.library
    made = tree / library
    kept = folder / made.name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        made.unlink(missing_ok=True)
        ended = run_process(
            [SHELL, "-c", plan.build],
            ENGLISH,
            seconds,
            file_bytes=None,
            folder=tree,
            descriptors=locks,
        )
        replace_file(folder / LOG, f"{ended.stdout}{ended.stderr}".encode())
        if ended.status != 0:
            why = f"it does not build: {cut(one_line(ended.how_and_why), 120)}"
            raise NotBuiltError(why, may_pass=is_short(ended))
        if not made.is_file():
            raise NotBuiltError(f"its build makes no {library}")
        if not is_library(made):
            raise NotBuiltError(f"{library} is no shared library for this machine")
        draft = folder / f"{made.name}.new"
        shutil.copy2(made.resolve(), draft)
        draft.replace(kept)
    except OSError as error:
        where = error.filename or folder
        raise MachineError(f"cannot write {where} ({error.strerror})") from error
    return Library(kept.resolve(), digest(kept))


def is_short(ended: Ended) -> bool:
    """Whether a build may have lacked time, memory or room on the disk."""
    by_itself = ended.status is not None and 0 <= ended.status <= SIGNALLED
    return not by_itself or SHORT.search(f"{ended.stdout}{ended.stderr}") is not None


def kept_library(folder: Path, name: str) -> Library | None:
    """The library that an earlier command has built of a commit."""
    path = folder / name
    return Library(path.resolve(), digest(path)) if path.is_file() else None


def check_inside(library: str) -> str:
    """The library's path in the repository; BadUsageError for another one."""
    path = Path(library)
    if path.is_absolute() or ".." in path.parts or not path.name:
        raise BadUsageError(
            f"--library {cut(library)}: a path in the repository, such as build/libomp.so"
        )
    return str(path)
