# SPDX-License-Identifier: BSD-3-Clause
"""Which files of records a command reads."""

import os
from pathlib import Path

import pytest
from pollux.core.analysis.files import files_or_last
from pollux.core.campaign import reading
from pollux.core.campaign.lines import PartOf
from pollux.core.errors import BadUsageError
from synthetic import write_campaign


def test_without_files_the_last_campaign_is_taken(tmp_path: Path) -> None:
    for age, name in enumerate(("b.jsonl", "a.jsonl", "c.jsonl")):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (100 - age, 100 - age))
    assert files_or_last([], tmp_path) == [tmp_path / "b.jsonl"]
    with pytest.raises(BadUsageError, match="no campaign in empty/ yet"):
        files_or_last(None, tmp_path / "empty")


def test_the_last_campaign_is_all_of_its_parts(tmp_path: Path) -> None:
    parts = [tmp_path / f"c.{number}.jsonl" for number in (1, 2)]
    for number, path in enumerate(parts, 1):
        part = PartOf(campaign="abc", number=number, of=2, node="n1")
        write_campaign(path, {"libgomp": 1.0}, part=part)
    assert files_or_last([], tmp_path) == parts


def test_only_lines_on_starts_are_read_to_find_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, other = tmp_path / "c.1.jsonl", tmp_path / "c.2.jsonl"
    write_campaign(path, {"libgomp": 1.0, "libomp": 1.0})
    part = PartOf(campaign="abc", number=1, of=2, node="n1")
    write_campaign(other, {"libgomp": 1.0}, part=part)
    with path.open("ab") as file:
        file.write(other.read_bytes())
    read: list[bytes] = []
    read_line = reading.read_line

    def noted(text: bytes) -> object:
        read.append(text)
        return read_line(text)

    monkeypatch.setattr(reading, "read_line", noted)
    os.utime(other, (1, 1))
    assert files_or_last([], tmp_path) == [path, other]
    assert len(read) == 2


def test_a_file_named_twice_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    assert files_or_last([tmp_path / "a", tmp_path / "." / "a"]) == [tmp_path / "a"]
