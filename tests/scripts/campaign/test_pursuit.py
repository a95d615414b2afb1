# SPDX-License-Identifier: BSD-3-Clause
"""A campaign that runs until it is decided: what it runs, when it stops, and what it leaves."""

import random
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from math import exp
from pathlib import Path
from statistics import median
from typing import Any

import imagined_campaign
import pytest
from imagined_campaign import READY_SECONDS, TRUE_VERDICTS, TRUTH, Imagined, with_gflops
from pollux.core.analysis import stopping
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.core.analysis.result import Verdict
from pollux.core.analysis.stopping import verdicts
from pollux.core.campaign.estimate import estimate_seconds
from pollux.core.campaign.journal import Journal
from pollux.core.campaign.lines import ConfigurationLine, Line, Outcome, Stopped
from pollux.core.campaign.pursuit import OPENING
from pollux.core.campaign.repetitions import FEWEST, FIRST
from pollux.core.campaign.sampling import Order, Taken


@pytest.fixture
def trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Imagined:
    return Imagined(tmp_path, monkeypatch, TRUTH)


def test_each_cell_runs_until_it_is_decided_and_no_longer(trial: Imagined) -> None:
    ended = trial.run()
    assert ended.stopped is Stopped.DECIDED
    assert trial.verdicts() == TRUE_VERDICTS
    counts = {c.size: len(ended.known.samples[c.hash()]) for c in ended.plan.configurations}
    assert min(counts.values()) >= OPENING
    assert 2 * max(counts[512], counts[1024]) < counts[2048]
    assert sum(counts.values()) * 2 == sum(trial.samples().values())


def test_what_runs_is_recorded_at_once(trial: Imagined, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers: list[int] = []
    append = Journal.append

    def noted(journal: Journal, *lines: Line) -> None:
        numbers.append(sum(isinstance(line, ConfigurationLine) for line in lines))
        append(journal, *lines)

    monkeypatch.setattr(Journal, "append", noted)
    trial.run_fixed(processes=1)
    assert list(filter(None, numbers)) == [2 * len(TRUTH)]


def test_processes_get_the_variables_that_the_one_before_them_had_to_set(
    trial: Imagined,
) -> None:
    given: dict[str, list[dict[str, str]]] = defaultdict(list)

    def noted(order: Order) -> Taken:
        given[order.configuration.hash()].append(dict(order.settings))
        return trial.taken(order)

    ended = trial.run(noted)
    own = ended.known.samples
    for hash_, (first, *others) in given.items():
        assert first == {}
        assert others == [{"OPENBLAS_NUM_THREADS": "1"}] * (len(own[hash_]) - 1)


def test_a_campaign_that_is_decided_takes_nothing_more_when_it_is_started_again(
    trial: Imagined,
) -> None:
    trial.run()
    before = trial.samples()
    assert trial.run().stopped is Stopped.DECIDED
    assert trial.samples() == before


def test_a_runtime_that_is_added_later_is_decided_too(
    trial: Imagined, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial.truth = {512: TRUTH[512], 1024: TRUTH[1024]}
    assert trial.run().stopped is Stopped.DECIDED
    monkeypatch.setattr(imagined_campaign, "RUNTIMES", ("libgomp", "libomp", "libiomp5"))
    ended = trial.run()
    assert ended.stopped is Stopped.DECIDED
    assert (ended.state.decided, ended.state.comparisons) == (4, 4)
    rows = compare(load([trial.path])).rows
    added = [row.comparison.verdict for row in rows if row.level == "libiomp5"]
    assert added == [Verdict.NO_DIFFERENCE] * 2


@pytest.mark.parametrize("cells", [1, 12])
def test_what_is_known_of_all_cells_is_judged_once_when_it_is_started_again(
    trial: Imagined, monkeypatch: pytest.MonkeyPatch, cells: int
) -> None:
    trial.truth = dict.fromkeys(range(512, 512 + cells), TRUTH[512])
    trial.run()
    judged = 0

    def counted(*found: Any, **chance: Any) -> list[Verdict]:  # noqa: ANN401
        nonlocal judged
        judged += 1
        return verdicts(*found, **chance)

    monkeypatch.setattr(stopping, "verdicts", counted)
    assert trial.run().stopped is Stopped.DECIDED
    assert judged == 2  # comparisons, and their means over cells


@pytest.mark.parametrize(("after", "apart"), [(7, False), (38, True)])
def test_interrupted_and_resumed_it_decides_the_same(
    trial: Imagined, after: int, apart: bool
) -> None:
    left = iter(range(after))

    def interrupted(order: Order) -> Taken:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return trial.taken(order)

    with pytest.raises(KeyboardInterrupt):
        trial.run(interrupted, apart=apart)
    whole_rotas = after if apart else after // 2 * 2
    assert sum(trial.samples().values()) == whole_rotas
    assert trial.run(apart=apart).stopped is Stopped.DECIDED
    assert trial.verdicts() == TRUE_VERDICTS
    resumed = trial.samples()
    assert set(resumed.values()) == {1}
    trial.path.unlink()
    trial.run(apart=apart)
    assert resumed == trial.samples()


def failing_once(trial: Imagined, outcome: Outcome, seconds: float) -> Callable[[Order], Taken]:
    """Runs of which one, the other side's third in the first cell, fails after this time."""
    begun: Counter[str] = Counter()

    def take(order: Order) -> Taken:
        c = order.configuration
        begun[c.hash()] += 1
        if (c.runtime, c.size, begun[c.hash()]) != ("libomp", 512, 3):
            return trial.taken(order)
        return Taken(outcome, "killed", None, [], seconds, [])

    return take


def test_a_process_that_hangs_once_does_not_keep_its_cell_from_the_time_left(
    trial: Imagined,
) -> None:
    ended = trial.run(failing_once(trial, Outcome.HANG, 30.0), budget=50.0, repetitions=2)
    assert ended.stopped is Stopped.DECIDED
    assert trial.verdicts()[512] is not Verdict.NONE


def test_a_round_after_a_crash_is_not_expected_to_be_as_short(trial: Imagined) -> None:
    trial.truth = {512: (0.0, 0.3)}
    trial.run(failing_once(trial, Outcome.CRASH, 0.001), budget=0.75, repetitions=2)
    assert sum(trial.samples().values()) == 6


def slow(trial: Imagined, order: Order) -> Taken:
    """A run that takes far longer than estimated."""
    return replace(trial.taken(order), seconds=3.0)


def test_a_round_is_expected_to_take_as_long_as_those_of_earlier_runs(trial: Imagined) -> None:
    for _ in range(2):
        ended = trial.run(lambda order: slow(trial, order), budget=21.0, repetitions=2)
        assert ended.stopped is Stopped.BUDGET
        assert sum(trial.samples().values()) == 2 * len(TRUTH)


def test_a_side_that_is_added_later_has_its_first_round_in_whatever_time_is_left(
    trial: Imagined, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial.run(lambda order: slow(trial, order), budget=21.0, repetitions=2)
    before = trial.samples()
    monkeypatch.setattr(imagined_campaign, "RUNTIMES", ("libgomp", "libomp", "libiomp5"))
    ended = trial.run(lambda order: slow(trial, order), budget=21.0, repetitions=2)
    added = {c.hash() for c in ended.plan.configurations if c.runtime == "libiomp5"}
    ((hash_, round_),) = trial.samples() - before
    assert (hash_ in added, round_) == (True, 0)


def test_a_limit_of_processes_ends_what_is_not_decided(trial: Imagined) -> None:
    ended = trial.run(processes=8)
    assert ended.stopped is Stopped.COMPLETE
    counts = {len(ended.known.samples[c.hash()]) for c in ended.plan.configurations}
    assert max(counts) == 8


def test_a_runtime_that_always_fails_leaves_its_cell_and_the_others_are_decided(
    trial: Imagined,
) -> None:
    def failing(order: Order) -> Taken:
        if order.configuration.size == 2048 and order.configuration.runtime == "libomp":
            return Taken(Outcome.CRASH, "killed by SIGSEGV", None, [], 0.1, [])
        return trial.taken(order)

    ended = trial.run(failing)
    assert ended.stopped is Stopped.DECIDED
    assert trial.verdicts() == TRUE_VERDICTS | {2048: Verdict.NONE}
    counts = {c.name(): len(ended.known.samples[c.hash()]) for c in ended.plan.configurations}
    assert [n for name, n in counts.items() if 2048 in name] == [OPENING, 3]


def test_a_cell_without_the_reference_gets_its_opening_rounds_only(trial: Imagined) -> None:
    ended = trial.run(reference="none of them")
    assert (ended.state.decided, ended.state.comparisons) == (0, 0)
    counts = {len(ended.known.samples[c.hash()]) for c in ended.plan.configurations}
    assert counts == {OPENING}


def test_cells_without_the_reference_keep_no_answer_open(
    trial: Imagined, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imagined_campaign, "RUNTIMES", ("libgomp", "libomp", "libiomp5"))
    trial.truth = {512: TRUTH[512], 1024: TRUTH[1024], 2048: TRUTH[512]}
    trial.lacking = {("libgomp", 1024), ("libgomp", 2048)}
    ended = trial.run(budget=120.0)
    assert ended.stopped is Stopped.DECIDED
    assert (ended.state.decided, ended.state.comparisons) == (2, 2)
    counts = {c.size: len(ended.known.samples[c.hash()]) for c in ended.plan.configurations}
    assert counts[1024] == counts[2048] == OPENING
    assert counts[512] < 3 * OPENING  # of some 600 for which there is time
    found = trial.verdicts()
    assert found == {512: Verdict.BETTER, 1024: Verdict.NONE, 2048: Verdict.NONE}


def test_cells_under_different_levers_have_their_rounds_in_turn(trial: Imagined) -> None:
    trial.truth = dict.fromkeys((512, 1024), TRUTH[512])
    trial.turbo = {512: "on", 1024: "off"}
    ended = trial.run(budget=60.0)
    assert ended.stopped is Stopped.DECIDED
    counts = [len(ended.known.samples[c.hash()]) for c in ended.plan.configurations]
    assert max(counts) < 3 * OPENING  # of some 150 for which there is time


def test_where_time_is_short_it_goes_to_the_cells_that_it_decides(
    trial: Imagined,
) -> None:
    trial.truth[2048] = 0.015, 0.3
    ended = trial.run(budget=8.0)
    assert ended.stopped is Stopped.BUDGET
    found = trial.verdicts()
    assert found == TRUE_VERDICTS | {2048: Verdict.TOO_NOISY}


def test_where_time_is_too_short_for_any_cell_all_get_the_same(
    trial: Imagined,
) -> None:
    trial.truth.update({size: (0.015, 0.1 * size / 512) for size in TRUTH})
    ended = trial.run(budget=8.0)
    counts = {len(ended.known.samples[c.hash()]) for c in ended.plan.configurations}
    assert 4 * min(counts) >= 3 * max(counts)


def test_orders_within_a_round_are_random_and_a_function_of_the_seed(trial: Imagined) -> None:
    begun: list[str] = []

    def noted(order: Order) -> Taken:
        begun.append(order.configuration.runtime)
        return trial.taken(order)

    trial.run(noted)
    firsts = Counter(begun[::2])
    assert min(firsts.values()) > len(begun) / 8
    again, begun[:] = [*begun], []
    trial.path.unlink()
    trial.run(noted)
    assert begun == again


def test_a_time_limit_grows_with_what_succeeded_not_with_what_hung(trial: Imagined) -> None:
    limits: dict[int, list[float]] = {}

    def slow(order: Order) -> Taken:
        size = order.configuration.size
        limits.setdefault(size, []).append(order.seconds_limit)
        if size == 512:
            return Taken(Outcome.HANG, "killed", None, [], order.seconds_limit, [])
        return replace(trial.taken(order), seconds=30.0)

    trial.run(slow, processes=4)
    assert max(limits[512]) < 30
    assert max(limits[1024]) == 310


def repetitions(trial: Imagined) -> dict[int, list[set[int]]]:
    """By matrix order, in each round the numbers of repetitions that its processes had."""
    sizes: dict[int, dict[int, set[int]]] = {size: {} for size in TRUTH}
    for line in (line for line in trial.lines() if line.records):
        numbers = sizes[line.records[0]["n"]].setdefault(line.round, set())
        numbers.add(len(line.records))
    return {size: [rounds[r] for r in sorted(rounds)] for size, rounds in sizes.items()}


def scattered(trial: Imagined, order: Order) -> Taken:
    """A run whose repetitions deviate much more than processes do."""
    made = trial.taken(order)
    rng = random.Random(f"{order.configuration.name()} {order.seed}")
    took = READY_SECONDS + 0.21 * READY_SECONDS * order.repetitions
    gflops = [line["gflops"] / exp(rng.gauss(0, 0.2)) for line in made.records]
    return replace(with_gflops(made, gflops), seconds=took)


def test_repetitions_are_chosen_after_the_first_rounds_the_same_for_both_sides(
    trial: Imagined,
) -> None:
    trial.run(lambda order: scattered(trial, order), budget=20.0)
    later = []
    for rounds in repetitions(trial).values():
        assert all(len(numbers) == 1 for numbers in rounds)
        assert rounds[:FEWEST] == [{FIRST}] * FEWEST
        assert len(rounds) > OPENING
        later += [number for numbers in rounds[FEWEST:] for number in numbers]
    assert median(later) > FIRST


def test_a_first_process_is_expected_to_have_the_repetitions_that_it_gets(trial: Imagined) -> None:
    begun = trial.run(budget=0.0)
    for c in begun.plan.configurations:
        number = begun.repetitions(c, 0)
        assert number == FIRST
        expected = estimate_seconds(c, begun.campaign, begun.machine, None, number)
        assert begun.expected_seconds(c) == expected


def test_a_side_that_always_fails_does_not_keep_the_others_from_a_choice(
    trial: Imagined, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imagined_campaign, "RUNTIMES", ("libgomp", "libomp", "libiomp5"))

    def one_fails(order: Order) -> Taken:
        if order.configuration.runtime == "libiomp5":
            return Taken(Outcome.CRASH, "killed by SIGSEGV", None, [], 0.1, [])
        return scattered(trial, order)

    trial.run(one_fails, budget=20.0)
    later = [n for rounds in repetitions(trial).values() for n in rounds[FEWEST:]]
    assert median(max(numbers) for numbers in later) > FIRST


@pytest.mark.parametrize("apart", [False, True])
def test_a_round_that_was_interrupted_goes_on_with_the_same_repetitions(
    trial: Imagined, apart: bool
) -> None:
    left = iter(range(6 * OPENING + 3))

    def interrupted(order: Order) -> Taken:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return scattered(trial, order)

    with pytest.raises(KeyboardInterrupt):
        trial.run(interrupted, apart=apart)
    trial.run(lambda order: scattered(trial, order), budget=20.0, apart=apart)
    numbers = [n for rounds in repetitions(trial).values() for n in rounds[:-1]]
    assert all(len(n) == 1 for n in numbers)


def test_a_number_that_the_campaign_states_holds(trial: Imagined) -> None:
    trial.run(lambda order: scattered(trial, order), budget=4.0, repetitions=2)
    assert all(numbers == {2} for rounds in repetitions(trial).values() for numbers in rounds)
