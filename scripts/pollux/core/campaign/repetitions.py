# SPDX-License-Identifier: BSD-3-Clause
"""How many repetitions a process should have, from what the first rounds of its cell show.

More of them cost less than further processes, but only the variance within a process falls: what a
process keeps to its end, such as its memory's place, does not. Where both variances are known,
so is the number that is best for a given time (W. G. Cochran, Sampling Techniques, 1977, section
10.6). All estimates are medians, since single repetitions and processes lie far out.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import mean, median, stdev

from pollux.core.campaign.samples import Sample

CHOICES = (1, 3, 5, 9, 15)
FIRST = 3  # before that, and where they show nothing
LONG = 0.25  # seconds: of repetitions that take longer each has a process of its own
FEWEST = 4  # rounds that a choice needs
LEAST_BETWEEN = 0.25  # share of a pair's variance: few rounds often seem to have none
TO_SIGMA = 1.4826  # median absolute deviation to standard deviation, of a normal distribution
OF_MEDIAN = math.pi / 2  # variance of a median over that of a mean
Rounds = Mapping[int, Sample]  # of one configuration


@dataclass(frozen=True)
class Course:
    """What processes of a cell cost, in seconds, and how their speeds' logarithms deviate."""

    start: float  # of a process, with its warm-ups
    repetition: float  # from one to the next
    within: float  # standard deviation of repetitions in a process
    between: float  # of processes, in a pair of the same round

    def seconds(self, repetitions: int) -> float:
        return self.start + repetitions * self.repetition

    def deviation(self, repetitions: int) -> float:
        """That of a pair's difference of medians."""
        return math.sqrt(2 * (self.between**2 + OF_MEDIAN * self.within**2 / repetitions))


def suggested(
    opening: Sequence[Rounds], is_complete: bool, evidence: Callable[[float], float]
) -> int:
    """One for long runs, else a few during the opening rounds and after them what these show."""
    if any(map(is_long, chain.from_iterable(rounds.values() for rounds in opening))):
        return 1
    course = course_of(opening) if is_complete else None
    return FIRST if course is None else best(course, evidence)


def is_long(sample: Sample) -> bool:
    """Whether its repetitions take so long that each is worth a process of its own."""
    return median(run.seconds for run in sample.runs) > LONG


def best(course: Course, evidence: Callable[[float], float]) -> int:
    """The number with the most evidence for its time; `evidence`: of a pair, by its deviation."""
    return max(CHOICES, key=lambda r: evidence(course.deviation(r)) / course.seconds(r))


def course_of(cell: Sequence[Rounds]) -> Course | None:
    """What the rounds of a cell show, its reference first; None where they are too few."""
    reference, *others = cell
    pairs = [[(own[r], reference[r]) for r in own.keys() & reference.keys()] for own in others]
    if not pairs or min(map(len, pairs)) < FEWEST:
        return None
    samples = [sample for own in cell for sample in own.values()]
    within = median_or_zero(deviations_within(samples))
    of_pairs = [deviation_of([difference(*pair) for pair in one]) for one in pairs]
    repetitions = mean(1 / len(s.runs) for s in samples)
    of_process = median(of_pairs) ** 2 / 2
    rest = of_process - OF_MEDIAN * within**2 * repetitions
    period = median_or_zero(periods(samples))
    start = median((s.process_seconds or 0.0) - (len(s.runs) - 1) * period for s in samples)
    if period == 0:  # one repetition each: a warm-up is one more
        period = start / 2
    between = math.sqrt(max(rest, LEAST_BETWEEN * of_process))
    return Course(max(start - period, 0.0), period, within, between)


def deviations_within(samples: Iterable[Sample]) -> Iterator[float]:
    """The standard deviation of each process that has one."""
    for sample in samples:
        if len(sample.runs) > 1:
            yield stdev(math.log(run.seconds) for run in sample.runs)


def difference(one: Sample, other: Sample) -> float:
    assert one.speed is not None
    assert other.speed is not None
    return math.log(one.speed / other.speed)


def deviation_of(values: Sequence[float]) -> float:
    center = median(values)
    return TO_SIGMA * median(abs(x - center) for x in values)


def periods(samples: Iterable[Sample]) -> Iterator[float]:
    """Seconds from a repetition to the next of the same process: input and verification too."""
    for sample in samples:
        for run, following in zip(sample.runs, sample.runs[1:], strict=False):
            yield max(0.0, (following.begin - run.begin) * 1e-9)


def median_or_zero(values: Iterable[float]) -> float:
    found = list(values)
    return median(found) if found else 0.0
