# SPDX-License-Identifier: BSD-3-Clause
"""Where commands find what belongs to Pollux, and put what they make, by default.

Either the package is that of a source tree, with all else beside it, or it was installed: then it
has a folder `data` of its own, and results go where the user stands.
"""

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

from pollux.core.errors import BadUsageError

PACKAGE = Path(__file__).resolve().parents[1]
SOURCE = PACKAGE.parents[1]
IN_SOURCE = PACKAGE == SOURCE / "scripts" / "pollux"
DATA = PACKAGE / "data"  # of an installed package; packaging/wheel.py fills it


def user_data() -> Path:
    """The user's own folder for data of Pollux (XDG Base Directory Specification)."""
    given = Path(os.environ.get("XDG_DATA_HOME", ""))
    home = Path(os.environ.get("HOME") or "/nonexistent")  # as users without one have it
    return (given if given.is_absolute() else home / ".local" / "share") / "pollux"


if IN_SOURCE:
    ROOT = SOURCE
    RESULTS = SOURCE / "results"
    SHIPPED = SOURCE / "campaigns"
    DOCS = SOURCE / "docs"
    RUNTIMES_TABLE = SOURCE / "common" / "identity" / "runtimes.json"
    PACKAGES_TABLE = SOURCE / "scripts" / "runtimes.toml"
    PACKAGING = Path("packaging")  # as seen from the source tree
else:
    ROOT = user_data()  # for runtimes that are unpacked
    RESULTS = Path("results")
    SHIPPED = DATA / "campaigns"
    DOCS = DATA / "docs"
    RUNTIMES_TABLE = DATA / "runtimes.json"
    PACKAGES_TABLE = DATA / "runtimes.toml"
    PACKAGING = DATA / "packaging"
OWN_BUILDS = ROOT / "build"
# The default of --build-root stands for every place where builds are looked for
# (executables/trees.py). It is the name of no folder, so that each that is named is searched alone.
BUILDS = Path("/dev/null/builds")


def possible(path: Path) -> Path:
    """The path; OSError for a name that no file can have.

    From Python 3.14 on, Path.exists and its kin answer "no" to such a name.
    """
    with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
        path.stat()
    return path


def is_file(path: Path) -> bool:
    """Path.is_file, which fails before Python 3.14 where a folder above may not be searched."""
    with suppress(PermissionError):
        return path.is_file()
    return False


def is_folder(path: Path) -> bool:
    """Path.is_dir, likewise."""
    with suppress(PermissionError):
        return path.is_dir()
    return False


def from_home(path: Path) -> Path:
    """Path.expanduser; BadUsageError where the home that ~ stands for is not known."""
    try:
        return path.expanduser()
    except RuntimeError as error:
        raise BadUsageError(f"{path}: the home folder that ~ stands for is not known") from error


def real_path(path: Path) -> Path:
    """Path.resolve, which fails before Python 3.13 where links lead to each other in a circle."""
    return Path(os.path.realpath(path))


def no_device(path: Path) -> Path:
    """The path of a file or pipe; OSError for a device, whose contents may have no end."""
    if stat.S_ISCHR(path.stat().st_mode) or stat.S_ISBLK(path.stat().st_mode):
        raise OSError(errno.ENODEV, "it is a device, not a file", str(path))
    return path
