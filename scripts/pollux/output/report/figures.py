# SPDX-License-Identifier: BSD-3-Clause
"""Tables of the figures that single benchmarks have besides speed, such as GB/s or fill-in."""

from collections.abc import Sequence

from pollux.core.analysis.result import Result, Row
from pollux.output.report.numbers import number
from pollux.output.report.tables import Cell, Table, configuration_name, size, threads, tile

UNITS = {"gbytes_per_second": "GB/s", "gbytes": "GB", "gflops": "GFlop/s", "percent": "%"}
WHOLE_MOST = 1e15


def figure_tables(result: Result) -> list[Table]:
    """A table for each benchmark that has such figures."""
    names = dict.fromkeys(row.configuration.benchmark for row in result.rows if row.figures)
    return [
        figure_table(name, result.by, [r for r in result.rows if r.configuration.benchmark == name])
        for name in names
    ]


def figure_table(benchmark: str, by: str, rows: Sequence[Row]) -> Table:
    names = list(dict.fromkeys(name for row in rows for name in row.figures))
    headings = [Cell("configuration", "t"), Cell(by, "t"), *map(Cell, ("N", "NB", "threads"))]
    headings += [Cell(in_words(name)) for name in names]
    cells = [
        [
            Cell(configuration_name(row), "t"),
            Cell(row.level, "t"),
            *map(Cell, (size(row), tile(row), threads(row))),
            *(Cell(count_or_number(row.figures.get(name))) for name in names),
        ]
        for row in rows
    ]
    return Table(f"Figures of {benchmark}, medians of the samples", headings, cells)


def count_or_number(value: float | None) -> str:
    """What is a whole number is written as one."""
    whole = value is not None and value.is_integer() and abs(value) < WHOLE_MOST
    return f"{value:.0f}" if whole else number(value)


def in_words(name: str) -> str:
    """`stream_gbytes_per_second` is "stream GB/s"."""
    for word, unit in UNITS.items():
        name = name.replace(word, unit)
    return name.replace("_", " ")
