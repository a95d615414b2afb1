# SPDX-License-Identifier: BSD-3-Clause
"""What `pollux watch` shows of the rules of conformance."""

import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from histories import name_of, series, watch, write_nights
from pollux.nights.watching import conformance

pytest.importorskip("pollux.machine")
NIGHTS = 5
TARGET = "conformance of libomp"


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nights") / "history"
    return write_nights(folder, NIGHTS, lambda _: {"libomp": 1.0})


@pytest.fixture
def folder(history: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(history, tmp_path / "a folder"))


def test_a_rule_that_breaks_is_wrong(folder: Path) -> None:
    for night, verdict in ((NIGHTS - 3, "kept"), (NIGHTS - 2, "broken"), (NIGHTS - 1, "broken")):
        write_rules((folder / name_of(night)).with_suffix(".conformance"), {"inout": verdict})
    found = series(folder)[TARGET]
    assert found["state"] == "wrong" and found["since"] == name_of(NIGHTS - 2)
    assert "inout" in found["reason"]
    write_rules((folder / name_of(NIGHTS - 1)).with_suffix(".conformance"), {"inout": "kept"})
    assert series(folder)[TARGET]["state"] == "steady"


def test_a_rule_that_breaks_after_another_was_accepted_is_wrong(folder: Path) -> None:
    places = [(folder / name_of(NIGHTS - k)).with_suffix(".conformance") for k in (3, 2, 1)]
    write_rules(places[0], {"inout": "kept", "taskwait": "kept"})
    write_rules(places[1], {"inout": "broken", "taskwait": "kept"})
    held = shutil.move(folder / name_of(NIGHTS - 1), folder.parent / "held")
    assert watch("accept", folder, "--series", "conformance", "--reason", "known").exception is None
    assert series(folder)[TARGET]["state"] == "steady"
    shutil.move(held, folder / name_of(NIGHTS - 1))
    write_rules(places[2], {"inout": "broken", "taskwait": "broken"})
    found = series(folder)[TARGET]
    assert found["state"] == "wrong" and found["since"] == name_of(NIGHTS - 1)
    assert found["reason"] == "broken rules: taskwait"


def test_a_night_that_has_not_tried_a_rule_does_not_hide_that_it_broke(folder: Path) -> None:
    verdicts = {"inout": "kept"}, {"taskwait": "kept"}, {"inout": "broken", "taskwait": "kept"}
    for k, rules in zip((3, 2, 1), verdicts, strict=True):
        write_rules((folder / name_of(NIGHTS - k)).with_suffix(".conformance"), rules)
    found = series(folder)[TARGET]
    assert found["state"] == "wrong" and found["since"] == name_of(NIGHTS - 1)


@pytest.mark.parametrize("shown", ["not run", "not compiled"])
@pytest.mark.parametrize(("before", "state"), [("kept", "wrong"), ("broken", "steady")])
def test_a_night_on_which_a_rule_did_not_run_shows_nothing_about_it(
    folder: Path, before: str, state: str, shown: str
) -> None:
    for k, verdict in zip((3, 2, 1), (before, shown, "broken"), strict=True):
        write_rules((folder / name_of(NIGHTS - k)).with_suffix(".conformance"), {"inout": verdict})
    assert series(folder)[TARGET]["state"] == state


@pytest.mark.parametrize(
    ("verdicts", "since"),
    [
        (("kept", "serialised", "unsupported"), NIGHTS - 1),
        (("kept", "broken", "unsupported"), NIGHTS - 2),
        (("kept", "unsupported", "broken"), NIGHTS - 1),
        (("unsupported", "unsupported", "unsupported"), None),
        (("broken", "broken", "unsupported"), None),
    ],
)
def test_a_rule_that_is_no_longer_supported_is_wrong(
    folder: Path, verdicts: tuple[str, ...], since: int | None
) -> None:
    for k, verdict in zip((3, 2, 1), verdicts, strict=True):
        write_rules((folder / name_of(NIGHTS - k)).with_suffix(".conformance"), {"inout": verdict})
    found = series(folder)[TARGET]
    assert found["state"] == ("steady" if since is None else "wrong")
    assert found["since"] == (None if since is None else name_of(since))


def test_results_of_each_night_are_read_once_for_all_targets(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    for night in range(NIGHTS):
        folder.joinpath(name_of(night)).with_suffix(".conformance").mkdir()
    results = [
        SimpleNamespace(label=label, rules=[SimpleNamespace(rule="inout", verdict="broken")])
        for label in ("libgomp", "libomp", "bolt")
    ]

    def read(rules: Path) -> list[SimpleNamespace]:
        asked.append(rules.stem)
        return results

    monkeypatch.setattr(conformance, "service", lambda _: read)
    series(folder)
    assert sorted(asked) == [Path(name_of(night)).stem for night in range(NIGHTS)]


@pytest.mark.parametrize("last", [None, {"taskwait": "kept"}, {"inout": "not run"}])
def test_a_broken_rule_that_last_night_did_not_try_is_still_wrong(
    folder: Path, last: dict[str, str] | None
) -> None:
    for k, verdict in ((3, "kept"), (2, "broken")):
        write_rules((folder / name_of(NIGHTS - k)).with_suffix(".conformance"), {"inout": verdict})
    if last is not None:
        write_rules((folder / name_of(NIGHTS - 1)).with_suffix(".conformance"), last)
    found = series(folder)[TARGET]
    assert (found["state"], found["since"]) == ("wrong", name_of(NIGHTS - 2))
    assert found["reason"] == "broken rules: inout"


@pytest.mark.parametrize("last", [None, {"taskwait": "kept"}])
def test_rules_that_last_night_did_not_try_have_not_run(
    folder: Path, last: dict[str, str] | None
) -> None:
    write_rules((folder / name_of(NIGHTS - 3)).with_suffix(".conformance"), {"inout": "kept"})
    if last is not None:
        write_rules((folder / name_of(NIGHTS - 1)).with_suffix(".conformance"), last)
    found = series(folder)[TARGET]
    assert (found["state"], found["since"]) == ("not-run", name_of(NIGHTS - 2))
    assert found["reason"] == "rules not tried: inout"


def test_rules_that_none_of_the_last_nights_tried_are_no_longer_watched(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_rules((folder / name_of(NIGHTS - 3)).with_suffix(".conformance"), {"inout": "kept"})
    monkeypatch.setattr(conformance, "FORGOTTEN", 2)
    assert TARGET not in series(folder)


def write_rules(folder: Path, verdicts: dict[str, str]) -> None:
    folder.mkdir(exist_ok=True)
    tried: dict[str, Any] = {"statement": "", "source": "", "threads": [2], "detail": ""}
    tried |= {"trials": 1, "seed": 1, "unix_ns": 1, "attempts": [], "not_tried": []}
    rules = [{"rule": rule, "verdict": verdict, **tried} for rule, verdict in verdicts.items()]
    target: dict[str, Any] = {"schema": "pollux-conformance-result/1", "label": "libomp"}
    target |= {"preset": "libomp", "runtime": None, "compiler": None, "processors": 2}
    target |= {"environment": {}, "rules": rules}
    (folder / "libomp.json").write_text(json.dumps(target))
