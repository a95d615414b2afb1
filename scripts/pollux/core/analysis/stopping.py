# SPDX-License-Identifier: BSD-3-Clause
"""Where the comparisons of a campaign that runs until it is decided stand: decided, or how far.

A comparison is decided when it has a verdict: faster, slower, or no relevant difference. All
comparisons are one family. Since each p is the smallest so far and so never rises again, Holm's
correction of them at any moment rejects no more than it would in the end: one false difference or
more has a chance of at most ROWS, and one false "no relevant difference" or more of at most
EQUIVALENT, whenever one stops.
"""

from collections.abc import Callable, Mapping, Sequence
from math import ceil, exp, inf, log

import numpy as np

from pollux.core.analysis import statistics
from pollux.core.analysis.anytime import FREEDOM, LEAST_SCALE, Anytime, Bets, Pairs, predicted_scale
from pollux.core.analysis.result import Interval, Verdict

# Bounds of the chance of one false verdict or more, whenever one stops. That of differences is
# shared by the rows and the means over cells. docs/evaluation/stopping.py simulates how near real
# noise comes to them.
ROWS = 0.04
OVERALL = 0.01
EQUIVALENT = 0.05
SLOWEST = 1e-4  # growth of evidence per pair, as a logarithm, that a forecast assumes at least
EXPECTING = 6  # pairs that what is expected counts for, beside those observed


def verdicts(found: Sequence[Anytime], metric_is_higher_better: bool = True) -> list[Verdict]:
    """The verdict on each of all comparisons, TOO_NOISY where it is open."""
    if not found:
        return []
    different = statistics.holm(np.array([a.difference for a in found])) <= ROWS
    equivalent = statistics.holm(np.array([a.equivalence for a in found])) <= EQUIVALENT
    given = []
    for one, is_different, is_equivalent in zip(found, different, equivalent, strict=True):
        is_better = (one.above < one.below) == metric_is_higher_better
        if is_different:
            given.append(Verdict.BETTER if is_better else Verdict.WORSE)
        else:
            given.append(Verdict.NO_DIFFERENCE if is_equivalent else Verdict.TOO_NOISY)
    return given


def corrected(found: Sequence[Anytime]) -> list[float]:
    """p of "there is no difference", by Holm's correction over all of them."""
    return list(map(float, statistics.holm(np.array([a.difference for a in found]))))


def pairs_left(pairs: Pairs, family: int) -> int:
    """How many more pairs will decide, by what they have shown so far; at least one."""
    n, scale = len(pairs), predicted_scale(pairs.differences)
    if scale is None:
        return fewest(family) - n
    margin, center = pairs.below_margin.value, abs(float(np.median(pairs.differences)))
    different = growth((pairs.above, pairs.below), max, n, center / scale)
    equivalent = growth(
        (pairs.above_margin, pairs.below_margin), min, n, max(0.0, margin - center) / scale
    )
    needed = min(
        log(2 * family / ROWS) / different,
        log(family / EQUIVALENT) / equivalent,
    )
    return max(1, fewest(family) - n, ceil(needed) - n)


def fewest(family: int) -> int:
    """Pairs that decide where all have the same sign: each at most doubles the evidence."""
    return ceil(log(family / EQUIVALENT) / log(2))


def growth(
    bets: Sequence[Bets], of: Callable[[list[float]], float], pairs: int, distance: float
) -> float:
    """The evidence that a pair adds: as observed, and as noise of this scale lets one expect."""
    observed = of([one.best for one in bets])
    return max(SLOWEST, (observed + EXPECTING * expected_growth(distance)) / (pairs + EXPECTING))


def expected_growth(distance: float) -> float:
    """The evidence that a pair adds where the truth is this far away, in units of the scale.

    For a small distance d, bets on Student's t gain d^2 / 2 times its information for a pair,
    which is (f + 1) / (f + 3).
    """
    information = (FREEDOM + 1) / (FREEDOM + 3)
    return min(log(2), information * distance**2 / 2)


def mean_over_cells(rows: Sequence[Pairs]) -> Interval:
    """The geometric mean of the ratios, with the mean of intervals that hold all at once."""
    ends = np.array([pairs.interval(OVERALL / len(rows)) for pairs in rows])
    estimate, low, high = np.mean(ends, axis=0)
    return Interval(exp(estimate), exp(low), exp(high))


def verdict_over_cells(
    mean: Interval, rows: Sequence[Verdict], relevant: float, metric_is_higher_better: bool = True
) -> Verdict:
    """What all rows have in common holds for their mean; else its interval decides."""
    if len(set(rows)) == 1 and rows[0] is not Verdict.TOO_NOISY:
        return rows[0]
    low, high = (mean.low, mean.high) if mean.bounded else (0, inf)
    if low > 1 or high < 1:
        return Verdict.BETTER if (low > 1) == metric_is_higher_better else Verdict.WORSE
    within = low >= 1 - relevant and high <= 1 / (1 - relevant)
    return Verdict.NO_DIFFERENCE if within else Verdict.TOO_NOISY


class Standings:
    """The comparisons of a campaign while it runs; `cells` holds the number of each cell's own."""

    def __init__(self, relevant: float, cells: Sequence[int]) -> None:
        self.pairs = [[Pairs(relevant) for _ in range(count)] for count in cells]
        self.latest = [[-1] * count for count in cells]
        self.given = [[Verdict.TOO_NOISY] * count for count in cells]
        self.family = sum(cells)
        self.margin = -log(1 - relevant)

    def update(self, cell: int, speeds: Sequence[Mapping[int, float]]) -> None:
        """Add what is new in a cell: GFlop/s by round of each side, the reference first."""
        reference, *others = speeds
        for at, own in enumerate(others):
            latest = self.latest[cell][at]
            for round_ in sorted(r for r in own.keys() & reference.keys() if r > latest):
                self.pairs[cell][at].add(log(own[round_]) - log(reference[round_]))
                self.latest[cell][at] = round_
        everything = iter(verdicts([p.anytime() for pairs in self.pairs for p in pairs]))
        self.given = [[next(everything) for _ in pairs] for pairs in self.pairs]

    def is_decided(self, cell: int, comparison: int) -> bool:
        return self.given[cell][comparison] is not Verdict.TOO_NOISY

    def evidence(self, deviation: float) -> float:
        """What a pair adds whose noise deviates by this, where the truth is the margin away."""
        return expected_growth(self.margin / max(deviation, LEAST_SCALE))

    def rounds_left(self, cell: int, comparison: int) -> int:
        """About how many more rounds decide it."""
        return pairs_left(self.pairs[cell][comparison], self.family)
