# SPDX-License-Identifier: BSD-3-Clause
"""Estimates how far a meter's clock is off, from the edges between idle and busy.

Power is modelled as one level while the machine is idle, one within processes of the campaign, and
one within timed regions. The offset is the one with which the model explains the samples best.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, inf, log, sqrt

import numpy as np

from pollux.core.errors import BadUsageError
from pollux.core.text import in_percent
from pollux.energy.meters.series import Floats, Series

FINEST = 0.05  # seconds: samples closer than this are taken together
FINE = 0.01  # seconds between offsets near the best
INSTANT = 1e-6  # seconds
EDGES_LEAST = 6  # three processes
EXPLAINED_LEAST = 0.5  # of the variance of power
ANYTHING = 0.15  # less is what some offset explains of any noise
# Twice the logarithm of a likelihood ratio, with as many independent observations as edges.
DISTINCT = 10.0
TRIED_MOST = 20_000

Span = tuple[int, int]


@dataclass(frozen=True)
class Estimate:
    """Seconds to add to a meter's times, and what they rest on."""

    offset: float
    uncertainty: float  # about two standard deviations
    explained: float  # share of the variance of power that the model explains
    edges: int

    def sentence(self, name: str) -> str:
        late = "behind" if self.offset >= 0 else "ahead"
        return (
            f"the clock of {name} is estimated to be {abs(self.offset):.2f} s {late} "
            f"(±{self.uncertainty:.2f} s), from {self.edges} edges between idle and busy, "
            f"which explain {in_percent(self.explained)} of the variance of its power"
        )


@dataclass(frozen=True)
class Busy:
    """Seconds that were busy before any time, of spans that do not overlap."""

    times: Floats
    seconds: Floats

    def share(self, begin: Floats, end: Floats) -> Floats:
        """Of each interval, the part that is busy."""
        before = np.interp(begin, self.times, self.seconds)
        return np.asarray((np.interp(end, self.times, self.seconds) - before) / (end - begin))


def busy(spans: Sequence[Span], base: int) -> Busy:
    joined: list[list[int]] = []
    for begin, end in sorted(spans):
        if joined and begin <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([begin, end])
    times = (np.array(joined, dtype=np.int64).reshape(-1) - base) / 1e9
    lengths = np.diff(times, prepend=times[0])
    lengths[::2] = 0.0
    return Busy(times, np.cumsum(lengths))


@dataclass(frozen=True)
class Observed:
    """The mean power of a meter over intervals, in seconds from a common base."""

    begin: Floats
    end: Floats
    power: Floats
    are_instants: bool  # each sample is of the middle of its interval alone


def observe(series: Series, base: int) -> Observed:
    """Samples of power stand for the time around them, those of energy for the time before."""
    stride = max(1, ceil(FINEST / series.step))
    are_instants = series.power is not None and stride == 1
    if are_instants and series.power is not None:
        times = (series.times - base) / 1e9
        middles = (times[1:] + times[:-1]) / 2
        begin, end, power = middles[:-1], middles[1:], series.power[1:-1]
    else:
        times = ((series.times - base) / 1e9)[::stride]
        begin, end = times[:-1], times[1:]
        power = np.diff(series.joules[::stride]) / np.maximum(end - begin, 1e-9)
    usable = (end > begin) & (end - begin <= series.max_gap * stride)
    return Observed(begin[usable], end[usable], power[usable], are_instants)


def sharpened(observed: Observed) -> Observed:
    """Instants for what they are: the machine was either busy or idle then, not in part."""
    if not observed.are_instants:
        return observed
    middle = (observed.begin + observed.end) / 2
    return replace(observed, begin=middle - INSTANT / 2, end=middle + INSTANT / 2)


def estimate_offset(
    series: Series, processes: Sequence[Span], runs: Sequence[Span], within: float
) -> Estimate:
    """The offset of at most `within` seconds; BadUsageError where the samples do not show it."""
    if not runs:
        raise refusal(series, "no run ended as it should, and timed regions are those of such runs")
    joined = edges_of(processes, series.step)
    if joined < EDGES_LEAST:
        raise refusal(
            series,
            f"there are {joined} edges between idle and busy that are further apart than its "
            f"samples, and {EDGES_LEAST} are needed",
        )
    base = min(begin for begin, _ in processes)
    activity = [busy(processes, base), busy(runs, base)]
    observed = observe(series, base)
    coarse = max(series.step / 2, FINEST, 2 * within / TRIED_MOST)
    offsets = np.linspace(-within, within, 2 * ceil(within / coarse) + 1)
    left = np.array([unexplained(observed, activity, offset) for offset in offsets])
    best = int(np.argmin(left))
    check(series, offsets, left, joined, 2 * max(series.step, coarse))
    reach = max(series.step, 2 * FINE)
    near = np.arange(offsets[best] - reach, offsets[best] + reach + FINE / 2, FINE)
    sharp = sharpened(observed)
    close = np.array([unexplained(sharp, activity, offset) for offset in near])
    offset, error = likely(near, close, len(observed.power))
    return Estimate(round(offset, 3), error, 1 - float(close.min()), joined)


def edges_of(processes: Sequence[Span], step: float) -> int:
    """How often the machine became busy or idle for longer than a step of the meter."""
    count, last = 0, -inf
    for begin, end in sorted(processes):
        if begin - last > step * 1e9:
            count += 2
        last = max(last, end)
    return count


def unexplained(observed: Observed, activity: Sequence[Busy], offset: float) -> float:
    """Share of the variance of power that the model leaves, with this offset."""
    begin, end = observed.begin + offset, observed.end + offset
    shares = [own.share(begin, end) for own in activity]
    near = (end > activity[0].times[0] - 60) & (begin < activity[0].times[-1] + 60)
    if near.sum() < 2 * EDGES_LEAST:
        return 1.0
    power = observed.power[near]
    model = np.stack([np.ones(int(near.sum())), *(share[near] for share in shares)], axis=1)
    found = np.linalg.lstsq(model, power, rcond=None)[0]
    total = float(((power - power.mean()) ** 2).sum())
    return float(((power - model @ found) ** 2).sum()) / total if total > 0 else 1.0


def likely(offsets: Floats, left: Floats, samples: int) -> tuple[float, float]:
    """The mean of the offsets by their likelihood, and twice its standard deviation.

    A meter of instants sees an edge between two samples, no matter where: all offsets between two
    such places are equally likely, and only edges at different places between samples tell more.
    """
    left = np.maximum(left, 1e-12)  # less is of rounding
    weights = np.exp(-samples / 2 * np.log(left / left.min()))
    mean = float((weights * offsets).sum() / weights.sum())
    variance = float((weights * (offsets - mean) ** 2).sum() / weights.sum())
    return mean, max(2 * sqrt(variance), FINE)


def check(series: Series, offsets: Floats, left: Floats, edges: int, apart: float) -> None:
    """Refuse an offset that the samples do not determine."""
    best = int(np.argmin(left))
    share = 100 * (1 - left[best])
    if best in (0, len(offsets) - 1) and left[best] < 1 - ANYTHING:
        raise refusal(series, f"it is beyond {offsets[-1]:g} s; a larger within may find it")
    if left[best] > 1 - EXPLAINED_LEAST:
        raise refusal(series, f"the runs explain only {share:.0f} % of the variance of its power")
    least = left[np.abs(offsets - offsets[best]) <= apart].max()
    for at in np.flatnonzero(np.abs(offsets - offsets[best]) > apart).tolist():
        beside = left[[max(at - 1, 0), min(at + 1, len(left) - 1)]]
        lower = left[at] <= beside.min()
        distinct = edges * log(max(left[at], 1e-12) / max(left[best], 1e-12))
        if lower and left[at] < least and distinct < DISTINCT:
            raise refusal(
                series,
                f"{offsets[best]:.1f} s and {offsets[at]:.1f} s fit equally well, as equal runs at "
                "equal distances make it",
            )


def refusal(series: Series, reason: str) -> BadUsageError:
    return BadUsageError(
        f"the clock offset of {series.name} cannot be estimated: {reason}; "
        "state offset in [clock] of its description"
    )
