#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether the split of task-overhead adds up: its terms predict the time without a gate.

Each round runs a process for each build and number of threads. The prediction of a repetition is
open_created_ns + left_ns (docs/overheads.md): no part of it was measured in the pass that it
predicts. Measured and predicted times are medians over the repetitions of all rounds. --read takes
files of records instead of running anything.
"""

import argparse
import random
import statistics
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from task_overhead import Record, read, run

GOAL = 0.10  # of the median error


@dataclass(frozen=True, order=True)
class Case:
    runtime: str
    threads: int
    pattern: str
    items: int | None
    tasks: int

    @property
    def name(self) -> str:
        return self.pattern if self.items is None else f"{self.pattern} x{self.items}"


@dataclass(frozen=True)
class Line:
    """One case, in ns per task."""

    case: Case
    measured: float
    creation: float | None  # behind a gate
    creation_open: float
    left: float

    @property
    def predicted(self) -> float:
        return self.creation_open + self.left

    @property
    def error(self) -> float:
        return self.predicted / self.measured - 1


def case_of(record: Record) -> Case:
    runtime = record["runtime"]
    return Case(
        f"{runtime['name']} {runtime['version']}".strip(),
        record["threads"],
        record["variant"],
        record["parameters"].get("items"),
        record["size"]["value"],
    )


def median(values: Iterable[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return statistics.median(known) if known else None


def per_task(record: Record, field: str) -> float | None:
    value = record["figures"][field]
    return None if value is None else float(value) / float(record["size"]["value"])


def lines_of(records: list[Record]) -> tuple[list[Line], list[Case]]:
    """The cases with a prediction, and those without."""
    cases: dict[Case, list[Record]] = defaultdict(list)
    for record in records:
        cases[case_of(record)].append(record)
    lines, unknown = [], []
    for case, of_case in sorted(cases.items(), key=lambda item: str(item[0])):
        measured = median(r["quantities"]["ns_per_task"]["value"] for r in of_case)
        opened = median(per_task(r, "open_created_ns") for r in of_case)
        left = median(per_task(r, "left_ns") for r in of_case)
        if measured is None or opened is None or left is None:
            unknown.append(case)
            continue
        creation = median(per_task(r, "created_ns") for r in of_case)
        lines.append(Line(case, measured, creation, opened, left))
    return lines, unknown


def show(lines: list[Line], unknown: list[Case]) -> None:
    print("runtime       thr. pattern          creation    open    left  predicted measured  error")
    for line in lines:
        creation = "-" if line.creation is None else f"{line.creation:.0f}"
        print(
            f"{line.case.runtime:13} {line.case.threads:4} {line.case.name:16} {creation:>8}"
            f" {line.creation_open:7.0f} {line.left:7.0f} {line.predicted:10.0f}"
            f" {line.measured:8.0f} {100 * line.error:+5.0f} %"
        )
    for case in unknown:
        print(f"{case.runtime:13} {case.threads:4} {case.name:16} not known: nothing holds it back")


def summarize(lines: list[Line]) -> bool:
    """Print the errors of each runtime and number of threads; whether all medians are good."""
    groups: dict[tuple[str, int], list[float]] = defaultdict(list)
    for line in lines:
        groups[line.case.runtime, line.case.threads].append(abs(line.error))
    for (runtime, threads), errors in sorted(groups.items()):
        far = sum(e > GOAL for e in errors)
        print(
            f"{runtime}, {threads} threads: median error {100 * statistics.median(errors):.1f} %,"
            f" worst {100 * max(errors):.0f} %, {far} of {len(errors)} above {100 * GOAL:.0f} %"
        )
    return all(statistics.median(errors) <= GOAL for errors in groups.values())


def measure(args: argparse.Namespace) -> list[Record]:
    records = []
    jobs = list(product(args.build, args.threads))
    for _ in range(args.rounds):
        random.shuffle(jobs)
        for build, threads in jobs:
            options = ("-n", args.tasks, "-t", threads, "-r", args.repeat, "-p", args.pattern)
            records += run(build, *options)
    return records


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument(
        "--build", type=Path, nargs="+", default=[Path("build/libgomp"), Path("build/libomp")]
    )
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--pattern", default="all")
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=7, help="repetitions of each process")
    parser.add_argument("--read", type=Path, nargs="+", help="files of records")
    args = parser.parse_args()
    if args.read:
        records = [record for path in args.read for record in read(path.read_text())]
    else:
        records = measure(args)
    lines, unknown = lines_of(records)
    show(lines, unknown)
    return 0 if lines and summarize(lines) else 1


if __name__ == "__main__":
    raise SystemExit(main())
