# SPDX-License-Identifier: BSD-3-Clause
"""How far values deviate, by estimates that a few bad ones do not change."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import expm1, hypot, log, pi
from statistics import fmean, median, stdev

import numpy as np

from pollux.core.campaign.logarithms import Floats, Logarithms, logarithms_of
from pollux.core.campaign.samples import Ints, Logs, Sample

TO_SIGMA = 1.4826  # median absolute deviation to standard deviation, of a normal distribution
# The same of so few values, in addition (C. Croux, P. J. Rousseeuw, Time-efficient algorithms for
# two highly robust estimators of scale, COMPSTAT 1992).
OF_FEW = {2: 1.196, 3: 1.495, 4: 1.363, 5: 1.206, 6: 1.200, 7: 1.140, 8: 1.129, 9: 1.107}
OF_MEDIAN = pi / 2  # variance of a median over that of a mean, of a normal distribution
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


@dataclass(frozen=True)
class Compared:
    """What pairs of processes show of one comparison."""

    differences: Sequence[float]  # of each pair
    within: Sequence[float]  # how those of repetitions deviate, of pairs in which that is known
    repetitions: Sequence[int]  # of each process


def spreads_of(comparisons: Sequence[Compared]) -> Iterator[Spread]:
    """That of each of several comparisons, which have two pairs or more."""
    whole = deviations_of([own.differences for own in comparisons])
    for own, deviation in zip(comparisons, whole, strict=True):
        yield Spread(
            within=median(own.within) ** 2 if own.within else 0.0,
            repetitions=harmonic_mean(own.repetitions),
            whole=deviation**2,
        )


def compared_in(pairs: Sequence[Pair]) -> Compared:
    """What processes show that took turns or, where they did not, ran one after the other."""
    differences, known = differences_of([(own.logs, other.logs) for own, other in pairs])
    repetitions = [sample.repetitions for pair in pairs for sample in pair]
    return Compared(differences, list(deviations_within(pairs, known)), repetitions)


def harmonic_mean(counts: Sequence[int]) -> float:
    return counts[0] if len({*counts}) == 1 else 1 / fmean(1 / count for count in counts)


def differences_of(pairs: Sequence[tuple[Logs, Logs]]) -> Differences:
    """Of the repetitions of each pair: the median difference, and how the differences deviate."""
    both = logarithms_of(chain.from_iterable(pairs))
    places = np.arange(len(both))
    return differences_between(both, places[::2], places[1::2])


def differences_between(logs: Logarithms, left: Ints, right: Ints) -> Differences:
    """The same of samples at these places.

    How differences deviate is not known of those that did not take turns with each other.
    """
    middles = logs.middles[left] - logs.middles[right]
    spreads = np.full(len(middles), np.nan)
    counts = logs.turns.counts[left]
    counts[counts != logs.turns.counts[right]] = 0
    counts[logs.rotas[left] != logs.rotas[right]] = 0
    for count in np.unique(counts[counts > 0]).tolist():
        alike = np.flatnonzero(counts == count)
        apart = logs.turns.table(left[alike], count) - logs.turns.table(right[alike], count)
        middles[alike] = medians(apart)
        if count > 1:
            spreads[alike] = deviations(apart, middles[alike])
    known: list[float | None] = spreads.tolist()
    for place in np.flatnonzero(np.isnan(spreads)).tolist():
        known[place] = None
    return middles.tolist(), known


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


def speeds_in_logarithms(samples: Iterable[Sample]) -> list[float]:
    return [log(sample.speed) for sample in samples if sample.speed]


def wander_of(configurations: Iterable[Sequence[float]]) -> float | None:
    """The share by which a configuration's speed deviates, from logarithms of its samples.

    The median over configurations; None where none has samples enough.
    """
    found = deviations_of([own for own in configurations if len(own) >= FEWEST])
    return expm1(median(found)) if found else None
