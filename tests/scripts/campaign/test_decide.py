# SPDX-License-Identifier: BSD-3-Clause
"""Campaigns that decide further quantities: what they go on for, and what they advise."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from campaign_files import plan
from imagined_campaign import RUNTIMES, Imagined
from micro_runs import HEADLINE, NAME
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.further import further
from pollux.core.analysis.loading import load
from pollux.core.analysis.result import Result, Verdict
from pollux.core.campaign.lines import Outcome, Stopped
from pollux.core.campaign.pursuit import OPENING
from pollux.core.campaign.sampling import Order, Taken
from pollux.core.errors import BadUsageError

CLEAR, CLOSE = (0.4, 0.01), (0.08, 0.05)  # how much faster, and the noise
TRUTH = {512: CLEAR, 1024: CLEAR}
COMPARED = '[runtimes.a]\npreset = "libgomp"\n[runtimes.b]\npreset = "libomp"\n'
GRID = f'[grid]\nbenchmark = "{NAME}"\nvariant = "chain"\nsize = 64\n'


@pytest.fixture
def trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Imagined:
    monkeypatch.setenv("FAKE_VARIANTS", "chain")
    made = Imagined(tmp_path, monkeypatch, TRUTH)
    made.terms = {"creation": CLOSE, "release": (0.0, 0.1)}
    return made


def result_of(trial: Imagined) -> Result:
    return compare(load([trial.path]))


def verdicts(result: Result) -> dict[str, set[Verdict]]:
    """On each quantity, in all cells."""
    rows = [row for row in result.rows if row.level == RUNTIMES[1]]
    names = dict.fromkeys(row.configuration.quantity or "" for row in rows)
    return {
        name: {r.comparison.verdict for r in rows if r.configuration.quantity == name}
        for name in names
    }


def test_a_campaign_goes_on_until_each_quantity_it_names_has_a_verdict(trial: Imagined) -> None:
    assert trial.run().stopped is Stopped.DECIDED
    short = len(trial.lines())
    assert verdicts(result_of(trial))["creation"] == {Verdict.TOO_NOISY}
    trial.decide = ["creation"]
    ended = trial.run()
    assert ended.stopped is Stopped.DECIDED
    assert ended.state.comparisons == ended.state.decided == 4
    assert len(trial.lines()) > short
    found = verdicts(result_of(trial))
    assert found["gflops"] == found["creation"] == {Verdict.BETTER}
    assert "of its parts: creation faster by" in result_of(trial).headline
    assert result_of(trial).headline.count("of its parts") == 1


def test_verdicts_on_what_is_to_be_decided_are_corrected_as_one_family(trial: Imagined) -> None:
    largest = []
    for trial.decide in ([], ["creation", "release"]):
        trial.run(processes=7, repetitions=1)
        rows = [r for r in result_of(trial).rows if r.level == RUNTIMES[1]]
        compared = [r.comparison for r in rows if r.configuration.quantity == "gflops"]
        largest.append(max((c.p_corrected or 0) / (c.p or 1) for c in compared))
    assert largest == pytest.approx([2, 6])


@pytest.mark.parametrize(("budget", "processes"), [(15.0, None), (1.6, None), (15.0, 7)])
def test_advice_is_given_where_following_it_runs_something(
    trial: Imagined, budget: float, processes: int | None
) -> None:
    """And where none is given, neither a larger budget nor the same command does."""
    keys: dict[str, Any] = {} if processes is None else {"processes": processes}
    trial.decide = ["creation"]
    trial.run(budget=budget, repetitions=1, **keys)
    ways = [way for _, way in further(result_of(trial))]
    before = Counter(trial.samples())
    if not any("--decide" not in way for way in ways):
        trial.run(budget=4 * budget, repetitions=1, **keys)
        assert trial.samples() == before
    for way in ways:
        before = Counter(trial.samples())
        again = dict(keys)
        if found := re.search(r"processes=(\d+)", way):
            again["processes"] = int(found[1])
        if found := re.search(r"--decide (\S+)", way):
            trial.decide = found[1].split(",")
        budget *= 4 if "--budget" in way else 1
        trial.run(budget=budget, repetitions=1, **again)
        assert sum(trial.samples().values()) > sum(before.values()), way


def test_a_quantity_that_is_not_known_holds_nothing_up(trial: Imagined) -> None:
    trial.decide = ["creation", "completion"]
    ended = trial.run()
    assert ended.stopped is Stopped.DECIDED
    assert ended.state.comparisons == 4


def with_overhead(taken: Taken, value: float | None) -> Taken:
    """The same run, with an overhead in place of the speed as its headline."""

    def changed(line: dict[str, Any]) -> dict[str, Any]:
        terms = {name: own for name, own in line["quantities"].items() if name != "gflops"}
        overhead = line["quantities"]["gflops"] | {"value": value}
        unknown = {"overhead": "no thread woke"} if value is None else {}
        return line | {"quantities": {"overhead": overhead, **terms}, "unknown": unknown}

    return replace(taken, records=[changed(line) for line in taken.records])


def usual(taken: Taken) -> Taken:
    return with_overhead(taken, taken.records[0]["gflops"])


def wrong(taken: Taken) -> Taken:
    records = [line | {"passed": False, "fault": "wrong"} for line in usual(taken).records]
    return replace(taken, outcome=Outcome.FAILED_CHECK, problem="wrong", records=records)


Change = Callable[[Taken], Taken]
LACKING: dict[str, Change] = {
    "unknown": lambda taken: with_overhead(taken, None),
    "below zero": lambda taken: with_overhead(taken, -1.0),
    "failed check": wrong,
}
ALWAYS = range(10**6)


def lacking(trial: Imagined, what: str, runtime: str, rounds: range) -> Callable[[Order], Taken]:
    """Runs of which a runtime's in the larger cell lack something in these rounds."""
    begun: Counter[str] = Counter()

    def take(order: Order) -> Taken:
        if order.configuration.size == 512:
            return usual(trial.taken(order))
        own = order.configuration.runtime
        begun[own] += 1
        is_meant = own == runtime and begun[own] - 1 in rounds
        return (LACKING[what] if is_meant else usual)(trial.taken(order))

    return take


def headline_verdicts(trial: Imagined) -> dict[int, Verdict]:
    rows = [row for row in result_of(trial).rows if row.level == RUNTIMES[1]]
    own = [row for row in rows if row.configuration.quantity in {None, "overhead"}]
    return {row.configuration.size: row.comparison.verdict for row in own}


@pytest.mark.parametrize("has_terms", [False, True])
@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("what", ["unknown", "below zero"])
def test_a_headline_that_is_never_known_holds_nothing_up(
    trial: Imagined, what: str, runtime: str, has_terms: bool
) -> None:
    if not has_terms:
        trial.terms = {}
    ended = trial.run(lacking(trial, what, runtime, ALWAYS), budget=60.0)
    assert ended.stopped is Stopped.DECIDED
    assert (ended.state.decided, ended.state.comparisons) == (1, 1)
    counts = {c.size: len(ended.known.samples[c.hash()]) for c in ended.plan.configurations}
    assert counts[1024] == OPENING
    assert counts[512] < 3 * OPENING
    assert headline_verdicts(trial)[512] is Verdict.BETTER
    assert headline_verdicts(trial).get(1024, Verdict.NONE) is Verdict.NONE


@pytest.mark.parametrize("at", [1, 7])
@pytest.mark.parametrize("what", ["below zero", "failed check"])
def test_what_compare_does_not_compare_is_not_decided_from_the_other_samples(
    trial: Imagined, what: str, at: int
) -> None:
    trial.truth[1024] = CLOSE
    take = lacking(trial, what, RUNTIMES[1], range(at, at + 1))
    ended = trial.run(take, repetitions=1)
    assert (ended.state.decided, ended.state.comparisons) == (1, 1)
    assert headline_verdicts(trial) == {512: Verdict.BETTER, 1024: Verdict.NONE}
    counts = {c.size: len(ended.known.samples[c.hash()]) for c in ended.plan.configurations}
    assert counts[1024] == max(OPENING, at + 1)
    before = trial.samples()
    again = trial.run(repetitions=1)
    assert (again.state.decided, again.state.comparisons) == (1, 1)
    assert trial.samples() == before


def test_a_term_is_decided_where_the_headline_is_not_above_zero(trial: Imagined) -> None:
    trial.decide = ["creation"]
    take = lacking(trial, "below zero", RUNTIMES[0], ALWAYS)
    ended = trial.run(take, budget=60.0)
    assert ended.stopped is Stopped.DECIDED
    assert (ended.state.decided, ended.state.comparisons) == (3, 3)
    found = verdicts(result_of(trial))
    assert found["creation"] == {Verdict.BETTER}
    assert found["overhead"] == {Verdict.BETTER, Verdict.NONE}


def test_the_terms_of_a_benchmark_are_decided_unless_quantities_are_named(
    trial: Imagined, tmp_path: Path, build_root: Path
) -> None:
    for decide, expected in (
        ("", ["creation", "per_item", "release"]),
        ('decide = "release"\n', ["release"]),
        (f'decide = ["{HEADLINE}"]\n', []),
        ('decide = "all"\n', ["creation", "per_item", "release"]),
    ):
        made = plan(tmp_path, build_root, decide + COMPARED + GRID)
        assert made.terms == {NAME: expected}
    assert plan(tmp_path, build_root, "processes = 3\n" + COMPARED + GRID).terms == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('decide = "speed"\n', 'decide: "speed" is no quantity here; choose from ns_per_task,'),
        (
            'decide = "release"\nprocesses = 3\n',
            "decide: is for a campaign that runs until_decided",
        ),
        ("decide = []\n", "decide: is empty"),
        ("decide = 7\n", "decide"),
    ],
)
def test_what_cannot_be_decided_is_refused_in_one_line(
    trial: Imagined, tmp_path: Path, build_root: Path, text: str, message: str
) -> None:
    with pytest.raises(BadUsageError) as caught:
        plan(tmp_path, build_root, text + COMPARED + GRID)
    (line,) = caught.value.format_message().splitlines()
    assert message in line
