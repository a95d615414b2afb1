# SPDX-License-Identifier: BSD-3-Clause
"""The cells of a comparison's table, for a terminal and for Markdown alike."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import isnan

import numpy as np

from pollux.core.analysis.axes import in_means, is_first
from pollux.core.analysis.result import Comparison, Interval, Result, Row
from pollux.core.analysis.right_factors import deciding_lines
from pollux.core.campaign.axes import AXES
from pollux.core.campaign.variants import algorithm_of
from pollux.core.tables import form_of
from pollux.core.text import counted, some

NOTHING = "–"
UNSAID = ({NOTHING}, {"default"}, {"as run"})  # a caption needs no word for it


@dataclass(frozen=True)
class Column:
    """A named column of the table."""

    name: str
    text: Callable[[Row], str]
    right: bool = False
    constant: str | None = None  # its wording in a caption; None: the column always stays
    narrower: "Column | None" = None  # its replacement where there is little room
    is_essential: bool = False

    def in_words(self, text: str) -> str:
        words = (self.constant or "{}").format(text)
        return "1 thread" if words == "1 threads" else words


@dataclass(frozen=True)
class Grid:
    """A table's header and body, and what is the same in all its rows."""

    head: list[str]
    right: list[bool]  # whether a column is aligned to the right
    body: list[list[str]]
    caption: str


def axis_columns(result: Result) -> list[Column]:
    """What a row was run with, but for the compared axis."""
    axes = [
        Column("algorithm", lambda r: algorithm_of(r.configuration), constant="{}")
        if result.by == "variant"
        else Column("benchmark", lambda r: r.configuration.benchmark, constant="{}"),
        Column("variant", lambda r: r.configuration.variant, constant="variant {}"),
        Column("kernels", lambda r: shown(r.configuration.kernels), constant="{} kernels"),
        Column("M", lambda r: shown(r.configuration.rows), right=True, constant="M = {}"),
        size_column(result),
        Column("tile", lambda r: shown(r.configuration.tile_asked), right=True, constant="tile {}"),
        Column("NB", true_tile, right=True, constant="NB = {}"),
        Column("IB", lambda r: shown(r.configuration.inner), right=True, constant="IB = {}"),
        Column("parameters", lambda r: r.configuration.own_words or NOTHING, constant="{}"),
        Column("threads", threads, right=True, constant="{} threads"),
        Column("environment", lambda r: r.configuration.environment, constant="environment {}"),
        *(Column(a.name, partial(setting, a.name), constant=f"{a.name} {{}}") for a in AXES),
        Column("quantity", lambda r: shown(r.configuration.quantity), constant="{}"),
        Column("node", lambda r: shown(r.configuration.node), constant="node {}"),
        Column("runtime", lambda r: r.configuration.runtime, constant="{}"),
    ]
    hidden = {result.by, *(["NB"] if tiles_are_as_asked(result) else [])}
    return [column for column in axes if column.name not in hidden]


def size_column(result: Result) -> Column:
    """The order of the matrix, or what else the sizes count."""
    names = {row.configuration.size_name for row in result.rows} - {None}
    if names == {"n"}:
        return Column("N", size_text, right=True, constant="N = {}")
    name = str(names.pop()) if len(names) == 1 else "size"
    return Column(name, size_text, right=True, constant=f"{{}} {name}")


def size_text(row: Row) -> str:
    c = row.configuration
    return NOTHING if c.size_name is None else str(c.size)


def figure_columns(result: Result) -> list[Column]:
    """The compared level of a row and its figures, all but the verdict."""
    return [
        Column(result.by, lambda r: r.level, is_essential=True),
        Column("n", lambda r: str(len(r.values)), right=True, constant="n = {}"),
        *value_columns(result),
        Column(
            "ratio [95 %]",
            lambda r: interval(r.comparison.ratio, ".3f"),
            right=True,
            is_essential=True,
        ),
        Column("p (Holm)", lambda r: p_text(r.comparison), right=True),
        Column("digests", lambda r: str(r.digests), constant="digests: {}"),
    ]


def is_of_costs(result: Result) -> bool:
    """Whether less is better of all that it compares."""
    return bool(result.rows) and all(row.configuration.is_cost for row in result.rows)


def value_columns(result: Result) -> list[Column]:
    """The median of the metric; that of speed stands before it where there is room."""
    metric = result.metric
    if is_of_costs(result):
        unit = metric.unit
        median = Column(unit, lambda r: ns_text(r.figure), right=True, is_essential=True)
        return [
            Column(f"{unit} [95 %]", lambda r: ns_interval(r.figure), right=True, narrower=median)
        ]
    if metric.is_speed:
        median = Column(metric.unit, speed_text, right=True, is_essential=True)
        return [Column(f"{metric.unit} [95 %]", speed_interval, right=True, narrower=median)]
    form = form_of_figures(result)
    median = Column(metric.unit, lambda r: estimate(r.figure, form), right=True, is_essential=True)
    name = f"{metric.unit} [95 %]"
    return [
        Column("GFlop/s", speed_text, right=True),
        Column(name, lambda r: interval(r.figure, form), right=True, narrower=median),
    ]


def speed_text(row: Row) -> str:
    return estimate(row.gflops, speed_form(row))


def speed_interval(row: Row) -> str:
    return interval(row.gflops, speed_form(row))


def speed_form(row: Row) -> str:
    """One decimal place, or those of a speed below 1."""
    return form_of(row.gflops.estimate) if row.gflops and row.gflops.estimate < 1 else ".1f"


def ns_text(value: Interval | None) -> str:
    return NOTHING if value is None else estimate(value, form_of(value.estimate))


def ns_interval(value: Interval | None) -> str:
    return NOTHING if value is None else interval(value, form_of(value.estimate))


def form_of_figures(result: Result) -> str:
    """The format in which the smallest median has four significant digits."""
    found = [row.figure.estimate for row in result.rows if row.figure]
    return form_of(min((abs(value) for value in found if value), default=1.0), 4, 6)


def columns(result: Result) -> list[Column]:
    """All columns, as for a table of any width."""
    verdict = Column("verdict", lambda r: "; ".join((r.comparison.words, *r.notes)))
    return [*axis_columns(result), *figure_columns(result), verdict]


def is_constant(column: Column, result: Result) -> bool:
    """Whether a column is the same in every row, so that a caption can state it."""
    if column.constant is None:
        return False
    texts = map(column.text, result.rows)
    first = next(texts, None)
    return all(text == first for text in texts)


def caption(result: Result) -> str:
    """What is the same in all rows."""
    phrases = []
    for column in columns(result):
        texts = {column.text(row) for row in result.rows[:1]}
        if texts not in UNSAID and is_constant(column, result):
            phrases += [column.in_words(text) for text in texts]
    return ", ".join(phrases)


def make_grid(result: Result) -> Grid:
    """Columns that are the same in every row go to the caption."""
    kept = [column for column in columns(result) if not is_constant(column, result)]
    return Grid(
        head=[column.name for column in kept],
        right=[column.right for column in kept],
        body=[[column.text(row) for column in kept] for row in result.rows],
        caption=caption(result),
    )


def tiles_are_as_asked(result: Result) -> bool:
    """Whether the requested tiles already give every actual tile size."""
    return all(true_tile(row) in (NOTHING, row.configuration.tile_asked) for row in result.rows)


def shown(value: object) -> str:
    return NOTHING if value is None else str(value)


def setting(axis: str, row: Row) -> str:
    return shown(getattr(row.configuration, axis))


def true_tile(row: Row) -> str:
    return shown(row.identity.tile if row.identity else row.configuration.tile)


def threads(row: Row) -> str:
    """As requested, since seq always runs with one; else what the executable chose."""
    asked = row.configuration.threads
    return shown(asked if asked is not None else row.identity and row.identity.threads)


def interval(value: Interval | None, form: str) -> str:
    ends = f" [{value.low:{form}}, {value.high:{form}}]" if value and value.bounded else ""
    return f"{estimate(value, form)}{ends}"


def estimate(value: Interval | None, form: str) -> str:
    return NOTHING if value is None else f"{value.estimate:{form}}"


def p_text(comparison: Comparison) -> str:
    p = comparison.p_corrected
    if p is None:
        return NOTHING
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def overall_title(result: Result) -> str:
    """What the means are over, and which of the variants shown they leave out."""
    shown_rows = [row.configuration for row in result.rows]
    names = dict.fromkeys(c.variant for c in shown_rows if is_first(c) and not in_means(c))
    others = any(map(in_means, shown_rows))
    without = f", without {' and '.join(names)}" if names and others else ""
    first = dict.fromkeys(c.quantity for c in shown_rows if c.quantity is not None and is_first(c))
    speed = ["speed"] if any(c.quantity is None and in_means(c) for c in shown_rows) else []
    of = (
        f" of {' and '.join([*speed, *map(str, first)])}"
        if first and others and not all(map(is_first, shown_rows))
        else ""
    )
    several = any(item.cells != 1 for item in (*result.overall, *result.terms))
    over = "geometric mean over all cells" if several else "ratio in the only cell"
    return f"{over}{of}{without}"


def overall_lines(result: Result) -> list[str]:
    """The geometric means, one line for each level."""
    lines = []
    for item in (*result.overall, *result.terms):
        left_out = f", {item.left_out} left out" if item.left_out else ""
        c = item.comparison
        figures = f"{interval(c.ratio, '.3f')}, p {p_text(c)}: " if c.ratio else ""
        of = f", {item.quantity}" if item.quantity else ""
        cells = f"{counted(item.cells, 'cell')}{left_out}"
        lines.append(f"{item.level}{of}: {figures}{c.words} ({cells})")
    return lines


def problem_lines(result: Result) -> list[str]:
    """What went wrong, shown before any speed."""
    deciding = deciding_lines(result.dataset, result.disagreements)
    lines = [*disagreement_lines(result), *deciding]
    return [*lines, *failure_lines(result), *unavailable_lines(result)]


def disagreement_lines(result: Result) -> list[str]:
    """One line for each pattern of who differs from whom, however many seeds show it."""
    patterns: dict[tuple[str, str, str], list[int]] = {}
    for d in result.disagreements:
        if d.right is None:
            text = " against ".join(sorted(some(sorted(names)) for names in d.holders.values()))
        else:
            wrong = [h for digest, hs in d.holders.items() if digest != d.right for h in hs]
            text = f"{some(sorted(wrong))} against {d.by} ({some(d.holders[d.right])})"
        patterns.setdefault((d.group, d.tiling, text), []).append(d.seed)
    return [
        f"digests of {group}, {tiling} differ: {text}; "
        f"{'seed' if len(seeds) == 1 else f'{len(seeds)} seeds:'} {some(seeds)}"
        for (group, tiling, text), seeds in patterns.items()
    ]


def failure_lines(result: Result) -> list[str]:
    lines = []
    for f in result.failures:
        rounds = f", rounds {some(f.rounds)}" if f.rounds else ""
        what = f"{f.outcome}: {f.problem}" if f.problem else f.outcome
        lines.append(f"{f.row.name}: {f.count} × {what}{rounds}")
        lines += [f"    {line}" for line in (f.detail or "").splitlines()]
    return lines


def unavailable_lines(result: Result) -> list[str]:
    return [
        f"{row.name}: not run: {row.unavailable}"
        for row in result.rows
        if row.unavailable is not None
    ]


def residual_line(result: Result) -> str | None:
    """The residual that is nearest to its limit; one that failed is listed among the problems."""
    residuals = result.dataset.columns.residuals
    found = [r for code in np.unique(residuals.codes).tolist() for r in residuals.table[code]]
    if not found or any(isnan(r.value) for r in found):
        return None
    worst = max(found, key=lambda r: (r.value / r.threshold if r.threshold else r.value, r.value))
    return f"largest residual {worst.value:.2g}, limit {worst.threshold:g}"
