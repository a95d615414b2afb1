# SPDX-License-Identifier: BSD-3-Clause
"""What a bisection knows, on disk after each step, so that the same command resumes."""

from enum import StrEnum
from pathlib import Path
from typing import Final, Literal

from pydantic import Field

from pollux.core.errors import BadUsageError
from pollux.core.models import Strict, read_kept

NAME = "bisection.json"
REMEDY = "--state names another folder"
CLOSEST = 0.8  # of the loss: no margin is wider
SCHEMA: Final = "pollux-bisection/1"


class Answer(StrEnum):
    """What a commit is, in git's words."""

    GOOD = "good"
    BAD = "bad"
    SKIP = "skip"


class Plan(Strict):
    """What was asked: another plan is another bisection."""

    good: str
    bad: str
    repository: str
    build: str
    library: str
    preload: bool
    preset: str
    benchmark: list[str]
    variant: list[str]
    size: int
    tile: int
    threads: int | None


class Symptom(Strict):
    """Where the bad commit is most clearly slower."""

    benchmark: str
    variant: str
    cell: str
    loss: float  # share by which its speed is lower
    least: float = 0.0  # the least loss in the interval
    relevant: float | None = None  # the difference that was asked for; null: not known

    @property
    def margin(self) -> float:
        """The relevant difference that tells commits with the loss from others the fastest.

        The wider the margin, the sooner "no difference" is shown; a commit with the loss must lie
        outside of it. Half of the loss does, and what the loss is at least, if it is known well.
        """
        return max(self.loss / 2, min(self.least, CLOSEST * self.loss))


class Measured(Strict):
    """What is known of a commit."""

    answer: Answer
    reason: str  # in a phrase
    library: str | None = None  # SHA-256; null: it was not built
    ratio: float | None = None  # speed over that of the good commit
    low: float | None = None
    high: float | None = None
    may_pass: bool = False  # what has kept it from being built, or measured

    @property
    def is_undecided(self) -> bool:
        """Whether another try could decide it."""
        return self.answer is Answer.SKIP and (self.ratio is not None or self.may_pass)


class Bisection(Strict):
    """The file."""

    schema_name: Literal["pollux-bisection/1"] = Field(default=SCHEMA, alias="schema")
    plan: Plan
    symptom: Symptom | None = None
    commits: dict[str, Measured] = Field(default={})

    def alike(self, library: str) -> Measured | None:
        """What is known of a commit whose library is the same, byte for byte."""
        return next((m for m in self.commits.values() if m.library == library), None)


def read_or_begin(folder: Path, plan: Plan) -> Bisection:
    """The bisection that a folder holds, or a new one."""
    found = read_kept(folder / NAME, Bisection, "bisection", REMEDY) or Bisection(plan=plan)
    if found.plan != plan:
        old, new = found.plan.model_dump(), plan.model_dump()
        field = next(name for name in old if old[name] != new[name])
        raise BadUsageError(
            f"{folder} holds another bisection ({field} was {old[field]}); {REMEDY}"
        )
    return found
