# SPDX-License-Identifier: BSD-3-Clause
"""Energy against speed, with the Pareto front."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pollux.energy.analysis.points import (
    Point,
    Points,
    in_groups,
    label_of,
    levers_in_words,
    unit_for,
)
from pollux.energy.analysis.tradeoff import front
from pollux.energy.figures.energy import counted, page_name, wanted_points
from pollux.output.figures.palette import runtime_colours
from pollux.output.figures.selection import Plan, Request
from pollux.output.figures.sheet import Sheet, draw_sheet
from pollux.output.figures.style import MARKERS, clean, length

HEIGHT = 3.0  # inches
NAMED = 8  # points of a front with their names


def plan_pareto(request: Request) -> Plan:
    """A page for each group of two points or more."""
    groups = in_groups(wanted_points(request))
    pages = [
        (f"{page_name(group)}-energy-over-speed", own)
        for group, own in groups.items()
        if len(own) > 1
    ]

    def draw(page: list[Point]) -> Figure:
        assert request.points is not None
        return pareto_figure(page, request.points, request.width)

    return Plan(pages, draw, None)


def pareto_figure(points: Sequence[Point], data: Points, width: float) -> Figure:
    """The mean of each configuration, its runs as small points, and the front as a line."""
    runtimes = list(dict.fromkeys(point.choices.get("runtime", "") for point in points))
    colours = runtime_colours(runtimes)
    marks = {name: MARKERS[k % len(MARKERS)] for k, name in enumerate(runtimes)}
    legend = [
        (Line2D([], [], marker=marks[name], color=colours[name], linestyle="", markersize=4), name)
        for name in runtimes
    ]
    best = front(points)
    sheet = Sheet(
        title=f"{points[0].group}: energy of {data.total} over speed",
        caption=f"{counted(points)}; small points: every run. Line: Pareto front, the "
        "configurations that no other beats in both (right and below is better). "
        f"{levers_in_words(points)} Source: {data.source}.",
        legend=legend,
    )
    figure, axes = draw_sheet(sheet, width, HEIGHT)
    unit, scale = unit_for(max(point.mean.joules for point in points))
    for point in points:
        name = point.choices.get("runtime", "")
        if len(point.observations) > 1:
            axes.plot(
                [o.gflops for o in point.observations],
                [o.joules / scale for o in point.observations],
                ".",
                color=colours[name],
                markersize=1.5,
                alpha=0.35,
            )
        axes.plot(
            [point.mean.gflops],
            [point.mean.joules / scale],
            marks[name],
            color=colours[name],
            markersize=4.5 if point in best else 3.5,
            markerfacecolor=colours[name] if point in best else "white",
        )
    speeds = [point.mean.gflops for point in best]
    axes.plot(speeds, [point.mean.joules / scale for point in best], color="black",
              linewidth=0.7, gid="front", zorder=1)  # fmt: skip
    axes.grid(color="#dddddd", linewidth=0.5)
    axes.margins(0.08)
    axes.set_xlabel("GFlop/s", labelpad=1)
    axes.set_ylabel(f"energy ({unit})", labelpad=2)
    name_front(axes, best, points, scale)
    return figure


def name_front(axes: Axes, best: Sequence[Point], points: Sequence[Point], scale: float) -> None:
    """The names of the front's points, on the side where there is room."""
    low, high = axes.get_xlim()
    for point in best[:NAMED]:
        text = clean(label_of(point, points))
        share = (point.mean.gflops - low) / (high - low)
        aside = -4 if share > 0.5 else 4
        axes.annotate(
            text,
            (point.mean.gflops, point.mean.joules / scale),
            xytext=(aside, -7),
            textcoords="offset points",
            ha="right" if aside < 0 else "left",
            fontsize=6 if length(text) > 2.5 else None,
        )
