# SPDX-License-Identifier: BSD-3-Clause
"""The samples of a meter as energy over time, and the energy between two times."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pollux.core.readings import Reading, Status, missing
from pollux.energy.meters.times import Ints

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
SAMPLES_LEAST = 2
STEPS_LEAST = 2.0  # a run is this many steps of its meter long, or nothing is stated
COUNTER_STEPS = 50  # and of counters that move in steps, as in records (common/energy/counter.c)
GAP = 3.0  # median steps: more between two samples is a gap


@dataclass(frozen=True)
class Series:
    """Samples in the order of time; between two of them power or energy changes linearly."""

    name: str
    measures: str
    times: Ints  # ns since 1970, by the clock of the machine that ran
    joules: Floats  # since the first sample
    power: Floats | None  # watts at each sample, where that is what was measured
    broken: Flags  # intervals between samples over which the energy is not known
    max_gap: float  # seconds
    is_held: bool = True  # power at the ends of a run is that next to them within it
    is_counter: bool = False  # the joules are those of counters, which move in steps
    fault: str = "fell"  # what breaks an interval
    shortest: float = 0.0  # seconds: of a shorter run the steps of the counters show

    def moved(self, seconds: float) -> "Series":
        """The same by a clock that is so much ahead."""
        return replace(self, times=self.times + round(seconds * 1e9))

    @property
    def step(self) -> float:
        """Median seconds between samples."""
        return median_step(self.times)

    def joules_at(self, when: Ints) -> Floats:
        """Energy since the first sample at times that are covered."""
        at = np.clip(np.searchsorted(self.times, when, side="right") - 1, 0, len(self.times) - 2)
        length = np.maximum(self.times[at + 1] - self.times[at], 1) / 1e9
        passed = (when - self.times[at]) / 1e9
        if self.power is None:
            rise = self.joules[at + 1] - self.joules[at]
            return np.asarray(self.joules[at] + rise * passed / length)
        slope = (self.power[at + 1] - self.power[at]) / length
        return np.asarray(self.joules[at] + (self.power[at] + slope * passed / 2) * passed)

    def between(self, begin: int, end: int) -> Reading:
        """The energy from `begin` to `end`, or why the meter does not know it."""
        problem = self.not_shown(begin, end) or self.too_short(begin, end)
        if problem is not None:
            return missing(*problem, self.name)
        joules = self.held(begin, end) if self.is_held else self.interpolated(begin, end)
        if joules <= 0:
            return missing(Status.UNKNOWN, f"{self.name} shows no energy during the run", self.name)
        return Reading(Status.MEASURED, joules, source=self.name)

    def interpolated(self, begin: int, end: int) -> float:
        first, last = self.joules_at(np.array([begin, end])).tolist()
        return float(last - first)

    def held(self, begin: int, end: int) -> float:
        """Between the samples within a run, and the power next to them to its ends.

        The samples around the ends are of idle time too, or of what comes before and after. Where
        that has another power, interpolation between them is wrong by up to half a step of it.
        Where no power is known to be of the run alone, there is nothing better.
        """
        first = int(np.searchsorted(self.times, begin, side="left"))
        last = int(np.searchsorted(self.times, end, side="right")) - 1
        needed = 2 if self.power is None else 1  # samples within it: means are of intervals
        if last - first + 1 < needed:
            return self.interpolated(begin, end)
        if self.power is not None:
            before, after = self.power[first], self.power[last]
        else:
            before, after = self.mean_power(first), self.mean_power(last - 1)
        lead = (self.times[first] - begin) / 1e9
        trail = (end - self.times[last]) / 1e9
        return float(self.joules[last] - self.joules[first] + before * lead + after * trail)

    def mean_power(self, interval: int) -> float:
        seconds = max(self.times[interval + 1] - self.times[interval], 1) / 1e9
        return float((self.joules[interval + 1] - self.joules[interval]) / seconds)

    def not_shown(self, begin: int, end: int) -> tuple[Status, str] | None:
        """What there is not of the time from `begin` to `end`, however short it is."""
        if lacking := self.lacks(begin, end):
            return Status.NOT_COVERED, f"{self.name} has {lacking}"
        first = int(np.searchsorted(self.times, begin, side="right")) - 1
        last = max(int(np.searchsorted(self.times, end, side="left")), first + 1)
        steps = np.diff(self.times[first : last + 1])
        if self.is_counter:  # counts on between samples; only where in them the ends are matters
            steps = steps[[0, -1]]
        gap = float(steps.max()) / 1e9
        if gap > self.max_gap:
            return Status.NOT_COVERED, f"{self.name} has a gap of {gap:.3g} s"
        if self.broken[first:last].any():
            return Status.UNKNOWN, f"the counter of {self.name} {self.fault} during the run"
        return None

    def too_short(self, begin: int, end: int) -> tuple[Status, str] | None:
        if end - begin < STEPS_LEAST * self.step * 1e9:
            reason = f"shorter than {STEPS_LEAST:g} steps of {self.name} ({self.step:.3g} s each)"
            return Status.TOO_SHORT, reason
        if end - begin < self.shortest * 1e9:
            reason = f"shorter than {self.shortest:g} s, {COUNTER_STEPS} steps of {self.name}"
            return Status.TOO_SHORT, reason
        return None

    def lacks(self, begin: int, end: int) -> str | None:
        """What there is not around a run."""
        if len(self.times) < SAMPLES_LEAST:
            return "fewer than two samples"
        if begin < self.times[0]:
            return "no sample before the run"
        return "no sample after the run" if end > self.times[-1] else None


def median_step(times: Ints) -> float:
    steps = np.diff(times)
    steps = steps[steps > 0]
    return float(np.median(steps)) / 1e9 if len(steps) else float("inf")


def widest_gap(times: Ints, stated: float | None) -> float:
    return stated if stated is not None else GAP * median_step(times)


def of_power(power: Floats, times: Ints, *, average: bool) -> tuple[Floats, Floats | None]:
    """Energy since the first sample, and the power at each where that is what samples are."""
    seconds = np.diff(times) / 1e9
    means = power[1:] if average else (power[1:] + power[:-1]) / 2
    joules = np.concatenate([[0.0], np.cumsum(means * seconds)])
    return joules, None if average else power


def of_counters(counters: Floats, wraps_at: float | None) -> tuple[Floats, Flags]:
    """Energy since the first sample, and where a falling counter leaves it unknown.

    Each column is a counter, and each starts again from 0 by itself.
    """
    rises = np.diff(counters, axis=0)
    if wraps_at is not None:
        rises = np.where(rises < 0, rises + wraps_at, rises)
    broken: Flags = np.asarray((rises < 0).any(axis=1))
    rise = np.where(broken, 0.0, rises.sum(axis=1))
    return np.concatenate([[0.0], np.cumsum(rise)]), broken
