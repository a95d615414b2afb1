#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does the sampler at 10 ms beside a benchmark change its speed? `pollux compare` judges.

Processes with and without the sampler take turns (ABBA), on a machine of eight packages written
into a folder. The records become a campaign of two sides, pair by pair; each start with the same
--output adds pairs to it, until --pairs are there or --seconds are over. At the end the file is
compared, with a relevant difference of 1 %.

    docs/evaluation/sampler_cost.py --output FILE [--preset libgomp] [--pairs 200] [--seconds 60]
        [--variant depend] [--size 1024]
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pollux.core.campaign.lines import (
    BlockEnd,
    BlockStart,
    Configuration,
    ConfigurationLine,
    Outcome,
    SampleLine,
    Start,
)
from pollux.core.campaign.reading import read_lines
from pollux.core.paths import ROOT

sys.path.insert(0, str(ROOT / "tests/scripts/helpers"))
from pollux_process import run_pollux
from surroundings import environment
from system_tree import write_machine

BENCHMARK = "cholesky"
SIDES = ("without", "with the sampler")
RELEVANT = "1%"


@dataclass(frozen=True)
class Setting:
    """What runs, and where."""

    binaries: Path
    folder: Path  # of the written machine
    variant: str
    size: int

    @property
    def environment(self) -> dict[str, str]:
        return environment(POLLUX_SYSTEM_ROOT=str(self.folder), OMP_PROC_BIND="true")

    @property
    def arguments(self) -> list[str]:
        threads = "1" if self.variant == "seq" else "2"
        own = ["-n", str(self.size), "-v", self.variant, "-t", threads]
        return [*own, "-r", "9", "-w", "1", "-f", "json"]

    def configuration(self, side: str) -> Configuration:
        return Configuration(
            runtime=side,
            benchmark=BENCHMARK,
            variant=self.variant,
            kernels="openblas",
            size=self.size,
            tile_asked="default",
            tile=None,
            threads=1 if self.variant == "seq" else 2,
            digest_group=BENCHMARK,
            executable=f"build/{self.binaries.parent.name}/bin/{BENCHMARK}",
            arguments=self.arguments,
        )


@contextmanager
def sampling(setting: Setting, *, wanted: bool) -> Iterator[None]:
    """The sampler, from its first sample on."""
    if not wanted:
        yield
        return
    output = setting.folder / "power.csv"
    output.unlink(missing_ok=True)
    command = [str(setting.binaries / "power-sampler"), "--interval", "10", "--output", str(output)]
    process = subprocess.Popen(command, env=setting.environment)
    while not output.exists() or output.read_bytes().count(b"\n") < 3:
        if process.poll() is not None:
            sys.exit("power-sampler ended before its first sample")
        time.sleep(0.005)
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def measure(setting: Setting, seed: int) -> list[dict[str, Any]]:
    """The records of one process."""
    command = [str(setting.binaries / BENCHMARK), *setting.arguments, "-s", str(seed)]
    done = subprocess.run(
        command, env=setting.environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def put(path: Path, *lines: Any) -> None:  # noqa: ANN401 (lines of a campaign)
    with path.open("a") as file:
        file.write("".join(line.model_dump_json(by_alias=True) + "\n" for line in lines))


def begin(path: Path, setting: Setting, pairs: int) -> None:
    configurations = [setting.configuration(side) for side in SIDES]
    summary = "The same runs with and without the sampler of power."
    start = Start(
        unix_ns=time.time_ns(),
        pollux="",
        name="sampler",
        summary=summary,
        reference=SIDES[0],
        processes=pairs,
        configurations=len(SIDES),
        file=None,
        text="",
    )
    put(path, start, *(ConfigurationLine(hash=c.hash(), configuration=c) for c in configurations))


def take_pair(path: Path, setting: Setting, number: int) -> None:
    """A block of two processes with the same matrices; the order changes from pair to pair."""
    lines: list[Any] = [BlockStart(block=number, unix_ns=time.time_ns(), calibration=None)]
    for side in SIDES if number % 2 == 0 else SIDES[::-1]:
        start, clock = time.time_ns(), time.monotonic()
        with sampling(setting, wanted=side == SIDES[1]):
            records = measure(setting, seed=1000 + 100 * number)
        sample = SampleLine(
            configuration=setting.configuration(side).hash(),
            round=number,
            attempt=0,
            block=number,
            outcome=Outcome.OK,
            problem=None,
            detail=None,
            start_unix_ns=start,
            process_seconds=time.monotonic() - clock,
            overhead_seconds=0.0,
            records=records,
        )
        lines.append(sample)
    end = BlockEnd(
        block=number,
        unix_ns=time.time_ns(),
        calibration=None,
        foreign_cpu=0.0,
        steal=0.0,
        disturbed=False,
        reasons=[],
    )
    put(path, *lines, end)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--preset", default="libgomp")
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--variant", default="depend")
    parser.add_argument("--size", type=int, default=1024)
    args = parser.parse_args()
    memory = Path("/dev/shm") if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        write_machine(Path(folder), "eight-sockets")
        setting = Setting(
            ROOT / "build" / args.preset / "bin", Path(folder), args.variant, args.size
        )
        if not args.output.exists():
            begin(args.output, setting, args.pairs)
        done = sum(isinstance(line, BlockEnd) for _, line in read_lines(args.output))
        until = time.monotonic() + args.seconds
        while done < args.pairs and time.monotonic() < until:
            take_pair(args.output, setting, done)
            done += 1
    print(f"{done} of {args.pairs} pairs", flush=True)
    print(run_pollux("compare", args.output, "--relevant", RELEVANT).out, end="")


if __name__ == "__main__":
    main()
