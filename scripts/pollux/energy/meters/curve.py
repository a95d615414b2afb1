# SPDX-License-Identifier: BSD-3-Clause
"""Power over time, from the samples of a meter or a timeline."""

from dataclasses import dataclass

import numpy as np

from pollux.energy.meters.series import Floats, Series

KNOWN_LEAST = 0.5  # of a column's time, or its power is not known


@dataclass(frozen=True)
class PowerCurve:
    """Mean power between times, in ns from a beginning; NaN where it is not known."""

    source: str
    edges: Floats
    watts: Floats
    low: Floats | None = None  # least and most of what the watts are means of, if of several
    high: Floats | None = None

    @property
    def is_known(self) -> bool:
        """Whether there is any power at all."""
        return bool(np.isfinite(self.watts).any())

    @property
    def known_time(self) -> float:
        """Over which the power is known, in ns."""
        return float(np.diff(self.edges)[np.isfinite(self.watts)].sum())

    @property
    def highest(self) -> float:
        """The most power that is drawn."""
        return float(np.nanmax(self.watts if self.high is None else self.high))

    def until(self, end: float) -> "PowerCurve":
        """The part of it from 0 to `end`."""
        first = max(0, int(np.searchsorted(self.edges, 0, side="right")) - 1)
        last = max(first, int(np.searchsorted(self.edges, end, side="left")))
        edges = np.clip(self.edges[first : last + 1], 0, end)
        return PowerCurve(self.source, edges, self.watts[first : first + max(len(edges) - 1, 0)])

    def reduced(self, columns: int) -> "PowerCurve":
        """The same over at most so many columns of equal length, with their least and most power.

        The mean is that of what is known of a column; if that is less than half, it is a gap.
        """
        if len(self.watts) <= columns:
            return self
        grid = np.linspace(self.edges[0], self.edges[-1], columns + 1)
        known = np.isfinite(self.watts)
        lengths = np.diff(self.edges)
        energy = np.diff(
            np.interp(grid, self.edges, sums(np.where(known, self.watts, 0) * lengths))
        )
        times = np.diff(np.interp(grid, self.edges, sums(known * lengths)))
        enough = times >= KNOWN_LEAST * (grid[1] - grid[0])
        means = np.full(columns, np.nan)
        means[enough] = energy[enough] / times[enough]
        first = np.searchsorted(self.edges, grid[:-1], side="right") - 1
        behind = np.searchsorted(self.edges, grid[1:], side="left")
        pairs = np.stack([first, behind], axis=1).ravel()
        watts = np.append(self.watts, np.nan)  # so that the last column may end at the last step
        low, high = (
            np.where(enough, extreme.reduceat(watts, pairs)[::2], np.nan)
            for extreme in (np.fmin, np.fmax)
        )
        return PowerCurve(self.source, grid, means, low, high)


def sums(values: Floats) -> Floats:
    """The sum of all values before each, and of all."""
    return np.concatenate([[0.0], np.cumsum(values)])


def curve_of(series: Series, begin: int, end: int) -> PowerCurve:
    """The samples from the one before `begin` to the one after `end`.

    A counter that did not move between samples has used energy all the same: it is part of the
    step that shows it, which is as long as the counter stood still.
    """
    first = max(0, int(np.searchsorted(series.times, begin, side="right")) - 1)
    last = min(int(np.searchsorted(series.times, end, side="left")), len(series.times) - 1)
    if series.is_counter:
        first = int(np.searchsorted(series.joules, series.joules[first], side="left"))
        next_move = int(np.searchsorted(series.joules, series.joules[last], side="right"))
        last = max(last, min(next_move, len(series.times) - 1))
    times, joules = series.times[first : last + 1], series.joules[first : last + 1]
    steps = np.diff(times)
    unknown = series.broken[first:last] | (steps > series.max_gap * 1e9)
    moved = steps > 0
    if series.is_counter:
        moved &= np.diff(joules) > 0
    marks = np.ones(len(times), dtype=np.bool_)
    marks[1:-1] = (moved | unknown)[:-1] | unknown[1:]
    kept = np.flatnonzero(marks)
    lengths, rises = np.diff(times[kept]), np.diff(joules[kept])
    watts = rises / (np.maximum(lengths, 1) / 1e9)
    still = (lengths == 0) | (rises <= 0) if series.is_counter else lengths == 0
    watts[unknown[kept[:-1]] | still] = np.nan
    return PowerCurve(series.name, (times[kept] - begin).astype(float), watts)
