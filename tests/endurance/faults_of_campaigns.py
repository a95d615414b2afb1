# SPDX-License-Identifier: BSD-3-Clause
"""Faults that strike `pollux run` and its processes while a campaign runs."""

import contextlib
import filecmp
import json
import os
import random
import re
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import fault_tools as tools
from killed_campaign import HANGING, HANGING_CAMPAIGN, Records, read_records
from pollux.core.analysis.loading import load
from pollux.core.interruption import SIGNALS
from pollux.core.paths import ROOT

sys.path.insert(0, str(ROOT / "tests/scripts/helpers"))
from marks import marked
from pollux_process import POLLUX

BENCHMARKS = ("cholesky", "lu")
CONFIGURATIONS = 4
CAMPAIGN = f"""\
name = "faults"
summary = "Small runs, to be struck by faults."
processes = PROCESSES

[runtimes.libgomp]
preset = "libgomp"

[grid]
benchmark = {[*BENCHMARKS]}
variant = "depend"
size = [32, 48]
tile = 16
threads = 1

[blocks]
foreign_cpu = 100.0
repeat_budget = "0%"
"""
AT_ONCE = 2  # samples that may follow a fault that is noticed after the next one
FAILED, USAGE, MACHINE, INTERRUPTED = 1, 2, 3, 130  # exit statuses

Place = tuple[str, int, int]  # configuration, round, attempt


class CampaignFaults:
    """A campaign that is resumed after each fault, until it is complete."""

    def __init__(self, records: Path, processes: int, rng: random.Random) -> None:
        self.folder = folder = records.parent
        self.records = records
        self.processes = processes
        self.rng = rng
        self.bin = folder / "build/libgomp/bin"
        self.latest: tools.Started
        self.failures = 0  # samples that may have failed, since their processes were struck
        self.prepare()

    def prepare(self) -> None:
        """A build of the executables alone, to be replaced at will."""
        self.bin.mkdir(parents=True, exist_ok=True)
        for name in BENCHMARKS:
            shutil.copy2(ROOT / "build/libgomp/bin" / name, self.bin / name)
        (self.bin / "benchmarks.json").write_text(json.dumps({"computation": BENCHMARKS}))
        text = CAMPAIGN.replace("PROCESSES", str(self.processes))
        (self.folder / "faults.toml").write_text(text)

    def command(self, records: Path | None = None, *, progress: str = "--quiet") -> list[str]:
        campaign, build = self.folder / "faults.toml", self.folder / "build"
        options = ["--build-root", str(build), "--output", str(records or self.records), progress]
        return [str(POLLUX), "run", str(campaign), *options]

    def start(self, *, progress: str = "--quiet", **how: object) -> tools.Started:
        command = self.command(progress=progress)
        self.latest = tools.start(command, self.folder, **how)  # type: ignore[arg-type]
        return self.latest

    def known(self) -> Records:
        return read_records(self.records) if self.records.exists() else Records(Counter(), 0)

    def count(self) -> int:
        """Samples in the file."""
        return samples_in(self.records) if self.records.exists() else 0

    def size(self) -> int:
        return self.records.stat().st_size if self.records.exists() else 0

    def wait_for_moment(self, started: tools.Started, *, early: bool = True) -> None:
        """Some time in the start of the campaign, or after some samples, within the next one."""
        if early and self.rng.random() < 0.15:
            within = 1.0
        else:
            within = 0.05
            size, wanted = self.size(), self.count() + self.rng.randrange(4)
            tools.wait_until(lambda: self.size() > size and self.count() >= wanted, started)
        if started.ends_within(self.rng.uniform(0.0, within)):
            raise tools.MissedError

    def inject(self, kind: str) -> list[str]:
        """Run the campaign into a fault; what is wrong afterwards."""
        before = self.known()
        try:
            problems = [*KINDS[kind](self)]
        except tools.MissedError:
            problems = [*expect(self, self.latest, set())]
            if not problems:
                raise
        return [*problems, *self.compare(before)]

    def compare(self, before: Records) -> Iterator[str]:
        after = self.known()
        if lost := before.samples - after.samples:
            yield f"{lost.total()} earlier samples lost"
        if after.torn > before.torn:
            yield f"{after.torn - before.torn} unfinished lines"
        yield from twice(after)

    def is_complete(self) -> bool:
        return self.known().samples.total() == CONFIGURATIONS * self.processes

    def finish(self, undisturbed: Records) -> list[str]:
        """Let the campaign end; its samples must be those of one that was not disturbed."""
        started = self.start(name="last")
        problems = [*expect(self, started, {FAILED} if self.failures else set())]
        return [*problems, *self.differences(undisturbed)]

    def differences(self, undisturbed: Records) -> Iterator[str]:
        wanted, got = places(undisturbed), places(self.known())
        yield from twice(self.known())
        yield from (f"missing: {place}" for place in wanted.keys() - got.keys())
        yield from (f"not planned: {place}" for place in got.keys() - wanted.keys())
        other = [p for p in wanted.keys() & got.keys() if wanted[p] != got[p]]
        failed = [place for place in other if not got[place]]
        yield from (f"another digest: {place}" for place in other if got[place])
        if len(failed) > self.failures:
            yield f"{len(failed)} samples failed, {self.failures} were struck"
        counted = len(load([self.records]).used)
        if counted != len(wanted):
            yield f"pollux counts {counted} samples of {len(wanted)}"


def samples_in(path: Path) -> int:
    return path.read_bytes().count(b'"event":"sample"')


def places(records: Records) -> dict[Place, tuple[tuple[int, str], ...]]:
    """The digests of each sample."""
    return {sample[:3]: sample[3] for sample in records.samples}


def twice(records: Records) -> Iterator[str]:
    """Samples that were recorded more than once."""
    counted: Counter[Place] = Counter()
    for sample, number in records.samples.items():
        counted[sample[:3]] += number
    yield from (f"taken {number} times: {place}" for place, number in counted.items() if number > 1)


def expect(
    faults: CampaignFaults, started: tools.Started, statuses: set[int], message: str = ""
) -> Iterator[str]:
    """What is wrong with how `pollux run` ended; it may be complete just before a fault."""
    status = started.wait()
    errors = started.err.read_text(errors="replace")
    yield from (f"left behind: {line}" for line in started.left_behind())
    if "Traceback" in errors and status != -signal.SIGINT:  # as Python says before main begins
        yield f"traceback: {errors.strip()[-400:]!r}"
    if status in (0, FAILED) and faults.is_complete():
        return
    if status not in statuses or message not in errors:
        yield f"status {status} instead of {sorted(statuses)}: {errors.strip()[-300:]!r}"


def check_count(faults: CampaignFaults, started: tools.Started) -> Iterator[str]:
    """Whether the file has as many samples as the message says."""
    found = re.search(r"(\d+) samples are safe", started.err.read_text(errors="replace"))
    if found and int(found[1]) != faults.count():
        yield f"{found[1]} samples reported, {faults.count()} in the file"


def with_signal(faults: CampaignFaults) -> Iterator[str]:
    number = faults.rng.choice(tools.STRIKES)
    started = faults.start()
    faults.wait_for_moment(started)
    started.kill(number)
    # Before its handlers are set, and after they are removed, a signal does what it always does.
    yield from expect(faults, started, {-number} | ({INTERRUPTED} if number in SIGNALS else set()))
    yield from check_count(faults, started)


def with_hanging_run(faults: CampaignFaults) -> Iterator[str]:
    """A campaign of its own is struck while its run hangs for ever, and takes it along."""
    if not HANGING.exists():
        sys.exit(f"{HANGING} is missing; build it with: scripts/build --tests libgomp")
    campaign = faults.folder / "hanging.toml"
    campaign.write_text(HANGING_CAMPAIGN.format(hanging=HANGING))
    options = ["--build-root", str(ROOT / "build"), "--runtime", "libgomp", "--quiet"]
    records = faults.records.with_name("hanging.jsonl")
    command = [str(POLLUX), "run", str(campaign), *options, "--output", str(records)]
    started = tools.start(command, faults.folder)
    tools.wait_until(
        lambda: any("--seed" in text for text in marked(started.mark).values()), started
    )
    number = faults.rng.choice(tools.STRIKES)
    started.kill(number)
    yield from expect(faults, started, {-number} | ({INTERRUPTED} if number in SIGNALS else set()))


def with_stop(faults: CampaignFaults) -> Iterator[str]:
    """The campaign is stopped for a moment, goes on, and is killed."""
    started = faults.start()
    faults.wait_for_moment(started)
    started.kill(faults.rng.choice([signal.SIGSTOP, signal.SIGTSTP]))
    started.ends_within(faults.rng.uniform(0.0, 0.1))
    started.kill(signal.SIGCONT)
    started.ends_within(faults.rng.uniform(0.0, 0.1))
    started.kill(signal.SIGKILL)
    yield from expect(faults, started, {-signal.SIGKILL})


def with_struck_run(faults: CampaignFaults) -> Iterator[str]:
    """A run of the campaign is struck, which is a result; then the campaign is ended."""
    started = faults.start()
    faults.wait_for_moment(started)
    runs: list[int] = []

    def is_running() -> bool:
        found = marked(started.mark).items()
        runs[:] = [pid for pid, text in found if "--seed" in text and "pollux" not in text.split()]
        return bool(runs)

    tools.wait_until(is_running, started)
    try:
        os.kill(runs[0], faults.rng.choice([signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM]))
        faults.failures += 1
    except ProcessLookupError:
        pass  # it has just ended
    yield from end(faults, started)


def end(
    faults: CampaignFaults, started: tools.Started, *, after: int = 1, or_status: int = INTERRUPTED
) -> Iterator[str]:
    """Ask the campaign to end after some more samples, if it does not end by itself before."""
    number = faults.count() + after
    with contextlib.suppress(tools.MissedError):
        tools.wait_until(lambda: faults.count() >= number, started)
    started.kill(signal.SIGTERM)
    yield from expect(faults, started, {INTERRUPTED, -signal.SIGTERM, or_status})
    yield from check_count(faults, started)


def with_limit(faults: CampaignFaults) -> Iterator[str]:
    started = faults.start(file_bytes=faults.size() + faults.rng.randrange(1_000, 15_000))
    yield from expect(faults, started, {MACHINE}, "File too large")
    yield from check_count(faults, started)


def with_full_disk(faults: CampaignFaults) -> Iterator[str]:
    disk = faults.folder / "disk"
    command = faults.command(disk / faults.records.name)
    pages = faults.rng.randrange(4)
    started = tools.start(tools.on_tiny_disk(command, faults.records, disk, pages), faults.folder)
    yield from expect(faults, started, {MACHINE}, "No space left on device")
    yield from check_count(faults, started)


def with_closed_descriptors(faults: CampaignFaults) -> Iterator[str]:
    closed = faults.rng.sample(range(3), faults.rng.randrange(1, 4))
    started = faults.start(closed=closed)
    faults.wait_for_moment(started)
    yield from end(faults, started)


def with_few_descriptors(faults: CampaignFaults) -> Iterator[str]:
    """The process may not open files enough; Python itself may then be unable to start, or a run
    later on."""
    started = faults.start(descriptors=faults.rng.randrange(4, 16))
    try:
        faults.wait_for_moment(started)
    except tools.MissedError:
        return
    yield from end(faults, started, or_status=MACHINE)


def with_unwritable_output(faults: CampaignFaults) -> Iterator[str]:
    with tools.unwritable_output(faults.rng) as out:
        started = faults.start(progress="--plain", out=out)
        faults.wait_for_moment(started)
        yield from end(faults, started)


def with_rename(faults: CampaignFaults) -> Iterator[str]:
    """The file is renamed while the campaign runs; a second one may not begin in its place."""
    started = faults.start()
    faults.wait_for_moment(started, early=False)
    moved = faults.records.with_name("moved.jsonl")
    if second := faults.rng.random() < 0.5:
        started.kill(signal.SIGSTOP)
    faults.records.rename(moved)
    if second:
        other = faults.start(name="second")
        yield from expect(faults, other, {USAGE}, "another pollux run is writing")
        started.kill(signal.SIGCONT)
    yield from expect_moved(faults, started, moved)


def expect_moved(faults: CampaignFaults, started: tools.Started, moved: Path) -> Iterator[str]:
    """What is wrong with how a campaign ended whose file is elsewhere; the file is put back."""
    before = samples_in(moved)
    status = started.wait()
    errors = started.err.read_text(errors="replace")
    safe = re.search(r"safe in (\S+): ", errors)
    if status == MACHINE and safe is not None:
        if moved.exists() and not filecmp.cmp(moved, safe[1], shallow=False):
            yield f"{safe[1]} is not what the file contained"
        Path(safe[1]).replace(faults.records)
    elif moved.exists():
        moved.replace(faults.records)
    if status != MACHINE and not (status in (0, FAILED) and faults.is_complete()):
        yield f"status {status} instead of {MACHINE}: {errors.strip()[-300:]!r}"
    moved.unlink(missing_ok=True)
    if (more := faults.count() - before) > AT_ONCE:
        yield f"{more} more samples were taken for a file that was gone"
    yield from check_count(faults, started)


def with_removal(faults: CampaignFaults) -> Iterator[str]:
    """The file is removed, or replaced by another; another link to it is kept here."""
    started = faults.start()
    faults.wait_for_moment(started, early=False)
    kept = faults.records.with_name("kept.jsonl")
    os.link(faults.records, kept)
    if faults.rng.random() < 0.5:
        faults.records.unlink()
    else:
        other = faults.records.with_name("other")
        other.write_text("notes\n")
        other.replace(faults.records)
    yield from expect_moved(faults, started, kept)


def with_replaced_executable(faults: CampaignFaults) -> Iterator[str]:
    """An executable is built anew while the campaign runs, and put back afterwards."""
    started = faults.start()
    faults.wait_for_moment(started, early=False)
    program = faults.bin / faults.rng.choice(BENCHMARKS)
    old, new = program.with_name("old"), program.with_name("new")
    shutil.copy2(program, old)
    shutil.copy2(program, new)
    with new.open("ab") as file:
        file.write(b"\0")
    new.replace(program)
    faults.failures += CONFIGURATIONS // len(BENCHMARKS)
    before = good_samples(faults.records, program.name)
    yield from end(faults, started, after=CONFIGURATIONS + 2, or_status=FAILED)
    old.replace(program)
    if (more := good_samples(faults.records, program.name) - before) > AT_ONCE:
        yield f"{more} more samples of {program.name} after it was replaced"


def good_samples(records: Path, benchmark: str) -> int:
    """Samples of a benchmark that have a speed; early in a campaign there are no records yet."""
    if not read_records(records).samples:
        return 0
    dataset = load([records])
    of = {key: c.benchmark for key, c in dataset.configurations.items()}
    return sum(s.speed is not None and of[s.configuration] == benchmark for s in dataset.samples)


KINDS: dict[str, Callable[[CampaignFaults], Iterator[str]]] = {
    "signal": with_signal,
    "signal, run hangs": with_hanging_run,
    "stopped, then killed": with_stop,
    "run struck": with_struck_run,
    "limit of file sizes": with_limit,
    "full disk": with_full_disk,
    "closed descriptors": with_closed_descriptors,
    "few descriptors": with_few_descriptors,
    "unwritable standard output": with_unwritable_output,
    "file renamed": with_rename,
    "file removed or replaced": with_removal,
    "executable replaced": with_replaced_executable,
}
