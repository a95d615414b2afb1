# SPDX-License-Identifier: BSD-3-Clause
"""What has changed between the last good commit and the first bad one: what tasks cost, and where
the threads' time went."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pollux.core.analysis.result import Result, Row, Verdict
from pollux.core.errors import BadUsageError, MachineError
from pollux.core.parts import service
from pollux.core.spans import parse_span
from pollux.nights.bisecting.building import Library
from pollux.nights.bisecting.measuring import CANDIDATE, GOOD, Effort, measure
from pollux.nights.bisecting.starting import variables_of
from pollux.nights.bisecting.state import Plan, Symptom

FOLDER = "changes"  # of the commit
SHARES = 0.6, 0.4  # of the time: for what tasks cost, for the split
OVERHEADS = {  # what tasks cost
    "benchmark": "task-overhead",
    "variant": ["chain", "fan-out", "fan-in", "butterfly"],
    "size": 1024,
}
WHOLE = "a task as a whole"
TERMS = {
    "ns_per_task": WHOLE,
    "creation": "creation",
    "per_item": "a depend item",
    "release": "release",
    "completion": "completion",
}


@dataclass(frozen=True)
class Changed:
    """Lines on each of the two."""

    costs: list[str]
    split: list[str]
    unsplit: str | None = None  # why the threads' time is not


def what_changed(
    folder: Path, plan: Plan, libraries: tuple[Library, Library], symptom: Symptom, effort: Effort
) -> Changed:
    """Measure the last good library beside the first bad one, or go on with it."""
    where = folder / FOLDER
    seconds = parse_span(effort.budget)
    for_costs = replace(effort, budget=f"{max(1, round(SHARES[0] * seconds))}s")
    work = {
        **plan.model_dump(include={"preset", "size", "tile", "threads"}),
        **symptom.model_dump(include={"benchmark", "variant"}),
        **{"margin": effort.margin, "seconds": SHARES[1] * seconds},
    }
    costs: list[str] = []
    try:
        costs += cost_lines(measure_costs(where, plan, libraries, for_costs))
        explained = service("explained_difference")
        if explained is None:
            return Changed(costs, [], "that needs the part 'insight' of pollux")
        states = zip((GOOD, CANDIDATE), libraries, strict=True)
        sides = {label: variables_of(plan, library, where) for label, library in states}
        return Changed(costs, explained(work, sides, where / "traces", effort.build_root))
    except (BadUsageError, MachineError) as error:  # what was found is not lost
        return Changed(costs, [], error.format_message())


def measure_costs(
    folder: Path, plan: Plan, libraries: tuple[Library, Library], effort: Effort
) -> Result:
    """The terms of a task's cost, by a campaign like those of the search."""
    grid = OVERHEADS if plan.threads is None else OVERHEADS | {"threads": plan.threads}
    return measure(folder / "costs", plan, libraries, effort, grid)


def cost_lines(result: Result) -> Iterator[str]:
    """A line for each term: where it has changed, and where not."""
    rows = [row for row in result.rows if row.level == CANDIDATE]
    for name, words in TERMS.items():
        own = [row for row in rows if (row.configuration.quantity or "ns_per_task") == name]
        if own:
            yield f"{words}: {'; '.join(verdicts(own))}"


def verdicts(rows: Sequence[Row]) -> Iterator[str]:
    """What has changed, the largest change first, then how many have not, and how many are open."""
    changed = [r for r in rows if r.comparison.verdict in (Verdict.WORSE, Verdict.BETTER)]
    for row in sorted(changed, key=distance, reverse=True):
        where = row.configuration.model_copy(update={"quantity": None}).label()
        yield f"{row.comparison.words} ({where.removeprefix('task-overhead ')})"
    same = sum(row.comparison.verdict is Verdict.NO_DIFFERENCE for row in rows)
    if same:
        yield f"no difference in {same} of {len(rows)}"
    if rest := len(rows) - len(changed) - same:
        yield f"open in {rest} of {len(rows)}"


def distance(row: Row) -> float:
    ratio = row.comparison.ratio
    return 0.0 if ratio is None else abs(1 - ratio.estimate)
