# SPDX-License-Identifier: BSD-3-Clause
"""Every sample as a point, spread sideways so that equal ones do not hide each other."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from numpy.typing import NDArray

from pollux.output.figures.entries import Entry

Floats = NDArray[np.float64]
RASTERISED = 3000  # points of a figure from which on a vector file would be slow to show
GOLDEN = (5**0.5 - 1) / 2  # multiples of it, modulo 1, fill an interval evenly (Weyl's sequence)


@dataclass(frozen=True)
class Cloud:
    """How the samples of a series are drawn."""

    spread: float  # units of the horizontal axis
    colour: str
    crowded: bool  # many on one page


def is_crowded(entries: Iterable[Entry]) -> bool:
    return sum(len(entry.speeds) for entry in entries) > RASTERISED


def draw_points(  # noqa: PLR0913 (what points are like)
    axes: Axes,
    centres: Floats,
    speeds: Floats,
    cloud: Cloud,
    *,
    up: bool = True,
    hollow: Sequence[bool] = (),
) -> None:
    """One collection of points around their centres; speeds grow upwards, or to the right.

    `hollow`: which of them are circles.
    """
    alpha = 0.35 if cloud.crowded else 0.6
    full = to_rgba(cloud.colour, alpha)
    faces = [(0.0, 0.0, 0.0, 0.0) if is_hollow else full for is_hollow in hollow] or [full]
    aside = (np.arange(1, len(centres) + 1) * GOLDEN) % 1 - 0.5
    beside = centres + cloud.spread * aside
    x, y = (beside, speeds) if up else (speeds, beside)
    axes.scatter(
        x,
        y,
        s=1.2 if cloud.crowded else 2.5,
        facecolors=faces,
        edgecolors=[full] if any(hollow) else "none",
        linewidths=0.4 if any(hollow) else 0,
        zorder=3,  # all points one after the other: they share one image where rasterised
        rasterized=cloud.crowded,
    )
