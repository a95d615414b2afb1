# SPDX-License-Identifier: BSD-3-Clause
"""Whether both sides of a comparison ran under equal conditions: what differs besides the axis."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from pollux.core.analysis.axes import runs_tasks
from pollux.core.analysis.dataset import Identity
from pollux.core.analysis.result import Result, Row

EQUAL = 'priorities = "equal" in the campaign makes all sides equal'
SEARCH_PATH = "LD_LIBRARY_PATH"  # by which a campaign selects libraries: the runtime is an axis
Identities = Mapping[str, Sequence[Identity]]

# What a row and its reference should have in common, with the words for it.
CONDITIONS: dict[str, Callable[[Identity], object]] = {
    "processor": lambda i: i.host["cpu"],
    "kernels": lambda i: i.kernels,
    "instruction set or build of kernels": lambda i: i.kernels_isa or "",
    "BLAS": lambda i: i.blas_in_words,
    "build type": lambda i: i.compiler["build_type"],
    "compiler flags": lambda i: i.compiler["flags"],
    "check": lambda i: i.check,
}


def remarks(row: Row, reference: Row | None, identities: Identities, by: str) -> tuple[str, ...]:
    """Remarks on a row besides its verdict: all that differs from the reference."""
    if reference is None or row is reference:
        return ()
    here, there = identities.get(row.key, ()), identities.get(reference.key, ())
    if not here or not there:
        return ()
    return (
        *about_priorities(row, reference),
        *about_conditions(here, there, reference.level, by),
        *([] if by == "environment" else about_variables(here, there, reference.level)),
    )


def about_conditions(
    here: Sequence[Identity], there: Sequence[Identity], level: str, by: str
) -> Iterator[str]:
    for name, of in CONDITIONS.items():
        if name == by or [*map(of, here)] == [*map(of, there)]:
            continue
        own, other = values(here, of), values(there, of)
        if own != other:
            yield f"{name} {own} here, {other} on {level}"


def values(identities: Sequence[Identity], of: Callable[[Identity], object]) -> str:
    """The different values of some identities in a few words."""
    found = dict.fromkeys(of(identity) for identity in identities)
    return " and ".join("unknown" if v is None else str(v) or "none" for v in found)


def about_variables(
    here: Sequence[Identity], there: Sequence[Identity], level: str
) -> Iterator[str]:
    """Variables of the environment that the user set on one side alone, or differently."""
    names = {n for i in (*here, *there) for n in i.runtime["env"]} - {SEARCH_PATH}
    for name in sorted(names):
        own, other = (settings(side, name) for side in (here, there))
        if own != other:
            yield f"{own} here, {other} on {level}"


def settings(identities: Sequence[Identity], name: str) -> str:
    found = dict.fromkeys(i.runtime["env"].get(name) for i in identities)
    return " and ".join(f"no {name}" if v is None else f"{name}={v}" for v in found)


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
