# SPDX-License-Identifier: BSD-3-Clause
"""The section on times and other quantities than GFlop/s: with verdicts, and their figures."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pollux.core.analysis.quantities import unknown_line
from pollux.core.analysis.result import Result, Row
from pollux.core.analysis.terms import has_terms, table_of
from pollux.core.campaign.deviation import speeds_in_logarithms, wander_of
from pollux.core.campaign.samples import Sample
from pollux.core.commands.compare_grid import Grid
from pollux.core.commands.compare_terms import signs, terms_grid
from pollux.output.figures.clomp import plan_clomp
from pollux.output.figures.costs import plan_costs
from pollux.output.figures.entries import disturbed_rounds
from pollux.output.figures.granularity import plan_granularity
from pollux.output.figures.overheads import plan_overheads
from pollux.output.figures.ratios import plan_ratios
from pollux.output.figures.regions import plan_regions
from pollux.output.figures.selection import Request
from pollux.output.figures.terms import plan_terms
from pollux.output.report.numbers import NOTHING, interval, percent, ratio
from pollux.output.report.pictures import Pictures, pictures
from pollux.output.report.tables import (
    Cell,
    Table,
    configuration_name,
    failed_cell,
    runtime_cell,
    runtime_heading,
    samples_cell,
    threads,
    verdict_cell,
)

KINDS = (
    plan_terms,
    plan_ratios,
    plan_costs,
    plan_granularity,
    plan_clomp,
    plan_regions,
    plan_overheads,
)


@dataclass(frozen=True)
class Times:
    """What the section shows."""

    terms: list[Table]  # quantities by level, and how to read that
    reading: list[str]
    tables: list[Table]  # one for each benchmark and quantity
    figures: Pictures
    note: str | None  # what is not known


def times(result: Result) -> Times | None:
    """The section, or nothing where there are none."""
    rows = [row for row in result.rows if not row.configuration.is_speed]
    if not rows:
        return None
    own = replace(result, rows=rows)
    disturbed = disturbed_rounds(result.dataset)
    samples = result.dataset.used_by
    marks = {row.key: Mark(len(disturbed.get(row.key, ())), samples[row.key]) for row in rows}
    names = dict.fromkeys((r.configuration.benchmark, r.configuration.quantity) for r in rows)
    tables = [
        time_table(
            result,
            marks,
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
    figures = pictures(Request(own), KINDS)
    return Times(*terms_tables(own), tables, figures, unknown_line(result.dataset))


def terms_tables(result: Result) -> tuple[list[Table], list[str]]:
    """The table of pollux compare, where there is one, and what its cells hold."""
    if not has_terms(result):
        return [], []
    found: list[Table] = []
    lines: dict[str, None] = {}
    for group in result.groups():
        table = table_of(group)
        grid = terms_grid(group, table)
        if grid is None:
            continue
        headings = [Cell(head, "" if right else "t") for head, right in zip_heads(grid)]
        rows = [
            [Cell(text, h.kind) for text, h in zip(row, headings, strict=True)] for row in grid.body
        ]
        found.append(Table("By " + result.by, headings, rows))
        lines[signs(group, several=any(len(term.cells) > 1 for term in table.rows))] = None
    return found, list(lines)


def zip_heads(grid: Grid) -> Iterator[tuple[str, bool]]:
    return zip(grid.head, grid.right, strict=True)


@dataclass(frozen=True)
class Mark:
    """How far the samples of a row can be trusted by themselves."""

    disturbed: int  # of them
    samples: Sequence[Sample]

    def deviation(self) -> str:
        """From process to process."""
        wander = wander_of([speeds_in_logarithms(self.samples)])
        return NOTHING if wander is None else percent(wander)


def time_table(result: Result, marks: Mapping[str, Mark], title: str, rows: Sequence[Row]) -> Table:
    size = next((c.size_name for c in (row.configuration for row in rows) if c.size_name), "size")
    headings = [
        Cell("configuration", "t"),
        Cell(result.by, "t"),
        *runtime_heading(result),
        Cell(size),
        Cell("threads"),
        Cell(f"{rows[0].configuration.unit} (95\u00a0% interval)"),
        Cell(f"ratio of speeds to {result.reference} (95\u00a0% interval)"),
        Cell("verdict", "t"),
        Cell("process to process"),
        Cell("samples"),
        Cell("in disturbed blocks"),
    ]
    cells = [
        [
            Cell(configuration_name(row), "t"),
            Cell(row.level, "t"),
            *runtime_cell(result, row),
            Cell(str(row.configuration.size) if row.configuration.size_name else "–"),
            Cell(threads(row)),
            Cell(interval(row.figure)) if row.figure else failed_cell(row),
            Cell(ratio(row.comparison.ratio)),
            verdict_cell(row.comparison, row.notes),
            Cell(marks[row.key].deviation()),
            samples_cell(row),
            Cell(str(marks[row.key].disturbed)),
        ]
        for row in rows
    ]
    return Table(title, headings, cells)
