# SPDX-License-Identifier: BSD-3-Clause
"""What `pollux bisect` measures of commits, and what it takes their runs for."""

import tomllib
from pathlib import Path

import pytest
from bisections import SYMPTOM, bisect_with, plan_of, refusal
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.core.analysis.result import Result
from pollux.core.campaign.lines import Outcome
from pollux.core.errors import BadUsageError
from pollux.nights.bisecting import measuring
from pollux.nights.bisecting.building import Library
from pollux.nights.bisecting.measuring import (
    CANDIDATE,
    GOOD,
    Effort,
    campaign_text,
    find_symptom,
    grid_of,
    judge,
    measure,
)
from synthetic import write_campaign, write_campaign_by_variant

LIBRARIES = Library(Path("/good.so"), "1"), Library(Path("/bad.so"), "2")


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"--benchmark": "nothing"}, "nothing"),
        ({"--variant": "nothing"}, "nothing"),
        ({"--preset": "nothing"}, "nothing"),
        ({"--size": "999999999"}, "of memory are available"),
    ],
)
def test_what_cannot_be_measured_is_refused_before_anything_is_built(
    long: tuple[Path, list[str]],
    tmp_path: Path,
    depend_root: Path,
    changed: dict[str, str],
    words: str,
) -> None:
    built = {"--build": f"touch {tmp_path}/built; exit 7"}
    status, message = refusal(bisect_with(long[0], tmp_path / "s", built | changed, depend_root))
    assert status in (2, 3) and words in message
    assert not (tmp_path / "built").exists()


def test_the_remedy_for_records_of_another_campaign_is_an_option_of_bisect(
    build_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_VARIANTS", "good")
    write_campaign_by_variant(tmp_path / "t.jsonl")
    plan = plan_of(tmp_path, "a", "b").model_copy(update={"preload": True})
    sides = Library(Path("/good.so"), "1"), Library(Path("/bad.so"), "2")
    grid = {"benchmark": "lu", "variant": "good", "size": 512}
    with pytest.raises(BadUsageError, match=r"another campaign: .*; --state names another folder$"):
        measure(tmp_path / "t", plan, sides, Effort(0.03, "1s", build_root), grid)


@pytest.mark.parametrize(("loss", "least"), [(0.1, 0.0), (0.1, 0.04), (0.1, 0.07), (0.1, 0.099)])
def test_the_margin_is_wide_but_the_bad_commits_loss_is_outside(loss: float, least: float) -> None:
    symptom = SYMPTOM.model_copy(update={"loss": loss, "least": least})
    assert loss / 2 <= symptom.margin <= 0.8 * loss
    assert symptom.margin == pytest.approx(max(0.05, min(least, 0.08)))


def test_the_symptom_knows_the_least_loss(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    write_campaign(path, {GOOD: 1.0, CANDIDATE: 0.9}, noise=0.005)
    symptom = find_symptom(compare(load([path])))
    assert symptom is not None
    assert symptom.loss / 2 < symptom.least < 0.1 < symptom.loss + 0.01


def test_the_symptom_is_where_the_least_loss_is_largest(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    clear, loose = ("cholesky", "depend", 512, 64), ("lu", "depend", 512, 64)
    write_campaign(path, {GOOD: 1.0, CANDIDATE: 0.9}, [clear], noise=0.005)
    write_campaign(tmp_path / "l.jsonl", {GOOD: 1.0, CANDIDATE: 0.85}, [loose], noise=0.09)
    path.write_text(path.read_text() + (tmp_path / "l.jsonl").read_text().partition("\n")[2])
    symptom = find_symptom(compare(load([path])))
    assert symptom is not None and (symptom.benchmark, round(symptom.loss, 1)) == ("cholesky", 0.1)


def plant(
    monkeypatch: pytest.MonkeyPatch,
    campaigns: list[dict[tuple[str, str], Outcome]],
    problem: str = "a planted crash",
) -> list[dict[tuple[str, str], Outcome]]:
    """Have the next campaigns end so, by runtime and variant; those that are left."""
    cells = [("cholesky", variant, 512, 64) for variant in ("depend", "loop")]

    def decide(stem: Path, *_: object) -> Result:
        records, speeds = stem.with_suffix(".jsonl"), {GOOD: 1.0, CANDIDATE: 0.9}
        write_campaign(records, speeds, cells, outcomes=campaigns.pop(0))
        records.write_text(records.read_text().replace("a planted crash", problem))
        return compare(load([records]))

    monkeypatch.setattr(measuring, "decide", decide)
    return campaigns


def measure_in(folder: Path) -> Result:
    plan, effort = plan_of(folder, "a", "b"), Effort(0.03, "1s", folder)
    return measure(folder / "symptom", plan, LIBRARIES, effort, {})


@pytest.mark.parametrize("side", [GOOD, CANDIDATE])
@pytest.mark.parametrize(
    ("outcomes", "fails"),
    [
        ([Outcome.CRASH, Outcome.OK], False),
        ([Outcome.HANG, Outcome.OK], False),
        ([Outcome.NO_RECORD, Outcome.OK], False),
        ([Outcome.CRASH, Outcome.CRASH], True),
        ([Outcome.FAILED_CHECK], True),
    ],
)
def test_what_may_have_failed_by_chance_is_measured_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, side: str, outcomes: list[Outcome], fails: bool
) -> None:
    campaigns = plant(monkeypatch, [{(side, "depend"): outcome} for outcome in outcomes])
    result = measure_in(tmp_path)
    assert bool(result.failures) is fails and not campaigns
    assert len(list(tmp_path.glob("symptom-*.jsonl"))) == len(outcomes) - 1


def test_what_has_not_failed_by_chance_alone_is_not_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = {(CANDIDATE, "depend"): Outcome.CRASH, (CANDIDATE, "loop"): Outcome.FAILED_CHECK}
    campaigns = plant(monkeypatch, [wrong, {}])
    assert {failure.outcome for failure in measure_in(tmp_path).failures} == {*wrong.values()}
    assert len(campaigns) == 1


@pytest.mark.parametrize(
    ("problem", "again"), [("a planted crash", False), ("killed by SIGKILL", True)]
)
def test_what_fails_again_is_measured_a_third_time_only_where_others_killed_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, problem: str, again: bool
) -> None:
    (tmp_path / "symptom-20260101-000000.jsonl").touch()
    campaigns = plant(monkeypatch, [{(CANDIDATE, "depend"): Outcome.CRASH}, {}], problem)
    assert bool(measure_in(tmp_path).failures) is not again
    assert len(campaigns) == (0 if again else 1)


@pytest.mark.parametrize(
    ("problem", "may_pass"),
    [
        ("killed by SIGKILL (the system may have run out of memory, …)", True),
        ("killed by SIGSEGV (a fault of the runtime, …)", False),
    ],
)
def test_what_others_have_killed_may_pass_another_time(
    tmp_path: Path, problem: str, may_pass: bool
) -> None:
    path = tmp_path / "c.jsonl"
    crash = {(CANDIDATE, "depend"): Outcome.CRASH}
    write_campaign(path, {GOOD: 1.0, CANDIDATE: 0.9}, outcomes=crash)
    path.write_text(path.read_text().replace("a planted crash", problem))
    found = judge(compare(load([path])), LIBRARIES[1], "cholesky depend")
    assert found.reason == f"crash: {problem}"
    assert found.is_undecided is may_pass


def test_folders_may_have_names_in_any_characters(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, "a", "b")
    libraries = Library(tmp_path / "\N{SNOWFLAKE}\N{ROCKET}.so", "1"), None
    for preload in (False, True):
        own = plan.model_copy(update={"preload": preload})
        effort, grid = Effort(0.03, "1s", tmp_path), grid_of(plan, None)
        found = str(tomllib.loads(campaign_text(own, libraries, effort, grid))["runtimes"][GOOD])
        assert str(libraries[0].path) in found
