# SPDX-License-Identifier: BSD-3-Clause
"""The section on times: with verdicts, and their figures."""

from collections.abc import Sequence
from dataclasses import dataclass

from pollux.core.analysis.quantities import unknown_line
from pollux.core.analysis.result import Result, Row
from pollux.output.figures.clomp import plan_clomp
from pollux.output.figures.costs import plan_costs
from pollux.output.figures.granularity import plan_granularity
from pollux.output.figures.overheads import plan_overheads
from pollux.output.figures.regions import plan_regions
from pollux.output.figures.selection import Request
from pollux.output.report.numbers import interval, ratio
from pollux.output.report.pictures import pictures
from pollux.output.report.tables import (
    Cell,
    Table,
    configuration_name,
    failed_cell,
    samples_cell,
    threads,
    verdict_cell,
)

KINDS = (plan_costs, plan_granularity, plan_clomp, plan_regions, plan_overheads)


@dataclass(frozen=True)
class Times:
    """What the section shows."""

    tables: list[Table]  # one for each benchmark and quantity
    figures: list[tuple[str, str]]  # name, and the picture as a URI
    note: str | None  # what is not known


def times(result: Result) -> Times | None:
    """The section, or nothing where there are none."""
    rows = [row for row in result.rows if row.configuration.is_cost]
    if not rows:
        return None
    names = dict.fromkeys((r.configuration.benchmark, r.configuration.quantity) for r in rows)
    tables = [
        time_table(
            result,
            f"{benchmark}: {quantity}" if quantity else benchmark,
            [
                row
                for row in rows
                if (row.configuration.benchmark, row.configuration.quantity)
                == (benchmark, quantity)
            ],
        )
        for benchmark, quantity in names
    ]
    return Times(tables, list(pictures(Request(result), KINDS)), unknown_line(result.dataset))


def time_table(result: Result, title: str, rows: Sequence[Row]) -> Table:
    size = next((c.size_name for c in (row.configuration for row in rows) if c.size_name), "size")
    headings = [
        Cell("configuration", "t"),
        Cell(result.by, "t"),
        Cell(size),
        Cell("threads"),
        Cell(f"{rows[0].configuration.unit} (95\u00a0% interval)"),
        Cell(f"ratio of speeds to {result.reference} (95\u00a0% interval)"),
        Cell("verdict", "t"),
        Cell("samples"),
    ]
    cells = [
        [
            Cell(configuration_name(row), "t"),
            Cell(row.level, "t"),
            Cell(str(row.configuration.size) if row.configuration.size_name else "–"),
            Cell(threads(row)),
            Cell(interval(row.figure)) if row.figure else failed_cell(row),
            Cell(ratio(row.comparison.ratio)),
            verdict_cell(row.comparison, row.notes),
            samples_cell(row),
        ]
        for row in rows
    ]
    return Table(title, headings, cells)
