# SPDX-License-Identifier: BSD-3-Clause
"""The cells of a comparison's table, for a terminal and for Markdown alike."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from math import isnan

from pollux.analysis.result import Comparison, Interval, Result, Row
from pollux.analysis.warnings import some

NOTHING = "–"
VERDICT = 26  # characters of a line of a verdict, at least
SPARE = ("p (Holm)", "IB")  # columns to leave out on a narrow screen
UNSAID = ({NOTHING}, {"default"}, {"as run"})  # nothing that a caption would need


@dataclass(frozen=True)
class Grid:
    """A table's head and body, and what is the same in all its rows."""

    head: list[str]
    right: list[bool]  # whether a column is aligned to the right
    body: list[list[str]]
    caption: str


@dataclass(frozen=True)
class Column:
    name: str
    text: Callable[[Row], str]
    right: bool = False
    constant: str | None = None  # how the caption says it; None: the column always stays


def columns(result: Result) -> list[Column]:
    """All columns, widest use of the table assumed."""
    axes = [
        Column("benchmark", lambda r: r.configuration.benchmark, constant="{}"),
        Column("variant", lambda r: r.configuration.variant, constant="variant {}"),
        Column("M", lambda r: shown(r.configuration.rows), right=True, constant="M = {}"),
        Column("N", lambda r: shown(r.configuration.size), right=True, constant="N = {}"),
        Column("tile", lambda r: r.configuration.tile_asked, right=True, constant="tile {}"),
        Column("NB", true_tile, right=True, constant="NB = {}"),
        Column("IB", lambda r: shown(r.configuration.inner), right=True, constant="IB = {}"),
        Column("threads", threads, right=True, constant="{} threads"),
        Column("environment", lambda r: r.configuration.environment, constant="environment {}"),
        Column("numa", lambda r: shown(r.configuration.numa), constant="numa {}"),
        Column("runtime", lambda r: r.configuration.runtime, constant="{}"),
    ]
    return [
        *(column for column in axes if column.name != result.by),
        Column(result.by, lambda r: r.level),
        Column("n", lambda r: str(len(r.values)), right=True, constant="n = {}"),
        Column("GFlop/s [95 %]", lambda r: interval(r.gflops, 1), right=True),
        Column("ratio [95 %]", lambda r: interval(r.comparison.ratio, 3), right=True),
        Column("p (Holm)", lambda r: p_text(r.comparison), right=True),
        Column("digests", digests, constant="digests: {}"),
        Column("verdict", lambda r: r.comparison.words),
    ]


def make_grid(result: Result, without: Collection[str] = ()) -> Grid:
    """Columns that say the same in every row go to the caption."""
    kept, same = [], []
    for column in columns(result):
        texts = {column.text(row) for row in result.rows}
        if column.name in without or (column.name == "NB" and tiles_are_as_asked(result)):
            continue
        if column.constant is None or len(texts) > 1:
            kept.append(column)
        elif texts not in UNSAID:
            same.append(column.constant.format(*texts))
    return Grid(
        head=[column.name for column in kept],
        right=[column.right for column in kept],
        body=[[column.text(row) for column in kept] for row in result.rows],
        caption=", ".join(same),
    )


def grid_for(result: Result, width: int) -> Grid:
    """The grid, without what is told by other columns too where it would not fit."""
    grid = make_grid(result)
    return grid if needed_width(grid) <= width else make_grid(result, without=SPARE)


def needed_width(grid: Grid) -> int:
    """Characters of a line, if only the verdict is broken."""
    columns = zip(grid.head, *grid.body, strict=True)
    return sum(min(max(map(len, c)), 99 if c[0] != "verdict" else VERDICT) + 2 for c in columns)


def tiles_are_as_asked(result: Result) -> bool:
    """Whether the tiles asked for already tell every true tile size."""
    return all(true_tile(row) in (NOTHING, row.configuration.tile_asked) for row in result.rows)


def shown(value: object) -> str:
    return NOTHING if value is None else str(value)


def true_tile(row: Row) -> str:
    return shown(row.identity.tile if row.identity else row.configuration.tile)


def threads(row: Row) -> str:
    """As asked for, since seq always runs with one; else what the executable chose."""
    asked = row.configuration.threads
    return shown(asked if asked is not None else row.identity and row.identity.threads)


def digests(row: Row) -> str:
    return {True: "agree", False: "DIFFER", None: NOTHING}[row.digests_agree]


def interval(value: Interval | None, digits: int) -> str:
    if value is None:
        return NOTHING
    if not value.bounded:
        return f"{value.estimate:.{digits}f}"
    low, high = (f"{end:.{digits}f}" for end in (value.low, value.high))
    return f"{value.estimate:.{digits}f} [{low}, {high}]"


def p_text(comparison: Comparison) -> str:
    p = comparison.p_corrected
    if p is None:
        return NOTHING
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def overall_lines(result: Result) -> list[str]:
    """The geometric means, one line for each level."""
    lines = []
    for item in result.overall:
        left_out = f", {item.left_out} left out" if item.left_out else ""
        c = item.comparison
        figures = f"{interval(c.ratio, 3)}, p {p_text(c)}: " if c.ratio else ""
        lines.append(f"{item.level}: {figures}{c.words} ({item.cells} cells{left_out})")
    return lines


def problem_lines(result: Result) -> list[str]:
    """What went wrong, before anybody reads a speed."""
    return [*disagreement_lines(result), *failure_lines(result), *unavailable_lines(result)]


def disagreement_lines(result: Result) -> list[str]:
    """One line for each pattern of who differs from whom, however many seeds show it."""
    patterns: dict[tuple[str, str, str], list[int]] = {}
    for d in result.disagreements:
        if d.majority is None:
            sides = " against ".join(some(holders) for holders in d.holders.values())
            text = f"no majority: {sides}"
        else:
            minority = [h for digest, hs in d.holders.items() if digest != d.majority for h in hs]
            text = f"{some(minority)} against the majority ({some(d.holders[d.majority])})"
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
        lines.append(f"{f.row.cell} on {f.row.level}: {f.count} × {what}{rounds}")
        lines += [f"    {line}" for line in (f.detail or "").splitlines()]
    return lines


def unavailable_lines(result: Result) -> list[str]:
    return [
        f"{row.cell} on {row.level}: not run: {row.unavailable}"
        for row in result.rows
        if row.unavailable is not None
    ]


def residual_line(result: Result) -> str | None:
    """The largest residual beside its limit; one that failed is among the problems."""
    worst = [row.worst_residual for row in result.rows if row.worst_residual is not None]
    if not worst or any(isnan(value) for value in worst):
        return None
    limits = {r.threshold for s in result.dataset.samples for r in s.residuals}
    return f"largest residual {max(worst):.2g}, limit {min(limits):g}"
