# SPDX-License-Identifier: BSD-3-Clause
"""Campaigns that decide further quantities: what they go on for, and what they advise."""

import re
from collections import Counter
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
from pollux.core.campaign.lines import Stopped
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
        larger = 4 * budget if "--budget" in way else budget
        trial.run(budget=larger, repetitions=1, **again)
        assert sum(trial.samples().values()) > sum(before.values()), way


def test_a_quantity_that_is_not_known_holds_nothing_up(trial: Imagined) -> None:
    trial.decide = ["creation", "completion"]
    ended = trial.run()
    assert ended.stopped is Stopped.DECIDED
    assert ended.state.comparisons == 4


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
