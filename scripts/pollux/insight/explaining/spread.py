# SPDX-License-Identifier: BSD-3-Clause
"""Values measured in rounds: their median and its interval, or their difference between sides.

Of one side, the interval is that between two order statistics which enclose the true median with
95 %. Of two sides whose rounds are pairs, it is Hodges and Lehmann's of the rounds' differences;
where one looked after each round whether to go on, that which holds whenever one stops
(core/analysis/anytime.py). All of them are narrower the more rounds there are.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import median

import numpy as np

from pollux.core.analysis.anytime import Pairs
from pollux.core.analysis.statistics import FEWEST as FEWEST
from pollux.core.analysis.statistics import independent_shifts, paired_shifts
from pollux.insight.simulation.ranges import rounds_outside

NEGLIGIBLE = 0.1  # of the least difference that matters: too little to be called one


class Verdict(StrEnum):
    """What the rounds show about a part of the difference."""

    MORE = "more"
    LESS = "less"
    SAME = "same"  # no difference that is relevant
    OPEN = "open"


@dataclass(frozen=True)
class Spread:
    """An estimate with its 95 % interval; where the rounds are too few for one, their range."""

    median: float
    low: float
    high: float
    rounds: int
    needed: int = FEWEST  # rounds

    @property
    def is_conclusive(self) -> bool:
        """Whether the ends contain the true median with 95 % confidence."""
        return self.rounds >= self.needed

    def contains(self, value: float) -> bool:
        """Whether a value is within the ends; one round has none and excludes nothing."""
        return self.rounds < 2 or self.low <= value <= self.high

    def verdict(self, relevant: float) -> Verdict:
        """Of a difference: `relevant` is the least that matters."""
        if not self.is_conclusive:
            return Verdict.OPEN
        if not self.contains(0.0) and abs(self.median) > NEGLIGIBLE * relevant:
            return Verdict.MORE if self.median > 0 else Verdict.LESS
        within = -relevant <= self.low and self.high <= relevant
        return Verdict.SAME if within else Verdict.OPEN

    def as_description(self) -> "Spread":
        """The same without its confidence, as where the values have decided their number."""
        return replace(self, needed=self.rounds + 1)

    def times(self, factor: float) -> "Spread":
        """In another unit."""
        return self.mapped(lambda value: factor * value)

    def mapped(self, function: Callable[[float], float]) -> "Spread":
        """Of a monotonic function of the values."""
        low, high = sorted(map(function, (self.low, self.high)))
        return replace(self, median=function(self.median), low=low, high=high)


def spread(values: Iterable[float]) -> Spread:
    """The median of values, one for each round."""
    found = sorted(values)
    cut = rounds_outside(len(found)) if len(found) >= FEWEST else 0
    return Spread(median(found), found[cut], found[-1 - cut], len(found))


def shift(first: Sequence[Sequence[float]], second: Sequence[Sequence[float]]) -> Spread:
    """How much more the second side has: by rounds where both have the same, else in all.

    A round has a value for each repetition; its own is the median, of pairs where there are any.
    """
    n = min(len(first), len(second))
    if len(first) == len(second):
        pairs = [zip(own, other, strict=False) for own, other in zip(first, second, strict=True)]
        differences = np.array([median(b - a for a, b in own) for own in pairs], float)
        found = paired_shifts(differences[None])
    else:
        x, y = (np.array(list(map(median, side)), float) for side in (first, second))
        differences = (y[:, None] - x).ravel()
        found = independent_shifts(y[None], x[None])
    ends = float(found.low[0]), float(found.high[0])
    if n < FEWEST or not np.isfinite(ends).all():
        return Spread(median(differences), float(differences.min()), float(differences.max()), n)
    return Spread(float(found.estimate[0]), *ends, n)


def anytime(pairs: Pairs) -> Spread:
    """The same of paired rounds after each of which one may have stopped."""
    estimate, low, high = pairs.interval()
    x = pairs.differences
    if len(x) < FEWEST or not np.isfinite((low, high)).all():
        return Spread(median(x), min(x), max(x), len(x)).as_description()
    return Spread(estimate, low, high, len(x))


def middle(values: Sequence[float]) -> int:
    """Which of the values is the median; the lower one of two."""
    return sorted(range(len(values)), key=values.__getitem__)[(len(values) - 1) // 2]
