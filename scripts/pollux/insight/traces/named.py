# SPDX-License-Identifier: BSD-3-Clause
"""Interprets the names on a command line: benchmarks to trace, or files of traces."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from pollux.core.errors import BadUsageError
from pollux.core.executables.builds import check_computing
from pollux.core.paths import possible


def benchmarks_among(names: Sequence[str], known: Sequence[str]) -> list[str]:
    """The names, if they are benchmarks; benchmarks and files cannot be mixed."""
    found = [name for name in names if name in known]
    if found and len(found) < len(names):
        raise BadUsageError(
            f"{found[0]} is a benchmark, but not all names are: give benchmarks or files; a "
            f"file of that name is ./{found[0]}"
        )
    return found


def paths_in(names: Sequence[str], known: Sequence[str], build_root: Path) -> list[Path]:
    """Files and folders that exist."""
    paths = [possible(Path(name)) for name in names]
    for name, path in zip(names, paths, strict=True):
        if not path.exists():
            check_computing(build_root, [name])
            raise BadUsageError(
                f"{path} is neither a file or folder of traces nor a benchmark ({', '.join(known)})"
            )
    return paths


def trace_files(paths: Iterable[Path]) -> list[Path]:
    """The paths that are files, and the trace files of folders, sorted by name."""
    return [file for path in paths for file in (folder_files(path) if path.is_dir() else [path])]


def folder_files(path: Path) -> list[Path]:
    found = sorted(path.glob("*.jsonl"))
    if not found:
        raise BadUsageError(
            f"{path} has no trace files (*.jsonl); pollux explain and pollux gantt write them"
        )
    return found
