#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compare the task graphs with other programs, in interleaved rounds.

Every round runs each contender once, as a process of its own, in an order that rotates from round
to round: ours with each kernel set of --kernels, OpenBLAS' own threaded LAPACK, its dgemm of order
4096, and any peer given by

    --peer 'NAME=COMMAND {algorithm} {n} {nb} {ib} {threads} {repeat}'

a program that prints one JSON line with "gflops" for each repetition of algorithm potrf, getrf,
getrf-cw or geqrf, as LAPACK Working Note 41 counts operations, or of jacobi: four sweeps, five
operations for each point. Printed are ratios of medians within rounds, ours over theirs: median,
least and greatest. With six rounds or more that range contains the true median ratio with a
confidence of 95 %. Every run of ours is verified, and its digest must be the same in all rounds.

Each contender runs at its own best tile, found by short runs beforehand; with --same-tile all run
at that tile, ours square.
"""

import argparse
import json
import shlex
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from pollux.core.paths import ROOT

sys.path.insert(0, str(ROOT / "tests/scripts/helpers"))
from surroundings import environment

Json = dict[str, Any]
Run = Callable[[str, int], list[Json]]  # tile, repetitions

OURS = {
    "potrf": "cholesky",
    "getrf": "lu",
    "getrf-cw": "lu-cw",
    "geqrf": "qr",
    "jacobi": "jacobi",
}
VARIANTS = {
    "potrf": ("depend",),
    "getrf": ("depend", "late", "ahead", "column"),
    "getrf-cw": ("cw",),
    "geqrf": ("depend",),
    "jacobi": ("depend",),
}
OF_LAPACK = tuple(name for name in OURS if name != "jacobi")
GEMM_ORDER = 4096
DEFAULT = "default"  # among tiles: the programs' own choice


@dataclass
class Contender:
    """A program that runs in every round, at its best tile."""

    name: str
    tiles: tuple[str, ...]
    run: Run
    kernels: str = ""  # kernel set, of ours
    tile: str = ""
    found: float = 0.0
    gflops: list[float] = field(default_factory=list)


def json_lines(command: list[str], **settings: str) -> list[Json]:
    env = environment(OMP_PROC_BIND="close", OMP_PLACES="cores", **settings)
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        sys.exit(f"{shlex.join(command)}: exit status {done.returncode}\n{done.stderr}")
    return lines


def median_gflops(lines: Iterable[Json]) -> float:
    return statistics.median(float(line["gflops"]) for line in lines)


def ours(  # noqa: PLR0913, PLR0917 (what distinguishes our runs)
    args: argparse.Namespace, algorithm: str, n: int, variant: str, kernels: str, inner: str
) -> Run:
    """Our program; exits if a factorization is wrong, or differs from an earlier one."""
    program = ROOT / "build" / args.preset / "bin" / OURS[algorithm]
    digests: dict[tuple[str, int], str] = {}

    def run(tile: str, repeat: int) -> list[Json]:
        command = [str(program), "-n", str(n), "-t", str(args.threads), "-v", variant]
        command += ["--kernels", kernels]
        command += ["-r", str(repeat), "-w", str(args.warmup), "-f", "json"]
        command += ["-b", tile] if tile != DEFAULT else []
        command += ["-i", inner] if inner and tile != DEFAULT else []
        lines = json_lines(command, **args.forced)
        for line in lines:
            same = digests.setdefault((tile, line["seed"]), line["digest"])
            if not line["passed"] or line["digest"] != same:
                sys.exit(f"{shlex.join(command)}: a factorization is wrong")
        return lines

    return run


def lapack(args: argparse.Namespace, algorithm: str, n: int) -> Run:
    """LAPACK's routine; concurrent writes are a property of the graph: getrf-cw is getrf here."""
    routine = algorithm.removesuffix("-cw")
    program = ROOT / "build" / args.preset / "bin" / "lapack-reference"

    def run(tile: str, repeat: int) -> list[Json]:
        settings = {"OPENBLAS_NUM_THREADS": str(args.threads), "OPENBLAS_CORETYPE": args.core}
        return json_lines([str(program), routine, str(n), str(repeat)], **settings)

    return run


def dgemm(args: argparse.Namespace) -> Run:
    """One product in each round: an upper bound for a factorization of this order."""
    run = lapack(args, "gemm", GEMM_ORDER)
    return lambda tile, repeat: run(tile, 1)


def peer(args: argparse.Namespace, command: str, algorithm: str, n: int) -> Run:
    def run(tile: str, repeat: int) -> list[Json]:
        words = command.format(
            algorithm=algorithm, n=n, nb=tile, ib=args.inner, threads=args.threads, repeat=repeat
        )
        settings = {"OPENBLAS_NUM_THREADS": "1", "OPENBLAS_CORETYPE": args.core}
        return json_lines(shlex.split(words), OMP_NUM_THREADS=str(args.threads), **settings)

    return run


def tile_of(text: str, n: int) -> str:
    """Our tile; NxNB stands for whole columns of an n x n matrix."""
    rows, times, nb = text.partition("x")
    return f"{-(-n // int(nb)) * int(nb)}x{nb}" if rows == "N" and times else text


def inners_of(args: argparse.Namespace, algorithm: str, tile: str) -> tuple[str, ...]:
    """Ours to try; empty: the program's own, which belongs to its default tile."""
    if algorithm != "geqrf" or (not tile and args.tiles == (DEFAULT,)):
        return ("",)
    return (args.inner,) if tile else args.inners


def contenders(
    args: argparse.Namespace, algorithm: str, n: int, tile: str
) -> tuple[list[Contender], list[Contender]]:
    """Ours, the best of each kernel set, and the others; `tile` is the tile for all, or empty."""
    mine = (tile,) if tile else tuple(tile_of(t, n) for t in args.tiles)
    theirs = (tile,) if tile else args.peer_tiles
    variants = VARIANTS[algorithm][:1] if tile else VARIANTS[algorithm]
    sets = args.kernels if algorithm in OF_LAPACK else ("loops",)
    inners = inners_of(args, algorithm, tile)
    all_of_us = [
        Contender(
            f"{variant} IB={i}" if i else variant,
            mine,
            ours(args, algorithm, n, variant, kernels, i),
            kernels,
        )
        for kernels in sets
        for variant in variants
        for i in inners
    ]
    others = [Contender(p[0], theirs, peer(args, p[1], algorithm, n)) for p in args.peer]
    if not tile and algorithm in OF_LAPACK:
        others.append(Contender("LAPACK", ("-",), lapack(args, algorithm, n)))
    for contender in [*all_of_us, *others]:
        contender.tile = contender.tiles[0]
    open_questions = [c for c in others if len(c.tiles) > 1]
    if len(mine) * len(all_of_us) > len(sets):
        open_questions += all_of_us
    seek_tiles(open_questions, args.seek)
    best = [
        max((c for c in all_of_us if c.kernels == kernels), key=lambda c: c.found)
        for kernels in sets
    ]
    if not tile and algorithm in OF_LAPACK:
        others.append(Contender("dgemm", ("-",), dgemm(args), tile="-"))
    return best, others


def seek_tiles(all_of_them: list[Contender], rounds: int) -> None:
    """Sets each contender's tile to that with the highest median of interleaved short runs."""
    choices = [(contender, tile) for contender in all_of_them for tile in contender.tiles]
    speeds: list[list[float]] = [[] for _ in choices]
    for _ in range(rounds):
        for (contender, tile), found in zip(choices, speeds, strict=True):
            found.append(median_gflops(contender.run(tile, 1)))
    for (contender, tile), found in zip(choices, speeds, strict=True):
        speed = statistics.median(found)
        print(
            f"#   {contender.kernels} {contender.name} {tile}: {speed:.1f}",
            file=sys.stderr,
            flush=True,
        )
        if speed > contender.found:
            contender.tile, contender.found = tile, speed


def measure(args: argparse.Namespace, all_of_them: list[Contender]) -> None:
    for number in range(args.rounds):
        first = number % len(all_of_them)
        for contender in all_of_them[first:] + all_of_them[:first]:
            lines = contender.run(contender.tile, args.repeat)
            contender.gflops.append(median_gflops(lines))


def ratio_text(mine: Contender, other: Contender) -> str:
    ratios = [a / b for a, b in zip(mine.gflops, other.gflops, strict=True)]
    return f"{statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})"


def compare(args: argparse.Namespace, algorithm: str, n: int, tile: str) -> None:
    all_of_us, others = contenders(args, algorithm, n, tile)
    measure(args, [*all_of_us, *others])
    for mine, other in product(all_of_us, others):
        at = f" NB={other.tile}" if other.tile != "-" else ""
        print(
            f"| {args.preset} | {algorithm} | {n} | {mine.kernels} {mine.name} {mine.tile} | "
            f"{other.name}{at} | {ratio_text(mine, other)} | "
            f"{statistics.median(mine.gflops):.1f} | {statistics.median(other.gflops):.1f} |",
            flush=True,
        )


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--preset", default="libgomp")
    parser.add_argument("--size", type=words, default=("2048", "4096", "8192"))
    parser.add_argument("--algorithm", type=words, default=("potrf", "getrf", "geqrf"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--kernels", type=words, default=("openblas",), help="our kernel sets: openblas,tuned"
    )
    parser.add_argument(
        "--tiles",
        type=words,
        default=("96", "128", "192", "256", "384"),
        help="ours; NxNB: whole columns of a matrix of order N; default: the programs' own",
    )
    parser.add_argument("--core", help="OpenBLAS' kernels for all, such as Haswell")
    parser.add_argument("--isa", help="instruction set of our own code: avx512 or avx2")
    parser.add_argument("--inners", type=words, default=("64",), help="ours for QR")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--peer-tiles", type=words, default=("96", "128", "192", "256", "384"))
    parser.add_argument(
        "--inner", default="32", help="the peers' inner block, and all with --same-tile"
    )
    parser.add_argument("--same-tile", type=words, default=("",))
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--warmup", type=int, default=1, help="ours, in each process")
    parser.add_argument("--seek", type=int, default=3, help="rounds when seeking the tiles")
    args = parser.parse_args()
    args.peer = [tuple(p.split("=", 1)) for p in args.peer]
    forced = {"OPENBLAS_CORETYPE": args.core, "POLLUX_KERNELS_ISA": args.isa}
    args.forced = {name: value for name, value in forced.items() if value}
    args.core = ours(args, "potrf", 64, "depend", "openblas", "")("32", 1)[0]["blas"]["core"]
    return args


def main() -> None:
    args = parse()
    print("| runtime | algorithm | N | ours | theirs | ratio | GFlop/s | theirs |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for n in map(int, args.size):
        for algorithm in args.algorithm:
            for tile in args.same_tile:
                compare(args, algorithm, n, tile)


if __name__ == "__main__":
    main()
