# SPDX-License-Identifier: BSD-3-Clause
"""A page with one pair of axes: a title and a legend above, named rows at its left, a caption."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pollux.output.figures.page import legend_columns
from pollux.output.figures.style import LINE, NO_BREAK, PROSE, clean, length, shorten

MARGIN = 0.06  # inches
BELOW = 0.42  # for ticks and the name of the horizontal axis
NAMES_MOST = 0.42  # of the width, for the names of rows


@dataclass(frozen=True)
class Sheet:
    """What stands around the axes."""

    title: str
    caption: str
    legend: Sequence[tuple[Artist, str]] = ()
    rows: Sequence[str] = ()  # names, from top to bottom
    room: float = 0.0  # inches left of the axes, at least


def draw_sheet(sheet: Sheet, width: float, height: float) -> tuple[Figure, Axes]:
    """A figure of this width with axes of this height, all in inches."""
    caption = textwrap.wrap(unbroken(sheet.caption), int((width - 2 * MARGIN) / PROSE))
    left = 0.55
    if sheet.rows:
        left = min(NAMES_MOST * width, max(map(length, sheet.rows)) + 0.12)
        left = max(sheet.room, left)
    texts = [clean(text) for _, text in sheet.legend]
    columns = legend_columns(texts, width)
    top = MARGIN + LINE * (1.5 + 1.3 * -(-len(texts) // columns))
    foot = BELOW + MARGIN + LINE * len(caption)
    total = top + height + foot
    figure = Figure(figsize=(width, total))
    box = (left / width, foot / total, (width - left - 0.15) / width, height / total)
    axes = figure.add_axes(box)
    axes.tick_params(length=2, pad=2)
    axes.set_axisbelow(True)
    figure.text(
        MARGIN / width,
        1 - MARGIN / total,
        shorten(clean(sheet.title), width - 2 * MARGIN),
        va="top",
        fontweight="bold",
    )
    figure.text(MARGIN / width, MARGIN / total, "\n".join(caption), va="bottom", linespacing=1.25)
    if sheet.legend:
        figure.legend(
            [artist for artist, _ in sheet.legend],
            texts,
            loc="upper left",
            bbox_to_anchor=(MARGIN / width, 1 - (MARGIN + 1.4 * LINE) / total),
            ncols=columns,
            frameon=False,
            borderaxespad=0,
            borderpad=0,
            handlelength=1.8,
            columnspacing=1.2,
        )
    if sheet.rows:
        room = left - 0.1
        names = [shorten(clean(name), room) for name in sheet.rows]
        axes.set_yticks(range(len(names)), names)
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.grid(axis="x", color="#dddddd", linewidth=0.5)
    return figure, axes


def unbroken(text: str) -> str:
    """Numbers stay with their units at the ends of lines."""
    for loose in ("95 %", " = ", " × ", "5 %"):
        text = text.replace(loose, loose.replace(" ", NO_BREAK))
    return clean(text)
