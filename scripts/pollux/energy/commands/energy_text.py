# SPDX-License-Identifier: BSD-3-Clause
"""Best configurations, Pareto fronts and correlations as tables for a terminal."""

from collections.abc import Iterator, Sequence
from math import floor, isnan, log10

from rich.console import Console

from pollux.core.tables import Column, put, put_table
from pollux.core.text import in_percent
from pollux.energy.analysis.correlation import (
    Correlation,
    Correlations,
    all_correlations,
    critical,
    of_best_performance,
)
from pollux.energy.analysis.points import (
    NO_ENERGY,
    Observation,
    Point,
    Points,
    figure,
    is_whole,
    label_of,
    name_of,
    runs_of_each,
    unit_for,
    varied,
)
from pollux.energy.analysis.tradeoff import Best, best_table, criteria_of, front

NOTHING = "–"
NOT_SIGNIFICANT = "×"
PART = "package"  # least of it alone is a trap


def write_energy(console: Console, points: Points, *, of_runs: bool) -> None:
    put(console, f"energy: {points.source}")
    for line in points.cautions:
        put(console, line, "yellow")
    if not points.is_measured and not any(c.startswith(NO_ENERGY) for c in points.cautions):
        put(console, NO_ENERGY, "yellow")
    if not points.points:
        return
    groups = points.groups()
    table = best_table(groups)
    for criterion in criteria_of(table, points.total):
        put(console, f"\nbest by {name_of(criterion, points.total)}", "bold")
        own = [best for best in table if best.criterion == criterion]
        put_table(console, best_columns(own, groups, points.total))
    for line in best_notes(points, table):
        put(console, line, "dim")
    put(console, "\nPareto front: no other configuration is faster with less energy", "bold")
    put_table(console, front_columns(groups, points.total))
    write_correlations(console, all_correlations(points.points, of_runs=of_runs), points.total)


def best_notes(points: Points, table: Sequence[Best]) -> Iterator[str]:
    yield (
        f"means of {runs_of_each(points.points)} per configuration; lost and saved: "
        f"relative to best performance; energy: {points.total}; nothing here is tested: "
        "pollux compare --metric energy does that"
    )
    least = {best.group: best.point.mean.joules for best in table if best.criterion == "energy"}
    for best in table:
        own = best.point.mean.joules
        if best.criterion == PART and own > least[best.group]:
            more = 100 * (own / least[best.group] - 1)
            yield (
                f"{best.group}: least energy of {best.criterion} alone misleads; the whole is "
                f"{more:.1f} % above the least"
            )


def best_columns(table: Sequence[Best], groups: dict[str, list[Point]], total: str) -> list[Column]:
    own = [best.point for best in table]
    lost = Column("speed lost", [share(best.speed_lost) for best in table])
    saved = Column("energy saved", [share(best.energy_saved) for best in table])
    columns = figure_columns([point.mean for point in own], total)
    return [*naming_columns(own, groups), *columns[:1], lost, saved, *columns[1:]]


def naming_columns(own: Sequence[Point], groups: dict[str, list[Point]]) -> list[Column]:
    """The benchmark, what else is chosen, and the levers that are varied."""
    levers = varied([p for points in groups.values() for p in points], lambda p: p.levers)
    labels = [label_of(point, groups[point.group], levers=False) for point in own]
    return [
        Column("benchmark", [point.group for point in own], is_left=True),
        Column("configuration", labels, is_left=True),
        *(
            Column(lever, [point.levers.get(lever, NOTHING) for point in own], is_left=True)
            for lever in levers
        ),
    ]


def figure_columns(means: Sequence[Observation], total: str) -> list[Column]:
    """Speed, time and energy, with what follows from them; energies in one unit."""
    unit, scale = unit_for(max(mean.joules for mean in means))
    wanted = [
        ("GFlop/s", "performance", 1.0, 0),
        (unit, "energy", scale, 0),
        (f"package {unit}", "package", scale, 0),
        (f"memory {unit}", "memory", scale, 0),
        ("s", "time", 1.0, 2),
        ("W", "power", 1.0, 2),
        (f"{unit} s", "edp", scale, 2),
        ("GFlop/J", "efficiency", 1.0, 2),
    ]
    return [
        Column(head, numbers([figure(name, mean) for mean in means], by), spare=spare)
        for head, name, by, spare in wanted
        if any(figure(name, mean) is not None for mean in means) and not is_whole(name, total)
    ]


def front_columns(groups: dict[str, list[Point]], total: str) -> list[Column]:
    own = [point for points in groups.values() for point in front(points)]
    return [*naming_columns(own, groups), *figure_columns([point.mean for point in own], total)]


def write_correlations(console: Console, found: Sequence[Correlations], total: str) -> None:
    """Those of the fastest runtime of each group, as in the papers."""
    shown = of_best_performance(found)
    if not shown:
        put(
            console,
            "\nno correlations: they need three configurations that differ in levers only, with "
            "numbers or two words as values",
            "dim",
        )
        return
    for own in shown:
        put(console, "")
        put(console, title_of(own), "bold")
        put_table(console, correlation_columns(own, total))
        for line in correlation_notes(own):
            put(console, line, "dim")
    if len(found) > len(shown):
        others = len(found) - len(shown)
        put(console, f"{others} more of other runtimes or variants: --runtime, --format json")


def title_of(own: Correlations) -> str:
    unit = "runs" if own.of_runs else "configurations"
    return (
        f"Pearson's r, {own.group} on {own.label}: n = {own.n} {unit}, "
        f"significant from |r| = {critical(own.n):.3f}"
    )


def correlation_columns(own: Correlations, total: str) -> list[Column]:
    levers = own.levers
    return [
        Column("lever", levers, is_left=True),
        *(
            Column(name_of(name, total), [r_text(own.pair(lever, name)) for lever in levers])
            for name in own.figures
            if not is_whole(name, total)
        ),
    ]


def r_text(c: Correlation) -> str:
    if isnan(c.r):
        return NOTHING
    p = "<0.001" if c.p < 0.001 else f"{c.p:.3f}"
    return f"{c.r:+.2f} (p {p}){'' if c.is_significant else f' {NOT_SIGNIFICANT}'}"


def correlation_notes(own: Correlations) -> Iterator[str]:
    yield f"{NOT_SIGNIFICANT}: not significant at 5 %; {'; '.join(c.words for c in own.codings)}"
    for text in own.left_out:
        yield f"left out: {text}"
    if not own.orthogonal:
        yield "the levers were not varied independently of each other: each r contains others' part"
    if own.of_runs and own.n > own.configurations:
        yield (
            f"{own.n} runs of {own.configurations} configurations: runs of one configuration are "
            "no independent observations of a lever, so p is too small"
        )


def numbers(values: Sequence[float | None], scale: float) -> list[str]:
    """With as many decimals in all of them as give the smallest four digits."""
    known = [value / scale for value in values if value is not None]
    least = min((abs(value) for value in known if value), default=1.0)
    decimals = min(6, max(0, 3 - floor(log10(least))))
    return [NOTHING if v is None else f"{v / scale:.{decimals}f}" for v in values]


def share(value: float) -> str:
    text = in_percent(value, 2) if value else NOTHING
    return text.replace("-", "\N{MINUS SIGN}")
