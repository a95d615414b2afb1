# SPDX-License-Identifier: BSD-3-Clause
"""A watch for programs: JSON for dashboards, JUnit XML and Markdown for CI systems."""

import json
from typing import Any
from xml.etree import ElementTree

from pollux.core.text import cut_middle, one_line
from pollux.nights.showing.words import answer, row, rows
from pollux.nights.watching.findings import Finding, Watch
from pollux.nights.watching.judging import State

SCHEMA = "pollux-watch/1"
LABEL_MOST = 120
UNDECIDED = (State.NOT_RUN, State.TOO_NOISY)


def json_text(watch: Watch) -> str:
    document = {
        "schema": SCHEMA,
        "answer": answer(watch),
        "night": watch.nights[-1].name,
        "nights": len(watch.nights),
        "relevant": watch.relevant,
        "series": [series(watch, finding) for finding in watch.findings],
        "problems": watch.problems,
    }
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def series(watch: Watch, finding: Finding) -> dict[str, Any]:
    judgement, own = finding.judgement, finding.series
    last = own.last if own is not None else None
    return {
        "label": finding.label,
        "state": str(finding.state),
        "since": watch.name(judgement.since),
        "ratio": judgement.ratio,
        "low": judgement.low,
        "high": judgement.high,
        "earliest": watch.name(judgement.earliest),
        "latest": watch.name(judgement.latest),
        "alarm": finding.is_alarm,
        "reason": finding.reason,
        "notes": list(judgement.notes),
        "changes": [watch.name(night) for night in judgement.changes],
        "reference": last.reference if last is not None and own and own.track.paired else None,
        "unit": own.shown.unit if own is not None else None,
        "base": watch.name(own.base) if own is not None and own.base < len(watch.nights) else None,
        "accepted": [entry.model_dump() for entry in finding.accepted],
    }


def markdown(watch: Watch) -> str:
    """A summary that CI systems show."""
    lines = [f"**{escaped(answer(watch))}**", ""]
    lines += [f"- {escaped(text)}" for text in watch.problems]
    lines += ["", "| series | state | since | ratio to the base line | |", "| --- " * 5 + "|"]
    lines += [
        f"| {escaped(r.label)} | {r.state} | {escaped(r.since)} | {r.ratio} | "
        f"{escaped('; '.join(r.details))} |"
        for r in rows(watch)
    ]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Text of others as it stands: nothing in it is Markdown or HTML."""
    found = one_line(text).replace("&", "&amp;").replace("<", "&lt;")
    return "".join(f"\\{c}" if c in "\\`*_[]|#" else c for c in found)


def junit(watch: Watch) -> str:
    """A test case for each series: failed where it is slower or wrong, skipped where undecided."""
    suite = ElementTree.Element(
        "testsuite",
        name="pollux watch",
        tests=str(len(watch.findings)),
        failures=str(len(watch.alarms)),
        errors="0",
        skipped=str(sum(f.state in UNDECIDED for f in watch.findings)),
    )
    for finding in watch.findings:
        name = cut_middle(one_line(finding.label), LABEL_MOST)
        case = ElementTree.SubElement(suite, "testcase", classname="pollux.watch", name=name)
        shown = row(watch, finding)
        text = one_line("; ".join([shown.ratio, *shown.details]))
        since = watch.name(finding.judgement.since)
        message = one_line(f"{shown.state}{f' since {since}' if since else ''}")
        if finding.is_alarm:
            failure = ElementTree.SubElement(case, "failure", message=message)
            failure.text = text
        elif finding.state in UNDECIDED:
            ElementTree.SubElement(case, "skipped", message=f"{message}: {text}")
    ElementTree.indent(suite)
    begin = '<?xml version="1.0" encoding="utf-8"?>\n'
    return begin + ElementTree.tostring(suite, encoding="unicode") + "\n"
