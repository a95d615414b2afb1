#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Run a campaign in jobs of a real Slurm while much goes wrong; nothing may be lost or taken twice.

A Slurm of one node is started here (slurm_node.py). The same campaign runs once by itself, and once
in jobs that are each too short for it, of which one is cancelled, one requeued and one meets a full
disk; the controller's disk is full when one is submitted, and the controller is down for a minute
when one has to submit the next. After each fault that ends the jobs, the same command is given
again. Both files must hold the same samples (configuration, round, seed, digest), each once, and
give the same verdicts.

Exit status: 0 both agree, 1 they differ, 77 this machine has no Slurm or the user is not root.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from math import ceil
from pathlib import Path

from pollux.core.paths import ROOT
from slurm_node import SlurmNode, missing

sys.path.insert(0, str(ROOT / "tests/scripts/helpers"))
from pollux_process import POLLUX

SKIPPED = 77
PROCESSES = 50
LIMITS = 3.2  # of a job, that the whole campaign takes by itself
FIRST = 20  # repetitions, to see how long they take
HELD = 240.0  # seconds, more than those for which Slurm holds back a job that was requeued
CAMPAIGN = """\
name = "jobs"
processes = {processes}
repetitions = {repetitions}
[runtimes.libgomp]
preset = "libgomp"
[runtimes.libomp]
preset = "libomp"
[environments.passive]
OMP_WAIT_POLICY = "passive"
[grid]
benchmark = ["cholesky", "lu"]
variant = "depend"
size = 512
tile = [16, 32]
threads = 1
environment = "passive"
[blocks]
repeat_budget = "0%"
"""
SUBMIT = """\
[submit]
system = "slurm"
time = "{limit}s"
margin = "{margin}s"
"""


class Trial:
    """The campaign in jobs, and what is done to them."""

    def __init__(self, options: argparse.Namespace, folder: Path, node: SlurmNode) -> None:
        self.options = options
        self.folder = folder
        self.node = node
        self.file = folder / "jobs.toml"
        self.disk = folder / "disk"
        self.output = self.disk / "jobs.jsonl"
        self.commands = 0
        self.processes: list[subprocess.Popen[bytes]] = []

    def command(self, file: Path, output: Path) -> list[str]:
        words = [str(POLLUX), "run", str(file), "--output", str(output), "--plain"]
        return [*words, "--build-root", str(self.options.build_root)]

    def start(self) -> "subprocess.Popen[bytes]":
        """The command that submits and follows."""
        self.commands += 1
        log = (self.folder / "follow.log").open("ab")
        command = self.command(self.file, self.output)
        self.processes.append(subprocess.Popen(command, stdout=log, stderr=log))
        return self.processes[-1]

    def close(self) -> None:
        """End what still follows, after a fault of this program's own."""
        for process in self.processes:
            process.kill()
            process.wait()

    def count(self) -> int:
        if not self.output.exists():
            return 0
        return self.output.read_bytes().count(b'"event":"sample"')

    def until_more(self, runs: int) -> None:
        """Wait for so many runs more."""
        wanted = self.count() + runs
        self.node.until(
            f"{runs} more runs", lambda: self.count() >= wanted, HELD + self.options.limit
        )

    def ended(self, process: "subprocess.Popen[bytes]", status: int) -> None:
        assert process.wait(HELD + 8 * self.options.limit) == status, process.returncode

    def cancelled(self) -> None:
        process = self.start()
        self.until_more(5)
        self.node.said("scancel", self.node.running_job() or "")
        self.ended(process, 3)

    def left_alone(self) -> None:
        """Ctrl-C ends the command that follows, not the job."""
        process = self.start()
        self.until_more(2)
        process.send_signal(signal.SIGINT)
        self.ended(process, 130)
        self.until_more(5)
        assert self.node.running_job() is not None

    def requeued(self) -> "subprocess.Popen[bytes]":
        process = self.start()  # which attaches, as there is a job already
        self.until_more(2)
        job = self.node.running_job() or ""
        self.node.said("scontrol", "requeue", job)
        self.until_more(5)
        assert self.node.running_job() == job
        return process

    def controller_down(self) -> None:
        """From shortly before a job has to submit the next one on."""
        job = self.node.running_job()
        self.node.until(
            "a job that has just begun",
            lambda: self.node.running_job() not in (None, job),
            HELD + self.options.limit,
        )
        soon = self.options.margin + 10
        self.node.until(
            "a job that soon ends", lambda: self.node.seconds_left() < soon, self.options.limit
        )
        self.node.stop("slurmctld")
        self.node.watch(self.options.down)
        self.node.start_controller()
        self.until_more(5)

    def disk_full(self, process: "subprocess.Popen[bytes]") -> None:
        with filled(self.disk):
            self.ended(process, 3)

    def spool_full(self) -> None:
        """No job can be submitted."""
        with filled(self.node.folder / "state"):
            self.ended(self.start(), 3)

    def rest(self) -> None:
        process = self.start()
        self.ended(process, 0)


@contextmanager
def filled(folder: Path) -> Iterator[None]:
    """A file system without a byte left."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                pass
    try:
        yield
    finally:
        ballast.unlink()


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[None]:
    """A file system of its own."""
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={megabytes}m,mode=755", "tmpfs", str(folder)]
    subprocess.run(["mount", *options], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def samples(path: Path) -> Counter[tuple[object, ...]]:
    """Each run with what it computed."""
    lines = (json.loads(line) for line in path.read_text().splitlines() if line.strip())
    return Counter(
        (x["configuration"], x["round"], *((r["seed"], r["digest"]) for r in x["records"]))
        for x in lines
        if x["event"] == "sample"
    )


def verdicts(path: Path) -> dict[tuple[str, str], str]:
    command = [str(POLLUX), "compare", str(path), "--format", "json"]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = json.loads(ended.stdout)["rows"]
    return {(row["cell"], row["runtime"]): row["verdict"] for row in rows}


def jobs_of(path: Path) -> int:
    return path.read_text().count('"event":"start"')


def repetitions_for(options: argparse.Namespace, folder: Path) -> int:
    """How many each run needs for the campaign to take several jobs on this machine."""
    file, output = folder / "first.toml", folder / "first.jsonl"
    file.write_text(CAMPAIGN.format(processes=1, repetitions=FIRST))
    command = [str(POLLUX), "run", str(file), "--output", str(output), "--plain"]
    command += ["--build-root", str(options.build_root)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return ceil(FIRST * LIMITS * float(options.limit) / (PROCESSES * seconds_of_runs(output)))


def seconds_of_runs(path: Path) -> float:
    """From the start of the first to the end of the last."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    runs = [line for line in lines if line["event"] == "sample"]
    last = max(run["start_unix_ns"] + 1e9 * run["process_seconds"] for run in runs)
    return float(last - min(run["start_unix_ns"] for run in runs)) / 1e9


def go_wrong(trial: Trial) -> None:
    """All faults, one after the other; then what is left of the campaign."""
    trial.cancelled()
    trial.left_alone()
    process = trial.requeued()
    trial.controller_down()
    trial.disk_full(process)
    trial.spool_full()
    trial.rest()


def try_out(options: argparse.Namespace, folder: Path) -> int:
    repetitions = options.repetitions or repetitions_for(options, folder)
    text = CAMPAIGN.format(processes=PROCESSES, repetitions=repetitions)
    submit = SUBMIT.format(limit=options.limit, margin=options.margin)
    with small_disk(folder / "state", 8), small_disk(folder / "disk", 256):
        with SlurmNode(folder) as node:
            trial = Trial(options, folder, node)
            trial.file.write_text(text + submit)
            begun = time.monotonic()
            try:
                go_wrong(trial)
            finally:
                trial.close()
            seconds = time.monotonic() - begun
        shutil.copytree(trial.disk, folder / "kept")
    alone = folder / "alone.toml"
    alone.write_text(text)
    subprocess.run(
        trial.command(alone, folder / "alone.jsonl"), check=True, stdout=subprocess.DEVNULL
    )
    return report(folder / "kept/jobs.jsonl", folder / "alone.jsonl", trial.commands, seconds)


def report(in_jobs: Path, alone: Path, commands: int, seconds: float) -> int:
    """Say what was found; the exit status."""
    found, wanted = samples(in_jobs), samples(alone)
    twice = sum(count > 1 for count in found.values())
    by_round = [Counter(key[1:] for key in each) for each in (found, wanted)]
    lost = (by_round[1] - by_round[0]).total()
    print(f"{found.total()} runs in {jobs_of(in_jobs)} jobs, {commands} commands, {seconds:.0f} s")
    print(f"{lost} lost, {twice} twice, {(by_round[0] - by_round[1]).total()} not planned")
    own, other = verdicts(in_jobs), verdicts(alone)
    differ = [cell for cell in other if own.get(cell) != other[cell]]
    for cell in other:
        print(f"{' on '.join(cell)}: {own.get(cell)}, by itself {other[cell]}")
    return int(bool(lost or twice or differ or by_round[0] != by_round[1]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build-root", type=Path, default=ROOT / "build")
    parser.add_argument("--limit", type=int, default=180, help="seconds of a job")
    parser.add_argument("--margin", type=int, default=18, help="of these without measuring")
    parser.add_argument("--down", type=int, default=60, help="seconds without a controller")
    parser.add_argument("--repetitions", type=int, help="of each run (so many that jobs follow)")
    parser.add_argument("--keep", action="store_true", help="the folder with all files")
    options = parser.parse_args()
    if missing() or os.geteuid() != 0:
        print(f"not tried: {', '.join(missing()) or 'this user is not root'}")
        return SKIPPED
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    folder = Path(tempfile.mkdtemp(prefix="pollux-slurm-"))
    folder.chmod(0o755)
    try:
        return try_out(options, folder)
    finally:
        if options.keep:
            print(f"files: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
