# SPDX-License-Identifier: BSD-3-Clause
"""What other programs and the hypervisor do to the machine, watched for a moment."""

from dataclasses import dataclass
from pathlib import Path

from pollux.core.kernel_files import PROCESSORS, as_number, read_file

NAMED = 3  # of the busiest processes
THROTTLED = ("core", "package")  # what the kernel counts


@dataclass(frozen=True)
class Thread:
    """What a thread has used, in clock ticks."""

    ticks: int
    processor: int | None  # the last; None: not known


@dataclass(frozen=True)
class Process:
    """Its name, its threads, and what children used that it has waited for, in clock ticks."""

    name: str
    threads: dict[int, Thread]
    of_children: int

    def used_since(self, earlier: "Process | None", allowed: frozenset[int]) -> int:
        """Ticks of threads that were last on allowed processors."""
        before = earlier.threads if earlier else {}
        return sum(
            thread.ticks - (before[number].ticks if number in before else 0)
            for number, thread in self.threads.items()
            if thread.processor is None or thread.processor in allowed
        )


@dataclass(frozen=True)
class Snapshot:
    """Counters of the system at one time, in clock ticks, pages and events."""

    total: dict[int, int]  # of each logical processor
    busy: dict[int, int]
    steal: dict[int, int]
    processes: dict[int, Process]
    swapped_pages: int
    throttled: int


@dataclass(frozen=True)
class Busy:
    """A process that used a processor meanwhile; `share` of one processor."""

    name: str
    process: int
    share: float


@dataclass(frozen=True)
class Load:
    """What happened between two snapshots; `foreign` counts processors."""

    foreign: float
    steal: float  # share of the allowed processors' time
    busiest: tuple[Busy, ...]
    swapped_pages: int
    throttled: int
    known: bool  # False: the system does not report it, or no time has passed


def take(root: Path) -> Snapshot:
    """Read the counters (proc_stat(5), proc_pid_stat(5), proc_vmstat(5))."""
    total, busy, steal = {}, {}, {}
    for line in (read_file(root / "proc/stat") or "").splitlines():
        name, *texts = line.split()
        if name == "cpu" or not name.startswith("cpu"):
            continue
        # user nice system idle iowait irq softirq steal; guests are counted in user and nice
        ticks = [*map(int, texts[:8]), *[0] * 8][:8]
        cpu = int(name.removeprefix("cpu"))
        total[cpu] = sum(ticks)
        busy[cpu] = sum(ticks) - ticks[3] - ticks[4] - ticks[7]
        steal[cpu] = ticks[7]
    return Snapshot(total, busy, steal, processes(root), swapped(root), throttled(root))


def processes(root: Path) -> dict[int, Process]:
    found = {}
    for path in root.glob("proc/[0-9]*/stat"):
        if (stat := read_stat(path)) is not None:  # else the process has ended meanwhile
            number, name, thread, of_children = stat
            own = map(read_stat, (task / "stat" for task in entries(path.parent / "task")))
            threads = {task[0]: task[2] for task in own if task is not None}
            found[number] = Process(name, threads or {number: thread}, of_children)
    return found


def entries(folder: Path) -> list[Path]:
    """What is in a folder; nothing once its process has ended."""
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def read_stat(path: Path) -> tuple[int, str, Thread, int] | None:
    """The number, name and use of a process or thread, and the use of its children."""
    if not (text := read_file(path)):
        return None
    # The name is in parentheses and may contain any character.
    before, _, after = text.rpartition(")")
    number, _, name = before.partition("(")
    fields = after.split()
    ticks, of_children = (sum(map(int, fields[at : at + 2])) for at in (11, 13))  # user, system
    last = next(map(int, fields[36:37]), None)
    return int(number), name, Thread(ticks, last), of_children


def swapped(root: Path) -> int:
    pairs = (line.split() for line in (read_file(root / "proc/vmstat") or "").splitlines())
    return sum(int(pair[1]) for pair in pairs if pair[0] in ("pswpin", "pswpout"))


def throttled(root: Path) -> int:
    folders = f"{PROCESSORS}/cpu[0-9]*/thermal_throttle"
    paths = (path for what in THROTTLED for path in root.glob(f"{folders}/{what}_throttle_count"))
    return sum(as_number(read_file(path)) or 0 for path in paths)


def between(before: Snapshot, after: Snapshot, allowed: frozenset[int], own_process: int) -> Load:
    """What others used of the allowed processors from one snapshot to the next.

    What this process's own children used counts as its own once they have ended.
    """
    watched = allowed & before.total.keys() & after.total.keys()
    ticks = sum(after.total[c] - before.total[c] for c in watched)
    if ticks <= 0:
        return Load(0.0, 0.0, (), 0, 0, known=False)
    per_processor = ticks / len(watched)
    used = {
        pid: (process.name, process.used_since(before.processes.get(pid), allowed))
        for pid, process in after.processes.items()
    }
    own = used.pop(own_process, ("", 0))[1] + of_children(before, after, own_process)
    busy = sum(after.busy[c] - before.busy[c] for c in watched) - own
    ordered = sorted(used.items(), key=lambda item: -item[1][1])[:NAMED]
    return Load(
        foreign=max(busy, 0) / per_processor,
        steal=sum(after.steal[c] - before.steal[c] for c in watched) / ticks,
        busiest=tuple(Busy(n, pid, t / per_processor) for pid, (n, t) in ordered if t > 0),
        swapped_pages=after.swapped_pages - before.swapped_pages,
        throttled=after.throttled - before.throttled,
        known=True,
    )


def of_children(before: Snapshot, after: Snapshot, process: int) -> int:
    first, last = before.processes.get(process), after.processes.get(process)
    return last.of_children - first.of_children if first and last else 0
