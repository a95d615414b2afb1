# SPDX-License-Identifier: BSD-3-Clause
"""The file of failures that are expected, each with its reason."""

import fnmatch
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from pollux.core.campaign.file import describe, parse, suggestion
from pollux.core.campaign.source import Source
from pollux.core.campaign.toml import read_text
from pollux.core.errors import BadUsageError
from pollux.core.models import Strict
from pollux.core.shares import shown
from pollux.machine.conformance.results import FAILED, RuleResult, Verdict

Text = Annotated[str, Field(min_length=1)]


class Expectation(Strict):
    """A failure that is no news."""

    rule: Text
    reason: Text
    targets: list[Text] = Field(default=["*"], min_length=1)
    verdicts: list[Verdict] = Field(default=[*FAILED], min_length=1)

    def covers(self, rule: RuleResult) -> bool:
        """Whether the rule failed in no other way than is expected."""
        seen = {a.verdict for a in rule.attempts if a.verdict in FAILED} or {rule.verdict}
        return seen <= {*self.verdicts}


class Document(Strict):
    """All of the file."""

    expected: list[Expectation] = Field(default=[])


class Expectations:
    """What a file expects."""

    def __init__(self, path: Path, source: Source, expected: list[Expectation]) -> None:
        self.name = str(path)
        self.source = source
        self.expected = expected

    def of(self, target: str, rule: str) -> Expectation | None:
        """What is expected of a rule on a target: the first entry that names both."""
        return next(
            (
                entry
                for entry in self.expected
                if entry.rule == rule
                and any(fnmatch.fnmatchcase(target, pattern) for pattern in entry.targets)
            ),
            None,
        )

    def check_rules(self, known: Iterable[str]) -> None:
        """Refuse rules that do not exist: an entry with a slip of the pen would excuse nothing."""
        names = list(dict.fromkeys(known))
        for index, entry in enumerate(self.expected):
            if entry.rule not in names:
                message = f"there is no rule {shown(entry.rule)}{suggestion(entry.rule, names)}"
                raise self.source.problem(("expected", index, "rule"), message)


def read_expectations(path: Path) -> Expectations:
    """A file of expected failures; every error is a line with its position."""
    contents, lines = parse(path, read_text(path, "a file of expected failures"))
    source = Source(path, lines)
    try:
        document = Document.model_validate(contents)
    except ValidationError as error:
        raise BadUsageError(first_problem(error, source)) from error
    for index, entry in enumerate(document.expected):
        for verdict in entry.verdicts:
            if verdict not in FAILED:
                message = f"{shown(verdict)} is no failure; choose from {', '.join(FAILED)}"
                raise source.problem(("expected", index, "verdicts"), message)
    return Expectations(path, source, document.expected)


def first_problem(error: ValidationError, source: Source) -> str:
    """The error nearest to the file's beginning."""
    found = []
    for detail in error.errors():
        key = detail["loc"]
        if detail["type"] == "extra_forbidden":
            names = [*(Expectation if len(key) > 1 else Document).model_fields]
            message = f"unknown key{suggestion(str(key[-1]), names)}"
        elif detail["type"] == "enum":
            message = f"{shown(detail['input'])} is no failure; choose from {', '.join(FAILED)}"
        else:
            message = describe(detail, key)
        found.append((source.line_number(key), source.line(key, message)))
    return min(found, key=lambda item: item[0])[1]
