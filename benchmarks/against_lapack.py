#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compare the task graphs with OpenBLAS' own threaded LAPACK, in interleaved pairs.

Each pair runs one process of ours and one of lapack-reference directly after each other, in
alternating order, with the same kernel set and thread count. Printed is the median of the ratios
(ours / LAPACK, in GFlop/s) with their range, and the residual check of every run of ours.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

Json = dict[str, Any]

ROOT = Path(__file__).resolve().parent.parent
CASES = {
    "potrf": ("cholesky", ("depend",)),
    "getrf": ("lu", ("multidep", "column", "depend")),
    "geqrf": ("qr", ("depend",)),
}


def environment(**extra: str) -> dict[str, str]:
    return {**os.environ, "OMP_PROC_BIND": "close", "OMP_PLACES": "cores", **extra}


def json_lines(command: list[str], env: dict[str, str]) -> list[Json]:
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def ours(
    binary: Path, variant: str, args: argparse.Namespace, tile: int, repeat: int
) -> list[Json]:
    command = [str(binary), "-n", str(args.size), "-b", str(tile), "-t", str(args.threads)]
    command += ["-v", variant, "-r", str(repeat), "-w", "1", "-f", "json"]
    return json_lines(command, environment())


def median_gflops(records: list[Json]) -> float:
    return float(statistics.median(record["gflops"] for record in records))


def reference(args: argparse.Namespace, routine: str, core: str) -> float:
    binary = ROOT / "build" / args.preset / "bin" / "lapack-reference"
    env = environment(OPENBLAS_NUM_THREADS=str(args.threads), OPENBLAS_CORETYPE=core)
    env.pop("OMP_PROC_BIND")
    return median_gflops(json_lines([str(binary), routine, str(args.size), str(args.repeat)], env))


def best_configuration(
    args: argparse.Namespace, binary: Path, variants: tuple[str, ...]
) -> tuple[str, int]:
    """Variant and tile size with the highest median of two repetitions."""
    candidates = [(v, b) for v in variants for b in args.tiles]
    return max(candidates, key=lambda c: median_gflops(ours(binary, c[0], args, c[1], 2)))


def compare(args: argparse.Namespace, routine: str) -> None:
    benchmark, variants = CASES[routine]
    binary = ROOT / "build" / args.preset / "bin" / benchmark
    variant, tile = best_configuration(args, binary, variants)
    ratios, speeds = [], []
    for pair in range(args.pairs):
        if pair % 2:
            theirs = reference(args, routine, args.core)
            records = ours(binary, variant, args, tile, args.repeat)
        else:
            records = ours(binary, variant, args, tile, args.repeat)
            theirs = reference(args, routine, args.core)
        ratios.append(median_gflops(records) / theirs)
        speeds.append((median_gflops(records), theirs))
    mine, theirs = (statistics.median(column) for column in zip(*speeds, strict=True))
    print(
        f"{args.preset:8} d{routine} N={args.size} {benchmark} {variant} NB={tile}: "
        f"ratio {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}, "
        f"{args.pairs} pairs), {mine:.1f} against {theirs:.1f} GFlop/s",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--preset", default="libgomp")
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--tiles",
        type=lambda t: [int(b) for b in t.split(",")],
        default=[96, 192, 256, 320, 384, 448],
    )
    parser.add_argument("--pairs", type=int, default=8)
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    probe = ROOT / "build" / args.preset / "bin" / "cholesky"
    args.core = ours(probe, "depend", argparse.Namespace(size=64, threads=1), 32, 1)[0]["blas"][
        "core"
    ]
    for routine in CASES:
        compare(args, routine)


if __name__ == "__main__":
    main()
