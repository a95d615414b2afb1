# SPDX-License-Identifier: BSD-3-Clause
"""Reads the small text files of /proc and /sys and the kernel's lists of numbers."""

import os
import re
from collections.abc import Iterable
from pathlib import Path

from pollux.core.errors import BadUsageError

ROOT_VARIABLE = "POLLUX_SYSTEM_ROOT"  # a folder in place of /, for tests and recorded machines
NUMBERS = re.compile(r"([0-9]+)")
PROCESSORS = "sys/devices/system/cpu"


def system_root() -> Path:
    """The root of the machine's own files, or the folder that POLLUX_SYSTEM_ROOT names."""
    given = os.environ.get(ROOT_VARIABLE)
    root = Path(given or "/")
    if given and not (root / "sys").is_dir():
        raise BadUsageError(
            f"{ROOT_VARIABLE}={root}: no folder with sys/ in it; it takes the root of a machine's "
            "files"
        )
    return root


def read_file(path: Path) -> str | None:
    try:
        return path.read_text(errors="replace").strip(" \n\t\0")
    except OSError:
        return None


def allowed_cores() -> int:
    """Cores among the processors that this process may use; hardware threads share one."""
    topology = Path("/", PROCESSORS)
    allowed = os.sched_getaffinity(0)
    siblings = (read_file(topology / f"cpu{x}/topology/thread_siblings_list") for x in allowed)
    return len({found or str(x) for x, found in zip(allowed, siblings, strict=True)})


def as_number(text: str | None) -> int | None:
    try:
        return None if text is None else int(text)
    except ValueError:
        return None


def natural_order(text: str) -> list[tuple[int, str]]:
    """A key that sorts cpu2 before cpu10."""
    return [(int(p), "") if p.isdecimal() else (-1, p) for p in NUMBERS.split(text) if p]


def parse_list(text: str) -> frozenset[int]:
    """The numbers of a list such as 0-3,8 (the kernel's format for processors and nodes)."""
    numbers: set[int] = set()
    for part in text.replace("\n", ",").split(","):
        first, _, last = part.strip().partition("-")
        if first:
            numbers.update(range(int(first), int(last or first) + 1))
    return frozenset(numbers)


def format_list(numbers: Iterable[int]) -> str:
    """The same backwards: 0-3,8."""
    parts: list[str] = []
    run: list[int] = []
    for number in [*sorted(numbers), None]:
        if number is not None and run and number == run[-1] + 1:
            run.append(number)
            continue
        if run:
            parts.append(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}")
        run = [] if number is None else [number]
    return ",".join(parts)
