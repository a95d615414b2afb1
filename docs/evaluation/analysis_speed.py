#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Time `pollux compare`, `plot` and `report` on 100,000 records, and a campaign's overhead per run.

The records are synthetic: 6 runtimes, 540 cells, 31 rounds, and --repetitions R of each process;
with 10, they are a million. Shown is the processor time of each command in user mode, from its
start to its end: others on the machine change it less than the time of day, though not a little.
`compare` runs twice: from the lines, and from the index that the first has made of them. With
several repetitions nothing else is timed. With --nights N, `pollux watch` is timed on a folder of
so many nights of 20 series instead, before and after it has an index.
With --overhead FILE nothing is generated or timed: the time between the runs of that campaign is
read from its records.

Exit status: 0 all limits are kept, 1 one is exceeded.
"""

import argparse
import json
import os
import resource
import statistics
import sys
import tempfile
import time
import zlib
from itertools import product
from pathlib import Path
from typing import Any

from pollux.core.paths import ROOT

sys.path.insert(0, str(ROOT / "tests/scripts/helpers"))
from pollux_process import run_pollux
from run_record import with_speed
from synthetic import write_campaign

# How long a reader is willing to wait, and the largest file to send by mail.
SECONDS_LIMITS = {
    **{"compare": 10.0, "compare, indexed": 2.0, "plot": 10.0, "report": 20.0},
    "watch, indexed": 2.0,
}
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


def make_records(path: Path, repetitions: int) -> int:
    """The number of samples written."""
    cells = [(*variant, n, nb) for variant, n, nb in product(VARIANTS, SIZES, TILES)]
    write_campaign(path, RUNTIMES, cells, rounds=ROUNDS)
    if repetitions > 1:
        single = path.with_suffix(".single")
        path.rename(single)
        with single.open() as lines, path.open("w") as file:
            file.writelines(repeated(line, repetitions) for line in lines)
        single.unlink()
    past = time.time() - 3600  # a file that was just written gets no index
    os.utime(path, (past, past))
    time.sleep(3)
    return len(RUNTIMES) * len(cells) * ROUNDS


def repeated(text: str, repetitions: int) -> str:
    """A sample's line with more records, each of another seed and 0.1 % faster than the last."""
    line = json.loads(text)
    for record in line.get("records", [])[:1]:
        line["rota"] = line["round"]
        line["records"] = [again(record, k, repetitions) for k in range(repetitions)]
    return json.dumps(line) + "\n"


def again(record: dict[str, Any], k: int, repetitions: int) -> dict[str, Any]:
    seed, gflops = record["seed"] * repetitions + k, record["gflops"] * (1 + 0.001 * k)
    seen = {"seed": seed, "gflops": gflops, "seconds": record["flops"] / 1e9 / gflops}
    digest = zlib.crc32(repr((record["benchmark"], record["n"], record["nb"], seed)).encode())
    return with_speed(record | seen | {"digest": f"{digest:016x}"})


def check(what: str, value: float, limit: float, unit: str) -> bool:
    kept = value <= limit
    print(f"{what:24} {value:7.2f} {unit}, limit {limit:g}: {'kept' if kept else 'EXCEEDED'}")
    return kept


def time_commands(folder: Path, repetitions: int) -> bool:
    records, page = folder / "synthetic.jsonl", folder / "page.html"
    start = time.monotonic()
    count = make_records(records, repetitions)
    print(
        f"{count} samples, {records.stat().st_size / 1e6:.0f} MB, "
        f"made in {time.monotonic() - start:.0f} s",
        flush=True,
    )
    commands: dict[str, tuple[object, ...]] = {
        "compare": ("--output", folder / "table.txt"),
        "compare, indexed": ("--output", folder / "again.txt"),
    }
    if repetitions == 1:
        commands["plot"] = "--kind", "all", "--output", folder / "plots"
        commands["report"] = "--output", page
    kept = []
    for name, options in commands.items():
        seconds = processor_seconds(name.partition(",")[0], records, *options)
        limit = SECONDS_LIMITS[name] * (repetitions if name == "compare" else 1)
        kept.append(check(f"pollux {name}", seconds, limit, "s"))
    same = (folder / "table.txt").read_bytes() == (folder / "again.txt").read_bytes()
    print(f"with and without the index: {'the same' if same else 'DIFFERENT'}")
    kept += [same]
    if repetitions == 1:
        kept.append(check("page", page.stat().st_size / 1e6, PAGE_BYTES_LIMIT / 1e6, "MB"))
    return all(kept)


def processor_seconds(*arguments: object) -> float:
    """Of a command and the processes it starts, in user mode."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    run_pollux(*arguments)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def time_watch(folder: Path, nights: int) -> bool:
    cells = [(*variant, 2048, nb) for variant, nb in product(VARIANTS[:5], (128, 256))]
    for night in range(nights):
        path = folder / f"{night:05}.jsonl"
        write_campaign(path, {"libgomp": 1.0, "libomp": 1.03}, cells, rounds=8, seed=night + 1)
    first = processor_seconds("watch", folder, "--format", "json")
    print(f"{nights} nights of {2 * len(cells)} series, watched without an index: {first:.1f} s")
    seconds = processor_seconds("watch", folder, "--format", "json")
    return check("pollux watch", seconds, SECONDS_LIMITS["watch, indexed"], "s")


def check_overhead(path: Path) -> bool:
    """The time between the end of one run and the start of the next of a block."""
    lines = [json.loads(text) for text in path.read_text().splitlines()]
    samples = [line for line in lines if line["event"] == "sample"]
    first = {line["block"]: line["start_unix_ns"] for line in reversed(samples)}
    seconds = [
        line["overhead_seconds"]
        for line in samples
        if line["start_unix_ns"] != first[line["block"]]  # of those, what was between blocks
    ]
    if not seconds:
        sys.exit(f"{path} contains no sample")
    print(
        f"{len(seconds)} runs, between them a median of {statistics.median(seconds) * 1e3:.1f} ms"
    )
    return check("longest", max(seconds) * 1e3, OVERHEAD_SECONDS_LIMIT * 1e3, "ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.add_argument("--overhead", type=Path, metavar="FILE", help="a campaign's records")
    parser.add_argument("--repetitions", type=int, default=1, help="records of a process")
    parser.add_argument("--nights", type=int, help="time pollux watch on so many")
    args = parser.parse_args()
    if args.overhead:
        sys.exit(0 if check_overhead(args.overhead) else 1)
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        kept = (
            time_watch(where, args.nights)
            if args.nights
            else time_commands(where, args.repetitions)
        )
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()
