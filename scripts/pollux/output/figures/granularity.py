# SPDX-License-Identifier: BSD-3-Clause
"""Efficiency against the granularity of tasks, with the least effective one marked."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from pollux.core.analysis import statistics
from pollux.core.analysis.quantities import origin
from pollux.core.analysis.result import Interval, Result
from pollux.core.campaign.samples import Sample
from pollux.output.figures.entries import Entry, levels_of, looks_for
from pollux.output.figures.selection import Plan, Request, numbered
from pollux.output.figures.style import GREY, Look
from pollux.output.figures.times import (
    Panel,
    alike,
    caption_for,
    entries_for,
    page_of,
    panels_of,
)

HEIGHT = 1.8  # inches of a panel
LEAST = 2.0  # inches of its width
PER_PAGE = 9
MARKS = {"metg_50": 0.5, "metg_90": 0.9}  # quantities, with the efficiency that they are for


@dataclass(frozen=True)
class Curve:
    """Efficiency over granularity: medians over samples, grain by grain."""

    granularity: list[float]  # ns
    efficiency: list[Interval]


def plan_granularity(request: Request) -> Plan:
    """Pages with one panel for each pattern and point on all other axes."""
    has_curve = {s.configuration for s in request.result.dataset.samples if s.curve}
    entries = entries_for(
        request,
        lambda e: e.row.key in has_curve and not e.row.configuration.is_term,
    )
    pages = numbered("granularity-efficiency", panels_of(alike(entries)), PER_PAGE)
    return Plan(pages, lambda page: draw(request, page), None)


def draw(request: Request, panels: Sequence[Panel]) -> Figure:
    entries = [entry for panel in panels for entry in panel.entries]
    hint = (
        "Efficiency: the reference's time of a task's work over its granularity, which is time per "
        "task times threads. Rings: METG(50 %) and METG(90 %), the least granularity with that "
        "efficiency."
    )
    page = page_of(request, panels, caption_for(request.result, entries, hint), HEIGHT, LEAST)
    samples = request.result.dataset.used_by
    curves = {entry.row.key: curve_of(samples.get(entry.row.key, [])) for entry in entries}
    looks = looks_for(request.result)
    every = [ns for curve in curves.values() for ns in curve.granularity]
    for panel, (axes, _) in zip(panels, page.panels(), strict=True):
        for level in levels_of(request.result):
            for entry in (e for e in panel.entries if e.level == level):
                draw_curve(axes, looks[level], curves[entry.row.key])
                mark(axes, looks[level], request.result, entry)
        finish(axes, every)
    return page.figure


def curve_of(samples: Iterable[Sample]) -> Curve:
    """The medians over samples of those grains that all samples have."""
    curves = [{point.grain: point for point in s.curve} for s in samples if s.curve]
    grains = sorted(set.intersection(*map(set, curves))) if curves else []
    table = np.array([[curve[grain].efficiency for curve in curves] for grain in grains])
    if not grains:
        return Curve([], [])
    ends = np.stack(statistics.median_intervals(table), axis=1).tolist()
    granularity = [float(np.median([c[grain].granularity_ns for c in curves])) for grain in grains]
    return Curve(granularity, [Interval(*three) for three in ends])


def draw_curve(axes: Axes, look: Look, curve: Curve) -> None:
    middle = [point.estimate for point in curve.efficiency]
    axes.plot(curve.granularity, middle, color=look.colour, linestyle=look.dash, lw=1, zorder=4)
    axes.plot(curve.granularity, middle, look.marker, color=look.colour, ms=2.5, zorder=5)
    known = [
        (ns, e) for ns, e in zip(curve.granularity, curve.efficiency, strict=True) if e.bounded
    ]
    places = [ns for ns, _ in known]
    ends = [e.low for _, e in known], [e.high for _, e in known]
    axes.vlines(places, *ends, color=look.colour, lw=0.8, zorder=3)


def mark(axes: Axes, look: Look, result: Result, entry: Entry) -> None:
    """Rings at the METG that the samples of a configuration have, with their intervals."""
    ran = origin(entry.row.key)
    for row in result.rows:
        share = MARKS.get(row.configuration.quantity or "")
        if share is not None and origin(row.key) == ran and row.figure:
            if row.figure.bounded:
                ends = [row.figure.low], [row.figure.high]
                axes.hlines([share], *ends, color=look.colour, lw=1.2, zorder=6)
            at = [row.figure.estimate], [share]
            axes.plot(*at, "o", mfc="none", mec=look.colour, ms=6, mew=1.0, zorder=7)


def finish(axes: Axes, every: Sequence[float]) -> None:
    axes.set_xscale("log")
    if every:
        axes.set_xlim(min(every) / 1.3, max(every) * 1.3)
    axes.set_ylim(0, max(1.1, 1.05 * axes.dataLim.y1))
    for share in MARKS.values():
        axes.axhline(share, color=GREY, lw=0.8, ls=":", zorder=1)
    axes.xaxis.set_major_locator(LogLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda ns, _: f"{ns / 1000:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("granularity in µs (logarithmic)")
    axes.set_ylabel("efficiency")
