# SPDX-License-Identifier: BSD-3-Clause
"""The tables of speeds: every row as the words and numbers that the page shows."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pollux.core.analysis.result import (
    Agreement,
    Comparison,
    Interval,
    Overall,
    Result,
    Row,
    Verdict,
)
from pollux.core.campaign.axes import RUNTIME, phrases
from pollux.core.grouping import grouped
from pollux.core.records import USUAL_KERNELS
from pollux.output.report.numbers import NOTHING, interval, number, ratio

T = TypeVar("T")
INTERVAL = "(95\u00a0% interval)"
GROUPED_ABOVE = 500  # rows; so many in one table are neither read nor quickly laid out
MARKS = {
    Verdict.REFERENCE: "◆",
    Verdict.BETTER: "▲",
    Verdict.WORSE: "▼",
    Verdict.NO_DIFFERENCE: "=",
    Verdict.TOO_NOISY: "?",
    Verdict.TOO_FEW: "?",
    Verdict.NONE: "✕",
}


@dataclass(frozen=True)
class Cell:
    """One cell of a table: `kind` is its style, empty for numbers."""

    text: str
    kind: str = ""


@dataclass(frozen=True)
class Column(Generic[T]):
    """A heading, and what stands below it for each row: a text in the column's style, or a cell."""

    head: str
    cell: Callable[[T], str | Cell]
    kind: str = ""


@dataclass(frozen=True)
class Table:
    """Rows under headings; the first cell of each row names it."""

    caption: str
    headings: list[Cell]
    rows: list[list[Cell]]


def make_table(caption: str, columns: Sequence[Column[T]], rows: Iterable[T]) -> Table:
    """A table with a row for each of these."""

    def cell(column: Column[T], row: T) -> Cell:
        found = column.cell(row)
        return Cell(found, column.kind) if isinstance(found, str) else found

    headings = [Cell(column.head, column.kind) for column in columns]
    return Table(caption, headings, [[cell(column, row) for column in columns] for row in rows])


def overall_table(result: Result) -> Table | None:
    """Geometric means over all cells, or nothing where there is but one."""
    if all(overall.cells < 2 for overall in result.overall):
        return None
    columns: list[Column[Overall]] = [
        Column(result.by, lambda o: o.level, "t"),
        Column(f"ratio to {result.reference} {INTERVAL}", lambda o: ratio(o.comparison.ratio)),
        Column("verdict", lambda o: verdict_cell(o.comparison), "t"),
        Column("p, corrected", lambda o: number(o.comparison.p_corrected, 2)),
        Column("cells", lambda o: str(o.cells)),
        Column("left out", lambda o: str(o.left_out)),
        Column("samples", lambda o: str(o.comparison.samples)),
    ]
    return make_table("Over all cells: geometric mean of the ratios", columns, result.overall)


def row_tables(result: Result) -> list[Table]:
    """All rows: in one table, or in one for each benchmark and variant where they are many."""
    columns = [
        *naming_columns(result),
        Column("N", size),
        Column("NB", tile),
        Column("threads", threads),
        Column(f"GFlop/s {INTERVAL}", lambda r: value_cell(r, r.gflops)),
        Column(f"ratio to {result.reference} {INTERVAL}", lambda r: ratio(r.comparison.ratio)),
        Column("verdict", lambda r: verdict_cell(r.comparison, r.notes), "t"),
        Column("residual", lambda r: number(r.worst_residual, 2)),
        Column("digests", digest_cell, "t"),
        Column("samples", samples_cell),
    ]
    if len(result.rows) <= GROUPED_ABOVE:
        return [make_table("Every configuration", columns, result.rows)]
    groups = grouped(
        result.rows, lambda r: f"{r.configuration.benchmark} {r.configuration.variant}"
    )
    return [make_table(name, columns, rows) for name, rows in groups.items()]


def naming_columns(result: Result) -> list[Column[Row]]:
    """What a row is of; its runtime too, where the compared axis is another."""
    runtime: Column[Row] = Column("runtime", lambda r: r.configuration.runtime, "t")
    return [
        Column("configuration", configuration_name, "t"),
        Column(result.by, lambda r: r.level, "t"),
        *([] if result.by == RUNTIME else [runtime]),
    ]


def configuration_name(row: Row) -> str:
    """Benchmark and variant, with those axes that have no column of their own."""
    c = row.configuration
    extra = [
        f"{c.kernels} kernels" if c.kernels not in USUAL_KERNELS else "",
        f"IB={c.inner}" if c.inner is not None else "",
        c.own_words,
        c.environment if c.environment not in ("default", "as run") else "",
        *phrases(c.settings),
        f"on node {c.node}" if c.node else "",
    ]
    return " ".join(filter(None, (c.benchmark, c.variant, *extra)))


def size(row: Row) -> str:
    c = row.configuration
    return str(c.size) if c.rows is None else f"{c.rows}×{c.size}"


def tile(row: Row) -> str:
    """The tile size that was used, or what the campaign asks for."""
    if row.identity:
        return str(row.identity.tile)
    return str(row.configuration.tile or row.configuration.tile_asked)


def threads(row: Row) -> str:
    used = row.identity.threads if row.identity else row.configuration.threads
    return NOTHING if used is None else str(used)


def value_cell(row: Row, value: Interval | None) -> str | Cell:
    """A value with its interval, or why there is none."""
    if value is not None:
        return interval(value)
    if row.unavailable is not None:
        return Cell("not run", "t")
    if row.digests is Agreement.DIFFER:
        return Cell("factors differ", "t bad")
    return Cell("failed" if row.problems else NOTHING, "t bad" if row.problems else "t")


def verdict_cell(comparison: Comparison, notes: Sequence[str] = ()) -> Cell:
    kind = comparison.verdict.name.lower().replace("_", "-")
    words = "; ".join((comparison.words, *notes)).replace(" %", "\u00a0%")
    return Cell(f"{MARKS[comparison.verdict]} {words}", f"t v-{kind}")


def digest_cell(row: Row) -> Cell:
    bad = row.digests in (Agreement.DIFFER, Agreement.UNVERIFIED)
    return Cell(str(row.digests), "t bad" if bad else "t")


def samples_cell(row: Row) -> Cell:
    """Valid samples, and of how many processes where some went wrong."""
    valid = len(row.values)
    return Cell(f"{valid} of {row.samples}", "bad") if row.problems else Cell(str(valid))
