# SPDX-License-Identifier: BSD-3-Clause
"""How much CPU time other processes used, from /proc/stat and our own children's time."""

import os
import resource
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
BUSY = (0, 1, 2, 5, 6)  # user, nice, system, irq, softirq: columns of a cpu line, proc_stat(5)
STEAL = 7


@dataclass(frozen=True)
class Usage:
    """Processor time in seconds over all allowed processors, since some moment."""

    busy: float
    steal: float
    total: float
    own: float  # of this process and its children that have ended


@dataclass(frozen=True)
class Shares:
    """Shares of the allowed processors' time."""

    foreign: float | None  # used by processes that are not ours; None: which these are is unknown
    steal: float  # withheld by a hypervisor


def read_usage(stat: Path = Path("/proc/stat")) -> Usage | None:
    """The usage so far, or None where the kernel does not report it."""
    try:
        lines = stat.read_text().splitlines()
    except OSError:
        return None
    allowed = {f"cpu{number}" for number in os.sched_getaffinity(0)}
    columns = [list(map(int, rest)) for name, *rest in map(str.split, lines) if name in allowed]
    if not columns:
        return None
    return Usage(
        busy=ticks(cpu[i] for cpu in columns for i in BUSY),
        steal=ticks(cpu[STEAL] for cpu in columns),
        total=ticks(value for cpu in columns for value in cpu[: STEAL + 1]),
        own=own_seconds(),
    )


def ticks(values: Iterable[int]) -> float:
    return sum(values) / TICKS


def own_seconds() -> float:
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def shares(before: Usage | None, after: Usage | None) -> Shares | None:
    """What happened between two readings; None where that is not known."""
    if before is None or after is None or after.total <= before.total:
        return None
    total = after.total - before.total
    foreign = (after.busy - before.busy) - (after.own - before.own)
    return Shares(max(0.0, foreign / total), (after.steal - before.steal) / total)
