# SPDX-License-Identifier: BSD-3-Clause
"""Shows the levers of a machine, as a table or as JSON."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from pollux.core.levers import in_words
from pollux.core.system_files import System
from pollux.core.tables import Column, put, put_table
from pollux.energy.levers.available import Lever, by_reason, driver, now
from pollux.energy.levers.state import State

if TYPE_CHECKING:
    from rich.console import Console


def show_levers(
    console: "Console", system: System, levers: Sequence[Lever], state: State | None
) -> None:
    """A table of what there is, then why the rest is not."""
    used = driver(system)
    governor = now(system, "governor")
    put(console, f"frequency driver: {used}, governor {governor}" if used else "no CPUFreq driver")
    shown = [
        Column("lever", [lever.name for lever in levers], is_left=True),
        Column("now", [lever.now or "-" for lever in levers], is_left=True, is_prose=True),
        Column(
            "possible",
            ["-" if lever.problem else ", ".join(lever.possible) for lever in levers],
            is_left=True,
            is_prose=True,
        ),
    ]
    put_table(console, shown)
    for line in (*remarks(levers), *state_lines(state)):
        put(console, line)


def remarks(levers: Sequence[Lever]) -> Iterator[str]:
    """Why levers cannot be set, and what is to be known of others."""
    for names, problem, remedy in by_reason(levers):
        yield f"{names}: {problem}; {remedy}"
    for lever in levers:
        if lever.remark:
            yield f"{lever.name}: {lever.remark}"


def state_lines(state: State | None) -> Iterator[str]:
    """What is to be restored."""
    if state is None:
        return
    if state.kept:
        setting = in_words(state.setting)
        yield f"set by pollux levers set: {setting}; pollux levers restore undoes it"
    else:
        yield (
            f"process {state.process} has set levers and not restored them; if it has ended, "
            "pollux levers restore does"
        )


def as_json(system: System, levers: Sequence[Lever], state: State | None) -> str:
    whole = {
        "driver": driver(system) or None,
        "levers": [asdict(lever) for lever in levers],
        "kept": state.setting if state is not None and state.kept else None,
    }
    return json.dumps(whole, indent=2, ensure_ascii=False)
