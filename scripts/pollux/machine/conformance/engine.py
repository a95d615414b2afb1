# SPDX-License-Identifier: BSD-3-Clause
"""Tests every rule on a target, on each number of threads."""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pollux.core.errors import BadUsageError, MachineError
from pollux.core.executables.loaded import digests_of
from pollux.core.executables.variables import fitting_threads, relevant
from pollux.core.runtimes.found import Target
from pollux.machine.conformance.program import Order, Printed, Program, run
from pollux.machine.conformance.results import (
    Attempt,
    Compiler,
    RuleResult,
    Runtime,
    TargetResult,
    Verdict,
    combine,
)
from pollux.machine.conformance.settings import Settings

ONE_THREAD_SHARE = 0.25  # of the seconds: on one thread trials differ little
MOST_EFFORT = 4.0  # of conformance/rules: the factor by which a program may exceed its seconds
ENOUGH = (Verdict.HUNG, Verdict.NOT_RUN)  # more threads would take too long, or show the same


@dataclass
class Progress:
    """The state of a target's run."""

    target: Target
    folder: Path  # of the programs
    settings: Settings
    all_programs: list[Program]
    programs: list[Program]  # those to run
    runtime: Runtime | None = None  # that the first program found; it stays the same
    compiler: Compiler | None = None
    rules: list[RuleResult] = field(default_factory=list)

    def result(self) -> TargetResult:
        return TargetResult(
            label=self.target.label,
            preset=self.target.preset,
            runtime=self.runtime,
            compiler=self.compiler,
            processors=len(os.sched_getaffinity(0)),
            environment=relevant(os.environ),
            rules=self.rules,
        )

    def recognise(self, process: dict[str, Any]) -> None:
        """Note what a program says of itself; MachineError where the library is another by now."""
        found = runtime_of(process["runtime"])
        if self.runtime is not None and found != self.runtime:
            raise MachineError(
                f"{self.target.label}: {self.runtime.path} was replaced while its rules were "
                "tried; repeat the command when it is built"
            )
        self.runtime, self.compiler = found, Compiler.model_validate(process["compiler"])

    def order(self, rule: str, threads: int) -> Order:
        share = 1.0 if threads > 1 else ONE_THREAD_SHARE
        longer = max(0.0, self.settings.seconds - Settings.seconds)  # than the limit is for
        return Order(
            program=self.folder / rule,
            threads=threads,
            seed=self.settings.seed,
            seconds=self.settings.seconds * share,
            limit=self.settings.limit + longer * share * MOST_EFFORT,
            variables={**waiting(threads), **self.target.variables},
        )


def runtime_of(printed: dict[str, Any]) -> Runtime:
    """The runtime as a program found it, and its file."""
    found = Runtime.model_validate(printed)
    path = Path(found.path)
    return found.model_copy(update={"sha256": digests_of([path]).get(str(path))})


def waiting(threads: int) -> dict[str, str]:
    """Threads for which there is no processor, or no time in a CPU quota, must not spin.

    Unless the user says so.
    """
    crowded = threads > fitting_threads()
    return {"OMP_WAIT_POLICY": "passive"} if crowded and "OMP_WAIT_POLICY" not in os.environ else {}


def chosen(programs: list[Program], rules: Sequence[str] | None) -> list[Program]:
    """The programs of these rules, in the order of the list."""
    known = [program.rule for program in programs]
    for rule in rules or []:
        if rule not in known:
            raise BadUsageError(f"unknown rule {rule}; choose from {', '.join(known)}")
    return [program for program in programs if rules is None or program.rule in rules]


def conform(progress: Progress, report: Callable[[], None]) -> TargetResult:
    """Run the programs under a target; `report` is called after each."""
    for program in progress.programs:
        progress.rules.append(try_rule(program, progress))
        report()
    return progress.result()


def try_rule(program: Program, progress: Progress) -> RuleResult:
    """One rule, on each number of threads; on one thread last, where least is seen."""
    began = time.time_ns()
    attempts: list[Attempt] = []
    described = Printed()
    left = sorted(progress.settings.threads, key=lambda count: (count == 1, count))
    while left and not program.lacks and not (attempts and attempts[-1].verdict in ENOUGH):
        printed, attempt = run(progress.order(program.rule, left.pop(0)))
        attempts.append(attempt)
        if printed.process:
            described = printed
            progress.recognise(printed.process)
    verdict = Verdict.NOT_COMPILED if program.lacks else combine(attempts)
    deciding = [a for a in attempts if a.verdict is verdict]
    missing = f"the compiler lacks {program.lacks.lower().replace('_', ' ')}"
    return RuleResult(
        rule=program.rule,
        statement=described.process.get("statement", ""),
        source=described.process.get("source", ""),
        verdict=verdict,
        threads=sorted(a.threads for a in deciding),
        detail=deciding[0].detail if deciding else missing,
        trials=sum(a.trials for a in attempts if a.threads > 1),
        seed=progress.settings.seed,
        unix_ns=began,
        attempts=attempts,
        not_tried=sorted(left) if attempts else [],
    )
