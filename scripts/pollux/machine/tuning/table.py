# SPDX-License-Identifier: BSD-3-Clause
"""Tuning results as rows for the programs' table of defaults (common/matrix/default_tile.c)."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from pathlib import Path

from pollux.core.campaign.tuned import Entry, Host, read
from pollux.core.errors import BadUsageError
from pollux.core.grouping import grouped
from pollux.machine.tuning.candidates import Candidate

Chosen = dict[int, Candidate]  # by N

TABLED = ("openblas", "tuned", "loops")  # the kernel sets that the programs' table has


def table_text(path: Path, family: str) -> str:
    """Rows for all entries of a file of tiles, under the name of a family of processors."""
    entries = read(path).entries
    if not entries:
        raise BadUsageError(f"--table: nothing was tuned yet: {path} contains no tiles")
    if others := sorted({entry.kernels for entry in entries} - {*TABLED}):
        raise BadUsageError(
            f"--table: {path} has tiles for {', '.join(others)} kernels; "
            f"the programs' table is of {', '.join(TABLED)}"
        )
    hosts = grouped(entries, lambda entry: (entry.host, entry.kernels))
    lines = [line for (host, _), own in hosts.items() for line in lines_of(host, own, family)]
    return "\n".join(lines) + "\n"


def lines_of(host: Host, entries: Sequence[Entry], family: str) -> Iterator[str]:
    """A comment with the origin of the rows, and the rows, all of one kernel set."""
    runtimes = sorted({f"{e.runtime_name} {e.runtime_version or ''}".strip() for e in entries})
    cores = sorted({e.blas_core or "unknown" for e in entries})
    threads = sorted({e.threads for e in entries})
    yield (
        f"    /* {entries[0].kernels} kernels, {host.cpu}, {host.cores} cores: "
        f"{', '.join(runtimes)}; OpenBLAS for {', '.join(cores)}; "
        f"{', '.join(map(str, threads))} threads; "
        f"{max(e.date for e in entries)[:10]} */"
    )
    names = {b: f'"{family}", {entries[0].kernels.upper()}, "{b}"' for b in benchmarks_of(entries)}
    for table, square in (("square_rows", True), ("tall_rows", False)):
        rows = [
            row
            for benchmark, name in names.items()
            for row in rows_of(chosen_tiles(entries, benchmark, square=square), name)
        ]
        if rows:
            yield f"    /* {table} */"
            yield from (f"    {row}," for row in rows)


def benchmarks_of(entries: Sequence[Entry]) -> list[str]:
    return list(dict.fromkeys(e.benchmark for e in entries))


def chosen_tiles(entries: Sequence[Entry], benchmark: str, *, square: bool) -> Chosen:
    """The best square tile for each N; or the best of any shape, if one of them is tall."""
    found: Chosen = {}
    for n in sorted({e.n for e in entries if e.benchmark == benchmark}):
        own = [e for e in entries if e.benchmark == benchmark and e.n == n]
        best = choose(own, square=square)
        if best is not None:
            found[n] = best
    return found if square or any(not c.tile.is_square for c in found.values()) else {}


def choose(entries: Sequence[Entry], *, square: bool = False) -> Candidate | None:
    """The tile with the highest geometric mean of its ratios to the winners of all searches.

    Only tiles that every search measured without a failure count; if there is none, the fastest
    winner is chosen, or the fastest square tile. A ratio above 1 is an estimate from few rounds: it
    counts as 1, and a winner of a search is preferred at equal means. None: no tile is square.
    """
    won = Counter(Candidate(e.tile, e.ib) for e in entries)
    ratios: dict[Candidate, list[float]] = defaultdict(list)
    speeds = {Candidate(e.tile, e.ib): e.gflops for e in sorted(entries, key=lambda e: e.gflops)}
    for entry in entries:
        for point in entry.points:
            candidate = Candidate(point.tile, point.ib)
            if point.ratio and not point.problem and (point.tile.is_square or not square):
                ratios[candidate].append(min(math.log(point.ratio), 0.0))
                if square and point.gflops is not None:
                    speeds[candidate] = max(speeds.get(candidate, 0.0), point.gflops)
    common = {c: sum(logs) for c, logs in ratios.items() if len(logs) == len(entries)}
    if common:
        return max(common, key=lambda c: (common[c], won[c]))
    known = [c for c in speeds if c.tile.is_square or not square]
    return max(known, key=lambda c: speeds[c], default=None)


def rows_of(chosen: Chosen, names: str) -> Iterator[str]:
    """A row for each range of N with one tile; ranges meet at geometric means of the N tuned."""
    sizes = sorted(chosen)
    limits = [*(str(round(math.sqrt(a * b))) for a, b in pairwise(sizes)), *["MORE"][: len(sizes)]]
    rows = [(tile_words(chosen[n], n), limit) for n, limit in zip(sizes, limits, strict=True)]
    for words, same in groupby(rows, key=lambda one: one[0]):
        yield f"{{{names}, {[*same][-1][1]}, {words}}}"


def tile_words(candidate: Candidate, n: int) -> str:
    """Height, NB and IB; a square tile stays square at other N of its range."""
    tile = candidate.tile
    is_whole = tile.mb >= n and not tile.is_square
    height = "WHOLE" if is_whole else str(tile.mb // tile.nb)
    return f"{height}, {tile.nb}, {candidate.ib or 0}"
