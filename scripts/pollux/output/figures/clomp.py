# SPDX-License-Identifier: BSD-3-Clause
"""CLOMP's bars: the speed-up of each schedule per runtime, with the bound of the best case."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from pollux.core.analysis import statistics
from pollux.core.analysis.result import Interval
from pollux.core.grouping import grouped
from pollux.output.figures.entries import Entry, levels_of, looks_for
from pollux.output.figures.selection import Plan, Request, numbered
from pollux.output.figures.style import Look
from pollux.output.figures.times import (
    Panel,
    caption_for,
    conditions,
    entries_for,
    in_words,
    is_of,
    page_of,
)

HEIGHT = 1.6  # inches of a panel
LEAST = 3.0  # inches of its width
PER_PAGE = 8
LOOP, SERIAL, BOUND = "loop", "serial", "best_case"
NOT_DRAWN = ("serial", "best-case", "barrier")  # the bounds themselves, and what is no loop

Rows = Mapping[tuple[str, str, str], Entry]  # by schedule, quantity and runtime


def plan_clomp(request: Request) -> Plan:
    """Pages with one panel for each scenario: partitions, zones, allocation, environment."""
    entries = entries_for(request, is_of("clomp"))
    found = grouped(entries, lambda e: tuple(map(str, conditions(e).items())))  # by scenario
    drawn = [own for own in found.values() if any(quantity(e) == SERIAL for e in own)]
    every = [entry for own in drawn for entry in own]
    panels = [Panel(in_words(conditions(own[0]), every) or "CLOMP", own) for own in drawn]
    pages = numbered("clomp-speed-up", panels, PER_PAGE)
    return Plan(pages, lambda page: draw(request, page), None)


def quantity(entry: Entry) -> str:
    return entry.row.configuration.quantity or ""


def draw(request: Request, panels: Sequence[Panel]) -> Figure:
    entries = [entry for panel in panels for entry in panel.entries]
    hint = (
        "Speed-up: time of the serial loop over that of the loop with the schedule. Lines across "
        "the bars: the best case of that process, without any synchronization, the bound for "
        "every schedule."
    )
    caption = caption_for(request.result, entries, hint, points=False)
    page = page_of(request, panels, caption, HEIGHT, LEAST)
    looks = looks_for(request.result)
    for panel, (axes, _) in zip(panels, page.panels(), strict=True):
        draw_bars(axes, panel, levels_of(request.result), looks)
    return page.figure


def draw_bars(axes: Axes, panel: Panel, every: Sequence[str], looks: Mapping[str, Look]) -> None:
    rows: Rows = {(e.row.configuration.variant, quantity(e), e.level): e for e in panel.entries}
    levels = [level for level in every if any(key[2] == level for key in rows)]
    schedules = [
        name
        for name in dict.fromkeys(key[0] for key in rows)
        if name not in NOT_DRAWN and any((name, SERIAL, level) in rows for level in levels)
    ]
    width = 0.8 / len(levels)
    highest = 1.0
    for place, schedule in enumerate(schedules):
        for index, level in enumerate(levels):
            left = place - 0.4 + index * width
            found = speed_up(rows, (schedule, level), LOOP)
            if found is None:
                continue
            look = looks[level]
            bar = Rectangle((left, 0), width, found.estimate, hatch=look.hatch, lw=0.6)
            bar.set(fc=look.fill, ec=look.colour)
            axes.add_patch(bar)
            middle = left + width / 2
            if found.bounded:
                axes.vlines([middle], [found.low], [found.high], color="black", lw=0.9, zorder=4)
            bound = speed_up(rows, (schedule, level), BOUND)
            ends = [found.estimate, found.high if found.bounded else 0.0]
            if bound is not None:
                axes.hlines([bound.estimate], left, left + width, color="black", lw=1.2, zorder=5)
                ends.append(bound.estimate)
            highest = max(highest, *ends)
    axes.set_xticks(range(len(schedules)), schedules)
    axes.set_xlim(-0.6, max(1, len(schedules)) - 0.4)
    axes.set_ylim(0, 1.08 * highest)
    axes.set_ylabel("speed-up")


def speed_up(rows: Rows, of: tuple[str, str], quantity: str) -> Interval | None:
    """Serial time over that of a quantity, paired by process: the median with its interval."""
    schedule, level = of
    serial, other = rows.get((schedule, SERIAL, level)), rows.get((schedule, quantity, level))
    if serial is None or other is None:
        return None
    if serial.row.values and serial.row.values[0][0] is None:  # records without rounds
        pairs = list(zip(serial.row.values, other.row.values, strict=False))
        ratios = [a / b for (_, a), (_, b) in pairs]
    else:
        own = dict(other.row.values)
        ratios = [value / own[r] for r, value in serial.row.values if r in own]
    if not ratios:
        return None
    three = np.stack(statistics.median_intervals(np.array([ratios])), axis=1)[0].tolist()
    return Interval(*three)
