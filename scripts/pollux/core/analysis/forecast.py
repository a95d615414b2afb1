# SPDX-License-Identifier: BSD-3-Clause
"""How many more pairs will decide comparisons: draws from what the pairs so far leave possible.

Where the truth is, the pairs tell up to an error of their median: Student's t, of which TRUTHS
equally likely values are taken. For each such truth the bets grow by what they would have paid on
the pairs so far, moved there. How many pairs that takes is the first passage of a random walk with
drift, which has an inverse Gaussian distribution (R. S. Chhikara, J. L. Folks, The Inverse Gaussian
Distribution, 1989). Holm's correction asks less of each comparison that others are rejected before.

A single number could not be right within a factor of two more often than chance allows: the
passage alone deviates by sqrt(2 / L) of its mean where evidence L, often 3 or less, is missing.
docs/evaluation/forecasts.py compares the draws with what campaigns needed.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import TypeVar

import numpy as np

from pollux.core.analysis.anytime import (
    LEAST_SCALE,
    SCALES,
    Bets,
    Pairs,
    equal_pairs,
    log_mean,
    log_payoff,
    predicted_scale,
)
from pollux.core.analysis.statistics import Floats
from pollux.core.campaign.deviation import OF_MEDIAN

TRUTHS = 9  # where the true difference may be
PASSAGES = 12  # draws for each
LATEST = 40  # pairs that tell what bets gain; earlier ones determine the truth alone
LEAST_MISSING = 1e-9  # evidence
SLOWEST = 1e-3  # growth of evidence per pair, and its variance, that is assumed at least
Key = TypeVar("Key", bound=Hashable)
Passage = Callable[[float], Floats]  # pairs until the evidence has reached this


@dataclass(frozen=True)
class Growth:
    """How the evidence of some bets grows for each truth, and where it stands."""

    now: float
    best: float
    mean: Floats
    variance: Floats
    seed: int

    def passage(self, enough: float) -> Floats:
        """Equal seeds give draws that rise with `enough`."""
        if self.best >= enough:
            return np.zeros(TRUTHS * PASSAGES)
        missing = max(enough - self.now, LEAST_MISSING)
        mean = np.repeat(missing / self.mean, PASSAGES)
        shape = np.repeat(missing**2 / self.variance, PASSAGES)
        drawn: Floats = np.random.default_rng(self.seed).wald(mean, shape)
        return drawn


@dataclass(frozen=True)
class Course:
    """Both ways in which a comparison can be decided."""

    pairs: Pairs
    different: Passage
    equivalent: Passage

    @property
    def is_different(self) -> float:
        """The evidence for that so far."""
        return max(self.pairs.above.best, self.pairs.below.best)

    @property
    def is_equivalent(self) -> float:
        return min(self.pairs.above_margin.best, self.pairs.below_margin.best)


@dataclass(frozen=True)
class Family:
    """How many comparisons of a family have not been found different, and not equivalent."""

    different: int
    equivalent: int
    chance: float


def outlook(open_: Mapping[Key, Pairs], family: Family) -> dict[Key, Floats]:
    """Draws of the pairs that each open comparison needs; without those with too few pairs."""
    courses = {
        key: course_of(pairs, seed)
        for seed, (key, pairs) in enumerate(open_.items())
        if predicted_scale(pairs.differences) is not None
    }
    by_difference = sorted(courses, key=lambda key: -courses[key].is_different)
    by_equivalence = sorted(courses, key=lambda key: -courses[key].is_equivalent)
    different = in_turn(
        [courses[key].different for key in by_difference], family.different, 2 / family.chance
    )
    equivalent = in_turn(
        [courses[key].equivalent for key in by_equivalence], family.equivalent, 1 / family.chance
    )
    least = equal_pairs(family.chance / min(family.different, family.equivalent))
    found = {}
    for key, one in courses.items():
        both = different[by_difference.index(key)], equivalent[by_equivalence.index(key)]
        found[key] = np.maximum(max(1, least - len(one.pairs)), np.minimum(*both))
    return found


def in_turn(passages: Sequence[Passage], left: int, inverse: float) -> list[Floats]:
    """Those of comparisons by the evidence so far: each is asked less once the ones before it
    are rejected, and never waits for them."""
    found: list[Floats] = []
    before: Floats = np.zeros(TRUTHS * PASSAGES)
    for place, passage in enumerate(passages):
        alone = passage(log(left * inverse))
        after = passage(log(max(1, left - place) * inverse))
        before = np.minimum(alone, np.maximum(after, before))
        found.append(before)
    return found


def course_of(pairs: Pairs, seed: int) -> Course:
    from scipy.special import stdtrit  # type: ignore[import-untyped]  # slow to load

    x = np.array(pairs.differences)
    scale = predicted_scale(pairs.differences)
    assert scale is not None
    centre = float(np.median(x))
    quantiles = (np.arange(TRUTHS) + 0.5) / TRUTHS
    error = scale * np.sqrt(OF_MEDIAN / len(x))
    truths = centre + error * stdtrit(len(x) - 1, quantiles)
    around = x[-LATEST:] - centre
    bets = pairs.above, pairs.below, pairs.above_margin, pairs.below_margin
    above, below, above_margin, below_margin = (
        growth_of(one, around, truths, scale, seed).passage for one in bets
    )
    return Course(
        pairs,
        lambda enough: np.minimum(above(enough), below(enough)),
        lambda enough: np.maximum(above_margin(enough), below_margin(enough)),
    )


def growth_of(bets: Bets, around: Floats, truths: Floats, scale: float, seed: int) -> Growth:
    """What the best of the bets gains for each truth on pairs like those so far."""
    y = around[None, :] + truths[:, None] - bets.value
    scales = np.maximum(LEAST_SCALE, scale * SCALES)
    logs = log_payoff(y[:, :, None, None], bets.shifts[:, None], scales)
    means = logs.mean(axis=1).reshape(len(truths), -1)
    variances = logs.var(axis=1).reshape(len(truths), -1)
    best = np.arange(len(truths)), means.argmax(axis=1)
    return Growth(
        now=float(log_mean(bets.logs.ravel())),
        best=bets.best,
        mean=np.maximum(SLOWEST, means[best]),
        variance=np.maximum(SLOWEST, variances[best]),
        seed=seed,
    )
