# SPDX-License-Identifier: BSD-3-Clause
"""The page on two builds: what is slower or faster, by how much, and which rules broke."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from pollux.core.analysis.result import Result, Row, Verdict
from pollux.core.tables import Column, put, put_table
from pollux.nights.differences.campaigns import Sides, Topic
from pollux.nights.differences.predictions import Predictions
from pollux.nights.differences.rules import Rule

DECIDED = (Verdict.WORSE, Verdict.BETTER)
SCHEMA = "pollux-diff/1"


@dataclass(frozen=True)
class Page:
    """All that was found."""

    sides: Sides
    topics: Sequence[tuple[Topic, Result]]
    rules: Sequence[Rule] | None  # None: they were not tried
    predictions: Predictions  # of the factorizations, by what tasks cost
    untried: str = ""  # why the rules were not

    @property
    def broken(self) -> list[Rule]:
        return [rule for rule in self.rules or () if rule.is_broken]

    @property
    def is_worse(self) -> bool:
        """Whether the new build is slower somewhere, or wrong."""
        slower = any(
            row.comparison.verdict is Verdict.WORSE for _, r in self.topics for row in rows(self, r)
        )
        return slower or bool(self.broken) or not all(result.sound for _, result in self.topics)


def rows(page: Page, result: Result) -> list[Row]:
    """The new build's rows."""
    return [row for row in result.rows if row.level == page.sides.new]


def answer(page: Page) -> str:
    """The answer in a line."""
    parts = []
    for topic, result in page.topics:
        own = Counter(row.comparison.verdict for row in rows(page, result))
        same = own[Verdict.NO_DIFFERENCE]
        left = own.total() - own[Verdict.WORSE] - own[Verdict.BETTER] - same
        counts = {
            "slower": own[Verdict.WORSE],
            "faster": own[Verdict.BETTER],
            "the same": same,
            "undecided": left,
        }
        words = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
        parts.append(f"{topic.title.lower()}: {words or 'nothing compared'}")
        if not result.sound:
            parts.append("with failed runs or wrong factors")
    if page.rules is not None:
        broken = ", ".join(rule.name for rule in page.broken)
        parts.append(f"rules that broke: {broken}" if broken else "no rule broke")
    return f"{page.sides.new} beside {page.sides.old}: {'; '.join(parts)}."


def figure(row: Row | None) -> str:
    if row is None or row.figure is None:
        return "–"
    return f"{row.figure.estimate:.4g} {row.configuration.unit}"


def table(page: Page, result: Result) -> list[tuple[str, str, str, str, str]]:
    """Cell, old, new, ratio, verdict of each headline, and of what else differs; losses first."""
    old = {row.cell: row for row in result.rows if row.level == page.sides.old}
    shown = [
        row
        for row in rows(page, result)
        if row.comparison.verdict in DECIDED or not row.configuration.is_term
    ]
    return [
        (row.cell, figure(old.get(row.cell)), figure(row), ratio(row), row.comparison.words)
        for row in sorted(shown, key=estimate)
    ]


def estimate(row: Row) -> float:
    return row.comparison.ratio.estimate if row.comparison.ratio else 1.0


def ratio(row: Row) -> str:
    found = row.comparison.ratio
    if found is None:
        return "–"
    interval = f" ({found.low:.3f} to {found.high:.3f})" if found.bounded else ""
    return f"{found.estimate:.3f}{interval}"


def rule_lines(page: Page) -> Iterator[str]:
    if page.rules is None:
        yield f"not tried: {page.untried}"
        return
    for rule in page.rules:
        yield f"{rule.name}: {rule.old} on {page.sides.old}, {rule.new} on {page.sides.new}"
    if not page.rules:
        yield "the same verdict on every rule"


def predicted_lines(page: Page) -> Iterator[str]:
    """Each factorization's ratio by what tasks cost, beside the measured one."""
    if page.predictions.untried is not None:
        yield f"not predicted: {page.predictions.untried}"
    for _, result in page.topics:
        for row in rows(page, result):
            if (found := page.predictions.by_row.get(row.key)) is not None:
                yield found.words(row)


PREDICTED = "Factorizations by what tasks cost"
HEADS = ("", "old", "new", "ratio", "")


def show(console: Console, page: Page) -> None:
    put(console, answer(page), "bold")
    for topic, result in page.topics:
        put(console, f"\n{topic.title}", "bold")
        for line in result.cautions:
            put(console, line, "yellow")
        if found := table(page, result):
            cells = zip(*found, strict=True)
            columns = [
                Column(head, list(column), is_left=at in (0, 4))
                for at, (head, column) in enumerate(zip(HEADS, cells, strict=True))
            ]
            put_table(console, columns)
    if predicted := list(predicted_lines(page)):
        put(console, f"\n{PREDICTED}", "bold")
    for line in predicted:
        put(console, line)
    put(console, "\nRules", "bold")
    for line in rule_lines(page):
        put(console, line)


def markdown(page: Page) -> str:
    lines = [f"**{answer(page)}**"]
    for topic, result in page.topics:
        lines += ["", f"## {topic.title}", "", *(f"- {line}" for line in result.cautions)]
        if found := table(page, result):
            lines += ["| | old | new | ratio | |", "| --- | --- | --- | --- | --- |"]
            lines += [f"| {' | '.join(cells)} |" for cells in found]
    if predicted := list(predicted_lines(page)):
        lines += ["", f"## {PREDICTED}", "", *(f"- {line}" for line in predicted)]
    lines += ["", "## Rules", "", *(f"- {line}" for line in rule_lines(page))]
    return "\n".join(lines) + "\n"


def json_text(page: Page) -> str:
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "answer": answer(page),
        "old": page.sides.old,
        "new": page.sides.new,
        "worse": page.is_worse,
        "topics": [
            {
                "name": topic.name,
                "sound": result.sound,
                "rows": [row_object(row) for row in rows(page, result)],
            }
            for topic, result in page.topics
        ],
        "predictions": [
            found.as_json(row)
            for _, result in page.topics
            for row in rows(page, result)
            if (found := page.predictions.by_row.get(row.key)) is not None
        ],
        "rules": None if page.rules is None else [vars(rule) for rule in page.rules],
    }
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def row_object(row: Row) -> dict[str, Any]:
    found = row.comparison.ratio
    bounded = found is not None and found.bounded
    return {
        "cell": row.cell,
        "verdict": str(row.comparison.verdict),
        "ratio": found.estimate if found is not None else None,
        "low": found.low if found is not None and bounded else None,
        "high": found.high if found is not None and bounded else None,
        "unit": row.configuration.unit,
    }
