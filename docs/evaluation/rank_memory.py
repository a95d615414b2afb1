#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Peak memory of a rank of the factorizations over MPI, beside its share of the matrix.

What a rank has besides, such as the buffers of BLAS and MPI, is found by a run with four rows of
tiles, and taken off.
"""

import argparse
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from pollux.core.executables.builds import DISTRIBUTED, benchmarks_in
from pollux.core.executables.trees import tree_of
from pollux.core.paths import ROOT

MIB = 2**20
ALLOWED = 1.2  # times its share of the matrix, besides the tiles in flight
ROWS_OF_SMALL = 4  # tiles of the run that shows what a rank has besides
HALVES = ("cholesky-mpi",)  # only the tiles on and below the diagonal exist


def run(command: list[str]) -> dict[str, Any]:
    """What rank 0 states of its processes."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(command)}: failed")
    record: dict[str, Any] = json.loads(done.stdout)
    mpi: dict[str, Any] = record["mpi"]
    return mpi


def share_bytes(program: str, size: int, tile: int, ranks: int) -> float:
    """The part of the matrix that a rank has where all have the same."""
    tiles = size // tile
    count = tiles * (tiles + 1) / 2 if program in HALVES else tiles**2
    return 8 * count * tile**2 / ranks


def show(binary: Path, launcher: str, grid: str, args: argparse.Namespace) -> bool:
    """Prints a line. Returns whether the memory is within the limit."""
    rows, columns = map(int, grid.split("x"))
    ranks = rows * columns
    start = [*shlex.split(launcher.format(ranks=ranks)), str(binary)]
    options = ["-b", str(args.tile), "-t", "1", "-r", "1", "-w", "0", "-f", "json"]
    start += ["--grid", grid, "-v", args.variant, *options]
    small = ROWS_OF_SMALL * args.tile
    base = run([*start, "-n", str(small)])
    besides = base["peak_rank_bytes"] - base["in_flight_bytes"]
    besides -= share_bytes(binary.name, small, args.tile, ranks)
    mpi = run([*start, "-n", str(args.size)])
    share = share_bytes(binary.name, args.size, args.tile, ranks)
    used, flight = mpi["peak_rank_bytes"] - besides, mpi["in_flight_bytes"]
    limit = ALLOWED * share + flight
    print(
        f"{binary.name:13} {grid:5} {share / MIB:7.0f} {flight / MIB:9.0f} {used / MIB:7.0f}"
        f" {(used - flight) / share:7.2f} {limit / MIB:7.0f}  {besides / MIB:7.0f}"
        f"  {'yes' if used <= limit else 'NO'}"
    )
    return bool(used <= limit)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--preset", default="libgomp")
    parser.add_argument("--size", type=int, default=8192, help="a multiple of the tile")
    parser.add_argument("--tile", type=int, default=256)
    parser.add_argument("--variant", default="funneled")
    parser.add_argument("--grids", default="1x2,2x2")
    parser.add_argument("--launcher", default="mpirun -n {ranks}")
    args = parser.parse_args()
    tree = tree_of(ROOT / "build", args.preset)
    print(f"N = {args.size}, NB = {args.tile}, {args.variant}; MiB of the rank that has most")
    print("program       grid    share in flight    used x share   limit  besides  within")
    within = [
        show(tree / "bin" / program, args.launcher, grid, args)
        for program in benchmarks_in(tree, DISTRIBUTED)
        for grid in args.grids.split(",")
    ]
    sys.exit(0 if all(within) else 1)


if __name__ == "__main__":
    main()
