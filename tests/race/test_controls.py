# SPDX-License-Identifier: BSD-3-Clause
"""The tools are at work: what follows from their silence rests on these."""

from pathlib import Path

import pytest
from racing import ANNOUNCEMENT, CannotCheckError, Subject, execute, races_in, run

ORDERED, UNORDERED, ORDERED_SETS, COLLIDING_SETS = (
    Subject("control", (name,))
    for name in ("ordered", "unordered", "ordered_sets", "colliding_sets")
)
ATTEMPTS = range(1, 9)


@pytest.mark.parametrize("subject", [UNORDERED, COLLIDING_SETS], ids=str)
def test_tasks_without_an_order_are_reported(subject: Subject) -> None:
    assert any(run(subject, seed).races for seed in ATTEMPTS)


def test_a_report_names_the_kernel() -> None:
    runs = (run(UNORDERED, seed, symbols=True) for seed in ATTEMPTS)
    assert any("kernel_gemm" in report for result in runs for report in result.races)


@pytest.mark.parametrize("subject", [ORDERED, ORDERED_SETS], ids=str)
def test_tasks_with_an_order_are_not_reported(subject: Subject) -> None:
    assert [run(subject, seed).races for seed in ATTEMPTS] == [[] for _ in ATTEMPTS]


# Without Archer every order looks like none, so a silent run shows that Archer was there.
@pytest.mark.parametrize("subject", [ORDERED, ORDERED_SETS], ids=str)
def test_tasks_with_an_order_are_reported_without_archer(subject: Subject) -> None:
    assert any(run(subject, seed, archer=False).races for seed in ATTEMPTS)


def test_a_run_without_archer_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("racing.ARCHER", "/nonexistent/libarcher.so")
    with pytest.raises(CannotCheckError, match="did not announce itself"):
        run(ORDERED, 1)


def test_a_sanitizer_that_cannot_run_says_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "race"
    program.write_text("#!/bin/sh\necho 'FATAL: ThreadSanitizer: unexpected memory mapping'\n")
    program.chmod(0o755)
    monkeypatch.setattr("racing.PROGRAM", program)
    with pytest.raises(CannotCheckError, match="unexpected memory mapping; it wants `setarch -R`"):
        run(ORDERED, 1)


def test_a_program_that_is_missing_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("racing.PROGRAM", tmp_path / "race")
    with pytest.raises(CannotCheckError, match="cmake --build --preset race makes it"):
        run(ORDERED, 1)


def test_only_memory_of_the_runtime_itself_is_left_out() -> None:
    frames = {"runtime": "(libomp.so.5+0x1ed30)", "program": "(race+0x1ed30)"}
    report = (
        "WARNING: ThreadSanitizer: data race (pid=1)\n"
        "  Location is heap block of size 64 at 0x1 allocated by main thread:\n"
        "    #0 malloc <null> (race+0x66b30)\n"
        "    #1 <null> <null> {allocator}\n"
        "    #2 <null> <null> (libomp.so.5+0x1)\n"
        "==================\n"
    )
    assert races_in(report.format(allocator=frames["runtime"])) == []
    assert len(races_in(report.format(allocator=frames["program"]))) == 1


@pytest.mark.parametrize("arguments", [(), ("graph", "lu"), ("planted", "none", "1")])
def test_what_it_does_not_know_is_bad_usage(arguments: tuple[str, ...]) -> None:
    result = execute(*arguments, archer=False)
    assert (result.status, result.output.count("\n")) == (2, 1)
    assert ANNOUNCEMENT not in result.output
