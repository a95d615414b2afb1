# SPDX-License-Identifier: BSD-3-Clause
"""Shows a watch on a terminal: the answer, then a table of the series."""

from rich.console import Console

from pollux.core.grouping import grouped
from pollux.core.tables import Column, Rows, put, put_table
from pollux.nights.showing.words import answer, rows
from pollux.nights.watching.findings import Watch
from pollux.nights.watching.judging import State

STYLES = {State.WRONG: "red", State.SLOWER: "red", State.FASTER: "green", State.NOT_RUN: "yellow"}


def show(console: Console, watch: Watch) -> None:
    """Write the answer, what is wrong with files, and the table."""
    put(console, answer(watch), "bold")
    for line in watch.problems:
        put(console, line, "yellow")
    shown = rows(watch)
    put(console, "")
    columns = [
        Column("series", [r.label for r in shown], is_left=True, is_prose=True),
        Column("state", [r.state for r in shown], is_left=True),
        Column("since", [r.since for r in shown], is_left=True),
        Column("ratio to the base line", [r.ratio for r in shown]),
    ]
    states = [r.finding.state for r in shown]
    styles = {at: STYLES[state] for at, state in enumerate(states) if state in STYLES}
    put_table(console, columns, Rows(styles))
    noted = grouped((r for r in shown if r.details), lambda row: "; ".join(row.details))
    if noted:
        put(console, "")
    for text, own in noted.items():
        put(console, f"{own[0].label if len(own) == 1 else f'{len(own)} series'}: {text}")
    if watch.alarms:
        put(console, "")
        put(console, accepting(watch), "dim")


def accepting(watch: Watch) -> str:
    return (
        f"pollux watch accept {watch.folder} --reason TEXT moves the base line to these levels; "
        "pollux bisect finds the commit"
    )
