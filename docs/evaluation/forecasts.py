#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compare forecasts of campaigns that run until they are decided with the time that they needed.

A campaign is replayed up to a quarter, a half and three quarters of what it took to decide all of
its comparisons, and asked how long that will take. The answer is a number or a range
(campaign/outlook.py). A number is right if the true remaining time is within a factor of two of it,
a range if it contains the time. Campaigns are simulated, with the noise of stopping.py, and read
from files of records, where the time is that of the processes of the comparisons that were open.

Exit status: 0 at least 80 % of the forecasts are right, in simulations and in records; 1 fewer are.
"""

import argparse
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import log
from pathlib import Path
from statistics import fmean

import numpy as np
from pollux.core.analysis.axes import cell_label, is_first
from pollux.core.analysis.dataset import Dataset
from pollux.core.analysis.loading import load
from pollux.core.analysis.statistics import Floats
from pollux.core.analysis.stopping import Standings
from pollux.core.campaign.compared import level_names
from pollux.core.campaign.outlook import FACTOR, SHARE, Outlook, outlook_of
from pollux.core.campaign.repetitions import seconds_with, suggested
from pollux.core.campaign.samples import Logs, Sample
from stopping import CONDITIONS, MARGIN, RELEVANT

MOMENTS = (0.25, 0.5, 0.75)  # of the time to the decision
TRUTHS = {"A/A": 0.0, "3 %": -MARGIN, "5 %": log(0.95), "10 %": log(0.9)}
CELLS = (1, 2, 8)
MOST = 400  # rounds of a simulated campaign
SOONEST = 6  # rounds: a campaign forecasts nothing before


@dataclass
class Round:
    """What a cell showed in a round: logarithms of speeds, of the reference first."""

    cell: int
    number: int
    logs: Sequence[Logs | None]
    seconds: Sequence[float]
    samples: Sequence[Sample | None] = ()  # of records


@dataclass
class Replay:
    """A campaign as it went, round by round."""

    levels: list[list[str]]
    relevant: float
    rounds: list[Round]
    chooses: bool = False  # the number of repetitions
    standings: Standings = field(init=False)

    def __post_init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        self.standings = Standings(self.relevant, self.levels)
        self.known: list[list[dict[int, Logs]]] = [[{} for _ in [0, *own]] for own in self.levels]
        self.latest: list[list[float]] = [[0.0 for _ in [0, *own]] for own in self.levels]
        self.samples: list[list[dict[int, Sample]]] = [[{} for _ in [0, *o]] for o in self.levels]

    def add(self, one: Round) -> None:
        for at, (logs, seconds) in enumerate(zip(one.logs, one.seconds, strict=True)):
            if logs is not None:
                self.known[one.cell][at][one.number] = logs
                self.latest[one.cell][at] = seconds
        for at, sample in enumerate(one.samples):
            if sample is not None:
                self.samples[one.cell][at][one.number] = sample
        self.standings.update(one.cell, self.known[one.cell])

    def places(self) -> Iterator[tuple[int, int]]:
        yield from ((cell, at) for cell, own in enumerate(self.levels) for at in range(len(own)))

    def decisions(self) -> dict[tuple[int, int], int]:
        """After how many entries of `rounds` each comparison was decided, if it was."""
        self.begin()
        found: dict[tuple[int, int], int] = {}
        for count, one in enumerate(self.rounds, start=1):
            self.add(one)
            for place in self.places():
                if self.standings.is_decided(*place):
                    found.setdefault(place, count)
        return found

    def outlook(self, wanted: Iterable[tuple[int, int]]) -> Outlook | None:
        """Of the seconds that these comparisons still need."""
        draws = self.standings.outlook()
        seconds: list[Floats] = []
        by_cell: dict[int, list[int]] = {}
        for cell, at in wanted:
            if (cell, at) not in draws:
                return None
            by_cell.setdefault(cell, []).append(at)
        for cell, own in by_cell.items():
            latest = self.expected(cell)
            seconds += [draws[cell, at] * latest[at + 1] for at in own]
            most = np.max([draws[cell, at] for at in own], axis=0)
            seconds.append(most * latest[0])
        return outlook_of(np.sum(seconds, axis=0)) if seconds else None

    def expected(self, cell: int) -> Sequence[float]:
        """Seconds of the next processes of a cell, as a campaign expects them."""
        samples = self.samples[cell]
        if not self.chooses or not all(samples):
            return self.latest[cell]
        number = suggested(samples, self.standings.evidence)
        return [seconds_with(own[max(own)], number) for own in samples]


@dataclass(frozen=True)
class Told:
    """A forecast, and the time that it is about."""

    outlook: Outlook
    truth: float

    @property
    def is_near(self) -> bool:
        return 1 / FACTOR <= self.outlook.middle / self.truth <= FACTOR

    @property
    def is_right(self) -> bool:
        if self.outlook.is_certain:
            return self.is_near
        return self.outlook.low <= self.truth <= self.outlook.high


def forecasts_of(replay: Replay) -> Iterator[Told]:
    """At each of the moments; of the comparisons that were decided in the end."""
    decisions = replay.decisions()
    if not decisions:
        return
    last = max(decisions.values())
    moments = [round(share * last) for share in MOMENTS]
    replay.begin()
    for count, one in enumerate(replay.rounds[:last]):
        if count in moments and earliest(replay) >= SOONEST:
            open_ = [place for place, end in decisions.items() if end > count]
            outlook = replay.outlook(open_)
            if outlook is not None:
                yield Told(outlook, needed(replay, decisions, open_, count))
        replay.add(one)


def earliest(replay: Replay) -> int:
    return min(len(known) for cell in replay.known for known in cell)


def needed(
    replay: Replay,
    decisions: dict[tuple[int, int], int],
    open_: Sequence[tuple[int, int]],
    count: int,
) -> float:
    """The seconds of the processes from then on that decided these comparisons."""
    total = 0.0
    for cell in {cell for cell, _ in open_}:
        ends = {at: decisions[cell, at] for own, at in open_ if own == cell}
        for at_entry, one in enumerate(replay.rounds[count:], start=count):
            if one.cell == cell and at_entry < max(ends.values()):
                total += one.seconds[0]
                total += sum(one.seconds[at + 1] for at, end in ends.items() if at_entry < end)
    return total


def simulated(
    noise: Callable[[np.random.Generator, int], Floats],
    true: float,
    cells: int,
    rng: np.random.Generator,
) -> Replay:
    """A campaign of two sides; a decided cell takes no more rounds. A round takes a second."""
    differences = [true + noise(rng, MOST) for _ in range(cells)]
    replay = Replay([[f"other {cell}"] for cell in range(cells)], RELEVANT, [])
    rounds: list[Round] = []
    for number in range(MOST):
        open_ = [cell for cell in range(cells) if not replay.standings.is_decided(cell, 0)]
        if not open_:
            break
        for cell in open_:
            logs = [Logs(0.0), Logs(float(differences[cell][number]))]
            rounds.append(Round(cell, number, logs, [0.5, 0.5]))
            replay.add(rounds[-1])
    replay.rounds = rounds
    return replay


def recorded(path: Path) -> Replay:
    """The headlines of a campaign's file."""
    dataset = load([path])
    keys = [key for key, c in dataset.configurations.items() if is_first(c)]
    names = level_names(dataset.configurations, dataset.axis)
    cells: dict[str, list[str]] = {}
    for key in keys:
        cells.setdefault(cell_label(dataset.configurations[key], dataset.axis), []).append(key)
    ordered = [sorted(own, key=lambda k: names[k] != dataset.reference) for own in cells.values()]
    levels = [[f"{names[key]} {cell}" for key in own[1:]] for cell, own in enumerate(ordered)]
    relevant = dataset.until_decided or RELEVANT
    stated = "repetitions" in tomllib.loads(dataset.starts[-1].text)
    return Replay(levels, relevant, list(rounds_of(dataset, ordered)), chooses=not stated)


def rounds_of(dataset: Dataset, cells: Sequence[Sequence[str]]) -> Iterator[Round]:
    """In the order of time."""
    samples: dict[tuple[str, int], Sample] = {}
    for s in dataset.samples:
        if s.round is not None and s.speed is not None:
            samples[s.configuration, s.round] = s
    found = []
    for place, own in enumerate(cells):
        for number in sorted({n for key, n in samples if key in own}):
            taken = [samples.get((key, number)) for key in own]
            begun = min(s.start_unix_ns for s in taken if s is not None)
            logs = [None if s is None else s.logs for s in taken]
            seconds = [0.0 if s is None else s.process_seconds or 0.0 for s in taken]
            found.append((begun, Round(place, number, logs, seconds, taken)))
    yield from (one for _, one in sorted(found, key=lambda pair: pair[0]))


def report(name: str, told: Sequence[Told]) -> None:
    """A line on the forecasts of one kind."""
    if not told:
        print(f"{name}: no forecast", flush=True)
        return
    right, near = (
        fmean(flags) for flags in ([t.is_right for t in told], [t.is_near for t in told])
    )
    numbers = [t for t in told if t.outlook.is_certain]
    width = np.median([t.outlook.high / t.outlook.low for t in told])
    of_numbers = f", {fmean(t.is_near for t in numbers):.0%} of these right" if numbers else ""
    print(
        f"{name}: {len(told)} forecasts, {right:.0%} right; {len(numbers)} are numbers{of_numbers}"
        f"; middle within a factor of two: {near:.0%}; high / low: {width:.1f} (median)",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.add_argument("--campaigns", type=int, default=20, help="of each kind (20)")
    parser.add_argument("--seed", type=int, default=20261)
    parser.add_argument("--records", type=Path, nargs="*", default=[], help="campaigns' files")
    options = parser.parse_args()
    told: list[Told] = []
    for name, condition in CONDITIONS.items():
        for truth, true in TRUTHS.items():
            rng = np.random.default_rng(options.seed)
            own = [
                one
                for cells in CELLS
                for _ in range(max(1, options.campaigns // cells))
                for one in forecasts_of(simulated(condition.noise, true, cells, rng))
            ]
            report(f"{name:10} {truth:5}", own)
            told += own
    report("simulated", told)
    real = [one for path in options.records for one in forecasts_of(recorded(path))]
    if options.records:
        report(f"{len(options.records)} files of records", real)
    shares = [fmean(t.is_right for t in own) for own in (told, real) if own]
    sys.exit(0 if min(shares) >= SHARE else 1)


if __name__ == "__main__":
    main()
