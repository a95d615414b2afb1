#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Count in how many runs each graph is reported, as a table: rates.py [RUNS [KIND…]]."""

import sys

from racing import REPORTED, run, subjects


def main() -> None:
    """Runs every subject of these kinds."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    kinds = sys.argv[2:] or ["control", "graph", "planted"]
    print("| kind | graph | reported | ended otherwise |\n| --- | --- | --- | --- |")
    for kind in kinds:
        for subject in subjects(kind):
            results = [run(subject, seed) for seed in range(1, runs + 1)]
            reported = sum(bool(result.races) for result in results)
            other = [str(result.status) for result in results if result.status not in (0, REPORTED)]
            print(f"| {kind} | {subject} | {reported} of {runs} | {' '.join(other)} |", flush=True)


if __name__ == "__main__":
    main()
