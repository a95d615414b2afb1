# SPDX-License-Identifier: BSD-3-Clause
"""How far values deviate, by estimates that a few bad ones do not change."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from math import expm1, hypot, log, pi
from statistics import fmean, median, stdev

import numpy as np
from numpy.typing import NDArray

from pollux.core.campaign.samples import Logs, Sample

Floats = NDArray[np.float64]

TO_SIGMA = 1.4826  # median absolute deviation to standard deviation, of a normal distribution
# The same of so few values, in addition (C. Croux, P. J. Rousseeuw, Time-efficient algorithms for
# two highly robust estimators of scale, COMPSTAT 1992).
OF_FEW = {2: 1.196, 3: 1.495, 4: 1.363, 5: 1.206, 6: 1.200, 7: 1.140, 8: 1.129, 9: 1.107}
OF_MEDIAN = pi / 2  # variance of a median over that of a mean
FEWEST = 4  # samples of a configuration that tell how far its speed wanders


def deviations_of(rows: Sequence[Sequence[float]]) -> list[float]:
    """The standard deviation of each of several sets of two values or more, as `deviations`.

    Those with equally many values are taken together, which is fast.
    """
    alike: dict[int, list[int]] = defaultdict(list)
    for at, row in enumerate(rows):
        alike[len(row)].append(at)
    found = [0.0] * len(rows)
    for count, places in alike.items():
        own = table([rows[at] for at in places], count)
        for at, deviation in zip(places, deviations(own, medians(own)).tolist(), strict=True):
            found[at] = deviation
    return found


def deviations(rows: Floats, centers: Floats) -> Floats:
    """The standard deviation of each row, from the median absolute deviation from its center."""
    count = rows.shape[1]
    few = OF_FEW.get(count, count / (count - 0.8))
    found: Floats = few * TO_SIGMA * medians(np.abs(rows - centers[:, None]))
    return found


Pair = tuple[Sample, Sample]  # of the same round, one of the reference
Differences = tuple[list[float], list[float | None]]  # of pairs, and how those of turns deviate


@dataclass(frozen=True)
class Spread:
    """How the differences of pairs of processes deviate: variances of logarithms."""

    within: float  # of the difference of two repetitions
    repetitions: float  # harmonic mean of their number
    whole: float  # of a pair's difference

    @property
    def of_repetitions(self) -> float:
        """What repetitions contribute to that of a pair, which is the median over them."""
        return OF_MEDIAN * self.within / self.repetitions

    @property
    def of_processes(self) -> float:
        """What processes contribute that repetitions do not; negative where that seems nothing."""
        return self.whole - self.of_repetitions


def spreads_of(comparisons: Sequence[Sequence[Pair]], differences: Differences) -> Iterator[Spread]:
    """That of each of several comparisons, which have two pairs or more.

    `differences` are those of all pairs, one comparison after the other.
    """
    middles, within_pairs = iter(differences[0]), iter(differences[1])
    whole = deviations_of([list(islice(middles, len(pairs))) for pairs in comparisons])
    for pairs, deviation in zip(comparisons, whole, strict=True):
        known = list(islice(within_pairs, len(pairs)))
        within = list(deviations_within(pairs, known))
        yield Spread(
            within=median(within) ** 2 if within else 0.0,
            repetitions=mean_repetitions(pairs),
            whole=deviation**2,
        )


def mean_repetitions(pairs: Iterable[Pair]) -> float:
    """The harmonic mean over all samples."""
    counts = [sample.repetitions for pair in pairs for sample in pair]
    return counts[0] if len({*counts}) == 1 else 1 / fmean(1 / count for count in counts)


def differences_of(pairs: Sequence[tuple[Logs, Logs]]) -> Differences:
    """Of the repetitions of each pair: the median difference, and how the differences deviate.

    That is not known of those that did not take turns.
    """
    middles = [own.middle - other.middle for own, other in pairs]
    known: list[float | None] = [None] * len(pairs)
    alike: dict[int, list[int]] = defaultdict(list)
    for at, (own, other) in enumerate(pairs):
        if len(own.turns) == len(other.turns) > 0:
            alike[len(own.turns)].append(at)
    for count, places in alike.items():
        left, right = (logs_of([pairs[at][side] for at in places], count) for side in (0, 1))
        apart = left - right
        found = medians(apart)
        spread = deviations(apart, found)
        for at, middle, deviation in zip(places, found.tolist(), spread.tolist(), strict=True):
            middles[at], known[at] = middle, deviation if count > 1 else None
    return middles, known


def logs_of(sides: Sequence[Logs], count: int) -> Floats:
    """The logarithms of the turns of each; of those of a reference, which come often, once."""
    unique = {id(side): side for side in sides}
    logarithms = np.log(table([side.turns for side in unique.values()], count))
    numbers = dict(zip(unique, range(len(unique)), strict=True))
    found: Floats = logarithms[[numbers[id(side)] for side in sides]]
    return found


def table(rows: Sequence[Sequence[float]], width: int) -> Floats:
    return np.fromiter(chain.from_iterable(rows), float, len(rows) * width).reshape(-1, width)


def medians(rows: Floats) -> Floats:
    """Of each row, as statistics.median has it."""
    ordered, count = np.sort(rows, axis=1), rows.shape[1]
    middles: Floats = (ordered[:, (count - 1) // 2] + ordered[:, count // 2]) / 2
    return middles


def deviations_within(pairs: Iterable[Pair], known: Iterable[float | None]) -> Iterator[float]:
    """The deviation of the difference of two repetitions, of each pair of processes that has it."""
    for (own, reference), deviation in zip(pairs, known, strict=True):
        if deviation is not None:
            yield deviation
        elif min(len(own.runs), len(reference.runs)) > 1:
            yield hypot(*map(deviation_of_runs, (own, reference)))


def deviation_of_runs(sample: Sample) -> float:
    return stdev(log(run.seconds) for run in sample.runs)


def wander_of(configurations: Iterable[Sequence[Sample]]) -> float | None:
    """The share by which a configuration's speed deviates from process to process.

    The median over configurations; None where none has samples enough.
    """
    speeds = ([log(s.speed) for s in own if s.speed] for own in configurations)
    found = deviations_of([own for own in speeds if len(own) >= FEWEST])
    return expm1(median(found)) if found else None
