# SPDX-License-Identifier: BSD-3-Clause
"""Where the project keeps what commands read and write by default."""

import errno
import stat
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BUILDS = ROOT / "build"  # one build tree per preset
RESULTS = ROOT / "results"
SHIPPED = ROOT / "campaigns"
DOCS = ROOT / "docs"


def possible(path: Path) -> Path:
    """The path; OSError for a name that no file can have.

    From Python 3.14 on, Path.exists and its kin answer "no" to such a name.
    """
    with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
        path.stat()
    return path


def no_device(path: Path) -> Path:
    """The path of a file or pipe; OSError for a device, whose contents may have no end."""
    if stat.S_ISCHR(path.stat().st_mode) or stat.S_ISBLK(path.stat().st_mode):
        raise OSError(errno.ENODEV, "it is a device, not a file", str(path))
    return path
