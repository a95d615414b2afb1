# SPDX-License-Identifier: BSD-3-Clause
"""`--fail-if-slower`: whether anything is slower than allowed, and what is undecided."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from math import log

from pollux.core.analysis import statistics
from pollux.core.analysis.axes import is_first, runs_tasks
from pollux.core.analysis.fixed_plan import agree, margin, percent
from pollux.core.analysis.headline import failures
from pollux.core.analysis.result import Comparison, Result, Row, Verdict
from pollux.core.campaign.reading import Cause, sentences
from pollux.core.commands.options import GateOptions, Undecided
from pollux.core.text import counted, some

UNDECIDED_STATUS = 4  # exit status where the samples do not decide, unless the user chose another


class Decision(StrEnum):
    """The gate's decision."""

    PASSED = "PASSED"
    FAILED = "FAILED"
    UNDECIDED = "UNDECIDED"  # nothing is shown to be too slow, but not everything could be shown


STATUS = {None: UNDECIDED_STATUS, Undecided.PASS: 0, Undecided.FAIL: 1}


@dataclass(frozen=True)
class Limit:
    """How much slower a runtime may be."""

    allowed: float  # as a share
    excluded: float | None  # the least difference that "no difference" excludes; None: none

    @property
    def is_excluded_by_no_difference(self) -> bool:
        return self.excluded is not None and self.excluded <= self.allowed


@dataclass(frozen=True)
class Gate:
    """The decision, and the lines that explain it; the last one begins with the decision."""

    decision: Decision
    lines: list[str]
    status: int  # given what the user makes of a gate that is undecided
    limit: Limit
    rows: list[Row]
    overall: list[tuple[str, Comparison]]


def check(result: Result, options: GateOptions) -> Gate | None:
    """Fail on whatever is slower by its verdict, and by more than allowed by its estimate.

    Failed runs and differing factors fail the gate too; what was not verified never passes it,
    unless the user says so. There is no gate without a share that is allowed.
    """
    allowed = options.fail_if_slower
    if allowed is None:
        return None
    limit = Limit(allowed, result.relevant if result.is_sequential else None)
    rows = compared_rows(result)
    everything = [*((r.name, r.comparison) for r in rows), *overall(result)]
    slow = [(name, c) for name, c in everything if is_too_slow(c, limit)]
    undecided = [r for r in rows if is_undecided(r.comparison, limit)]
    doubtful = [r for r in rows if r.comparison.ratio is not None and r.doubts]
    statuses = [0]
    if not any(r.comparison.ratio for r in rows):  # no option makes this a success
        statuses.append(STATUS[Undecided.FAIL if options.undecided is Undecided.FAIL else None])
    if undecided:
        statuses.append(STATUS[options.undecided])
    if doubtful:
        statuses.append(STATUS[options.unverified])
    damaged = [x for x in result.dataset.unreadable if x.cause is not Cause.CUT]
    if damaged:  # a run that failed may be among them
        statuses.append(STATUS[options.undecided])
    if slow or not result.sound:
        decision, statuses = Decision.FAILED, [1]
    else:
        decision = Decision.UNDECIDED if len(statuses) > 1 else Decision.PASSED
    lines = [f"slower by more than {margin(allowed)}: {name} ({loss(c)})" for name, c in slow]
    lines += [*undecided_lines(undecided, allowed), *doubtful_lines(doubtful)]
    if doubtful and options.unverified is None:
        lines.append("--unverified pass accepts these results")
    lines += [f"undecided because of {text}" for text in sentences(damaged)]
    last = f"{decision}: {sentence(result, rows, limit)}"
    status = 1 if 1 in statuses else max(statuses)
    return Gate(decision, [*lines, last], status, limit, rows, list(overall(result)))


def as_data(gate: Gate) -> dict[str, object]:
    """The same for other programs: each comparison by itself, with its ratio and interval."""
    return {
        "status": gate.decision.lower(),
        "exit_status": gate.status,
        "margin": gate.limit.allowed,
        "cells": [
            {
                "cell": found.cell,
                "level": found.level,
                **judged(found.comparison, gate.limit),
                "doubts": list(found.doubts),
            }
            for found in gate.rows
        ],
        "overall": [{"name": name, **judged(c, gate.limit)} for name, c in gate.overall],
        "sentences": gate.lines,
    }


def judged(c: Comparison, limit: Limit) -> dict[str, object]:
    """What the gate makes of a comparison, and the figures that it rests on."""
    state = "undecided" if is_undecided(c, limit) else "passed"
    ends = (c.ratio.estimate, c.ratio.low, c.ratio.high) if c.ratio else (None, None, None)
    return {
        "status": "slower" if is_too_slow(c, limit) else state,
        **dict(zip(("ratio", "ratio_low", "ratio_high"), ends, strict=True)),
    }


def compared_rows(result: Result) -> list[Row]:
    """Every row that should be compared; of a reference, those that nothing is compared with."""
    references = {row.cell: row for row in result.rows if row.level == result.reference}
    met = {row.cell for row in result.rows if row.level != result.reference}
    several = len({row.level for row in result.rows}) > 1
    return [
        row
        for row in result.rows
        if (
            has_counterpart(row, references.get(row.cell))
            if row.level != result.reference
            else several and row.cell not in met and is_expected(row)
        )
    ]


def is_expected(row: Row) -> bool:
    """Whether others should have run what the reference did; sequential code may be alone."""
    is_whole = runs_tasks(row.configuration) and is_first(row.configuration)
    return is_whole and row.unavailable is None


def has_counterpart(row: Row, reference: Row | None) -> bool:
    """Whether a comparison is expected; sequential code and terms may be alone in their cell."""
    if reference is None:
        return runs_tasks(row.configuration) and is_first(row.configuration)
    return reference.unavailable is None


def overall(result: Result) -> Iterator[tuple[str, Comparison]]:
    for item in result.overall:
        yield f"{item.level} over {counted(item.cells, 'cell')}", item.comparison


def is_too_slow(c: Comparison, limit: Limit) -> bool:
    if c.ratio is None or c.verdict is not Verdict.WORSE:
        return False
    return c.ratio.estimate < 1 - limit.allowed


def is_undecided(c: Comparison, limit: Limit) -> bool:
    """Whether a slowdown beyond what is allowed is neither shown nor excluded."""
    if c.ratio is None:
        return True
    if c.verdict in (Verdict.BETTER, Verdict.WORSE) and agree(c.ratio, c.verdict):
        return False
    if c.verdict is Verdict.NO_DIFFERENCE and limit.is_excluded_by_no_difference:
        return False
    return not c.ratio.bounded or c.ratio.low < 1 - limit.allowed


def loss(c: Comparison) -> str:
    assert c.ratio is not None
    return percent(1 - c.ratio.estimate)


def undecided_lines(undecided: list[Row], allowed: float) -> Iterator[str]:
    """Which comparisons are undecided, and what would decide them."""
    noisy = [r.name for r in undecided if r.comparison.ratio is not None]
    missing = [r.name for r in undecided if r.comparison.ratio is None]
    if noisy:
        yield f"undecided for a slowdown of {margin(allowed)}: {some(noisy)}"
    if missing:
        yield f"undecided because nothing is compared: {some(missing)}"


def doubtful_lines(doubtful: list[Row]) -> Iterator[str]:
    """What is not shown to be right, by reason."""
    reasons: dict[str, list[str]] = {}
    for found in doubtful:
        for text in found.doubts:
            reasons.setdefault(text, []).append(found.name)
    for text, names in reasons.items():
        yield f"{text}: {some(names)}"


def sentence(result: Result, rows: list[Row], limit: Limit) -> str:
    """The decision in figures."""
    allowed = limit.allowed
    levels = {r.level for r in rows}
    slow = sum(is_too_slow(r.comparison, limit) for r in rows)
    undecided = [r.comparison for r in rows if is_undecided(r.comparison, limit)]
    of = f"of {counted(len(rows), 'cell' if len(levels) == 1 else 'comparison')}"
    parts = [] if result.sound else [failures(result)]
    if not any(r.comparison.ratio for r in rows):
        return "; ".join([*parts, "nothing is compared"])
    parts += [
        f"slower by more than {margin(allowed)} over all cells: {name}"
        for name, c in overall(result)
        if is_too_slow(c, limit) and not slow
    ]
    if slow:
        parts.append(f"slower by more than {margin(allowed)} in {slow} {of}")
    decided = len(rows) - slow - len(undecided)
    parts.append(f"no slowdown of more than {margin(allowed)} in {decided} {of}")
    if undecided:
        parts.append(f"undecided in {len(undecided)}{what_it_takes(undecided, len(rows), limit)}")
    if doubtful := sum(r.comparison.ratio is not None and bool(r.doubts) for r in rows):
        parts.append(f"factors not shown to be right in {doubtful}")
    return "; ".join(parts)


def what_it_takes(undecided: list[Comparison], family: int, limit: Limit) -> str:
    """How many samples would decide, if noise is the cause."""
    noisy = [c for c in undecided if c.ratio is not None]
    if not noisy:
        return ""
    needed = max(samples_needed(c, limit, family) for c in noisy)
    return f" (about {needed} samples would decide)"


def samples_needed(c: Comparison, limit: Limit, family: int) -> int:
    """Samples that would show the slowdown, given the noise that the interval's width shows.

    Of a campaign that runs until it is decided, those that decide the comparison.
    """
    is_known = limit.is_excluded_by_no_difference and c.needed is not None
    if c.ratio is None or not c.ratio.bounded or is_known:
        return c.needed or c.samples + 1
    half_width = log(c.ratio.high / c.ratio.low) / 2
    alpha = statistics.LEVEL / max(1, family)
    shown = statistics.samples_to_show(-log(1 - limit.allowed), half_width, c.samples, alpha)
    return max(shown, c.needed if c.verdict is Verdict.TOO_FEW and c.needed else 0, c.samples + 1)
