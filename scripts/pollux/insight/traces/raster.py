# SPDX-License-Identifier: BSD-3-Clause
"""Lanes as an image that shows how busy each thread was, however many events there are.

A chart of a second is some thousand dots wide, and a kernel call may be a tenth of a dot. Drawn one
by one, such events would hide idle time (if each takes at least a dot) or each other. Here a dot
has the average colour of its interval, so that one that is half idle is half white. Where most
events are that short, and a lane is high enough, its columns show shares instead: colours mixed
from many cannot be distinguished.
"""

from dataclasses import dataclass

import numpy as np
from matplotlib.colors import to_rgb
from numpy.typing import NDArray

from pollux.core.compiled import compiled
from pollux.insight.graphs.model import Ints
from pollux.insight.traces.model import Trace
from pollux.output.figures.kernels import in_order

Floats = NDArray[np.float64]
Image = NDArray[np.uint8]
WHITE = 1.0
NARROW = 2.0  # dots: mean width of events below which columns are shares
FEWEST_ROWS, MOST_ROWS = 6, 48  # of dots for each lane in which shares can be seen


@dataclass(frozen=True)
class Raster:
    """The dots of an image: `rows` for each lane, one if colours are to be mixed."""

    begin: float  # ns at its left edge
    end: float
    columns: int
    rows: int = 1


def rows_of(trace: Trace, begin: float, end: float, columns: int, height: int) -> int:
    """Rows of dots in each lane that is `height` dots high: several if columns show shares."""
    visible = (trace.end > begin) & (trace.start < end)
    if height < FEWEST_ROWS or not visible.any():
        return 1
    mean = float((trace.end - trace.start)[visible].mean()) * columns / (end - begin)
    return min(height, MOST_ROWS) if mean < NARROW else 1


def lanes_image(trace: Trace, colours: dict[str, str], raster: Raster) -> Image:
    """RGB of an interval; the lane of the first thread is on top."""
    palette = np.array([to_rgb(colours[name]) for name in trace.kernels], float).reshape(-1, 3)
    if raster.rows == 1:
        image = np.full((trace.threads, raster.columns, 3), WHITE)
        ink(image, trace, raster, palette - WHITE)
        return as_bytes(image)
    order = [trace.kernels.index(name) for name in in_order(trace.kernels)][::-1]
    shares = np.zeros((trace.threads, raster.columns, len(order)))
    ink(shares, trace, raster, np.eye(len(order)))
    return as_bytes(stacked(shares[:, :, order], palette[order], raster.rows))


def ink(image: Floats, trace: Trace, raster: Raster, inks: Floats) -> None:
    events = np.column_stack([trace.thread, trace.kernel])
    times = np.column_stack([trace.start, trace.end]).astype(float)
    scale = raster.columns / (raster.end - raster.begin)
    ink_lanes(image, events, (times - raster.begin) * scale, inks)


def stacked(shares: Floats, palette: Floats, rows: int) -> Floats:
    """Columns of `rows` dots in which each kernel has its share, the first below, idle on top."""
    lanes, columns, _ = shares.shape
    above = np.cumsum(shares, axis=2)
    inks = np.vstack([palette, np.full(3, WHITE)])
    image = np.empty((lanes, rows, columns, 3))
    for row in range(rows):
        level = (rows - row - 0.5) / rows
        image[:, row] = inks[(above <= level).sum(axis=2)]
    return image.reshape(lanes * rows, columns, 3)


def as_bytes(image: Floats) -> Image:
    rounded: Image = np.rint(np.clip(image, 0, 1) * 255).astype(np.uint8)
    return rounded


@compiled
def ink_lanes(image: Floats, events: Ints, times: Floats, inks: Floats) -> None:
    """Add to each dot the inks of the events over it, by the share of the dot that they cover."""
    columns = image.shape[1]
    for event in range(len(events)):
        lane, kernel = events[event]
        first, last = max(times[event, 0], 0.0), min(times[event, 1], float(columns))
        column = int(first)
        while column < last:
            share = min(last, column + 1.0) - max(first, float(column))
            for channel in range(inks.shape[1]):
                image[lane, column, channel] += share * inks[kernel, channel]
            column += 1
