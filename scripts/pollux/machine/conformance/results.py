# SPDX-License-Identifier: BSD-3-Clause
"""What conformance programs showed, by attempt, by rule and by target, as it is kept."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Literal

from pydantic import Field

from pollux.core.models import Lenient, Strict
from pollux.core.records import Count

SCHEMA: Literal["pollux-conformance-result/1"] = "pollux-conformance-result/1"


class Verdict(StrEnum):
    """What was seen of a rule, the best first: of several, the last in this list counts."""

    KEPT = "kept"
    IGNORED = "ignored"
    SERIALISED = "serialised"
    NOT_COMPILED = "not compiled"
    UNSUPPORTED = "unsupported"
    NOT_RUN = "not run"
    BROKEN = "broken"
    HUNG = "hung"
    CRASHED = "crashed"


RANK = {verdict: rank for rank, verdict in enumerate(Verdict)}
MILD = (Verdict.IGNORED, Verdict.SERIALISED)  # of no weight where another trial showed "kept"
FAILED = (Verdict.CRASHED, Verdict.HUNG, Verdict.BROKEN)  # the worst first
MEANING = {
    Verdict.KEPT: "no trial broke the rule, and tasks that may run at the same time "
    "did so at least once",
    Verdict.SERIALISED: "no trial broke the rule, but tasks that may run at the same time "
    "never did: correct, but slower than necessary",
    Verdict.IGNORED: "a hint had no effect, which OpenMP allows",
    Verdict.BROKEN: "a trial showed what the rule forbids",
    Verdict.HUNG: "a process did not end in time; its threads' stacks are recorded",
    Verdict.CRASHED: "a process was ended by a signal, or by the runtime with an error",
    Verdict.UNSUPPORTED: "the runtime lacks an entry point",
    Verdict.NOT_COMPILED: "the compiler does not accept the clause, so there is no program",
    Verdict.NOT_RUN: "the program could not be started, or refused to run: it found another "
    "runtime than the one requested, or a smaller team than it asked for",
}


class Attempt(Strict):
    """One process of a rule's program: a number of trials on a number of threads."""

    threads: int = Field(ge=1)
    trials: int = Field(ge=0, description="Trials that ended.")
    verdict: Verdict
    seed: int | None = Field(description="Of the trial that decided the verdict.")
    detail: str = Field(description="What that trial observed; empty if the rule was kept.")
    replay: str | None = Field(description="Command that runs that trial again; null if kept.")
    stderr: str = Field(description="The end of the process's standard error, if it failed.")
    stacks: str | None = Field(description="Stacks of all threads, if it hung.")
    seconds: float = Field(ge=0, description="From start to end of the process.")


class RuleResult(Strict):
    """A rule on a target, over all numbers of threads."""

    rule: str
    statement: str = Field(description="What OpenMP requires; empty if no program ran.")
    source: str = Field(description="Section of OpenMP that requires it.")
    verdict: Verdict
    threads: list[int] = Field(description="Numbers of threads at which the verdict was seen.")
    detail: str = Field(description="Of the first attempt that had the verdict.")
    trials: int = Field(ge=0, description="Trials that ended, on two threads or more.")
    seed: int = Field(description="Of the first trial on each number of threads.")
    unix_ns: Count = Field(description="When the rule was tested, nanoseconds since 1970.")
    attempts: list[Attempt]
    not_tried: list[int] = Field(
        description="Numbers of threads left out after one that hung or was not run."
    )
    processors: int | None = Field(
        default=None, ge=1, description="Null if as many as the target's."
    )
    environment: dict[str, str] | None = Field(
        default=None, description="Null if that of the target."
    )

    def findings(self) -> list[Attempt]:
        """What shows the verdict, and what else went wrong: the first attempt of each kind."""
        wanted = FAILED if self.verdict in FAILED else (self.verdict,)
        firsts = (next((a for a in self.attempts if a.verdict is v), None) for v in wanted)
        return [attempt for attempt in firsts if attempt is not None]

    def threads_with(self, verdict: Verdict) -> list[int]:
        return sorted(a.threads for a in self.attempts if a.verdict is verdict)


class Runtime(Lenient):
    """The runtime that the programs found in their process."""

    name: str
    version: str | None
    path: str
    build_id: str | None
    abi: str
    sha256: str | None = Field(
        default=None, description="Of the library's file; null if it is not known."
    )


class Compiler(Strict):
    """The compiler of the programs."""

    name: str
    version: str


class TargetResult(Strict):
    """All rules on one target: a build on its own runtime, or under another library."""

    schema_name: Literal["pollux-conformance-result/1"] = Field(default=SCHEMA, alias="schema")
    label: str
    preset: str
    runtime: Runtime | None = Field(description="Null if no program started.")
    compiler: Compiler | None
    processors: int = Field(ge=1, description="Logical processors that the programs could use.")
    environment: dict[str, str] = Field(
        description="Variables of runtimes that the user's shell had set."
    )
    rules: list[RuleResult]

    def failed(self) -> bool:
        """Whether a rule was broken, or ended a process."""
        return any(rule.verdict in FAILED for rule in self.rules)

    def seconds(self) -> float:
        return sum(attempt.seconds for rule in self.rules for attempt in rule.attempts)

    def rule(self, name: str) -> RuleResult | None:
        return next((rule for rule in self.rules if rule.rule == name), None)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict over several trials; concurrency that was seen once is there."""
    found = set(verdicts)
    counted = found.difference(MILD) if Verdict.KEPT in found else found
    return max(counted, key=RANK.__getitem__, default=Verdict.KEPT)


def combine(attempts: list[Attempt]) -> Verdict:
    """A rule's verdict. One thread shows no concurrency, so that its "kept" says nothing of it."""
    several = [a for a in attempts if a.threads > 1]
    failed = [a.verdict for a in attempts if RANK[a.verdict] > RANK[Verdict.SERIALISED]]
    return worst([*failed, *(a.verdict for a in several or attempts)])
