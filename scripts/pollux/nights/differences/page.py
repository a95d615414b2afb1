# SPDX-License-Identifier: BSD-3-Clause
"""The page on builds: what is slower or faster, by how much, and which rules broke."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from pollux.core.analysis.axes import is_first
from pollux.core.analysis.fixed_plan import verdict_name
from pollux.core.analysis.headline import terms_of
from pollux.core.analysis.result import Agreement, Result, Row, Verdict
from pollux.core.analysis.terms import table_of
from pollux.core.commands.compare_grid import Grid
from pollux.core.commands.compare_output import markdown_table
from pollux.core.commands.compare_terms import signs, terms_grid
from pollux.core.commands.compare_text import put_grid
from pollux.core.tables import put
from pollux.core.text import counted, some
from pollux.nights.differences.campaigns import Sides, Topic
from pollux.nights.differences.predictions import Prediction, Predictions
from pollux.nights.differences.rules import Rule

DECIDED = (Verdict.WORSE, Verdict.BETTER)
WRONG = "failed runs or wrong factors"
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
            row.comparison.verdict is Verdict.WORSE
            for _, result in self.topics
            for new in self.sides.new
            for row in rows(result, new)
        )
        wrong = any(is_wrong(result, new) for _, result in self.topics for new in self.sides.new)
        return slower or bool(self.broken) or wrong


def is_wrong(result: Result, level: str) -> bool:
    """Whether runs of a build failed, or its factors are not those that are right."""
    failed = any(failure.row.level == level for failure in result.failures)
    return failed or any(row.digests is Agreement.DIFFER for row in rows(result, level))


def undecided(page: Page) -> int:
    """How many comparisons a larger budget may decide."""
    noisy = (Verdict.TOO_NOISY, Verdict.TOO_FEW)
    return sum(
        row.comparison.verdict in noisy
        for _, result in page.topics
        for new in page.sides.new
        for row in to_decide(result, new)
    )


def rows(result: Result, level: str) -> list[Row]:
    """A build's rows."""
    return [row for row in result.rows if row.level == level]


def answer(page: Page) -> str:
    """The answer, a line for each new build, and one on the old one where that is wrong."""
    old = page.sides.old
    wrong = ", ".join(topic.title.lower() for topic, own in page.topics if is_wrong(own, old))
    lines = [answer_about(page, new) for new in page.sides.new]
    return "\n".join([*lines, *([f"{old} itself: {WRONG}: {wrong}."] if wrong else [])])


def answer_about(page: Page, new: str) -> str:
    parts = []
    for topic, result in page.topics:
        found = headlines(result, new) if page.sides.are_several else shown(result, new)
        own = Counter(row.comparison.verdict for row in found)
        reasons = some(r.comparison.words for r in found if r.comparison.verdict is Verdict.NONE)
        counts = {
            "slower": own[Verdict.WORSE],
            "faster": own[Verdict.BETTER],
            "the same": own[Verdict.NO_DIFFERENCE],
            "undecided": own[Verdict.TOO_NOISY] + own[Verdict.TOO_FEW],
            f"not compared ({reasons})": own[Verdict.NONE],
        }
        words = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
        words = words or "nothing compared"
        if page.sides.are_several and (mean := mean_of(result, new)):
            words = f"{mean} ({words}){terms_of(result, new)}"
        parts.append(f"{topic.title.lower()}: {words}")
        if is_wrong(result, new):
            parts.append(f"with {WRONG}")
    parts += rules_about(page, new)
    return f"{new} beside {page.sides.old}: {'; '.join(parts)}."


def mean_of(result: Result, new: str) -> str:
    """What the cells of a build show together, in words; nothing where they have no mean."""
    means = [item for item in result.overall if item.level == new and item.comparison.ratio]
    return f"{means[0].comparison.words} over {counted(means[0].cells, 'cell')}" if means else ""


def rules_about(page: Page, new: str) -> Iterator[str]:
    """Which rules broke on a new build, and how many of the old one's were not tried on it."""
    if page.rules is None:
        return
    broken = ", ".join(rule.name for rule in page.broken if rule.label == new)
    untried = sum(rule.label == new and not rule.is_tried for rule in page.rules)
    if broken:
        yield f"rules that broke: {broken}"
    if untried:
        yield f"{counted(untried, 'rule')} not tried"
    if not broken and not untried:
        yield "no rule broke"


def figure(row: Row | None) -> str:
    if row is None or row.figure is None:
        return "–"
    return f"{row.figure.estimate:.4g} {row.configuration.unit}"


def tables(page: Page, result: Result) -> list[Grid]:
    """Of two builds their losses first; of several the terms, or speeds, by version."""
    if page.sides.are_several:
        grids = [terms_grid(group, table_of(group)) for group in result.groups()]
        return [grid for grid in grids if grid]
    found = table(page, result, page.sides.new[0])
    right = [at not in (0, 4) for at in range(len(HEADS))]
    return [Grid([*HEADS], right, [[*cells] for cells in found], "")] if found else []


def legend(page: Page, result: Result) -> list[str]:
    """How to read the table of several builds."""
    return [signs(result, several=True)] if page.sides.are_several else []


def table(page: Page, result: Result, new: str) -> list[tuple[str, str, str, str, str]]:
    """Cell, old, new, ratio, verdict of each headline, and of what else differs; losses first."""
    old = {row.cell: row for row in result.rows if row.level == page.sides.old}
    return [
        (row.cell, figure(old.get(row.cell)), figure(row), ratio(row), row.comparison.words)
        for row in sorted(shown(result, new), key=estimate)
    ]


def shown(result: Result, new: str) -> list[Row]:
    """Every headline, and what else is decided."""
    return [
        row
        for row in rows(result, new)
        if row.comparison.verdict in DECIDED or is_first(row.configuration)
    ]


def headlines(result: Result, new: str) -> list[Row]:
    """The rows whose quantity is what its benchmark is about."""
    return [row for row in rows(result, new) if is_first(row.configuration)]


def to_decide(result: Result, new: str) -> list[Row]:
    """The rows that the campaign is to decide."""
    named = result.dataset.decide
    return [
        row
        for row in rows(result, new)
        if is_first(row.configuration) or row.configuration.quantity in named
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
    """Of two builds each rule that they keep differently; `rules_grid` has those of several."""
    if page.rules is None:
        yield f"not tried: {page.untried}"
        return
    for rule in () if page.sides.are_several else page.rules:
        yield f"{rule.name}: {rule.old} on {page.sides.old}, {rule.new} on {rule.label}"
    if not page.rules:
        yield "the same verdict on every rule"


def rules_grid(page: Page) -> Grid | None:
    """A row for each rule that several builds keep differently."""
    if not page.rules or not page.sides.are_several:
        return None
    old = {rule.name: rule.old for rule in page.rules}
    new = {(rule.name, rule.label): rule.new for rule in page.rules}
    labels = page.sides.labels
    body = [[name, *(new.get((name, label), was) for label in labels)] for name, was in old.items()]
    return Grid(["rule", *labels], [False] * (1 + len(labels)), body, "")


def predicted_rows(page: Page) -> Iterator[tuple[Row, Prediction]]:
    for _, result in page.topics:
        for row in result.rows:
            if (found := page.predictions.by_row.get(row.key)) is not None:
                yield row, found


def predicted_lines(page: Page) -> Iterator[str]:
    """Each factorization's ratio by what tasks cost, beside the measured one."""
    if page.predictions.untried is not None and not page.sides.are_several:
        yield f"not predicted: {page.predictions.untried}"
    yield from (found.words(row) for row, found in predicted_rows(page))


PREDICTED = "Factorizations by what tasks cost"
HEADS = ("cell", "old", "new", "ratio", "verdict")


def show(console: Console, page: Page) -> None:
    put(console, answer(page), "bold")
    for topic, result in page.topics:
        put(console, f"\n{topic.title}", "bold")
        for line in result.cautions:
            put(console, line, "yellow")
        for grid in tables(page, result):
            put_grid(console, grid)
        for line in legend(page, result):
            put(console, line, "dim")
    if predicted := list(predicted_lines(page)):
        put(console, f"\n{PREDICTED}", "bold")
    for line in predicted:
        put(console, line)
    put(console, "\nRules", "bold")
    if (rules := rules_grid(page)) is not None:
        put_grid(console, rules)
    for line in rule_lines(page):
        put(console, line)


def markdown(page: Page) -> str:
    lines = [f"**{line}**  " for line in answer(page).splitlines()]
    for topic, result in page.topics:
        lines += ["", f"## {topic.title}", "", *(f"- {line}" for line in result.cautions)]
        lines += [f"{markdown_table(grid)}\n" for grid in tables(page, result)]
        lines += legend(page, result)
    if predicted := list(predicted_lines(page)):
        lines += ["", f"## {PREDICTED}", "", *(f"- {line}" for line in predicted)]
    rules = rules_grid(page)
    lines += ["", "## Rules", "", *([markdown_table(rules)] if rules else [])]
    lines += [f"- {line}" for line in rule_lines(page)]
    return "\n".join(lines) + "\n"


def json_text(page: Page) -> str:
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "answer": answer(page),
        "old": page.sides.old,
        "new": None if page.sides.are_several else page.sides.new[0],
        "builds": page.sides.labels,
        "worse": page.is_worse,
        "topics": [
            {
                "name": topic.name,
                "sound": result.sound,
                "rows": [
                    row_object(row, result) for new in page.sides.new for row in rows(result, new)
                ],
            }
            for topic, result in page.topics
        ],
        "predictions": [found.as_json(row) for row, found in predicted_rows(page)],
        "rules": None if page.rules is None else [vars(rule) for rule in page.rules],
    }
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def row_object(row: Row, result: Result) -> dict[str, Any]:
    found = row.comparison.ratio
    bounded = found is not None and found.bounded
    return {
        "cell": row.cell,
        "level": row.level,
        "verdict": verdict_name(row.comparison.verdict, result.metric),
        "ratio": found.estimate if found is not None else None,
        "low": found.low if found is not None and bounded else None,
        "high": found.high if found is not None and bounded else None,
        "unit": row.configuration.unit,
    }
