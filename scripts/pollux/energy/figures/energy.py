# SPDX-License-Identifier: BSD-3-Clause
"""Figures of energy: of packages and memory, and relative to the reference runtime.

As Figure 3 of Lima et al., IJHPCA 33(3), 2019, and Figure 3 of their paper at SBAC-PADW 2017.
"""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from pollux.core.analysis.result import Interval, Result, Row, Verdict
from pollux.core.grouping import grouped
from pollux.core.text import one_line
from pollux.energy.analysis.points import (
    Point,
    Points,
    in_groups,
    label_of,
    levers_in_words,
    runs_of_each,
    unit_for,
)
from pollux.output.figures.entries import looks_for
from pollux.output.figures.selection import Plan, Request, chosen, numbered
from pollux.output.figures.sheet import Sheet, draw_sheet
from pollux.output.figures.style import COLOURS, GREY, Look

ROW = 0.17  # inches of a bar or a line
BAR = 0.72  # of a row
MOST = 48  # rows of a page: six runtimes with eight settings of three levers
KINDS = (("package", COLOURS[0], ""), ("memory", COLOURS[4], "////"))


def wanted_points(request: Request) -> list[Point]:
    """The points of configurations that are drawn."""
    if request.points is None:
        return []
    keys = {entry.row.key for entry in chosen(request)}
    return [point for point in request.points.points if point.key in keys]


def plan_energy(request: Request) -> Plan:
    """A page of bars for each group of points, those of least energy first."""
    pages = []
    for group, own in in_groups(wanted_points(request)).items():
        own.sort(key=lambda point: point.mean.joules)
        pages.append((f"{page_name(group)}-energy", own))
    left_out = [
        f"energy: the {MOST} configurations of least energy of {len(own)} in {name}"
        for name, own in pages
        if len(own) > MOST
    ]

    def draw(points: list[Point]) -> Figure:
        assert request.points is not None
        return energy_figure(points[:MOST], points, request.points, request.width)

    return Plan(pages, draw, "; ".join(left_out) or None)


def page_name(group: str) -> str:
    return one_line(group).replace(" ", "-").replace("=", "").replace(",", "")


def energy_figure(
    points: Sequence[Point], everything: Sequence[Point], data: Points, width: float
) -> Figure:
    """Stacked bars of packages and memory, or of the whole where its parts are not known."""
    means = [point.mean for point in points]
    has_parts = all(mean.package is not None and mean.memory is not None for mean in means)
    unit, scale = unit_for(max(mean.joules for mean in means))
    parts = (
        [(name, colour, hatch, [getattr(m, name) for m in means]) for name, colour, hatch in KINDS]
        if has_parts
        else [(data.total, COLOURS[0], "", [mean.joules for mean in means])]
    )
    sheet = Sheet(
        title=f"{points[0].group}: energy of {data.total}",
        caption=f"{counted(points)}; points: every run. {levers_in_words(everything)} Source: "
        f"{data.source}.".replace("  ", " "),
        legend=[
            (Patch(facecolor=colour, hatch=hatch, alpha=0.55), name)
            for name, colour, hatch, _ in parts
        ],
        rows=[label_of(point, everything) for point in points],
    )
    figure, axes = draw_sheet(sheet, width, ROW * len(points) + 0.05)
    left = np.zeros(len(points))
    for name, colour, hatch, values in parts:
        lengths = np.array(values, dtype=float) / scale
        axes.barh(
            range(len(points)),
            lengths,
            BAR,
            left=left,
            color=colour,
            alpha=0.55,
            hatch=hatch,
            edgecolor=colour,
            linewidth=0.5,
            label=name,
        )
        left += lengths
    for place, point in enumerate(points):
        totals = [o.joules / scale for o in point.observations]
        axes.plot(totals, [place] * len(totals), ".", color="#303030", markersize=1.6, alpha=0.6)
    highest = max(o.joules for point in points for o in point.observations) / scale
    axes.set_xlim(0, 1.04 * highest)
    axes.set_xlabel(f"energy ({unit})", labelpad=1)
    return figure


def counted(points: Sequence[Point]) -> str:
    return f"Means of {runs_of_each(points)} of each configuration"


def plan_joules(request: Request) -> Plan:
    """Pages of ratios to the reference's energy for each group, a line for each configuration."""
    result = request.points.result if request.points else None
    if result is None:
        return Plan([], lambda page: Figure(), None)
    points = {point.key: point for point in wanted_points(request)}
    compared = [r for r in result.rows if r.key in points and r.comparison.ratio is not None]
    pages = []
    for group, rows in grouped(compared, lambda row: points[row.key].group).items():
        pages += numbered(f"{page_name(group)}-energy-relative", rows, MOST)
    looks = looks_for(result)
    return Plan(pages, lambda page: joules_figure(page, points, result, looks, request.width), None)


def joules_figure(
    rows: Sequence[Row],
    points: dict[str, Point],
    result: Result,
    looks: dict[str, Look],
    width: float,
) -> Figure:
    """The ratio of joules with its 95 % interval; grey where no difference is shown."""
    group = points[rows[0].key].group
    everything = [point for point in points.values() if point.group == group]
    sheet = Sheet(
        title=f"{group}: joules relative to {result.reference}",
        caption=f"Ratio of joules to {result.reference}, Hodges-Lehmann estimate and 95 % "
        "interval; left of the line is less energy, grey is not shown to differ. "
        f"{levers_in_words(everything)} Source: {result.source}.".replace("  ", " "),
        rows=[label_of(points[row.key], everything) for row in rows],
    )
    figure, axes = draw_sheet(sheet, width, ROW * len(rows) + 0.05)
    axes.axvline(1, color="black", linewidth=0.6)
    for place, row in enumerate(rows):
        ratio = row.comparison.ratio
        assert ratio is not None
        shown = row.comparison.verdict in (Verdict.BETTER, Verdict.WORSE)
        colour = looks[row.level].colour if shown else GREY
        if ratio.bounded:
            axes.plot([ratio.low, ratio.high], [place, place], color=colour, linewidth=1)
        axes.plot(
            [ratio.estimate],
            [place],
            looks[row.level].marker,
            color=colour,
            markersize=3.5,
            markerfacecolor=colour if shown else "white",
        )
    low, high = extent([r for row in rows if (r := row.comparison.ratio) is not None])
    axes.set_xlim(low, high)
    axes.set_xlabel(f"joules / joules of {result.reference}", labelpad=1)
    return figure


def extent(ratios: Sequence[Interval]) -> tuple[float, float]:
    """Limits that show all intervals and the 1."""
    ends = [1.0, *(r.estimate for r in ratios)]
    ends += [end for r in ratios if r.bounded for end in (r.low, r.high)]
    room = 0.06 * (max(ends) - min(ends)) or 0.01
    return min(ends) - room, max(ends) + room
