# SPDX-License-Identifier: BSD-3-Clause
"""Campaigns of turns: what a rota is in the records, and what it shows of what is compared."""

import json
import math
import random
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from math import exp, log
from pathlib import Path
from statistics import median

import imagined_campaign
import pytest
from imagined_campaign import PROCESS_SECONDS, RELEVANT, RUNTIMES, Imagined, with_gflops
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.core.analysis.result import Comparison, Verdict
from pollux.core.analysis.stopping import Standings
from pollux.core.analysis.two_sides import differences
from pollux.core.campaign import engine, taking
from pollux.core.campaign.estimate import memory_bytes
from pollux.core.campaign.lines import Outcome, SampleLine, Stopped
from pollux.core.campaign.machine_load import Usage
from pollux.core.campaign.samples import Logs, read_sample
from pollux.core.campaign.sampling import Order, Taken
from pollux.core.campaign.taking import how_taken

TRUTH = {512: (0.3, 0.01), 1024: (0.0, 0.01), 2048: (-0.05, 0.06)}
TRUE_VERDICTS = {512: Verdict.BETTER, 1024: Verdict.NO_DIFFERENCE, 2048: Verdict.WORSE}


@pytest.fixture
def trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Imagined:
    return Imagined(tmp_path, monkeypatch, TRUTH)


def rotas(lines: Sequence[SampleLine]) -> dict[tuple[int, int], list[int | None]]:
    """The numbers of rotas of each round of a cell, by matrix order."""
    found = defaultdict(list)
    for line in lines:
        found[line.records[0]["n"], line.round].append(line.rota)
    return found


@pytest.mark.parametrize("until_decided", [False, True])
def test_the_samples_of_a_rota_have_a_number_of_their_own(
    trial: Imagined, until_decided: bool
) -> None:
    for processes in (3, 5):  # resumed, the second time
        run = trial.run if until_decided else trial.run_fixed
        run(processes=processes, repetitions=2)
    numbers = rotas(trial.lines())
    assert len(numbers) == 3 * 5
    assert all(len(own) == 2 and len(set(own)) == 1 for own in numbers.values())
    assert sorted(own[0] or 0 for own in numbers.values()) == list(range(3 * 5))
    assert all(line.ready_seconds is not None for line in trial.lines())


def test_processes_that_are_run_apart_are_of_no_rota(
    trial: Imagined, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert how_taken(trial.plan()) == []
    assert len(how_taken(trial.plan(apart=True))) == 1
    trial.run_fixed(processes=2, apart=True)
    assert {line.rota for line in trial.lines()} == {None}
    assert all(line.ready_seconds is None for line in trial.lines())


@pytest.mark.parametrize("until_decided", [False, True])
def test_only_cells_that_memory_does_not_hold_at_once_are_run_apart(
    trial: Imagined, monkeypatch: pytest.MonkeyPatch, until_decided: bool
) -> None:
    cells = trial.plan().cells()
    needs = [sum(memory_bytes(c) for c in cell) for cell in cells]
    room = (needs[1] + needs[2]) / 2 / taking.MEMORY_SHARE
    monkeypatch.setattr(taking, "memory_available", lambda: room)
    (line,) = how_taken(trial.plan())
    assert cells[2][0].label() in line and cells[1][0].label() not in line
    run = trial.run if until_decided else trial.run_fixed
    run(processes=3)
    for (size, _), own in rotas(trial.lines()).items():
        assert (set(own) == {None}) == (size == 2048)


@pytest.mark.parametrize(
    ("available", "limit"), [("threads_available", "ulimit -u"), ("files_available", "ulimit -n")]
)
def test_cells_whose_threads_or_files_are_not_allowed_at_once_are_run_apart(
    trial: Imagined, monkeypatch: pytest.MonkeyPatch, available: str, limit: str
) -> None:
    monkeypatch.setattr(taking, available, lambda: 3)
    (line,) = how_taken(trial.plan())
    assert line.startswith(limit) and "and 2 more at once" in line
    trial.run_fixed(processes=2)
    assert {line.rota for line in trial.lines()} == {None}


def test_a_program_that_takes_no_turns_is_run_by_itself_from_then_on(trial: Imagined) -> None:
    asked = trial.asked
    trial.alone.add(("libomp", 1024))
    trial.run_fixed(processes=4)
    assert asked == {(r, n): 1 if n == 1024 else 4 for r in RUNTIMES for n in TRUTH}
    numbers = rotas(trial.lines())
    assert all(set(numbers[1024, round_]) == {None} for round_ in range(1, 4))
    assert all(None not in numbers[512, round_] for round_ in range(4))


@pytest.mark.parametrize(("launcher", "foreign"), [("env A=1 srun", None), ("taskset", 1.0)])
def test_what_others_use_is_unknown_where_a_launcher_has_others_start_processes(
    trial: Imagined, monkeypatch: pytest.MonkeyPatch, launcher: str, foreign: float | None
) -> None:
    seconds = map(float, count())
    monkeypatch.setattr(engine, "read_usage", lambda: Usage((now := next(seconds)), 0.0, now, 0.0))
    trial.launcher = launcher.split()
    known = trial.run_fixed(processes=1).known
    assert {end.foreign_cpu for end in known.ends.values()} == {1.0}
    trial.alone |= {(r, n) for r in RUNTIMES for n in TRUTH}
    ended = trial.run_fixed(processes=2).known.ends
    later = [end for block, end in ended.items() if block not in known.ends]
    assert {end.foreign_cpu for end in later} == {foreign}
    assert {end.steal for end in later} == {0.0}


def test_no_rota_begins_when_what_takes_no_turns_has_spent_the_budget(
    trial: Imagined, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imagined_campaign, "RUNTIMES", (*RUNTIMES, "libiomp5"))
    trial.truth = {512: TRUTH[512]}
    trial.alone.add(("libiomp5", 512))
    for budget in (PROCESS_SECONDS * (n + 0.5) for n in range(5, 20)):
        trial.run(budget=budget)
        assert PROCESS_SECONDS * len(trial.lines()) < budget + 2 * PROCESS_SECONDS
        trial.path.unlink()


def test_what_takes_no_turns_runs_before_the_others_as_often_as_after_them(
    trial: Imagined, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imagined_campaign, "RUNTIMES", (*RUNTIMES, "libiomp5"))
    trial.truth, processes = {512: TRUTH[512]}, 200
    trial.alone.add(("libiomp5", 512))
    begun: list[str] = []

    def noted(order: Order) -> Taken:
        begun.append(order.configuration.runtime)
        return trial.taken(order)

    trial.run_fixed(noted, processes=processes)
    later = begun[3:]  # it was asked to take turns before
    assert "libiomp5" not in later[1::3]
    before = later[0::3].count("libiomp5")
    assert abs(before - processes / 2) < processes / 8


def test_a_difference_is_the_median_over_repetitions_next_to_each_other() -> None:
    left, right = [3.0, 1.0, 2.5], [1.0, 0.5, 2.75]
    taken = [Logs(median(own), tuple(map(exp, own))) for own in (left, right)]
    assert differences({7: taken[0]}, {7: taken[1]}) == {7: pytest.approx(0.5)}
    assert median(left) - median(right) == 1.5
    other_rota = taken[0]._replace(rota=3)
    for apart in (Logs(2.5), Logs(2.5, (exp(2.5),)), other_rota):  # or none: the medians'
        assert differences({7: apart}, {7: taken[1]}) == {7: 1.5}


def test_what_ran_long_after_the_others_in_the_same_rounds_is_not_paired_with_them(
    trial: Imagined, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fixed plan that is given a further runtime when its samples are taken."""
    ticks = count(1)
    monkeypatch.setattr(time, "time_ns", lambda: next(ticks))
    trial.run_fixed(processes=12, repetitions=3)
    monkeypatch.setattr(imagined_campaign, "RUNTIMES", (*RUNTIMES, "libiomp5"))
    trial.run_fixed(processes=12, repetitions=3)
    result = compare(load([trial.path]))
    paired = {(row.level, row.comparison.paired) for row in result.rows if row.comparison.ratio}
    assert paired == {("libomp", True), ("libiomp5", False)}
    assert all(row.comparison.samples == 12 for row in result.rows if row.comparison.ratio)
    assert any("were not interleaved (3 rows)" in line for line in result.warnings)


@pytest.mark.parametrize(("before", "after", "paired"), [(6, 10, True), (6, 6, False)])
def test_of_what_began_later_the_rounds_with_the_others_are_paired_if_they_suffice(
    trial: Imagined, monkeypatch: pytest.MonkeyPatch, before: int, after: int, paired: bool
) -> None:
    ticks = count(1)
    monkeypatch.setattr(time, "time_ns", lambda: next(ticks))
    trial.run_fixed(processes=before, repetitions=3)
    monkeypatch.setattr(imagined_campaign, "RUNTIMES", (*RUNTIMES, "libiomp5"))
    trial.run_fixed(processes=before + after, repetitions=3)
    result = compare(load([trial.path]))
    found = {r.level: (r.comparison.paired, r.comparison.samples) for r in result.rows}
    assert found["libomp"] == (True, before + after)
    assert found["libiomp5"] == (paired, after if paired else before + after)
    assert any("in up to 6 rounds, which are left out" in w for w in result.warnings) == paired


@pytest.mark.parametrize("factors", ["common", "others"])
def test_what_changes_both_sides_of_a_repetition_changes_no_result(
    trial: Imagined, factors: str
) -> None:
    def repeated(order: Order, *, strength: float) -> Taken:
        """Repetitions that deviate, and factors that both sides have, unless they are others."""
        made = trial.taken(order)
        c = order.configuration
        own = random.Random(f"{c.runtime} {c.size} {order.seed}")
        of_pair = f"{c.size} {order.seed} {c.runtime if factors == 'others' else ''}"
        common = random.Random(of_pair)
        gflops = [
            line["gflops"] * exp(own.gauss(0, 0.02) + strength * common.uniform(-2, 2))
            for line in made.records
        ]
        return with_gflops(made, gflops)

    found = []
    for strength in (0.0, 1.0):
        trial.path.unlink(missing_ok=True)
        ended = trial.run(partial(repeated, strength=strength), repetitions=5, processes=12)
        compared = compare(load([trial.path]))
        means = [compared.overall[0].comparison]
        found.append((ended.stopped, [r.comparison for r in compared.rows] + means))
    same = found[0][0] is found[1][0] and all(map(is_same, found[0][1], found[1][1]))
    assert same == (factors == "common")


def is_same(a: Comparison, b: Comparison) -> bool:
    numbers = zip(figures(a), figures(b), strict=True)
    close = all(math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-12) for x, y in numbers)
    return close and (a.verdict, a.samples, a.words) == (b.verdict, b.samples, b.words)


def figures(c: Comparison) -> list[float]:
    ratio = [c.ratio.estimate, c.ratio.low, c.ratio.high] if c.ratio else []
    return [x for x in [*ratio, c.p or 0.0] if not math.isnan(x)]


def test_a_factor_of_each_process_is_not_averaged_away(trial: Imagined) -> None:
    """What repetitions share is noise of a process, so it must widen the interval."""
    widths = []
    for noise in (0.0, 0.05):
        trial.truth[1024] = 0.0, noise
        trial.path.unlink(missing_ok=True)
        trial.run_fixed(processes=12, repetitions=5)
        (row,) = [
            r
            for r in compare(load([trial.path])).rows
            if r.configuration.size == 1024 and r.level == RUNTIMES[1]
        ]
        assert row.comparison.ratio is not None
        widths.append(log(row.comparison.ratio.high / row.comparison.ratio.low))
    assert widths[0] < 1e-9
    assert widths[1] > 0.01


def test_what_holds_for_all_cells_is_decided_before_single_cells_get_more_rounds(
    trial: Imagined,
) -> None:
    ended = trial.run(repetitions=1)
    assert ended.stopped is Stopped.DECIDED
    assert trial.verdicts() == TRUE_VERDICTS
    names = ended.known.configurations
    at = {size: cell for cell, size in enumerate(TRUTH)}
    logs: dict[tuple[int, str], dict[int, Logs]] = defaultdict(dict)
    standings = Standings(RELEVANT, [[RUNTIMES[1]]] * 3)
    rounds: list[tuple[int, ...]] = []
    for line in trial.lines():
        c = names[line.configuration]
        logs[at[c.size], c.runtime][line.round] = read_sample(line, line.configuration).logs
        standings.update(at[c.size], [logs[at[c.size], name] for name in RUNTIMES])
        counts = tuple(len(logs[cell, RUNTIMES[0]]) for cell in range(3))
        if standings.answers[RUNTIMES[1]] is Verdict.TOO_NOISY:
            assert max(counts) - min(counts) <= 1
            rounds.append(counts)
    needed = max(rounds[-1])
    last = [len(logs[cell, RUNTIMES[0]]) for cell in range(3)]
    assert last[:2] == [needed] * 2 or max(last[:2]) <= needed + 1
    assert last[2] > needed + 3


@pytest.mark.parametrize("after", [1, 8])
def test_a_rota_that_a_kill_cut_short_is_completed_and_all_is_decided_the_same(
    trial: Imagined, after: int
) -> None:
    trial.run()
    whole, path = trial.samples(), trial.path
    texts = path.read_text().splitlines(keepends=True)
    at = [i for i, text in enumerate(texts) if json.loads(text)["event"] == "sample"]
    second = at[2 * after + 1]  # of a rota
    path.write_text("".join(texts[:second]) + texts[second][:40])
    assert trial.run().stopped is Stopped.DECIDED
    assert trial.verdicts() == TRUE_VERDICTS
    assert set(trial.samples().values()) == {1}
    assert trial.samples() == whole


@pytest.mark.slow
def test_equal_runtimes_have_a_false_verdict_no_more_often_than_is_promised() -> None:
    campaigns, false = 60, 0
    for seed in range(campaigns):
        given = verdicts_of_equal_runtimes(random.Random(seed))
        false += any(v in (Verdict.BETTER, Verdict.WORSE) for v in given)
    assert false <= 0.05 * campaigns


def verdicts_of_equal_runtimes(rng: random.Random) -> list[Verdict]:
    """Of two cells and their mean, at any moment; a machine that wanders, and heavy tails."""
    standings = Standings(RELEVANT, [[RUNTIMES[1]]] * 2)
    found = []
    logs: list[list[dict[int, Logs]]] = [[{}, {}] for _ in range(2)]
    speed = 0.0
    for round_ in range(30):
        for cell, sides in enumerate(logs):
            levels = [0.02 * rng.gauss(0, 1) / max(0.1, rng.random()) for _ in sides]
            turns: list[list[float]] = [[], []]
            for _ in range(3):
                speed += rng.gauss(0, 0.1)
                for own, level in zip(turns, levels, strict=True):
                    own.append(speed + level + 0.03 * rng.gauss(0, 1) / max(0.1, rng.random()))
            for own, side in zip(turns, sides, strict=True):
                side[round_] = Logs(median(own), tuple(map(exp, own)))
            standings.update(cell, sides)
            found += [own[0] for own in standings.given] + [*standings.answers.values()]
    return found


@pytest.mark.parametrize(
    ("repetitions", "of_process", "of_repetition", "is_said"),
    [(5, 0.06, 0.005, True), (5, 0.0, 0.06, False), (5, 0.005, 0.005, False), (1, 0.06, 0, False)],
)
def test_what_a_process_keeps_to_its_end_is_said_where_repetitions_show_it(
    trial: Imagined, repetitions: int, of_process: float, of_repetition: float, is_said: bool
) -> None:
    """A single repetition cannot tell it from what repetitions deviate by."""

    def take(order: Order) -> Taken:
        made = trial.taken(order)
        rng = random.Random(f"{order.configuration.name()} {order.seed}")
        gflops = [line["gflops"] * exp(rng.gauss(0, of_repetition)) for line in made.records]
        return with_gflops(made, gflops)

    trial.truth = {512: (0.0, of_process)}
    trial.run_fixed(take, processes=12, repetitions=repetitions)
    warnings = [w for w in compare(load([trial.path])).warnings if "something that a process" in w]
    assert bool(warnings) == is_said


@pytest.mark.parametrize(("own", "others", "is_said"), [(9, 3, True), (9, 8, False), (1, 0, False)])
def test_a_side_that_loses_its_processors_more_often_is_named(
    trial: Imagined, own: int, others: int, is_said: bool
) -> None:
    """Times in a repetition of 20 ms."""

    def take(order: Order) -> Taken:
        made = trial.taken(order)
        times = own if order.configuration.runtime == RUNTIMES[1] else others
        span = {"start_unix_ns": 0, "end_unix_ns": 20 * 10**6, "preemptions": times}
        return replace(made, records=[line | span for line in made.records])

    trial.truth = {512: (0.0, 0.01)}
    trial.run_fixed(take, processes=12, repetitions=5)
    warnings = [w for w in compare(load([trial.path])).warnings if "lost a processor" in w]
    assert bool(warnings) == is_said


def test_a_rota_whose_executable_was_replaced_leaves_the_others(trial: Imagined) -> None:
    gone = Taken(Outcome.REFUSED, "replaced", None, [], 0.0, [], is_changed=True)
    left = iter(range(4))

    def take(order: Order) -> Taken:
        is_own = order.configuration.size == 512
        return gone if is_own and next(left, None) is None else trial.taken(order)

    assert trial.run(take).stopped is Stopped.DECIDED
    assert trial.verdicts() == TRUE_VERDICTS | {512: Verdict.TOO_NOISY}
