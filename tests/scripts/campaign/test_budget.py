# SPDX-License-Identifier: BSD-3-Clause
"""The time of a campaign: what counts, how long the rest takes, and what its end cuts short."""

import time
from dataclasses import replace
from itertools import count
from pathlib import Path

import imagined_campaign
import pytest
from imagined_campaign import PROCESS_SECONDS, TRUE_VERDICTS, TRUTH, Imagined
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.further import further
from pollux.core.analysis.loading import load
from pollux.core.analysis.result import Verdict
from pollux.core.campaign.engine import State
from pollux.core.campaign.lines import Configuration, Outcome, Stopped
from pollux.core.campaign.progress import Quiet, time_left
from pollux.core.campaign.pursuit import Pursuit, grace_of
from pollux.core.campaign.sampling import Order, Taken
from pollux.core.commands.options import GateOptions
from pollux.core.commands.run_session import Measured
from pollux.core.commands.run_summary import decided_lines, unmeasured_lines


@pytest.fixture
def trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Imagined:
    return Imagined(tmp_path, monkeypatch, TRUTH)


def test_the_budget_counts_what_earlier_runs_spent(trial: Imagined) -> None:
    ended = trial.run(budget=0.9)
    assert ended.stopped is Stopped.BUDGET
    assert ", and the time left is too short for another round; " in decided_lines(ended)[0]
    first = trial.samples()
    assert sum(first.values()) == 8  # another rota would have ended after the budget
    assert ended.known.seconds == pytest.approx(8 * PROCESS_SECONDS)
    assert trial.run(budget=0.9).stopped is Stopped.BUDGET
    assert trial.samples() == first


def test_a_forecast_counts_what_is_done_between_processes(trial: Imagined) -> None:
    trial.truth = {2048: (0.0, 0.06)}

    def delayed(order: Order) -> Taken:
        trial.clock += PROCESS_SECONDS
        return trial.taken(order)

    alone = trial.run(budget=4.05, repetitions=2)
    before = trial.samples()
    trial.path.unlink()
    both = trial.run(delayed, budget=8.1, repetitions=2)
    assert trial.samples() == before
    assert alone.state.outlook is not None and both.state.outlook is not None
    assert both.state.outlook.middle == pytest.approx(2 * alone.state.outlook.middle)


def test_only_a_first_round_takes_longer_than_the_budget(trial: Imagined) -> None:
    ended = trial.run(budget=PROCESS_SECONDS)
    assert ended.stopped is Stopped.BUDGET
    assert {round_ for _, round_ in trial.samples()} == {0}
    assert sum(trial.samples().values()) == 2
    assert ", and the time is over; " in decided_lines(ended)[0]


def test_the_time_left_of_a_plan_counts_what_is_done_between_processes(
    trial: Imagined, monkeypatch: pytest.MonkeyPatch
) -> None:
    forecasts = []

    class Noted(Quiet):
        def running(self, configuration: Configuration, state: State) -> None:
            forecasts.append(state.seconds_left)

    def delayed(order: Order) -> Taken:
        trial.clock += PROCESS_SECONDS
        return trial.taken(order)

    monkeypatch.setattr(imagined_campaign, "Quiet", Noted)
    trial.truth = {512: TRUTH[512]}
    trial.run_fixed(processes=1)
    ended = trial.run_fixed(delayed, processes=3)
    assert forecasts[-2] == pytest.approx(4 * PROCESS_SECONDS)
    assert ended.known.longer == pytest.approx(10 / 6)
    assert forecasts[-1] == pytest.approx(2 * 6 / 4 * PROCESS_SECONDS)


def test_what_runs_beyond_the_budget_is_ended_and_is_no_result(
    trial: Imagined, capsys: pytest.CaptureFixture[str]
) -> None:
    trial.truth = {512: TRUTH[512]}
    allowed = []

    def hanging(order: Order) -> Taken:
        allowed.append(order.seconds_allowed)
        if order.configuration.runtime == "libgomp":
            return trial.taken(order)
        return Taken(Outcome.HANG, "ended after 29 s", None, [], 29.0, [], is_cut=True)

    ended = trial.run(hanging, budget=20.0)
    assert allowed == [30.0, 30.0]
    assert ended.stopped is Stopped.BUDGET
    assert ", and the time is over; " in decided_lines(ended)[0]
    assert time_left(replace(ended.state, comparisons=1, budget_left=0.0)) == "and the time is over"
    assert capsys.readouterr().out == "lu depend N=512 on libomp: ended after 29 s\n"
    assert [line.outcome for line in trial.lines()] == [Outcome.OK]
    assert unmeasured_lines(ended.journal, ended.plan, ended) == [
        "no sample yet of lu depend N=512 on libomp (1 of 2 configurations)"
    ]
    assert [status_of(ended, gate) for gate in (None, 0.03)] == [1, 0]
    result = compare(load([trial.path]))
    answer = "libomp is not compared with libgomp (no sample) in lu depend N=512."
    assert result.headline == answer
    (way,) = further(result)
    assert way == (1, "the same pollux run with a larger --budget")
    ended = trial.run(budget=40.0)
    assert status_of(ended, None) == 0
    assert unmeasured_lines(ended.journal, ended.plan, ended) == []
    assert set(trial.samples().values()) == {1}
    assert trial.verdicts() == {512: Verdict.BETTER}


def test_an_end_that_cuts_what_has_samples_is_no_failure(trial: Imagined) -> None:
    trial.truth = {512: TRUTH[512]}
    seen = set()

    def hanging(order: Order) -> Taken:
        runtime = order.configuration.runtime
        if runtime == "libgomp" or runtime not in seen:
            seen.add(runtime)
            return trial.taken(order)
        return Taken(Outcome.HANG, "ended after 29 s", None, [], 29.0, [], is_cut=True)

    ended = trial.run(hanging, budget=20.0)
    assert ended.cut
    assert status_of(ended, None) == 0


def status_of(ended: Pursuit, fail_if_slower: float | None) -> int:
    measured = Measured(ended.journal, ended.plan, ended.cut, unrestored=False)
    return measured.exit_status(GateOptions(fail_if_slower, None))


@pytest.mark.parametrize(("budget", "grace"), [(60, 10), (600, 60), (7200, 120)])
def test_the_grace_is_a_tenth_of_the_budget_within_limits(budget: float, grace: float) -> None:
    assert grace_of(budget) == grace


def test_the_budget_counts_the_time_in_which_stacks_are_read(trial: Imagined) -> None:
    def hung(order: Order) -> Taken:
        trial.clock += 20.0
        return Taken(Outcome.HANG, "killed", None, [], PROCESS_SECONDS, [])

    ended = trial.run(hung, processes=1)
    hangs = 2 * len(TRUTH)
    assert ended.known.seconds == pytest.approx(hangs * (20.0 + PROCESS_SECONDS))


def test_the_budget_counts_no_time_in_which_all_was_stopped(
    trial: Imagined, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By either clock: of the machine, which may sleep or be set, and of a stopped job."""
    hours = count(0, 3600)

    def late(order: Order) -> Taken:
        trial.clock += next(hours)
        return trial.taken(order)

    monkeypatch.setattr(time, "time_ns", lambda: 10**9 * next(hours))
    assert trial.run(late, budget=0.9).stopped is Stopped.BUDGET
    assert sum(trial.samples().values()) == 8
    assert trial.run(late, budget=20.0).stopped is Stopped.DECIDED
    assert trial.verdicts() == TRUE_VERDICTS
