# SPDX-License-Identifier: BSD-3-Clause
"""A short run of tests/endurance/damaged_files.py, and that it finds."""

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from project import ROOT


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Any:  # noqa: ANN401 (a module)
    monkeypatch.syspath_prepend(str(ROOT / "tests/endurance"))
    return import_module("damaged_files")


@pytest.mark.slow
def test_no_command_ends_in_a_traceback_or_a_wrong_status(
    program: Any,  # noqa: ANN401
    tmp_path: Path,
) -> None:
    tally = program.damage(120, 7, tmp_path)
    assert {*tally.tried} == {kind.name for kind in program.kinds(tmp_path)}
    assert tally.tracebacks == []
    assert tally.wrong == []


def test_tracebacks_and_wrong_statuses_are_found(program: Any, tmp_path: Path) -> None:  # noqa: ANN401
    def crash(path: Path) -> object:
        return program.attempt(lambda: [][len(str(path))])

    def pass_all(path: Path) -> object:
        return program.Ended(0, "")

    intact = next(kind for kind in program.kinds(tmp_path) if kind.name == "records, compare")
    for read, found in ((crash, "tracebacks"), (pass_all, "wrong")):
        tally = program.Tally()
        kind = replace(intact, read=read)
        for seed in range(8):
            tally.try_one(kind, program.Mutator(seed), tmp_path)
        assert getattr(tally, found)
