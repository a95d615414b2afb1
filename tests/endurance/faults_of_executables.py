# SPDX-License-Identifier: BSD-3-Clause
"""Faults that strike an executable while it appends records to a file (`-o FILE`)."""

import contextlib
import json
import random
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import fault_tools as tools
from pollux.core.analysis.loading import load
from pollux.core.paths import ROOT

sys.path.insert(0, str(ROOT / "tests/scripts/helpers"))
from pollux_process import run_pollux

BENCHMARKS = ("cholesky", "lu", "qr")
REPETITIONS = 60
MACHINE = 3  # exit status where the machine cannot do it


class ExecutableFaults:
    """One file that executables append to, one fault after another."""

    def __init__(self, file: Path, rng: random.Random) -> None:
        self.folder = file.parent
        self.file = file
        self.rng = rng
        self.printed: set[str] = set()  # records that processes printed and need not be in the file

    def command(self, file: Path | None = None) -> list[str]:
        program = ROOT / "build/libgomp/bin" / self.rng.choice(BENCHMARKS)
        seed = self.rng.randrange(10**6)
        options = f"-n 64 -b 16 -t 1 -w 0 -r {REPETITIONS} -s {seed} -f json -o".split()
        return [str(program), *options, str(file or self.file)]

    def lines(self) -> Counter[str]:
        """The records in the file; anything else in it is an error."""
        if not self.file.exists():
            return Counter()
        whole, torn = split(self.file)
        if torn:
            raise ValueError(f"{self.file} ends in an unfinished line")
        return Counter(whole)

    def start(self, **how: object) -> tools.Started:
        return tools.start(self.command(), self.folder, **how)  # type: ignore[arg-type]

    def wait_for_moment(self, started: tools.Started) -> None:
        """Some time in the start of a process, or after some of its records."""
        if self.rng.random() < 0.2:
            started.ends_within(self.rng.uniform(0.0, 0.1))
            return
        size, records = self.size(), self.rng.randrange(REPETITIONS // 2)
        tools.wait_until(lambda: self.size() > size + 1500 * records, started)

    def size(self) -> int:
        return self.file.stat().st_size if self.file.exists() else 0

    def inject(self, kind: str) -> list[str]:
        """Run a process into a fault; what is wrong afterwards."""
        before = self.lines()
        problems = [*KINDS[kind](self)]
        return [*problems, *self.compare(before)]

    def compare(self, before: Counter[str]) -> Iterator[str]:
        """Whether the file has all that it had and all that was printed since, once each."""
        after = self.lines()
        out = self.folder / "struck.out"
        printed = set(split(out)[0]) if out.exists() else set()
        if lost := before - after:
            yield f"{lost.total()} earlier records lost"
        if missing := printed - after.keys() - self.printed:
            yield f"{len(missing)} records printed but not in the file"
        if twice := after - Counter(set(after)):
            yield f"{len(twice)} records twice"

    def finish(self) -> list[str]:
        """Append once more without a fault, and read the file as `pollux compare` does."""
        started = self.start()
        problems = [*expect(started, set())]
        found, known = len(load([self.file]).samples), self.lines().total()
        run_pollux("compare", self.file)
        return problems + [f"pollux reads {found} records of {known}"] * (found != known)


def split(path: Path) -> tuple[list[str], str]:
    """The records of a file, as text, and its unfinished last line; ValueError for another line."""
    whole, _, torn = path.read_text().rpartition("\n")
    for line in whole.splitlines():
        json.loads(line)
    return whole.splitlines(), torn


def expect(started: tools.Started, statuses: set[int], message: str = "") -> Iterator[str]:
    """What is wrong with how a process ended; one may end normally just before a fault."""
    status = started.wait()
    if status == 0:
        return
    errors = started.err.read_text(errors="replace")
    if status not in statuses or message not in errors:
        yield f"status {status} instead of {sorted(statuses)}: {errors.strip()[-300:]!r}"


def with_signal(faults: ExecutableFaults) -> Iterator[str]:
    number = faults.rng.choice(tools.STRIKES)
    started = faults.start()
    faults.wait_for_moment(started)
    started.kill(number)
    yield from expect(started, {-number})


def with_limit(faults: ExecutableFaults) -> Iterator[str]:
    """The file may not grow beyond some size; the record that does not fit is an error."""
    started = faults.start(file_bytes=faults.size() + faults.rng.randrange(5_000, 60_000))
    yield from expect(started, {MACHINE}, "cannot write to ")
    remember_unwritten(faults, started)


def with_full_disk(faults: ExecutableFaults) -> Iterator[str]:
    disk = faults.folder / "disk"
    command = faults.command(disk / faults.file.name)
    pages = faults.rng.randrange(12)
    started = tools.start(tools.on_tiny_disk(command, faults.file, disk, pages), faults.folder)
    yield from expect(started, {MACHINE}, "cannot write to ")
    remember_unwritten(faults, started)


def remember_unwritten(faults: ExecutableFaults, started: tools.Started) -> None:
    """Records that a process gave to standard error since the file took them no longer."""
    lines = started.err.read_text(errors="replace").splitlines()
    faults.printed |= {line for line in lines if line.startswith('{"schema"')}


def with_closed_descriptors(faults: ExecutableFaults) -> Iterator[str]:
    number = faults.rng.randrange(1, 4)
    started = faults.start(closed=faults.rng.sample(range(3), number))
    yield from expect(started, {MACHINE})


def with_unwritable_output(faults: ExecutableFaults) -> Iterator[str]:
    with tools.unwritable_output(faults.rng) as out:
        started = faults.start(out=out)
        yield from expect(started, {MACHINE, -signal.SIGPIPE})


def with_rename(faults: ExecutableFaults) -> Iterator[str]:
    started = faults.start()
    faults.wait_for_moment(started)
    tools.wait_until(faults.file.exists, started)
    moved = faults.file.with_name("moved.jsonl")
    faults.file.rename(moved)
    yield from expect(started, {MACHINE}, "was renamed during the run")
    join(moved, faults.file)


def with_removal(faults: ExecutableFaults) -> Iterator[str]:
    """What a removed file had is kept here: what users remove on purpose is theirs."""
    started = faults.start()
    faults.wait_for_moment(started)
    tools.wait_until(faults.file.exists, started)
    with faults.file.open("rb") as removed:
        faults.file.unlink()
        yield from expect(started, {MACHINE}, "was removed during the run")
        kept = faults.file.with_name("kept.jsonl")
        kept.write_bytes(removed.read())
    join(kept, faults.file)


def with_second_process(faults: ExecutableFaults) -> Iterator[str]:
    """Two processes append to one file, and one of them is killed."""
    started = faults.start()
    other = tools.start(faults.command(), faults.folder, name="other")
    with contextlib.suppress(tools.MissedError):
        faults.wait_for_moment(started)
    started.kill(signal.SIGKILL)
    yield from expect(started, {-signal.SIGKILL})
    yield from expect(other, set())


def join(moved: Path, file: Path) -> None:
    """Put a file back; a process that started under its name meanwhile has begun a new one."""
    if file.exists():
        with moved.open("ab") as target, file.open("rb") as source:
            shutil.copyfileobj(source, target)
    moved.replace(file)


KINDS: dict[str, Callable[[ExecutableFaults], Iterator[str]]] = {
    "signal": with_signal,
    "limit of file sizes": with_limit,
    "full disk": with_full_disk,
    "closed descriptors": with_closed_descriptors,
    "unwritable standard output": with_unwritable_output,
    "file renamed": with_rename,
    "file removed": with_removal,
    "two writers, one killed": with_second_process,
}
