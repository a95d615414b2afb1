# SPDX-License-Identifier: BSD-3-Clause
"""Ratios to the reference with their intervals, which verdicts rest on: a row for each cell."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, isfinite

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, NullFormatter

from pollux.core.analysis.axes import is_first, level_and_node
from pollux.core.analysis.fixed_plan import margin
from pollux.core.analysis.result import Comparison, Interval, Result, Verdict
from pollux.core.grouping import grouped
from pollux.core.text import span
from pollux.output.figures.caption import failed_cells, processors_of, samples_of, sizes_of
from pollux.output.figures.costs import labels_of
from pollux.output.figures.entries import (
    Entry,
    group,
    levels_among,
    levels_of,
    looks_for,
    time_entries_of,
    titles_of,
)
from pollux.output.figures.selection import Plan, Request, chosen, numbered
from pollux.output.figures.sheet import Sheet, draw_sheet
from pollux.output.figures.style import GREY, LINE, clean, shorten
from pollux.output.figures.times import in_common, locator_for, phrase

LEVEL = 0.8 * LINE  # inches of a runtime in a row
BETWEEN = 0.6 * LINE  # inches between rows
NAMED = 1.5  # inches of a level's name beside its mark
TALLEST = 7.4  # inches of the axes of a page
WIDE = 2.5  # ratio of the ends of an axis, from which on it is logarithmic
MARKS = {
    Verdict.BETTER: "^",
    Verdict.WORSE: "v",
    Verdict.NO_DIFFERENCE: "s",
    Verdict.TOO_NOISY: "o",
    Verdict.TOO_FEW: "o",
}
HOLLOW = (Verdict.TOO_NOISY, Verdict.TOO_FEW)
HINT = (
    "Ratio of speeds to {}, from pairs of rounds where there are such, and its 95 % interval. "
    "▲ faster, ▼ slower, ■ no difference of {} or more (shaded), ○ open."
)
OF_TIMES = " A ratio of times is inverted: above 1 the time is less."


@dataclass(frozen=True)
class Mark:
    """A comparison, and the level that is compared."""

    level: str
    comparison: Comparison
    gap: str = ""  # why, where there is none


@dataclass(frozen=True)
class Line:
    """A row of the figure."""

    name: str
    marks: list[Mark]


@dataclass(frozen=True)
class Ratios:
    """The rows of a page, and the entries that they are of."""

    title: str
    entries: list[Entry]
    means: list[Line]
    lines: list[Line]

    @property
    def rows(self) -> list[Line]:
        return [*self.means, *self.lines]


def plan_ratios(request: Request) -> Plan:
    """Pages of speeds, and of each quantity of a benchmark: a row for each cell."""
    times = [e for e in time_entries_of(request.result) if request.filter.takes(e)]

    def key(entry: Entry) -> tuple[str, str]:
        c = entry.row.configuration
        return ("", "speed") if c.is_speed else (c.benchmark, c.quantity or "time")

    pages = []
    for (benchmark, quantity), own in grouped((*chosen(request), *times), key).items():
        name = "-".join(filter(None, (benchmark, quantity.replace("_", "-"), "ratios")))
        parts = list(pages_of(request.result, benchmark, own))
        pages += [(name, part[0]) for name, part in numbered(name, parts, 1)]
    return Plan(pages, lambda page: draw(request, page), None)


def pages_of(result: Result, benchmark: str, entries: Sequence[Entry]) -> Iterator[Ratios]:
    """The page or the pages of a quantity; there is none where nothing is compared."""
    cells = grouped(entries, lambda entry: entry.row.cell)
    references = {row.cell for row in result.rows if row.level == result.reference}
    compared = [
        own
        for cell, own in cells.items()
        if cell in references and any(entry.level != result.reference for entry in own)
    ]
    if not any(e.row.comparison.ratio for own in compared for e in own):
        return
    every = [entry for own in compared for entry in own]
    first = every[0].row.configuration
    means = means_of(result, entries[0])
    title = f"{benchmark}: {phrase(first)}" if benchmark else "Speed"
    levels = len(compared_levels(result, every))
    most = max(1, int(TALLEST / (levels * LEVEL + BETWEEN)) - len(means))
    size = ceil(len(compared) / ceil(len(compared) / most))  # pages are equally full
    names = names_of([own[0] for own in compared], every, result.by)
    for at in range(0, len(compared), size):
        part = compared[at : at + size]
        lines = [
            Line(name, marks_of(own, result.reference))
            for name, own in zip(names[at : at + size], part, strict=True)
        ]
        yield Ratios(title, [entry for own in part for entry in own], means, lines)


def compared_levels(result: Result, entries: Sequence[Entry]) -> list[str]:
    """The levels of these entries but the reference, which may not be among those drawn."""
    return [level for level in levels_among(result, entries) if level != result.reference]


def marks_of(entries: Sequence[Entry], reference: str) -> list[Mark]:
    return [
        Mark(e.level, e.row.comparison, e.row.comparison.words if e.row.values else e.gap)
        for e in entries
        if e.level != reference
    ]


def means_of(result: Result, entry: Entry) -> list[Line]:
    """The row of the means over all cells, where these are of this quantity alone.

    They are over all that was measured, whatever of it is drawn.
    """
    c = entry.row.configuration
    others = result.dataset.configurations.values()
    if is_first(c):
        found = result.overall
        firsts = {("" if o.is_speed else o.benchmark, o.quantity) for o in others if is_first(o)}
        alone = len(firsts) == 1
    else:
        found = [m for m in (*result.overall, *result.terms) if m.quantity == c.quantity]
        alone = len({o.benchmark for o in others if o.quantity == c.quantity}) == 1
    known = [mean for mean in found if mean.comparison.ratio is not None]
    if not alone or not known:
        return []
    lines: dict[str, list[Mark]] = {}  # by node, of a campaign that ran on several
    for mean in known:
        level, where = level_and_node(mean.level, levels_of(result))
        lines.setdefault(where, []).append(Mark(level, mean.comparison))
    return [
        Line(f"mean over {span([m.cells for m in known])} cells{where}", marks)
        for where, marks in lines.items()
    ]


def names_of(firsts: Sequence[Entry], entries: Sequence[Entry], by: str) -> list[str]:
    """What each cell is, but for the axis that is compared: whatever is not the same in all."""
    if not firsts[0].row.configuration.is_speed:
        labels = labels_of(entries)
        return [labels[entry.row.key] for entry in firsts]
    return titles_of([group([entry], without=(by,))[0] for entry in firsts], entries)


def draw(request: Request, page: Ratios) -> Figure:
    result, rows = request.result, page.rows
    levels = compared_levels(result, page.entries)
    looks = looks_for(result)
    first = page.entries[0].row.configuration
    hint = HINT.format(result.reference, margin(result.relevant)) + OF_TIMES * first.is_cost
    compared = [entry for entry in page.entries if entry.row.values]
    conditions = sizes_of(page.entries) if first.is_speed else in_common(page.entries)
    what = [conditions, samples_of(compared), processors_of(page.entries)]
    failed = failed_cells(result, page.entries)
    sheet = Sheet(
        title=f"{page.title}, relative to {result.reference}",
        caption=" ".join([f"{'; '.join(filter(None, what))}. {hint}", *failed]),
        legend=[(Patch(color=looks[name].colour), name) for name in levels],
        rows=[row.name for row in rows],
    )
    height = len(rows) * (len(levels) * LEVEL + BETWEEN)
    figure, axes = draw_sheet(sheet, request.width, height)
    axes.set_xlim(*set_axis(axes, result.relevant, rows))
    named = len({looks[name].colour for name in levels}) < len(levels)
    for place, row in enumerate(rows):
        for mark in row.marks:
            if mark.level in levels:
                step = (levels.index(mark.level) + 0.5) / len(levels) - 0.5
                at, colour = place + 0.75 * step, looks[mark.level].colour
                draw_mark(axes, mark, at, colour)
                if named and mark.comparison.ratio is not None:
                    name_mark(axes, mark.level, mark.comparison.ratio, at)
    if page.means:
        axes.axhline(len(page.means) - 0.5, color="black", lw=0.6, zorder=1)
    axes.axvspan(1 - result.relevant, 1 / (1 - result.relevant), color="#e8e8e8", lw=0, zorder=0)
    axes.axvline(1, color=GREY, lw=0.8, zorder=1)
    axes.set_xlabel(f"{clean(f'speed / speed of {result.reference}')}\nright of 1 is faster")
    return figure


def draw_mark(axes: Axes, mark: Mark, place: float, colour: str) -> None:
    """The estimate, its sign the verdict, and its interval; or a word where there is none."""
    ratio, verdict = mark.comparison.ratio, mark.comparison.verdict
    if ratio is None:
        axes.text(1, place, f" {clean(mark.gap)}", color=GREY, va="center", zorder=3, clip_on=True)
        return
    if ratio.bounded:
        axes.hlines([place], [ratio.low], [ratio.high], color=colour, lw=1.2, zorder=4)
    axes.plot(
        [ratio.estimate],
        [place],
        MARKS.get(verdict, "x"),
        color=colour,
        markerfacecolor="white" if verdict in HOLLOW else colour,
        ms=4.5,
        zorder=5,
    )


def name_mark(axes: Axes, level: str, ratio: Interval, place: float) -> None:
    """The level beside its mark, where colours do not tell levels apart; where there is room."""
    share = (axes.transScale + axes.transLimits).transform((ratio.estimate, place))[0]
    is_right = share < 0.5
    end = ratio.high if is_right else ratio.low
    axes.annotate(
        shorten(clean(level), NAMED),
        (end if isfinite(end) else ratio.estimate, place),
        xytext=(4 if is_right else -4, 0),
        textcoords="offset points",
        ha="left" if is_right else "right",
        va="center",
        zorder=6,
    )


def set_axis(axes: Axes, relevant: float, rows: Sequence[Line]) -> tuple[float, float]:
    """An axis around all that is drawn; logarithmic where that is far apart."""
    ratios = [mark.comparison.ratio for row in rows for mark in row.marks]
    ends = [end for r in ratios if r for end in (r.low, r.estimate, r.high) if isfinite(end)]
    low = min([*ends, 1 - relevant])
    high = max([*ends, 1 / (1 - relevant)])
    if low > 0 and high / low > WIDE:
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(locator_for(low, high))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda ratio, _: f"{ratio:g}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
        aside = (high / low) ** 0.04
        return low / aside, high * aside
    aside = 0.04 * (high - low)
    return low - aside, high + aside
