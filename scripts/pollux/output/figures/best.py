# SPDX-License-Identifier: BSD-3-Clause
"""Rings the highest median of each curve and writes its tile size above it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from pollux.output.figures.entries import Entry
from pollux.output.figures.scale import Scale
from pollux.output.figures.style import LINE, Look, length

ABOVE = 0.06  # inches from a ring to its label
SHARED = 0.3  # inches within which rings of one tile share a label
BEST = "best"  # what the rings are labelled, for programs that look for them


@dataclass(frozen=True)
class Curve:
    """The entries of one level along an axis, and where they stand."""

    look: Look
    entries: list[Entry]
    places: list[float]
    is_broken: bool = False  # between tiles of different shapes

    def parts(self) -> list[slice]:
        """What is joined by a line: all, or tiles of one shape."""
        shapes = [e.tile.shape if e.tile else 0 for e in self.entries]
        inner = [k for k in range(1, len(shapes)) if self.is_broken and shapes[k] != shapes[k - 1]]
        ends = [0, *inner, len(shapes)]
        return list(map(slice, ends, ends[1:]))

    def best(self) -> int | None:
        """Index of the highest median; None without any, or where there is no choice."""
        medians = [e.median or 0.0 for e in self.entries]
        found = sum(median > 0 for median in medians)
        return medians.index(max(medians)) if found > 1 else None


def mark_best(axes: Axes, curves: Sequence[Curve], scale: Scale, size: tuple[float, float]) -> None:
    """Mark the best tile of each curve, in axes of this width and height in inches."""
    low, high = axes.get_ylim()
    left, right = scale.limits
    places: list[tuple[float, float, str]] = []
    for curve in curves:
        index = curve.best()
        if index is not None:
            entry = curve.entries[index]
            median, place = entry.median or 0.0, curve.places[index]
            draw_ring(axes, curve, place, median)
            top = max(median, entry.interval[1] if entry.interval else 0.0)
            across, up = (place - left) / (right - left), (top - low) / (high - low)
            places.append((across * size[0], up * size[1], str(entry.tile or "")))
    for across, up, tile in apart(places):
        axes.annotate(
            tile,
            (across / size[0], up / size[1]),
            xycoords="axes fraction",
            ha="center",
            va="bottom",
            fontweight="bold",
            bbox={"facecolor": "white", "alpha": 0.45, "linewidth": 0, "pad": 0.3},
            zorder=8,
        )


def apart(rings: Iterable[tuple[float, float, str]]) -> list[tuple[float, float, str]]:
    """Labels above rings and their intervals in inches, raised where they would touch another.

    A ring just below another of the same tile shares its label.
    """
    labels: list[tuple[float, float, str]] = []
    for across, ring, tile in sorted(rings, key=lambda ring: -ring[1]):
        up = ring + ABOVE
        if any(t == tile and height - up < SHARED for _, height, t in labels):
            continue
        while any(
            abs(x - across) < max(length("0000"), (length(tile) + length(t)) / 2)
            and abs(height - up) < LINE
            for x, height, t in labels
        ):
            up += LINE / 2
        labels.append((across, up, tile))
    return labels


def draw_ring(axes: Axes, curve: Curve, place: float, median: float) -> None:
    look = curve.look
    axes.plot(
        [place],
        [median],
        marker=look.marker,
        color=look.colour,
        linestyle="",
        markersize=6,
        markeredgecolor="black",
        markeredgewidth=1.1,
        label=BEST,
        zorder=7,
    )
