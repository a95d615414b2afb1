# SPDX-License-Identifier: BSD-3-Clause
"""What figures of times share: their entries, panels, pages and captions."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from pollux.core.analysis.result import Interval, Result, Row
from pollux.core.campaign.lines import Configuration
from pollux.core.grouping import grouped
from pollux.core.text import counted, some
from pollux.output.figures.caption import (
    LISTED,
    failed_cells,
    medians_of,
    processors_of,
    samples_of,
)
from pollux.output.figures.curves import draw_line, key_of
from pollux.output.figures.entries import Entry, levels_among, looks_for, time_entries_of
from pollux.output.figures.modes import modes
from pollux.output.figures.page import Page, sizes_for
from pollux.output.figures.points import Cloud, draw_points, is_crowded
from pollux.output.figures.scale import Scale
from pollux.output.figures.selection import Request
from pollux.output.figures.style import Look, clean

NARROW = 1.5  # inches that a panel needs at least
PHRASES = {  # of quantities whose names say little by themselves
    "ns_per_task": "time per task",
    "creation": "creation of a task",
    "per_item": "a depend item",
    "release": "release of a task",
    "completion": "completion of all tasks",
    "region": "all loops once",
}
UNSAID = ("default", "as run")  # environments in which nothing is set
Choose = Callable[[Entry], bool]


@dataclass(frozen=True)
class Panel:
    """The rows of one pair of axes."""

    title: str
    entries: list[Entry]


def entries_for(request: Request, benchmarks: Choose) -> list[Entry]:
    """The rows that are to be drawn and have a time."""
    return [
        entry
        for entry in time_entries_of(request.result)
        if request.filter.takes(entry) and benchmarks(entry) and entry.row.figure is not None
    ]


def is_of(*names: str) -> Choose:
    return lambda entry: entry.row.configuration.benchmark in names


def interval_of(row: Row) -> Interval:
    assert row.figure is not None
    return row.figure


def conditions(entry: Entry) -> dict[str, Any]:
    """What an entry was run with: no benchmark, variant or quantity, nor what is compared."""
    c = entry.row.configuration
    every = {
        **({} if c.size_name is None else {c.size_name: c.size}),
        **({} if entry.by == "parameters" else dict(entry.parameters)),
        "threads": entry.threads,
        "environment": c.environment,
        **c.settings,
        "runtime": c.runtime,
        **({} if c.node is None else {"node": c.node}),
    }
    return {name: value for name, value in every.items() if name != entry.by}


def quantity_of(entry: Entry) -> tuple[str, str | None]:
    """Its benchmark, and what it is a time of."""
    c = entry.row.configuration
    return c.benchmark, c.quantity


def variant_of(entry: Entry) -> str:
    """Its variant; none where variants are compared."""
    return "" if entry.by == "variant" else entry.row.configuration.variant


def shared_threads(entry: Entry) -> int | None:
    """Its threads; none where numbers of threads are compared."""
    return None if entry.by == "threads" else entry.threads


def phrase(configuration: Configuration) -> str:
    """What its quantity is, in words."""
    name, unit = configuration.quantity or "time", configuration.unit
    others = [word for word in name.split("_") if word != unit]
    return PHRASES.get(name, " ".join(others))


def axis_name(configuration: Configuration) -> str:
    """The quantity with its unit, such as "creation of a task, ns"."""
    return clean(f"{phrase(configuration)}, {configuration.unit}")


def in_words(shared: dict[str, Any], entries: Iterable[Entry]) -> str:
    """Those conditions in which entries differ."""
    every = [conditions(entry) for entry in entries]
    varied = [name for name in shared if len({str(own.get(name)) for own in every}) > 1]
    return ", ".join(word(name, shared[name]) for name in varied)


def in_common(entries: Sequence[Entry]) -> str:
    """Those conditions in which all entries agree; panels and lines are called after the others."""
    every = [conditions(entry) for entry in entries]
    same = [
        name
        for name, value in every[0].items()
        if value not in UNSAID and all(own.get(name) == value for own in every)
    ]
    return ", ".join(word(name, every[0][name]) for name in same)


def alike(entries: Iterable[Entry], *without: str) -> list[list[Entry]]:
    """The entries of each variant that were run with the same, but for these conditions."""

    def key(entry: Entry) -> tuple[str, ...]:
        own = (str(pair) for pair in conditions(entry).items() if pair[0] not in without)
        return variant_of(entry), *own

    return [*grouped(entries, key).values()]


def panels_of(groups: Sequence[list[Entry]], *without: str) -> list[Panel]:
    """A panel for each group, called after its variant and what differs from the others."""
    every = [entry for own in groups for entry in own]
    panels = []
    for own in groups:
        shared = {name: v for name, v in conditions(own[0]).items() if name not in without}
        words = [variant_of(own[0]), in_words(shared, every)]
        panels.append(Panel(", ".join(filter(None, words)), own))
    return panels


def word(name: str, value: object) -> str:
    if name == "threads" and value is None:
        return "default threads"
    if name == "threads" and isinstance(value, int):
        return counted(value, "thread")
    if name in ("tasks", "partitions"):
        return f"{value} {name}"
    return str(value) if name in ("environment", "runtime") else f"{name} = {value}"


def page_of(
    request: Request, panels: Sequence[Panel], caption: str, height: float, least: float = NARROW
) -> Page:
    """A page of panels in columns, with a legend of the runtimes on it."""
    sizes = sizes_for(len(panels), request.width, least, height)
    looks = looks_for(request.result)
    here = levels_among(request.result, (entry for panel in panels for entry in panel.entries))
    legend = [(key_of(looks[name]), clean(name)) for name in here]
    return Page(sizes, [panel.title for panel in panels], legend, caption)


def caption_for(
    result: Result, entries: Sequence[Entry], drawn: str, *, points: bool = True
) -> str:
    """`points` says whether samples are drawn."""
    names = dict.fromkeys(entry.row.configuration.benchmark for entry in entries)
    disturbed = points and any(any(entry.are_disturbed) for entry in entries)
    what = ", ".join(filter(None, [*names, in_common(entries)]))
    parts = [
        f"{what}; {samples_of(entries)}; {processors_of(entries)}.",
        medians_of(entries),
        drawn,
        *["Hollow points: samples of disturbed blocks."] * disturbed,
        *failed_cells(result, entries),
    ]
    return clean(" ".join(parts))


def modes_in_words(entries: Sequence[Entry]) -> str:
    """Which entries' samples fall into several modes, in a sentence."""
    found = [(entry, modes(entry.speeds)) for entry in entries]
    several = (
        f"{called(entry, entries)} ({' and '.join(f'{ns:.3g}' for ns in own)})"
        for entry, own in found
        if len(own) > 1
    )
    names = some(several, LISTED)
    return f" Samples in several modes, marked by short lines: {names}." if names else ""


def called(entry: Entry, entries: Sequence[Entry]) -> str:
    """An entry by what distinguishes it from the others."""
    own = in_words(conditions(entry), entries)
    what = ", ".join(filter(None, (variant_of(entry), own)))
    return f"{what} on {entry.level}" if what else entry.level


def draw_entries(
    axes: Axes, look: Look, places: Sequence[float], entries: Sequence[Entry], spread: float
) -> None:
    """Medians with their intervals, joined by a line; each sample is a point."""
    draw_medians(axes, look, places, [interval_of(entry.row) for entry in entries])
    for place, entry in zip(places, entries, strict=True):
        draw_samples(axes, look, entry, (place, spread))


def draw_medians(
    axes: Axes, look: Look, places: Sequence[float], medians: Sequence[Interval]
) -> None:
    """The same without the samples."""
    draw_line(axes, look, places, [median.estimate for median in medians])
    known = [(place, own) for place, own in zip(places, medians, strict=True) if own.bounded]
    axes.vlines(
        [place for place, _ in known],
        [own.low for _, own in known],
        [own.high for _, own in known],
        color=look.colour,
        linewidth=1.2,
        zorder=4,
    )


def draw_samples(
    axes: Axes, look: Look, entry: Entry, at: tuple[float, float], *, up: bool = True
) -> None:
    """The samples of an entry, and its modes where there are several; `at` a place, so wide."""
    place, spread = at
    values = np.array(entry.speeds)
    cloud = Cloud(spread, look.colour, is_crowded([entry]))
    centres = np.full(len(values), place)
    draw_points(axes, centres, values, cloud, up=up, hollow=entry.are_disturbed)
    found = modes(entry.speeds)
    if len(found) > 1:
        places = [place] * len(found)
        ends = (places, found) if up else (found, places)
        axes.plot(*ends, "_" if up else "|", color=look.colour, ms=7, mew=1.2, zorder=6)


def asides(scale: Scale, levels: Sequence[str]) -> dict[str, float]:
    """How far each level's marks stand beside the value, so that no interval hides another's."""
    step = 0.4 * scale.gap / len(levels)
    middle = (len(levels) - 1) / 2
    return {level: (index - middle) * step for index, level in enumerate(levels)}


def ends_of(entries: Sequence[Entry], *, samples: bool = True) -> tuple[float, float]:
    """The lowest and the highest value that is drawn: all samples, or medians alone."""
    rows = [interval_of(entry.row) for entry in entries]
    drawn = [value for entry in entries for value in entry.speeds if samples]
    drawn += [end for row in rows if row.bounded for end in (row.low, row.high)]
    drawn += [row.estimate for row in rows]
    return min(drawn), max(drawn)


def set_time_axis(axes: Axes, ends: tuple[float, float], *, up: bool = True) -> None:
    """A logarithmic axis of times in ns around all that is drawn."""
    low, high = ends[0] / 1.3, ends[1] * 1.3
    own = axes.yaxis if up else axes.xaxis
    (axes.set_yscale if up else axes.set_xscale)("log")
    (axes.set_ylim if up else axes.set_xlim)(low, high)
    own.set_major_locator(locator_for(low, high))
    own.set_major_formatter(FuncFormatter(lambda ns, _: tick_text(ns)))
    own.set_minor_formatter(NullFormatter())


def tick_text(ns: float) -> str:
    """All digits where they are few, else a digit and a power of ten, such as 2e6."""
    return f"{ns:g}" if ns < 1e6 else f"{ns:.0e}".replace("e+0", "e").replace("e+", "e")


def locator_for(low: float, high: float) -> LogLocator:
    """Places of the labels of a logarithmic axis; of a long one, at powers of ten alone."""
    return LogLocator(subs=(1.0, 2.0, 5.0) if high / low < 100 else (1.0,))
