# SPDX-License-Identifier: BSD-3-Clause
"""Correlograms: Pearson's r of all pairs of levers and figures, the insignificant ones crossed out.

As Figure 5 of Lima et al., IJHPCA 33(3), 2019, whose caption has it the other way round.
"""

from math import isnan, sqrt

from matplotlib import colormaps
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from pollux.energy.analysis.correlation import (
    Correlations,
    all_correlations,
    critical,
    of_best_performance,
)
from pollux.energy.analysis.points import is_whole, name_of
from pollux.energy.figures.energy import page_name, wanted_points
from pollux.output.figures.selection import Plan, Request
from pollux.output.figures.sheet import Sheet, draw_sheet
from pollux.output.figures.style import GREY

CELL = 0.5  # inches
NARROW = 0.35  # too little for a sign and all digits
COLOURS = colormaps["RdBu"]  # red is negative, blue positive, as corrplot's default


def plan_correlation(request: Request) -> Plan:
    """A page for the levers of the fastest runtime of each group."""
    found = of_best_performance(all_correlations(wanted_points(request)))
    total = request.points.total if request.points else ""
    return Plan(
        [(f"{page_name(own.group)}-correlation", own) for own in found],
        lambda own: correlogram(own, total, request.width),
        None,
    )


def correlogram(own: Correlations, total: str, width: float) -> Figure:
    """The lower triangle: a disc in the colour of r, its number, and a cross where it is chance."""
    variables = [name for name in own.variables if not is_whole(name, total)]
    names = [name_of(name, total) for name in variables]
    count = len(names)
    unit = "runs" if own.of_runs else "means of configurations"
    codings = "; ".join(coding.words for coding in own.codings).replace(" -", " \N{MINUS SIGN}")
    sheet = Sheet(
        title=f"correlations: {own.group} on {own.label}",
        caption=" ".join(
            [
                f"Pearson's r, n = {own.n} {unit}; crossed out: not significant at 5 % "
                f"(|r| below {critical(own.n):.3f}). {codings}.",
                *own.remarks,
            ]
        ),
        rows=names,
    )
    size = min(CELL, (width - 1.8) / count)
    figure, axes = draw_sheet(sheet, width, size * count)
    axes.grid(visible=False)
    axes.set_xlim(-0.5, -0.5 + axes.get_position().width * width / size)
    axes.set_xticks(range(count - 1), names[:-1], rotation=25, ha="right", rotation_mode="anchor")
    axes.tick_params(axis="x", length=0)
    axes.spines[["left", "bottom"]].set_visible(False)
    for row, second in enumerate(variables):
        for column, first in enumerate(variables[:row]):
            pair = own.pair(first, second)
            if isnan(pair.r):
                axes.text(column, row, "–", ha="center", va="center", color=GREY)
                continue
            disc = Circle(
                (column, row),
                0.46 * sqrt(abs(pair.r)),
                facecolor=COLOURS((1 + pair.r) / 2),
                linewidth=0,
            )
            axes.add_patch(disc)
            dark = abs(pair.r) > 0.6
            colour = "white" if dark else "black"
            text = number(pair.r, is_narrow=size < NARROW)
            axes.text(column, row, text, ha="center", va="center", color=colour)
            if not pair.is_significant:
                axes.plot([column], [row], "x", color=GREY, markersize=46 * size, alpha=0.5,
                          markeredgewidth=0.6, gid="insignificant")  # fmt: skip
    return figure


def number(r: float, *, is_narrow: bool) -> str:
    """Such as "+0.31"; ".31" where there is little room."""
    text = f"{r:+.2f}"
    if is_narrow:
        text = text.removeprefix("+").replace("0.", ".") if abs(r) < 0.995 else f"{r:.0f}"
    return text.replace("-", "\N{MINUS SIGN}")
