# SPDX-License-Identifier: BSD-3-Clause
"""The split as a picture: a bar of thread-time for each side, cut into its terms."""

from collections.abc import Sequence
from dataclasses import replace

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from pollux.core.text import digits
from pollux.insight.explaining.explanation import Explanation, SideResult
from pollux.insight.explaining.groups import BY_KEY
from pollux.insight.explaining.words import MS, ranges_in_words, time_text
from pollux.insight.traces.view import runtime_label
from pollux.output.figures.page import MARGIN, Page, Sizes
from pollux.output.figures.palette import runtime_colours
from pollux.output.figures.style import LINE, NO_BREAK, PAGE_WIDTH, clean, house_style, length

# Greys for kernels, one hue for the runtime's overhead, and one for each kind of idle time, none of
# them the colour of a runtime. Text is black on the light ones, white on the others.
COLOURS = {
    "work": "#CFD4D9",
    "slowdown": "#8A949E",
    "creating": "#A50F15",
    "uncreated": "#FCBBA1",
    "dispatch": "#EF3B2C",
    "finishing": "#FC9272",
    "lack": "#6A51A3",
    "ready": "#F6D55C",
    "messages": "#2A9D8F",
}
LIGHT = ("work", "slowdown", "uncreated", "finishing", "ready")
BAR = 0.24  # inches
BELOW = 0.05  # from a bar to the line of its range
PITCH = BAR + LINE + BELOW + 0.16  # from bar to bar, with a name above each
SQUARE = 0.09  # in the runtime's colour, next to a name
SEEN = 0.001  # of the thread-time: a smaller piece is not in the legend


def split_figure(found: Explanation, width: float = PAGE_WIDTH) -> Figure:
    """Stacked bars, one for each side."""
    sides = found.sides
    height = PITCH * len(sides) + 0.05
    inner = width - 2 * MARGIN - 0.15
    legend = [
        (Patch(facecolor=COLOURS[key], edgecolor="white", linewidth=0.5), BY_KEY[key].name)
        for key in seen_terms(sides)
    ]
    title = clean(found.subject or " and ".join(side.name for side in sides))
    with house_style():
        page = Page(Sizes(width, 1, inner, height), [title], legend, caption(found))
        box = replace(page.boxes[0], left=MARGIN + 0.05)
        axes = page.add_axes(box)
        page.add_title(axes, 0)
        limit = max(side.terms_end for side in map(Bar, sides)) + room_for_totals(sides, inner)
        axes.set_xlim(0, limit)
        axes.set_ylim(height, 0)
        colours = colours_of(sides)
        for number, side in enumerate(sides):
            draw_side(axes, Bar(side), PITCH * number, limit / inner, colours[number])
        finish(axes)
    page.figure.set_label("split")
    return page.figure


class Bar:
    """The pieces of a side, ms, from left to right; their sum is the thread-time."""

    def __init__(self, side: SideResult) -> None:
        self.side = side
        terms = side.split.terms
        times = {key: getattr(terms, key) / MS for key in COLOURS}
        if times["slowdown"] < 0:  # faster than alone: no such piece, and less work
            times["work"] += times["slowdown"]
            times["slowdown"] = 0.0
        self.pieces = times
        self.total = terms.total / MS

    @property
    def ends(self) -> tuple[float, float]:
        """Of the range of the thread-time over rounds."""
        threads, region = self.side.measured.threads, self.side.region
        return threads * region.low / MS, threads * region.high / MS

    @property
    def terms_end(self) -> float:
        return max(self.total, self.ends[1])


def seen_terms(sides: Sequence[SideResult]) -> list[str]:
    bars = [Bar(side) for side in sides]
    return [
        key for key in COLOURS if any(bar.pieces[key] > SEEN * max(1e-9, bar.total) for bar in bars)
    ]


def room_for_totals(sides: Sequence[SideResult], inner: float) -> float:
    """Milliseconds of the axis that the text next to the longest bar takes."""
    longest = max(Bar(side).terms_end for side in sides)
    text = max(length(total_text(Bar(side))) for side in sides) + 0.12
    return longest * text / max(inner - text, inner / 2)


def total_text(bar: Bar) -> str:
    return time_text(bar.side.split.terms.total)


def colours_of(sides: Sequence[SideResult]) -> list[str]:
    """The colour of each side's runtime."""
    labels = [runtime_label(side.run_shown) for side in sides]
    colours = runtime_colours(labels)
    return [colours[label] for label in labels]


def draw_side(axes: Axes, bar: Bar, top: float, scale: float, colour: str) -> None:
    """A name, and below it the bar; `scale` is ms per inch, `top` is in inches."""
    name = top + LINE / 2 + 0.04
    axes.barh(name, SQUARE * scale, SQUARE, color=colour, linewidth=0)
    axes.text((SQUARE + 0.06) * scale, name, clean(bar.side.name), va="center", weight="bold")
    middle = top + LINE + 0.1 + BAR / 2
    left = 0.0
    for key, size in bar.pieces.items():
        axes.barh(
            middle, size, BAR, left, color=COLOURS[key], edgecolor="white", linewidth=0.4
        ).set_label(key)
        share = f"{100 * size / bar.total:.0f}{NO_BREAK}%" if bar.total else ""
        if size / scale > length(share) + 0.06:
            ink = "black" if key in LIGHT else "white"
            axes.text(left + size / 2, middle, share, ha="center", va="center", color=ink)
        left += size
    low, high = bar.ends
    if len(bar.side.rounds) > 1:
        axes.errorbar(
            (low + high) / 2,
            middle + BAR / 2 + BELOW,
            xerr=(high - low) / 2,
            fmt="none",
            ecolor="black",
            elinewidth=0.9,
            capsize=2,
        )
    axes.text(bar.total + 0.06 * scale, middle, total_text(bar), va="center")


def finish(axes: Axes) -> None:
    axes.grid(visible=False)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.xaxis.set_major_locator(MaxNLocator(8, steps=[1, 2, 5, 10]))
    axes.set_xlabel("thread-time (ms)")


def caption(found: Explanation) -> str:
    """What the pieces are, and what they leave out."""
    rounds = [len(side.rounds) for side in found.sides]
    parts = ["Threads × time, cut into what the threads did."]
    if max(rounds) > 1:
        what = "ratio of times" if len(rounds) == 2 and rounds[0] == rounds[1] else "time"
        of = " and ".join(map(str, dict.fromkeys(rounds)))
        parts.append(
            f"Bars: the round with the median {what}, of {of}; lines below: "
            f"{ranges_in_words(found)}."
        )
        if any(side.is_alone_known for side in found.sides):
            parts.append("Work: each call's median on one thread alone.")
    for side in found.sides:
        if side.split.terms.slowdown < 0:
            faster = digits(-side.split.terms.slowdown / MS, 4)
            parts.append(
                f"{side.name}: kernels took {faster} ms less than alone; work is that much shorter."
            )
        elif not side.is_alone_known:
            parts.append(f"{side.name}: no run on one thread; work includes any kernel slow-down.")
    return clean(" ".join(parts))
