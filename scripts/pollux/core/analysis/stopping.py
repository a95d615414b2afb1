# SPDX-License-Identifier: BSD-3-Clause
"""Where the comparisons of a campaign that runs until it is decided stand: decided, or how far.

A comparison is decided when it has a verdict: faster, slower, or no relevant difference. The
comparisons of all cells are one family, those of the mean over cells another. Since each p is the
smallest so far and so never rises again, Holm's correction of them at any moment rejects no more
than it would in the end: one false difference or more, or one false "no relevant difference" or
more, has a chance of at most ROWS in the first and MEANS in the second, whenever one stops. Where
jobs measure parts of a campaign, each decides for itself, with an equal part of ROWS.

The mean of a round's differences over cells has the symmetry that bets need if each of them has,
and deviates less: what is asked of all cells together is known first.
"""

from collections.abc import Callable, Mapping, Sequence
from math import ceil, log

import numpy as np

from pollux.core.analysis import statistics
from pollux.core.analysis.anytime import (
    FREEDOM,
    LEAST_SCALE,
    Anytime,
    Bets,
    Pairs,
    equal_pairs,
    predicted_scale,
)
from pollux.core.analysis.forecast import Family, outlook
from pollux.core.analysis.result import Verdict
from pollux.core.analysis.statistics import Floats
from pollux.core.analysis.two_sides import differences, paired_rounds
from pollux.core.campaign.lines import PartOf
from pollux.core.campaign.logarithms import series_of
from pollux.core.campaign.samples import Logs

# Bounds of the chance of one false verdict or more, whenever one stops: of the rows, and of the
# means over cells. docs/evaluation/stopping.py simulates how near real noise comes to them.
ROWS = 0.04
MEANS = 0.01
SLOWEST = 1e-4  # growth of evidence per pair, as a logarithm, that a forecast assumes at least
EXPECTING = 6  # pairs that what is expected counts for, beside those observed


def chance_of(part: PartOf | None) -> float:
    """That of a false verdict on the rows of a part of a campaign; None: all of it."""
    return ROWS if part is None else ROWS / max(1, part.of)


def verdicts(
    found: Sequence[Anytime], metric_is_higher_better: bool = True, chance: float = ROWS
) -> list[Verdict]:
    """The verdict on each comparison of a family, TOO_NOISY where it is open."""
    if not found:
        return []
    different = statistics.holm(np.array([a.difference for a in found])) <= chance
    equivalent = statistics.holm(np.array([a.equivalence for a in found])) <= chance
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


def pairs_left(pairs: Pairs, family: int, chance: float = ROWS) -> int:
    """How many more pairs will decide, by what they have shown so far; at least one."""
    n, scale = len(pairs), predicted_scale(pairs.differences)
    if scale is None:
        return fewest(family, chance) - n
    margin, center = pairs.below_margin.value, abs(float(np.median(pairs.differences)))
    different = growth((pairs.above, pairs.below), max, n, center / scale)
    equivalent = growth(
        (pairs.above_margin, pairs.below_margin), min, n, max(0.0, margin - center) / scale
    )
    needed = min(
        log(2 * family / chance) / different,
        log(family / chance) / equivalent,
    )
    return max(1, fewest(family, chance) - n, ceil(needed) - n)


def fewest(family: int, chance: float) -> int:
    """Pairs that decide where the answer is as clear as can be."""
    return equal_pairs(chance / family)


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


def rounds_of_all(rows: Sequence[Mapping[int, float]]) -> list[int]:
    """The rounds in which every comparison has a difference."""
    first, *others = rows
    return sorted(r for r in first if all(r in own for own in others))


def mean_of_round(rows: Sequence[Mapping[int, float]], round_: int) -> float:
    return sum(own[round_] for own in rows) / len(rows)


def shared(given: Sequence[Verdict]) -> Verdict | None:
    """What all cells have in common, if it is decided: it holds for their mean too."""
    found = set(given)
    return found.pop() if len(found) == 1 and Verdict.TOO_NOISY not in found else None


def family_of(given: Sequence[Verdict], size: int, chance: float) -> Family:
    """What Holm's correction is for from now on."""
    equivalent = given.count(Verdict.NO_DIFFERENCE)
    different = len(given) - equivalent - given.count(Verdict.TOO_NOISY)
    return Family(max(1, size - different), max(1, size - equivalent), chance)


class Mean:
    """The mean over cells of one level, round by round, and what it shows."""

    def __init__(self, relevant: float) -> None:
        self.relevant = relevant
        self.pairs = Pairs(relevant)
        self.cells: list[int] = []  # over which it is taken
        self.latest = -1

    def update(self, rows: Mapping[int, Mapping[int, float]]) -> None:
        """Add what is new; with other cells than before, begin anew. `rows` are by cell."""
        if list(rows) != self.cells:
            self.cells, self.pairs, self.latest = list(rows), Pairs(self.relevant), -1
        own = list(rows.values())
        for round_ in (r for r in (rounds_of_all(own) if own else []) if r > self.latest):
            self.pairs.add(mean_of_round(own, round_))
            self.latest = round_


class Standings:
    """The comparisons of a campaign while it runs.

    `cells` names the levels that are compared in each cell. A comparison that cannot be made is
    left out of the means. `chance` is that of a false verdict on any of them.
    """

    def __init__(
        self, relevant: float, cells: Sequence[Sequence[str]], chance: float = ROWS
    ) -> None:
        self.relevant, self.levels, self.chance = relevant, cells, chance
        self.pairs = [[Pairs(relevant) for _ in own] for own in cells]
        self.differences: list[list[dict[int, float]]] = [[{} for _ in own] for own in cells]
        self.given = [[Verdict.TOO_NOISY for _ in own] for own in cells]
        self.lost: set[tuple[int, int]] = set()  # what is never decided
        self.apart: set[tuple[int, int]] = set()  # what does not count in means
        self.margin = -log(1 - relevant)
        self.places_of: dict[str, dict[int, int]] = {}  # by level and cell: the place in it
        for cell, own in enumerate(cells):
            for at, level in enumerate(own):
                self.places_of.setdefault(level, {}).setdefault(cell, at)
        several = [level for level, places in self.places_of.items() if len(places) > 1]
        self.means = {level: Mean(relevant) for level in several}
        self.answers = dict.fromkeys(self.means, Verdict.TOO_NOISY)
        self.answers_left = self.rounds_of_answers()

    def update(self, cell: int, logs: Sequence[Mapping[int, Logs]]) -> None:
        """Add what is new in a cell, and judge."""
        self.add(cell, logs)
        self.judge()

    def add(self, cell: int, logs: Sequence[Mapping[int, Logs]]) -> None:
        """Add what is new in a cell: logarithms of speeds by round, of the reference first."""
        reference, *others = logs
        for at, own in enumerate(others):
            known = self.differences[cell][at]
            latest = max(known, default=-1)
            new = [{r: logs for r, logs in side.items() if r > latest} for side in (own, reference)]
            if found := differences(*new):
                for round_ in paired_rounds(series_of(own), series_of(reference)):
                    if round_ in found:
                        known[round_] = found[round_]
                        self.pairs[cell][at].add(found[round_])

    def judge(self) -> None:
        """Decide what can be decided by what was added."""
        family = self.family()
        found = [self.pairs[cell][at].anytime() for cell, at in family]
        for (cell, at), verdict in zip(family, verdicts(found, chance=self.chance), strict=True):
            self.given[cell][at] = verdict
        self.update_means()

    def family(self) -> list[tuple[int, int]]:
        """The comparisons that Holm's correction is over: not those that cannot be made at all."""
        every = [(cell, at) for cell, own in enumerate(self.pairs) for at in range(len(own))]
        return [(c, at) for c, at in every if (c, at) not in self.lost or self.pairs[c][at]]

    def update_means(self) -> None:
        for level, mean in self.means.items():
            mean.update({cell: self.differences[cell][at] for cell, at in self.places(level)})
        several = self.several()
        found = [self.means[level].pairs.anytime() for level in several]
        decided = dict(zip(several, verdicts(found, chance=MEANS), strict=True))
        self.answers = {
            level: shared([self.given[cell][at] for cell, at in self.places(level)])
            or decided.get(level, Verdict.TOO_NOISY)
            for level in self.means
        }
        self.answers_left = self.rounds_of_answers()

    def several(self) -> list[str]:
        """The levels that have a mean: over two cells or more. They are a family."""
        return [level for level in self.means if len(self.places(level)) > 1]

    def rounds_of_answers(self) -> dict[str, int]:
        """About how many more rounds of all its cells decide each open mean."""
        several = self.several()
        return {
            level: pairs_left(self.means[level].pairs, len(several), MEANS)
            for level in several
            if self.answers[level] is Verdict.TOO_NOISY
        }

    def places(self, level: str) -> list[tuple[int, int]]:
        """The comparisons of a level that count: by cell, and by the place in it."""
        return [place for place in self.places_of[level].items() if self.counts(*place)]

    def counts(self, cell: int, comparison: int) -> bool:
        """Whether it counts in the mean of its level."""
        place = cell, comparison
        return place not in self.lost and place not in self.apart

    def lose(self, cell: int, comparison: int) -> None:
        """One of its sides cannot run."""
        self.lost.add((cell, comparison))

    def drop(self, cell: int, comparison: int) -> None:
        """It turns out to be none: as if it had never shown anything."""
        self.lose(cell, comparison)
        self.pairs[cell][comparison] = Pairs(self.relevant)
        self.differences[cell][comparison] = {}
        self.given[cell][comparison] = Verdict.TOO_NOISY

    def set_apart(self, cell: int, comparison: int) -> None:
        """It is decided for itself, and does not count in means."""
        self.apart.add((cell, comparison))

    def is_decided(self, cell: int, comparison: int) -> bool:
        return self.given[cell][comparison] is not Verdict.TOO_NOISY

    def seems_different(self, cell: int, comparison: int) -> bool:
        found = self.pairs[cell][comparison].differences
        return bool(found) and abs(float(np.median(found))) > self.margin

    def answer_rounds(self, cell: int, comparison: int) -> int:
        """About how many more rounds of all its cells decide the mean that it belongs to."""
        if not self.counts(cell, comparison):
            return 0
        return self.answers_left.get(self.levels[cell][comparison], 0)

    def outlook(self) -> dict[tuple[int, int], Floats]:
        """Of each open comparison, equally likely numbers of rounds that it still needs."""
        family = self.family()
        every = [self.given[cell][at] for cell, at in family]
        open_ = {
            (cell, at): pairs
            for cell, own in enumerate(self.pairs)
            for at, pairs in enumerate(own)
            if not self.is_decided(cell, at) and (cell, at) not in self.lost
        }
        return outlook(open_, family_of(every, len(family), self.chance))

    def answer_outlook(self) -> dict[str, Floats]:
        """The same of each open mean, by its level."""
        found = {level: self.answers[level] for level in self.several()}
        open_ = {
            level: self.means[level].pairs
            for level, verdict in found.items()
            if verdict is Verdict.TOO_NOISY
        }
        return outlook(open_, family_of([*found.values()], len(found), MEANS))

    def evidence(self, deviation: float) -> float:
        """What a pair adds whose noise deviates by this, where the truth is the margin away."""
        return expected_growth(self.margin / max(deviation, LEAST_SCALE))

    def rounds_left(self, cell: int, comparison: int) -> int:
        """About how many more rounds decide it."""
        return pairs_left(self.pairs[cell][comparison], len(self.family()), self.chance)
