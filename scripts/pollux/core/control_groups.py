# SPDX-License-Identifier: BSD-3-Clause
"""Limits of the control groups that this process is in, of both versions (cgroups(7)).

common/base/control_groups.c does the same for the executables.
"""

from collections.abc import Callable
from pathlib import PurePosixPath
from typing import NamedTuple

from pollux.core.kernel_files import as_number, read_file, system_root

CGROUPS = PurePosixPath("sys/fs/cgroup")
UNIFIED = CGROUPS / "unified"  # version 2 beside version 1

Reader = Callable[[str], str | None]  # the contents of a file below the root, None without it


class Quota(NamedTuple):
    """Processors' worth of time, the file that says so, and what lifts the limit."""

    processors: float
    file: str
    unlimited: str


def least_quota(read: Reader) -> Quota | None:
    """The narrowest quota of the group of this process and of those around it."""
    return min(filter(None, (quota_in(read, f) for f in control_groups(read, "cpu"))), default=None)


def processors_of_quota() -> float | None:
    """The processors' worth of time that this process gets; None: it has no quota."""
    root = system_root()
    quota = least_quota(lambda path: read_file(root / path))
    return quota.processors if quota else None


def quota_in(read: Reader, folder: str) -> Quota | None:
    time, _, period = (read(f"{folder}/cpu.max") or "").partition(" ")
    if share := share_of(time, period):
        return Quota(share, f"{folder}/cpu.max", "max")
    file = f"{folder}/cpu.cfs_quota_us"
    if share := share_of(read(file), read(f"{folder}/cpu.cfs_period_us")):
        return Quota(share, file, "-1")
    return None


def share_of(time: str | None, period: str | None) -> float | None:
    """Microseconds in each period; other words than numbers, and negative ones, mean no limit."""
    microseconds, length = as_number(time), as_number(period)
    if microseconds is None or length is None or microseconds <= 0 or length <= 0:
        return None
    return microseconds / length


class MemoryLimit(NamedTuple):
    """Bytes that are left of a limit and the limit, its file, and what lifts it."""

    left: int
    limit: int
    file: str
    unlimited: str


def memory_limits(read: Reader) -> list[MemoryLimit]:
    """Of the group of this process and of those around it."""
    found = (memory_limit_in(read, folder) for folder in control_groups(read, "memory"))
    return [limit for limit in found if limit]


def memory_limit_in(read: Reader, folder: str) -> MemoryLimit | None:
    """Version 1 has a huge number where there is no limit."""
    names = (
        ("memory.max", "memory.current", "inactive_file", "max"),
        ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file", "-1"),
    )
    for name, used, cache, unlimited in names:
        limit = as_number(read(f"{folder}/{name}"))
        if limit is not None and limit < 2**60:
            left = limit - (as_number(read(f"{folder}/{used}")) or 0) + cached(read, folder, cache)
            return MemoryLimit(max(0, left), limit, f"{folder}/{name}", unlimited)
    return None


def tasks_left(read: Reader) -> int | None:
    """Processes and threads that may be added, in all of these groups; None: any number."""
    limits = ((f, as_number(read(f"{f}/pids.max"))) for f in control_groups(read, "pids"))
    left = (n - (as_number(read(f"{f}/pids.current")) or 0) for f, n in limits if n is not None)
    return min(left, default=None)


def cached(read: Reader, folder: str, name: str) -> int:
    """Pages of files count as used, though the kernel takes them back where memory is short."""
    for line in (read(f"{folder}/memory.stat") or "").splitlines():
        if line.startswith(f"{name} "):
            return as_number(line.removeprefix(name)) or 0
    return 0


def control_groups(read: Reader, controller: str) -> list[str]:
    """The folders in which limits of a controller may be, from the innermost group outwards."""
    folders: dict[str, None] = {}
    for line in (read("proc/self/cgroup") or "").splitlines():
        _, _, rest = line.partition(":")
        controllers, colon, path = rest.partition(":")
        if not colon or (controllers and controller not in controllers.split(",")):
            continue
        # In a container the path may lie outside of what is mounted: its parts lead nowhere then.
        parts = [p for p in PurePosixPath(path).parts if p not in ("/", "..")]
        mounts = (
            (CGROUPS / controllers, CGROUPS / controller) if controllers else (CGROUPS, UNIFIED)
        )
        for mount in mounts:
            for length in range(len(parts), -1, -1):
                folders[str(mount.joinpath(*parts[:length]))] = None
    return list(folders)
