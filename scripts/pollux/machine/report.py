# SPDX-License-Identifier: BSD-3-Clause
"""Which rules of OpenMP the report's runtimes keep, as far as `pollux conform` tried them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pollux.core.analysis.dataset import Dataset, Identity
from pollux.machine.conformance.results import FAILED, MILD, RuleResult, TargetResult, Verdict
from pollux.machine.conformance.show import dates, finding_lines, identity, rules_of, trials, words
from pollux.output.report.identity import labels
from pollux.output.report.tables import Cell, Column, Table, make_table

KINDS = {Verdict.KEPT: "t good", **dict.fromkeys(MILD, "t"), **dict.fromkeys(FAILED, "t bad")}


@dataclass(frozen=True)
class Conformance:
    """The section: a column for each label whose runtime and compiler were tried."""

    matrix: Table
    tried: list[tuple[str, str]]  # label, what was tried when
    untried: list[str]  # labels
    findings: list[tuple[str, str]]  # what was seen, and the command


def conformance(dataset: Dataset, results: Sequence[TargetResult]) -> Conformance | None:
    """The section, or nothing where none of the report's runtimes was tried."""
    ran = labels(dataset)
    matching = {label: match(dataset, label, results) for label in ran}
    tried = {label: result for label, result in matching.items() if result is not None}
    if not tried:
        return None
    distinct = list({id(result): result for result in tried.values()}.values())
    columns: list[Column[RuleResult]] = [
        Column("rule", lambda rule: rule.rule, "t"),
        *(Column(label, partial(cell, result), "t") for label, result in tried.items()),
    ]
    return Conformance(
        matrix=make_table("Rules kept and broken", columns, rules_of(distinct)),
        tried=[(label, f"{identity(r)}, {dates(r)}; {trials(r)}") for label, r in tried.items()],
        untried=[label for label in ran if label not in tried],
        findings=[line for result in distinct for line in finding_lines(result)],
    )


def match(dataset: Dataset, label: str, results: Sequence[TargetResult]) -> TargetResult | None:
    """The results for the runtime and the compiler that ran under a label."""
    ran = [
        (identity, configuration.builds.get("runtime"))
        for key, configuration in dataset.configurations.items()
        if configuration.runtime == label
        for identity in dataset.identities.get(key, ())
    ]
    ordered = sorted(results, key=lambda result: result.label != label)
    return next((r for r in ordered if ran and all(same(r, *one) for one in ran)), None)


def same(result: TargetResult, ran: Identity, sha256: str | None) -> bool:
    """Whether rules and benchmarks ran on one library, as executables of one compiler.

    `sha256` is that of the library that ran, where it is known. A library that was patched may
    have the build-id of the original.
    """
    if result.runtime is None or result.compiler is None:
        return False
    if sha256 and result.runtime.sha256 not in (None, sha256):
        return False
    tested = result.runtime.model_dump(include={"name", "version", "path", "build_id"})
    compiler = result.compiler.model_dump()
    if ran.runtime.get("build_id") and tested["build_id"]:  # the same library at any path
        tested = {"build_id": tested["build_id"]}
    return agree(tested, ran.runtime) and agree(compiler, ran.compiler)


def agree(tested: dict[str, Any], ran: dict[str, Any]) -> bool:
    return all(ran.get(name) == value for name, value in tested.items())


def cell(result: TargetResult, row: RuleResult) -> Cell:
    rule = result.rule(row.rule)
    return Cell(words(rule), KINDS.get(rule.verdict, "t") if rule else "t")
