# SPDX-License-Identifier: BSD-3-Clause
"""The first quantity of the variants of a benchmark of costs, with one mark per runtime."""

from collections import Counter
from collections.abc import Collection, Sequence

from matplotlib.figure import Figure

from pollux.core.analysis.axes import is_first
from pollux.core.grouping import grouped
from pollux.output.figures.curves import key_of
from pollux.output.figures.entries import Entry, levels_among, looks_for
from pollux.output.figures.selection import Plan, Request, numbered
from pollux.output.figures.sheet import Sheet, draw_sheet
from pollux.output.figures.style import LINE
from pollux.output.figures.times import (
    axis_name,
    caption_for,
    conditions,
    draw_samples,
    ends_of,
    entries_for,
    interval_of,
    modes_in_words,
    quantity_of,
    set_time_axis,
    shared_threads,
    variant_of,
    word,
)

ROW = 1.0 * LINE  # inches, and for each runtime
LEVEL = 0.6 * LINE
TALLEST = 7.4  # inches of the axes of a page


def plan_costs(request: Request) -> Plan:
    """A page or more for each benchmark, first quantity and threads, with two rows or more."""
    entries = entries_for(request, lambda entry: is_first(entry.row.configuration))
    groups = grouped(entries, lambda e: (*quantity_of(e), shared_threads(e)))
    quantities = Counter(benchmark for benchmark, _ in {key[:2] for key in groups})
    pages: list[tuple[str, tuple[list[Entry], dict[str, str]]]] = []
    for (benchmark, quantity, threads), own in groups.items():
        labels = labels_of(own)
        rows = list(dict.fromkeys(labels[entry.row.key] for entry in own))
        if len(rows) > 1:
            what = f"-{quantity}".replace("_", "-") if quantities[benchmark] > 1 else ""
            at = "" if threads is None else f"-{threads}-thread{'s' * (threads != 1)}"
            most = max(1, int(TALLEST / row_height(levels_among(request.result, own))))
            for name, part in numbered(f"{benchmark}{what}-costs{at}", rows, most):
                here = [entry for entry in own if labels[entry.row.key] in part]
                pages.append((name, (here, labels)))
    return Plan(pages, lambda page: draw(request, *page), None)


def row_height(levels: Sequence[str]) -> float:
    """Inches."""
    return ROW + LEVEL * len(levels)


def labels_of(entries: Sequence[Entry], without: Collection[str] = ()) -> dict[str, str]:
    """By key: the variant, and those conditions in which the page's entries of it differ."""
    labels = {}
    for variant, own in grouped(entries, variant_of).items():
        known = [conditions(entry) for entry in own]
        names = dict.fromkeys(name for one in known for name in one if name not in without)
        varied = [n for n in names if len({str(one.get(n)) for one in known}) > 1]
        for entry, one in zip(own, known, strict=True):
            words = [variant, *(word(n, one[n]) for n in varied if n in one)]
            alone = entry.row.configuration.benchmark
            labels[entry.row.key] = ", ".join(filter(None, words)) or alone
    return labels


def draw(request: Request, entries: Sequence[Entry], labels: dict[str, str]) -> Figure:
    rows = list(dict.fromkeys(labels[entry.row.key] for entry in entries))
    levels = levels_among(request.result, entries)
    looks = looks_for(request.result)
    first = entries[0].row.configuration
    threads = shared_threads(entries[0])
    sheet = Sheet(
        title=first.benchmark + ("" if threads is None else f", {word('threads', threads)}"),
        caption=caption_for(
            request.result,
            entries,
            "The axis is logarithmic; points: every sample; no mark: not known."
            + modes_in_words(entries),
        ),
        legend=[(key_of(looks[level]), level) for level in levels],
        rows=rows,
    )
    figure, axes = draw_sheet(sheet, request.width, row_height(levels) * len(rows))
    for index, level in enumerate(levels):
        aside = 0.7 * ((index + 0.5) / len(levels) - 0.5)
        for entry in (e for e in entries if e.level == level):
            time, place = interval_of(entry.row), rows.index(labels[entry.row.key]) + aside
            look = looks[level]
            axes.plot([time.estimate], [place], look.marker, color=look.colour, ms=3.5, zorder=5)
            if time.bounded:
                axes.hlines([place], [time.low], [time.high], color=look.colour, lw=1.2)
            draw_samples(axes, look, entry, (place, 0.5 / len(levels)), up=False)
    set_time_axis(axes, ends_of(entries), up=False)
    axes.set_xlabel(axis_name(first))
    return figure
