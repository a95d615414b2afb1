# SPDX-License-Identifier: BSD-3-Clause
"""The terms of a micro-benchmark by version: a panel for each, a line for each cell."""

from collections.abc import Iterator, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pollux.core.analysis.terms import level_with_version, levels_of
from pollux.output.figures.costs import labels_of
from pollux.output.figures.curves import key_of
from pollux.output.figures.entries import Entry
from pollux.output.figures.page import LEFT, MARGIN, RIGHT, Page, Sizes, balanced
from pollux.output.figures.selection import Plan, Request
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


def plan_terms(request: Request) -> Plan:
    """A page for each benchmark with several quantities, over two levels or more."""
    entries = entries_for(request, lambda entry: True)
    pages: list[tuple[str, list[Panel]]] = []
    for benchmark in dict.fromkeys(e.row.configuration.benchmark for e in entries):
        own = [e for e in entries if e.row.configuration.benchmark == benchmark]
        panels = list(panels_of(own))
        if len({e.row.configuration.quantity for e in own}) > 1 and panels:
            pages.append((f"{benchmark}-terms", panels))
    return Plan(pages, lambda panels: draw(request, panels), None)


def panels_of(entries: Sequence[Entry]) -> Iterator[Panel]:
    """By quantity and threads; those that two levels have."""
    groups: dict[tuple[str, int | None], list[Entry]] = {}
    for entry in entries:
        key = entry.row.configuration.quantity or "", shared_threads(entry)
        groups.setdefault(key, []).append(entry)
    order = list(dict.fromkeys(quantity for quantity, _ in groups))
    several = len({threads for _, threads in groups}) > 1
    for quantity, threads in sorted(groups, key=lambda key: (order.index(key[0]), key[1] or 0)):
        own = groups[quantity, threads]
        if len({entry.level for entry in own}) > 1:
            title = phrase(own[0].row.configuration)
            yield Panel(f"{title}, {word('threads', threads)}" if several else title, own)


def draw(request: Request, panels: Sequence[Panel]) -> Figure:
    result = request.result
    every = [entry for panel in panels for entry in panel.entries]
    labels = labels_of(every, OF_PANEL)
    cells = list(dict.fromkeys(labels[entry.row.key] for entry in every))
    looks = looks_of(cells)
    levels = [level for level in levels_of(result) if any(e.level == level for e in every)]
    names = [clean(level_with_version(result, level)) for level in levels]
    usable = request.width - 2 * MARGIN
    columns = balanced(len(panels), max(1, int(usable / (WIDTH + LEFT + RIGHT))))
    room = usable / columns - LEFT - RIGHT
    is_turned = max(map(length, names)) > TURNED * room / len(names)
    below = LINE * 1.4 + (0.72 * max(map(length, names)) if is_turned else 0)
    sizes = Sizes(request.width, columns, room, HEIGHT, below)
    page = Page(
        sizes,
        [clean(panel.title) for panel in panels],
        [(key_of(looks[cell]), clean(cell)) for cell in cells],
        caption_for(result, every, WORDS, points=False),
    )
    for panel, (axes, _) in zip(panels, page.panels(), strict=True):
        draw_panel(axes, panel, levels, labels, looks)
        axes.set_xticks(range(len(levels)), names, rotation=45 if is_turned else 0)
        if is_turned:
            for tick in axes.get_xticklabels():
                tick.set(ha="right", rotation_mode="anchor")
        axes.set_xlim(-0.5, len(levels) - 0.5)
    return page.figure


def draw_panel(
    axes: Axes, panel: Panel, levels: Sequence[str], labels: dict[str, str], looks: dict[str, Look]
) -> None:
    own = {(labels[entry.row.key], entry.level): entry for entry in panel.entries}
    cells = [cell for cell in looks if any(cell == name for name, _ in own)]
    for place, cell in enumerate(cells):
        aside = ASIDE * ((place + 0.5) / len(cells) - 0.5)
        found = [at for at, level in enumerate(levels) if (cell, level) in own]
        medians = [interval_of(own[cell, levels[at]].row) for at in found]
        draw_medians(axes, looks[cell], [at + aside for at in found], medians)
    set_time_axis(axes, ends_of(panel.entries, samples=False))
    axes.set_ylabel(axis_name(panel.entries[0].row.configuration))
