# SPDX-License-Identifier: BSD-3-Clause
"""The version of Pollux, and the commit that it was made from."""

import re
from importlib.metadata import version

from pollux.core.executables.process import CannotStartError, run_process
from pollux.core.paths import DATA, IN_SOURCE, SOURCE

COMMIT = re.compile(r"[0-9a-f]{40}")
SHOWN = 12  # digits of a commit
FILE = SOURCE / "cmake" / "commit.txt" if IN_SOURCE else DATA / "commit.txt"
SECONDS_LIMIT = 10.0


def version_text() -> str:
    """What `pollux --version` prints."""
    found = commit()
    return f"pollux {version('pollux')}" + (f" (commit {found[:SHOWN]})" if found else "")


def commit() -> str | None:
    """From the file that archives and installed packages have, else from git; None: not known."""
    try:
        written = COMMIT.match(FILE.read_text(encoding="utf-8"))
    except OSError:
        written = None
    if written is not None:
        return written[0]
    return from_git() if IN_SOURCE and (SOURCE / ".git").exists() else None


def from_git() -> str | None:
    try:
        ended = run_process(["git", "-C", str(SOURCE), "rev-parse", "HEAD"], {}, SECONDS_LIMIT)
    except CannotStartError:
        return None
    found = COMMIT.fullmatch(ended.stdout.strip())
    return found[0] if ended.status == 0 and found else None
