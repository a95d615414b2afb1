# SPDX-License-Identifier: BSD-3-Clause
"""The best configuration by each criterion, what it costs by the others, and the Pareto front."""

from collections.abc import Sequence
from dataclasses import dataclass

from pollux.energy.analysis.points import FIGURES, Point, figure, is_whole

CRITERIA = ("performance", "energy", "package", "memory")  # as in the papers' table of best results


@dataclass(frozen=True)
class Best:
    """The best point of a group by a criterion, relative to the one of best performance."""

    group: str
    criterion: str
    point: Point
    speed_lost: float  # share of GFlop/s
    energy_saved: float  # share of the joules of the source


def best_of(points: Sequence[Point], criterion: str) -> Point | None:
    """The point with the best mean; None where no point has the figure."""
    known = [(value, p) for p in points if (value := figure(criterion, p.mean)) is not None]
    if not known:
        return None
    better = max if FIGURES[criterion][1] else min
    return better(known, key=lambda item: item[0])[1]


def criteria_of(table: Sequence[Best], total: str) -> list[str]:
    """Those of a table, once each."""
    names = dict.fromkeys(best.criterion for best in table)
    return [name for name in names if not is_whole(name, total)]


def best_table(groups: dict[str, list[Point]]) -> list[Best]:
    """The papers' table: each criterion, and in it each group."""
    found = []
    for criterion in CRITERIA:
        for group, points in groups.items():
            fastest, best = best_of(points, "performance"), best_of(points, criterion)
            if fastest is None or best is None:
                continue
            lost = 1 - best.mean.gflops / fastest.mean.gflops
            saved = 1 - best.mean.joules / fastest.mean.joules
            found.append(Best(group, criterion, best, lost, saved))
    return found


def front(points: Sequence[Point]) -> list[Point]:
    """The points that no other beats in both speed and energy, the fastest first."""
    order = sorted(points, key=lambda p: (-p.mean.gflops, p.mean.joules))
    found: list[Point] = []
    for point in order:
        if not found or point.mean.joules < found[-1].mean.joules:
            found.append(point)
    return found
