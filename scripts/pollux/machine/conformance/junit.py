# SPDX-License-Identifier: BSD-3-Clause
"""The results as JUnit XML, which systems for continuous integration show.

A rule is a test case. With a gate only new failures are failures, known ones are skipped with their
reason; without one every failure is a failure.
"""

from collections.abc import Sequence
from xml.etree import ElementTree as Xml

from pollux.core.text import several_lines
from pollux.machine.conformance.gate import Gate, Kind
from pollux.machine.conformance.results import FAILED, RuleResult, TargetResult, Verdict
from pollux.machine.conformance.show import finding, identity, words

SUITES = "pollux conform"


def junit(results: Sequence[TargetResult], gate: Gate | None) -> bytes:
    """The whole document."""
    root = Xml.Element("testsuites", name=several_lines(gate.answer) if gate else SUITES)
    for result in results:
        root.append(suite(result, gate))
    total(root, root.findall("testsuite/testcase"))
    Xml.indent(root)
    return bytes(Xml.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def suite(result: TargetResult, gate: Gate | None) -> Xml.Element:
    """A target."""
    found = Xml.Element("testsuite", name=result.label)
    properties = Xml.SubElement(found, "properties")
    Xml.SubElement(properties, "property", name="target", value=several_lines(identity(result)))
    cases = [case(result, rule, gate) for rule in result.rules]
    found.extend(cases)
    total(found, cases)
    return found


def total(element: Xml.Element, cases: Sequence[Xml.Element]) -> None:
    """Set how many test cases there are, and how long they took."""
    element.set("tests", str(len(cases)))
    element.set("failures", str(sum(case.find("failure") is not None for case in cases)))
    element.set("errors", "0")
    element.set("skipped", str(sum(case.find("skipped") is not None for case in cases)))
    element.set("time", f"{sum(float(case.get('time', 0)) for case in cases):.3f}")


def case(result: TargetResult, rule: RuleResult, gate: Gate | None) -> Xml.Element:
    """A rule."""
    seconds = sum(attempt.seconds for attempt in rule.attempts)
    found = Xml.Element("testcase", classname=result.label, name=rule.rule, time=f"{seconds:.3f}")
    change = gate.kind(result.label, rule.rule) if gate else None
    failed = change.kind is Kind.NEW if gate and change else not gate and rule.verdict in FAILED
    told = change.line() if change else f"{rule.verdict}: {rule.detail}"
    if failed:
        failure = Xml.SubElement(found, "failure", type=rule.verdict, message=several_lines(told))
        failure.text = several_lines(evidence(rule))
    elif rule.verdict not in (Verdict.KEPT, Verdict.SERIALISED, Verdict.IGNORED):
        Xml.SubElement(found, "skipped", message=several_lines(told))
    elif rule.verdict is not Verdict.KEPT or change:
        Xml.SubElement(found, "system-out").text = several_lines(told if change else words(rule))
    return found


def evidence(rule: RuleResult) -> str:
    """What was seen, how to see it again, and what the process left."""
    lines = [rule.statement, rule.source]
    for attempt in rule.findings():
        lines += [finding(rule, attempt), attempt.replay or "", attempt.stderr]
        lines += [attempt.stacks or ""]
    return "\n".join(line for line in lines if line)
