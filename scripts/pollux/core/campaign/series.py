# SPDX-License-Identifier: BSD-3-Clause
"""What a campaign compares until it is decided: series, each of one quantity in one cell."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from pollux.core.campaign.lines import Configuration
from pollux.core.campaign.plan import Plan


@dataclass(frozen=True)
class Series:
    """The comparisons of a quantity in a cell."""

    cell: int
    quantity: str | None  # None: the headline
    levels: Sequence[str]  # what is compared with the reference: means are over equal names


@dataclass(frozen=True)
class Comparisons:
    """Of a plan: first the headline of each cell, in order, then further quantities."""

    cells: list[list[Configuration]]  # each with its reference at the front, if it has one
    has_reference: list[bool]
    series: list[Series]

    @property
    def levels(self) -> list[Sequence[str]]:
        return [own.levels for own in self.series]

    @cached_property
    def series_in(self) -> dict[int, list[int]]:
        """The numbers of the series of each cell."""
        found = defaultdict(list)
        for number, own in enumerate(self.series):
            found[own.cell].append(number)
        return found


def comparisons_of(plan: Plan) -> Comparisons:
    """A cell without the reference has series too, but nothing is compared in them."""
    cells = [sorted(cell, key=lambda c: not plan.is_reference(c)) for cell in plan.cells()]
    has_reference = [plan.is_reference(own[0]) for own in cells]
    terms = [plan.terms.get(own[0].benchmark, []) for own in cells]
    further = [(cell, name) for cell, own in enumerate(terms) for name in own]
    places = [*((cell, None) for cell in range(len(cells))), *further]
    series = []
    for cell, name in places:
        others = map(plan.level, cells[cell][1:] if has_reference[cell] else [])
        levels = [level if name is None else f"{level} {name}" for level in others]
        series.append(Series(cell, name, levels))
    return Comparisons(cells, has_reference, series)
