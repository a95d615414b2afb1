# SPDX-License-Identifier: BSD-3-Clause
"""A campaign that runs until it is decided: what it runs, when it stops, and what it leaves."""

import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from math import exp
from pathlib import Path

import pytest
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.core.analysis.result import Verdict
from pollux.core.analysis.stopping import Standings
from pollux.core.campaign import engine, pursuit
from pollux.core.campaign.journal import Journal
from pollux.core.campaign.lines import Configuration, Needs, Outcome, SampleLine, Start, Stopped
from pollux.core.campaign.model import Campaign
from pollux.core.campaign.plan import Plan
from pollux.core.campaign.progress import Quiet
from pollux.core.campaign.pursuit import OPENING, Goal, Pursuit
from pollux.core.campaign.reading import read_lines
from pollux.core.campaign.repetitions import FIRST
from pollux.core.campaign.sampling import Taken
from pollux.core.console import make_console
from run_record import record, with_speed

# By matrix order: how much faster the other runtime is, and the noise.
TRUTH = {512: (0.3, 0.01), 1024: (0.0, 0.01), 2048: (-0.05, 0.04)}
Take = Callable[..., Taken]


def plan(**keys: object) -> Plan:
    contents: dict[str, object] = {
        "name": "trial",
        "grid": {"size": [*TRUTH]},
        "until_decided": "3%",
    }
    campaign = Campaign.model_validate(contents | keys)
    configurations = [
        Configuration(
            **{"runtime": runtime, "benchmark": "lu", "variant": "depend", "kernels": "openblas"},
            **{"size": size, "needs": Needs(threads=2, bytes=1, flops=1e9, tasks=1)},
        )
        for size in TRUTH
        for runtime in ("libgomp", "libomp")
    ]
    return Plan(campaign, configurations, [], None)


def taken(configuration: Configuration, seed: int, repetitions: int, *_: object) -> Taken:
    """A run whose speed is a function of what it runs and of its seed."""
    true, noise = TRUTH[configuration.size]
    rng = random.Random(f"{configuration.runtime} {configuration.size} {seed}")
    gflops = 50 * exp(true * (configuration.runtime == "libomp") + rng.gauss(0, noise))
    cell = ("lu", "depend", configuration.size, 64)
    records = [record(cell, configuration.runtime, seed, gflops)] * repetitions
    return Taken(Outcome.OK, None, None, [], 0.1, records)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Pursuit]:
    """Runs, or resumes, a campaign whose processes only cost imagined time."""
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])

    def run(take: Take = taken, budget: float = 600.0, **keys: object) -> Pursuit:
        def imagined(*arguments: object) -> Taken:
            clock[0] += 0.1
            return take(*arguments)

        monkeypatch.setattr(engine, "take_sample", imagined)
        wanted = plan(**keys)
        journal = Journal(tmp_path / "trial.jsonl")
        journal.append(
            Start(
                **{"unix_ns": 1, "pollux": "0", "name": "trial", "summary": ""},
                **{"reference": "libgomp", "processes": 12, "configurations": 6},
                **{"file": None, "text": "", "until_decided": 0.03, "budget": budget},
            )
        )
        goal = Goal(Standings(0.03, [1, 1, 1]), budget)
        started = Pursuit(wanted, journal, Quiet(make_console()), goal)
        try:
            started.run()
        finally:
            journal.close()
        return started

    return run


def samples(path: Path) -> Counter[tuple[str, int]]:
    lines = [line for _, line in read_lines(path) if isinstance(line, SampleLine)]
    return Counter((line.configuration, line.round) for line in lines)


def verdicts(path: Path) -> dict[int, Verdict]:
    rows = compare(load([path])).rows
    return {r.configuration.size: r.comparison.verdict for r in rows if r.level == "libomp"}


TRUE_VERDICTS = {512: Verdict.BETTER, 1024: Verdict.NO_DIFFERENCE, 2048: Verdict.WORSE}


def test_each_cell_runs_until_it_is_decided_and_no_longer(
    run: Callable[..., Pursuit], tmp_path: Path
) -> None:
    ended = run()
    assert ended.stopped is Stopped.DECIDED
    assert verdicts(tmp_path / "trial.jsonl") == TRUE_VERDICTS
    counts = {c.size: len(ended.known.samples[c.hash()]) for c in ended.plan.configurations}
    assert min(counts.values()) >= OPENING
    assert 2 * max(counts[512], counts[1024]) < counts[2048]
    assert sum(counts.values()) * 2 == sum(samples(tmp_path / "trial.jsonl").values())


def test_processes_get_the_variables_that_the_one_before_them_had_to_set(
    run: Callable[..., Pursuit],
) -> None:
    given: dict[str, list[dict[str, str]]] = defaultdict(list)

    def noted(
        configuration: Configuration, seed: int, count: int, limit: float, settings: dict[str, str]
    ) -> Taken:
        given[configuration.hash()].append(settings)
        return taken(configuration, seed, count)

    ended = run(noted)
    own = ended.known.samples
    for hash_, (first, *others) in given.items():
        assert first == {}
        assert others == [{"OPENBLAS_NUM_THREADS": "1"}] * (len(own[hash_]) - 1)


def test_a_campaign_that_is_decided_takes_nothing_more_when_it_is_started_again(
    run: Callable[..., Pursuit], tmp_path: Path
) -> None:
    run()
    before = samples(tmp_path / "trial.jsonl")
    assert run().stopped is Stopped.DECIDED
    assert samples(tmp_path / "trial.jsonl") == before


@pytest.mark.parametrize("after", [7, 38])
def test_interrupted_and_resumed_it_decides_the_same(
    run: Callable[..., Pursuit], tmp_path: Path, after: int
) -> None:
    left = iter(range(after))

    def interrupted(*arguments: object) -> Taken:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return taken(*arguments)  # type: ignore[arg-type]

    with pytest.raises(KeyboardInterrupt):
        run(interrupted)
    path = tmp_path / "trial.jsonl"
    assert sum(samples(path).values()) == after
    assert run().stopped is Stopped.DECIDED
    assert verdicts(path) == TRUE_VERDICTS
    resumed = samples(path)
    assert set(resumed.values()) == {1}
    path.unlink()
    run()
    assert resumed == samples(path)


def test_the_budget_counts_what_earlier_runs_spent(
    run: Callable[..., Pursuit], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = run(budget=1.0)
    assert ended.stopped is Stopped.BUDGET
    first = samples(tmp_path / "trial.jsonl")
    assert 10 <= sum(first.values()) <= 11
    monkeypatch.setattr(pursuit, "seconds_spent", lambda known: 1.0)
    assert run(budget=1.0).stopped is Stopped.BUDGET
    assert samples(tmp_path / "trial.jsonl") == first


def test_a_limit_of_processes_ends_what_is_not_decided(run: Callable[..., Pursuit]) -> None:
    ended = run(processes=8)
    assert ended.stopped is Stopped.COMPLETE
    counts = {len(ended.known.samples[c.hash()]) for c in ended.plan.configurations}
    assert max(counts) == 8


def test_a_runtime_that_always_fails_leaves_its_cell_and_the_others_are_decided(
    run: Callable[..., Pursuit], tmp_path: Path
) -> None:
    def failing(configuration: Configuration, *others: object) -> Taken:
        if configuration.size == 2048 and configuration.runtime == "libomp":
            return Taken(Outcome.CRASH, "killed by SIGSEGV", None, [], 0.1, [])
        return taken(configuration, *others)  # type: ignore[arg-type]

    ended = run(failing)
    assert ended.stopped is Stopped.DECIDED
    assert verdicts(tmp_path / "trial.jsonl") == TRUE_VERDICTS | {2048: Verdict.NONE}
    counts = {c.name(): len(ended.known.samples[c.hash()]) for c in ended.plan.configurations}
    assert [n for name, n in counts.items() if 2048 in name] == [OPENING, 3]


def test_a_cell_without_the_reference_gets_its_opening_rounds_only(
    run: Callable[..., Pursuit],
) -> None:
    ended = run(reference="none of them")
    assert (ended.state.decided, ended.state.comparisons) == (0, 0)
    counts = {len(ended.known.samples[c.hash()]) for c in ended.plan.configurations}
    assert counts == {OPENING}


def test_where_time_is_short_it_goes_to_the_cells_that_it_decides(
    run: Callable[..., Pursuit], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(TRUTH, 2048, (0.015, 0.3))
    ended = run(budget=8.0)
    assert ended.stopped is Stopped.BUDGET
    found = verdicts(tmp_path / "trial.jsonl")
    assert found == TRUE_VERDICTS | {2048: Verdict.TOO_NOISY}


def test_where_time_is_too_short_for_any_cell_all_get_the_same(
    run: Callable[..., Pursuit], monkeypatch: pytest.MonkeyPatch
) -> None:
    for size in TRUTH:
        monkeypatch.setitem(TRUTH, size, (0.015, 0.1 * size / 512))
    ended = run(budget=8.0)
    counts = {len(ended.known.samples[c.hash()]) for c in ended.plan.configurations}
    assert 4 * min(counts) >= 3 * max(counts)


def test_orders_within_a_round_are_random_and_a_function_of_the_seed(
    run: Callable[..., Pursuit], tmp_path: Path
) -> None:
    path = tmp_path / "trial.jsonl"
    ended = run()
    lines = [line for _, line in read_lines(path) if isinstance(line, SampleLine)]
    runtimes = {c.hash(): c.runtime for c in ended.plan.configurations}
    firsts = Counter(runtimes[line.configuration] for line in lines[::2])
    assert min(firsts.values()) > len(lines) / 8


def test_a_time_limit_grows_with_what_succeeded_not_with_what_hung(
    run: Callable[..., Pursuit],
) -> None:
    limits: dict[int, list[float]] = {}

    def slow(configuration: Configuration, seed: int, count: int, limit: float, _: object) -> Taken:
        limits.setdefault(configuration.size, []).append(limit)
        if configuration.size == 512:
            return Taken(Outcome.HANG, "killed", None, [], limit, [])
        made = taken(configuration, seed, count)
        return replace(made, seconds=30.0)

    run(slow, processes=4)
    assert max(limits[512]) < 30
    assert max(limits[1024]) == 310


def repetitions(path: Path) -> dict[int, list[set[int]]]:
    """By matrix order, in each round the numbers of repetitions that its processes had."""
    sizes: dict[int, dict[int, set[int]]] = {size: {} for size in TRUTH}
    for _, line in read_lines(path):
        if isinstance(line, SampleLine):
            numbers = sizes[line.records[0]["n"]].setdefault(line.round, set())
            numbers.add(len(line.records))
    return {size: [rounds[r] for r in sorted(rounds)] for size, rounds in sizes.items()}


def scattered(configuration: Configuration, seed: int, count: int, *_: object) -> Taken:
    """Runs whose repetitions deviate much more than processes do."""
    made = taken(configuration, seed, count)
    rng = random.Random(f"{configuration.runtime} {seed}")
    for i, line in enumerate(made.records):
        slow = exp(rng.gauss(0, 0.2))
        seconds, begin = line["seconds"] * slow, int(1e7 * i)
        slowed = line | {
            **{"seconds": seconds, "gflops": line["gflops"] / slow},
            **{"start_unix_ns": begin, "end_unix_ns": begin + int(1e9 * seconds)},
        }
        made.records[i] = with_speed(slowed)
    return made


def test_repetitions_are_chosen_after_the_first_rounds_the_same_for_both_sides(
    run: Callable[..., Pursuit], tmp_path: Path
) -> None:
    run(scattered, budget=20.0)
    for rounds in repetitions(tmp_path / "trial.jsonl").values():
        assert all(len(numbers) == 1 for numbers in rounds[:-1])
        assert rounds[:OPENING] == [{FIRST}] * OPENING
        (chosen,) = {number for numbers in rounds[OPENING:-1] for number in numbers}
        assert chosen > FIRST


def test_a_round_that_was_interrupted_goes_on_with_the_same_repetitions(
    run: Callable[..., Pursuit], tmp_path: Path
) -> None:
    left = iter(range(6 * OPENING + 3))

    def interrupted(*arguments: object) -> Taken:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return scattered(*arguments)  # type: ignore[arg-type]

    path = tmp_path / "trial.jsonl"
    with pytest.raises(KeyboardInterrupt):
        run(interrupted)
    run(scattered, budget=20.0)
    numbers = [n for rounds in repetitions(path).values() for n in rounds[:-1]]
    assert all(len(n) == 1 for n in numbers)


def test_a_number_that_the_campaign_states_holds(
    run: Callable[..., Pursuit], tmp_path: Path
) -> None:
    run(scattered, budget=4.0, repetitions=2)
    stated = repetitions(tmp_path / "trial.jsonl")
    assert all(numbers == {2} for rounds in stated.values() for numbers in rounds)
