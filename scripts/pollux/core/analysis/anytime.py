# SPDX-License-Identifier: BSD-3-Clause
"""What pairs show, in figures that stay valid however often one looks and whenever one stops.

Let x be the difference of a pair's logarithms, in a round whose order was drawn at random. If one
side is faster by the factor exp(v) and nothing else, y = x - v is as likely as -y, given its size
and all pairs before it, whatever the machine does: its noise may have heavy tails, drift, and
depend on earlier noise. A bet on the sign of y that pays

    2 f(y - d) / (f(y - d) + f(y + d)),    f a density symmetric about 0, d > 0,

has a mean of 1 then. If it never falls where y rises, its mean is at most 1 where the true factor
is smaller; d and f must be known before the pair is. The product of such payoffs is a
supermartingale: the chance that it ever reaches 1 / a is at most a (J. Ville, Étude critique de la
notion de collectif, 1939). So 1 over the largest product so far is a p at every moment.

Bets on symmetry: B. Efron, J. Am. Stat. Assoc. 64 (1969) 1278; V. Vovk, R. Wang, Nonparametric
e-tests of symmetry, New England J. Stat. Data Sci. 2 (2024) 261. Their use for sequential tests: A.
Ramdas et al., Game-theoretic statistics and safe anytime-valid inference, Stat. Sci. 38 (2023) 576.

f only determines how fast evidence grows. Student's t with two degrees of freedom bets less on a
pair that lies far out, which on a shared machine says most about the machine. Beyond the y that
pays most, which is sqrt(d^2 + 2) in units of the scale, a payoff is that of this y: it would fall
to 1, and where the noise has two modes, as an effect of the order gives it, the mean could exceed 1
though the truth lies on the other side. Half of the bets keep a third of what they have, so that
a pair far out on the wrong side does not ruin them. Where most runs are disturbed, the others agree
far better than the deviation of all suggests: bets are spread over several scales of f, down to a
small part of that.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import inf, log, nan

import numpy as np

from pollux.core.analysis.statistics import ALPHA, FEWEST, Floats, paired_shifts
from pollux.core.campaign.deviation import TO_SIGMA

FREEDOM = 2.0  # degrees, of f
LEAST_SCALE = 1e-4  # of f: speeds that differ by less are not told apart
FIRST = 4  # pairs from which on earlier ones determine the scale
# Sizes d of a difference that is bet on, in units of the relevant margin: the true one is unknown.
DIFFERENCES = np.array([1 / 3, 2 / 3, 4 / 3, 8 / 3, 16 / 3, 32 / 3, 64 / 3])
# Those on the truth being near 0, against a difference of the margin.
EQUIVALENCE = np.array([1 / 2, 1.0, 2.0])
SCALES = np.array([1 / 2, 1 / 6, 1 / 18, 1 / 54])  # of f, in standard deviations of earlier pairs
PART = 2 / 3  # of what it has: what every other bet stakes, the others all
STAKES = 2
FARTHEST = 8.0  # a factor of 3000: no interval reaches further
HALVINGS = 20


@dataclass(frozen=True)
class Anytime:
    """p at this moment, valid whenever one stops: of tests of what the pairs' factor is."""

    above: float  # p of "it is at most 1"
    below: float  # p of "it is at least 1"
    above_margin: float  # p of "it is a relevant slowdown or more"
    below_margin: float  # p of "it is a relevant speed-up or more"

    @property
    def difference(self) -> float:
        """p of "there is no difference"."""
        return min(1.0, 2 * min(self.above, self.below))

    @property
    def equivalence(self) -> float:
        """p of "there is a relevant difference": both of its directions have to be rejected."""
        return max(self.above_margin, self.below_margin)


class Bets:
    """The evidence that differences lie on one side of a value: a mixture of bets, pair by pair."""

    def __init__(self, value: float, shifts: Floats) -> None:
        self.value = value
        self.shifts = shifts  # positive: that they lie above, negative: below
        self.logs = np.zeros((len(shifts), len(SCALES), STAKES))
        self.best = 0.0  # the largest logarithm of the mixture so far

    def add(self, difference: float, scale: float) -> None:
        y = np.array([difference - self.value])
        self.logs += log_payoffs(y, self.shifts, np.array([scale]))[0]
        self.best = max(self.best, float(log_mean(self.logs.ravel())))

    @property
    def p(self) -> float:
        return float(np.exp(-self.best))


class Pairs:
    """The differences of one comparison as they arrive, and what they show at any moment."""

    def __init__(self, relevant: float, differences: Iterable[float] = ()) -> None:
        self.relevant = relevant
        self.margin = margin = -log(1 - relevant)
        far, near = margin * DIFFERENCES, margin * EQUIVALENCE
        self.differences: list[float] = []
        self.scales: list[float] = []
        self.above, self.below = Bets(0.0, far), Bets(0.0, -far)
        self.above_margin, self.below_margin = Bets(-margin, near), Bets(margin, -near)
        for difference in differences:
            self.add(difference)

    def add(self, difference: float) -> None:
        scale = predicted_scale(self.differences) or self.margin
        for bets in (self.above, self.below, self.above_margin, self.below_margin):
            bets.add(difference, scale)
        self.differences.append(difference)
        self.scales.append(scale)

    def __len__(self) -> int:
        return len(self.differences)

    def anytime(self) -> Anytime:
        return Anytime(self.above.p, self.below.p, self.above_margin.p, self.below_margin.p)

    def interval(self, alpha: float = ALPHA) -> tuple[float, float, float]:
        """Hodges and Lehmann's estimate, and the values that no pair so far has rejected.

        NaN for both ends where the pairs are too few to reject any. The interval is one of a
        sequence: with a chance of 1 - alpha, all of them contain the true value.
        """
        x = np.array(self.differences)
        if not len(x):
            return nan, nan, nan
        estimate = float(paired_shifts(x[None]).estimate[0])
        enough = log(2 / alpha)
        low = self.end(estimate, -1.0, enough) if len(x) >= FEWEST else -inf
        high = self.end(estimate, 1.0, enough) if low > -inf else inf
        bounded = low > -inf and high < inf
        return (estimate, low, high) if bounded else (estimate, nan, nan)

    def end(self, start: float, direction: float, enough: float) -> float:
        """The value next to `start` that the evidence rejects; infinite if it rejects none."""
        inner, step = start, max(LEAST_SCALE, float(np.median(np.abs(self.residuals(start)))) / 4)
        while self.against(inner + direction * step, -direction) < enough:
            inner += direction * step
            step *= 1.5
            if step > FARTHEST:
                return direction * inf
        outer = inner + direction * step
        for _ in range(HALVINGS):
            middle = (inner + outer) / 2
            if self.against(middle, -direction) < enough:
                inner = middle
            else:
                outer = middle
        return outer

    def residuals(self, value: float) -> Floats:
        return np.array(self.differences) - value

    def against(self, value: float, direction: float) -> float:
        """The largest evidence so far, as a logarithm, that the true value lies in `direction`."""
        y = self.residuals(value)
        shifts = direction * abs(self.above.shifts)
        logs = np.cumsum(log_payoffs(y, shifts, np.array(self.scales)), axis=0)
        return max(0.0, float(np.max(log_mean(logs.reshape(len(y), -1)))))


@cache
def equal_pairs(p: float) -> int:
    """The pairs that show this p where all are equal: the fewest that show it, of any margin."""
    pairs = Pairs(0.03)
    while pairs.anytime().equivalence > p:
        pairs.add(0.0)
    return len(pairs)


def predicted_scale(earlier: Sequence[float]) -> float | None:
    """The scale of the next difference about its centre, from those before it; None: too few.

    The median absolute deviation of few values is often far too small, which costs evidence.
    """
    if len(earlier) < FIRST:
        return None
    x = np.array(earlier)
    deviation = float(np.median(np.abs(x - np.median(x))))
    return max(LEAST_SCALE, TO_SIGMA * deviation * (1 + 2 / len(x)))


def log_payoffs(y: Floats, shifts: Floats, deviations: Floats) -> Floats:
    """The logarithms of the bets on each pair, by pair, shift, scale and stake."""
    scales = np.maximum(LEAST_SCALE, deviations[:, None] * SCALES)
    return log_payoff(y[:, None, None], shifts[:, None], scales[:, None])


def log_payoff(y: Floats | float, shifts: Floats, scale: Floats | float) -> Floats:
    """The logarithms of a bet's payoffs, of Student's t, by stake: all of what it has, and PART."""
    farthest = np.sqrt(shifts**2 + FREEDOM * scale**2)
    inner = np.clip(y, -farthest, farthest)
    near = np.log1p(((inner - shifts) / scale) ** 2 / FREEDOM)
    far = np.log1p(((inner + shifts) / scale) ** 2 / FREEDOM)
    odds = (FREEDOM + 1) / 2 * (near - far)  # of -y to y
    paid = log(2) - np.logaddexp(0, odds)
    return np.stack([paid, np.log1p(PART * np.expm1(paid))], axis=-1)


def log_mean(logs: Floats) -> Floats:
    """The logarithm of the mean of these bets' products, over the last axis."""
    top = logs.max(axis=-1, keepdims=True)
    mean: Floats = top[..., 0] + np.log(np.mean(np.exp(logs - top), axis=-1))
    return mean
