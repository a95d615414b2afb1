# SPDX-License-Identifier: BSD-3-Clause
"""A campaign's file: nothing is lost, nothing is half there, nobody else writes it."""

import errno
import fcntl
import json
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from pollux.core.analysis.loading import load
from pollux.core.campaign.journal import Journal, Known
from pollux.core.campaign.lines import BlockEnd, BlockStart, Calibration
from pollux.core.campaign.reading import Cause
from pollux.core.errors import BadUsageError, MachineError
from pollux.core.interruption import interruptible
from run_record import with_speed
from synthetic import append, write_campaign


def block(number: int) -> BlockStart:
    return BlockStart(block=number, unix_ns=1, calibration=None)


def test_what_was_written_is_known_again(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    write_campaign(path, {"libgomp": 1.0, "libomp": 1.1}, rounds=3)
    known = Journal(path).known
    assert known.count() == 6
    assert [len(done) for done in known.samples.values()] == [3, 3]
    assert (len(known.blocks), len(known.ends), known.unreadable) == (3, 3, [])


def test_calibrations_are_in_their_order_and_those_between_blocks_once() -> None:
    calibrations = [Calibration(gflops=[speed], seconds=0.1) for speed in (1.0, 2.0, 3.0, 4.0)]
    known = Known()
    for number, (before, after) in enumerate(pairwise(calibrations)):
        known.add(BlockStart(block=number, unix_ns=1, calibration=before))
        rest: dict[str, Any] = {"foreign_cpu": None, "steal": None, "reasons": []}
        known.add(BlockEnd(block=number, unix_ns=2, calibration=after, disturbed=False, **rest))
    assert known.calibrations() == {(): calibrations}


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
            slow = with_speed({**line["records"][0], "gflops": 1.0})
            again |= {"attempt": 1, "records": [slow]}
        if line["event"] == "block-end":
            again |= {"disturbed": repeat_is_disturbed}
        append(path, again)
    known = Journal(path).known
    (configuration,) = known.configurations
    used = load([path]).used
    logs = known.logs(configuration, "gflops")
    assert logs == {s.round: s.logs for s in used}
    of_repeat = [r for r in sorted(logs) if logs[r].middle == 0.0]
    assert of_repeat == ([] if repeat_is_disturbed else [2])


def test_a_torn_line_is_ended_and_read_as_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    journal = Journal(path)
    journal.append(block(0))
    journal.append(block(1))
    journal.close()
    path.write_bytes(path.read_bytes()[:-9])
    journal = Journal(path)
    assert list(journal.known.blocks) == [0]
    assert [line.cause for line in journal.known.unreadable] == [Cause.CUT]
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


def rename(path: Path) -> Path:
    return path.rename(path.with_name("moved.jsonl"))


def rename_folder(path: Path) -> Path:
    return path.parent.rename(path.parent.with_name("elsewhere")) / path.name


def rename_and_replace(path: Path) -> Path:
    moved = rename(path)
    path.write_text("something else\n")
    return moved


def test_a_signal_while_a_line_is_written_waits_until_it_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path / "a.jsonl")
    monkeypatch.setattr(os, "fsync", lambda _: os.kill(os.getpid(), signal.SIGTERM))
    with interruptible(), pytest.raises(KeyboardInterrupt):
        journal.append(block(3))
    assert list(journal.known.blocks) == [3]


@pytest.mark.parametrize("move", [rename, rename_folder, rename_and_replace])
def test_a_file_that_is_renamed_meanwhile_keeps_its_samples_and_ends_the_run(
    tmp_path: Path, move: Callable[[Path], Path]
) -> None:
    path = tmp_path / "results" / "a.jsonl"
    path.parent.mkdir()
    journal = Journal(path)
    moved = move(path)
    with pytest.raises(MachineError, match=rf"renamed to {moved} while.*0 samples are safe in"):
        journal.append(block(0))
    assert list(read_blocks(moved)) == [0]


def remove(path: Path) -> None:
    path.unlink()


def remove_on_nfs(path: Path) -> None:
    path.rename(path.with_name(".nfs000000000001"))


def replace(path: Path) -> None:
    other = path.with_name("other")
    other.write_text("something else\n")
    other.replace(path)


@pytest.mark.parametrize(
    ("change", "what"), [(remove, "removed"), (remove_on_nfs, "removed"), (replace, "replaced")]
)
def test_a_file_that_is_removed_meanwhile_is_saved_and_ends_the_run(
    tmp_path: Path, change: Callable[[Path], None], what: str
) -> None:
    path = tmp_path / "a.jsonl"
    journal = Journal(path)
    journal.append(block(0))
    change(path)
    with pytest.raises(
        MachineError, match=rf"a\.jsonl was {what} while.*safe in .*/a-\d"
    ) as raised:
        journal.append(block(1))
    saved = Path(str(raised.value).partition("safe in ")[2].partition(":")[0])
    assert list(read_blocks(saved)) == [0, 1]


def test_a_file_that_is_shortened_meanwhile_ends_the_run_and_keeps_the_new_line(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.jsonl"
    journal = Journal(path)
    journal.append(block(0))
    journal.append(block(1))
    os.truncate(path, path.stat().st_size - 9)
    with pytest.raises(MachineError, match=r"a\.jsonl was shortened by another program"):
        journal.append(block(2))
    assert list(read_blocks(path)) == [0, 2]


def read_blocks(path: Path) -> Iterator[int]:
    """The numbers of the blocks that begin in a file; lines that are cut off are skipped."""
    for line in path.read_text().splitlines():
        with suppress(ValueError):
            yield json.loads(line)["block"]


@pytest.mark.parametrize("locks", [True, False])
def test_renaming_a_file_lets_no_second_writer_take_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, locks: bool
) -> None:
    if not locks:
        monkeypatch.setattr(fcntl, "flock", refuse_to_lock)
    path, link = tmp_path / "a.jsonl", tmp_path / "link"
    first = Journal(path)
    rename(path)
    link.symlink_to(path)
    for name in (path, link):
        with pytest.raises(BadUsageError, match="another pollux run is writing"):
            Journal(name)
    assert not path.exists()
    first.close()
    Journal(path).close()


def refuse_to_lock(descriptor: int, operation: int) -> None:
    raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))


@pytest.mark.parametrize("path", ["/dev/null", "/", "/nonexistent/a.jsonl"])
def test_a_place_that_cannot_hold_records_is_refused(path: str) -> None:
    with pytest.raises(BadUsageError, match=path):
        Journal(Path(path))


def test_a_disk_without_room_for_a_file_of_records_is_the_machine_s_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))

    monkeypatch.setattr(os, "open", full)
    with pytest.raises(MachineError, match=r"Disk quota exceeded.*--output takes another place"):
        Journal(tmp_path / "a.jsonl")


@pytest.mark.parametrize("text", ["my notes\n", '{"a": 1}\n', "\n\nx"])
def test_a_file_of_something_else_is_refused_and_kept(tmp_path: Path, text: str) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(text)
    with pytest.raises(BadUsageError, match="something other than records of a campaign"):
        Journal(path)
    assert path.read_text() == text


def test_a_file_that_is_renamed_before_it_is_shown_is_found_again(tmp_path: Path) -> None:
    path, moved = tmp_path / "trial.jsonl", tmp_path / "moved.jsonl"
    journal = Journal(path)
    with pytest.raises(MachineError, match=f"renamed to {moved}"), journal.kept_in_place():
        path.rename(moved)
        load([path])
    journal = Journal(path)
    with pytest.raises(BadUsageError, match="nothing"), journal.kept_in_place():
        raise BadUsageError("nothing to do with the file")
