# SPDX-License-Identifier: BSD-3-Clause
"""Tables of the figures that single benchmarks have besides speed, such as GB/s or fill-in."""

from collections.abc import Sequence
from functools import partial

from pollux.core.analysis.result import Result, Row
from pollux.core.grouping import grouped
from pollux.output.report.numbers import number
from pollux.output.report.tables import (
    Column,
    Table,
    configuration_name,
    make_table,
    size,
    threads,
    tile,
)

UNITS = {"gbytes_per_second": "GB/s", "gbytes": "GB", "gflops": "GFlop/s", "percent": "%"}
WHOLE_MOST = 1e15


def figure_tables(result: Result) -> list[Table]:
    """A table for each benchmark that has such figures."""
    names = dict.fromkeys(row.configuration.benchmark for row in result.rows if row.figures)
    groups = grouped(result.rows, lambda row: row.configuration.benchmark)
    return [figure_table(name, result.by, groups[name]) for name in names]


def figure_table(benchmark: str, by: str, rows: Sequence[Row]) -> Table:
    names = dict.fromkeys(name for row in rows for name in row.figures)
    columns = [
        Column("configuration", configuration_name, "t"),
        Column(by, lambda r: r.level, "t"),
        Column("N", size),
        Column("NB", tile),
        Column("threads", threads),
        *(Column(in_words(name), partial(figure, name=name)) for name in names),
    ]
    return make_table(f"Figures of {benchmark}, medians of the samples", columns, rows)


def figure(row: Row, name: str) -> str:
    return count_or_number(row.figures.get(name))


def count_or_number(value: float | None) -> str:
    """What is a whole number is written as one."""
    whole = value is not None and value.is_integer() and abs(value) < WHOLE_MOST
    return f"{value:.0f}" if whole else number(value)


def in_words(name: str) -> str:
    """`stream_gbytes_per_second` is "stream GB/s"."""
    for word, unit in UNITS.items():
        name = name.replace(word, unit)
    return name.replace("_", " ")
