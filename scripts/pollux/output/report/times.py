# SPDX-License-Identifier: BSD-3-Clause
"""The section on times and other quantities than GFlop/s: with verdicts, and their figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pollux.core.analysis.quantities import unknown_line
from pollux.core.analysis.result import Result, Row
from pollux.core.analysis.terms import has_terms, table_of
from pollux.core.campaign.deviation import speeds_in_logarithms, wander_of
from pollux.core.campaign.lines import Configuration
from pollux.core.campaign.samples import Sample
from pollux.core.commands.compare_grid import size_text
from pollux.core.commands.compare_terms import signs, terms_grid
from pollux.core.grouping import grouped
from pollux.output.figures.clomp import plan_clomp
from pollux.output.figures.costs import plan_costs
from pollux.output.figures.entries import disturbed_rounds
from pollux.output.figures.granularity import plan_granularity
from pollux.output.figures.overheads import plan_overheads
from pollux.output.figures.ratios import plan_ratios
from pollux.output.figures.regions import plan_regions
from pollux.output.figures.selection import Request
from pollux.output.figures.terms import plan_terms
from pollux.output.report.numbers import NOTHING, percent, ratio
from pollux.output.report.pictures import Pictures, pictures
from pollux.output.report.tables import (
    INTERVAL,
    Cell,
    Column,
    Table,
    make_table,
    naming_columns,
    samples_cell,
    threads,
    value_cell,
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
    titles = grouped(rows, lambda r: title_of(r.configuration))
    tables = [time_table(result, disturbed, title, own) for title, own in titles.items()]
    figures = pictures(Request(own), KINDS)
    return Times(*terms_tables(own), tables, figures, unknown_line(result.dataset))


def title_of(c: Configuration) -> str:
    return f"{c.benchmark}: {c.quantity}" if c.quantity else c.benchmark


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
        heads = zip(grid.head, grid.right, strict=True)
        headings = [Cell(head, "" if right else "t") for head, right in heads]
        rows = [
            [Cell(text, h.kind) for text, h in zip(row, headings, strict=True)] for row in grid.body
        ]
        found.append(Table("By " + result.by, headings, rows))
        lines[signs(group, several=any(len(term.cells) > 1 for term in table.rows))] = None
    return found, list(lines)


def deviation(samples: Sequence[Sample]) -> str:
    """From process to process."""
    wander = wander_of([speeds_in_logarithms(samples)])
    return NOTHING if wander is None else percent(wander)


def time_table(
    result: Result, disturbed: Mapping[str, set[int]], title: str, rows: Sequence[Row]
) -> Table:
    samples = result.dataset.used_by
    size = next((c.size_name for c in (row.configuration for row in rows) if c.size_name), "size")
    to_reference = f"ratio of speeds to {result.reference} {INTERVAL}"
    columns = [
        *naming_columns(result),
        Column(size, size_text),
        Column("threads", threads),
        Column(f"{rows[0].configuration.unit} {INTERVAL}", lambda r: value_cell(r, r.figure)),
        Column(to_reference, lambda r: ratio(r.comparison.ratio)),
        Column("verdict", lambda r: verdict_cell(r.comparison, r.notes), "t"),
        Column("process to process", lambda r: deviation(samples[r.key])),
        Column("samples", samples_cell),
        Column("in disturbed blocks", lambda r: str(len(disturbed.get(r.key, ())))),
    ]
    return make_table(title, columns, rows)
