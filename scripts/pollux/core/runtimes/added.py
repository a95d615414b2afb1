# SPDX-License-Identifier: BSD-3-Clause
"""Libraries that the user named: any build of a runtime, under a label of its own.

Each is a symbolic link in the folder of runtimes. It leads to the path that was given, so that a
library that is built again there keeps its label.
"""

import os
import re
from pathlib import Path

from pollux.core.errors import BadUsageError, MachineError
from pollux.core.runtimes.library import is_library, place
from pollux.core.runtimes.names import looks_like_runtime
from pollux.core.text import cut, one_line

FOLDER = ".added"  # in the folder of runtimes
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
# Where builds and installations of runtimes have their library.
PLACES = ("lib", "lib64", "lib/*", "runtime/src", "openmp/runtime/src")


def added(runtimes: Path) -> dict[str, Path]:
    """The path of each named library, which may not exist any more."""
    try:
        links = sorted((runtimes / FOLDER).iterdir())
    except OSError:  # there is none yet
        return {}
    named = [link for link in links if NAME.fullmatch(link.name)]  # no draft of a link
    return {link.name: link.readlink() for link in named if link.is_symlink()}


def check_name(name: str) -> None:
    if not NAME.fullmatch(name) or name.endswith(".so"):
        raise BadUsageError(
            f"--as {cut(one_line(name))}: a name has up to 40 letters, digits, '.', '_' and '-'; "
            "it begins with a letter or digit and does not end in .so, such as patched"
        )


def library_in(path: Path) -> Path:
    """The runtime library of a path: a file, or the folder of a build or an installation."""
    if not path.exists():
        raise BadUsageError(f"{path}: no such file or folder")
    if path.is_file():
        found = [path]
    else:
        folders = [path, *(folder for place in PLACES for folder in sorted(path.glob(place)))]
        found = [x for folder in folders for x in sorted(folder.glob("lib*.so*"))]
        found = [x for x in found if looks_like_runtime(x)]
    found = [x for x in found if is_library(x)]
    real = {x.resolve(): x for x in reversed(found)}
    if not real:
        what = "is not a shared library for this machine"
        if path.is_dir():
            what = "no OpenMP runtime is in it, or in lib, lib64 or runtime/src; name the file"
        raise BadUsageError(f"{path}: {what}")
    if len(real) > 1:
        listed = ", ".join(str(x) for x in reversed(real.values()))
        raise BadUsageError(f"{path} has several runtimes: {listed}; name one of them")
    (only,) = real.values()
    return Path(os.path.abspath(only))  # noqa: PTH100 (links stay as they are)


def add(runtimes: Path, name: str, library: Path) -> None:
    """Give a library a name, which no other has."""
    known = added(runtimes).get(name)
    if known is not None and known != library:
        raise BadUsageError(
            f"{name} is the name of {known}; pollux runtimes remove {name} makes it free"
        )
    place(runtimes / FOLDER / name, library)


def remove(runtimes: Path, name: str) -> Path:
    """Forget a name; the library stays where it is."""
    known = added(runtimes)
    if name not in known:
        which = f"choose from {', '.join(known)}" if known else "none was added"
        raise BadUsageError(f"no library was added as {cut(one_line(name))}; {which}")
    try:
        (runtimes / FOLDER / name).unlink()
    except OSError as error:
        raise MachineError(
            f"cannot remove {runtimes / FOLDER / name} ({error.strerror})"
        ) from error
    return known[name]
