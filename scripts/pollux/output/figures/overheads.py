# SPDX-License-Identifier: BSD-3-Clause
"""Times of micro-benchmarks against threads, items and other numbers: one line per runtime."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from matplotlib.figure import Figure

from pollux.core.grouping import grouped
from pollux.output.figures.entries import Entry, levels_among, looks_for
from pollux.output.figures.scale import scale_of
from pollux.output.figures.selection import Plan, Request, numbered
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
    modes_in_words,
    page_of,
    panels_of,
    quantity_of,
    set_time_axis,
)

HEIGHT = 1.5  # inches of a panel
PER_PAGE = 16
LABELS = {"items": "depend items of a task", "distance": "distance of the addresses in bytes"}


@dataclass(frozen=True)
class Sweep:
    """A quantity of a benchmark along one axis, in panels for all that else varies."""

    benchmark: str
    quantity: str
    axis: str
    panels: Sequence[Panel]

    @property
    def name(self) -> str:
        return f"{self.benchmark}-{self.quantity.replace('_', '-')}-over-{self.axis}"


def plan_overheads(request: Request) -> Plan:
    """A page or more for each quantity and each axis with several values."""
    entries = entries_for(request, lambda entry: True)
    pages: list[tuple[str, Sweep]] = []
    for sweep in sweeps(entries):
        parts = numbered(sweep.name, sweep.panels, PER_PAGE)
        pages += [(name, replace(sweep, panels=part)) for name, part in parts]
    return Plan(pages, lambda sweep: draw(request, sweep), None)


def sweeps(entries: Sequence[Entry]) -> Iterator[Sweep]:
    for (benchmark, quantity), own in grouped(entries, quantity_of).items():
        axes = dict.fromkeys(name for entry in own for name in numbers(entry))
        for axis in axes:
            panels = panels_over(axis, own)
            if panels:
                yield Sweep(benchmark, str(quantity), axis, panels)


def numbers(entry: Entry) -> list[str]:
    """The axes along which its line may run."""
    return [name for name, value in conditions(entry).items() if isinstance(value, int)]


def panels_over(axis: str, entries: Sequence[Entry]) -> list[Panel]:
    """A panel for each variant and each point on all other axes that has two values or more."""
    found = alike((e for e in entries if axis in conditions(e)), axis)
    several = [own for own in found if len({conditions(e)[axis] for e in own}) > 1]
    return panels_of(several, axis)


def draw(request: Request, sweep: Sweep) -> Figure:
    entries = [entry for panel in sweep.panels for entry in panel.entries]
    values = {int(conditions(e)[sweep.axis]) for e in entries}
    logarithmic = min(values) > 0
    kind = "Both axes are" if logarithmic else "The axis of times is"
    what = f"{kind} logarithmic; points: every sample.{modes_in_words(entries)}"
    caption = caption_for(request.result, entries, what)
    page = page_of(request, sweep.panels, caption, HEIGHT)
    scale = scale_of(values, logarithmic=logarithmic)
    ends = ends_of(entries)
    looks = looks_for(request.result)
    levels = levels_among(request.result, entries)
    beside = asides(scale, levels)
    spread = 0.25 * scale.gap / len(levels)
    for panel, (axes, width) in zip(sweep.panels, page.panels(), strict=True):
        for level in levels:
            own = [(int(conditions(e)[sweep.axis]), e) for e in panel.entries if e.level == level]
            own.sort(key=lambda pair: pair[0])
            places = [scale.place(value) + beside[level] for value, _ in own]
            draw_entries(axes, looks[level], places, [e for _, e in own], spread)
        scale.show(axes, width)
        set_time_axis(axes, ends)
        axes.set_ylabel(axis_name(entries[0].row.configuration))
        axes.set_xlabel(LABELS.get(sweep.axis, sweep.axis))
    return page.figure
