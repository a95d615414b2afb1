#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Count how often `pollux bisect` finds the commit, in repositories whose truth is known.

Each repository has 64 commits. What they build is a library between program and libgomp
(tests/doubles/slowed.c) whose tasks take longer from a random commit on, by --cost; three others do
not build, and one breaks the factors (tests/doubles/wrong.c). Those are not next to the planted
one, from which nothing could tell them. Shown are the commits that were found, how many were built
and did not build besides the two ends, and the time that campaigns took.

Exit status: 0 all were found, each in at most 7 builds and --seconds of measuring; 1 not so.
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from pollux.core.campaign.lines import BlockEnd, BlockStart
from pollux.core.campaign.reading import read_lines
from pollux.core.paths import ROOT

sys.path.insert(0, str(ROOT / "tests/scripts/helpers"))
from planted_commits import BROKEN, commit_files, make_repository
from pollux_process import POLLUX
from surroundings import environment

COMMITS = 64
MOST_BUILDS = 7


def plant(folder: Path, rng: random.Random, cost: float) -> tuple[list[str], int]:
    """All commits, the oldest first, and the planted one's number."""
    planted = rng.randrange(2, COMMITS - 1)
    free = [n for n in range(1, COMMITS - 1) if abs(n - planted) > 1]
    *broken, wrong = rng.sample(free, 4)
    files = [
        commit_files(cost if n >= planted else 0.0, "wrong" if n == wrong else "slowed", n)
        | (BROKEN if n in broken else {})
        for n in range(COMMITS)
    ]
    return make_repository(folder, files), planted


def seconds_of(state: Path) -> float:
    """The time that the blocks of all campaigns took."""
    total = 0.0
    for path in state.glob("commits/*/*.jsonl"):
        begins: dict[int, int] = {}
        for _, line in read_lines(path):
            if isinstance(line, BlockStart):
                begins[line.block] = line.unix_ns
            elif isinstance(line, BlockEnd) and line.block in begins:
                total += (line.unix_ns - begins[line.block]) / 1e9
    return total


def search(folder: Path, rng: random.Random, options: argparse.Namespace) -> bool:
    """One repository; whether the commit was found within the bounds."""
    commits, planted = plant(folder / "repository", rng, options.cost)
    state = folder / "state"
    command: list[str] = [str(POLLUX), "bisect", "--good", commits[0], "--bad", commits[-1]]
    command += ["--repository", str(folder / "repository"), "--build", "sh build.sh"]
    command += ["--library", "double.so", "--preload", "--preset", "libgomp"]
    command += ["--benchmark", "cholesky", "--size", options.size, "--tile", options.tile]
    command += ["--state", str(state), "--budget", options.budget, "--explain", "0s"]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    found = re.search(r"^first bad commit: \w+ \(commit (\d+)\)", done.stdout, re.MULTILINE)
    known = json.loads((state / "bisection.json").read_text())["commits"]
    built = [commit["library"] is not None for commit in known.values()]
    builds, others, seconds = built.count(True) - 1, built.count(False), seconds_of(state)
    is_right = found is not None and int(found[1]) == planted
    words = f"commit {found[1]}" if found else f"none (status {done.returncode})"
    print(
        f"planted {planted}, found {words}; {builds} builds and {others} that failed, "
        f"{seconds:.0f} s of measuring",
        flush=True,
    )
    if not is_right:
        print(done.stdout[-2000:] + done.stderr[-1000:])
    return is_right and builds <= MOST_BUILDS and seconds <= options.seconds


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repositories", type=int, default=20)
    parser.add_argument("--cost", type=float, default=0.1, help="share by which tasks are slower")
    parser.add_argument("--size", default="1024")
    parser.add_argument("--tile", default="128")
    parser.add_argument("--budget", default="2m", help="for a commit")
    parser.add_argument("--seconds", type=float, default=180.0, help="of measuring, at most")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    rng, kept = random.Random(options.seed), 0
    for _ in range(options.repositories):
        with tempfile.TemporaryDirectory() as folder:
            kept += search(Path(folder), rng, options)
    print(f"{kept} of {options.repositories} found within the bounds")
    return int(kept < options.repositories)


if __name__ == "__main__":
    sys.exit(main())
