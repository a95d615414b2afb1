# SPDX-License-Identifier: BSD-3-Clause
"""The result of a search: its winner as an entry for results/tuned.json, all points, the cost."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from statistics import fmean

from pollux.core.campaign.lines import SampleLine
from pollux.core.campaign.tuned import Entry, Point, this_host
from pollux.core.text import in_percent
from pollux.core.tiles import Tile
from pollux.machine.tuning.candidates import Candidate
from pollux.machine.tuning.scores import Ratio, median_interval, ratios
from pollux.machine.tuning.search import Search
from pollux.machine.tuning.targets import Target

FOREIGN_MARGIN = 0.10  # more processor time than this used by others is reported

Samples = Mapping[Candidate, Sequence[SampleLine]]


@dataclass(frozen=True)
class Tuned:
    """The result for one target."""

    target: Target
    entry: Entry | None  # None: nothing to store
    points: list[Point] = field(default_factory=list)
    runs: int = 0
    seconds: float = 0.0
    grid_runs: int = 0  # of the full grid, each candidate as often as a finalist
    grid_seconds: float = 0.0  # estimated
    notes: list[str] = field(default_factory=list)
    problem: str | None = None  # why there is no entry

    @property
    def went_wrong(self) -> bool:
        """Whether a run failed, or none was possible although this build has the variant."""
        broken = any(p.problem for p in self.points)
        return broken or (self.problem is not None and self.target.unavailable is None)


def conclude(
    target: Target,
    search: Search,
    winner: Candidate | None,
    samples: Samples,
    foreign: float | None,
) -> Tuned:
    """Summarize a finished search."""
    found = ratios(search.values, winner, search.final_from) if winner else {}
    points = [make_point(search, c, found.get(c)) for c in sorted(samples)]
    times = {c: fmean(s.process_seconds / runs_of(s) for s in own) for c, own in samples.items()}
    everything = search.grid.all()
    entry = None
    if winner is not None:
        entry = make_entry(target, search, winner, samples, points)
    return Tuned(
        target=target,
        entry=entry,
        points=points,
        runs=count(samples),
        seconds=total_seconds(samples),
        grid_runs=len(everything) * search.rounds,
        grid_seconds=search.rounds * sum(expected_seconds(c, times) for c in everything),
        notes=make_notes(search, winner, found, target.size, foreign),
        problem=None if winner else "no candidate ran without a failure",
    )


def count(samples: Samples) -> int:
    return sum(runs_of(sample) for own in samples.values() for sample in own)


def runs_of(sample: SampleLine) -> int:
    """The runs that a process measured, or tried to."""
    return max(1, len(sample.records))


def total_seconds(samples: Samples) -> float:
    return sum(s.process_seconds for own in samples.values() for s in own)


def make_point(search: Search, candidate: Candidate, ratio: Ratio | None) -> Point:
    speeds = search.values.get(candidate, {}).values()
    problem = search.problems.get(candidate)
    return Point(
        **candidate.tile.fields(),
        ib=candidate.ib,
        gflops=median_interval(speeds)[0] if speeds else None,
        runs=len(speeds) + (problem is not None),
        ratio=ratio.estimate if ratio else None,
        low=ratio.low if ratio else None,
        high=ratio.high if ratio else None,
        problem=problem,
    )


def make_entry(
    target: Target, search: Search, winner: Candidate, samples: Samples, points: list[Point]
) -> Entry:
    record = samples[winner][-1].records[-1]
    speeds = {r: v for r, v in search.values[winner].items() if r >= search.final_from}
    gflops, low, high = median_interval(speeds.values())
    return Entry(
        host=this_host(),
        benchmark=target.benchmark,
        variant=target.variant,
        kernels=target.kernels,
        n=target.size,
        parameters=dict(target.parameters),
        threads=record["threads"],
        threads_asked=target.threads,
        runtime=target.runtime,
        runtime_name=record["runtime"]["name"],
        runtime_version=record["runtime"]["version"],
        runtime_build_id=record["runtime"].get("build_id"),
        blas_version=record["blas"]["version"],
        blas_core=record["blas"]["core"],
        **winner.tile.fields(),
        ib=winner.ib,
        gflops=gflops,
        low=low,
        high=high,
        points=points,
        runs=count(samples),
        seconds=total_seconds(samples),
        method=f"successive halving, {search.rounds} rounds in the final",
        date=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def expected_seconds(candidate: Candidate, times: Mapping[Candidate, float]) -> float:
    """The time of a run: as measured, else that of the measured candidate nearest in NB and MB."""
    if candidate in times:
        return times[candidate]
    return times[min(times, key=lambda c: (distance(c.tile, candidate.tile), c.ib != candidate.ib))]


def distance(a: Tile, b: Tile) -> float:
    return abs(math.log(a.nb / b.nb)) + abs(math.log(a.mb / b.mb))


def make_notes(
    search: Search,
    winner: Candidate | None,
    found: Mapping[Candidate, Ratio],
    size: int,
    foreign: float | None,
) -> list[str]:
    found = {c: ratio for c, ratio in found.items() if c not in search.problems}
    notes = []
    if winner is not None:
        met = [c for c in sorted(found) if max(search.values[c]) >= search.final_from]
        smaller = [c for c in met if c.nb < winner.nb and is_equal(found[c])]
        notes += [f"{smaller[0]} is not distinguishable from {winner}"] if smaller else []
        notes += circles(winner, {c: found[c] for c in met})
        notes += early_leavers(search, found, winner)
        notes += at_an_end(search, winner, size)
    if foreign is not None and foreign > FOREIGN_MARGIN:
        notes.append(f"other processes used {in_percent(foreign)} of the processors meanwhile")
    return notes


def circles(winner: Candidate, final: Mapping[Candidate, Ratio]) -> list[str]:
    """Finalists that are faster than the winner, and slower than another finalist."""
    return [
        f"{c} is {ratio.estimate:.3f} times as fast as {winner} in the final, but slower than "
        "another finalist: the final does not decide which is the fastest"
        for c, ratio in final.items()
        if ratio.estimate > 1
    ]


def early_leavers(search: Search, found: Mapping[Candidate, Ratio], winner: Candidate) -> list[str]:
    """Candidates that left before the final, although over all rounds they may be faster."""
    ahead = [
        c
        for c, ratio in found.items()
        if ratio.estimate > 1 and max(search.values[c]) < search.final_from
    ]
    if not ahead:
        return []
    names = ", ".join(f"{c} ({len(search.values[c])} runs)" for c in ahead)
    columns = ",".join(map(str, sorted({c.nb for c in (winner, *ahead)})))
    return [
        f"{names}: left before the final, because others were faster in the same rounds; the "
        f"estimate above 1 comes from earlier rounds. To compare directly: --tile {columns}"
    ]


def is_equal(ratio: Ratio) -> bool:
    return ratio.low is not None and not ratio.is_settled


def at_an_end(search: Search, winner: Candidate, size: int) -> list[str]:
    """The best tile is at the end of the range: a better one may be outside."""
    tiles, heights, inner = search.grid.tiles, search.grid.heights, search.grid.inner
    notes = []
    if len(tiles) > 1 and winner.nb in (tiles[0], tiles[-1]) and winner.nb != size:
        end = "smallest" if winner.nb == tiles[0] else "largest"
        notes.append(f"NB={winner.nb} is the {end} that was tried: widen the range with --tile")
    if len(heights) > 1 and winner.tile.mb == heights[-1] * winner.nb and winner.tile.mb < size:
        notes.append(
            f"NB={winner.tile} has the greatest height tried: --heights takes greater ones"
        )
    if len(inner) > 1 and winner.ib in (inner[0], inner[-1]) and winner.ib not in (1, winner.nb):
        end = "smallest" if winner.ib == inner[0] else "largest"
        notes.append(f"IB={winner.ib} is the {end} that was tried: widen the range with --inner")
    return notes
