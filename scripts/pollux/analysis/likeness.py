# SPDX-License-Identifier: BSD-3-Clause
"""Whether both sides of a comparison ran under equal conditions: what differs besides the axis."""

from collections.abc import Iterator

from pollux.analysis.axes import runs_tasks
from pollux.analysis.dataset import Identity
from pollux.analysis.result import Result, Row

EQUAL = 'priorities = "equal" in the campaign makes all sides equal'


def remarks(row: Row, reference: Row | None) -> tuple[str, ...]:
    """Remarks on a row besides its verdict."""
    if reference is None or row is reference:
        return ()
    return tuple(about_priorities(row, reference))


def about_priorities(row: Row, reference: Row) -> Iterator[str]:
    """Priorities of tasks in force on one side only; variants without tasks have none."""
    if row.identity is None or reference.identity is None or not runs_tasks(row.configuration):
        return
    here, there = row.identity, reference.identity
    if {here.priorities_in_force, there.priorities_in_force} == {True, False}:
        yield f"priorities {state(here)} here, {state(there)} on {reference.level}"


def state(identity: Identity) -> str:
    if identity.priorities_in_force:
        return "in force"
    return "ignored" if identity.priorities else "off"


def warnings_about_likeness(result: Result) -> Iterator[str]:
    """One line for all rows: which levels had priorities in force and which had none."""
    if not any(remark.startswith("priorities") for row in result.rows for remark in row.remarks):
        return
    states: dict[str, dict[str, None]] = {}
    for row in result.rows:
        if row.identity and runs_tasks(row.configuration):
            states.setdefault(state(row.identity), {})[row.level] = None
    listed = "; ".join(f"{name} on {', '.join(levels)}" for name, levels in states.items())
    yield f"priorities of tasks are not the same on all sides: {listed}; {EQUAL}"
