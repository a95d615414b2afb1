# SPDX-License-Identifier: BSD-3-Clause
"""Runs the programs over MPI while messages are delayed and finish in random order, and with faults
planted in messages: no run hangs, all digests are equal, and every fault is found.

    tests/endurance/delayed_messages.py BUILD [--runs N] [--faults N] [--seed S]
        [--variant V] [--threads T[,T...]]

BUILD is a build tree with tests, such as build/libgomp. Runs draw from the numbers of threads, with
each of which one variant alone must be able to run; faults are planted with the first of them.
Ctrl-C ends the runs and reports those so far. Exit status: 0 all as it should be, 1 not.
"""

import argparse
import json
import random
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from mpi import OPEN_MPI

GRIDS = ("1x1", "2x1", "1x2", "2x2", "4x1", "1x4", "3x2", "6x1", "16x1")
FAULTS = ("lost", "doubled", "early", "wrong")
SMALL = ("-n", "97", "-b", "16", "-r", "2", "-w", "0", "-f", "json")
LIMIT_SECONDS = 600


@dataclass(frozen=True)
class Build:
    """A build tree, the MPI that it was built with, and what of it is run."""

    tree: Path
    variant: str
    threads: list[str]

    @property
    def programs(self) -> list[str]:
        lists: dict[str, list[str]] = json.loads((self.tree / "bin/benchmarks.json").read_text())
        return lists["distributed"]

    @property
    def mpirun(self) -> str:
        lines = (self.tree / "CMakeCache.txt").read_text().splitlines()
        name = "MPIEXEC_EXECUTABLE:"
        return next(line.partition("=")[2] for line in lines if line.startswith(name))

    def cases(self) -> Iterator[tuple[str, ...]]:
        """Each program, with each word of its parameters, or the first numbers from 1 on."""
        for program in self.programs:
            asked = subprocess.run(
                [self.tree / "bin" / program, "--list", "-f", "json"],
                capture_output=True,
                check=True,
            )
            listed = json.loads(asked.stdout)["parameters"]
            values = [(p["parameter"], v) for p in listed for v in p.get("words", (1, 2))]
            yield from ((program, f"--{name}", str(value)) for name, value in values)
            if not values:
                yield (program,)

    def run(
        self, case: tuple[str, ...], grid: str, options: list[str], double: dict[str, object]
    ) -> "subprocess.CompletedProcess[str]":
        """One run, with what the library between program and MPI does to messages."""
        rows, columns = map(int, grid.split("x"))
        settings = {"LD_PRELOAD": self.tree / "tests/doubles/messages.so", **double}
        words = [f"{name}={value}" for name, value in settings.items()]
        program = str(self.tree / "bin" / case[0])
        command = [self.mpirun, "-n", str(rows * columns), "env", "OMP_WAIT_POLICY=passive"]
        command += [*(f"{name}={value}" for name, value in OPEN_MPI.items()), *words]
        command += [program, *case[1:], *SMALL, "-v", self.variant, "--grid", grid, *options]
        environment = [f"{name}={value}" for name, value in OPEN_MPI.items()]
        return subprocess.run(
            ["env", *environment, *command],
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT_SECONDS,
        )


@dataclass
class Tally:
    """What came out."""

    runs: int = 0
    digests: dict[tuple[str, int], Counter[str]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    wrong: list[str] = field(default_factory=list)


def delay(build: Build, runs: int, draw: random.Random, tally: Tally) -> None:
    """Every program on every grid, so many times."""
    for _, grid, case in product(range(runs), GRIDS, list(build.cases())):
        seed, threads, ahead = draw.randrange(10**6), draw.choice(build.threads), draw.randint(1, 3)
        double: dict[str, object] = {"POLLUX_DOUBLE_SEED": seed, "POLLUX_DOUBLE_DELAY": 200}
        options = ["-t", threads, "--ahead", str(ahead), "--patience", "200"]
        ended = build.run(case, grid, options, double)
        tally.runs += 1
        if ended.returncode != 0:
            words = " ".join(case)
            tally.wrong.append(f"{words} {grid} {options} seed {seed}: {ended.stderr[-400:]}")
        for line in ended.stdout.splitlines():
            record = json.loads(line)
            tally.digests[" ".join(case), record["seed"]][record["digest"]] += 1


def plant(build: Build, faults: int, tally: Tally) -> Counter[str]:
    """Each fault in so many messages, one after another. @return how often each was found."""
    found: Counter[str] = Counter()
    for case, fault, number in product(build.cases(), FAULTS, range(faults)):
        double: dict[str, object] = {
            "POLLUX_DOUBLE_FAULT": fault,
            "POLLUX_DOUBLE_MESSAGE": number % 5,  # the fewest that rank 0 sends in these runs
            "POLLUX_DOUBLE_SEED": number,
        }
        grid = ("2x1", "1x2", "2x2")[number % 3]
        ended = build.run(case, grid, ["-t", build.threads[0], "--patience", "1"], double)
        if ended.returncode in (1, 3):
            found[fault] += 1
        else:
            words = " ".join(case)
            tally.wrong.append(f"{words}: {fault} in message {number % 5} on {grid} not found")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("build", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--faults", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--variant", default="all")
    parser.add_argument("--threads", default="1,2,3")
    given = parser.parse_args()
    build = Build(given.build, given.variant, given.threads.split(","))
    tally, start = Tally(), time.monotonic()
    with suppress(KeyboardInterrupt):
        delay(build, given.runs, random.Random(given.seed), tally)
    for (case, seed), digests in sorted(tally.digests.items()):
        counts = ", ".join(f"{digest} {count} times" for digest, count in digests.items())
        print(f"{case}, matrix {seed}: {counts}")
        if len(digests) > 1:
            tally.wrong.append(f"{case}: {len(digests)} digests of matrix {seed}")
    found = plant(build, given.faults, tally)
    print(f"{tally.runs} runs with delayed messages, --seed {given.seed}")
    planted = given.faults * len(list(build.cases()))
    print("faults found: " + ", ".join(f"{f} {found[f]} of {planted}" for f in FAULTS))
    for line in tally.wrong:
        print(f"wrong: {line}")
    print(f"{len(tally.wrong)} wrong, in {time.monotonic() - start:.0f} s")
    return int(bool(tally.wrong))


if __name__ == "__main__":
    sys.exit(main())
