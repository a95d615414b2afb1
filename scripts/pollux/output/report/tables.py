# SPDX-License-Identifier: BSD-3-Clause
"""The tables of speeds: every row as the words and numbers that the page shows."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from pollux.core.analysis.result import Agreement, Comparison, Overall, Result, Row, Verdict
from pollux.core.campaign.axes import RUNTIME, phrases
from pollux.core.records import USUAL_KERNELS
from pollux.output.report.numbers import NOTHING, interval, number, ratio

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
class Table:
    """Rows under headings; the first cell of each row names it."""

    caption: str
    headings: list[Cell]
    rows: list[list[Cell]]


def overall_table(result: Result) -> Table | None:
    """Geometric means over all cells, or nothing where there is but one."""
    if all(overall.cells < 2 for overall in result.overall):
        return None
    headings = [
        Cell(result.by, "t"),
        Cell(f"ratio to {result.reference} (95\u00a0% interval)"),
        Cell("verdict", "t"),
        Cell("p, corrected"),
        Cell("cells"),
        Cell("left out"),
        Cell("samples"),
    ]
    rows = [overall_row(overall) for overall in result.overall]
    return Table("Over all cells: geometric mean of the ratios", headings, rows)


def overall_row(overall: Overall) -> list[Cell]:
    comparison = overall.comparison
    return [
        Cell(overall.level, "t"),
        Cell(ratio(comparison.ratio)),
        verdict_cell(comparison),
        Cell(number(comparison.p_corrected, 2)),
        Cell(str(overall.cells)),
        Cell(str(overall.left_out)),
        Cell(str(comparison.samples)),
    ]


def row_tables(result: Result) -> list[Table]:
    """All rows: in one table, or in one for each benchmark and variant where they are many."""
    headings = row_headings(result)
    if len(result.rows) <= GROUPED_ABOVE:
        rows = [row_cells(result, row) for row in result.rows]
        return [Table("Every configuration", headings, rows)]
    groups: dict[str, list[list[Cell]]] = defaultdict(list)
    for row in result.rows:
        name = f"{row.configuration.benchmark} {row.configuration.variant}"
        groups[name].append(row_cells(result, row))
    return [Table(name, headings, rows) for name, rows in groups.items()]


def row_headings(result: Result) -> list[Cell]:
    return [
        Cell("configuration", "t"),
        Cell(result.by, "t"),
        *runtime_heading(result),
        *map(Cell, ("N", "NB", "threads", "GFlop/s (95\u00a0% interval)")),
        Cell(f"ratio to {result.reference} (95\u00a0% interval)"),
        Cell("verdict", "t"),
        Cell("residual"),
        Cell("digests", "t"),
        Cell("samples"),
    ]


def row_cells(result: Result, row: Row) -> list[Cell]:
    return [
        Cell(configuration_name(row), "t"),
        Cell(row.level, "t"),
        *runtime_cell(result, row),
        Cell(size(row)),
        Cell(tile(row)),
        Cell(threads(row)),
        Cell(interval(row.gflops)) if row.gflops else failed_cell(row),
        Cell(ratio(row.comparison.ratio)),
        verdict_cell(row.comparison, row.notes),
        Cell(number(row.worst_residual, 2)),
        digest_cell(row),
        samples_cell(row),
    ]


def runtime_heading(result: Result) -> list[Cell]:
    """Of a column, where the compared axis is another."""
    return [] if result.by == RUNTIME else [Cell("runtime", "t")]


def runtime_cell(result: Result, row: Row) -> list[Cell]:
    return [] if result.by == RUNTIME else [Cell(row.configuration.runtime, "t")]


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


def failed_cell(row: Row) -> Cell:
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
