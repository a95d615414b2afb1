# SPDX-License-Identifier: BSD-3-Clause
"""An error that nobody foresaw has an exit status of its own, which no gate can confuse."""

import errno
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from pollux.core import cli
from pollux.core.analysis import loading
from pollux.core.text import one_line
from project import Campaign

Capture = pytest.CaptureFixture[str]
GRID = 'processes = 1\n[grid]\nsize = 512\nbenchmark = "lu"\n[blocks]\nforeign_cpu = 9.0\n'


def status_of_compare(file: Path, monkeypatch: pytest.MonkeyPatch, error: Exception) -> object:
    """The exit status of a comparison whose reader raises the error."""

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(loading, "load", fail)
    monkeypatch.setattr("sys.argv", ["pollux", "compare", str(file)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return ended.value.code


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "some.jsonl"
    path.touch()
    return path


def test_a_bug_is_one_line_with_status_70(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.delenv("POLLUX_TRACEBACK", raising=False)
    assert status_of_compare(file, monkeypatch, KeyError("gflops\nand more")) == 70
    (line,) = capsys.readouterr().err.splitlines()
    assert "internal error (KeyError" in line
    assert "POLLUX_TRACEBACK=1" in line


def test_a_variable_shows_the_traceback(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv("POLLUX_TRACEBACK", "1")
    assert status_of_compare(file, monkeypatch, KeyError("gflops")) == 70
    assert "Traceback (most recent call last)" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["compare", "run", "explain", "doctor --build-root"])
def test_a_name_that_no_file_can_have_is_bad_usage(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr("sys.argv", ["pollux", *command.split(), "x" * 5000])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line == f"pollux: {'x' * 59}…: no file (File name too long)"


def test_a_file_that_others_may_not_look_at_is_bad_usage(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    error = PermissionError(errno.EACCES, "Permission denied", "/other/x.jsonl")
    assert status_of_compare(file, monkeypatch, error) == 2
    assert capsys.readouterr().err == "pollux: /other/x.jsonl: cannot be used (Permission denied)\n"


@pytest.mark.parametrize("what", ["file", "build_root"])
def test_a_name_that_records_cannot_hold_is_bad_usage(
    what: str, campaign: Campaign, tmp_path: Path
) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9")
    shutil.copytree(campaign.build_root, path if what == "build_root" else tmp_path / "other")
    done = replace(campaign, **{what: path}).run("good", GRID)
    assert done.returncode == 2
    assert done.stderr == f"pollux: {one_line(str(path))}: a name in UTF-8 is needed here\n"


def test_too_little_memory_is_the_machines_fault(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    assert status_of_compare(file, monkeypatch, MemoryError()) == 3
    assert "not enough memory" in capsys.readouterr().err
