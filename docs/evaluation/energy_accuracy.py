#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How accurate energy is and what it costs, on a machine of eight packages written into a folder.

A process advances 16 counters at 100 W each (power_writer.py), which wrap
every 11 s. Measured are the cost of one reading, the energy of sequential runs against that power
times their seconds, and the processor time of the sampler at 10 ms.

    docs/evaluation/energy_accuracy.py [--preset libgomp] [--runs 20] [--sizes 2560 4096]
        [--seconds 20]
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pollux.core.paths import ROOT
from power_writer import first_uj

sys.path.insert(0, str(ROOT / "tests/scripts/helpers"))
from surroundings import environment
from system_tree import Tree, write_machine

WATTS, RANGE_JOULES = 100.0, 1100.0
WRITER = ROOT / "docs/evaluation/power_writer.py"


@contextmanager
def writing(root: Path) -> Iterator[int]:
    """The writer beside; gives the time of its start, nanoseconds since 1970."""
    options = ("--watts", str(WATTS), "--range-joules", str(RANGE_JOULES))
    command = [sys.executable, str(WRITER), str(root), *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()


def run(program: Path, root: Path, *options: object) -> str:
    done = subprocess.run(
        [str(program), *map(str, options)],
        env=environment(POLLUX_SYSTEM_ROOT=str(root), OMP_PROC_BIND="true"),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"{program.name}: {done.stderr}")
    return done.stdout


def wraps_of(record: dict[str, Any], start_ns: int, zones: int) -> int:
    """How many counters wrapped in the timed region."""
    found = 0
    for zone in range(zones):
        first = 1e-6 * first_uj(zone, zones, round(RANGE_JOULES * 1e6))
        begin, end = (
            (first + WATTS * 1e-9 * (record[key] - start_ns)) // RANGE_JOULES
            for key in ("start_unix_ns", "end_unix_ns")
        )
        found += int(end - begin)
    return found


def show_errors(binaries: Path, tree: Tree, size: int, runs: int) -> None:
    zones = len(tree.zones)
    options = ("-n", size, "-t", 1, "-v", "seq", "-r", runs, "-w", 1, "-c", "none", "-f", "json")
    with writing(tree.root) as start_ns:
        lines = run(binaries / "cholesky", tree.root, *options).splitlines()
    records = [json.loads(line) for line in lines]
    errors, wraps = [], 0
    for record in records:
        energy = record["energy"]
        if energy["status"] != "measured":
            sys.exit(f"N = {size}: {energy['status']}: {energy['reason']}")
        errors.append(energy["joules"] / (WATTS * zones * record["seconds"]) - 1)
        wraps += wraps_of(record, start_ns, zones)
    seconds = statistics.median(record["seconds"] for record in records)
    print(
        f"N = {size}: {runs} runs of {seconds:.3f} s, {wraps} wraps: error "
        f"{min(errors):+.3%} to {max(errors):+.3%}, median {statistics.median(errors):+.3%}"
    )


def show_sampler(binaries: Path, tree: Tree, seconds: float) -> None:
    """Processor time of the sampler itself, user and system."""
    with writing(tree.root), tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "power.csv"
        command = [str(binaries / "power-sampler"), "--duration", str(seconds)]
        process = subprocess.Popen(
            [*command, "--output", str(output)],
            env=environment(POLLUX_SYSTEM_ROOT=str(tree.root)),
        )
        _, status, usage = os.wait4(process.pid, 0)
        lines = output.read_text().splitlines()
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit("power-sampler failed")
    first, last = (
        dict(zip(lines[1].split(","), lines[i].split(","), strict=True)) for i in (2, -1)
    )
    elapsed = 1e-9 * (int(last["unix_ns"]) - int(first["unix_ns"]))
    worst = max(
        abs(float(last[name]) - float(first[name])) / (WATTS * elapsed)
        if last[name] and first[name]
        else float("nan")
        for name in first
        if name.endswith(" J")
    )
    share = (usage.ru_utime + usage.ru_stime) / seconds
    print(
        f"sampler: {len(lines) - 2} samples in {elapsed:.2f} s, {share:.2%} of a core; energy of "
        f"its zones off by {worst - 1:+.3%} at most"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--preset", default="libgomp")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--sizes", type=int, nargs="+", default=[2560, 4096])
    parser.add_argument("--seconds", type=float, default=20.0)
    args = parser.parse_args()
    binaries = ROOT / "build" / args.preset / "bin"
    memory = Path("/dev/shm") if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        tree = write_machine(Path(folder), "eight-sockets")
        cost = json.loads(run(binaries / "energy-cost", tree.root, 20000))
        print(
            f"reading {cost['zones']} counters: {cost['median_ns'] / 1000:.1f} µs, 99th percentile "
            f"{cost['p99_ns'] / 1000:.1f} µs"
        )
        for size in args.sizes:
            show_errors(binaries, tree, size, args.runs)
        show_sampler(binaries, tree, args.seconds)


if __name__ == "__main__":
    main()
