# SPDX-License-Identifier: BSD-3-Clause
"""From two sides of a comparison to the figures that a verdict is based on."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from math import log

import numpy as np

from pollux.core.analysis import statistics
from pollux.core.analysis.result import Interval
from pollux.core.analysis.statistics import Floats, Shifts
from pollux.core.campaign.deviation import differences_between
from pollux.core.campaign.logarithms import Logarithms, Series, series_of, shared_rounds
from pollux.core.campaign.samples import ByRound


@dataclass(frozen=True)
class Sides:
    """Logarithms to compare: differences within pairs, or two independent sets."""

    left: Floats
    right: Floats | None  # None: `left` holds the differences of pairs

    @property
    def shape(self) -> tuple[int, int | None]:
        return len(self.left), None if self.right is None else len(self.right)

    @property
    def samples(self) -> int:
        return len(self.left) if self.right is None else min(len(self.left), len(self.right))


@dataclass(frozen=True)
class Evidence:
    """The ratio of two sides and its test; the verdict needs the other comparisons too."""

    ratio: Interval
    paired: bool
    samples: int
    p: float
    smallest_p: float  # that so many samples could have given

    def samples_to_show(self, effect: float, alpha: float) -> int:
        """How many samples would show a difference of this size, as a logarithm."""
        half_width = log(self.ratio.high / self.ratio.low) / 2
        return statistics.samples_to_show(effect, half_width, self.samples, alpha)


def differences(left: ByRound, right: ByRound) -> dict[int, float]:
    """Of each round that both sides have."""
    return all_differences([(series_of(left), series_of(right))])[0][0]


def all_differences(
    pairs: Sequence[tuple[Series, Series]],
) -> list[tuple[dict[int, float], dict[int, float | None]]]:
    """Those of each of many comparisons by round, and how those of repetitions deviate."""
    sources = {id(side.all): side.all for both in pairs for side in both}
    if not sources:
        return []
    offsets = dict(zip(sources, accumulate(map(len, sources.values()), initial=0), strict=False))
    shared = [(both, shared_rounds(*both)) for both in pairs]
    left, right = (
        np.concatenate([places[side] + offsets[id(both[side].all)] for both, (_, places) in shared])
        for side in (0, 1)
    )
    found, known = differences_between(Logarithms.joined([*sources.values()]), left, right)
    middles, deviations = iter(found), iter(known)
    return [
        (
            dict(zip(own, islice(middles, len(own)), strict=True)),
            dict(zip(own, islice(deviations, len(own)), strict=True)),
        )
        for _, (own, _) in shared
    ]


def adjacent_rounds(left: Series, right: Series) -> list[int]:
    """The rounds that are pairs, unless most are not, or too few for a verdict are: then none."""
    shared, _ = shared_rounds(left, right)
    found = paired_rounds(left, right)
    least = max(len(shared) / 2, statistics.fewest_pairs(statistics.LEVEL))
    return found if len(found) >= min(least, len(shared)) else []


def paired_rounds(left: Series, right: Series) -> list[int]:
    """Those rounds between whose two samples neither side ran in another one.

    A runtime that was added later ran in the same rounds, but long after the others.
    """
    rounds, places = shared_rounds(left, right)
    both = np.stack([side.all.starts[own] for side, own in zip((left, right), places, strict=True)])
    first, last = both.min(axis=0), both.max(axis=0)
    if (first == last).all():
        return rounds
    ordered = [np.sort(side.starts) for side in (left, right)]
    between = sum(
        np.searchsorted(starts, last) - np.searchsorted(starts, first, side="right")
        for starts in ordered
    )
    are_adjacent = (first == last) | (between == 0)
    return [own for own, is_adjacent in zip(rounds, are_adjacent, strict=True) if is_adjacent]


def pair(differences: Mapping[int, float]) -> Sides:
    return Sides(np.array(list(differences.values())), None)


def separate(left: Series, right: Series) -> Sides:
    return Sides(left.middles, right.middles)


def over_pairs(cells: Sequence[Mapping[int, float]]) -> tuple[int, Sides] | None:
    """The mean over cells of the differences in each round, and how many cells are in it."""
    return mean_of([{(0, r): d for r, d in own.items()} for own in cells], paired=True)


def over_cells(cells: Sequence[tuple[Series, Series]]) -> tuple[int, Sides] | None:
    """The same of two sides that are not paired."""
    values = [
        {
            (side, r): middle
            for side, own in enumerate(both)
            for r, middle in zip(own.rounds, own.middles.tolist(), strict=True)
        }
        for both in cells
    ]
    return mean_of(values, paired=False)


def mean_of(
    values: Sequence[Mapping[tuple[int, int], float]], *, paired: bool
) -> tuple[int, Sides] | None:
    """The mean for each side and round, and how many cells are in it.

    Each round's mean is over the same cells: otherwise a cell missing from some rounds would
    look like noise, or like a difference between the sides.
    """
    chosen, places = constant_composition([set(own) for own in values])
    if not chosen:
        return None
    left, right = (
        mean_over([values[i] for i in chosen], [place for place in places if place[0] == side])
        for side in (0, 1)
    )
    if not len(left) or not (paired or len(right)):
        return None
    return len(chosen), Sides(left, None if paired else right)


def constant_composition(
    sets: Sequence[set[tuple[int, int]]],
) -> tuple[list[int], list[tuple[int, int]]]:
    """The cells, and the rounds that all of them have, with the most values altogether."""
    order = sorted((i for i in range(len(sets)) if sets[i]), key=lambda i: -len(sets[i]))
    best: tuple[list[int], set[tuple[int, int]]] = ([], set())
    shared: set[tuple[int, int]] = set()
    for count, i in enumerate(order, start=1):
        shared = shared & sets[i] if count > 1 else set(sets[i])
        if count * len(shared) >= len(best[0]) * len(best[1]):
            best = order[:count], shared
    return best[0], sorted(best[1])


def mean_over(
    cells: Sequence[Mapping[tuple[int, int], float]], places: Iterable[tuple[int, int]]
) -> Floats:
    return np.array([sum(cell[place] for cell in cells) / len(cells) for place in places])


def weigh(all_sides: Sequence[Sides]) -> list[Evidence]:
    """Test each comparison; those of equal shape together, which is fast."""
    alike: dict[tuple[int, int | None], list[int]] = defaultdict(list)
    for at, sides in enumerate(all_sides):
        alike[sides.shape].append(at)
    found: dict[int, Evidence] = {}
    for places in alike.values():
        shifts = shifts_of([all_sides[at] for at in places])
        for row, at in enumerate(places):
            found[at] = evidence(all_sides[at], shifts, row)
    return [found[at] for at in range(len(all_sides))]


def shifts_of(alike: Sequence[Sides]) -> Shifts:
    left = np.stack([sides.left for sides in alike])
    right = [sides.right for sides in alike if sides.right is not None]
    if right:
        return statistics.independent_shifts(left, np.stack(right))
    return statistics.paired_shifts(left)


def evidence(sides: Sides, shifts: Shifts, row: int) -> Evidence:
    ratio = np.exp([shifts.estimate[row], shifts.low[row], shifts.high[row]]).tolist()
    n, m = sides.shape
    if m is None:
        smallest = statistics.smallest_paired_p(n)
    else:
        smallest = statistics.smallest_independent_p(n, m)
    p = float(shifts.p[row])
    return Evidence(Interval(*ratio), sides.right is None, sides.samples, p, smallest)
