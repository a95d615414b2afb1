# SPDX-License-Identifier: BSD-3-Clause
"""What the names on a command line stand for: benchmarks to trace, or files of traces."""

from collections.abc import Sequence
from pathlib import Path

from pollux.errors import BadUsageError
from pollux.executables.builds import BENCHMARKS


def benchmarks_in(names: Sequence[str]) -> list[str]:
    """The names, if they are benchmarks; benchmarks and files cannot be mixed."""
    found = [name for name in names if name in BENCHMARKS]
    if found and len(found) < len(names):
        raise BadUsageError(
            f"{found[0]} is a benchmark, the rest are none: name benchmarks or files; a file of "
            f"that name is ./{found[0]}"
        )
    return found


def paths_in(names: Sequence[str]) -> list[Path]:
    """Files and folders that are there."""
    paths = [Path(name) for name in names]
    for path in paths:
        if not path.exists():
            raise BadUsageError(
                f"{path} is no file or folder of traces, nor a benchmark ({', '.join(BENCHMARKS)})"
            )
    return paths
