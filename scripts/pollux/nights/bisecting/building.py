# SPDX-License-Identifier: BSD-3-Clause
"""Builds a commit and takes its library aside."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pollux.core.errors import BadUsageError, MachineError
from pollux.core.executables.process import run_process
from pollux.core.hashing import digest
from pollux.core.runtimes.library import is_library
from pollux.core.text import cut, one_line
from pollux.nights.bisecting.state import Plan

LOG = "build.log"
SHELL = "/bin/sh"


@dataclass(frozen=True)
class Library:
    """A commit's library, where nothing replaces it."""

    path: Path
    digest: str  # SHA-256


class NotBuiltError(Exception):
    """A commit that cannot be tried, with the reason in a phrase."""


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
            {},
            seconds,
            file_bytes=None,
            folder=tree,
            descriptors=locks,
        )
        (folder / LOG).write_text(f"{ended.stdout}{ended.stderr}")
        if ended.status != 0:
            raise NotBuiltError(f"it does not build: {cut(one_line(ended.how_and_why), 120)}")
        if not made.is_file():
            raise NotBuiltError(f"its build makes no {library}")
        if not is_library(made):
            raise NotBuiltError(f"{library} is no shared library for this machine")
        draft = folder / f"{made.name}.new"
        shutil.copy2(made.resolve(), draft)
        draft.replace(kept)
    except OSError as error:
        raise MachineError(f"cannot write {error.filename} ({error.strerror})") from error
    return Library(kept.resolve(), digest(kept))


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


def check_preload(library: Library) -> None:
    """Raises NotBuiltError where the dynamic linker leaves the library out."""
    ended = run_process([SHELL, "-c", ":"], {"LD_PRELOAD": str(library.path)}, 10.0)
    if ended.status != 0 or "LD_PRELOAD" in ended.stderr:
        raise NotBuiltError(f"it cannot be preloaded: {cut(one_line(ended.last_line), 120)}")
