# SPDX-License-Identifier: BSD-3-Clause
"""The number of repetitions in a process follows from what earlier rounds cost and show."""

import random
from collections.abc import Sequence
from math import exp, sqrt

import pytest
from pollux.core.analysis.stopping import Standings
from pollux.core.campaign.lines import Outcome
from pollux.core.campaign.repetitions import (
    CHOICES,
    FEWEST,
    FIRST,
    LONG,
    Course,
    Rounds,
    best,
    course_of,
    suggested,
)
from pollux.core.campaign.samples import Sample
from pollux.core.readings import Run

EVIDENCE = Standings(0.03, [["libomp"]]).evidence


def sample(
    round_: int, seconds: Sequence[float], *, start: float, period: float, in_turns: bool = False
) -> Sample:
    """A process whose repetitions follow each other at this distance, in seconds."""
    runs = tuple(
        Run(int(1e9 * period * i), int(1e9 * (period * i + s)), s, 1e9, "host", {})
        for i, s in enumerate(seconds)
    )
    return Sample(
        configuration="c",
        round=round_,
        attempt=0,
        block=None,
        outcome=Outcome.OK,
        problem=None,
        detail=None,
        warnings=(),
        speed=1 / sorted(seconds)[len(seconds) // 2],
        start_unix_ns=0,
        process_seconds=start + len(seconds) * period,
        residuals=(),
        digests=(),
        runs=runs,
        repetitions=len(seconds),
        speeds=tuple(1 / s for s in seconds) if in_turns else (),
        ready_seconds=start if in_turns else None,
    )


def cell(
    within: float, between: float, rounds: int, repetitions: int = 6, *, drift: float | None = None
) -> list[Rounds]:
    """A reference and another runtime, with normal noise of these standard deviations.

    With a drift, which deviates so from one repetition to the next for both, they took turns.
    """
    rng = random.Random(f"{within} {between}")
    both: list[dict[int, Sample]] = [{}, {}]
    for round_ in range(rounds):
        common = [rng.gauss(0, drift or 0.0) for _ in range(repetitions)]
        for own in both:
            level = rng.gauss(0, between)
            seconds = [0.01 * exp(level + shift + rng.gauss(0, within)) for shift in common]
            in_turns = drift is not None
            own[round_] = sample(round_, seconds, start=0.03, period=0.02, in_turns=in_turns)
    return [*both]


@pytest.mark.parametrize("drift", [None, 0.0, 0.3])
def test_a_course_tells_variances_and_costs_apart(drift: float | None) -> None:
    course = course_of(cell(0.05, 0.02, 2000, drift=drift))
    assert course is not None
    assert course.start == pytest.approx(0.03)
    assert course.repetition == pytest.approx(0.02)
    assert course.within == pytest.approx(0.05 * sqrt(2), rel=0.15)
    assert course.between == pytest.approx(0.02 * sqrt(2), rel=0.25)


def test_few_rounds_show_no_course() -> None:
    assert course_of(cell(0.05, 0.02, FEWEST - 1)) is None
    assert course_of(cell(0.05, 0.02, FEWEST)) is not None
    reference, _ = cell(0.05, 0.02, FEWEST)
    assert course_of([reference, {}]) is None
    assert course_of([reference]) is None


def test_single_repetitions_cost_half_of_a_process_that_warms_up() -> None:
    course = course_of(cell(0.05, 0.02, 10, repetitions=1))
    assert course is not None
    assert course.within == 0
    assert course.start == course.repetition == pytest.approx(0.025)


@pytest.mark.parametrize(
    ("within", "between", "number"),
    [(0.0, 0.02, 4), (0.02, 0.2, 4), (0.06, 0.001, 10), (0.05, 0.02, 6), (1e-6, 1e-6, 4)],
)
def test_repetitions_pay_where_processes_deviate_less_than_they(
    within: float, between: float, number: int
) -> None:
    assert best(Course(0.03, 0.01, within, between), EVIDENCE) == number


@pytest.mark.parametrize(("start", "number"), [(0.0, 1), (0.01, 1), (0.02, 2), (0.08, 10), (9, 42)])
def test_repetitions_take_no_less_time_than_what_comes_before_them(
    start: float, number: int
) -> None:
    assert best(Course(start, 0.01, 1e-6, 1e-6), EVIDENCE) == number


def test_dear_processes_have_more_repetitions() -> None:
    chosen = [best(Course(c, 0.01, 0.1, 0.05), EVIDENCE) for c in (0.0, 0.01, 0.1, 1.0)]
    assert chosen == sorted(chosen)
    assert chosen[0] < chosen[-1]
    assert set(chosen) <= set(CHOICES)


def test_the_first_rounds_have_a_few_and_later_ones_what_these_suggest() -> None:
    assert suggested([{}, {}], EVIDENCE) == FIRST
    assert suggested(cell(0.001, 0.2, FEWEST - 1), EVIDENCE) == FIRST
    many = 4 * FEWEST
    assert suggested(cell(0.001, 0.2, many), EVIDENCE) == 2
    assert suggested(cell(0.2, 0.001, many), EVIDENCE) > 2


def test_the_first_rounds_have_more_where_these_are_short_beside_the_start_of_a_process() -> None:
    first = {0: sample(0, [0.001] * FIRST, start=0.1, period=0.004)}
    assert suggested([first, first], EVIDENCE) == 26


def test_long_repetitions_have_a_process_each() -> None:
    short, _ = cell(0.2, 0.001, 6)
    slow = sample(0, [1.1 * LONG] * FIRST, start=0.03, period=2 * LONG)
    assert suggested([short, dict.fromkeys(short, slow)], EVIDENCE) == 1
    assert suggested([{}, {0: slow}], EVIDENCE) == 1


def test_one_process_that_was_slow_makes_no_run_long() -> None:
    short, other = cell(0.2, 0.001, 24)
    slow = sample(0, [1.1 * LONG] * FIRST, start=0.03, period=2 * LONG)
    assert suggested([short, {**other, 0: slow}], EVIDENCE) == suggested([short, other], EVIDENCE)


def test_one_repetition_that_was_disturbed_makes_no_run_long() -> None:
    disturbed = {0: sample(0, [0.01, 2 * LONG, 0.01], start=0.03, period=LONG)}
    assert suggested([disturbed, {}], EVIDENCE) == FIRST
