# SPDX-License-Identifier: BSD-3-Clause
"""What is new in a target's results: against those of another, and against failures expected."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pydantic import BaseModel, Field

from pollux.core.text import counted, some
from pollux.machine.conformance.baseline import Baseline
from pollux.machine.conformance.expected import Expectation, Expectations
from pollux.machine.conformance.results import (
    FAILED,
    MILD,
    RuleResult,
    TargetResult,
    Verdict,
)
from pollux.machine.conformance.show import finding, words

NAMED_MOST = 3  # failures in the answer; all have a line of their own
WORKED = (Verdict.KEPT, *MILD)
JUDGED = (*WORKED, *FAILED, Verdict.UNSUPPORTED)  # what says something about the runtime


class Kind(StrEnum):
    """What a change is, in the order in which they are told."""

    NEW = "new"
    NOT_JUDGED = "not judged"
    KNOWN = "known"
    BETTER = "better"
    WEAKER = "weaker"


class Decision(StrEnum):
    """What the first line says."""

    PASSED = "PASSED"
    FAILED = "FAILED"
    UNDECIDED = "UNDECIDED"


STATUS = {Decision.PASSED: 0, Decision.FAILED: 1, Decision.UNDECIDED: 3}


class Change(BaseModel):
    """A rule of a target that failed, or that another has another verdict of."""

    target: str
    rule: str
    kind: Kind
    verdict: str = Field(description="Now, with the numbers of threads if not all.")
    before: str | None = Field(description="The same of the other target; null without one.")
    reason: str | None = Field(description="Why the failure is expected, if it is.")
    detail: str = Field(description="What was seen, and in which trial.")
    replay: str | None = Field(description="Command that runs that trial again.")

    def line(self) -> str:
        was = f", was {self.before}" if self.before is not None else ""
        more = f": {self.detail}" if self.detail else ""
        expected = f" (expected: {self.reason})" if self.reason else ""
        return f"{self.kind}: {self.target} {self.rule}: {self.verdict}{was}{expected}{more}"


@dataclass(frozen=True)
class Gate:
    """The decision and what it rests on."""

    decision: Decision
    answer: str  # begins with the decision
    changes: list[Change]

    @property
    def status(self) -> int:
        return STATUS[self.decision]

    def kind(self, target: str, rule: str) -> Change | None:
        """The change of a rule of a target."""
        return next((c for c in self.changes if (c.target, c.rule) == (target, rule)), None)


def check(
    results: Sequence[TargetResult], baseline: Baseline | None, expectations: Expectations | None
) -> Gate:
    """Fail on failures that are neither in the baseline nor expected."""
    changes = [
        change
        for result in results
        for rule in result.rules
        if (change := compare(result, rule, baseline, expectations)) is not None
    ]
    changes.sort(key=lambda change: list(Kind).index(change.kind))
    kinds = {change.kind for change in changes}
    judged = sum(rule.verdict in JUDGED for result in results for rule in result.rules)
    decision = Decision.PASSED
    if Kind.NEW in kinds:
        decision = Decision.FAILED
    elif Kind.NOT_JUDGED in kinds or not judged:
        decision = Decision.UNDECIDED
    against = " and ".join(x.name for x in (baseline, expectations) if x is not None)
    targets = ", ".join(result.label for result in results)
    told = [f"{targets} against {against}: {new_ones(changes)}", *counts(changes)]
    answer = "; ".join([*told, f"{counted(judged, 'rule')} tried"])
    return Gate(decision, f"{decision}: {answer}", changes)


def compare(
    result: TargetResult,
    rule: RuleResult,
    baseline: Baseline | None,
    expectations: Expectations | None,
) -> Change | None:
    """What there is to tell of a rule."""
    before = baseline.rule(result.label, rule.rule) if baseline else None
    expected = expectations.of(result.label, rule.rule) if expectations else None
    kind = kind_of(rule, before, expected)
    if kind is None or (
        rule.verdict is Verdict.NOT_COMPILED and not share_compiler(result, baseline)
    ):
        return None
    attempt = next(iter(rule.findings()), None) if kind is not Kind.BETTER else None
    return Change(
        target=result.label,
        rule=rule.rule,
        kind=kind,
        verdict=words(rule),
        before=shown(before) if baseline else None,
        reason=expected.reason if expected else None,
        detail=detail_of(rule, kind, before),
        replay=attempt.replay if attempt else None,
    )


def share_compiler(result: TargetResult, baseline: Baseline | None) -> bool:
    """Whether the other target is of the same compiler, of any version."""
    ours, theirs = result.compiler, baseline.of(result.label).compiler if baseline else None
    return ours is not None and theirs is not None and ours.name == theirs.name


def kind_of(
    rule: RuleResult, before: RuleResult | None, expected: Expectation | None
) -> Kind | None:
    """What a verdict is, given the one before and the failure that is expected."""
    now, was = rule.verdict, before.verdict if before else None
    if now in FAILED:
        return kind_of_failure(rule, was, expected)
    if now is Verdict.NOT_RUN or (now is Verdict.NOT_COMPILED and was in (*WORKED, *FAILED)):
        return Kind.NOT_JUDGED
    if now is Verdict.UNSUPPORTED:
        return kind_of_lack(was)
    if now not in WORKED:
        return None
    if was in (*FAILED, Verdict.UNSUPPORTED) or (now is Verdict.KEPT and was in MILD) or expected:
        return Kind.BETTER
    return Kind.WEAKER if now in MILD and was is Verdict.KEPT else None


def kind_of_failure(rule: RuleResult, was: Verdict | None, expected: Expectation | None) -> Kind:
    if was in FAILED or (expected and expected.covers(rule)):
        return Kind.KNOWN
    return Kind.NOT_JUDGED if was is Verdict.NOT_RUN else Kind.NEW


def kind_of_lack(was: Verdict | None) -> Kind | None:
    """Unsupported is a failure only where the rule worked before."""
    if was is Verdict.NOT_RUN:
        return Kind.NOT_JUDGED
    return Kind.NEW if was in WORKED else None


def shown(before: RuleResult | None) -> str:
    """A verdict before, and how often "kept" was seen."""
    if before is None:
        return "not tried"
    trials = f" in {counted(before.trials, 'trial')}" if before.verdict is Verdict.KEPT else ""
    return f"{words(before)}{trials}"


def detail_of(rule: RuleResult, kind: Kind, before: RuleResult | None) -> str:
    """What was seen, in a line."""
    if kind is Kind.BETTER:
        return f"in {counted(rule.trials, 'trial')}" if rule.verdict is Verdict.KEPT else ""
    attempt = next(iter(rule.findings()), None)
    if kind is Kind.NOT_JUDGED and before is not None and before.verdict is Verdict.NOT_RUN:
        return before.detail
    return finding(rule, attempt) if attempt else rule.detail


def new_ones(changes: Sequence[Change]) -> str:
    """The new failures by name, as many as a line holds."""
    new = [c for c in changes if c.kind is Kind.NEW]
    if not new:
        return "no new failure"
    several = len({change.target for change in new}) > 1
    texts = [f"{c.target + ' ' if several else ''}{c.rule} {c.verdict}" for c in new]
    return f"{counted(len(new), 'new failure')} ({some(texts, NAMED_MOST)})"


def counts(changes: Sequence[Change]) -> Iterator[str]:
    """The other kinds, such as "2 better"."""
    for kind in (Kind.NOT_JUDGED, Kind.KNOWN, Kind.BETTER, Kind.WEAKER):
        if number := sum(change.kind is kind for change in changes):
            yield f"{number} {kind}"
