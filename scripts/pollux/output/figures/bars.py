# SPDX-License-Identifier: BSD-3-Clause
"""GFlop/s by runtime: bars grouped by variant, as in Lima et al., IJHPCA 33(4), 2019, Figure 2."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from pollux.core.analysis.result import Verdict
from pollux.core.text import in_percent
from pollux.output.figures.caption import caption_of
from pollux.output.figures.entries import (
    Entry,
    Panel,
    group,
    levels_among,
    looks_for,
    titles_of,
    values_of,
)
from pollux.output.figures.page import LEFT, MARGIN, RIGHT, Page, Sizes, balanced
from pollux.output.figures.points import Cloud, draw_points, is_crowded
from pollux.output.figures.selection import Plan, Request, chosen, narrow, paginate
from pollux.output.figures.style import GREY, LINE, Look, clean, length, shorten

PITCH_LEAST = 0.14  # inches from bar to bar: a line of upright text fits
PITCH_GOOD = 0.2
PITCH_MOST = 0.55
BAR = 0.88  # of the pitch
HEIGHT = 1.75  # inches of a panel
BELOW = 0.28  # inches of a panel, for the names of its groups
SLANT = 30  # degrees of names too long for their group
APART = 0.05  # of the reference's median: more between bars and label needs a word
SHOWN = (Verdict.BETTER, Verdict.WORSE)
HINT = "Above each bar: difference from {}, grey and in brackets where the samples do not show it."
MARKED = (
    "After a colon: the estimate from pairs of rounds, or from all samples, where the medians "
    f"drawn differ otherwise, by {in_percent(APART)} or more."
)


@dataclass(frozen=True)
class Bars:
    """How the bars of one plan are laid out."""

    levels: list[str]
    groups: str  # axis along which bars are grouped
    looks: dict[str, Look]
    reference: str
    sizes: Sizes
    pitch: float  # inches from bar to bar
    bar: float  # inches of a bar
    limit: float = 0.0  # of the vertical axes of a page
    upright: bool = False  # the labels above the bars of a page
    medians: dict[str, float] = field(default_factory=dict)  # of the reference, by cell

    def spread(self, names: int) -> "Bars":
        """The same for a panel with so many groups: panels are equally wide, and so are bars."""
        return replace(self, pitch=self.sizes.panel_width / (names * (len(self.levels) + 1)))


def plan_runtimes(request: Request) -> Plan:
    """Pages with one panel for each point of the grid but variant and runtime."""
    entries = chosen(request)
    levels = levels_among(request.result, entries)
    looks = looks_for(request.result)
    groups = "runtime" if request.result.by == "variant" else "variant"
    panels = group(entries, without=(groups, request.result.by))
    panels, left_out = narrow("runtimes", adopt_sequential(panels), request.result.reference)
    panels = [part for panel in panels for part in split(panel, groups, levels, request.width)]
    bars = Bars(
        levels, groups, looks, request.result.reference, *sizes_for(request, panels, groups, levels)
    )
    return Plan(
        paginate("runtimes", panels, bars.sizes.per_page),
        lambda page: draw_page(request, bars, page, entries),
        left_out,
    )


def adopt_sequential(panels: list[Panel]) -> list[Panel]:
    """Sequential code records one thread: if alone, it joins the task variants."""
    kept: list[Panel] = []
    lonely: list[Panel] = []
    for panel in panels:
        alone = all(entry.axes["variant"] == "seq" for entry in panel.entries)
        (lonely if alone and "threads" in panel.shared else kept).append(panel)
    for panel in lonely:
        homes = [
            p for p in kept if p.shared | {"threads": None} == panel.shared | {"threads": None}
        ]
        if homes:
            homes[0].entries[:0] = panel.entries
        else:
            kept.append(panel)
    return kept


def split(panel: Panel, groups: str, levels: Sequence[str], width: float) -> list[Panel]:
    """The panel, in several parts if its bars would not fit side by side."""
    names = values_of(panel.entries, groups)
    room = (width - 2 * MARGIN - LEFT - RIGHT) / PITCH_LEAST
    most = max(1, int(room / (len(levels) + 1)))
    return [
        Panel(panel.shared, [e for e in panel.entries if e.axes[groups] in names[i : i + most]])
        for i in range(0, len(names), most)
    ]


def sizes_for(
    request: Request, panels: Sequence[Panel], groups: str, levels: Sequence[str]
) -> tuple[Sizes, float, float]:
    """Columns, the pitch of bars in the fullest panel, and how wide bars are, in inches."""
    most = max((len(values_of(panel.entries, groups)) for panel in panels), default=1)
    units = most * (len(levels) + 1)
    usable = request.width - 2 * MARGIN
    columns = int(usable / (units * PITCH_GOOD + LEFT + RIGHT))
    columns = balanced(max(1, len(panels)), max(1, min(columns, 4)))
    width = usable / columns - LEFT - RIGHT
    pitch = width / units
    below = BELOW + 0.3 * slanted(panels, groups, pitch * (len(levels) + 1))
    return Sizes(request.width, columns, width, HEIGHT, below), pitch, BAR * min(pitch, PITCH_MOST)


def slanted(panels: Sequence[Panel], groups: str, room: float) -> bool:
    """Whether a group's name is longer than its group."""
    names = {str(entry.axes[groups]) for panel in panels for entry in panel.entries}
    return any(length(name) > room - 0.05 for name in names)


def draw_page(
    request: Request, bars: Bars, panels: list[Panel], entries: Sequence[Entry]
) -> Figure:
    drawn = [entry for panel in panels for entry in panel.entries]
    levels = levels_among(request.result, drawn)
    sizes, pitch, bar = sizes_for(request, panels, bars.groups, levels)
    bars = replace(bars, levels=levels, sizes=sizes, pitch=pitch, bar=bar)
    bars = replace(bars, medians=reference_medians(drawn, bars.reference))
    bars = replace(bars, upright=any(is_wide(bars, entry) for entry in drawn))
    own = [bars.spread(len(values_of(panel.entries, bars.groups))) for panel in panels]
    limit = max(map(upper_limit, own, panels), default=0.0) or 1.0
    page = Page(
        sizes,
        titles_of(panels, entries),
        [(key_of(bars.looks[level]), name_of(bars, level)) for level in levels],
        caption_of(drawn, hint_of(bars, drawn)),
    )
    crowded = is_crowded(drawn)
    for panel, layout, (axes, _) in zip(panels, own, page.panels(), strict=True):
        draw_panel(axes, replace(layout, limit=limit), panel, crowded)
        axes.set_ylabel("GFlop/s")
    return page.figure


def reference_medians(entries: Sequence[Entry], reference: str) -> dict[str, float]:
    """The height of the bar that each cell is compared with."""
    found = {e.row.cell: e.median for e in entries if e.level == reference}
    return {cell: median for cell, median in found.items() if median}


def hint_of(bars: Bars, entries: Sequence[Entry]) -> str:
    if len(bars.levels) < 2:
        return ""
    marked = any(":" in label_of(bars, entry)[0] for entry in entries)
    return HINT.format(bars.reference) + f" {MARKED}" * marked


def key_of(look: Look) -> Patch:
    return Patch(facecolor=look.fill, edgecolor=look.colour, hatch=look.hatch, linewidth=0.6)


def name_of(bars: Bars, level: str) -> str:
    several = len(bars.levels) > 1
    return clean(level) + (" (reference)" if several and level == bars.reference else "")


def draw_panel(axes: Axes, bars: Bars, panel: Panel, crowded: bool) -> None:
    names = values_of(panel.entries, bars.groups)
    step = len(bars.levels) + 1
    places = [
        (names.index(entry.axes[bars.groups]) * step + bars.levels.index(entry.level) + 1, entry)
        for entry in panel.entries
    ]
    for level in bars.levels:
        draw_level(axes, bars, level, [(x, e) for x, e in places if e.level == level], crowded)
    axes.set_xlim(0, len(names) * step)
    axes.set_ylim(0, bars.limit)
    for x, entry in places:
        draw_label(axes, bars, x, entry)
    draw_names(axes, bars, names, step)


def draw_level(
    axes: Axes, bars: Bars, level: str, places: Sequence[tuple[int, Entry]], crowded: bool
) -> None:
    """The bars of one level with their intervals and samples."""
    look, width = bars.looks[level], bars.bar / bars.pitch
    valid = [(x, entry, entry.median) for x, entry in places if entry.median is not None]
    if not valid:
        return
    axes.bar(
        [x for x, _, _ in valid],
        [median for _, _, median in valid],
        width,
        color=look.fill,
        edgecolor=look.colour,
        hatch=look.hatch,
        linewidth=0.6,
        zorder=2,
    )
    sure = [(x, median, e.interval) for x, e, median in valid if e.interval is not None]
    axes.errorbar(
        [x for x, _, _ in sure],
        [median for _, median, _ in sure],
        yerr=[[m - i[0] for _, m, i in sure], [i[1] - m for _, m, i in sure]],
        fmt="none",
        ecolor="black",
        elinewidth=0.9,
        capsize=2,
        capthick=0.9,
        zorder=4,
    )
    centres = np.concatenate([np.full(len(e.speeds), x, float) for x, e, _ in valid])
    speeds = np.concatenate([e.speeds for _, e, _ in valid])
    draw_points(axes, centres, speeds, Cloud(0.6 * width, "#303030", crowded))


def draw_label(axes: Axes, bars: Bars, x: int, entry: Entry) -> None:
    """What stands above a bar, or in the gap where there is none."""
    text, grey = label_of(bars, entry)
    axes.annotate(
        text if bars.upright else text.replace(": ", ":\n"),
        (x, top_of(entry)),
        xytext=(0, 2),
        textcoords="offset points",
        ha="center",
        va="bottom",
        rotation=90 if bars.upright else 0,
        color=GREY if grey else "black",
        zorder=6,
    )


def is_wide(bars: Bars, entry: Entry) -> bool:
    """Whether a label would touch its neighbour's if it were not upright."""
    lines = label_of(bars, entry)[0].split(": ")
    return max(map(length, lines)) > bars.pitch


def label_height(bars: Bars, entry: Entry) -> float:
    """Inches."""
    text, _ = label_of(bars, entry)
    return length(text) if bars.upright else LINE * len(text.split(": "))


def label_of(bars: Bars, entry: Entry) -> tuple[str, bool]:
    """The label of a bar and whether it is grey: nothing in it that the samples show."""
    if entry.median is None:
        return entry.gap, False
    comparison = entry.row.comparison
    failed = "".join(f", {count} {outcome}" for outcome, count in entry.outcomes.most_common())
    if entry.level == bars.reference:
        return failed.removeprefix(", "), False
    if comparison.ratio is None:
        return f"(–){failed}", True
    text = kind_of(bars, entry) + difference(comparison.ratio.estimate)
    shown = comparison.verdict in SHOWN
    return (f"{text}{failed}", False) if shown else (f"({text}){failed}", True)


def kind_of(bars: Bars, entry: Entry) -> str:
    """What a difference is, where it is not that of the bars: medians ignore pairs."""
    comparison, reference = entry.row.comparison, bars.medians.get(entry.row.cell)
    if comparison.ratio is None or reference is None or entry.median is None:
        return ""
    if abs(entry.median / reference - comparison.ratio.estimate) <= APART:
        return ""
    return "paired: " if comparison.paired else "estimate: "


def difference(ratio: float) -> str:
    """A ratio as a percentage, or as a factor where that is easier to read."""
    if ratio >= 10:
        return f"×{ratio:.3g}"
    percent = 100 * (ratio - 1)
    text = f"{percent:+.1f} %" if abs(percent) < 100 else f"{percent:+.0f} %"
    return text.replace("-", "\N{MINUS SIGN}")


def top_of(entry: Entry) -> float:
    """The highest of what is drawn of an entry."""
    return float(max([0.0, *entry.speeds, *(entry.interval or ())]))


def upper_limit(bars: Bars, panel: Panel) -> float:
    """The end of the axis at which all labels of a panel stay within it."""
    limit = max(map(top_of, panel.entries), default=0.0)
    for entry in panel.entries:
        room = HEIGHT - label_height(bars, entry) - 0.08
        limit = max(limit, top_of(entry) * HEIGHT / max(room, HEIGHT / 4))
    return limit


def draw_names(axes: Axes, bars: Bars, names: Sequence[object], step: int) -> None:
    room = bars.pitch * step - 0.05
    slant = any(length(str(name)) > room for name in names)
    axes.set_xticks(
        [(i + 0.5) * step for i in range(len(names))],
        [shorten(clean(str(name)), 0.9 if slant else room) for name in names],
        rotation=SLANT if slant else 0,
        ha="right" if slant else "center",
        rotation_mode="anchor" if slant else "default",
    )
    axes.tick_params(axis="x", length=0)
