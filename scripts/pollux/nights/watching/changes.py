# SPDX-License-Identifier: BSD-3-Clause
"""Finds the nights at which the level of a series changed.

Values are logarithms. A level is compared on each machine by itself: the scan adds, over machines,
the differences between the nights before and after a split, each night clipped at `CLIP` deviations
so that no single one decides. The deviation is that of successive nights, which no change of level
affects, made larger where nights depend on those before (a machine whose speed wanders). A split
whose standardised difference exceeds `THRESHOLD` is a change, and so is one after which a few
nights are all far from those before, which clipping would hide; both sides are then searched too.
docs/evaluation/night_watch.py shows how often this is wrong, and how often it finds a change.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view as windows
from numpy.typing import NDArray

from pollux.core.campaign.deviation import TO_SIGMA

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CLIP = 2.5  # deviations
FAR = 5.0  # deviations: nights after a large change are all as far from those before
BEFORE = 8  # nights before it that are looked at, and at least `FEWEST_BEFORE`
FEWEST_BEFORE = 3
THRESHOLD = 4.9  # of a standardised difference, largest over all splits
DROP = 9.0  # of its square: splits that lose no more are in the interval of 95 %
MOST_DEPENDENT = 0.9  # correlation of successive nights, at most
PRIOR_NIGHTS = 6  # what the usual deviation of other series counts


@dataclass(frozen=True)
class Noise:
    """How much nights of one level differ."""

    deviation: float  # of one night
    correlation: float  # of successive nights

    @property
    def of_means(self) -> float:
        """The deviation to use for means of many nights, as if those were independent."""
        return self.deviation * self.growth

    @property
    def growth(self) -> float:
        """By how much correlation makes the deviation of a mean larger."""
        return sqrt((1 + self.correlation) / (1 - self.correlation))


@dataclass(frozen=True)
class Change:
    """The first night of a new level, by its place among those of the series."""

    first: int
    low: int  # interval of 95 %
    high: int
    is_large: bool = False  # shown by its size, not by its duration


@dataclass(frozen=True)
class Difference:
    """Of two levels, as a logarithm, and its standard error; NaN where no machine has both."""

    estimate: float
    error: float


def steps(values: Floats, machines: Ints) -> list[Floats]:
    """The differences of successive nights of each machine."""
    return [np.diff(values[machines == machine]) for machine in np.unique(machines)]


def deviation_of_steps(values: Floats, machines: Ints) -> tuple[float, int]:
    """The deviation of one night if nights were independent, and of how many steps it is."""
    found = np.concatenate([*steps(values, machines), np.empty(0)])
    if not len(found):
        return float("nan"), 0
    return float(TO_SIGMA * np.median(np.abs(found)) / sqrt(2)), len(found)


def correlation_of_nights(values: Floats, machines: Ints, deviation: float) -> float:
    """That of successive nights, from their steps, in which a change of level is but one.

    Steps of independent nights have a correlation of -1/2, those of a random walk of 0.
    """
    limit = CLIP * sqrt(2) * deviation
    clipped = [np.clip(own, -limit, limit) for own in steps(values, machines)]
    squares = sum(float(own @ own) for own in clipped)
    products = sum(float(own[1:] @ own[:-1]) for own in clipped if len(own) > 1)
    if squares <= 0:
        return 0.0
    return 1 + 2 * products / squares


def noise_of(values: Floats, machines: Ints, usual: Noise) -> Noise:
    """The noise of a series; of one with few nights, mostly what is usual."""
    own, count = deviation_of_steps(values, machines)
    if not count:
        return usual
    square = (PRIOR_NIGHTS * usual.deviation**2 + count * own**2) / (PRIOR_NIGHTS + count)
    deviation = sqrt(square)
    # One series alone shows its correlation badly: what it has more than usual must be clear.
    error = 2 * sqrt(2 / count)
    own_correlation = correlation_of_nights(values, machines, deviation) - error
    correlation = min(MOST_DEPENDENT, max(0.0, usual.correlation, own_correlation))
    return Noise(deviation / sqrt(1 - correlation), correlation)


def scan(values: Floats, machines: Ints, noise: Noise, shortest: int) -> Floats:
    """The standardised difference at each split; 0 where a side has too few nights.

    Element i is that of the nights before i and those from i on.
    """
    count = len(values)
    sums, weights = np.zeros(count), np.zeros(count)
    before, after = np.zeros(count), np.zeros(count)
    for machine in np.unique(machines):
        here = machines == machine
        own = np.where(here, values, 0.0)
        limit = CLIP * noise.deviation
        centre = np.median(values[here])
        own = np.where(here, np.clip(own - centre, -limit, limit), 0.0)
        n1 = np.concatenate([[0], np.cumsum(here)[:-1]]).astype(float)
        n2 = here.sum() - n1
        s1 = np.concatenate([[0], np.cumsum(own)[:-1]])
        s2 = own.sum() - s1
        both = (n1 > 0) & (n2 > 0)
        weight = np.where(both, n1 * n2 / np.maximum(n1 + n2, 1), 0.0)
        gap = np.where(both, s2 / np.maximum(n2, 1) - s1 / np.maximum(n1, 1), 0.0)
        sums += weight * gap
        weights += weight
        before += np.where(both, n1, 0)
        after += np.where(both, n2, 0)
    usable = (before >= shortest) & (after >= shortest) & (weights > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = sums / np.sqrt(weights) / noise.of_means
    return np.where(usable, found, 0.0)


@dataclass(frozen=True)
class Search:
    """What it takes to show a change."""

    shortest: int  # nights of a level
    threshold: float = THRESHOLD
    far: float = FAR
    at_once: bool = False  # whether the last night alone can show one


def changes(values: Floats, machines: Ints, noise: Noise, search: Search) -> list[Change]:
    """All changes of level, in order."""
    places = sorted(split(values, machines, noise, search, 0))
    found = []
    edges = [0, *places, len(values)]
    for begin, end in zip(edges, edges[2:], strict=False):  # each again between its neighbours
        own, place = clearest(values[begin:end], machines[begin:end], noise, search)
        if place > 0:
            near = np.flatnonzero((own > 0) & (own**2 >= own[place] ** 2 - DROP))
            low, high = min(place, int(near[0])), max(place, int(near[-1]))
            is_large = bool(own[place] < search.threshold)
            found.append(Change(begin + place, begin + low, begin + high, is_large))
    return found


def large(values: Floats, machines: Ints, noise: Noise, search: Search) -> NDArray[np.bool_]:
    """Where the next nights of a machine are all far from the median of those before, to one side.

    Element i is about the nights from i on.
    """
    found, shortest = np.zeros(len(values), dtype=bool), search.shortest
    for machine in np.unique(machines):
        places = np.flatnonzero(machines == machine)
        own = values[places]
        if len(own) < FEWEST_BEFORE + shortest:
            continue
        padded = np.concatenate([np.full(BEFORE - FEWEST_BEFORE, np.nan), own])
        before = np.nanmedian(windows(padded, BEFORE), axis=1)[:-shortest]
        gaps = windows(own, shortest)[FEWEST_BEFORE:] - before[:, None]
        limit = search.far * noise.deviation
        found[places[FEWEST_BEFORE : len(own) - shortest + 1]] = (gaps.min(axis=1) > limit) | (
            gaps.max(axis=1) < -limit
        )
    return found


def clearest(values: Floats, machines: Ints, noise: Noise, search: Search) -> tuple[Floats, int]:
    """The scan's values, and the split that shows a change; 0 where none does."""
    found = np.abs(scan(values, machines, noise, search.shortest))
    place = int(found.argmax())
    if found[place] >= search.threshold:
        return found, place
    far = np.where(large(values, machines, noise, search), found, 0.0)
    return found, int(far.argmax())


def split(
    values: Floats, machines: Ints, noise: Noise, search: Search, offset: int
) -> Sequence[int]:
    """The places of changes, by halving at the clearest one again and again."""
    if len(values) < 2 * search.shortest:
        return []
    _, place = clearest(values, machines, noise, search)
    if place == 0:
        return []
    return [
        *split(values[:place], machines[:place], noise, search, offset),
        offset + place,
        *split(values[place:], machines[place:], noise, search, offset + place),
    ]


def difference(
    values: Floats, machines: Ints, before: Ints, after: Ints, noise: Noise
) -> Difference:
    """How much the level of some nights differs from that of earlier ones, machine by machine."""
    sums = weights = 0.0
    for machine in np.unique(machines[after]):
        left = values[before][machines[before] == machine]
        right = values[after][machines[after] == machine]
        if len(left) and len(right):
            weight = len(left) * len(right) / (len(left) + len(right))
            sums += weight * (robust_mean(right, noise) - robust_mean(left, noise))
            weights += weight
    if not weights:
        return Difference(float("nan"), float("nan"))
    return Difference(sums / weights, noise.of_means / sqrt(weights))


def robust_mean(values: Floats, noise: Noise) -> float:
    """The mean of values clipped around their median."""
    centre, limit = float(np.median(values)), CLIP * noise.deviation
    return centre + float(np.clip(values - centre, -limit, limit).mean())
