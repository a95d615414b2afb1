#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether task-overhead attributes a planted cost to the term that it was planted in, in its size.

A library between program and runtime (tests/doubles/costly.c) adds 100 ns to the creation of a
task, or 100 ns to each depend item, or 1 µs to the release of a task's successors, or --cost to
any. A campaign is a number of pairs of fresh processes, with and without the cost, in random order,
and the result of a term is the median of its differences. Without the cost the library is there
too, and all processes wait for 100 ns at each creation: so tasks take the same path, and the
processor stops to wait in either case. A campaign is right where the planted term rises by the
planted time, within 15 %, and where no other term rises or falls by as much as 15 % of it. Where a
runtime runs tasks as they are created, as libomp does on one thread, there are no terms: then it is
right where a task of a chain takes longer by that time as a whole.
"""

import argparse
import json
import random
import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from neighbours import CONDITIONS, neighbours
from pollux.core.paths import ROOT
from task_overhead import Record, run

TOLERANCE = 0.15
MOST_ITEMS = 16
TERMS = ("creation", "item", "release")
PLANTED = {"creation": 100.0, "item": 100.0, "release": 1000.0}  # ns
WHOLE = "task"  # all of its cost, where the terms are not known
BOTH = {"creation": 100.0, "item": 0.0, "release": 0.0}  # what processes without the cost wait


@dataclass(frozen=True)
class Campaign:
    """How far each term rose, in ns."""

    planted: str
    cost: float
    rise: dict[str, float]

    @property
    def error(self) -> float:
        return self.rise.get(self.planted, self.rise.get(WHOLE, 0.0)) / self.cost - 1

    @property
    def blamed(self) -> str:
        return max(self.rise, key=lambda term: self.rise[term])

    @property
    def right(self) -> bool:
        limit = TOLERANCE * self.cost
        others = (self.rise[term] for term in self.rise if term not in (self.planted, WHOLE))
        return abs(self.error) <= TOLERANCE and all(abs(rise) < limit for rise in others)


def median_term(records: list[Record], term: str, pattern: str, items: int | None) -> float | None:
    values = [
        float(r["quantities"][term]["value"])
        for r in records
        if (r["variant"], r["parameters"].get("items")) == (pattern, items)
        and r["quantities"][term]["value"] is not None
    ]
    return statistics.median(values) if values else None


def terms_of(records: list[Record]) -> dict[str, float]:
    """The terms without each other: the creation of a task is that without items."""
    item = median_term(records, "per_item", "independent", MOST_ITEMS)
    with_one = median_term(records, "creation", "independent", 1)
    release = median_term(records, "release", "chain", None)
    if item is not None and with_one is not None and release is not None:
        return {"creation": with_one - item, "item": item, "release": release}
    whole = median_term(records, "ns_per_task", "chain", None)
    if whole is None:
        sys.exit("chain: the time of a task is not known, because tasks ran in a wrong order")
    return {WHOLE: whole}


def process(args: argparse.Namespace, settings: dict[str, str]) -> dict[str, float]:
    options = ("-p", "independent,chain", "--items", f"1,{MOST_ITEMS}", "-n", args.tasks)
    repeat = ("-t", args.threads, "-r", args.repeat)
    library = str(ROOT / args.build / "tests/doubles/costly.so")
    return terms_of(run(args.build, *options, *repeat, LD_PRELOAD=library, **settings))


def campaign(args: argparse.Namespace, planted: str, ns: float) -> Campaign:
    without = {f"POLLUX_DOUBLE_{term.upper()}": str(BOTH[term]) for term in TERMS}
    cost = {f"POLLUX_DOUBLE_{planted.upper()}": str(BOTH[planted] + ns)}
    differences = []
    for _ in range(args.pairs):
        with_first = random.random() < 0.5
        first = process(args, {**without, **(cost if with_first else {})})
        second = process(args, {**without, **({} if with_first else cost)})
        high, low = (first, second) if with_first else (second, first)
        differences.append({term: high[term] - low[term] for term in high})
    rise = {term: statistics.median(d[term] for d in differences) for term in differences[0]}
    return Campaign(planted, ns, rise)


def faults(args: argparse.Namespace) -> list[tuple[str, float]]:
    """Terms, and what is planted in each."""
    return [(term, ns) for term in args.planted for ns in args.cost or [PLANTED[term]]]


def campaigns(args: argparse.Namespace) -> Iterator[Campaign]:
    for number in range(args.campaigns):
        for planted, ns in faults(args):
            found = campaign(args, planted, ns)
            yield found
            rises = "  ".join(f"{term} {rise:+7.1f}" for term, rise in found.rise.items())
            verdict = "right" if found.right else "wrong"
            print(
                f"{number + 1:3} {planted:8} {ns:g} rises in ns: {rises}  "
                f"{found.blamed:8} {verdict}",
                flush=True,
            )
            if args.output:
                with args.output.open("a") as file:
                    file.write(
                        json.dumps({"planted": planted, "ns": ns, "rise": found.rise}) + "\n"
                    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--build", type=Path, default=Path("build/libgomp"))
    parser.add_argument("--planted", nargs="+", choices=PLANTED, default=list(PLANTED))
    parser.add_argument("--cost", type=float, nargs="+", help="ns, in place of those above")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--campaigns", type=int, default=20)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=5, help="repetitions of each process")
    parser.add_argument("--condition", choices=CONDITIONS, default="quiet")
    parser.add_argument("--output", type=Path, help="JSON lines")
    args = parser.parse_args()
    with neighbours(args.condition, seed=20261):
        found = list(campaigns(args))
    enough = True
    for planted, ns in faults(args):
        own = [c for c in found if (c.planted, c.cost) == (planted, ns)]
        right = sum(c.right for c in own)
        errors = [100 * c.error for c in own]
        enough = enough and right >= 0.9 * len(own)
        print(
            f"{planted}, {ns:g} ns: right in {right} of {len(own)}, error in % "
            f"{statistics.median(errors):+.1f} ({min(errors):+.1f} to {max(errors):+.1f})"
        )
    return 0 if enough else 1


if __name__ == "__main__":
    raise SystemExit(main())
