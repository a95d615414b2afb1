# SPDX-License-Identifier: BSD-3-Clause
"""Points of speed and energy, best configurations and correlations as CSV or JSON."""

import csv
import io
import json
from math import isnan

from pollux.energy.analysis.correlation import Correlation, Correlations, all_correlations
from pollux.energy.analysis.points import FIGURES, Point, Points, figure
from pollux.energy.analysis.tradeoff import Best, best_table, front

SCHEMA = "pollux-energy/1"


def csv_text(points: Points) -> str:
    """A line for each configuration: means, and whether it is on its group's Pareto front."""
    lines = all_fields(points)
    file = io.StringIO()
    names = dict.fromkeys(name for line in lines for name in line) or (
        "group",
        "samples",
        *FIGURES,
        "pareto",
    )
    writer = csv.DictWriter(file, [*names], lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return file.getvalue()


def all_fields(points: Points) -> list[dict[str, object]]:
    """The fields of each point."""
    best = {id(point) for own in points.groups().values() for point in front(own)}
    return [point_fields(point, is_best=id(point) in best) for point in points.points]


def point_fields(point: Point, *, is_best: bool) -> dict[str, object]:
    """`performance` is in GFlop/s, `time` in s, `power` in W, `edp` in J s, energies are in J."""
    mean = point.mean
    return {
        "group": point.group,
        **point.choices,
        **point.levers,
        "samples": point.samples,
        **{name: figure(name, mean) for name in FIGURES},
        "pareto": int(is_best),
    }


def json_text(points: Points, *, of_runs: bool) -> str:
    """One object; null is "there is none".

    `source` and `total` (what `energy` is), `cautions`; `points`: the fields of `point_fields`;
    `best`: `criterion`, `group`, `speed_lost` and `energy_saved` (shares) and `point` (number in
    `points`); `correlations`: `group`, `label`, `n`, `configurations`, `of_runs`, `orthogonal`,
    `codings` and `pairs`, each with `first`, `second`, `r`, `p` and `significant`.
    """
    best = best_table(points.groups())
    document = {
        "schema": SCHEMA,
        "source": points.source,
        "total": points.total,
        "cautions": points.cautions,
        "points": all_fields(points),
        "best": [best_fields(own, points) for own in best],
        "correlations": [
            correlation_fields(own) for own in all_correlations(points.points, of_runs=of_runs)
        ],
    }
    return json.dumps(document, indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def best_fields(best: Best, points: Points) -> dict[str, object]:
    return {
        "criterion": best.criterion,
        "group": best.group,
        "speed_lost": best.speed_lost,
        "energy_saved": best.energy_saved,
        "point": points.points.index(best.point),
    }


def correlation_fields(own: Correlations) -> dict[str, object]:
    return {
        "group": own.group,
        "label": own.label,
        "n": own.n,
        "configurations": own.configurations,
        "of_runs": own.of_runs,
        "orthogonal": own.orthogonal,
        "codings": {coding.lever: coding.values for coding in own.codings},
        "left_out": own.left_out,
        "pairs": [pair_fields(pair) for pair in own.pairs.values()],
    }


def pair_fields(pair: Correlation) -> dict[str, object]:
    return {
        "first": pair.first,
        "second": pair.second,
        "r": None if isnan(pair.r) else pair.r,
        "p": None if isnan(pair.p) else pair.p,
        "significant": pair.is_significant,
    }
