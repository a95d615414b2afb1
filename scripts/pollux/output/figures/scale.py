# SPDX-License-Identifier: BSD-3-Clause
"""The horizontal axis of curves: where a value stands, and which values have a label."""

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass

from matplotlib.axes import Axes

from pollux.core.tiles import Tile
from pollux.output.figures.entries import in_order
from pollux.output.figures.style import length

UNEVEN = 2.5  # largest gap between values over the smallest: from there on, logarithmic


Value = int | Tile


@dataclass(frozen=True)
class Scale:
    """A linear or binary logarithmic axis through the values that were measured.

    Tiles stand where NB does; with tall ones among them, one after another at equal distances.
    """

    values: list[Value]
    logarithmic: bool
    ordinal: bool = False

    def place(self, value: Value) -> float:
        if self.ordinal:
            return float(self.values.index(value))
        number = number_of(value)
        return math.log2(number) if self.logarithmic else float(number)

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

    def inches(self, value: Value, width: float) -> float:
        """Where a value stands on an axis that is `width` inches long."""
        low, high = self.limits
        return (self.place(value) - low) / (high - low) * width

    def show(self, axes: Axes, width: float) -> None:
        """Ticks at the values, as many as there is room for labels."""
        shown: list[Value] = []
        end = -math.inf
        for value in self.values:
            middle, half = self.inches(value, width), max(map(length, words(value))) / 2
            if middle - half > end:
                shown.append(value)
                end = middle + half + 0.06
        labels = ["\n".join(words(value)) for value in shown]
        axes.set_xticks([self.place(value) for value in shown], labels)
        axes.set_xlim(*self.limits)


def words(value: Value) -> list[str]:
    """The lines of a label: a tall tile has its rows above its columns."""
    rows, _, columns = str(value).partition("x")
    return [f"{rows}x", columns] if columns else [rows]


def number_of(value: Value) -> int:
    return value.nb if isinstance(value, Tile) else value


def scale_of(values: Iterable[Value], logarithmic: bool | None = None) -> Scale:
    """A scale through these values; logarithmic, unless asked for, where they are uneven."""
    found = sorted(set(values), key=in_order)
    if any(isinstance(value, Tile) and not value.is_square for value in found):
        return Scale(found, logarithmic=False, ordinal=True)
    gaps = [b - a for a, b in itertools.pairwise(map(number_of, found))]
    uneven = bool(gaps) and max(gaps) > UNEVEN * min(gaps)
    return Scale(found, uneven if logarithmic is None else logarithmic)
