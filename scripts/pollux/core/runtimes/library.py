# SPDX-License-Identifier: BSD-3-Clause
"""Shared libraries as files: where the dynamic linker finds them, and what is in them.

GCC's and LLVM's runtimes are loaded by their sonames, and LLVM's library has the entry points of
all. A folder in which every one of these names leads to one library, put first on the dynamic
linker's path, runs an executable under it; a name missing from the folder would
silently load the system's runtime. The executable reports what was really loaded.
"""

import contextlib
import os
from glob import escape, glob
from pathlib import Path

from pollux.core.errors import MachineError
from pollux.core.executables.process import CannotStartError, run_process
from pollux.core.hashing import digest, short_hash
from pollux.core.paths import from_home, real_path
from pollux.core.runtimes.names import RUNTIMES, SONAMES, runtime_of_file

LDCONFIG = ("/sbin/ldconfig", "/usr/sbin/ldconfig", "ldconfig")  # not on every user's PATH
OWN_PROGRAM = Path("/proc/self/exe")  # sys.executable may be a script that starts it, or nothing
ELF_HEADER = 20  # bytes up to and with e_machine
LISTING_SECONDS = 10.0
SEPARATORS = ":;"  # in LD_LIBRARY_PATH; nothing escapes them (ld.so(8))


def find_library(text: str, folder: Path) -> Path:
    """The real path of a library given as path, pattern or name; ValueError says what is wrong."""
    expanded = from_home(Path(text))
    if "/" not in text:
        found = by_name(text)
    elif (path := folder / expanded).exists() or path.is_symlink():
        found = [path]
    else:
        pattern = Path(escape(str(folder)), expanded)
        found = [Path(path) for path in sorted(glob(str(pattern)))]  # noqa: PTH207 (absolute)
    real = list(dict.fromkeys(real_path(path) for path in found))
    if not real:
        raise ValueError(f"there is no {text}; give a path, a pattern or a library's file name")
    if len(real) > 1:
        raise ValueError(f"{text} matches several: {', '.join(map(str, real))}; choose one")
    if not os.path.lexists(real[0]):
        raise ValueError(f"{found[0]} leads to {real[0]}, which does not exist")
    if not is_library(real[0]):
        raise ValueError(f"{real[0]} is not a shared library for this machine")
    return real[0]


def by_name(name: str) -> list[Path]:
    """Where the dynamic linker would find a library: LD_LIBRARY_PATH, then its cache."""
    in_folders = [folder / name for folder in search_folders()]
    in_cache = [path for listed, path in cached_libraries() if listed == name]
    return [path for path in (*in_folders, *in_cache) if is_library(path)][:1]


def search_folders() -> list[Path]:
    """The folders of LD_LIBRARY_PATH."""
    return [Path(f) for f in os.environ.get("LD_LIBRARY_PATH", "").split(":") if f]


def cached_libraries() -> list[tuple[str, Path]]:
    """Names and paths in the dynamic linker's cache."""
    lines = (line.strip().partition(" => ") for line in linker_cache().splitlines())
    return [(name.partition(" (")[0], Path(path)) for name, _, path in lines if path]


def linker_cache() -> str:
    """What `ldconfig -p` prints, or nothing where there is no ldconfig."""
    for command in LDCONFIG:
        with contextlib.suppress(CannotStartError):
            ended = run_process([command, "-p"], {}, LISTING_SECONDS)
            if ended.status is not None:
                return ended.stdout
    return ""


def is_library(path: Path) -> bool:
    """Whether a file is in the format of this machine's programs: class and processor agree."""
    return elf_kind(path) is not None and elf_kind(path) == elf_kind(OWN_PROGRAM)


def elf_kind(path: Path) -> bytes | None:
    try:
        with path.open("rb") as file:
            start = file.read(ELF_HEADER)
    except OSError:
        return None
    return start[4:6] + start[18:] if start[:4] == b"\x7fELF" else None


def expected_runtime(library: Path) -> str:
    """The runtime that a library's file name identifies; ValueError if it does not."""
    found = runtime_of_file(library)
    if found is None:
        raise ValueError(
            f"{library.name} does not identify the runtime; set expect: {', '.join(RUNTIMES)}"
        )
    return found


def drop_in(library: Path, state: Path) -> Path:
    """A folder in which every soname leads to the library; one for each library and its content."""
    identity = f"{digest(library)} {library}"
    folder = state / short_hash(identity)
    for name in SONAMES:
        place(folder / name, library)
    return folder


def place(link: Path, target: Path) -> None:
    """Make a link, and its folder; MachineError where they cannot be written.

    One that is there is kept if it is right, since another campaign may run.
    """
    try:
        link.parent.mkdir(parents=True, exist_ok=True)
        if link.is_symlink() and link.readlink() == target:
            return
        new = link.with_name(f".{link.name}.{os.getpid()}")
        new.unlink(missing_ok=True)
        new.symlink_to(target)
        new.replace(link)
    except OSError as error:
        raise MachineError(f"cannot write {link.parent} ({error.strerror})") from error


def drop_in_variables(library: Path, name: str, state: Path, after: str) -> dict[str, str]:
    """The environment that runs an executable under a library, and lets it check that it does.

    `name` is the runtime as records name it, `after` what else the dynamic linker's path holds.
    """
    folder = str(drop_in(library, state).resolve())
    if found := next((c for c in SEPARATORS if c in folder), None):
        raise ValueError(f"{folder} has a {found!r}, which the dynamic linker takes for two paths")
    return {
        "LD_LIBRARY_PATH": f"{folder}:{after}" if after else folder,
        "POLLUX_EXPECT_RUNTIME": name,
        "POLLUX_EXPECT_RUNTIME_PATH": str(library),
    }
