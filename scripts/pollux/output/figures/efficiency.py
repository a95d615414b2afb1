# SPDX-License-Identifier: BSD-3-Clause
"""GFlop/s over threads, and below it how much of each thread's speed is left."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from pollux.output.figures.curves import (
    THREADS,
    Curves,
    curves_for,
    curves_on,
    draw_line,
    draw_speeds,
    hint_of,
    name_axis,
    panels_over,
    scale_on,
    start_page,
)
from pollux.output.figures.entries import Entry, Panel, entries_of
from pollux.output.figures.page import Box
from pollux.output.figures.points import is_crowded
from pollux.output.figures.scale import Scale
from pollux.output.figures.selection import Plan, Request, narrow, paginate
from pollux.output.figures.style import GREY

HEIGHT = 1.0  # inches of the lower axes
GAP = 0.1  # between both
HINT = {
    "seq": "Efficiency: speed over threads times the speed of the sequential code (seq)",
    "one": "Efficiency: speed over threads times the speed of the same variant on one thread",
}
LABEL = {"seq": "efficiency\nto seq", "one": "efficiency\nto 1 thread"}


@dataclass(frozen=True)
class Basis:
    """What efficiency is relative to: for each level, the entry that ran on one thread."""

    kind: str  # seq or one
    entries: dict[str, Entry]


def plan_threads(request: Request) -> Plan:
    """Pages with one panel for each benchmark, variant and point on all other axes."""
    panels, left_out = narrow("threads", panels_over(THREADS, request), request.result.reference)
    curves = curves_for(THREADS, request, panels)
    everything = entries_of(request.result)
    bases = {id(panel): basis_of(panel, everything) for panel in panels}
    if any(bases.values()):
        both = replace(curves.sizes, panel_height=curves.height + GAP + HEIGHT)
        curves = replace(curves, sizes=both)

    def draw(page: list[Panel]) -> Figure:
        entries = [entry for panel in panels for entry in panel.entries]
        return draw_page(request, curves, page, (entries, [bases[id(panel)] for panel in page]))

    return Plan(paginate("threads", panels, curves.sizes.per_page), draw, left_out)


def basis_of(panel: Panel, everything: Sequence[Entry]) -> Basis | None:
    """Sequential code where each level has it, else one thread of the same variant."""
    levels = {entry.level for entry in panel.entries if entry.median is not None}
    sequential = {
        entry.level: entry
        for entry in reversed(everything)
        if entry.axes["variant"] == "seq" and entry.median is not None and fits(panel, entry)
    }
    if levels and levels <= sequential.keys():
        return Basis("seq", sequential)
    one = {e.level: e for e in panel.entries if e.threads == 1 and e.median is not None}
    return Basis("one", one) if one else None


def fits(panel: Panel, entry: Entry) -> bool:
    """Whether an entry differs from those of a panel in nothing but variant and threads.

    It need not take all of their parameters.
    """
    shared = (axis for axis in panel.shared if axis not in ("variant", "parameters"))
    own, others = (e.row.configuration.own for e in (entry, panel.entries[0]))
    return set(own) <= set(others) and all(entry.axes[a] == panel.shared[a] for a in shared)


def draw_page(
    request: Request,
    curves: Curves,
    panels: list[Panel],
    context: tuple[Sequence[Entry], Sequence[Basis | None]],
) -> Figure:
    entries, bases = context
    curves = curves_on(request, curves, panels)
    scale = scale_on(THREADS, panels)
    kinds = dict.fromkeys(basis.kind for basis in bases if basis)
    hints = [hint_of(curves, panels), *(f"{HINT[k]}, median over rounds." for k in kinds)]
    page = start_page(curves, panels, entries, " ".join(filter(None, hints)))
    crowded = is_crowded(e for panel in panels for e in panel.entries)
    for index, (panel, box) in enumerate(zip(panels, page.boxes, strict=True)):
        upper = replace(box, bottom=box.bottom + box.height - curves.height, height=curves.height)
        axes = page.add_axes(upper)
        page.add_title(axes, index)
        draw_speeds(axes, curves, panel, (upper.width, scale), crowded)
        basis = bases[index]
        if basis is None:
            name_axis(axes, THREADS, scale)
            continue
        axes.tick_params(axis="x", labelbottom=False)
        lower = page.add_axes(replace(box, height=HEIGHT))
        draw_efficiency(lower, curves, panel, (scale, basis))
        finish(lower, scale, box, basis)
    return page.figure


def draw_efficiency(axes: Axes, curves: Curves, panel: Panel, frame: tuple[Scale, Basis]) -> None:
    scale, basis = frame
    for level in curves.levels:
        if level not in basis.entries:
            continue
        own = [(e.threads, efficiency(e, basis.entries[level])) for e in of(panel, level)]
        known = sorted((threads, share) for threads, share in own if threads is not None)
        draw_line(
            axes,
            curves.looks[level],
            [scale.place(threads) for threads, _ in known],
            [share for _, share in known],
        )


def of(panel: Panel, level: str) -> list[Entry]:
    return [entry for entry in panel.entries if entry.level == level]


def efficiency(entry: Entry, basis: Entry) -> float:
    """Speed over threads times that of the basis, paired by round where both share rounds.

    NaN where there is no valid sample.
    """
    if entry.median is None or basis.median is None or entry.threads is None:
        return math.nan
    speeds = {round_: speed for round_, speed in basis.row.values if round_ is not None}
    pairs = [speed / speeds[round_] for round_, speed in entry.row.values if round_ in speeds]
    ratio = statistics.median(pairs) if pairs else entry.median / basis.median
    return ratio / entry.threads


def finish(axes: Axes, scale: Scale, box: Box, basis: Basis) -> None:
    axes.axhline(1, color=GREY, linewidth=0.8, linestyle=":", zorder=1)
    axes.set_ylim(0, max(1.1, 1.05 * axes.dataLim.y1))
    axes.yaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 5, 10]))
    axes.set_ylabel(LABEL[basis.kind])
    scale.show(axes, box.width)
    name_axis(axes, THREADS, scale)
