# SPDX-License-Identifier: BSD-3-Clause
"""The terms of a micro-benchmark by version: a panel for each, a line for each cell."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pollux.core.analysis.terms import level_with_version, levels_of
from pollux.core.grouping import grouped
from pollux.output.figures.costs import labels_of
from pollux.output.figures.curves import key_of
from pollux.output.figures.entries import Entry
from pollux.output.figures.page import Page, Sizes, sizes_for
from pollux.output.figures.selection import Plan, Request, numbered
from pollux.output.figures.style import LINE, Look, clean, length, looks_of
from pollux.output.figures.times import (
    Panel,
    axis_name,
    caption_for,
    draw_medians,
    ends_of,
    entries_for,
    interval_of,
    phrase,
    set_time_axis,
    shared_threads,
    word,
)

OF_PANEL = ("threads",)  # what a panel says of its lines
HEIGHT = 1.6  # inches of a panel
WIDTH = 2.2  # that it needs at least
TURNED = 0.7  # names of levels beside each other up to this share of the width, else upright
ASIDE = 0.35  # of the distance of two levels, for the lines at each
WORDS = (
    "Joined within a pattern; the axis of times is logarithmic. Verdicts compare samples of the "
    "same round: ratios and pollux compare."
)


@dataclass(frozen=True)
class Terms:
    """What the pages of a benchmark have in common: a cell and a level look alike on all."""

    labels: dict[str, str]  # of cells, by key
    looks: dict[str, Look]  # by label
    levels: dict[str, str]  # with their versions
    sizes: Sizes
    is_turned: bool  # of the names of levels


def plan_terms(request: Request) -> Plan:
    """A page or more for each benchmark with several quantities, over two levels or more."""
    entries = entries_for(request, lambda entry: True)
    pages: list[tuple[str, tuple[Terms, Sequence[Panel]]]] = []
    for benchmark, own in grouped(entries, lambda e: e.row.configuration.benchmark).items():
        panels = list(panels_of(own))
        if len({e.row.configuration.quantity for e in own}) > 1 and panels:
            terms = terms_of(request, panels)
            most = ceil(len(panels) / ceil(len(panels) / terms.sizes.per_page))  # equally full
            parts = numbered(f"{benchmark}-terms", panels, most)
            pages += [(name, (terms, part)) for name, part in parts]
    return Plan(pages, lambda page: draw(request, *page), None)


def panels_of(entries: Sequence[Entry]) -> Iterator[Panel]:
    """By quantity and threads; those that two levels have."""
    groups = grouped(entries, lambda e: (e.row.configuration.quantity or "", shared_threads(e)))
    order = list(dict.fromkeys(quantity for quantity, _ in groups))
    several = len({threads for _, threads in groups}) > 1
    for quantity, threads in sorted(groups, key=lambda key: (order.index(key[0]), key[1] or 0)):
        own = groups[quantity, threads]
        if len({entry.level for entry in own}) > 1:
            title = phrase(own[0].row.configuration)
            yield Panel(f"{title}, {word('threads', threads)}" if several else title, own)


def terms_of(request: Request, panels: Sequence[Panel]) -> Terms:
    result = request.result
    every = [entry for panel in panels for entry in panel.entries]
    labels = labels_of(every, OF_PANEL)
    looks = looks_of(list(dict.fromkeys(labels[entry.row.key] for entry in every)))
    here = {entry.level for entry in every}
    levels = {
        level: clean(level_with_version(result, level))
        for level in levels_of(result)
        if level in here
    }
    longest = max(map(length, levels.values()))
    sizes = sizes_for(len(panels), request.width, WIDTH, HEIGHT)
    is_turned = longest > TURNED * sizes.panel_width / len(levels)
    below = LINE * 1.4 + (0.72 * longest if is_turned else 0)
    return Terms(labels, looks, levels, replace(sizes, below=below), is_turned)


def draw(request: Request, terms: Terms, panels: Sequence[Panel]) -> Figure:
    every = [entry for panel in panels for entry in panel.entries]
    here = {terms.labels[entry.row.key] for entry in every}
    page = Page(
        terms.sizes,
        [clean(panel.title) for panel in panels],
        [(key_of(look), clean(cell)) for cell, look in terms.looks.items() if cell in here],
        caption_for(request.result, every, WORDS, points=False),
    )
    names = [*terms.levels.values()]
    for panel, (axes, _) in zip(panels, page.panels(), strict=True):
        draw_panel(axes, panel, terms)
        axes.set_xticks(range(len(names)), names, rotation=45 if terms.is_turned else 0)
        if terms.is_turned:
            for tick in axes.get_xticklabels():
                tick.set(ha="right", rotation_mode="anchor")
        axes.set_xlim(-0.5, len(names) - 0.5)
    return page.figure


def draw_panel(axes: Axes, panel: Panel, terms: Terms) -> None:
    own = {(terms.labels[entry.row.key], entry.level): entry for entry in panel.entries}
    cells = [cell for cell in terms.looks if any(cell == name for name, _ in own)]
    for place, cell in enumerate(cells):
        aside = ASIDE * ((place + 0.5) / len(cells) - 0.5)
        found = [(at, level) for at, level in enumerate(terms.levels) if (cell, level) in own]
        medians = [interval_of(own[cell, level].row) for _, level in found]
        draw_medians(axes, terms.looks[cell], [at + aside for at, _ in found], medians)
    set_time_axis(axes, ends_of(panel.entries, samples=False))
    axes.set_ylabel(axis_name(panel.entries[0].row.configuration))
