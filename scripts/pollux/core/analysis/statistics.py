# SPDX-License-Identifier: BSD-3-Clause
"""Medians, ratios and tests for samples of speed, many configurations of equal size at a time.

Speeds are not normally distributed: disturbances only ever slow a run down. So everything
here is based on ranks and medians, with intervals (T. Hoefler, R. Belli: Scientific benchmarking of
parallel computing systems, SC'15, rules 5 to 8):

- a median has a bootstrap percentile interval (B. Efron: Bootstrap methods, Ann. Stat. 7, 1979);
- pairs have the signed-rank test (F. Wilcoxon, Biometrics Bulletin 1, 1945), two independent sets
  that of H. B. Mann and D. R. Whitney (Ann. Math. Stat. 18, 1947);
- the estimate and interval that belong to these tests are those of J. L. Hodges and E. L. Lehmann
  (Ann. Math. Stat. 34, 1963): the median of the pairs' Walsh averages, or of all differences, and
  the order statistics between which the test does not reject.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property, partial
from math import ceil, comb, nan, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Triple = tuple[float, float, float]  # estimate, low, high

ALPHA = 0.05  # 1 - coverage of all intervals
# Corrected p below which a difference counts as shown. Half of what the intervals leave: verdicts
# are acted on, and a gate that runs every night must not close on every twentieth good one.
LEVEL = 0.025
FEWEST = 6  # 2^(1-n) < 5 %: from 6 samples up, smallest to largest encloses a median with 95 %
EXACT = 50  # null distributions are exact up to here, like wilcox.test in R
ENDS = (0.025, 0.975)  # of a 95 % interval
RESAMPLES = 2000  # Efron & Tibshirani 1993, section 14.3: at least 1000 for a 95 % interval
SEED = 20261  # of the bootstrap: the same records give the same figures
POWER = 0.90
WHOLE = 2_000_000  # averages or differences held at a time: 16 MB
BISECTIONS = 64  # more halvings than a double's 53 bits: the last ones change nothing
NORMAL = NormalDist()


@dataclass(frozen=True)
class Shifts:
    """Of each row: how far one side lies above the other, the 95 % interval, and the test's p.

    `low` and `high` are NaN where the samples are too few for any 95 % interval.
    """

    estimate: Floats
    low: Floats
    high: Floats
    test: Callable[[], Floats]  # of p: many samples need a library that is slow to load

    @cached_property
    def p(self) -> Floats:
        return self.test()


def median_intervals(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Median of each row, and its bootstrap 95 % percentile interval; NaN below FEWEST values.

    A resample's median needs no resample of the values: it is the mean of a sorted row's values
    at the middle two of n sorted random places. All rows share these places.
    """
    n = values.shape[1]
    medians = np.median(values, axis=1)
    if n < FEWEST:
        nothing = np.full(len(values), np.nan)
        return medians, nothing, nothing
    places = np.sort(np.random.default_rng(SEED).integers(0, n, (RESAMPLES, n)), axis=1)
    left, right = places[:, (n - 1) // 2], places[:, n // 2]
    if n % 2 == 1:  # then a median is one of the values: of all rows, the same one in order
        low, high = (at_share(np.sort(values, axis=1), np.sort(left), end) for end in ENDS)
        return medians, low, high
    low, high = np.empty(len(values)), np.empty(len(values))
    for part in parts(len(values), RESAMPLES):
        rows = np.sort(values[part], axis=1)
        resampled = (rows[:, left] + rows[:, right]) / 2
        low[part], high[part] = np.quantile(resampled, ENDS, axis=1)
    return medians, low, high


def at_share(rows: Floats, places: NDArray[np.int64], share: float) -> Floats:
    """A quantile of the values of each sorted row at these places, which are sorted too."""
    at = share * (len(places) - 1)
    found: Floats = np.quantile(rows[:, places[int(at) : int(at) + 2]], at % 1, axis=1)
    return found


def paired_shifts(differences: Floats) -> Shifts:
    """Signed-rank test on each row of differences between the two sides of pairs."""
    rows, n = differences.shape
    averages = n * (n + 1) // 2
    rank = signed_rank_critical(n)
    found = np.empty((3, rows))
    if averages > WHOLE:
        for at, row in enumerate(np.sort(differences, axis=1)):
            found[:, at] = search_averages(row, rank)
    else:
        i, j = np.triu_indices(n)
        for part in parts(rows, averages):
            found[:, part] = pick((differences[part][:, i] + differences[part][:, j]) / 2, rank)
    return Shifts(found[0], found[1], found[2], partial(signed_rank_p, differences))


def independent_shifts(x: Floats, y: Floats) -> Shifts:
    """Mann-Whitney test of each row of `x` against the same row of `y`: how far x lies above."""
    rows, pairs = len(x), x.shape[1] * y.shape[1]
    rank = mann_whitney_critical(x.shape[1], y.shape[1])
    found = np.empty((3, rows))
    if pairs > WHOLE:
        for at in range(rows):
            found[:, at] = search_differences(np.sort(x[at]), np.sort(y[at]), rank)
    else:
        for part in parts(rows, pairs):
            differences = x[part][:, :, None] - y[part][:, None, :]
            found[:, part] = pick(differences.reshape(-1, pairs), rank)
    return Shifts(found[0], found[1], found[2], partial(mann_whitney_p, x, y))


def parts(rows: int, width: int) -> Iterator[slice]:
    """Slices of rows, each of no more than WHOLE numbers, or one row."""
    step = max(1, WHOLE // max(1, width))
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


def pick(candidates: Floats, rank: int) -> tuple[Floats, Floats, Floats]:
    """Median of each row, and the values of this rank from either end; NaN for rank 0."""
    ordered = np.sort(candidates, axis=1)
    middle = np.median(ordered, axis=1)
    if rank == 0:
        nothing = np.full(len(ordered), np.nan)
        return middle, nothing, nothing
    return middle, ordered[:, rank - 1], ordered[:, -rank]


def search(
    count: Callable[[float], int], ends: tuple[float, float], total: int, rank: int
) -> Triple:
    """The result of `pick`, by bisection, where the candidates do not fit in memory.

    `count(x)` is the number of candidates no larger than x; all lie between the two ends.
    """

    def ranked(k: int) -> float:
        low, high = ends
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            low, high = (low, middle) if count(middle) >= k else (middle, high)
        return high

    middle = (ranked((total + 1) // 2) + ranked(total // 2 + 1)) / 2
    return (middle, ranked(rank), ranked(total + 1 - rank)) if rank else (middle, nan, nan)


def search_averages(row: Floats, rank: int) -> Triple:
    """Over the averages of all pairs of values of a sorted row, each with itself too."""

    def count(x: float) -> int:
        ordered_pairs = np.searchsorted(row, 2 * x - row, side="right").sum()
        themselves = np.searchsorted(row, x, side="right")
        return int(ordered_pairs + themselves) // 2

    return search(count, (row[0], row[-1]), len(row) * (len(row) + 1) // 2, rank)


def search_differences(x: Floats, y: Floats, rank: int) -> Triple:
    """Over all differences between values of two sorted rows."""

    def count(difference: float) -> int:
        return int(np.searchsorted(x, y + difference, side="right").sum())

    return search(count, (x[0] - y[-1], x[-1] - y[0]), len(x) * len(y), rank)


@cache
def signed_rank_tail(doubled_ranks: tuple[int, ...]) -> Floats:
    """P(2W <= i) where the sign of each rank is a fair coin's; ties share a mean rank."""
    ways = np.ones(1)
    for rank in doubled_ranks:  # each is in the sum or not
        ways = np.pad(ways, (0, rank)) + np.pad(ways, (rank, 0))
    tail: Floats = np.cumsum(ways) / 2.0 ** len(doubled_ranks)
    return tail


@cache
def mann_whitney_tail(n: int, m: int) -> Floats:
    """P(U <= i) for two sets of one distribution, by Mann and Whitney's recurrence."""
    ways = np.zeros((m + 1, n * m + 1))  # ways[j]: orders of the first i x and j y, by their U
    ways[:, 0] = 1
    for _ in range(n):
        for j in range(1, m + 1):  # the largest of all is an x, above j y, or it is a y
            ways[j, j:] = ways[j, :-j].copy()
            ways[j, :j] = 0
            ways[j] += ways[j - 1]
    tail: Floats = np.cumsum(ways[m]) / comb(n + m, n)
    return tail


def critical(tail: Floats) -> int:
    """The largest c with P(statistic < c) <= 2.5 %: the rank of the interval's ends, or 0."""
    return int(np.searchsorted(tail, ALPHA / 2, side="right"))


def signed_rank_critical(n: int) -> int:
    if n <= EXACT:
        return critical(signed_rank_tail(tuple(range(1, n + 1))))
    return normal_critical(n * (n + 1) / 4, n * (n + 1) * (2 * n + 1) / 24)


def mann_whitney_critical(n: int, m: int) -> int:
    if max(n, m) <= EXACT:
        return critical(mann_whitney_tail(n, m))
    return max(0, normal_critical(n * m / 2, n * m * (n + m + 1) / 12))


def normal_critical(mean: float, variance: float) -> int:
    return int(mean - NORMAL.inv_cdf(1 - ALPHA / 2) * sqrt(variance))


def doubled_ranks(rows: Floats) -> NDArray[np.int64]:
    """Twice the rank of each value in its row; equal values share the mean of their ranks."""
    n = rows.shape[1]
    order = np.argsort(rows, axis=1)
    changes = np.diff(np.take_along_axis(rows, order, axis=1), axis=1) != 0
    edge = np.ones((len(rows), 1), dtype=bool)
    starts, ends = np.hstack([edge, changes]), np.hstack([changes, edge])
    first = np.maximum.accumulate(np.where(starts, np.arange(n), 0), axis=1)
    last = np.minimum.accumulate(np.where(ends, np.arange(n), n)[:, ::-1], axis=1)[:, ::-1]
    doubled = np.empty(rows.shape, dtype=np.int64)
    np.put_along_axis(doubled, order, first + last + 2, axis=1)
    return doubled


def signed_rank_p(differences: Floats) -> Floats:
    """Two-sided p of each row: exact up to EXACT pairs, ties or not; 1 where all are equal.

    A difference of 0 is no evidence and is left out, as Wilcoxon did.
    """
    n = differences.shape[1]
    if n > EXACT:
        return asymptotic_signed_rank_p(differences)
    doubled = doubled_ranks(np.abs(differences))
    plain = (np.sort(doubled, axis=1) == 2 * np.arange(1, n + 1)).all(axis=1)
    plain &= (differences != 0).all(axis=1)
    p = np.ones(len(differences))
    if plain.any():
        tail = signed_rank_tail(tuple(range(1, n + 1)))
        up = (doubled * (differences > 0)).sum(axis=1)[plain] // 2
        p[plain] = np.minimum(1, 2 * tail[np.minimum(up, n * (n + 1) // 2 - up)])
    for at in np.flatnonzero(~plain):
        p[at] = tied_signed_rank_p(differences[at])
    return p


def tied_signed_rank_p(differences: Floats) -> float:
    differences = differences[differences != 0]
    doubled = doubled_ranks(np.abs(differences[None]))[0]
    up = int(doubled[differences > 0].sum())
    tail = signed_rank_tail(tuple(sorted(doubled.tolist())))
    return min(1.0, 2 * float(tail[min(up, int(doubled.sum()) - up)]))


def asymptotic_signed_rank_p(differences: Floats) -> Floats:
    from scipy import stats  # type: ignore[import-untyped]  # slow to load

    p = np.ones(len(differences))
    some = (differences != 0).any(axis=1)
    if some.any():
        p[some] = stats.wilcoxon(differences[some], axis=1, method="asymptotic").pvalue
    return p


def mann_whitney_p(x: Floats, y: Floats) -> Floats:
    """Two-sided p of each row: exact up to EXACT samples, ties or not; 1 where all are equal."""
    n, m = x.shape[1], y.shape[1]
    ordered = np.sort(np.concatenate([x, y], axis=1), axis=1)
    p, differ = np.ones(len(x)), ordered[:, 0] < ordered[:, -1]
    if max(n, m) > EXACT:
        if differ.any():
            from scipy import stats  # slow to load

            both = x[differ], y[differ]
            approximate = stats.mannwhitneyu(*both, axis=1, method="asymptotic").pvalue
            p[differ] = np.maximum(approximate, smallest_independent_p(n, m))
        return p
    tied = (np.diff(ordered, axis=1) == 0).any(axis=1)
    doubled = doubled_ranks(np.concatenate([x, y], axis=1))
    above = doubled[~tied, :n].sum(axis=1) // 2 - n * (n + 1) // 2
    p[~tied] = np.minimum(1, 2 * mann_whitney_tail(n, m)[np.minimum(above, n * m - above)])
    for at in np.flatnonzero(tied & differ):
        p[at] = tied_mann_whitney_p(doubled[at], n)
    return p


def tied_mann_whitney_p(doubled: NDArray[np.int64], n: int) -> float:
    """That of one row, by the sums of ranks of all choices of n values."""
    ways = np.zeros((n + 1, int(doubled.sum()) + 1))  # of so many values with this sum
    ways[0, 0] = 1
    for rank in doubled.tolist():  # each is chosen or not
        ways[1:, rank:] += ways[:-1, :-rank]
    own, chance = int(doubled[:n].sum()), ways[n] / ways[n].sum()
    return min(1.0, 2 * float(min(chance[: own + 1].sum(), chance[own:].sum())))


def smallest_paired_p(n: int) -> float:
    """The smallest p of the signed-rank test: all differences have the same sign."""
    return min(1.0, 2.0 ** (1 - n))


def smallest_independent_p(n: int, m: int) -> float:
    """The smallest p of the Mann-Whitney test: the two sets do not overlap."""
    return min(1.0, 2 / comb(n + m, n))


def holm(p: Floats) -> Floats:
    """Values of p corrected for their number (S. Holm, Scand. J. Stat. 6, 1979).

    Where those below a level are declared differences, the chance that one or more of them is false
    stays below that level for all of them together, whatever their dependence.
    """
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(1, steps)
    return corrected


def best_corrected(smallest: Floats, p: Floats) -> Floats:
    """Holm's correction of each test if its p alone were the smallest that its samples allow.

    Only tests that are not significant are of interest: those before them keep their place.
    """
    ordered = np.sort(p)
    corrected = np.sort(holm(p))
    before = np.searchsorted(ordered, smallest, side="left")
    own = np.minimum(1, smallest * (len(p) - before))
    earlier = np.concatenate([[0], corrected])[before]
    best: Floats = np.maximum(own, earlier)
    return best


def samples_to_show(effect: float, half_width: float, samples: int, alpha: float) -> int:
    """Samples with which a test at level alpha shows this effect with a chance of POWER.

    Estimated from the 95 % interval that so many samples gave: its width falls with the root of
    their number, and reflects noise, outliers and the test's efficiency.
    """
    quantiles = NORMAL.inv_cdf(1 - alpha / 2) + NORMAL.inv_cdf(POWER)
    standard_error = half_width / NORMAL.inv_cdf(1 - ALPHA / 2)
    return ceil(samples * (quantiles * standard_error / effect) ** 2)


def fewest_pairs(alpha: float) -> int:
    """The fewest pairs that can be significant at level alpha."""
    return next(n for n in range(1, 1100) if smallest_paired_p(n) < alpha)


def fewest_independent(alpha: float) -> int:
    """The fewest samples on either side that can be significant at level alpha."""
    return next(n for n in range(1, 1100) if smallest_independent_p(n, n) < alpha)
