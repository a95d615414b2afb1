# SPDX-License-Identifier: BSD-3-Clause
"""GFlop/s over tile size, matrix order or threads: one curve per runtime."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pollux.output.figures.best import Curve, mark_best
from pollux.output.figures.caption import caption_of
from pollux.output.figures.entries import Entry, Panel, group, levels_among, looks_for, titles_of
from pollux.output.figures.page import BELOW, Page, Sizes, sizes_for
from pollux.output.figures.points import Cloud, draw_points, is_crowded
from pollux.output.figures.scale import Scale, Value, scale_of
from pollux.output.figures.selection import Plan, Request, chosen, narrow, paginate
from pollux.output.figures.style import LINE, Look, clean

HEIGHT = 1.7  # inches of a panel
NARROW = 1.6  # inches that a panel needs at least
WIDE = 2.4  # the same, with many values or curves
MANY = 8  # values or curves in a panel
BESIDE = 24  # value-curve pairs up to which bars side by side are clearer than bands
LOWEST = 0.5  # of the highest speed: an axis with anything lower than that begins at 0


@dataclass(frozen=True)
class Axis:
    """An axis of the grid along which curves run."""

    name: str  # of the kind of figure
    without: tuple[str, ...]  # axes of the grid that one panel spans
    value: Callable[[Entry], Value | None]
    label: str
    logarithmic: bool | None  # None: as the values suggest


TILE = Axis("tile", ("tile",), lambda entry: entry.tile, "tile size NB", None)
SIZE = Axis("size", ("size",), lambda entry: entry.axes["size"], "matrix order N", True)
THREADS = Axis("threads", ("threads",), lambda entry: entry.threads, "threads", True)


@dataclass(frozen=True)
class Curves:
    """How the curves of one plan are drawn."""

    axis: Axis
    levels: list[str]
    looks: dict[str, Look]
    sizes: Sizes
    height: float  # inches of the axes with GFlop/s
    limits: tuple[float, float] = (0.0, 1.0)  # of these axes, the same on all of a page


def panels_over(axis: Axis, request: Request) -> list[Panel]:
    """Panels in which the axis has two values or more with a valid sample."""
    if request.result.by in axis.without:
        return []
    panels = group(chosen(request), without=(*axis.without, request.result.by))
    return [panel for panel in panels if len(valid_values(axis, panel.entries)) > 1]


def valid_values(axis: Axis, entries: Iterable[Entry]) -> set[Value]:
    found = {axis.value(entry) for entry in entries if entry.median is not None}
    return {value for value in found if value is not None}


def plan_curves(axis: Axis, request: Request) -> Plan:
    """Pages with one panel for each benchmark, variant and point on all other axes."""
    panels, left_out = narrow(axis.name, panels_over(axis, request), request.result.reference)
    curves = curves_for(axis, request, panels)

    def draw(page: list[Panel]) -> Figure:
        return draw_page(request, curves, page, [e for panel in panels for e in panel.entries])

    return Plan(paginate(axis.name, panels, curves.sizes.per_page), draw, left_out)


def curves_for(axis: Axis, request: Request, panels: Sequence[Panel]) -> Curves:
    entries = (entry for panel in panels for entry in panel.entries)
    levels, looks = levels_among(request.result, entries), looks_for(request.result)
    return Curves(axis, levels, looks, sizes_on(axis, request, panels, levels), HEIGHT)


def sizes_on(axis: Axis, request: Request, panels: Sequence[Panel], levels: Sequence[str]) -> Sizes:
    """Columns in which panels fill the page."""
    values = max((len(valid_values(axis, panel.entries)) for panel in panels), default=2)
    least = WIDE if values > MANY or len(levels) > MANY else NARROW
    below = BELOW + LINE * scale_on(axis, panels).ordinal  # tall tiles take two lines
    return sizes_for(len(panels), request.width, least, HEIGHT, below)


def curves_on(request: Request, curves: Curves, panels: Sequence[Panel]) -> Curves:
    """The same for one page: its panels fill it and share the axis of speeds."""
    sizes = sizes_on(curves.axis, request, panels, curves.levels)
    sizes = replace(sizes, panel_height=curves.sizes.panel_height)
    entries = [entry for panel in panels for entry in panel.entries]
    limits = heights_for(entries, curves.height, labels=curves.axis is TILE)
    return replace(curves, sizes=sizes, limits=limits)


def draw_page(
    request: Request, curves: Curves, panels: list[Panel], entries: Sequence[Entry]
) -> Figure:
    curves = curves_on(request, curves, panels)
    page = start_page(curves, panels, entries, hint_of(curves, panels))
    scale = scale_on(curves.axis, panels)
    crowded = is_crowded(e for panel in panels for e in panel.entries)
    for panel, (axes, width) in zip(panels, page.panels(), strict=True):
        draw_speeds(axes, curves, panel, (width, scale), crowded)
        name_axis(axes, curves.axis, scale)
    return page.figure


def scale_on(axis: Axis, panels: Iterable[Panel]) -> Scale:
    """One horizontal axis for all panels of a page, so that they can be compared."""
    values = {axis.value(entry) for panel in panels for entry in panel.entries}
    return scale_of({value for value in values if value is not None}, axis.logarithmic)


def start_page(
    curves: Curves, panels: Sequence[Panel], entries: Sequence[Entry], hint: str
) -> Page:
    drawn = [entry for panel in panels for entry in panel.entries]
    here = {entry.level for entry in drawn}
    return Page(
        curves.sizes,
        titles_of(panels, entries),
        [(key_of(curves.looks[level]), clean(level)) for level in curves.levels if level in here],
        caption_of(drawn, hint),
    )


def hint_of(curves: Curves, panels: Sequence[Panel]) -> str:
    parts = ["Ringed, with its tile size: the highest median of a curve."] * (curves.axis is TILE)
    if any(entry.median is None for panel in panels for entry in panel.entries):
        parts.append("× at the foot: no valid sample.")
    return " ".join(parts)


def key_of(look: Look) -> Line2D:
    return Line2D(
        [], [], color=look.colour, marker=look.marker, linestyle=look.dash, markersize=3.5, lw=1
    )


def name_axis(axes: Axes, axis: Axis, scale: Scale) -> None:
    kind = (
        " (logarithmic)" if scale.logarithmic else ", of tall ones MBxNB" if scale.ordinal else ""
    )
    axes.set_xlabel(axis.label + kind)


def draw_speeds(
    axes: Axes, curves: Curves, panel: Panel, frame: tuple[float, Scale], crowded: bool
) -> None:
    """The curves of a panel, with intervals, samples, gaps, and for tiles the best of each.

    `frame` is the width of the axes in inches, and their horizontal scale.
    """
    width, scale = frame
    beside = len(scale.values) * len(curves.levels) <= BESIDE
    step = 0.5 * scale.gap / len(curves.levels) if beside else 0.0
    spread = 0.7 * step if beside else 0.3 * scale.gap
    lines = [
        curve_of(curves, panel, scale, (level, (index - (len(curves.levels) - 1) / 2) * step))
        for index, level in enumerate(curves.levels)
    ]
    for line in lines:
        draw_medians(axes, line, beside)
        draw_samples(axes, line, Cloud(spread, line.look.colour, crowded))
    scale.show(axes, width)
    axes.set_ylabel("GFlop/s")
    axes.set_ylim(*curves.limits)
    if curves.axis is TILE:
        mark_best(axes, lines, scale, (width, curves.height))


def curve_of(curves: Curves, panel: Panel, scale: Scale, own: tuple[str, float]) -> Curve:
    """The curve of a level, moved aside by some units of the scale."""
    level, aside = own
    pairs = [(curves.axis.value(e), e) for e in panel.entries if e.level == level]
    placed = sorted(
        ((scale.place(value) + aside, e) for value, e in pairs if value is not None),
        key=lambda pair: pair[0],
    )
    entries = [e for _, e in placed]
    return Curve(curves.looks[level], entries, [place for place, _ in placed], scale.ordinal)


def draw_medians(axes: Axes, curve: Curve, beside: bool) -> None:
    """Medians, joined where neighbours have one, and their intervals as bars or as a band."""
    look, places = curve.look, curve.places
    medians = [np.nan if e.median is None else e.median for e in curve.entries]
    for part in curve.parts():
        draw_line(axes, look, places[part], medians[part])
    lows = [e.interval[0] if e.interval else np.nan for e in curve.entries]
    highs = [e.interval[1] if e.interval else np.nan for e in curve.entries]
    if beside:
        axes.vlines(places, lows, highs, color=look.colour, linewidth=1.2, zorder=4)
    else:
        for part in curve.parts():
            ends = places[part], lows[part], highs[part]
            axes.fill_between(*ends, color=look.colour, alpha=0.2, lw=0, zorder=2)
    gaps = [place for place, e in zip(places, curve.entries, strict=True) if e.median is None]
    if gaps:
        foot = axes.get_xaxis_transform()
        axes.plot(gaps, [0.03] * len(gaps), "x", color=look.colour, ms=4, mew=1.2, transform=foot)


def draw_line(axes: Axes, look: Look, places: Sequence[float], values: Sequence[float]) -> None:
    axes.plot(
        places,
        values,
        color=look.colour,
        marker=look.marker,
        linestyle=look.dash,
        markersize=3.5,
        linewidth=1,
        zorder=5,
    )


def draw_samples(axes: Axes, curve: Curve, cloud: Cloud) -> None:
    pairs = zip(curve.places, curve.entries, strict=True)
    points = [(place, speed) for place, e in pairs for speed in e.speeds]
    if points:
        centres, speeds = np.array(points).T
        draw_points(axes, centres, speeds, cloud)


def heights_for(entries: Sequence[Entry], height: float, *, labels: bool) -> tuple[float, float]:
    """An axis around all that is drawn, with room for labels above it."""
    speeds = [speed for e in entries for speed in (*e.speeds, *(e.interval or ()))]
    if not speeds:
        return 0.0, 1.0
    low, high = min(speeds), max(speeds)
    low = 0.0 if low < LOWEST * high else low
    extent = high - low or 0.1 * high or 1.0
    above = 0.08 + labels * 1.5 * LINE
    top = high + extent * above / max(height - above - 0.08, height / 4)
    return (0.0 if low == 0 else low - 0.05 * extent), top
