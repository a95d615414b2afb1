# SPDX-License-Identifier: BSD-3-Clause
"""How far values deviate, by estimates that a few bad ones do not change."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import expm1, hypot, log, pi
from statistics import fmean, median, stdev

from pollux.core.campaign.samples import Sample

TO_SIGMA = 1.4826  # median absolute deviation to standard deviation, of a normal distribution
# The same of so few values, in addition (C. Croux, P. J. Rousseeuw, Time-efficient algorithms for
# two highly robust estimators of scale, COMPSTAT 1992).
OF_FEW = {2: 1.196, 3: 1.495, 4: 1.363, 5: 1.206, 6: 1.200, 7: 1.140, 8: 1.129, 9: 1.107}
OF_MEDIAN = pi / 2  # variance of a median over that of a mean
FEWEST = 4  # samples of a configuration that tell how far its speed wanders


def deviation_of(values: Sequence[float]) -> float:
    """The standard deviation, from the median absolute deviation of two values or more."""
    center, count = median(values), len(values)
    few = OF_FEW.get(count, count / (count - 0.8))
    return few * TO_SIGMA * median(abs(x - center) for x in values)


Pair = tuple[Sample, Sample]  # of the same round, one of the reference


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


def spread_of(pairs: Sequence[Pair]) -> Spread:
    """That of two pairs or more of one comparison."""
    differences = [own.logs.differences(other.logs) for own, other in pairs]
    within = list(deviations_within(pairs, differences))
    return Spread(
        within=median(within) ** 2 if within else 0.0,
        repetitions=1 / fmean(1 / sample.repetitions for pair in pairs for sample in pair),
        whole=deviation_of([median(own) for own in differences]) ** 2,
    )


def deviations_within(
    pairs: Iterable[Pair], differences: Iterable[Sequence[float]]
) -> Iterator[float]:
    """The deviation of the difference of two repetitions, of each pair of processes that has it."""
    for (own, reference), found in zip(pairs, differences, strict=True):
        if len(found) > 1:
            yield deviation_of(found)
        elif min(len(own.runs), len(reference.runs)) > 1:
            yield hypot(*map(deviation_of_runs, (own, reference)))


def deviation_of_runs(sample: Sample) -> float:
    return stdev(log(run.seconds) for run in sample.runs)


def wander_of(configurations: Iterable[Sequence[Sample]]) -> float | None:
    """The share by which a configuration's speed deviates from process to process.

    The median over configurations; None where none has samples enough.
    """
    speeds = ([log(s.speed) for s in own if s.speed] for own in configurations)
    found = [deviation_of(own) for own in speeds if len(own) >= FEWEST]
    return expm1(median(found)) if found else None
