#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The cost of tracing: in one process, pairs of an untraced repetition and a traced one after it.

The control has pairs of untraced repetitions in the same places. The cost is the ratio of the
medians of both kinds, minus 1. Next to it is the cost that the program reports: the measured cost
of recording one call, times the calls, over the threads' time.
"""

import argparse
import json
import subprocess
import sys
from itertools import product
from math import exp, log
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from pollux.core.analysis.statistics import independent_shifts
from pollux.core.paths import ROOT

sys.path.insert(0, str(ROOT / "tests/scripts/helpers"))
from surroundings import environment

CASES = (("cholesky", "depend"), ("lu", "depend"), ("lu-cw", "cw"), ("qr", "depend"))
MOST = 100  # configurations of one process; the executables take 256 sizes

Records = list[dict[str, Any]]


def run(command: list[str]) -> Records:
    variables = environment(OMP_PROC_BIND="close", OMP_PLACES="cores")
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def headers(path: Path) -> Records:
    with path.open() as file:
        return [json.loads(line) for line in file if line.startswith("{")]


def traced(command: list[str], folder: Path) -> tuple[list[float], float]:
    """Logarithms of traced over untraced, and the share that the program reports."""
    path = folder / "trace"
    before = run([*command, "-r", "1", "--trace", str(path)])
    after = headers(path)
    records = [header["record"] for header in after]
    reported = [
        h["event_cost_ns"] * r["tasks"] / (1e9 * r["seconds"] * r["threads"])
        for h, r in zip(after, records, strict=True)
    ]
    pairs = zip(before, records, strict=True)
    return [log(b["seconds"] / a["seconds"]) for a, b in pairs], float(np.median(reported))


def untraced(command: list[str]) -> list[float]:
    """Logarithms of the second over the first of two repetitions."""
    records = run([*command, "-r", "2"])
    pairs = zip(records[::2], records[1::2], strict=True)
    return [log(b["seconds"] / a["seconds"]) for a, b in pairs]


def cost(command: list[str], rounds: int) -> tuple[str, float]:
    """Per cent by which tracing lengthens a run, with its 95 % interval; the share it reports."""
    with_it: list[float] = []
    without: list[float] = []
    with TemporaryDirectory() as folder:
        for _ in range(rounds):
            more, reported = traced(command, Path(folder))
            with_it += more
            without += untraced(command)
    shifts = independent_shifts(np.array([with_it]), np.array([without]))
    middle, low, high = (
        100 * (exp(float(x[0])) - 1) for x in (shifts.estimate, shifts.low, shifts.high)
    )
    return f"{middle:+.2f} % ({low:+.2f} to {high:+.2f})", 100 * reported


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--preset", nargs="+", default=["libgomp", "libomp"])
    parser.add_argument("--size", type=int, default=2048)
    parser.add_argument("--tile", type=int, default=128)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--pairs", type=int, default=20, help="of one process")
    parser.add_argument("--rounds", type=int, default=5, help="processes of each kind, in turns")
    args = parser.parse_args()
    if not 1 <= args.pairs <= MOST:
        sys.exit(f"--pairs {args.pairs}: from 1 to {MOST} are possible")
    print(f"N = {args.size}, NB = {args.tile}, {args.threads} threads, ", end="")
    print(f"{args.rounds * args.pairs} pairs: measured, and as the program reports")
    sizes = ",".join([str(args.size)] * args.pairs)
    for preset, (benchmark, variant) in product(args.preset, CASES):
        binary = ROOT / "build" / preset / "bin" / benchmark
        options = f"-n {sizes} -b {args.tile} -t {args.threads} -v {variant}".split()
        command = [str(binary), *options, "-w", "1", "-c", "none", "-f", "json"]
        text, reported = cost(command, args.rounds)
        print(f"{preset:8} {benchmark:8} {text}, {reported:.3f} %", flush=True)


if __name__ == "__main__":
    main()
