# SPDX-License-Identifier: BSD-3-Clause
"""A runtime's costs per task by `task-overhead`, as parameters of the simulated machine.

The pattern that has a benchmark's name is its task graph with empty kernels (docs/overheads.md).
"""

import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pollux.core.campaign.lines import SampleLine
from pollux.core.campaign.reading import Read, Unreadable, read_lines, sentences
from pollux.core.errors import BadUsageError
from pollux.core.parameters import in_words
from pollux.core.quantities import medians
from pollux.insight.graphs.model import Instance
from pollux.insight.simulation.model import Machine
from pollux.insight.traces.model import with_version

EXECUTABLE = "task-overhead"

Records = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Costs:
    """Of each task, in ns."""

    creation: float  # on the worker that submits
    dispatch: float  # on the worker that runs it


@dataclass(frozen=True)
class Overheads:
    """The costs of one runtime, by pattern and number of threads."""

    runtime: str
    costs: Mapping[str, Mapping[int, Costs]]
    is_given: bool = (
        True  # by the user, for all benchmarks; else measured, for those with a pattern
    )

    @classmethod
    def read(cls, paths: Iterable[Path], source: str = "--overheads") -> "Overheads":
        """From files of records; BadUsageError where they have none, or those of two runtimes.

        `source`: where they are from, for an error.
        """
        lines = [line for path in paths for _, line in read_lines(path)]
        records = [*records_in(lines)]
        runtimes = sorted({with_version(record["runtime"]) for record in records})
        if len(runtimes) > 1:
            raise BadUsageError(
                f"{source}: the records are of {' and '.join(runtimes)}; a simulated machine "
                "has one runtime"
            )
        if not runtimes:
            raise BadUsageError(
                f"{source}: no record of {EXECUTABLE} that passed{why_none(lines)}; "
                f"{EXECUTABLE} -p cholesky -t 1,2 -o FILE writes some"
            )
        check_settings(records)
        return cls(runtimes[0], costs_by_pattern(records))

    def lacks(self, benchmark: str) -> bool:
        """Whether they were measured, but not for this benchmark, which is no pattern."""
        return not self.is_given and benchmark not in self.costs

    def applied(self, machine: Machine, instance: Instance) -> Machine:
        """The machine with the costs of this task graph."""
        if self.lacks(instance.benchmark):
            return machine
        by_threads = self.costs.get(instance.benchmark)
        if by_threads is None:
            raise BadUsageError(
                f"--overheads: measured for {', '.join(self.costs)}, not for {instance.benchmark}; "
                f"{EXECUTABLE} -p {instance.benchmark} measures it if it has that pattern, else "
                "--creation and --dispatch set costs"
            )
        costs = by_threads[nearest(by_threads, machine.workers)]
        return replace(machine, creation=costs.creation, dispatch=costs.dispatch)


def records_in(lines: Iterable[Read]) -> Iterable[Mapping[str, Any]]:
    """The records of EXECUTABLE that passed, and state what a task costs in all."""
    found = (line for line in lines if isinstance(line, dict))
    own = (r for r in found if r["benchmark"] == EXECUTABLE and r["passed"])
    return (r for r in own if whole_and_body(r) is not None)


def why_none(lines: Sequence[Read]) -> str:
    """What the lines are instead, in brackets, where that explains why they are of no use."""
    reasons = [*sentences([line for line in lines if isinstance(line, Unreadable)])]
    if any(isinstance(line, SampleLine) for line in lines):
        reasons.append("those inside campaigns are not taken, which mix runtimes and settings")
    return f" ({'; '.join(reasons)})" if reasons else ""


def check_settings(records: Records) -> None:
    """Refuse a pattern of several sizes or parameters: their costs differ."""
    settings: dict[str, dict[str, None]] = defaultdict(dict)
    for record in records:
        settings[record["variant"]][setting_of(record)] = None
    for pattern, found in settings.items():
        if len(found) > 1:
            raise BadUsageError(
                f"--overheads: the records of {pattern} have several settings: {'; '.join(found)}; "
                "costs are taken from one"
            )


def setting_of(record: Mapping[str, Any]) -> str:
    """Its size and parameters in words."""
    size = record["size"]
    counted = [] if size is None else [f"{size['value']} {size['name']}"]
    own = in_words(tuple(sorted(record["parameters"].items())))
    return ", ".join([*counted, own] if own else counted)


def costs_by_pattern(records: Records) -> dict[str, dict[int, Costs]]:
    alike: dict[tuple[str, int], list[Mapping[str, Any]]] = defaultdict(list)
    for record in records:
        alike[record["variant"], record["threads"]].append(record)
    found: dict[str, dict[int, Costs]] = defaultdict(dict)
    for (pattern, threads), those in alike.items():
        found[pattern][threads] = costs_of(those)
    return dict(found)


def costs_of(records: Records) -> Costs:
    """The medians over repetitions; as differences of measured times these may be below 0.

    A runtime that runs each task when it is created has neither term: all that a task costs, less
    the benchmark's own code, then falls on the worker that submits.
    """
    known = {name: own.value for name, own in medians(records).items()}
    if "creation" not in known or "release" not in known:
        return Costs(statistics.median(map(own_cost, records)), 0.0)
    return Costs(max(0.0, known["creation"]), max(0.0, known["release"]))


def own_cost(record: Mapping[str, Any]) -> float:
    """All that a task costs, less the benchmark's own code."""
    whole, body = whole_and_body(record) or (0.0, 0.0)
    return max(0.0, whole - body)


def whole_and_body(record: Mapping[str, Any]) -> tuple[float, float] | None:
    """All that a task costs, and its own code; None where one is not stated."""
    whole = record["quantities"].get("ns_per_task", {}).get("value")
    body = record["figures"].get("body_ns")
    return None if whole is None or body is None else (whole, body)


def nearest(by_threads: Mapping[int, Costs], workers: int) -> int:
    """The most threads of those that are not above the workers, else the fewest."""
    fitting = [threads for threads in by_threads if threads <= workers]
    return max(fitting, default=min(by_threads))
