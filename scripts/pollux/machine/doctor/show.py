# SPDX-License-Identifier: BSD-3-Clause
"""Shows the results of a machine's checks, as a table or as JSON."""

import json

from rich import box
from rich.table import Table
from rich.text import Text

from pollux.core.console import make_console, say_all
from pollux.core.text import several_lines
from pollux.machine.doctor.checkup import Row, fitness, summarise
from pollux.machine.doctor.finding import Verdict

WIDTH = 100
STYLES = {Verdict.GOOD: "green", Verdict.CAUTION: "yellow", Verdict.BAD: "bold red"}


def show_table(rows: list[Row], container: bool) -> None:
    """Print the table, then the commands, which must not be wrapped, and the summary."""
    console = make_console(plain_width=WIDTH)
    console.width = min(console.width, WIDTH)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("check", min_width=9, overflow="fold")
    table.add_column("found", ratio=2, overflow="fold")
    table.add_column("verdict", overflow="fold")
    table.add_column("why it matters", ratio=1, overflow="fold")
    for row in rows:
        verdict = Text(row.verdict, style=STYLES.get(row.verdict, "dim"))
        table.add_row(row.check.name, several_lines(row.finding.found), verdict, row.check.why)
    console.print(table)
    say_all(console, (*commands(rows, container), summarise(rows)))


def commands(rows: list[Row], container: bool) -> list[str]:
    """The commands that fix what can be fixed, each on a line of its own, to be copied."""
    fixable = [row for row in rows if row.finding.fix]
    if not fixable:
        return []
    where = " (those with sudo on the host, not in this container)" if container else ""
    lines = [f"What fixes it{where}:"]
    for row in fixable:
        lines += [f"  # {row.check.name}: {row.finding.brief}", f"  {row.finding.fix}"]
    return [*lines, ""]


def as_json(rows: list[Row]) -> str:
    checks = [
        {
            "name": row.check.name,
            "found": row.finding.found,
            "verdict": row.verdict,
            "affects": row.check.affects,
            "why": row.check.why,
            "brief": row.finding.brief,
            "fix": row.finding.fix,
        }
        for row in rows
    ]
    whole = {"checks": checks, "fitness": fitness(rows), "summary": summarise(rows)}
    return json.dumps(whole, indent=2, ensure_ascii=False)
