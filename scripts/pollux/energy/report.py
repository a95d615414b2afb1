# SPDX-License-Identifier: BSD-3-Clause
"""The section on energy: joules, the best by each criterion, correlations with levers, figures."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import isnan

from pollux.core.analysis.result import Result, Row
from pollux.energy.analysis.correlation import (
    Correlations,
    all_correlations,
    critical,
    of_best_performance,
)
from pollux.energy.analysis.points import Points, figure, is_whole, label_of, name_of, varied
from pollux.energy.analysis.tradeoff import Best, best_table, criteria_of
from pollux.energy.figures.correlogram import plan_correlation
from pollux.energy.figures.energy import plan_energy, plan_joules
from pollux.energy.figures.power import plan_power
from pollux.energy.figures.tradeoff import plan_pareto
from pollux.output.figures.selection import Request
from pollux.output.report.numbers import NOTHING, interval, number, ratio
from pollux.output.report.pictures import Pictures, pictures
from pollux.output.report.tables import (
    INTERVAL,
    Column,
    Table,
    make_table,
    verdict_cell,
)

KINDS = (plan_energy, plan_pareto, plan_joules, plan_correlation, plan_power)


@dataclass(frozen=True)
class Energy:
    """What the section shows."""

    source: str
    cautions: list[str]
    ratios: list[Table]  # one for each source, side by side
    best: list[Table]
    correlations: list[tuple[Table, str]]  # with a note
    figures: Pictures


def energy(result: Result, points: Points | None, others: Sequence[Result] = ()) -> Energy | None:
    """The section, or nothing where no energy is known; `others` are by other sources."""
    if points is None:
        return None
    figures = pictures(Request(result, points=points), KINDS)
    if not (points.points or figures.shown):
        return None
    found = of_best_performance(all_correlations(points.points))
    return Energy(
        source=points.source,
        cautions=points.cautions,
        ratios=[
            ratio_table(own)
            for own in (points.result, *others)
            if own is not None and any(row.figure for row in own.rows)
        ],
        best=list(best_tables(points)),
        correlations=[(correlation_table(own, points.total), note(own)) for own in found],
        figures=figures,
    )


def ratio_table(result: Result) -> Table:
    """Joules of each configuration, and the ratio to the reference."""
    columns: list[Column[Row]] = [
        Column("configuration", lambda r: r.cell, "t"),
        Column(result.by, lambda r: r.level, "t"),
        Column("GFlop/s", lambda r: number(r.gflops.estimate if r.gflops else None)),
        Column(f"J {INTERVAL}", lambda r: interval(r.figure)),
        Column(f"ratio to {result.reference} {INTERVAL}", lambda r: ratio(r.comparison.ratio)),
        Column("verdict", lambda r: verdict_cell(r.comparison), "t"),
        Column("samples", lambda r: str(len(r.values))),
    ]
    return make_table(f"Joules by {result.source}", columns, result.rows)


def best_tables(points: Points) -> Iterator[Table]:
    """The papers' table of best results, one for each criterion."""
    groups = points.groups()
    levers = varied(points.points, lambda point: point.levers)
    table = best_table(groups)
    means = [best.point.mean for best in table]
    heads = {
        "energy": "J",
        "package": "package J",
        "memory": "memory J",
        "power": "W",
        "edp": "J s",
    }
    names = [
        name
        for name in heads
        if any(figure(name, mean) is not None for mean in means)
        and not is_whole(name, points.total)
    ]
    columns: list[Column[Best]] = [
        Column("benchmark", lambda b: b.group, "t"),
        Column("configuration", lambda b: label_of(b.point, groups[b.group], levers=False), "t"),
        *(Column(lever, partial(lever_of, lever), "t") for lever in levers),
        Column("GFlop/s", lambda b: number(b.point.mean.gflops)),
        Column("speed lost", lambda b: share(b.speed_lost)),
        Column("energy saved", lambda b: share(b.energy_saved)),
        *(Column(heads[name], partial(figure_of, name)) for name in names),
    ]
    for criterion in criteria_of(table, points.total):
        own = [best for best in table if best.criterion == criterion]
        yield make_table(f"Best by {name_of(criterion, points.total)}", columns, own)


def lever_of(lever: str, best: Best) -> str:
    return best.point.levers.get(lever, NOTHING)


def figure_of(name: str, best: Best) -> str:
    return number(figure(name, best.point.mean))


def share(value: float) -> str:
    return f"{100 * value:.2f}\u00a0%".replace("-", "\N{MINUS SIGN}") if value else NOTHING


def correlation_table(found: Correlations, total: str) -> Table:
    figures = [name for name in found.figures if not is_whole(name, total)]
    columns: list[Column[str]] = [
        Column("lever", str, "t"),
        *(Column(name_of(name, total), partial(r_text, found, name)) for name in figures),
    ]
    unit = "runs" if found.of_runs else "configurations"
    title = f"Pearson's r, {found.group} on {found.label}, n = {found.n} {unit}"
    return make_table(title, columns, found.levers)


def r_text(found: Correlations, name: str, lever: str) -> str:
    pair = found.pair(lever, name)
    if isnan(pair.r):
        return NOTHING
    text = f"{pair.r:+.2f} (p {number(pair.p, 2)})".replace("-", "\N{MINUS SIGN}")
    return text if pair.is_significant else f"{text} ×"


def note(found: Correlations) -> str:
    codings = "; ".join(coding.words for coding in found.codings)
    crossed = f"×: not significant at 5\u00a0% (|r| below {critical(found.n):.3f}). {codings}."
    return " ".join([crossed, *found.remarks])
