# SPDX-License-Identifier: BSD-3-Clause
"""Lays out a page: a legend above, panels in columns, and a caption below; all in inches."""

import math
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pollux.output.figures.style import CHARACTER, LINE, PROSE, length, shorten

HEIGHT = 9.2  # of the tallest page: A4 less its margins
LEFT = 0.48  # of a panel, for the numbers and the name of its vertical axis
RIGHT = 0.12
BELOW = 0.40  # of a panel, for its ticks and the name of its horizontal axis
MARGIN = 0.06  # of the page
KEY = 0.45  # width of a legend entry without its text


@dataclass(frozen=True)
class Sizes:
    """How panels share a page."""

    width: float  # of the page
    columns: int
    panel_width: float  # of the axes alone
    panel_height: float
    below: float = BELOW

    @property
    def title_room(self) -> float:
        """Inches that a panel's title may take."""
        return (self.width - 2 * MARGIN) / self.columns - LEFT - 0.05

    @property
    def per_page(self) -> int:
        rows = int((HEIGHT - 1.2) / (self.panel_height + self.below + 2 * LINE + 0.1))
        return self.columns * max(1, rows)


@dataclass(frozen=True)
class Box:
    """Where the axes of a panel stand on their page."""

    left: float
    bottom: float
    width: float
    height: float


def balanced(panels: int, columns: int) -> int:
    """The fewest columns, of at most so many, that need no more rows: they fill the page best."""
    rows = math.ceil(panels / columns)
    return math.ceil(panels / rows)


def sizes_for(
    panels: int, width: float, least: float, height: float, below: float = BELOW
) -> Sizes:
    """Panels on a page of this width: as many columns as there is room for, at `least` so wide."""
    usable = width - 2 * MARGIN
    columns = balanced(max(1, panels), max(1, int(usable / (least + LEFT + RIGHT))))
    return Sizes(width, columns, usable / columns - LEFT - RIGHT, height, below)


class Page:
    """A figure under construction; `boxes` are the places of its panels."""

    def __init__(
        self,
        sizes: Sizes,
        titles: Sequence[str],
        legend: Sequence[tuple[Artist, str]],
        caption: str,
    ) -> None:
        self.sizes = sizes
        self.titles = [wrapped(title, sizes.title_room) for title in titles]
        self.caption = textwrap.wrap(caption, int((sizes.width - 2 * MARGIN) / PROSE))
        self.legend = [(a, shorten(text, sizes.width - 2 * KEY)) for a, text in legend]
        self.title_height = LINE * max(title.count("\n") + 1 for title in self.titles) + 0.06
        self.legend_columns = legend_columns([text for _, text in self.legend], sizes.width)
        legend_rows = math.ceil(len(self.legend) / self.legend_columns)
        self.top = MARGIN + legend_rows * (LINE + 0.03) + 0.06
        self.foot = MARGIN + len(self.caption) * LINE + 0.04
        rows = math.ceil(len(titles) / sizes.columns)
        self.row_height = self.title_height + sizes.panel_height + sizes.below
        self.height = self.top + rows * self.row_height + self.foot
        self.figure = Figure(figsize=(sizes.width, self.height))
        self.add_legend()
        self.add_caption()

    def panels(self) -> Iterator[tuple[Axes, float]]:
        """The axes of each panel with its title, and their width in inches."""
        for index, box in enumerate(self.boxes):
            axes = self.add_axes(box)
            self.add_title(axes, index)
            yield axes, box.width

    @property
    def boxes(self) -> list[Box]:
        sizes = self.sizes
        pitch = (sizes.width - 2 * MARGIN) / sizes.columns
        return [
            Box(
                MARGIN + (i % sizes.columns) * pitch + LEFT,
                self.height
                - self.top
                - (i // sizes.columns + 1) * self.row_height
                + self.sizes.below,
                sizes.panel_width,
                sizes.panel_height,
            )
            for i in range(len(self.titles))
        ]

    def add_axes(self, box: Box) -> Axes:
        width, height = self.sizes.width, self.height
        place = (box.left / width, box.bottom / height, box.width / width, box.height / height)
        axes = self.figure.add_axes(place)
        axes.tick_params(length=2, pad=2)
        axes.yaxis.labelpad = 2
        axes.xaxis.labelpad = 2
        axes.set_axisbelow(True)
        axes.set_autoscale_on(False)  # limits are set from the data at the end
        axes.grid(axis="y", color="#dddddd", linewidth=0.5)
        return axes

    def add_title(self, axes: Axes, index: int) -> None:
        # With y given, matplotlib does not measure all labels to find a free height.
        axes.set_title(self.titles[index], loc="left", fontweight="bold", pad=4, y=1)

    def add_legend(self) -> None:
        self.figure.legend(
            [artist for artist, _ in self.legend],
            [text for _, text in self.legend],
            loc="upper left",
            bbox_to_anchor=(MARGIN / self.sizes.width, 1 - MARGIN / self.height),
            ncols=self.legend_columns,
            frameon=False,
            borderaxespad=0,
            borderpad=0,
            handlelength=2.4,
            columnspacing=1.2,
            labelspacing=0.4,
        )

    def add_caption(self) -> None:
        self.figure.text(
            MARGIN / self.sizes.width,
            MARGIN / self.height,
            "\n".join(self.caption),
            va="bottom",
            linespacing=1.25,
        )


def legend_columns(texts: Sequence[str], width: float) -> int:
    """As many columns as fit side by side; matplotlib fills one after the other."""
    for columns in range(len(texts), 1, -1):
        rows, longer = divmod(len(texts), columns)
        ends = [i * rows + min(i, longer) for i in range(columns + 1)]
        widest = (max(map(length, texts[a:b])) + KEY for a, b in pairwise(ends))
        if sum(widest) <= width - 2 * MARGIN:
            return columns
    return 1


def wrapped(title: str, room: float) -> str:
    """A title in at most two lines."""
    lines = textwrap.wrap(shorten(title, 2 * room), max(5, int(room / CHARACTER)))
    return "\n".join([*lines[:1], *(shorten(" ".join(lines[1:]), room) for _ in lines[1:2])])
