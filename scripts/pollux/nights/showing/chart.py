# SPDX-License-Identifier: BSD-3-Clause
"""The history of a series as a picture: points, levels, and what changed when."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp

import numpy as np

from pollux.core.text import cut
from pollux.nights.history.night import Value
from pollux.nights.showing.words import night_words
from pollux.nights.watching.changes import Floats
from pollux.nights.watching.findings import Finding, Watch, why_wrong
from pollux.nights.watching.tracks import Track

WIDTH, HEIGHT, MARGIN = 720, 150, 8
LEFT, BAND = 48, 16  # beside and above or below the plot, for what its axes say
MOST_NIGHTS = 1200  # of longer histories, the last ones are shown
SMALLEST = 0.02  # of the range to each side
NAME_MOST = 50  # characters of a night's, two of which are side by side
MACHINES = 4  # that have colours of their own


@dataclass(frozen=True)
class Scale:
    """From nights and differences from the base line to the picture."""

    first: int
    last: int
    low: float
    high: float

    def x(self, night: float) -> float:
        width = WIDTH - LEFT - 2 * MARGIN
        return LEFT + MARGIN + width * (night - self.first) / max(1, self.last - self.first)

    def y(self, value: float) -> float:
        return MARGIN + (HEIGHT - 2 * MARGIN) * (self.high - value) / (self.high - self.low)


@dataclass(frozen=True)
class Point:
    """A night."""

    x: float
    y: float
    machine: int
    title: str


@dataclass(frozen=True)
class Mark:
    """A vertical line: a change of level, or another version."""

    x: float
    kind: str
    title: str


@dataclass(frozen=True)
class Chart:
    """All that the picture contains."""

    points: list[Point]
    levels: list[tuple[float, float, float]]  # from, to, height
    marks: list[Mark]
    faults: list[Point]  # nights with wrong results
    low: str
    high: str
    quantity: str  # what is drawn
    first: str  # night
    last: str  # empty where that is the first
    base: float  # the height of the base line


def chart(watch: Watch, finding: Finding) -> Chart | None:
    """The picture of a series that has a value."""
    series = finding.series
    if series is None:
        return None
    last = len(watch.nights) - 1
    first = max(0, last + 1 - MOST_NIGHTS)
    nights = [int(night) for night in series.track.nights if night >= first]
    if not nights:
        return None
    edges = [int(series.track.nights[0]), *finding.judgement.changes, last + 1]
    values = from_base(series.track, edges)
    if finding.is_energy:
        values = -values  # of joules, as its title has them: upwards is more
    low, high = float(np.min(values[nights])), float(np.max(values[nights]))
    scale = Scale(first, last, min(low, -SMALLEST), max(high, SMALLEST))
    marks = [Mark(scale.x(n), "version", t) for n, t in versions(series.values) if n >= first]
    marks += [
        Mark(scale.x(n), "change", f"change: {night_words(watch, n)}")
        for n in finding.judgement.changes
        if n >= first
    ]
    return Chart(
        points=[
            Point(
                scale.x(n),
                scale.y(float(values[n])),
                int(series.track.machines[n]) % MACHINES,
                title(watch, series.values[n], n),
            )
            for n in nights
        ],
        levels=[
            (scale.x(max(begin, first)), scale.x(end - 1), scale.y(level))
            for begin, end in pairwise(edges)
            if end > first and not np.isnan(level := middle(values[begin:end]))
        ],
        marks=marks,
        faults=[
            Point(scale.x(n), HEIGHT - MARGIN, 0, f"{watch.nights[n].name}: {wrong}")
            for n in range(first, last + 1)
            if (wrong := why_wrong(series, n)) is not None
        ],
        low=share(scale.low),
        high=share(scale.high),
        quantity=quantity(finding),
        first=cut(watch.nights[first].name, NAME_MOST),
        last=cut(watch.nights[last].name, NAME_MOST) if last > first else "",
        base=scale.y(0.0),
    )


def from_base(track: Track, edges: Sequence[int]) -> Floats:
    """The differences of each night from the base line of its machine; `edges` are of levels.

    A machine that has none begins at the height of the others in its first level.
    """
    found = np.full(len(track.values), np.nan)
    for begin, end in pairwise(edges):
        level = track.nights[(track.nights >= begin) & (track.nights < end)]
        height = np.nan_to_num(middle(found[level]))
        for machine in np.unique(track.machines[level[np.isnan(found[level])]]):
            here = track.nights[track.machines[track.nights] == machine]
            own = np.median(track.values[here[here < end]])
            found[here] = track.values[here] - own + height
    return found


def middle(values: Floats) -> float:
    """The median of those that are known; NaN where there is none."""
    known = values[np.isfinite(values)]
    return float(np.median(known)) if len(known) else float("nan")


def quantity(finding: Finding) -> str:
    """What the picture shows the difference of."""
    reference = finding.series.reference if finding.series is not None else None
    what = "energy" if finding.is_energy else "speed"
    return f"{what} relative to {reference}" if reference else what


def share(value: float) -> str:
    return f"{100 * (exp(value) - 1):+.0f} %"


def title(watch: Watch, value: Value | None, night: int) -> str:
    """What is known of a night's value, for a pointer that rests on it."""
    if value is None or value.value is None:
        return watch.nights[night].name
    amount = exp(-value.value if value.better == "less" else value.value)
    parts = [f"{amount:.4g} {value.unit}", f"{value.samples} samples"]
    if (ran := value.ran) is not None:
        parts += [f"{ran.runtime} {ran.version or ''}".strip(), ran.compiler, ran.machine]
    return f"{watch.nights[night].name}: {', '.join(parts)}"


def versions(values: Sequence[Value | None]) -> Iterator[tuple[int, str]]:
    """Nights in which another version, build or compiler ran than before."""
    before = None
    for night, value in enumerate(values):
        if value is None or value.ran is None:
            continue
        ran = value.ran
        build = ran.build_id or "no build id"
        own = f"{ran.runtime} {ran.version or ''} ({build}), {ran.compiler}"
        if before is not None and own != before:
            yield night, own
        before = own
