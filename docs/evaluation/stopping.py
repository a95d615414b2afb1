#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Simulate campaigns that run until they are decided: how often they are wrong, how long they take.

Each campaign has two cells, and a truth. Noise is that of processes in turns on a machine whose
speed wanders; of processes one after the other in three conditions, with tails to the slow side,
bursts and drift that last for many runs; of an effect of the order of a round; or that of a file of
records, whose stretches of runs are put together at random. Errors are counted at every round, as
if one stopped there: any difference where there is none, and any "no difference" where there is
just a relevant one. The number of rounds until all is decided is compared with what the tests for a
fixed number need for the same verdicts with a chance of 90 %, counted on the same noise.

Exit status: 0 both error rates are at most 5 %, 1 one is larger.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, log
from pathlib import Path

import numpy as np
from pollux.core.analysis.anytime import Pairs
from pollux.core.analysis.fixed_plan import judge
from pollux.core.analysis.loading import load
from pollux.core.analysis.result import Verdict
from pollux.core.analysis.statistics import Floats
from pollux.core.analysis.stopping import verdicts
from pollux.core.analysis.two_sides import Sides, weigh
from scipy.stats import binomtest  # type: ignore[import-untyped]

RELEVANT = 0.03
MARGIN = -log(1 - RELEVANT)
BOUND = 0.05
CELLS = 2
STRETCH = 24  # runs that a simulated sequence takes from a file in one piece
FIXED = (10, 15, 20, 30, 40, 60, 80, 120, 160)  # numbers of processes that are tried
Noise = Callable[[np.random.Generator, int], Floats]
"""The differences of so many rounds, where both sides are equally fast."""


@dataclass(frozen=True)
class Condition:
    """What a machine does to the logarithm of a speed."""

    core: float  # standard deviation of each run
    drift: float  # standard deviation of what lasts for about 30 runs
    slowed: float  # share of runs that are slowed down
    by: float  # mean of that, exponentially distributed
    burst: float  # runs that a burst of these lasts

    def noise(self, rng: np.random.Generator, rounds: int) -> Floats:
        return differences_of(self.runs(rng, 2 * rounds), rng)

    def runs(self, rng: np.random.Generator, runs: int) -> Floats:
        steps = rng.normal(0, self.drift * np.sqrt(1 - 0.97**2), runs)
        drift = np.empty(runs)
        level = rng.normal(0, self.drift)
        for i, step in enumerate(steps):
            level = 0.97 * level + step
            drift[i] = level
        is_slowed = np.empty(runs, dtype=bool)
        state = rng.random() < self.slowed
        enter = self.slowed / (1 - self.slowed) / self.burst
        for i, draw in enumerate(rng.random(runs)):
            state = draw > 1 / self.burst if state else draw < enter
            is_slowed[i] = state
        tails = rng.exponential(self.by, runs)
        noise: Floats = drift + rng.normal(0, self.core, runs) - is_slowed * tails
        return noise


@dataclass(frozen=True)
class Turns:
    """What a machine does to the differences of processes that take turns.

    A difference of neighbouring repetitions has Student's t with three degrees of freedom; what
    differs from process to process and the spells of a wandering machine are added to a rota's.
    """

    within: float  # scale of a difference of repetitions
    repetitions: int
    between: float  # standard deviation of what a process keeps
    spells: float  # share of rotas in which the machine's speed changes
    by: float  # mean of what is left of that, exponentially distributed, on one side

    def noise(self, rng: np.random.Generator, rounds: int) -> Floats:
        turns = self.within * rng.standard_t(3, (rounds, self.repetitions))
        spells = (rng.random(rounds) < self.spells) * rng.exponential(self.by, rounds)
        own = rng.normal(0, self.between * np.sqrt(2), rounds)
        noise: Floats = np.median(turns, axis=1) + own + spells * rng.choice((-1, 1), rounds)
        return noise


@dataclass(frozen=True)
class Order:
    """An effect of the order within a round, drawn at random, that is larger than all noise."""

    by: float
    core: float  # standard deviation

    def noise(self, rng: np.random.Generator, rounds: int) -> Floats:
        noise: Floats = self.by * rng.choice((-1, 1), rounds) + rng.normal(0, self.core, rounds)
        return noise


# Core, drift and tails as recorded with three repetitions a process; those of turns fitted to rotas
# on a machine whose speed wanders (reliability.md).
CONDITIONS: dict[str, Condition | Turns | Order] = {
    "turns": Turns(0.09, 15, 0.008, 0.1, 0.04),
    "turns, few": Turns(0.09, 5, 0.008, 0.2, 0.08),
    "quiet": Condition(0.010, 0.02, 0.05, 0.20, 1.5),
    "bursts": Condition(0.015, 0.03, 0.30, 0.20, 4),
    "load 4": Condition(0.080, 0.08, 0.40, 0.35, 3),
    "order": Order(0.1, 0.01),
}


def recorded(path: Path) -> Noise:
    """Noise from the runs of the configuration with the most samples, in the order of time."""
    dataset = load([path])
    speeds: dict[tuple[object, ...], list[tuple[int, float]]] = {}
    for s in dataset.samples:
        if s.speed is not None:
            cell = dataset.configurations[s.configuration].cell()
            speeds.setdefault(cell, []).append((s.start_unix_ns, log(s.speed)))
    most = max(map(len, speeds.values()))
    longest = next(own for own in speeds.values() if len(own) == most)
    series = np.array([value for _, value in sorted(longest)])
    if len(series) < 2 * STRETCH:
        sys.exit(f"{path}: at least {2 * STRETCH} runs of a cell are needed")
    series -= np.median(series)

    def noise(rng: np.random.Generator, rounds: int) -> Floats:
        count = -(-2 * rounds // STRETCH)
        starts = rng.integers(0, len(series) - STRETCH + 1, count)
        runs = np.concatenate([series[s : s + STRETCH] for s in starts])[: 2 * rounds]
        return differences_of(runs, rng)

    return noise


def differences_of(runs: Floats, rng: np.random.Generator) -> Floats:
    """Those of rounds of two runs each, in random order."""
    pairs = runs.reshape(-1, 2)
    differences: Floats = rng.choice((-1, 1), len(pairs)) * (pairs[:, 0] - pairs[:, 1])
    return differences


@dataclass(frozen=True)
class Course:
    """What a campaign decided, and after how many rounds."""

    ever: set[Verdict]  # verdicts that a cell had at any round
    decided: float  # rounds until no cell was open


def course(cells: Sequence[Floats]) -> Course:
    """All rounds of a campaign, even beyond its decision: one may stop at any of them."""
    sequences = [Pairs(RELEVANT) for _ in cells]
    ever: set[Verdict] = set()
    decided = inf
    for round_, differences in enumerate(zip(*cells, strict=True), start=1):
        for sequence, difference in zip(sequences, differences, strict=True):
            sequence.add(difference)
        now = verdicts([sequence.anytime() for sequence in sequences])
        ever.update(now)
        if Verdict.TOO_NOISY not in now:
            decided = min(decided, round_)
            if {Verdict.BETTER, Verdict.WORSE} & set(now):
                break
    return Course(ever, decided)


def fixed_verdicts(cells: Sequence[Floats]) -> set[Verdict]:
    weighed = weigh([Sides(np.array(cell), None) for cell in cells])
    return {comparison.verdict for comparison in judge(weighed, RELEVANT)}


def fixed_number(campaigns: Sequence[Sequence[Floats]], wanted: Verdict) -> float:
    """The number of processes that has this verdict in all cells of 90 % of the campaigns."""
    for number in FIXED:
        if number <= len(campaigns[0][0]):
            found = [fixed_verdicts([c[:number] for c in cells]) == {wanted} for cells in campaigns]
            if np.mean(found) >= 0.9:
                return number
    return inf


@dataclass(frozen=True)
class Truth:
    """Campaigns of one truth: what would be wrong, and what is right."""

    name: str
    true: float
    wrong: frozenset[Verdict]
    right: Verdict


TRUTHS = (
    Truth("A/A", 0.0, frozenset({Verdict.BETTER, Verdict.WORSE}), Verdict.NO_DIFFERENCE),
    Truth("slower by 3 %", -MARGIN, frozenset({Verdict.NO_DIFFERENCE}), Verdict.WORSE),
    Truth("slower by 5 %", log(0.95), frozenset({Verdict.BETTER}), Verdict.WORSE),
)


def simulate(name: str, noise: Noise, truth: Truth, options: argparse.Namespace) -> bool:
    """One line on campaigns of one truth; whether their errors are rare enough."""
    rng = np.random.default_rng(options.seed)
    campaigns = [
        [truth.true + noise(rng, options.rounds) for _ in range(CELLS)]
        for _ in range(options.campaigns)
    ]
    courses = [course(cells) for cells in campaigns]
    wrong = sum(bool(c.ever & truth.wrong) for c in courses)
    share = binomtest(wrong, len(courses)).proportion_ci(0.95, method="exact")
    rounds = [c.decided for c in courses]
    fixed = fixed_number(campaigns[: options.fixed], truth.right)
    kept = wrong <= BOUND * len(courses)
    half, most = (np.quantile(rounds, q, method="higher") for q in (0.5, 0.9))
    print(
        f"{name:8} {truth.name:14} wrong at any round: {wrong} of {len(courses)} "
        f"({share.low:.1%} to {share.high:.1%}){'' if kept else ' TOO OFTEN'}; decided after "
        f"{half:g} rounds (median), {most:g} (90 %); a fixed number for 90 %: {fixed:g}",
        flush=True,
    )
    return kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.add_argument("--campaigns", type=int, default=400, help="of each truth (400)")
    parser.add_argument("--rounds", type=int, default=160, help="looked at (160)")
    parser.add_argument("--fixed", type=int, default=100, help="campaigns for the fixed number")
    parser.add_argument("--seed", type=int, default=20261)
    parser.add_argument("--records", type=Path, nargs="*", default=[], help="noise of these too")
    options = parser.parse_args()
    noises: dict[str, Noise] = {name: c.noise for name, c in CONDITIONS.items()}
    noises |= {path.stem: recorded(path) for path in options.records}
    kept = [
        simulate(name, noise, truth, options) for name, noise in noises.items() for truth in TRUTHS
    ]
    sys.exit(0 if all(kept) else 1)


if __name__ == "__main__":
    main()
