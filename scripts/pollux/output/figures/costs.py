# SPDX-License-Identifier: BSD-3-Clause
"""The first quantity of every variant of a benchmark of costs, with one mark per runtime."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from pollux.core.analysis.axes import is_first
from pollux.output.figures.curves import key_of
from pollux.output.figures.entries import Entry, levels_of, looks_for
from pollux.output.figures.selection import Plan, Request
from pollux.output.figures.sheet import Sheet, draw_sheet
from pollux.output.figures.style import LINE, clean
from pollux.output.figures.times import (
    caption_for,
    conditions,
    ends_of,
    entries_for,
    interval_of,
    set_time_axis,
    word,
)

ROW = 1.6 * LINE  # inches


def plan_costs(request: Request) -> Plan:
    """A page for each benchmark and number of threads, with two variants or more."""
    entries = entries_for(request, lambda entry: is_first(entry.row.configuration))
    groups: dict[tuple[str, int | None], list[Entry]] = {}
    for entry in entries:
        key = entry.row.configuration.benchmark, entry.threads
        groups.setdefault(key, []).append(entry)
    pages = []
    for (benchmark, threads), own in groups.items():
        if len({label_of(entry, own) for entry in own}) > 1:
            pages.append((f"{benchmark}-costs-{threads}-thread{'s' * (threads != 1)}", own))
    return Plan(pages, lambda own: draw(request, own), None)


def label_of(entry: Entry, entries: Sequence[Entry]) -> str:
    """The variant, and those conditions in which the page's entries of it differ."""
    c = entry.row.configuration
    own = conditions(entry)
    alike = [conditions(e) for e in entries if e.row.configuration.variant == c.variant]
    varied = [n for n in own if len({str(other.get(n)) for other in alike}) > 1]
    return ", ".join([c.variant, *(word(name, own[name]) for name in varied)])


def draw(request: Request, entries: Sequence[Entry]) -> Figure:
    rows = list(dict.fromkeys(label_of(entry, entries) for entry in entries))
    levels = [
        level for level in levels_of(request.result) if any(e.level == level for e in entries)
    ]
    looks = looks_for(request.result)
    first = entries[0].row.configuration
    threads = word("threads", entries[0].threads)
    sheet = Sheet(
        title=f"{first.benchmark}, {threads}",
        caption=caption_for(
            request.result, entries, "The axis is logarithmic; no mark: not known."
        ),
        legend=[(key_of(looks[level]), level) for level in levels],
        rows=rows,
    )
    figure, axes = draw_sheet(sheet, request.width, ROW * len(rows))
    for index, level in enumerate(levels):
        aside = 0.5 * ((index + 0.5) / len(levels) - 0.5)
        for entry in (e for e in entries if e.level == level):
            time, place = interval_of(entry.row), rows.index(label_of(entry, entries)) + aside
            look = looks[level]
            axes.plot([time.estimate], [place], look.marker, color=look.colour, ms=3.5, zorder=5)
            if time.bounded:
                axes.hlines([place], [time.low], [time.high], color=look.colour, lw=1.2)
    set_time_axis(axes, ends_of(interval_of(e.row) for e in entries), up=False)
    axes.set_xlabel(clean(f"{first.quantity} ({first.unit})"))
    return figure
