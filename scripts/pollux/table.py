# SPDX-License-Identifier: BSD-3-Clause
"""Shows the rows of a campaign as a table, with what needs an explanation below it."""

from collections import Counter
from collections.abc import Iterable

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from pollux.executables import Configuration
from pollux.summary import DigestGroup, Row, Spread

NOTHING = "–"
LEFT = ("benchmark", "variant", "runtime")
RIGHT = ("N", "NB", "threads", "GFlop/s (range)")


def show(console: Console, rows: list[Row], baseline: str) -> None:
    """Print the table, then what was loaded and what failed."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in LEFT:
        table.add_column(name, overflow="fold")
    for name in (*RIGHT, f"ratio to {baseline} (range)", "residual", "digests"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(*cells(row), style="red" if row.problems else None)
    console.print(table)
    for line in (*loaded(rows), *substitutes(rows), *problems(rows)):
        console.print(escape(line), soft_wrap=True, highlight=False)


def cells(row: Row) -> list[str]:
    record = row.record
    sizes = [record.n, record.nb, record.threads] if record else [NOTHING] * 3
    return [
        row.configuration.variant.benchmark,
        escape(variant_name(row)),
        row.configuration.preset,
        *map(str, sizes),
        spread_text(row.gflops, 1) if row.gflops else "failed",
        spread_text(row.ratio, 2),
        NOTHING if row.worst_residual is None else f"{row.worst_residual:.2g}",
        {True: "agree", False: "DIFFER", None: NOTHING}[row.digests_agree],
    ]


def variant_name(row: Row) -> str:
    """The variant, with its substitute where concurrent write is not what the compiler knows."""
    name = row.configuration.variant.variant
    write = row.record.concurrent_write if row.record else None
    if write is None or write.native:
        return name
    return f"{name} ({write.clause.removeprefix('depend(').removesuffix(')')})"


def spread_text(spread: Spread | None, digits: int) -> str:
    if spread is None:
        return NOTHING
    if spread.low == spread.high:
        return f"{spread.median:.{digits}f}"
    return f"{spread.median:.{digits}f} ({spread.low:.{digits}f}–{spread.high:.{digits}f})"


def loaded(rows: Iterable[Row]) -> list[str]:
    """One line for each runtime and BLAS that was really loaded."""
    lines: dict[str, None] = {}
    for row in rows:
        if row.record:
            runtime, blas = row.record.runtime, row.record.blas
            lines[
                f"{row.configuration.preset}: {runtime.name} {runtime.version or ''}, "
                f"BLAS {blas.version or ''} with kernels for {blas.core or 'an unknown processor'}"
            ] = None
    return list(lines)


def substitutes(rows: Iterable[Row]) -> list[str]:
    """How concurrent write was spelled, and what it was seen to do."""
    return [
        f"{row.configuration.label}: {write.clause}"
        f"{'' if write.native else ' as a substitute for concurrent write'}, seen: {write.observed}"
        for row in rows
        if row.record and (write := row.record.concurrent_write)
    ]


def problems(rows: Iterable[Row]) -> list[str]:
    return [
        f"{row.configuration.label}: {count} × {problem}"
        for row in rows
        for problem, count in Counter(row.problems).items()
    ]


def unavailable(configurations: Iterable[Configuration]) -> list[str]:
    """Variants that this compiler, runtime or machine cannot run, with the reason."""
    return [
        f"{c.label}: not run: {c.variant.reason or c.variant.needs or 'no reason given'}"
        for c in configurations
        if not c.variant.available
    ]


def disagreements(groups: Iterable[DigestGroup]) -> list[str]:
    """Who computed what, where digests differ that should not."""
    return [
        f"digests of {group.name}, seed {group.seed}, differ: {digest}: "
        + ", ".join(c.label for c in configurations)
        for group in groups
        if not group.agrees
        for digest, configurations in group.runs.items()
    ]
