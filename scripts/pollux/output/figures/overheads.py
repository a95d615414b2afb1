# SPDX-License-Identifier: BSD-3-Clause
"""Times of micro-benchmarks against threads, items and other numbers: one line per runtime."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

from pollux.output.figures.entries import Entry, looks_for
from pollux.output.figures.scale import scale_of
from pollux.output.figures.selection import Plan, Request
from pollux.output.figures.times import (
    Panel,
    asides,
    axis_name,
    caption_for,
    conditions,
    draw_entries,
    ends_of,
    entries_for,
    in_words,
    levels_among,
    modes_in_words,
    page_of,
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
    panels: list[Panel]

    @property
    def name(self) -> str:
        return f"{self.benchmark}-{self.quantity.replace('_', '-')}-over-{self.axis}"


def plan_overheads(request: Request) -> Plan:
    """A page or more for each quantity and each axis with several values."""
    entries = entries_for(request, lambda entry: True)
    pages: list[tuple[str, Sweep]] = []
    for sweep in sweeps(entries):
        parts = [sweep.panels[i : i + PER_PAGE] for i in range(0, len(sweep.panels), PER_PAGE)]
        for number, part in enumerate(parts, start=1):
            name = f"{sweep.name}-{number}" if len(parts) > 1 else sweep.name
            own = Sweep(sweep.benchmark, sweep.quantity, sweep.axis, part)
            pages.append((name, own))
    return Plan(pages, lambda sweep: draw(request, sweep), None)


def sweeps(entries: Sequence[Entry]) -> Iterator[Sweep]:
    whats = dict.fromkeys(
        (e.row.configuration.benchmark, e.row.configuration.quantity) for e in entries
    )
    for benchmark, quantity in whats:
        own = [
            e
            for e in entries
            if (e.row.configuration.benchmark, e.row.configuration.quantity)
            == (benchmark, quantity)
        ]
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
    found: dict[tuple[object, ...], list[Entry]] = {}
    for entry in entries:
        own = conditions(entry)
        if axis in own:
            others = (str(pair) for pair in own.items() if pair[0] != axis)
            found.setdefault((entry.row.configuration.variant, *others), []).append(entry)
    several = [own for own in found.values() if len({conditions(e)[axis] for e in own}) > 1]
    every = [entry for own in several for entry in own]
    return [Panel(title_of(axis, own, every), own) for own in several]


def title_of(axis: str, own: Sequence[Entry], every: Sequence[Entry]) -> str:
    shared = {name: value for name, value in conditions(own[0]).items() if name != axis}
    words = [own[0].row.configuration.variant, in_words(shared, every)]
    return ", ".join(filter(None, words))


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
    for index, (panel, box) in enumerate(zip(sweep.panels, page.boxes, strict=True)):
        axes = page.add_axes(box)
        page.add_title(axes, index)
        for level in levels:
            own = [(int(conditions(e)[sweep.axis]), e) for e in panel.entries if e.level == level]
            own.sort(key=lambda pair: pair[0])
            places = [scale.place(value) + beside[level] for value, _ in own]
            draw_entries(axes, looks[level], places, [e for _, e in own], spread)
        scale.show(axes, box.width)
        set_time_axis(axes, ends)
        axes.set_ylabel(axis_name(entries[0].row.configuration))
        axes.set_xlabel(LABELS.get(sweep.axis, sweep.axis))
    return page.figure
