# SPDX-License-Identifier: BSD-3-Clause
"""Gantt charts for print: a lane for each thread, the runs stacked on one time axis."""

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import MaxNLocator

from pollux.insight.graphs.model import Ints
from pollux.insight.traces.lanes import arrows, name_of_lane
from pollux.insight.traces.layout import (
    ARROWS_MOST,
    BOLD,
    LEFT,
    RIGHT,
    STEPS,
    TITLE,
    Band,
    Layout,
    caption_of,
    lane_height,
    lane_labels,
    make_layout,
)
from pollux.insight.traces.model import Trace
from pollux.insight.traces.raster import Floats, Raster, lanes_image, rows_of
from pollux.insight.traces.view import View, panels, step_spans
from pollux.output.figures.points import RASTERISED
from pollux.output.figures.style import (
    CHARACTER,
    DOTS_PER_INCH,
    GREY,
    LINE,
    POINTS,
    clean,
    house_style,
    length,
    shorten,
)

if TYPE_CHECKING:
    from pollux.energy.figures.power_below import Powers

VECTOR_DOTS = 600  # dots per inch of lanes stored as an image in a vector file
FRAME = "#B0B0B0"
MARK = 0.09  # inches: the square in a runtime's colour next to a title
SHADES = ("#5A5A5A", "#A8A8A8")  # of even and of odd steps
THINNEST = 0.03  # of the strip's height: least height of a step's line
SEPARATED = 0.05  # inches: lanes higher than this are separated by white lines
LABELLED = 0.1  # lanes higher than this have room for the numbers of steps


def gantt_figure(
    view: View, width: float, *, vector: bool, powers: "Powers | None" = None
) -> Figure:
    """The chart; `vector` for a vector format."""
    events = sum(int(view.visible(trace).sum()) for trace in view.traces)
    dots = VECTOR_DOTS if vector else DOTS_PER_INCH
    rasters: list[Raster | None] = [None] * len(view.traces)
    if not vector or events > RASTERISED:
        rasters = [raster_of(view, trace, width - LEFT - RIGHT, dots) for trace in view.traces]
    shares = any(raster and raster.rows > 1 for raster in rasters)
    caption = caption_of(view, mixed=bool(rasters[0]), shares=shares)
    caption += f" {powers.sentence()}" if powers else ""
    layout = make_layout(view, width, caption, with_power=powers is not None)
    with house_style():
        figure = Figure((layout.width, layout.height))
        figure.set_label("gantt")
        for number, (trace, band) in enumerate(zip(view.traces, layout.bands, strict=True)):
            place_title(figure, layout, band, view, number)
            draw_steps(strip(figure, layout, band, view), view, trace)
            axes = lanes(figure, layout, band, view, trace)
            raster = rasters[number]
            if raster is None:
                draw_rectangles(axes, view, trace)
            else:
                draw_image(axes, view, trace, raster)
            finish_lanes(axes, view, trace, separator(band, raster))
            draw_numbers(axes, view, trace, layout, band)
            draw_messages(axes, view, trace)
            if powers is not None:
                axes = power_axes(figure, layout, band, view)
                powers.draw(axes, number)
            if number == len(layout.bands) - 1:
                draw_axis(axes, view)
        draw_legend(figure, layout, view)
    return figure


def place(figure: Figure, layout: Layout, top: float, bottom: float) -> Axes:
    """Axes as wide as the time axis."""
    return figure.add_axes(
        (
            LEFT / layout.width,
            1 - bottom / layout.height,
            layout.inner / layout.width,
            (bottom - top) / layout.height,
        )
    )


def place_title(figure: Figure, layout: Layout, band: Band, view: View, number: int) -> None:
    """The name of the run on the left; its speed on the right, or below if there is no room."""
    summary = view.summaries[number]
    left, right = LEFT / layout.width, 1 - RIGHT / layout.width
    y = 1 - (band.top + TITLE / 2) / layout.height
    if band.steps - band.top < 1.5 * TITLE:
        room = layout.inner - length(summary) - 2 * CHARACTER
        figure.text(right, y, summary, va="center", ha="right")
    else:
        room = layout.inner
        below = y - TITLE / layout.height
        figure.text(left, below, shorten(summary, layout.inner), va="center")
    mark = view.marks[number]
    if mark is not None:
        wide, high = MARK / layout.width, MARK / layout.height
        square = Rectangle((left, y - high / 2), wide, high, color=mark, linewidth=0)
        square.set_gid("runtime")
        figure.add_artist(square)
        left += 1.6 * wide
        room -= 1.6 * MARK
    title = shorten(clean(view.titles[number]), room / BOLD)
    figure.text(left, y, title, va="center", weight="bold")


def strip(figure: Figure, layout: Layout, band: Band, view: View) -> Axes:
    """Axes for the steps."""
    axes = place(figure, layout, band.steps, band.steps + STEPS - 0.03)
    axes.set_xlim(view.begin, view.end)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(bottom=False, labelbottom=False, left=False, pad=2)
    return axes


def draw_steps(axes: Axes, view: View, trace: Trace) -> None:
    """A line for each step, the first on top."""
    axes.set_yticks([])
    if not len(trace):
        return
    steps, first, last = step_spans(trace)
    visible = (last > view.begin) & (first < view.end)
    if not visible.any():
        return
    steps, first, last = steps[visible], first[visible], last[visible]
    rows = int(steps[-1] - steps[0]) + 1
    axes.set_ylim(steps[-1] + 1, steps[0])
    for parity, shade in enumerate(SHADES):
        own = steps % 2 == parity
        boxes = rectangles(first[own], last[own], steps[own], max(1.0, THINNEST * rows))
        axes.add_collection(fill(boxes, shade), autolim=False)
    axes.set_ylabel("step", rotation=0, ha="right", va="center", labelpad=4)


def power_axes(figure: Figure, layout: Layout, band: Band, view: View) -> Axes:
    """Axes for the power, below the lanes."""
    axes = place(figure, layout, band.bottom + 0.06, band.power)
    axes.set_xlim(view.begin, view.end)
    axes.spines[["bottom"]].set_visible(False)
    axes.tick_params(bottom=False, labelbottom=False)
    return axes


def lanes(figure: Figure, layout: Layout, band: Band, view: View, trace: Trace) -> Axes:
    axes = place(figure, layout, band.lanes, band.bottom)
    axes.set_xlim(view.begin, view.end)
    axes.set_ylim(trace.threads, 0)
    axes.spines[["left", "bottom"]].set_visible(False)
    labels = lane_labels(trace.threads, band.lane)
    names = [name_of_lane(trace, lane) for lane in labels]
    axes.set_yticks([lane + 0.5 for lane in labels], names)
    axes.tick_params(bottom=False, labelbottom=False, left=False, pad=2)
    return axes


def raster_of(view: View, trace: Trace, inches: float, dots: int) -> Raster:
    """The dots for the lanes of a run that are `inches` long, at `dots` per inch."""
    columns = round(inches * dots)
    height = round(lane_height(trace) * dots)
    rows = rows_of(trace, view.begin, view.end, columns, height)
    return Raster(view.begin, view.end, columns, rows)


def draw_image(axes: Axes, view: View, trace: Trace, raster: Raster) -> None:
    image = lanes_image(trace, view.colours, raster)
    axes.imshow(
        image,
        extent=(view.begin, view.end, trace.threads, 0),
        aspect="auto",
        interpolation="none",  # vector files keep every dot
        zorder=1,
    )


def draw_rectangles(axes: Axes, view: View, trace: Trace) -> None:
    """A rectangle per event, without an outline, which would make short events longer."""
    visible = view.visible(trace)
    for kernel, name in enumerate(trace.kernels):
        own = visible & (trace.kernel == kernel)
        if own.any():
            boxes = rectangles(trace.start[own], trace.end[own], trace.thread[own], 1.0)
            collection = fill(boxes, view.colours[name])
            collection.set_gid(f"kernel-{name}")
            axes.add_collection(collection, autolim=False)


def rectangles(start: Ints, end: Ints, row: Ints, height: float) -> Floats:
    """The corners of rectangles from `start` to `end` in their rows."""
    x = np.stack([start, end, end, start], axis=1).astype(float)
    top = row.astype(float)
    y = np.stack([top, top, top + height, top + height], axis=1)
    return np.stack([x, y], axis=2)


def fill(boxes: Floats, colour: str) -> PolyCollection:
    """Rectangles without outlines, with sharp edges, so that neighbours leave no seam."""
    return PolyCollection(
        list(boxes), facecolors=colour, edgecolors="none", linewidths=0, antialiaseds=False
    )


def separator(band: Band, raster: Raster | None) -> str | None:
    """The colour of lines between lanes: white, except where idle time is next to them."""
    if raster is not None and raster.rows > 1:
        return FRAME if band.lane > LABELLED else None
    return "white" if band.lane > SEPARATED else None


def finish_lanes(axes: Axes, view: View, trace: Trace, between: str | None) -> None:
    """The frame of the timed region, lines between lanes, and when all tasks had been created."""
    if between:
        axes.hlines(
            range(1, trace.threads), 0, trace.region, colors=between, linewidths=0.5, zorder=2
        )
    begin, end = max(0.0, view.begin), min(float(trace.region), view.end)
    frame = [((begin, y), (end, y)) for y in (0, trace.threads)]
    frame += [
        ((x, 0), (x, trace.threads)) for x in (0, trace.region) if view.begin <= x <= view.end
    ]
    axes.add_collection(
        LineCollection(frame, colors=FRAME, linewidths=0.5, zorder=3, clip_on=begin >= end),
        autolim=False,
    )
    if trace.submitted and view.begin <= trace.submitted <= view.end:
        axes.plot(
            [trace.submitted],
            [trace.submitter],
            marker="v",
            markersize=3.5,
            color="black",
            markeredgewidth=0,
            clip_on=False,
            zorder=4,
        )


def draw_numbers(axes: Axes, view: View, trace: Trace, layout: Layout, band: Band) -> None:
    """The step on each panel kernel that is wide enough for its number."""
    if band.lane < LABELLED:
        return
    inches = layout.inner / (view.end - view.begin)
    start = np.maximum(trace.start, view.begin)
    end = np.minimum(trace.end, view.end)
    width = (end - start) * inches
    for event in np.flatnonzero(panels(trace) & (width > CHARACTER)):
        text = str(trace.step[event])
        if width[event] > length(text) + 0.02:
            axes.text(
                (start[event] + end[event]) / 2,
                trace.thread[event] + 0.5,
                text,
                ha="center",
                va="center_baseline",
                zorder=5,
                clip_on=True,
            )


def draw_messages(axes: Axes, view: View, trace: Trace) -> None:
    """Lines between the ranks, and one around each; too many messages would hide all else."""
    ranks = trace.ranks
    if ranks is None:
        return
    axes.hlines(ranks.first[1:-1], 0, trace.region, colors="black", linewidths=0.6, zorder=3)
    found = arrows(trace)
    own = view.in_window(ranks)
    if own.sum() > ARROWS_MOST:
        return
    x = np.stack([found.sent[own], found.received[own]], axis=1).astype(float)
    y = np.stack([found.source[own], found.target[own]], axis=1) + 0.5
    lines = LineCollection(
        list(np.stack([x, y], axis=2)), colors="black", linewidths=0.4, alpha=0.6, zorder=4
    )
    lines.set_gid("messages")
    axes.add_collection(lines, autolim=False)
    axes.plot(x[:, 1], y[:, 1], "o", markersize=1.5, color="black", markeredgewidth=0, zorder=4)


def draw_axis(axes: Axes, view: View) -> None:
    """The time axis, below the last run."""
    size, name = view.unit
    axes.spines["bottom"].set_visible(True)
    axes.spines["bottom"].set_position(("outward", 3))
    axes.tick_params(axis="x", bottom=True, labelbottom=True, length=2.5, pad=2)
    locator = MaxNLocator(nbins=9, steps=[1, 2, 2.5, 5, 10])
    ticks = np.array(locator.tick_values(view.begin / size, view.end / size))
    ticks = ticks[(ticks * size >= view.begin) & (ticks * size <= view.end)]
    axes.set_xticks(ticks * size, [f"{tick:.6g}" for tick in ticks])
    axes.set_xlabel(f"time ({name})", labelpad=1)


def draw_legend(figure: Figure, layout: Layout, view: View) -> None:
    handles = [Patch(facecolor=colour, label=text) for text, colour in view.legend]
    handles.append(Patch(facecolor="white", edgecolor=GREY, linewidth=0.5, label="idle"))
    figure.legend(
        handles=handles,
        loc="upper center",
        bbox_to_anchor=(0.5, 1 - layout.legend / layout.height),
        ncols=layout.columns,
        frameon=False,
        handlelength=1.2,
        handleheight=0.9,
        columnspacing=1.2,
        handletextpad=0.4,
        labelspacing=0.35,
        borderpad=0.1,
    )
    for number, line in enumerate(reversed(layout.caption)):
        y = (0.06 + LINE * number) / layout.height
        figure.text(0.06 / layout.width, y, line, va="bottom", color=GREY, fontsize=POINTS)
