#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Damage files at random and let the commands read them: no traceback, no wrong exit status.

Records, campaigns' records, traces, graphs, results of conformance, tables of tiles, campaign files
meters' descriptions and samples, timelines, the state of levers and, with --matrices, Matrix Market
files for the executables. The commands run within this process.
A status is wrong if it is not among those documented for the kind of file, or if lines of records
were refused and the status is not that of the file without them, or not each of them was named.

Exit status: 0 nothing was wrong, 1 something was.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from pollux.core.paths import ROOT

sys.path.insert(0, str(ROOT / "tests/scripts/helpers"))

import damaged_energy
import listings
import micro_campaigns
import micro_runs
from mutations import Mutation, Mutator
from pollux.core.campaign.file import load_campaign
from pollux.core.campaign.journal import Journal
from pollux.core.campaign.reading import Unreadable, read_lines
from pollux.core.campaign.tuned import Entry, Host, Point, by_target, lookup, store
from pollux.core.executables.listing import read_listing
from run_record import record
from synthetic import write_campaign
from task_graphs import graph_lines
from traces import compact, trace_lines
from within_process import INTERNAL, Ended, attempt, command

CELL = ("cholesky", "depend", 2048, 192)
SHOWN = 10  # of what was wrong
HOST = Host(cpu="a processor", cores=2, processors=4)


@dataclass(frozen=True)
class Kind:
    """A kind of file: an intact one, how it is damaged, and how it is read."""

    name: str
    intact: bytes
    damage: Callable[[Mutator, bytes], Mutation]
    read: Callable[[Path], Ended]
    allowed: frozenset[int]
    has_records: bool = False
    suffix: str = ".jsonl"


def overheads(path: Path) -> Ended:
    """The costs of tasks for a simulated machine."""
    intact = path.parent
    trace, graph = intact / "intact-trace.jsonl", intact / "intact-graph.jsonl"
    return command("simulate", "--graph", graph, "--times", trace, "--overheads", path)


def listing(path: Path) -> Ended:
    """What an executable prints of itself, one without a matrix and one with."""
    return attempt(lambda: read_listing(path.read_text(errors="replace"), path) and 0)


def compare(path: Path) -> Ended:
    return command("compare", path, "--format", "json")


def resume(path: Path) -> Ended:
    return attempt(lambda: Journal(path).close())


def report(path: Path) -> Ended:
    return command("report", path, "--output", path.with_suffix(".html"))


def plot(path: Path) -> Ended:
    return command("plot", path, "--output", path.with_suffix(""))


def gantt(path: Path) -> Ended:
    return command("gantt", path, "--format", "perfetto", "--output", path.with_suffix(""))


def simulate(path: Path) -> Ended:
    graph = path.parent / "intact-graph.jsonl"
    return command("simulate", "--graph", graph, "--times", path)


def graph(path: Path) -> Ended:
    return command("graph", "--graph", path)


def explain(path: Path) -> Ended:
    """The file has traces with two threads and with one."""
    graph = path.parent / "intact-graph.jsonl"
    picture = path.with_suffix(".svg")
    return command("explain", path, "--graph", graph, "--plot", picture, "--format", "json")


def explain_graph(path: Path) -> Ended:
    return command("explain", path.parent / "intact-traces.jsonl", "--graph", path)


def conform(path: Path) -> Ended:
    """All that shows results; each file is alone in its folder."""
    folder = ["--conformance", path.parent / "conformance"]
    path.replace(path.parent / "conformance/libgomp.json")
    as_table = command("conform", "--show", *folder)
    page = ["--output", path.with_suffix(".md")]
    as_page = command("conform", "--document", *page, *folder)
    return Ended(max(as_table.status, as_page.status), as_table.text + as_page.text)


def report_conformance(path: Path) -> Ended:
    """Results that cannot be read are left out of a report."""
    folder = ["--conformance", path.parent / "conformance"]
    path.replace(path.parent / "conformance/libgomp.json")
    page = ["--output", path.with_suffix(".html")]
    return command("report", path.parent / "intact-campaign.jsonl", *page, *folder)


def tiles(path: Path) -> Ended:
    wanted = {"benchmark": "lu", "variant": "depend", "size": 2048, "kernels": "openblas"}
    return attempt(
        lambda: (
            lookup(by_target(path), **wanted, threads=2, runtime="libomp", host=HOST) and 0  # type: ignore[arg-type]
        )
    )


def campaign_file(path: Path) -> Ended:
    return attempt(lambda: load_campaign(str(path), [], {}) and 0)


def table_of_tiles(folder: Path) -> bytes:
    """A file as pollux tune writes it."""
    path = folder / "tiles.json"
    point = Point(mb=128, nb=128, ib=None, gflops=50.0, runs=6, ratio=1.0, low=0.9, high=1.1)
    entry = Entry(
        **{"host": HOST, "benchmark": "lu", "variant": "depend", "n": 2048},
        **{"threads": 2, "threads_asked": None, "runtime": "libomp"},
        **{"kernels": "tuned", "parameters": {}},
        **{"runtime_name": "libomp", "runtime_version": "19"},
        **{"runtime_build_id": "ab", "blas_version": "0.3.21", "blas_core": "Zen"},
        **{"mb": 128, "nb": 128, "ib": None, "gflops": 50.0, "low": 49.0},
        **{"high": 51.0, "points": [point], "runs": 100, "seconds": 30.0},
        **{"method": "a search", "date": "2026-01-02T03:04:05+00:00"},
    )
    store(path, [entry])
    return path.read_bytes()


def conformance_result() -> bytes:
    """A file as pollux conform writes it: one rule was kept, one broken, one hung."""
    attempt: dict[str, object] = {
        **{"threads": 2, "trials": 3, "verdict": "kept", "seed": None, "detail": ""},
        **{"replay": None, "stderr": "", "stacks": None, "seconds": 0.5},
    }
    failure = {"seed": 7, "detail": "2 tasks ran at once", "replay": "build/x --seed 7"}
    broken = attempt | failure | {"verdict": "broken"}
    hung = attempt | failure | {"verdict": "hung", "stderr": "a\nb", "stacks": "#0 main"}
    rules = [
        {
            **{"rule": f"rule-{number}", "statement": "A task waits.", "source": "OpenMP 5.2, 15"},
            **{"verdict": last["verdict"], "threads": [2], "detail": last["detail"], "trials": 3},
            **{"seed": 1, "unix_ns": 10**18, "attempts": [attempt, last], "not_tried": [4]},
        }
        for number, last in enumerate((attempt, broken, hung))
    ]
    runtime = {"name": "libgomp", "version": "12", "path": "/x", "build_id": "ab", "abi": "gcc"}
    target = {
        **{"schema": "pollux-conformance-result/1", "label": "libgomp", "preset": "libgomp"},
        **{"runtime": runtime, "compiler": {"name": "gcc", "version": "12"}, "processors": 2},
        **{"environment": {"OMP_WAIT_POLICY": "passive"}, "rules": rules},
    }
    return compact(target).encode()


def object_or_text(mutator: Mutator, text: bytes) -> Mutation:
    return mutator.json_object(text) if mutator.rng.random() < 0.7 else mutator.text(text)


def lines(mutator: Mutator, text: bytes) -> Mutation:
    return mutator.lines(text)


def header_or_lines(mutator: Mutator, text: bytes) -> Mutation:
    """Of traces and graphs: half of the damage in the first line."""
    if mutator.rng.random() < 0.5:
        return mutator.lines(text)
    head, feed, rest = text.partition(b"\n")
    mutation = object_or_text(mutator, head + feed)
    return Mutation(f"line 1: {mutation.what}", mutation.text + rest)


def head_of_timeline_or_lines(mutator: Mutator, text: bytes) -> Mutation:
    """Half of the damage in the JSON object of the first line."""
    if mutator.rng.random() < 0.5:
        return mutator.lines(text)
    head, _, rest = text.partition(b"\n")
    mark, brace, fields = head.partition(b"{")
    mutation = object_or_text(mutator, brace + fields)
    return Mutation(f"line 1: {mutation.what}", mark + mutation.text.rstrip(b"\n") + b"\n" + rest)


def times_of_tasks() -> bytes:
    """Records of a micro-benchmark: several quantities, patterns and numbers of threads."""
    made = (
        micro_runs.micro_record(pattern, runtime, 400.0 + 10 * i, threads=threads)
        for pattern in ("lu", "chain")
        for threads in (1, 2)
        for i, runtime in enumerate(("libgomp", "libgomp"))
    )
    return as_file([compact(one) for one in made])


def times_of_grains(folder: Path) -> bytes:
    """A campaign of granularity, whose records have curves."""
    sides = [
        (micro_campaigns.configuration(name, "chain", benchmark="granularity"), ns)
        for name, ns in (("libgomp", 400.0), ("libomp", 300.0))
    ]
    path = folder / "grains.jsonl"
    micro_campaigns.write_micro_campaign(path, sides, make=micro_campaigns.metg, rounds=3)
    return path.read_bytes()


def as_file(lines: Sequence[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def kinds(folder: Path) -> list[Kind]:
    """All kinds of files that commands read within this process."""
    path = folder / "intact.jsonl"
    write_campaign(path, {"libgomp": 1.0, "libomp": 1.1}, [CELL], rounds=3)
    campaign = path.read_bytes()
    plain = "".join(
        compact(record(CELL, runtime, 7 + i, 50.0 + i)) + "\n"
        for runtime in ("libgomp", "libomp")
        for i in range(4)
    ).encode()
    graph_text = as_file(graph_lines("lu", "depend", 3))
    trace, alone = (as_file(trace_lines(graph_lines("lu", "depend", 3), threads=t)) for t in (2, 1))
    conformance = conformance_result()
    times, grains = times_of_tasks(), times_of_grains(folder)
    described = [compact(micro_runs.listing("task-overhead", ["chain", "tree"], {})).encode()]
    described.append(compact(listings.listing("lu", [listings.variant("seq", "lu")])).encode())
    (folder / "intact-trace.jsonl").write_bytes(trace)
    (folder / "intact-campaign.jsonl").write_bytes(campaign)
    (folder / "intact-graph.jsonl").write_bytes(graph_text)
    (folder / "intact-traces.jsonl").write_bytes(trace + alone)
    (folder / "conformance").mkdir(exist_ok=True)
    toml = (ROOT / "campaigns/quick.toml").read_bytes()
    of_records, of_files = frozenset({0, 1, 2}), frozenset({0, 2})
    return [
        Kind("campaign, compare", campaign, lines, compare, of_records, has_records=True),
        Kind("records, compare", plain, lines, compare, of_records, has_records=True),
        Kind("times, compare", times, lines, compare, of_records, has_records=True),
        Kind("times, plot", times, lines, plot, of_files),
        Kind("times, report", times, lines, report, of_files),
        Kind("times, simulate", times, lines, overheads, of_files),
        Kind("campaign of times, compare", grains, lines, compare, of_records, has_records=True),
        Kind("campaign of times, plot", grains, lines, plot, of_files),
        *(
            Kind("listing", own, object_or_text, listing, frozenset({0, 3}), suffix=".json")
            for own in described
        ),
        Kind("campaign, resume", campaign, lines, resume, frozenset({0, 2, 3})),
        Kind("campaign, report", campaign, lines, report, of_files),
        Kind("campaign, plot", campaign, lines, plot, of_files),
        Kind("trace, gantt", trace, header_or_lines, gantt, of_files),
        Kind("trace, simulate", trace, header_or_lines, simulate, of_files),
        Kind("traces, explain", trace + alone, header_or_lines, explain, of_files),
        Kind("graph, graph", graph_text, header_or_lines, graph, of_files),
        Kind("graph, explain", graph_text, header_or_lines, explain_graph, of_files),
        Kind("conformance", conformance, object_or_text, conform, of_files, suffix=".json"),
        Kind(
            "conformance, report",
            *(conformance, object_or_text, report_conformance),
            *(frozenset({0}), False, ".json"),
        ),
        Kind("tiles", table_of_tiles(folder), object_or_text, tiles, of_files, suffix=".json"),
        Kind("campaign file", toml, lines, campaign_file, of_files, suffix=".toml"),
        *kinds_of_energy(folder / "energy"),
    ]


def kinds_of_energy(folder: Path) -> list[Kind]:
    """Meters beside a campaign, its timeline, and what levers were before."""
    made = damaged_energy.write_files(folder)
    of_files = frozenset({0, 2})
    return [
        Kind("meter, compare", made.meter, lines, made.by_meter, of_files, suffix=".toml"),
        Kind("samples, compare", made.samples, lines, made.by_samples, of_files, suffix=".csv"),
        Kind(
            *("timeline, energy", made.timeline, head_of_timeline_or_lines, made.by_timeline),
            *(of_files, False, ".csv"),
        ),
        Kind(
            *("levers, restore", made.state, object_or_text, made.restore, frozenset({0, 3})),
            suffix=".json",
        ),
    ]


# How often each kind is read, relatively: drawing figures takes longest.
SHARES = (24, 18, 14, 1, 1, 6, 12, 1, 6, 6, 12, 2, 1, 7, 6, 4, 6, 3, 5, 1, 5, 6, 8, 8, 8, 8)


@dataclass
class Tally:
    """What was tried, and what was wrong."""

    tried: Counter[str] = field(default_factory=Counter)
    statuses: Counter[tuple[str, int]] = field(default_factory=Counter)
    tracebacks: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def try_one(self, kind: Kind, mutator: Mutator, folder: Path) -> None:
        mutation = kind.damage(mutator, kind.intact)
        path = folder / f"damaged{kind.suffix}"
        path.write_bytes(mutation.text)
        ended = kind.read(path)
        self.tried[kind.name] += 1
        self.statuses[kind.name, ended.status] += 1
        where = f"{kind.name}: {mutation.what}"
        if ended.status == INTERNAL or "Traceback (most recent" in ended.text:
            self.tracebacks.append(f"{where}\n{ended.text}")
        elif ended.status not in kind.allowed:
            self.wrong.append(f"{where}: status {ended.status}\n{ended.text[:500]}")
        elif kind.has_records:
            path.write_bytes(mutation.text)
            self.compare_with_rest(where, path, ended)

    def compare_with_rest(self, where: str, path: Path, ended: Ended) -> None:
        """Lines that are refused are named, and the others are read as if they were alone."""
        found = list(read_lines(path))
        refused = {number for number, line in found if isinstance(line, Unreadable)}
        if not refused:
            return
        if any(f"{path}:{number}" not in ended.text for number in sorted(refused)[:3]):
            self.wrong.append(f"{where}: {sorted(refused)} are not named\n{ended.text[:500]}")
        texts = path.read_bytes().splitlines(keepends=True)
        rest = b"".join(t for n, t in enumerate(texts, 1) if n not in refused)
        expected = status_of_rest(rest, path.parent)
        if ended.status != expected:
            self.wrong.append(f"{where}: status {ended.status}, without these lines {expected}")


@cache
def status_of_rest(rest: bytes, folder: Path) -> int:
    path = folder / "rest.jsonl"
    path.write_bytes(rest)
    return compare(path).status


MATRIX = b"""%%MatrixMarket matrix coordinate real symmetric
% a comment
4 4 7
1 1 4.0
2 1 1.5e-1
2 2 4.0
3 3 5
4 1 -2.5E-1
4 3 0.125
4 4 6.0
"""


def damage_matrices(count: int, mutator: Mutator, folder: Path, tally: Tally) -> None:
    """Matrix Market files, read by a benchmark program: 0, or bad usage in a line."""
    executable = ROOT / "build/libgomp/bin/cholesky"
    path = folder / "damaged.mtx"
    for _ in range(count):
        mutation = mutator.lines(MATRIX) if mutator.rng.random() < 0.6 else mutator.text(MATRIX)
        path.write_bytes(mutation.text)
        given = ["--matrix", str(path), "--tile", "2", "--repeat", "1", "--warmup", "0"]
        done = subprocess.run(
            [executable, *given],
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            capture_output=True,
            check=False,
            timeout=60,
        )
        tally.tried["matrix"] += 1
        tally.statuses["matrix", done.returncode] += 1
        # Damaged entries may make another matrix, which is not positive definite: status 1.
        if done.returncode not in (0, 1, 2, 3):
            text = done.stderr.decode(errors="replace")
            tally.wrong.append(f"matrix: {mutation.what}: status {done.returncode}\n{text[:500]}")


def show(tally: Tally) -> None:
    for name, count in tally.tried.items():
        own = {s: n for (kind, s), n in sorted(tally.statuses.items()) if kind == name}
        listed = ", ".join(f"status {status}: {number}" for status, number in own.items())
        print(f"{name:20} {count:6}  {listed}")
    for text in (*tally.tracebacks[:SHOWN], *tally.wrong[:SHOWN]):
        print(f"\n{text}")
    print(
        f"{tally.tried.total()} damaged files: {len(tally.tracebacks)} tracebacks, "
        f"{len(tally.wrong)} wrong statuses"
    )


def damage(count: int, seed: int, folder: Path) -> Tally:
    """Try so many damaged files, the kinds in their shares, but each once at least."""
    tally, mutator = Tally(), Mutator(seed)
    known: Sequence[Kind] = kinds(folder)
    for kind, share in zip(known, SHARES, strict=True):
        (path := folder / f"intact{kind.suffix}").write_bytes(kind.intact)
        if (ended := kind.read(path)).status != 0:
            tally.wrong.append(f"{kind.name}: an intact file: status {ended.status}\n{ended.text}")
        for _ in range(max(1, count * share // sum(SHARES))):
            tally.try_one(kind, mutator, folder)
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.add_argument("--files", type=int, default=20_000, help="damaged files (20000)")
    parser.add_argument("--matrices", type=int, default=0, help="Matrix Market files besides (0)")
    parser.add_argument("--seed", type=int, default=1, help="of the damage (1)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tally = damage(args.files, args.seed, Path(folder))
        damage_matrices(args.matrices, Mutator(args.seed), Path(folder), tally)
    show(tally)
    sys.exit(1 if tally.tracebacks or tally.wrong else 0)


if __name__ == "__main__":
    main()
