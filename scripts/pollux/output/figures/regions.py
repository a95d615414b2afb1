# SPDX-License-Identifier: BSD-3-Clause
"""Nested regions: time over inner threads with the bound, and maps of outer by inner threads."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from pollux.core.grouping import grouped
from pollux.output.figures.entries import Entry, levels_among, looks_for
from pollux.output.figures.page import Page, sizes_for
from pollux.output.figures.scale import scale_of
from pollux.output.figures.selection import Plan, Request, numbered
from pollux.output.figures.style import clean
from pollux.output.figures.times import (
    Panel,
    alike,
    asides,
    axis_name,
    caption_for,
    conditions,
    draw_entries,
    ends_of,
    entries_for,
    in_words,
    interval_of,
    is_of,
    modes_in_words,
    page_of,
    panels_of,
    set_time_axis,
)

INNER = "inner"
OF_MAPS = (INNER, "threads")  # their axes
REGION, IDEAL = "region", "ideal"
NESTED = "parallel"  # the form whose inner loops are regions
HEIGHT = 1.6  # inches of a panel
PER_PAGE = 12
LEAST, WIDEST = 1.8, 2.6  # inches of a map
COLOURS = colormaps["YlOrBr"]
DARK = 0.6  # of the colours, from where on text is white

Draw = Callable[[Request], Figure]


@dataclass(frozen=True)
class Map:
    """The times of one runtime by outer and inner threads."""

    title: str
    outer: list[int]
    inner: list[int]
    entries: Mapping[tuple[int, int], Entry]


def plan_regions(request: Request) -> Plan:
    """Pages of lines over the inner threads, then of maps, each with several panels."""
    entries = entries_for(request, is_of("regions"))
    pages: list[tuple[str, Draw]] = [
        (name, partial(draw_lines, panels=part))
        for name, part in numbered("regions-over-inner-threads", line_panels(entries), PER_PAGE)
    ]
    pages += [
        (name, partial(draw_maps, maps=part))
        for name, part in numbered("regions-outer-by-inner", maps_of(entries), PER_PAGE)
    ]
    return Plan(pages, lambda draw: draw(request), None)


def quantity(entry: Entry) -> str | None:
    return entry.row.configuration.quantity


def inner_of(entry: Entry) -> int:
    """Its inner threads: 0 where it has no inner loops."""
    return int(dict(entry.row.configuration.own).get(INNER, 0))


def line_panels(entries: Sequence[Entry]) -> list[Panel]:
    """A panel for each form, number of outer threads and setting with two inner threads or more."""
    found = alike((e for e in entries if quantity(e) in (REGION, IDEAL) and inner_of(e)), INNER)
    return panels_of([own for own in found if len({inner_of(e) for e in own}) > 1], INNER)


def draw_lines(request: Request, panels: Sequence[Panel]) -> Figure:
    entries = [entry for panel in panels for entry in panel.entries]
    regions = [entry for entry in entries if quantity(entry) == REGION]
    bound = len(regions) < len(entries)
    hint = "Both axes are logarithmic; points: every sample." + bound * (
        " Black, dashed: the bound, the work on all processors or its longest iteration."
    )
    hint += modes_in_words(regions)
    page = page_of(request, panels, caption_for(request.result, regions, hint), HEIGHT)
    scale = scale_of({inner_of(entry) for entry in entries}, logarithmic=True)
    ends = ends_of(entries)
    looks = looks_for(request.result)
    levels = levels_among(request.result, regions)
    beside = asides(scale, levels)
    spread = 0.25 * scale.gap / len(levels)
    for panel, (axes, width) in zip(panels, page.panels(), strict=True):
        for level in levels:
            own = line_of(panel, level)
            places = [scale.place(inner_of(e)) + beside[level] for e in own]
            draw_entries(axes, looks[level], places, own, spread)
        draw_bound(axes, panel, scale.place)
        scale.show(axes, width)
        set_time_axis(axes, ends)
        axes.set_ylabel(axis_name(regions[0].row.configuration))
        axes.set_xlabel("inner threads")
    return page.figure


def line_of(panel: Panel, level: str) -> list[Entry]:
    """One entry for each number of inner threads: `all` threads may be as many as another has."""
    own = [e for e in reversed(panel.entries) if e.level == level and quantity(e) == REGION]
    return sorted({inner_of(e): e for e in own}.values(), key=inner_of)


def draw_bound(axes: Axes, panel: Panel, place: Callable[[int], float]) -> None:
    """The least time of the runtimes' processes: they measure it each for itself."""
    bounds: dict[int, float] = {}
    for entry in panel.entries:
        if quantity(entry) == IDEAL:
            found = interval_of(entry.row).estimate
            bounds[inner_of(entry)] = min(found, bounds.get(inner_of(entry), found))
    inner = sorted(bounds)
    if inner:
        places = [place(n) for n in inner]
        axes.plot(places, [bounds[n] for n in inner], "--", color="black", lw=1, zorder=3)


def maps_of(entries: Sequence[Entry]) -> list[Map]:
    """A map for each runtime and setting with two numbers of threads or more at both levels."""

    def key(entry: Entry) -> tuple[str, ...]:
        shared = (f"{k}={v}" for k, v in conditions(entry).items() if k not in OF_MAPS)
        return (*shared, entry.level)

    nested = (e for e in entries if e.row.configuration.variant == NESTED)
    found = grouped((e for e in nested if quantity(e) == REGION), key)
    several = [own for own in found.values() if all(len(n) > 1 for n in threads_of(own))]
    every = [entry for own in several for entry in own]
    return [map_of(own, every) for own in several]


def threads_of(entries: Sequence[Entry]) -> tuple[list[int], list[int]]:
    """The numbers of outer and of inner threads."""
    return sorted({e.threads or 1 for e in entries}), sorted({inner_of(e) for e in entries})


def map_of(own: Sequence[Entry], every: Sequence[Entry]) -> Map:
    shared = {k: v for k, v in conditions(own[0]).items() if k not in OF_MAPS}
    title = ", ".join(filter(None, [own[0].level, in_words(shared, every)]))
    return Map(title, *threads_of(own), {(e.threads or 1, inner_of(e)): e for e in own})


def draw_maps(request: Request, maps: Sequence[Map]) -> Figure:
    entries = [entry for own in maps for entry in own.entries.values()]
    hint = "In each field the time of all loops in µs; the longer, the darker."
    times = [interval_of(entry.row).estimate for entry in entries]
    sizes = sizes_for(len(maps), request.width, LEAST, HEIGHT)
    page = Page(
        replace(sizes, panel_width=min(WIDEST, sizes.panel_width)),
        [clean(own.title) for own in maps],
        [],
        caption_for(request.result, entries, hint, points=False),
    )
    norm = LogNorm(min(times), max(max(times), 1.01 * min(times)))
    for own, (axes, _) in zip(maps, page.panels(), strict=True):
        draw_map(axes, own, norm)
    return page.figure


def in_microseconds(ns: float) -> str:
    """With three digits, or all of a large number's."""
    if not np.isfinite(ns):
        return "–"
    return f"{ns / 1000:.3g}" if ns < 1e6 else f"{ns / 1000:.0f}"


def draw_map(axes: Axes, own: Map, norm: LogNorm) -> None:
    times = np.full((len(own.outer), len(own.inner)), np.nan)
    for (outer, inner), entry in own.entries.items():
        row, column = own.outer.index(outer), own.inner.index(inner)
        times[row, column] = interval_of(entry.row).estimate
    axes.grid(visible=False)
    axes.pcolormesh(times, cmap=COLOURS, norm=norm, edgecolors="white", linewidth=1)
    for (row, column), ns in np.ndenumerate(times):
        dark = bool(np.isfinite(ns)) and norm(ns) > DARK
        text = in_microseconds(float(ns))
        colour = "white" if dark else "black"
        axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", color=colour)
    axes.set_xlim(0, len(own.inner))
    axes.set_ylim(0, len(own.outer))
    axes.set_xticks([i + 0.5 for i in range(len(own.inner))], [str(n) for n in own.inner])
    axes.set_yticks([i + 0.5 for i in range(len(own.outer))], [str(n) for n in own.outer])
    axes.set_xlabel("inner threads")
    axes.set_ylabel("outer threads")
