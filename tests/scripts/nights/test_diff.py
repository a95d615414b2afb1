# SPDX-License-Identifier: BSD-3-Clause
"""`pollux diff` shows what two builds differ in, and nothing else."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from conform_rules import write_rules
from micro_campaigns import configuration, write_micro_campaign
from pollux.core import extras
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.core.analysis.result import Result
from pollux.core.campaign.file import load_campaign
from pollux.core.campaign.lines import Outcome
from pollux.core.cli import app
from pollux.core.commands.run_session import Wanted
from pollux.core.console import make_console
from pollux.core.errors import BadUsageError, MachineError
from pollux.core.runtimes import found
from pollux.machine.conformance import session
from pollux.machine.conformance.kept import read_usable
from pollux.machine.conformance.settings import Settings
from pollux.nights.bisecting import deciding
from pollux.nights.commands.diff import folder_name
from pollux.nights.differences import campaigns, predictions, rules
from pollux.nights.differences.campaigns import TOPICS, Effort, Sides, Topic, topics_for
from pollux.nights.differences.page import Page, answer, is_wrong
from pollux.nights.differences.predictions import Predictions
from pollux.nights.differences.rules import Rule
from synthetic import write_campaign, write_campaign_by_variant
from typer.testing import CliRunner
from typer.testing import Result as Ran

NONE = Predictions({})
CELLS = (("cholesky", "depend", 1024, 128), ("lu", "depend", 1024, 128))
SIDES = Sides("libgomp", ("libomp",))
SEVERAL = Sides("libgomp", ("libomp", "gcc+libomp16"))


def diff(build_root: Path, state: Path, *arguments: object) -> Ran:
    words = ["diff", *map(str, arguments), "--build-root", str(build_root), "--state", str(state)]
    return CliRunner().invoke(app, words, standalone_mode=False)


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What campaigns find, instead of running them."""
    truth: dict[str, Any] = {"speed": 1.0, "outcomes": {}, "noise": 0.005}

    def found(topic: Topic, sides: Sides, *_: object) -> Result:
        path = tmp_path / f"{topic.name}.jsonl"
        speeds = {sides.old: 1.0, **dict.fromkeys(sides.new, truth["speed"])}
        write_campaign(path, speeds, CELLS, noise=truth["noise"], outcomes=truth["outcomes"])
        return compare(load([path]))

    monkeypatch.setattr(campaigns, "run_topic", found)
    return truth


@pytest.mark.parametrize("sides", [SIDES, SEVERAL], ids=["two", "several"])
def test_each_topic_is_a_campaign_of_all_sides(
    sides: Sides, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    topics = topics_for(sides)
    ran = []

    def conclude(_stem: Path, wanted: Wanted) -> None:
        ran.append(load_campaign(wanted.campaign, [], wanted.axes, wanted.keys).campaign)

    monkeypatch.setattr(deciding, "conclude", conclude)
    for topic in topics:
        campaigns.run_topic(topic, sides, tmp_path, tmp_path, Effort(0.03, 600))
    assert [campaign.name for campaign in ran] == [topic.name for topic in topics]
    assert {(own.until_decided, own.reference) for own in ran} == {(0.03, "libgomp")}
    assert all(tuple(campaign.grid.runtime or ()) == sides.labels for campaign in ran)
    budgets = [600 * topic.share for topic in topics]
    assert [own.budget for own in ran] == pytest.approx(budgets)
    assert sum(budgets) == pytest.approx(600)


def test_of_several_builds_each_part_of_a_task_is_in_the_answer(tmp_path: Path) -> None:
    path = tmp_path / "terms.jsonl"
    times = dict(zip(SEVERAL.labels, (1000.0, 1100.0, 1000.0), strict=True))
    variants = ("chain", "fan-in")
    cells = [(configuration(who, v), ns) for v in variants for who, ns in times.items()]
    write_micro_campaign(path, cells, until_decided=0.03, decide=["creation", "release"])
    topic = topics_for(SEVERAL)[1]
    slower, same = answer(Page(SEVERAL, [(topic, compare(load([path])))], None, NONE)).splitlines()
    assert slower.startswith("libomp beside libgomp: what a task costs: slower by 9")
    assert " over 2 cells (2 slower); of its parts: " in slower and "creation slower by 9" in slower
    assert "what a task costs: no difference" in same and "(2 the same); of its parts: " in same


def test_the_remedy_for_records_of_another_campaign_is_an_option_of_diff(
    build_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_VARIANTS", "good")
    write_campaign_by_variant(tmp_path / "t.jsonl")
    topic = Topic("t", "T", 1.0, {"benchmark": "lu", "variant": "good", "size": 512})
    with pytest.raises(BadUsageError, match=r"another campaign: .*; --state names another folder$"):
        campaigns.run_topic(topic, SIDES, tmp_path, build_root, Effort(0.03, 600))


def test_a_slower_build_is_status_1_and_its_losses_are_shown(
    build_root: Path, tmp_path: Path, planted: dict[str, Any]
) -> None:
    planted["speed"] = 0.9
    result = diff(build_root, tmp_path / "s", "libgomp", "libomp", "--no-rules")
    assert result.return_value == 1
    first = result.stdout.splitlines()[0]
    assert first.startswith("libomp beside libgomp: factorizations: 2 slower")
    assert "slower by 10" in result.stdout or "slower by 9" in result.stdout
    assert "not tried: --no-rules" in result.stdout
    result = diff(build_root, tmp_path / "s", "libgomp", "libomp", "--no-rules", "--format", "json")
    rows = [row for topic in json.loads(result.stdout)["topics"] for row in topic["rows"]]
    assert {row["verdict"] for row in rows} == {"slower"}


def test_equal_builds_are_status_0(
    build_root: Path, tmp_path: Path, planted: dict[str, Any]
) -> None:
    result = diff(build_root, tmp_path / "s", "libgomp", "libomp", "--no-rules", "--format", "json")
    assert result.return_value == 0
    found = json.loads(result.stdout)
    assert found["worse"] is False and found["rules"] is None
    assert [topic["name"] for topic in found["topics"]] == [topic.name for topic in TOPICS]
    assert {row["verdict"] for t in found["topics"] for row in t["rows"]} == {"no difference"}


@pytest.mark.parametrize(("noise", "told"), [(0.5, True), (0.005, False)])
def test_what_is_undecided_may_be_decided_by_a_larger_budget(
    build_root: Path, tmp_path: Path, planted: dict[str, Any], noise: float, told: bool
) -> None:
    planted["noise"] = noise
    result = diff(build_root, tmp_path / "s", "libgomp", "libomp", "--no-rules")
    words = "6 undecided: run the same command again with a larger --budget to decide more"
    assert (words in result.stderr) is told


def test_failed_runs_are_status_1(
    build_root: Path, tmp_path: Path, planted: dict[str, Any]
) -> None:
    planted["outcomes"] = {("libomp", "depend"): Outcome.FAILED_CHECK}
    result = diff(build_root, tmp_path / "s", "libgomp", "libomp", "--no-rules")
    assert result.return_value == 1
    first = result.stdout.splitlines()[0]
    assert "factorizations: 2 not compared (failed checks: its speed means nothing); with" in first
    assert "failed runs or wrong factors" in first


def test_failures_of_the_old_build_are_named_and_are_none_of_the_new_ones(
    build_root: Path, tmp_path: Path, planted: dict[str, Any]
) -> None:
    planted["outcomes"] = {("libgomp", "depend"): Outcome.FAILED_CHECK}
    result = diff(build_root, tmp_path / "s", "libgomp", "libomp", "--no-rules")
    assert result.return_value == 0
    first, second, *_ = result.stdout.splitlines()
    assert first.startswith("libomp beside") and "failed runs" not in first
    assert second.startswith("libgomp itself: failed runs or wrong factors: factorizations, ")


def test_of_several_new_builds_only_those_that_fail_are_said_to(
    build_root: Path, tmp_path: Path, planted: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(found, "resolve_target", lambda *_: None)
    planted["outcomes"] = {("gcc+libomp16", "depend"): Outcome.CRASH}
    labels = ("libgomp", "gcc+libomp16", "gcc+libomp9", "--no-rules")
    result = diff(build_root, tmp_path / "s", *labels)
    assert result.return_value == 1
    first, second, third, *_ = result.stdout.splitlines()
    assert first.startswith("gcc+libomp16") and "with failed runs or wrong factors" in first
    assert second.startswith("gcc+libomp9") and "failed runs" not in second + third


def test_other_factors_than_the_old_builds_are_wrong_on_both(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    write_campaign(path, {"libgomp": 1.0, "libomp": 1.0}, CELLS)
    lines = path.read_text().splitlines()
    other = [s.replace('"digest":"00', '"digest":"10') if '"libomp"' in s else s for s in lines]
    path.write_text("\n".join(other) + "\n")
    result = compare(load([path]))
    assert result.disagreements
    assert is_wrong(result, "libgomp") and is_wrong(result, "libomp")


def test_a_rule_that_broke_is_named(
    build_root: Path, tmp_path: Path, planted: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    verdicts = {"libgomp": {"inout": "kept", "detach": "kept"}}
    verdicts["libomp"] = {"inout": "broken", "detach": "unsupported"}
    ran: list[str] = []

    def try_untried(label: str, *_: object) -> None:
        ran.append(label)

    def read(_: Path) -> list[Kept]:
        return [Kept(label, own) for label, own in verdicts.items() if label in ran]

    services = {"try_untried_rules": try_untried, "conformance_results": read}
    monkeypatch.setattr(rules, "service", services.get)
    page = tmp_path / "page.md"
    arguments = ("libgomp", "libomp", "--format", "markdown", "--output", page)
    assert diff(build_root, tmp_path / "s", *arguments).return_value == 1
    text = page.read_text()
    assert sorted(ran) == ["libgomp", "libomp"]
    assert "rules that broke: inout, detach" in text.splitlines()[0]
    assert "detach: kept on libgomp, unsupported on libomp" in text
    monkeypatch.setattr(rules, "service", lambda _: None)
    without = diff(build_root, tmp_path / "s", "libgomp", "libomp")
    assert without.return_value == 0 and "needs the part 'machine'" in without.stdout


def test_rules_that_an_interruption_has_left_are_tried(build_root: Path, tmp_path: Path) -> None:
    """Of rules that the compiler lacks, so that no program runs."""
    for label in SIDES.labels:
        write_rules(build_root / label / "bin" / "conformance", "no-first no-second no-third")
    folder = tmp_path / "conformance"
    folder.mkdir()
    first_rule = Settings(rules=("no-first",))
    (target,) = session.targets([SIDES.old], build_root, folder)
    work = session.prepare(target, build_root, first_rule)
    session.run_prepared([work], folder, make_console(to_stderr=True))
    before = (folder / "libgomp.json").read_text()
    assert rules.differing_rules(SIDES, folder, build_root) == []
    assert {len(result.rules) for result in read_usable(folder)} == {3}
    first = json.loads(before)["rules"][0]
    kept = json.loads((folder / "libgomp.json").read_text())
    assert kept["rules"][0] == first  # as it was
    kept["rules"][1]["verdict"] = "not run"
    (folder / "libgomp.json").write_text(json.dumps(kept))
    assert rules.differing_rules(SIDES, folder, build_root) == []


@pytest.mark.parametrize("old", [rules.UNTRIED, "not run", "not compiled", "hung"])
def test_only_a_rule_that_the_old_build_was_seen_to_keep_can_break(old: str) -> None:
    assert Rule("inout", "libomp", "kept", "broken").is_broken
    assert not Rule("inout", "libomp", old, "broken").is_broken


@pytest.mark.parametrize("old", ["kept", "ignored", "serialised"])
def test_a_rule_that_is_no_longer_supported_has_broken(old: str) -> None:
    assert Rule("inout", "libomp", old, "unsupported").is_broken
    assert not Rule("inout", "libomp", "broken", "unsupported").is_broken


@pytest.mark.parametrize("old", ["kept", "not run"])
def test_rules_that_did_not_run_on_the_new_build_are_not_kept_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str
) -> None:
    kept = [Kept("libgomp", {"inout": old}), Kept("libomp", {"inout": "not run"})]
    services = {"try_untried_rules": lambda *_: None, "conformance_results": lambda _: kept}
    monkeypatch.setattr(rules, "service", services.get)
    found = rules.differing_rules(SIDES, tmp_path / "conformance", tmp_path)
    assert answer(Page(SIDES, [], found, Predictions({}))).endswith(": 1 rule not tried.")


def test_rules_that_were_not_tried_on_the_new_build_are_not_kept_there() -> None:
    left = [Rule(name, "libomp", "kept", rules.UNTRIED) for name in ("inout", "detach")]
    page = Page(SIDES, [], left, Predictions({}))
    assert answer(page).endswith(": 2 rules not tried.")
    page = Page(
        SIDES, [], [*left, Rule("mutexinoutset", "libomp", "kept", "hung")], Predictions({})
    )
    assert answer(page).endswith(": rules that broke: mutexinoutset; 2 rules not tried.")


def test_several_versions_have_a_line_and_a_column_each(
    build_root: Path, tmp_path: Path, planted: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here of combinations that need not exist: campaigns and rules are planted."""
    planted["speed"] = 0.9
    labels = ["libgomp", "gcc+libomp16", "gcc+libomp9"]
    verdicts = {label: {"inout": "kept"} for label in labels}
    verdicts["gcc+libomp9"]["inout"] = "hung"
    asked: set[float | None] = set()

    def try_untried(_label: str, _builds: Path, _kept: Path, seconds: float | None) -> None:
        asked.add(seconds)

    def read(_: Path) -> list[Kept]:
        return [Kept(label, own) for label, own in verdicts.items()] if asked else []

    services = {"try_untried_rules": try_untried, "conformance_results": read}
    monkeypatch.setattr(rules, "service", services.get)
    monkeypatch.setattr(found, "resolve_target", lambda *_: None)
    ran = diff(build_root, tmp_path / "s", *labels)
    assert ran.return_value == 1 and asked == {rules.QUICK}
    first, second, *rest = ran.stdout.splitlines()
    assert re.match(
        r"gcc\+libomp16 beside libgomp: factorizations: slower by (9\.\d|10\.\d|10) % over 2 cells "
        r"\(2 slower\); what a task costs: .*; no rule broke\.$",
        first,
    )
    assert second.startswith("gcc+libomp9 beside") and second.endswith("that broke: inout.")
    heads = [line.split() for line in rest if line.startswith("GFlop/s")]
    assert heads[0] == ["GFlop/s", "libgomp", "(12)", *labels[1:]] or "(19)" in heads[0]
    assert next(line for line in rest if line.startswith("inout")).split() == [
        *("inout", "kept", "kept", "hung")
    ]
    document = json.loads(diff(build_root, tmp_path / "s", *labels, "--format", "json").stdout)
    assert document["new"] is None and document["builds"] == labels
    assert [topic["name"] for topic in document["topics"]] == ["factorizations", "terms"]
    assert {row["level"] for t in document["topics"] for row in t["rows"]} == set(labels[1:])


def test_a_prediction_is_beside_each_measured_ratio(
    build_root: Path, tmp_path: Path, planted: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    planted["speed"] = 0.9
    asked: list[Any] = []

    def ratios(*arguments: Any) -> dict[Any, Any]:  # noqa: ANN401
        asked.append(arguments)
        return {("cholesky", 1024, 128): (0.89, 0.88, 0.905), ("lu", 1024, 128): (1, 0.99, 1.02)}

    monkeypatch.setattr(predictions, "service", lambda _: ratios)
    arguments = ("libgomp", "libomp", "--no-rules", "--format", "json")
    document = json.loads(diff(build_root, tmp_path / "s", *arguments).stdout)
    found = {own["cell"].split()[0]: own for own in document["predictions"]}
    assert found["cholesky"]["explains"] is True and found["lu"]["explains"] is False
    assert found["cholesky"]["estimate"] == 0.89
    ((*sides, variant, cells, _),) = asked
    assert (sides, variant) == (["libgomp", "libomp"], "depend")
    assert cells == [("cholesky", 1024, 128), ("lu", 1024, 128)]
    text = diff(build_root, tmp_path / "s", "libgomp", "libomp", "--no-rules").stdout
    assert "predicted 0.890 (0.880 to 0.905): as measured" in text
    assert "predicted 1.000 (0.990 to 1.020): not as measured" in text


def test_a_page_without_predictions_says_why(
    build_root: Path, tmp_path: Path, planted: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> dict[Any, Any]:
        raise MachineError("no build has a runtime with OMPT")

    for given, why in ((None, "the part 'insight'"), (refuse, "no build has a runtime")):
        monkeypatch.setattr(predictions, "service", lambda _, given=given: given)
        result = diff(build_root, tmp_path / "s", "libgomp", "libomp", "--no-rules")
        assert result.return_value == 0
        assert "not predicted:" in result.stdout and why in result.stdout
    arguments = ("libgomp", "libomp", "--no-rules", "--no-prediction")
    assert "not predicted: --no-prediction" in diff(build_root, tmp_path / "s", *arguments).stdout


def test_a_package_that_predictions_need_is_missed_before_anything_is_measured(
    build_root: Path, tmp_path: Path, planted: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "numba" else name)
    arguments = ("libgomp", "libomp", "--no-rules")
    result = diff(build_root, tmp_path / "s", *arguments)
    assert getattr(result.exception, "exit_code", None) == 3
    assert str(getattr(result.exception, "message", "")) == (
        "the simulator's prediction needs the package numba, which is not installed: "
        "pip install 'pollux[insight]'; --no-prediction leaves it out"
    )
    assert not (tmp_path / "s").exists()
    assert diff(build_root, tmp_path / "s", *arguments, "--no-prediction").return_value == 0


class Kept:
    """The verdicts of a target, as the part `machine` keeps them."""

    def __init__(self, label: str, verdicts: Mapping[str, str]) -> None:
        self.label = label
        self.rules = [type("Rule", (), {"rule": n, "verdict": v}) for n, v in verdicts.items()]


def test_a_state_folder_that_cannot_be_made_is_said_with_the_remedy(
    build_root: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    error = diff(build_root, tmp_path / "file/s", "libgomp", "libomp").exception
    message = str(getattr(error, "message", ""))
    assert message.endswith("(Not a directory); --state names another folder")


def test_the_page_does_not_replace_records(build_root: Path, tmp_path: Path) -> None:
    kept = tmp_path / "state" / "factorizations.jsonl"
    kept.parent.mkdir()
    kept.write_text("{}\n")
    result = diff(build_root, kept.parent, "libgomp", "libomp", "--output", kept)
    assert getattr(result.exception, "exit_code", None) == 2
    assert "which is read" in str(getattr(result.exception, "message", ""))
    assert kept.read_text() == "{}\n"


@pytest.mark.parametrize(
    ("labels", "words"),
    [(("libgomp", "libgomp"), "libgomp is named twice"), (("libgomp", "nothing"), "nothing")],
)
def test_wrong_labels_are_refused_in_a_line(
    build_root: Path, tmp_path: Path, labels: tuple[str, str], words: str
) -> None:
    result = diff(build_root, tmp_path / "s", *labels)
    assert getattr(result.exception, "exit_code", None) == 2
    assert words in str(getattr(result.exception, "message", ""))


LONG = [f"clang+libomp{version}-with-a-long-name" for version in range(13, 22)]


def test_each_comparison_has_a_folder_of_its_own() -> None:
    compared = [["a", "b"], ["a-b", "c"], ["a", "b-c"], ["a/b", "c"], ["a_b", "c"]]
    compared += [LONG, LONG[:-1], [*LONG, "x"], [*LONG, "y"]]
    names = [folder_name(labels) for labels in compared]
    assert names[0] == "diff-a,b"
    assert len({*names}) == len(names) and all(len(name) < 255 for name in names)
    assert not any("/" in name for name in names)
