# SPDX-License-Identifier: BSD-3-Clause
"""What follows from the rounds of a search: an order of the candidates, ratios and intervals."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from pollux.core.analysis.statistics import FEWEST, median_intervals, paired_shifts
from pollux.machine.tuning.candidates import Candidate

Values = Mapping[Candidate, Mapping[int, float]]  # GFlop/s of each round
SWEEPS = 30  # of the median polish; it settles within a few


@dataclass(frozen=True)
class Ratio:
    """A speed relative to the winner's; without an interval if they share too few rounds."""

    estimate: float
    low: float | None
    high: float | None

    @property
    def is_settled(self) -> bool:
        """Whether the interval excludes 1."""
        return self.low is None or self.high is None or not self.low <= 1 <= self.high


def rank(values: Values, contestants: Sequence[Candidate], start: int) -> list[Candidate]:
    """The contestants, best first, by their rounds from `start` on.

    The score is the median over rounds of log(speed / median speed of the round).
    """
    times = sorted({r for c in contestants for r in values.get(c, {}) if r >= start})
    middles = {r: median(values[c][r] for c in contestants if r in values[c]) for r in times}

    def score(candidate: Candidate) -> float:
        own = values[candidate]
        return median(math.log(own[r] / middles[r]) for r in times if r in own)

    return sorted(contestants, key=score, reverse=True) if times else list(contestants)


def best_first(values: Values, finalists: Sequence[Candidate], start: int) -> list[Candidate]:
    """The finalists by the estimates that are reported: the ratios of each to every other.

    The first is the one whose least favourable ratio is the highest. None of the others is faster
    by these ratios, unless several beat each other in a circle.
    """
    order = rank(values, finalists, start)

    def least(candidate: Candidate) -> float:
        met = [paired(values, candidate, other, start) for other in order if other != candidate]
        return min((ratio.estimate for ratio in met if ratio), default=1.0)

    return sorted(order, key=least, reverse=True)


def is_behind(values: Values, candidate: Candidate, leader: Candidate, start: int) -> bool:
    """Whether the leader is faster over the whole 95 % interval of their ratio."""
    ratio = paired(values, candidate, leader, start)
    return ratio is not None and ratio.high is not None and ratio.high < 1


def paired(values: Values, candidate: Candidate, other: Candidate, start: int = 0) -> Ratio | None:
    """The ratio within rounds, with its interval; None if they share too few."""
    rounds = sorted(r for r in values[candidate] if r in values[other] and r >= start)
    if len(rounds) < FEWEST:
        return None
    logs = [math.log(values[candidate][r] / values[other][r]) for r in rounds]
    shifts = paired_shifts(np.array([logs]))
    estimate, low, high = (math.exp(x[0]) for x in (shifts.estimate, shifts.low, shifts.high))
    return Ratio(estimate, low, high)


def ratios(values: Values, winner: Candidate, final_from: int) -> dict[Candidate, Ratio]:
    """The ratio of every measured candidate to the winner.

    From the rounds of the final, else from all that both ran in; where these are too few, from all
    rounds: a speed is modelled as the candidate's factor times the round's, fitted by median
    polish (J. W. Tukey: Exploratory data analysis, 1977), so that candidates are linked by those
    that both have met.
    """
    fitted = polish(values)
    found = {}
    for candidate in values:
        ratio = paired(values, candidate, winner, final_from) or paired(values, candidate, winner)
        estimate = math.exp(fitted[candidate] - fitted[winner])
        found[candidate] = ratio or Ratio(estimate, None, None)
    return found | {winner: Ratio(1.0, None, None)}


def polish(values: Values) -> dict[Candidate, float]:
    """The candidates' terms in the logarithms of all speeds."""
    logs = {c: {r: math.log(v) for r, v in own.items()} for c, own in values.items()}
    effects = dict.fromkeys(logs, 0.0)
    for _ in range(SWEEPS):
        rounds: dict[int, list[float]] = {}
        for c, own in logs.items():
            for r, log in own.items():
                rounds.setdefault(r, []).append(log - effects[c])
        drift = {r: median(rest) for r, rest in rounds.items()}
        effects = {c: median(own[r] - drift[r] for r in own) for c, own in logs.items()}
    return effects


def median_interval(speeds: Iterable[float]) -> tuple[float, float | None, float | None]:
    """The median of some speeds, with its 95 % interval if there are enough."""
    given = list(speeds)
    middle, low, high = (float(x[0]) for x in median_intervals(np.array([given])))
    return middle, *((low, high) if len(given) >= FEWEST else (None, None))
