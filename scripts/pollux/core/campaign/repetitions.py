# SPDX-License-Identifier: BSD-3-Clause
"""How many repetitions a process should have, from what the rounds of its cell show so far.

More of them cost less than further processes, but only the variance within a process falls: what a
process keeps to its end, such as its memory's place, does not. Where both variances are known,
so is the number that is best for a given time (W. G. Cochran, Sampling Techniques, 1977, section
10.6). All estimates are medians, since single repetitions and processes lie far out.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import median

from pollux.core.campaign.deviation import OF_MEDIAN, compared_in, spreads_of
from pollux.core.campaign.estimate import Machine, estimate_seconds
from pollux.core.campaign.lines import Configuration
from pollux.core.campaign.model import Campaign
from pollux.core.campaign.samples import Sample

CHOICES = (1, 2, 4, 6, 10, 16, 26, 42)  # even ones have each order of the sides equally often
FIRST = 6  # before anything is known, and fewest while little is
LONG = 0.25  # seconds: of repetitions that take longer each has a process of its own
FEWEST = 4  # rounds that a choice needs
LEAST_BETWEEN = 0.25  # share of a pair's variance: few rounds often seem to have none
Rounds = Mapping[int, Sample]  # of one configuration


@dataclass(frozen=True)
class Course:
    """What processes of a cell cost, in seconds, and how the logarithms of a pair deviate."""

    start: float  # of a process, with its warm-ups
    repetition: float  # from one to the next
    within: float  # standard deviation of the difference of two repetitions
    between: float  # of the difference of two processes of the same round

    def seconds(self, repetitions: int) -> float:
        return self.start + repetitions * self.repetition

    def deviation(self, repetitions: int) -> float:
        """That of a pair's median difference."""
        return math.sqrt(self.between**2 + OF_MEDIAN * self.within**2 / repetitions)


def first(configuration: Configuration, campaign: Campaign, machine: Machine) -> int:
    """The number for a process of which nothing is known but an estimate."""
    if not campaign.chooses_repetitions:
        return campaign.repetitions
    one, two = (estimate_seconds(configuration, campaign, machine, None, r) for r in (1, 2))
    return 1 if two - one > LONG else FIRST


def suggested(cell: Sequence[Rounds], evidence: Callable[[float], float]) -> int:
    """The number for the next process of a cell with samples; its reference comes first."""
    samples = list(chain.from_iterable(rounds.values() for rounds in cell))
    if any(is_long(rounds.values()) for rounds in cell):
        return 1
    course = course_of(cell)
    return max(FIRST, fewest(samples)) if course is None else best(course, evidence)


def seconds_with(sample: Sample, repetitions: int) -> float:
    """What a process like this one takes with so many repetitions."""
    (period,) = periods([sample]) if sample.ready_seconds is not None else (0.0,)
    return (sample.process_seconds or 0.0) + (repetitions - sample.repetitions) * period


def is_long(samples: Iterable[Sample]) -> bool:
    """Whether their repetitions take so long that each is worth a process of its own."""
    return median_or_zero(map(span, samples)) > LONG


def span(sample: Sample) -> float:
    """Seconds of a repetition."""
    return median_or_zero([run.seconds for run in sample.runs] or periods([sample]))


def fewest(samples: Sequence[Sample]) -> int:
    """So many that they take as long as what comes before them: fewer save little."""
    period = median_or_zero(periods(samples))
    return 1 if period == 0 else as_long_as(median(starts(samples, period)), period)


def as_long_as(start: float, repetition: float) -> int:
    return next((r for r in CHOICES if r * repetition >= start), CHOICES[-1])


def best(course: Course, evidence: Callable[[float], float]) -> int:
    """The number with the most evidence for its time; `evidence`: of a pair, by its deviation."""
    least = as_long_as(course.start, course.repetition)
    choices = [r for r in CHOICES if r >= least]
    return max(choices, key=lambda r: evidence(course.deviation(r)) / course.seconds(r))


def course_of(cell: Sequence[Rounds]) -> Course | None:
    """What the rounds of a cell show; None where they are too few."""
    reference, *others = cell
    pairs = [[(own[r], reference[r]) for r in own.keys() & reference.keys()] for own in others]
    if not pairs or min(map(len, pairs)) < FEWEST:
        return None
    samples = [sample for own in cell for sample in own.values()]
    spreads = list(spreads_of(list(map(compared_in, pairs))))
    within = median(spread.within for spread in spreads)
    whole = median(spread.whole for spread in spreads)
    between = max(median(s.of_processes for s in spreads), LEAST_BETWEEN * whole)
    period = median_or_zero(periods(samples))
    start = median(starts(samples, period))
    if period == 0:  # one repetition each: a warm-up is one more
        period = start / 2
        start -= period
    return Course(start, period, math.sqrt(within), math.sqrt(between))


def periods(samples: Iterable[Sample]) -> Iterator[float]:
    """Seconds from a repetition to the next of the same process: input and verification too."""
    for sample in samples:
        if sample.ready_seconds is not None and sample.process_seconds is not None:
            yield max(0.0, sample.process_seconds - sample.ready_seconds) / sample.repetitions
            continue
        for run, following in zip(sample.runs, sample.runs[1:], strict=False):
            yield max(0.0, (following.begin - run.begin) * 1e-9)


def starts(samples: Iterable[Sample], period: float) -> Iterator[float]:
    """Seconds of each process before its first repetition."""
    for sample in samples:
        whole = sample.process_seconds or 0.0
        if sample.ready_seconds is not None:
            yield sample.ready_seconds
        else:
            yield max(0.0, whole - sample.repetitions * period)


def median_or_zero(values: Iterable[float]) -> float:
    found = list(values)
    return median(found) if found else 0.0
