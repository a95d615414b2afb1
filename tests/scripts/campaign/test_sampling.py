# SPDX-License-Identifier: BSD-3-Clause
"""One sample: whatever a process does is recorded as what it was."""

import errno
import json
import os
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from signal import SIGABRT, SIGSEGV
from typing import Any

import pytest
from pollux.core.campaign import sampling
from pollux.core.campaign.lines import Configuration, Outcome
from pollux.core.campaign.sampling import Order, Taken, judged, take_rota, take_sample
from pollux.core.errors import MachineError
from pollux.core.executables.loaded import digests_of
from pollux.core.executables.process import HINTS, Ended
from project import write_script
from run_record import record, with_speed

CELL = ("lu", "depend", 512, 64)
GOOD = json.dumps(record(CELL, "libgomp", 5, 20.0))
FAILED = json.dumps(
    record(CELL, "libgomp", 5, 20.0)
    | {
        "passed": False,
        "residuals": [{"name": "PA-LU", "value": None, "threshold": 30.0, "passed": False}],
    }
)
SERIAL = json.dumps(
    record(CELL, "libgomp", 5, 20.0)
    | {"passed": False, "levels": {"requested": [2, 4], "allowed": [2, 3], "given": [2, 1]}}
)
BROKEN_DOWN = json.dumps(
    with_speed(
        record(CELL, "libgomp", 5, 20.0)
        | {"passed": False, "status": 7, "gflops": None, "digest": None, "residuals": []}
    )
)


def order(folder: Path, text: str, **changes: Any) -> Order:  # noqa: ANN401
    program = folder / "program"
    write_script(program, text)
    configuration = Configuration(
        runtime="libgomp",
        benchmark="lu",
        variant="depend",
        kernels="openblas",
        size=512,
        executable=str(program),
        arguments=["--size", "512"],
        variables={"GREETING": "hello"},
    )
    return Order(configuration.model_copy(update=changes), 5, 1, 20.0)


def take(folder: Path, text: str, **changes: Any) -> Taken:  # noqa: ANN401
    return take_sample(order(folder, text, **changes))


def take_with_another(folder: Path, text: str, **changes: Any) -> Taken:  # noqa: ANN401
    """The same where it should take turns with a good run."""
    other = folder / "other"
    other.mkdir()
    with_turns = [order(folder, text, **changes), order(other, say(GOOD))]
    found, good = take_rota(with_turns, random.Random(1))
    assert (good.outcome, good.records) == (Outcome.OK, [json.loads(GOOD)])
    assert not found.in_turns and not good.in_turns  # they say nothing of turns
    return found


Way = Callable[..., Taken]
WAYS = (take, take_with_another)


def say(*lines: str) -> str:
    return "cat <<'END'\n" + "\n".join(lines) + "\nEND"


def test_a_good_run_gives_its_records(tmp_path: Path) -> None:
    taken = take(tmp_path, f"echo 'lu: warning: threads may move' >&2; {say(GOOD)}")
    assert (taken.outcome, taken.problem, taken.detail) == (Outcome.OK, None, None)
    assert taken.records == [json.loads(GOOD)]
    assert taken.warnings == ["lu: warning: threads may move"]


def test_the_executable_gets_arguments_seed_and_variables(tmp_path: Path) -> None:
    taken = take(tmp_path, 'echo "$GREETING $*" >&2; exit 3')
    assert taken.problem == "exit status 3: hello --size 512 --seed 5 --repeat 1"


@pytest.mark.parametrize(
    ("text", "outcome", "problem"),
    [
        ("kill -SEGV $$", Outcome.CRASH, f"killed by SIGSEGV ({HINTS[SIGSEGV]})"),
        ("kill -40 $$", Outcome.CRASH, "killed by signal 40"),
        (f"{say(GOOD)}\nkill -ABRT $$", Outcome.CRASH, f"killed by SIGABRT ({HINTS[SIGABRT]})"),
        ("echo 'no such symbol' >&2; exit 127", Outcome.CRASH, "exit status 127: no such symbol"),
        ("echo 'lu: needs more' >&2; exit 3", Outcome.REFUSED, "exit status 3: lu: needs more"),
        ("exit 2", Outcome.REFUSED, "exit status 2"),
        (f"{say(FAILED)}\nexit 1", Outcome.FAILED_CHECK, "check failed: PA-LU nan, limit 30"),
        (
            f"{say(SERIAL)}\nexit 1",
            Outcome.FAILED_CHECK,
            "check failed: levels of 2, 1 threads, not of 2, 3",
        ),
        (f"{say(FAILED)}", Outcome.FAILED_CHECK, "check failed: PA-LU nan, limit 30"),
        (
            f"{say(FAILED)}\nkill -SEGV $$",
            Outcome.FAILED_CHECK,
            f"check failed: PA-LU nan, limit 30, then killed by SIGSEGV ({HINTS[SIGSEGV]})",
        ),
        (
            f"{say(FAILED)}\necho 'lu: no room' >&2; exit 3",
            Outcome.FAILED_CHECK,
            "check failed: PA-LU nan, limit 30, then exit status 3: lu: no room",
        ),
        (
            f"{say(BROKEN_DOWN)}\nexit 1",
            Outcome.FAILED_CHECK,
            "the factorization broke down at column 7",
        ),
        ("true", Outcome.NO_RECORD, "0 records instead of 1"),
        (say(GOOD, GOOD), Outcome.NO_RECORD, "2 records instead of 1"),
        (say("{}"), Outcome.NO_RECORD, "printed a line that is not a record: '{}'"),
        (
            say("Segmentation"),
            Outcome.NO_RECORD,
            "printed a line that is not a record: 'Segmentation'",
        ),
    ],
)
def test_what_goes_wrong_is_named(
    tmp_path: Path, text: str, outcome: Outcome, problem: str
) -> None:
    for taken in (take(tmp_path, text), take_with_another(tmp_path, text)):
        assert (taken.outcome, taken.problem) == (outcome, problem)


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("text", ["kill -TERM $$", "kill -KILL $$", "exit 143"])
def test_a_process_that_is_ended_together_with_this_one_is_no_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, how: Way
) -> None:
    """As where a batch system sends a signal to all processes of a job."""
    monkeypatch.setattr(sampling, "comes_within", lambda seconds: True)
    with pytest.raises(KeyboardInterrupt):
        how(tmp_path, text)


def test_a_process_that_ends_by_itself_as_a_signal_comes_is_a_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "comes_within", lambda seconds: True)
    assert take(tmp_path, "kill -SEGV $$").outcome is Outcome.CRASH
    assert take(tmp_path, say(GOOD)).outcome is Outcome.OK


def test_a_process_that_is_ended_alone_is_a_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "SIGNAL_SECONDS", 0.0)
    assert take(tmp_path, "kill -TERM $$").outcome is Outcome.CRASH


@pytest.mark.parametrize("other", [{"size": 1024}, {"kernels": "tuned"}])
def test_a_record_of_another_run_is_not_taken(tmp_path: Path, other: dict[str, Any]) -> None:
    taken = take(tmp_path, say(GOOD), **other)
    assert taken.outcome is Outcome.NO_RECORD
    assert taken.problem == "its records are not of the requested run"


@pytest.mark.parametrize("how", WAYS)
def test_a_program_that_cannot_be_started_is_refused(tmp_path: Path, how: Way) -> None:
    taken = how(tmp_path, "true", executable=str(tmp_path / "missing"))
    assert taken.outcome is Outcome.REFUSED
    assert taken.problem == "cannot be started: No such file or directory"


@pytest.mark.parametrize("how", WAYS)
def test_output_that_the_machine_does_not_take_is_no_sample(tmp_path: Path, how: Way) -> None:
    text = f"{say(GOOD)}\necho 'lu: cannot write to standard output: No space left' >&2; exit 3"
    with pytest.raises(
        MachineError, match=r"its output \(No space left\); this run is not recorded"
    ):
        how(tmp_path, text)


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("lacking", ["subprocess.Popen", "os.pidfd_open"])
def test_a_process_that_the_machine_has_no_room_for_is_no_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: Way, lacking: str
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(lacking, refuse)
    with pytest.raises(MachineError, match=r"could not be started \(Too many open files\)"):
        how(tmp_path, "true")


HANGS = "exec tail -f /dev/null"


@pytest.mark.parametrize("in_turns", [False, True])
def test_a_process_has_a_hang_at_its_own_limit_alone(tmp_path: Path, in_turns: bool) -> None:
    late = replace(order(tmp_path, HANGS), seconds_limit=0.0)
    cut = replace(order(tmp_path, HANGS), seconds_allowed=0.0)
    for one in (late, cut):
        rota = take_rota([one, one], random.Random(1)) if in_turns else [take_sample(one)]
        for taken in rota:
            assert (taken.outcome, taken.is_cut) == (Outcome.HANG, one is cut)
            assert taken.problem is not None
            assert taken.problem.endswith("; it is not recorded") == taken.is_cut


def test_a_check_that_has_failed_counts_however_the_process_is_ended(tmp_path: Path) -> None:
    ended = Ended(None, FAILED, "", 60.0)
    taken = judged(order(tmp_path, HANGS), ended, is_cut=True)
    assert (taken.outcome, taken.is_cut) == (Outcome.FAILED_CHECK, False)


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("during", [False, True])
def test_a_run_whose_files_are_replaced_is_refused_and_its_output_not_taken(
    tmp_path: Path, during: bool, how: Way
) -> None:
    library, started = tmp_path / "library", tmp_path / "started"
    library.write_text("old")
    files = digests_of([library])
    if not during:
        library.write_text("new")
    taken = how(tmp_path, f"touch '{started}'; echo new >'{library}'; {say(GOOD)}", files=files)
    problem = f"{library} was replaced after the runs were planned"
    assert (taken.outcome, taken.problem, taken.records) == (Outcome.REFUSED, problem, [])
    assert taken.is_changed
    assert started.exists() == during


def test_output_that_is_very_long_is_cut_and_says_so(tmp_path: Path) -> None:
    long = "lu: warning: $(printf %5000s)"
    taken = take(tmp_path, f'seq -f "lu: warning: %g" 100 >&2; echo "{long}!" >&2; exit 3')
    assert taken.problem is not None and taken.detail is not None
    for text in (taken.problem, taken.detail):
        assert text.endswith(" … (4014 more characters)")
    assert len(taken.problem) < 1100
    assert [taken.warnings[0], taken.warnings[-1]] == [
        *("lu: warning: 1", "… and 81 more like these"),
    ]
    assert len(taken.warnings) == 21


def test_the_last_output_of_a_failing_process_is_kept(tmp_path: Path) -> None:
    taken = take(tmp_path, "seq 100 >&2; kill -SEGV $$")
    assert taken.problem is not None
    assert taken.problem.startswith("killed by SIGSEGV: 100 (")
    assert taken.detail is not None
    assert taken.detail.splitlines() == [str(number) for number in range(81, 101)]
