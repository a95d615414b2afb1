# SPDX-License-Identifier: BSD-3-Clause
"""A campaign's file: nothing is lost, nothing is half there, nobody else writes it."""

import errno
import json
import os
from pathlib import Path

import pytest
from pollux.analysis.dataset import load
from pollux.campaign.journal import Journal
from pollux.campaign.lines import BlockStart
from pollux.errors import BadUsageError, MachineError
from synthetic import append, write_campaign


def block(number: int) -> BlockStart:
    return BlockStart(block=number, unix_ns=1, calibration=None)


def test_what_was_written_is_known_again(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    write_campaign(path, {"libgomp": 1.0, "libomp": 1.1}, rounds=3)
    known = Journal(path).known
    assert known.count() == 6
    assert [len(done) for done in known.samples.values()] == [3, 3]
    assert (len(known.blocks), len(known.ends), known.torn) == (3, 3, 0)


@pytest.mark.parametrize("repeat_is_disturbed", [False, True])
def test_the_rule_for_stopping_and_verdicts_use_the_same_attempt(
    tmp_path: Path, repeat_is_disturbed: bool
) -> None:
    path = tmp_path / "a.jsonl"
    write_campaign(path, {"libgomp": 1.0}, rounds=4, disturbed_rounds=[2])
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in [line for line in lines if line.get("block") in (1, 2)]:
        again = line | {"block": line["block"] + 10}
        if line["event"] == "sample":
            again |= {"attempt": 1, "records": [{**line["records"][0], "gflops": 1.0}]}
        if line["event"] == "block-end":
            again |= {"disturbed": repeat_is_disturbed}
        append(path, again)
    known = Journal(path).known
    (configuration,) = known.configurations
    used = load([path]).used()
    speeds = known.speeds(configuration)
    assert speeds == {s.round: s.gflops for s in used}
    assert [r for r in sorted(speeds) if speeds[r] == 1.0] == ([] if repeat_is_disturbed else [2])


def test_a_torn_line_is_ended_and_read_as_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    journal = Journal(path)
    journal.append(block(0))
    journal.append(block(1))
    journal.close()
    path.write_bytes(path.read_bytes()[:-9])
    journal = Journal(path)
    assert (list(journal.known.blocks), journal.known.torn) == ([0], 1)
    journal.append(block(2))
    journal.close()
    assert list(Journal(path).known.blocks) == [0, 2]


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    first = Journal(path)
    with pytest.raises(BadUsageError, match="another pollux run is writing"):
        Journal(path)
    first.close()
    Journal(path).close()


def test_a_full_disk_leaves_whole_lines_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.jsonl"
    journal = Journal(path)
    journal.append(block(0))
    before = path.read_bytes()
    write = os.write
    calls = []

    def write_a_little(descriptor: int, text: bytes) -> int:
        calls.append(text)
        if len(calls) > 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, text[:5])

    monkeypatch.setattr(os, "write", write_a_little)
    with pytest.raises(MachineError, match=r"No space left on device.*same command resumes"):
        journal.append(block(1))
    assert path.read_bytes() == before


@pytest.mark.parametrize("path", ["/dev/null", "/", "/nonexistent/a.jsonl"])
def test_a_place_that_cannot_hold_records_is_refused(path: str) -> None:
    with pytest.raises(BadUsageError, match=path):
        Journal(Path(path))


@pytest.mark.parametrize("text", ["my notes\n", '{"a": 1}\n', "\n\nx"])
def test_a_file_of_something_else_is_refused_and_kept(tmp_path: Path, text: str) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(text)
    with pytest.raises(BadUsageError, match="something other than records of a campaign"):
        Journal(path)
    assert path.read_text() == text
