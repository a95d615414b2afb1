# SPDX-License-Identifier: BSD-3-Clause
"""The files that a run of an executable loads, and whether one was replaced after planning."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from pollux.core.errors import MachineError
from pollux.core.executables.process import CannotStartError, run_process
from pollux.core.hashing import digest

# Makes the dynamic linker print what it would load, instead of starting the program; a program
# that is linked statically prints its version.
TRACE = {"LD_TRACE_LOADED_OBJECTS": "1"}
SECONDS_LIMIT = 10.0


def linked_libraries(executable: Path, variables: Mapping[str, str]) -> list[Path]:
    """The libraries that the dynamic linker loads for an executable, preloaded ones too."""
    try:
        ended = run_process([str(executable), "--version"], {**variables, **TRACE}, SECONDS_LIMIT)
    except CannotStartError:
        return []
    return list(listed(ended.stdout.splitlines()))


def listed(lines: Iterable[str]) -> Iterator[Path]:
    """The paths in lines such as "libm.so.6 => /lib/libm.so.6 (0x7f…)"; some lack the name."""
    for line in lines:
        name, arrow, found = line.strip().rpartition(" (0x")[0].partition(" => ")
        path = found if arrow else name
        if path.startswith("/"):
            yield Path(path)


def digests_of(files: Iterable[Path]) -> dict[str, str]:
    """SHA-256 of files by path, of those that can be read."""
    found = {}
    for path in files:
        with suppress(MachineError):
            found[str(path)] = digest(path)
    return found


def change_of(files: Mapping[str, str]) -> str | None:
    """What happened to the first file that no longer has its SHA-256; None if all have.

    A file is read again only if its inode, size or time changed.
    """
    for path, expected in files.items():
        try:
            if digest(Path(path)) != expected:
                return f"{path} was replaced after the runs were planned"
        except MachineError as error:
            return error.format_message()
    return None
