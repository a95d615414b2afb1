# SPDX-License-Identifier: BSD-3-Clause
"""The section on energy: joules, the best by each criterion, correlations with levers, figures."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan

from pollux.core.analysis.result import Result
from pollux.energy.analysis.correlation import (
    Correlation,
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
from pollux.output.report.tables import Cell, Table, verdict_cell

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
    headings = [
        Cell("configuration", "t"),
        Cell(result.by, "t"),
        Cell("GFlop/s"),
        Cell("J (95\u00a0% interval)"),
        Cell(f"ratio to {result.reference} (95\u00a0% interval)"),
        Cell("verdict", "t"),
        Cell("samples"),
    ]
    rows = [
        [
            Cell(row.cell, "t"),
            Cell(row.level, "t"),
            Cell(number(row.gflops.estimate if row.gflops else None)),
            Cell(interval(row.figure)),
            Cell(ratio(row.comparison.ratio)),
            verdict_cell(row.comparison),
            Cell(str(len(row.values))),
        ]
        for row in result.rows
    ]
    return Table(f"Joules by {result.source}", headings, rows)


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
    shown = ["GFlop/s", "speed lost", "energy saved", *map(heads.__getitem__, names)]
    for criterion in criteria_of(table, points.total):
        rows = [
            [
                Cell(best.group, "t"),
                Cell(label_of(best.point, groups[best.group], levers=False), "t"),
                *(Cell(best.point.levers.get(lever, NOTHING), "t") for lever in levers),
                Cell(number(best.point.mean.gflops)),
                Cell(share(best.speed_lost)),
                Cell(share(best.energy_saved)),
                *(Cell(number(figure(name, best.point.mean))) for name in names),
            ]
            for best in own(table, criterion)
        ]
        naming = [Cell(name, "t") for name in ("benchmark", "configuration", *levers)]
        headings = [*naming, *map(Cell, shown)]
        yield Table(f"Best by {name_of(criterion, points.total)}", headings, rows)


def own(table: Sequence[Best], criterion: str) -> list[Best]:
    return [best for best in table if best.criterion == criterion]


def share(value: float) -> str:
    return f"{100 * value:.2f}\u00a0%".replace("-", "\N{MINUS SIGN}") if value else NOTHING


def correlation_table(found: Correlations, total: str) -> Table:
    figures = [name for name in found.figures if not is_whole(name, total)]
    headings = [Cell("lever", "t"), *(Cell(name_of(name, total)) for name in figures)]
    rows = [
        [Cell(lever, "t"), *(r_cell(found.pair(lever, name)) for name in figures)]
        for lever in found.levers
    ]
    unit = "runs" if found.of_runs else "configurations"
    title = f"Pearson's r, {found.group} on {found.label}, n = {found.n} {unit}"
    return Table(title, headings, rows)


def r_cell(pair: Correlation) -> Cell:
    if isnan(pair.r):
        return Cell(NOTHING)
    text = f"{pair.r:+.2f} (p {number(pair.p, 2)})".replace("-", "\N{MINUS SIGN}")
    return Cell(text if pair.is_significant else f"{text} ×")


def note(found: Correlations) -> str:
    codings = "; ".join(coding.words for coding in found.codings)
    crossed = f"×: not significant at 5\u00a0% (|r| below {critical(found.n):.3f}). {codings}."
    return " ".join([crossed, *found.remarks])
