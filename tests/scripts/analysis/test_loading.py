# SPDX-License-Identifier: BSD-3-Clause
"""What the lines of one file or several become, where a campaign was begun anew or others join."""

import json
from pathlib import Path
from typing import Any

from pollux.core.analysis.comparison import compare
from pollux.core.analysis.dataset import names_of_files
from pollux.core.analysis.loading import load
from pollux.core.analysis.result import Result
from pollux.core.campaign.lines import Configuration, ConfigurationLine, Unavailable
from run_record import record
from synthetic import write_campaign

BOTH = {"libgomp": 1.0, "libomp": 1.1}
CELL = ("cholesky", "depend", 2048, 192)


def configurations(path: Path) -> list[Configuration]:
    lines = map(json.loads, path.read_text().splitlines())
    found = (line["configuration"] for line in lines if line.get("event") == "configuration")
    return [Configuration.model_validate(own) for own in found]


def prepend(path: Path, *lines: Any) -> None:  # noqa: ANN401
    """Put lines behind the start of a campaign."""
    start, rest = path.read_text().split("\n", 1)
    new = [line.model_dump_json(by_alias=True) for line in lines]
    path.write_text("\n".join([start, *new, rest]))


def warnings_of(*paths: Path) -> str:
    return "\n".join(compare(load(paths)).warnings)


def test_what_was_built_anew_before_its_first_sample_is_no_other_level(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    write_campaign(path, BOTH)
    old = [c.model_copy(update={"builds": {"executable": "0"}}) for c in configurations(path)]
    prepend(path, *(ConfigurationLine(hash=c.hash(), configuration=c) for c in old))
    result: Result = compare(load([path]))
    assert {row.level for row in result.rows} == set(BOTH)
    assert result.reference == "libgomp"
    assert all(row.comparison.ratio for row in result.rows if row.level == "libomp")


def test_of_builds_without_a_sample_the_last_stands(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    write_campaign(path, BOTH)
    plan = [c.model_copy(update={"variant": "cw"}) for c in configurations(path)]
    builds = [
        c.model_copy(update={"builds": {"executable": number}}) for number in "01" for c in plan
    ]
    prepend(path, *(ConfigurationLine(hash=c.hash(), configuration=c) for c in builds))
    rows = [row for row in compare(load([path])).rows if row.configuration.variant == "cw"]
    assert sorted(row.level for row in rows) == sorted(BOTH)
    assert {row.configuration.builds["executable"] for row in rows} == {"1"}


def test_what_ran_after_all_is_not_told_as_unavailable(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    write_campaign(path, BOTH)
    lacking = [Unavailable(hash=c.hash(), reason="no kernels") for c in configurations(path)]
    prepend(path, *lacking)
    assert not any(row.unavailable for row in compare(load([path])).rows)


def test_campaigns_that_ran_until_decided_have_no_number_that_was_planned(tmp_path: Path) -> None:
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    write_campaign(first, BOTH, rounds=6, until_decided=0.03, disturbed_rounds=[1])
    write_campaign(second, BOTH, rounds=40, until_decided=0.03)
    told = warnings_of(first, second)
    assert "samples planned" not in told and "to repeat them" not in told
    assert "not corrected" in told and "by itself" in told
    write_campaign(second, BOTH, rounds=40)
    assert "not corrected" in warnings_of(first, second)
    write_campaign(first, BOTH, rounds=6)
    assert "not corrected" not in warnings_of(first, second)


def test_a_file_of_both_kinds_of_plans_is_not_said_to_be_several(tmp_path: Path) -> None:
    path, again = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    write_campaign(path, BOTH, until_decided=0.03)
    write_campaign(again, BOTH)
    path.write_text(path.read_text() + again.read_text())
    told = warnings_of(path)
    assert "not corrected" in told and "by itself" not in told


def test_each_file_has_the_samples_that_its_own_plan_has(tmp_path: Path) -> None:
    whole, plain = tmp_path / "whole.jsonl", tmp_path / "plain.jsonl"
    write_campaign(whole, BOTH, rounds=40)
    plain.write_text(json.dumps(record(CELL, "libgomp", 1, 50.0)) + "\n")
    other = tmp_path / "other.jsonl"
    write_campaign(other, BOTH, rounds=6)
    assert "samples planned" not in warnings_of(whole, plain)
    assert "samples planned" not in warnings_of(other, whole)
    other.write_text(other.read_text().replace('"processes":6', '"processes":7'))
    assert "2 of 4 configurations have fewer than the 7 samples" in warnings_of(other, whole)


def test_files_are_told_apart_by_as_much_of_their_names_as_that_takes() -> None:
    a, b = Path("night.jsonl"), Path("night.bak")
    assert names_of_files([a, Path("day.jsonl")]) == ["night", "day"]
    assert names_of_files([Path("x") / a, Path("y") / a]) == ["x/night", "y/night"]
    assert names_of_files([a, b]) == ["night.jsonl", "night.bak"]
