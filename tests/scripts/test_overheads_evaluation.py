# SPDX-License-Identifier: BSD-3-Clause
"""What docs/evaluation/overheads.py and planted_costs.py make of records."""

from importlib import import_module
from typing import Any

import pytest
from micro_runs import micro_record, with_times
from project import ROOT

Record = dict[str, Any]


@pytest.fixture
def split(monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401 (a module)
    monkeypatch.syspath_prepend(str(ROOT / "docs/evaluation"))
    return import_module("overheads")


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401 (a module)
    monkeypatch.syspath_prepend(str(ROOT / "docs/evaluation"))
    return import_module("planted_costs")


def record(pattern: str, items: int | None, **times: float) -> Record:
    known = {"creation": None, "per_item": None, "release": None, **times}
    own = {
        "parameters": {} if items is None else {"items": items},
        "size": {"name": "tasks", "value": 100},
    }
    return micro_record(pattern, "libgomp", 400.0) | own | with_times(known)


def overlap(pattern: str, whole: float, opened: float, left: float | None) -> Record:
    figures = {"open_created_ns": opened, "left_ns": left, "created_ns": 50.0}
    return record(pattern, None, ns_per_task=whole / 100) | {"figures": figures}


def test_a_prediction_is_the_median_of_creation_and_of_what_is_left(split: Any) -> None:  # noqa: ANN401
    records = [
        overlap("chain", whole, opened, 200.0) for whole, opened in ((900, 600), (1100, 880))
    ]
    (line,), unknown = split.lines_of([*records, overlap("tree", 500, 100, None)])
    assert (line.measured, line.predicted) == (10.0, 9.4)
    assert line.error == pytest.approx(-0.06)
    assert [case.pattern for case in unknown] == ["tree"]


@pytest.mark.parametrize(("opened", "good"), [(820.0, True), (600.0, False)])
def test_the_split_adds_up_where_the_median_error_is_small(
    split: Any,  # noqa: ANN401
    opened: float,
    good: bool,
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines, _ = split.lines_of([overlap(p, 1000, opened, 100) for p in ("chain", "fan-in")])
    assert split.summarize(lines) is good
    error = 8.0 if good else 30.0
    assert f"libgomp 12, 2 threads: median error {error} %" in capsys.readouterr().out


def test_the_creation_of_a_task_is_that_without_its_item(planted: Any) -> None:  # noqa: ANN401
    records = [
        record("independent", 1, creation=60.0),
        record("independent", 16, creation=240.0, per_item=12.0),
        record("chain", None, creation=70.0, release=55.0),
    ]
    assert planted.terms_of(records) == {"creation": 48.0, "item": 12.0, "release": 55.0}


def test_where_tasks_run_as_they_are_created_the_whole_task_is_to_take_longer(
    planted: Any,  # noqa: ANN401
) -> None:
    records = [record("independent", 1), record("chain", None, ns_per_task=80.0)]
    assert planted.terms_of(records) == {"task": 80.0}
    for rise, right in ((110.0, True), (120.0, False), (80.0, False)):
        assert planted.Campaign("release", 100.0, {"task": rise}).right is right


@pytest.mark.parametrize(
    ("rise", "right"),
    [
        ({"creation": 100.0, "item": 0.0, "release": 0.0}, True),
        ({"creation": 114.0, "item": 0.0, "release": -14.0}, True),
        ({"creation": 116.0, "item": 0.0, "release": 0.0}, False),
        ({"creation": 100.0, "item": 16.0, "release": 0.0}, False),
        ({"creation": 0.0, "item": 100.0, "release": 0.0}, False),
    ],
)
def test_a_campaign_is_right_where_only_the_planted_term_rises(
    planted: Any,  # noqa: ANN401
    rise: dict[str, float],
    right: bool,
) -> None:
    found = planted.Campaign("creation", 100.0, rise)
    assert found.right is right
    assert found.blamed == max(rise, key=lambda term: rise[term])
