# SPDX-License-Identifier: BSD-3-Clause
"""The values of series, night by night, and what all those measured alone have in common."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from pollux.nights.watching.changes import (
    MOST_DEPENDENT,
    Floats,
    Ints,
    Noise,
    correlation_of_nights,
    deviation_of_steps,
)

FEWEST_TOGETHER = 4  # series from which what they have in common is told
NEARLY_ALL = 0.9  # of the nights: series with fewer are compared with those that have them
ERROR = sqrt(2)  # of a correlation of successive nights, times the root of the number of steps
FALLBACK = Noise(0.02, 0.0)  # of the first nights, before there are steps
LEAST = 0.001  # of the usual deviation: equal nights, such as copies, do not show that it is 0


@dataclass(frozen=True)
class Track:
    """One series: by night, NaN where it has no value.

    Paired values are logarithms of ratios to the reference within rounds of the night, which a
    slow machine does not change much; others are logarithms of speeds. Energy counts as 1/J.
    Nights before `base` show only what series have in common.
    """

    values: Floats
    machines: Ints  # of each night
    paired: bool
    is_energy: bool = False
    base: int = 0  # the first night that counts

    @property
    def known(self) -> Ints:
        """The nights with a value."""
        return np.flatnonzero(np.isfinite(self.values))

    @property
    def nights(self) -> Ints:
        """Those of them that count."""
        return self.known[self.known >= self.base]


def in_common(tracks: Iterable[Track]) -> Floats | None:
    """By night, how much series of one kind measured alone deviate from their usual level alike.

    That is the machine, or something that all of them depend on. NaN where too few have a value.
    """
    alone = [track for track in tracks if len(track.known)]
    if len(alone) < FEWEST_TOGETHER:
        return None
    counts = sorted((len(track.known) for track in alone), reverse=True)
    least = NEARLY_ALL * counts[FEWEST_TOGETHER - 1]
    unknown = np.full(len(alone[0].values), np.nan)
    found = [deviation(track, unknown) for track in alone if len(track.known) >= least]
    shared = middle_of(found)
    found += [deviation(track, shared) for track in alone if len(track.known) < least]
    return middle_of(found)


def middle_of(deviations: Sequence[Floats]) -> Floats:
    """The median of each night; NaN where too few have a value."""
    table = np.stack(deviations)
    enough = np.isfinite(table).sum(axis=0) >= FEWEST_TOGETHER
    found = np.full(table.shape[1], np.nan)
    if enough.any():
        found[enough] = np.nanmedian(table[:, enough], axis=0)
    return found


def deviation(track: Track, shared: Floats) -> Floats:
    """From the usual level on the night's machine.

    That is where its nights lie beside what is known to be `shared`: the usual level of few nights
    by themselves, as of a series that was added later, is that of the machine in these nights.
    """
    found = np.full(len(track.values), np.nan)
    for machine in np.unique(track.machines[track.known]):
        here = np.isfinite(track.values) & (track.machines == machine)
        both = here & np.isfinite(shared)
        usual = (track.values - shared)[both] if both.any() else track.values[here]
        found[here] = track.values[here] - np.median(usual)
    return found


def usual_noise(tracks: Sequence[Track], doubt: float) -> Noise:
    """What is usual among series of one kind; their deviations differ, their machine does not.

    `doubt`: standard errors by which their correlation must differ from 0.
    """
    deviations, correlations, steps = [], [], 0
    for track in tracks:
        own, machines = track.values[track.nights], track.machines[track.nights]
        found, count = deviation_of_steps(own, machines)
        if count:
            deviations.append(found)
            correlations.append(correlation_of_nights(own, machines, found))
            steps += count
    if not deviations:
        return FALLBACK
    weight = min(1.0, sum(len(track.nights) for track in tracks) / 20)
    correlation = float(np.median(correlations)) - doubt * ERROR / sqrt(steps)
    usual = weight * float(np.median(deviations)) + (1 - weight) * FALLBACK.deviation
    return Noise(max(LEAST, usual), min(MOST_DEPENDENT, max(0.0, correlation)))
