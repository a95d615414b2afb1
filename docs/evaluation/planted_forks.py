#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether regions finds a planted cost of inner forks, in its size and in the right row.

A tool of OMPT (tests/doubles/delaying.c) makes each parallel region inside another begin 10 µs
later. A campaign is a number of pairs of fresh processes, with and without that delay, in random
order, and the result of a row is the median of its differences. Without the delay the tool is
loaded too. Each outer thread opens one inner region, all at the same time: the time of all loops
rises by the delay, however many outer threads there are, and the overhead of an inner region by the
delay divided by their number. A campaign is right where the rows of the form `parallel` rise by the
delay within 25 %, and rows of other forms by less than a quarter of it.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
from pathlib import Path

from pollux.core.paths import ROOT

sys.path.insert(0, str(ROOT / "tests/scripts/helpers"))
from surroundings import environment

DELAY = 10_000.0  # ns
TOLERANCE = 0.25
FORMS = "flat,parallel,task"
SETTINGS = {"OMP_PROC_BIND": "close", "OMP_PLACES": "cores"}
Row = tuple[str, int]  # form, and outer threads


def process(args: argparse.Namespace, delay: float) -> dict[Row, float]:
    """The time of all loops in each row, in ns: the shortest repetition, since
    other load only lengthens them."""
    settings = {
        "OMP_TOOL_LIBRARIES": str(ROOT / args.build / "tests/doubles/delaying.so"),
        "POLLUX_DOUBLE_FORK": str(delay),
    }
    command = [ROOT / args.build / "bin/regions", "-v", FORMS, "-t", args.threads]
    command += ["--inner", "2", "-r", str(args.repeat), "-f", "json"]
    done = subprocess.run(
        command,
        env=environment(**SETTINGS, **settings),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stderr}")
    times: dict[Row, list[float]] = {}
    for record in map(json.loads, done.stdout.splitlines()):
        row = record["variant"], record["threads"]
        times.setdefault(row, []).append(record["quantities"]["region"]["value"])
    return {row: min(values) for row, values in times.items()}


def rises(args: argparse.Namespace) -> dict[Row, float]:
    differences: list[dict[Row, float]] = []
    for _ in range(args.pairs):
        delays = random.sample((0.0, DELAY), 2)
        found = {delay: process(args, delay) for delay in delays}
        differences.append({row: found[DELAY][row] - found[0.0][row] for row in found[0.0]})
    return {row: statistics.median(d[row] for d in differences) for row in differences[0]}


def is_right(found: dict[Row, float]) -> bool:
    return all(
        abs(rise - DELAY) <= TOLERANCE * DELAY
        if form == "parallel"
        else abs(rise) < TOLERANCE * DELAY
        for (form, _), rise in found.items()
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--build", type=Path, default=Path("build/libomp"))
    parser.add_argument("--threads", default="1", help="outer threads: a list")
    parser.add_argument("--campaigns", type=int, default=5)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--repeat", type=int, default=5, help="repetitions of each process")
    args = parser.parse_args()
    right = 0
    for number in range(args.campaigns):
        found = rises(args)
        right += is_right(found)
        rows = "  ".join(
            f"{form} {threads}: {rise:+.0f}" for (form, threads), rise in found.items()
        )
        verdict = "right" if is_right(found) else "wrong"
        print(f"{number + 1:3} rises in ns: {rows}  {verdict}", flush=True)
    print(f"right in {right} of {args.campaigns}")
    return 0 if right >= 0.9 * args.campaigns else 1


if __name__ == "__main__":
    raise SystemExit(main())
