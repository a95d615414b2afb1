#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Time `pollux compare`, `plot` and `report` on 100,000 records, and a campaign's overhead per run.

The records are synthetic: 6 runtimes, 540 cells, 31 rounds. Each command is a process, timed from
start to end, whatever else the machine runs. With --overhead FILE nothing is generated or timed:
the time between the runs of that campaign is read from its records.

Exit status: 0 all limits are kept, 1 one is exceeded.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from itertools import product
from pathlib import Path

from pollux.core.paths import ROOT

sys.path.insert(0, str(ROOT / "tests/scripts/helpers"))
from pollux_process import run_pollux
from synthetic import write_campaign

# How long a reader is willing to wait, and the largest file to send by mail.
SECONDS_LIMITS = {"compare": 10.0, "plot": 10.0, "report": 20.0}
PAGE_BYTES_LIMIT = 5_000_000
OVERHEAD_SECONDS_LIMIT = 0.050  # a tenth of a run of half a second

ROUNDS = 31
RUNTIMES = {
    **{"libgomp": 1.0, "libomp": 1.03, "libiomp5": 1.02},
    **{"libkomp": 0.97, "bolt": 0.9, "xkaapi": 1.01},
}
VARIANTS = (
    *(("cholesky", v) for v in ("depend", "forkjoin")),
    *(("lu", v) for v in ("column", "depend", "forkjoin", "multidep")),
    ("lu-cw", "cw"),
    *(("qr", v) for v in ("depend", "tree")),
)
SIZES = (2048, 4096, 8192)
TILES = range(64, 64 + 20 * 32, 32)


def make_records(path: Path) -> int:
    """The number of samples written."""
    cells = [(*variant, n, nb) for variant, n, nb in product(VARIANTS, SIZES, TILES)]
    write_campaign(path, RUNTIMES, cells, rounds=ROUNDS)
    return len(RUNTIMES) * len(cells) * ROUNDS


def check(what: str, value: float, limit: float, unit: str) -> bool:
    kept = value <= limit
    print(f"{what:24} {value:7.2f} {unit}, limit {limit:g}: {'kept' if kept else 'EXCEEDED'}")
    return kept


def time_commands(folder: Path) -> bool:
    records, page = folder / "synthetic.jsonl", folder / "page.html"
    start = time.monotonic()
    count = make_records(records)
    print(
        f"{count} samples, {records.stat().st_size / 1e6:.0f} MB, "
        f"made in {time.monotonic() - start:.0f} s",
        flush=True,
    )
    commands = {
        "compare": ("--output", folder / "table.txt"),
        "plot": ("--kind", "all", "--output", folder / "plots"),
        "report": ("--output", page),
    }
    kept = []
    for name, options in commands.items():
        seconds = run_pollux(name, records, *options).seconds
        kept.append(check(f"pollux {name}", seconds, SECONDS_LIMITS[name], "s"))
    kept.append(check("page", page.stat().st_size / 1e6, PAGE_BYTES_LIMIT / 1e6, "MB"))
    return all(kept)


def check_overhead(path: Path) -> bool:
    """The time between the end of one run and the start of the next in a real campaign."""
    lines = [json.loads(text) for text in path.read_text().splitlines()]
    seconds = [line["overhead_seconds"] for line in lines if line["event"] == "sample"]
    if not seconds:
        sys.exit(f"{path} contains no sample")
    print(
        f"{len(seconds)} runs, between them a median of {statistics.median(seconds) * 1e3:.1f} ms"
    )
    return check("longest", max(seconds) * 1e3, OVERHEAD_SECONDS_LIMIT * 1e3, "ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.add_argument("--overhead", type=Path, metavar="FILE", help="a campaign's records")
    args = parser.parse_args()
    if args.overhead:
        sys.exit(0 if check_overhead(args.overhead) else 1)
    with tempfile.TemporaryDirectory() as folder:
        kept = time_commands(Path(folder))
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()
