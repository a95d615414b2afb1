# SPDX-License-Identifier: BSD-3-Clause
"""The horizontal axis of curves: where a value stands, and which values have a label."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from pollux.figures.style import length

UNEVEN = 2.5  # largest gap between values over the smallest: from there on, logarithmic


@dataclass(frozen=True)
class Scale:
    """A linear or binary logarithmic axis through the values that were measured."""

    values: list[int]
    logarithmic: bool

    def place(self, value: float) -> float:
        return math.log2(value) if self.logarithmic else float(value)

    @property
    def places(self) -> list[float]:
        return [self.place(value) for value in self.values]

    @property
    def gap(self) -> float:
        """The smallest distance of two values."""
        places = self.places
        return min((b - a for a, b in itertools.pairwise(places)), default=1.0)

    @property
    def limits(self) -> tuple[float, float]:
        first, last = self.places[0], self.places[-1]
        margin = max(0.06 * (last - first), 0.45 * self.gap)
        return first - margin, last + margin

    def inches(self, value: float, width: float) -> float:
        """Where a value stands on an axis that is `width` inches long."""
        low, high = self.limits
        return (self.place(value) - low) / (high - low) * width

    def show(self, axes: Axes, width: float) -> None:
        """Ticks at the values, as many as there is room for labels."""
        shown: list[int] = []
        end = -math.inf
        for value in self.values:
            middle, half = self.inches(value, width), length(str(value)) / 2
            if middle - half > end:
                shown.append(value)
                end = middle + half + 0.06
        axes.set_xticks([self.place(value) for value in shown], [str(value) for value in shown])
        axes.set_xlim(*self.limits)


def scale_of(values: Sequence[int], logarithmic: bool | None = None) -> Scale:
    """A scale through these values; logarithmic, unless asked for, where they are uneven."""
    found = sorted(set(values))
    gaps = [b - a for a, b in itertools.pairwise(found)]
    uneven = bool(gaps) and max(gaps) > UNEVEN * min(gaps)
    return Scale(found, uneven if logarithmic is None else logarithmic)
