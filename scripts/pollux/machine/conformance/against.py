# SPDX-License-Identifier: BSD-3-Clause
"""Runs the rules on targets and on the one that they are compared with."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from pollux.core.console import say
from pollux.core.errors import BadUsageError
from pollux.machine.conformance.baseline import Baseline, is_file, read_baseline
from pollux.machine.conformance.engine import Progress, try_rule
from pollux.machine.conformance.expected import Expectations, read_expectations
from pollux.machine.conformance.gate import Gate, check
from pollux.machine.conformance.kept import file_of, keep, read_known
from pollux.machine.conformance.program import LISTING, list_programs
from pollux.machine.conformance.results import FAILED, MILD, RuleResult, TargetResult, Verdict
from pollux.machine.conformance.session import (
    folder_of,
    keeping,
    prepare,
    run_prepared,
    targets,
)
from pollux.machine.conformance.settings import SEEDS_APART, TRIES_AGAIN, Settings


@dataclass
class Terms:
    """What results are judged by: another target's, those in a file, expected failures."""

    label: str | None = None  # of a target
    path: Path | None = None
    baseline: Baseline | None = None
    expectations: Expectations | None = None

    @property
    def given(self) -> bool:
        return (self.label or self.path or self.expectations) is not None

    def check(self, results: Sequence[TargetResult]) -> Gate | None:
        """The decision, if anything was given to decide by."""
        if not self.given:
            return None
        return check(results, self.baseline, self.expectations)

    def run(
        self, labels: Sequence[str], build_root: Path, kept: Path, how: Settings, console: Console
    ) -> list[TargetResult]:
        """Test the rules on each target, and on the one that these are compared with.

        What fails on them alone is tried on that one again.
        """
        old = targets([self.label], build_root, kept) if self.label else []
        taken = {target.label for target in old}
        new = [t for t in targets(labels, build_root, kept) if labels or t.label not in taken]
        if not new or taken & {target.label for target in new}:
            raise BadUsageError(f"--against {self.label}: name another target to compare with it")
        self.refuse_replaced([target.label for target in new], kept)
        work = [prepare(target, build_root, how) for target in (*old, *new)]
        if self.expectations is not None:
            self.expectations.check_rules(p.rule for w in work for p in w.all_programs)
        results = run_prepared(work, kept, console)[len(old) :]
        if old:
            with keeping(kept):
                try_again(work[0], results, kept, console)
            self.baseline = Baseline(old[0].label, [work[0].result()])
        return results

    def check_stored(self, results: Sequence[TargetResult], build_root: Path) -> None:
        """Refuse expected failures of rules that do not exist, if a build lists those that do."""
        if self.expectations is None:
            return
        folders = {folder_of(result, build_root) for result in results}
        listed = [p.rule for f in folders if (f / LISTING).exists() for p in list_programs(f)]
        tried = (rule.rule for result in results for rule in result.rules)
        if listed:
            self.expectations.check_rules([*listed, *tried])

    def refuse_replaced(self, labels: Sequence[str], kept: Path) -> None:
        """A night that compares with what it replaces would see each failure once."""
        for label in labels:
            if self.path is not None and file_of(label, kept).resolve() == self.path.resolve():
                raise BadUsageError(
                    f"--against {self.path}: this run replaces it with the new results; copy it, "
                    "or choose another folder by --conformance"
                )
            if self.baseline is not None:
                self.baseline.of(label)


def read_terms(against: str | None, expect: Path | None) -> Terms:
    """The options' terms; files are read before anything runs."""
    terms = Terms(expectations=read_expectations(expect) if expect else None)
    if against is not None and is_file(against):
        terms.path = Path(against)
        terms.baseline = read_baseline(terms.path)
    else:
        terms.label = against
    return terms


def try_again(old: Progress, results: Sequence[TargetResult], kept: Path, console: Console) -> None:
    """Try rules that fail on other targets alone again, with other seeds: perhaps this one was
    lucky."""
    failed = {r.rule for result in results for r in result.rules if r.verdict in FAILED}
    programs = {program.rule: program for program in old.programs}
    for place, rule in enumerate(old.rules):
        if rule.rule not in failed or rule.verdict not in (Verdict.KEPT, *MILD):
            continue
        say(console, f"{old.target.label}: trying {rule.rule} again, since it failed elsewhere")
        for number in range(1, TRIES_AGAIN + 1):
            how = replace(old.settings, seed=old.settings.seed + number * SEEDS_APART)
            again = try_rule(programs[rule.rule], replace(old, settings=how))
            old.rules[place] = rule = joined(rule, again)
            if rule.verdict in FAILED:
                break
    path = file_of(old.target.label, kept)
    keep(old.result(), read_known(path), [program.rule for program in old.all_programs], path)


def joined(rule: RuleResult, again: RuleResult) -> RuleResult:
    """Two results of a rule: the failure, or with the trials of both; "kept" once is kept."""
    if again.verdict in FAILED:
        return again
    if again.verdict is Verdict.KEPT and rule.verdict in MILD:
        rule = again.model_copy(update={"trials": rule.trials})
    return rule.model_copy(update={"trials": rule.trials + again.trials})
