#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compare the factorizations over MPI, in interleaved rounds, with ScaLAPACK or SLATE on the same
grid of ranks of as many threads (--against scalapack or slate), with one rank that has all their
threads (--against threads), or with the variant detach (--against detach --variant callback).

Every round runs both once, as processes of their own, in an order that changes from round to round.
Printed are ratios of their medians within rounds, ours over the other's: median, least and
greatest. Both run at their own best tile, found by a short run of each beforehand. Every run is
verified.
"""

import argparse
import json
import shlex
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from pollux.core.paths import ROOT

sys.path.insert(0, str(ROOT / "tests/scripts/helpers"))
from surroundings import environment, kernels_chosen

OURS = {
    "potrf": "cholesky-mpi",
    "getrf": "lu-mpi",
    "getrf_nopiv": "lu-mpi --pivoting=none",  # ScaLAPACK has none
    "geqrf": "qr-mpi",
}


@dataclass(frozen=True)
class Library:
    """What ours are compared with: its program, tile sizes to choose from, the variable that gives
    a rank its threads, and the only preset that builds the program, if it is one."""

    name: str
    program: str
    blocks: str
    threads: str
    preset: str = ""


LIBRARIES = {
    "scalapack": Library("ScaLAPACK", "scalapack-reference", "32,64,128", "OPENBLAS_NUM_THREADS"),
    "slate": Library(
        "SLATE", "slate-reference", "64,96,128,192,256,384", "OMP_NUM_THREADS", "libgomp"
    ),
}


@dataclass
class Contender:
    """A command with {tile} and {repeat} to be filled in."""

    name: str
    command: str
    tiles: list[str]
    settings: dict[str, str] = field(default_factory=dict)
    tile: str = ""
    gflops: list[float] = field(default_factory=list)

    def run(self, tile: str, repeat: int) -> float:
        """The median speed of a process."""
        command = shlex.split(self.command.format(tile=tile, repeat=repeat))
        env = environment(**kernels_chosen(), OPENBLAS_NUM_THREADS="1") | self.settings
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        if done.returncode != 0 or len(lines) != repeat:
            sys.exit(f"{shlex.join(command)}: exit status {done.returncode}\n{done.stderr}")
        return statistics.median(float(json.loads(line)["gflops"]) for line in lines)

    def choose_tile(self) -> None:
        self.tile = max(self.tiles, key=lambda tile: self.run(tile, 1))


def ours(args: argparse.Namespace, routine: str, size: int, grid: str) -> Contender:
    options = f"-n {size} -b {{tile}} --grid {grid} -t {args.threads} -v {args.variant}"
    options += " -r {repeat} -w 1 -f json"
    program = programs(args.preset) / OURS[routine]
    name = f"{OURS[routine]} {grid} x {args.threads} {args.variant}"
    return Contender(name, f"{start(args, grid)} {program} {options}", args.tiles.split(","))


def library(args: argparse.Namespace, routine: str, size: int, grid: str) -> Contender:
    other = LIBRARIES[args.against]
    options = f"{routine} {size} {{tile}} {grid.replace('x', ' ')} {{repeat}}"
    program = programs(other.preset or args.preset) / other.program
    command = f"{start(args, grid)} {program} {options}"
    blocks = (args.blocks or other.blocks).split(",")
    name = f"{other.name} {grid} x {args.threads}"
    return Contender(name, command, blocks, {other.threads: str(args.threads)})


def programs(preset: str) -> Path:
    return ROOT / "build" / preset / "bin"


def start(args: argparse.Namespace, grid: str) -> str:
    rows, columns = map(int, grid.split("x"))
    launcher: str = args.launcher
    return launcher.format(ranks=rows * columns)


def pair(args: argparse.Namespace, routine: str, size: int, grid: str) -> list[Contender]:
    own = ours(args, routine, size, grid)
    if args.against in LIBRARIES:
        return [own, library(args, routine, size, grid)]
    if args.against == "detach":
        return [own, ours(changed(args, variant="detach"), routine, size, grid)]
    rows, columns = map(int, grid.split("x"))
    all_threads = rows * columns * args.threads
    return [own, ours(changed(args, threads=all_threads), routine, size, "1x1")]


def changed(args: argparse.Namespace, **options: object) -> argparse.Namespace:
    return argparse.Namespace(**(vars(args) | options))


def compare(contenders: list[Contender], rounds: int, repeat: int) -> str:
    """The rounds, and a line about them."""
    for contender in contenders:
        contender.choose_tile()
    for number in range(rounds):
        for contender in contenders if number % 2 == 0 else contenders[::-1]:
            contender.gflops.append(contender.run(contender.tile, repeat))
    own, other = contenders
    ratios = [a / b for a, b in zip(own.gflops, other.gflops, strict=True)]
    speeds = ", ".join(
        f"{c.name} {statistics.median(c.gflops):.1f} (NB {c.tile})" for c in contenders
    )
    return (
        f"ratio {statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})"
        f"  GFlop/s: {speeds}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--against", choices=(*LIBRARIES, "threads", "detach"), default="scalapack")
    parser.add_argument("--preset", default="libgomp")
    parser.add_argument("--routines", default="potrf,getrf,geqrf")
    parser.add_argument("--sizes", default="2048,4096")
    parser.add_argument("--grids", default="1x2")
    parser.add_argument("--variant", default="detach")
    parser.add_argument("--tiles", default="128,192,256", help="of ours")
    parser.add_argument("--blocks", help="of the other library")
    parser.add_argument("--threads", type=int, default=1, help="of a rank")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--launcher", default="mpirun -n {ranks}")
    args = parser.parse_args()
    for routine in args.routines.split(","):
        for size in map(int, args.sizes.split(",")):
            for grid in args.grids.split(","):
                line = compare(pair(args, routine, size, grid), args.rounds, args.repeat)
                print(f"{routine} N = {size}: {line}", flush=True)


if __name__ == "__main__":
    main()
