# SPDX-License-Identifier: BSD-3-Clause
"""Which panels are drawn on which pages, and what is left out of a campaign of many."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from matplotlib.figure import Figure

from pollux.core.analysis.result import Result
from pollux.output.figures.entries import EVERYTHING, Entry, Filter, Panel, entries_of
from pollux.output.figures.style import PAGE_WIDTH, house_style

CONTENTS = {  # of the figures of each kind, as files are called
    "runtimes": "speed-by-runtime",
    "tile": "speed-over-tile",
    "size": "speed-over-size",
    "threads": "speed-over-threads",
}
IN_NAMES = {"size": "N", "tile": "NB", "inner": "IB", "threads": "threads"}  # before a value
Shown = TypeVar("Shown")
AT_MOST = 27  # panels of a kind: three to nine pages, as many as anybody reads


@dataclass(frozen=True)
class Request:
    """What to draw: of which result, what part of it, and how wide."""

    result: Result
    filter: Filter = EVERYTHING
    width: float = PAGE_WIDTH  # inches
    points: Any = None  # of energy, where it is known


@dataclass(frozen=True)
class Plan:
    """The pages of a kind of figure, and a sentence about what they leave out."""

    pages: list[tuple[str, Any]]  # name, such as "lu-speed-over-tile-N2048", and what to draw
    draw: Callable[[Any], Figure]
    left_out: str | None

    def figures(self) -> Iterator[Figure]:
        """The figures, one at a time; each is labelled with its name."""
        for name, panels in self.pages:
            with house_style():
                figure = self.draw(panels)
            figure.set_label(name)
            yield figure


def numbered(name: str, parts: Sequence[Shown], most: int) -> list[tuple[str, Sequence[Shown]]]:
    """So many parts to a page, with its name, which has a number where there are several pages."""
    pages = [parts[i : i + most] for i in range(0, len(parts), most)]
    return [(f"{name}-{n}" if len(pages) > 1 else name, own) for n, own in enumerate(pages, 1)]


def chosen(request: Request) -> list[Entry]:
    return [entry for entry in entries_of(request.result) if request.filter.takes(entry)]


def narrow(kind: str, panels: list[Panel], reference: str) -> tuple[list[Panel], str | None]:
    """No more panels than anybody reads, and a sentence about the others.

    Values of NB are left out first, since the figure over NB shows them all, then small N.
    """
    drawn, which = panels, ""
    if len(drawn) > AT_MOST and varied(drawn, "tile"):
        drawn = best_of(drawn, "tile", lambda panel: speed(panel, reference))
        which += f", with the NB where {reference} is fastest"
    if len(drawn) > AT_MOST and varied(drawn, "size"):
        drawn = best_of(drawn, "size", lambda panel: float(panel.shared["size"]))
        which += ", with the largest N"
    drawn = drawn[:AT_MOST]
    if len(drawn) == len(panels):
        return panels, None
    return drawn, (
        f"{kind}: {len(drawn)} of {len(panels)} panels{which}; "
        "--benchmark, --variant, --size, --tile and --threads choose others"
    )


def varied(panels: list[Panel], axis: str) -> bool:
    return len({panel.shared.get(axis) for panel in panels}) > 1


def best_of(panels: list[Panel], axis: str, merit: Callable[[Panel], float]) -> list[Panel]:
    """Of panels that differ in nothing but one axis, the one of most merit."""
    best: dict[tuple[object, ...], Panel] = {}
    for panel in panels:
        key = tuple(value for name, value in panel.shared.items() if name != axis)
        if key not in best or merit(panel) > merit(best[key]):
            best[key] = panel
    return list(best.values())


def speed(panel: Panel, reference: str) -> float:
    """The highest median of the reference, 0 where it has none."""
    medians = (entry.median for entry in panel.entries if entry.level == reference)
    return max((median for median in medians if median is not None), default=0.0)


def paginate(kind: str, panels: Sequence[Panel], per_page: int) -> list[tuple[str, list[Panel]]]:
    """Pages of one benchmark each, under names that say what is on them."""
    pages: list[tuple[str, list[Panel]]] = []
    for benchmark in dict.fromkeys(panel.shared["benchmark"] for panel in panels):
        own = [panel for panel in panels if panel.shared["benchmark"] == benchmark]
        parts = [own[i : i + per_page] for i in range(0, len(own), per_page)]
        names = [f"{benchmark}-{CONTENTS[kind]}{common(part, own)}" for part in parts]
        for number, (name, part) in enumerate(zip(names, parts, strict=True), start=1):
            pages.append((f"{name}-{number}" if names.count(name) > 1 else name, part))
    return pages


def common(part: Sequence[Panel], panels: Sequence[Panel]) -> str:
    """What all panels of a page share and those of the other pages do not."""
    words = []
    for axis in panels[0].shared:
        values = {panel.shared[axis] for panel in part}
        everywhere = {panel.shared[axis] for panel in panels}
        if len(values) == 1 and values not in ({None}, everywhere):
            words.append(f"-{IN_NAMES.get(axis, '')}{values.pop()}")
    return "".join(words)
