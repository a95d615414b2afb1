# SPDX-License-Identifier: BSD-3-Clause
"""Compares a commit's library with the good one's by a campaign that runs until it is decided."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pollux.core.analysis.result import OPEN, Result, Row, Verdict
from pollux.core.campaign.lines import Outcome
from pollux.core.campaign.older import put_aside
from pollux.core.errors import BadUsageError
from pollux.nights.bisecting.building import Library
from pollux.nights.bisecting.deciding import RECORDS, check, decide, toml
from pollux.nights.bisecting.state import Answer, Measured, Plan, Symptom

GOOD, CANDIDATE = "good", "candidate"  # labels of the runtimes
Libraries = tuple[Library | None, Library | None]  # of both; None: the one of the build
# What need not be so in another process, as the rest does.
BY_CHANCE = (Outcome.CRASH, Outcome.HANG, Outcome.NO_RECORD)
# By signals that come from elsewhere.
KILLED = tuple(f"killed by {name}" for name in ("SIGHUP", "SIGINT", "SIGKILL", "SIGTERM"))


@dataclass(frozen=True)
class Effort:
    """What a commit may take."""

    margin: float  # the relevant difference
    budget: str  # time to decide on it
    build_root: Path
    build_seconds: float = 3600.0


def grid_of(plan: Plan, symptom: Symptom | None) -> dict[str, object]:
    """What is run to answer whether a commit is good."""
    return {
        "benchmark": plan.benchmark if symptom is None else [symptom.benchmark],
        "variant": plan.variant if symptom is None else [symptom.variant],
        "size": plan.size,
        "tile": plan.tile,
        **({} if plan.threads is None else {"threads": plan.threads}),
    }


def campaign_text(
    plan: Plan, libraries: Libraries, effort: Effort, grid: Mapping[str, object]
) -> str:
    """The file of a campaign that compares two libraries."""
    keys = {
        "name": "bisection",
        "summary": "A commit beside the good one.",
        "reference": GOOD,
        "until_decided": effort.margin,
        "budget": effort.budget,
    }
    runtimes = {
        f"runtimes.{label}": {"preset": plan.preset} | loading(plan, library)
        for label, library in zip((GOOD, CANDIDATE), libraries, strict=True)
    }
    return toml(keys, runtimes | {"grid": grid})


def loading(plan: Plan, library: Library | None) -> dict[str, object]:
    """What makes programs load a library; nothing for that of the build."""
    if library is None:
        return {}
    path = str(library.path)
    return {"variables.LD_PRELOAD": path} if plan.preload else {"library": path}


def check_options(folder: Path, plan: Plan, effort: Effort) -> None:
    """Raise the error that the first campaign would end with, before there are libraries."""
    text = campaign_text(plan, (None, None), effort, grid_of(plan, None))
    check(folder / "options", text, effort.build_root)


def measure(
    stem: Path,
    plan: Plan,
    libraries: tuple[Library, Library],
    effort: Effort,
    grid: Mapping[str, object],
) -> Result:
    """Run the campaign of two libraries, or go on with it, and compare.

    Its processes check that the library they have loaded is the one of the commit. Where all that
    is wrong may have failed by chance, it is measured once more, but after runs that others have
    killed each time; the records of before are kept under another name.
    """
    text = campaign_text(plan, libraries, effort, grid)
    result = decide(stem, text, effort.build_root)
    was_repeated = any(stem.parent.glob(f"{stem.name}-*{RECORDS}"))
    if not may_be_chance(result) or (was_repeated and not was_killed(result)):
        return result
    put_aside(stem.with_suffix(RECORDS))
    return decide(stem, text, effort.build_root)


def may_be_chance(result: Result) -> bool:
    """Whether there are failures, and nothing else is wrong than what need not be so again."""
    failed = [failure.outcome in BY_CHANCE for failure in result.failures]
    return bool(failed) and all(failed) and not result.disagreements


def was_killed(result: Result) -> bool:
    return any(failure.problem.startswith(KILLED) for failure in result.failures)


def candidate_rows(result: Result) -> list[Row]:
    """The rows of the candidate, without those of further quantities."""
    rows = (row for row in result.rows if row.level == CANDIDATE)
    return [row for row in rows if not row.configuration.is_term]


def find_symptom(result: Result) -> Symptom | None:
    """Where the bad commit is slower, the clearest; None where it is not."""
    slower = [
        Symptom(
            benchmark=row.configuration.benchmark,
            variant=row.configuration.variant,
            cell=row.cell,
            loss=1 - ratio.estimate,
            least=max(0.0, 1 - ratio.high) if ratio.bounded else 0.0,
        )
        for row in candidate_rows(result)
        if row.comparison.verdict is Verdict.WORSE and (ratio := row.comparison.ratio) is not None
    ]
    return max(slower, key=lambda symptom: (symptom.least, symptom.loss), default=None)


def judge(result: Result, library: Library, cell: str) -> Measured:
    """Good, bad, or skip: what is not right, and what stayed open."""
    rows = candidate_rows(result)
    if (wrong := why_wrong(result)) is not None:
        may_pass = was_killed(result)
        return Measured(answer=Answer.SKIP, reason=wrong, library=library.digest, may_pass=may_pass)
    row = next((row for row in rows if row.cell == cell), None)
    if row is None or row.comparison.ratio is None:
        why = "it cannot run" if row is None else row.comparison.words
        return Measured(answer=Answer.SKIP, reason=why, library=library.digest)
    comparison = row.comparison
    ratio = comparison.ratio
    assert ratio is not None
    answers = {Verdict.WORSE: Answer.BAD, Verdict.BETTER: Answer.GOOD}
    answers[Verdict.NO_DIFFERENCE] = Answer.GOOD
    answer = answers.get(comparison.verdict, Answer.SKIP)
    reason = f"undecided ({OPEN})" if answer is Answer.SKIP else comparison.words
    return Measured(
        answer=answer,
        reason=reason,
        library=library.digest,
        ratio=ratio.estimate,
        low=ratio.low if ratio.bounded else None,
        high=ratio.high if ratio.bounded else None,
    )


def why_wrong(result: Result) -> str | None:
    """Why a commit's runs or results are not right; BadUsageError where it is the good one."""
    for failure in result.failures:
        if failure.row.level == GOOD:
            raise BadUsageError(
                f"the good commit fails: {failure.outcome}: {failure.problem}; --good takes one "
                "that is right"
            )
        return f"{failure.outcome}: {failure.problem}"
    if result.disagreements:
        return "wrong results: its factors differ from the good commit's"
    return None
