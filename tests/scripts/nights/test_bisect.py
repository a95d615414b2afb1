# SPDX-License-Identifier: BSD-3-Clause
"""`pollux bisect` finds the commit, in repositories whose truth is known."""

import errno
import json
import os
import re
import select
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from bisections import SYMPTOM, Scripted, bisect, bisect_with, plan_of, refusal, session
from micro_campaigns import configuration, write_micro_campaign
from planted_commits import BROKEN, commit_files, make_repository
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.core.errors import BadUsageError, InterruptedByUserError, MachineError
from pollux.core.executables.process import Running, run_process
from pollux.core.models import keep
from pollux.nights.bisecting import changes, deciding
from pollux.nights.bisecting import session as sessions
from pollux.nights.bisecting.alone import alone
from pollux.nights.bisecting.building import Library, NotBuiltError
from pollux.nights.bisecting.changes import WHOLE, Changed, cost_lines, what_changed
from pollux.nights.bisecting.measuring import CANDIDATE, GOOD, Effort
from pollux.nights.bisecting.state import NAME, Answer
from pollux.nights.commands.bisect import search
from project import ROOT
from synthetic import write_campaign

BUILT = ROOT / "build/libgomp/bin/cholesky"


@pytest.mark.parametrize("first", [1, 17, 32])
def test_the_first_bad_commit_is_found_by_halving(
    long: tuple[Path, list[str]], tmp_path: Path, first: int
) -> None:
    repository, commits = long
    place = {commit: at for at, commit in enumerate(commits)}
    plan = plan_of(repository, commits[0], commits[-1])
    made = session(tmp_path / "s", plan, lambda c: Answer.BAD if place[c] >= first else Answer.GOOD)
    found = made.run()
    assert found is not None and [c.id for c in found.commits] == [commits[first]]
    assert found.commits[0].subject == f"commit {first}"
    assert len(made.asked) <= 5


def test_commits_that_are_skipped_leave_those_that_cannot_be_told_apart(
    long: tuple[Path, list[str]], tmp_path: Path
) -> None:
    repository, commits = long
    answers = dict.fromkeys(commits[:10], Answer.GOOD) | dict.fromkeys(commits[10:], Answer.BAD)
    answers |= dict.fromkeys(commits[8:10], Answer.SKIP)
    made = session(
        tmp_path / "s", plan_of(repository, commits[0], commits[-1]), answers.__getitem__
    )
    found = made.run()
    assert found is not None
    assert {c.id for c in found.commits} == {*commits[8:11]}


@pytest.mark.parametrize("first", [4, 11, 22, 29])
def test_after_a_skipped_commit_one_beside_it_is_tried(
    long: tuple[Path, list[str]], tmp_path: Path, first: int
) -> None:
    repository, commits = long
    tried: list[int] = []

    def truth(commit: str) -> Answer:
        tried.append(commits.index(commit))
        if len(tried) == 1:
            return Answer.SKIP
        return Answer.BAD if tried[-1] >= first else Answer.GOOD

    made = session(tmp_path / "s", plan_of(repository, commits[0], commits[-1]), truth)
    found = made.run()
    assert found is not None and [c.id for c in found.commits] == [commits[first]]
    assert abs(tried[1] - tried[0]) == 1
    assert len(tried) <= 5 + 2  # itself, and one more since the halves beside it are less even


def test_what_is_known_is_not_tried_again(long: tuple[Path, list[str]], tmp_path: Path) -> None:
    repository, commits = long
    plan = plan_of(repository, commits[0], commits[-1])
    place = {commit: at for at, commit in enumerate(commits)}

    def truth(commit: str) -> Answer:
        return Answer.BAD if place[commit] >= 20 else Answer.GOOD

    def killed(commit: str) -> Answer:
        if len(first.asked) == 3:
            raise KeyboardInterrupt
        return truth(commit)

    first = session(tmp_path / "s", plan, killed)
    with pytest.raises(KeyboardInterrupt):
        first.run()
    second = session(tmp_path / "s", plan, truth)
    found = second.run()
    assert found is not None and found.commits[0].id == commits[20]
    assert not {*first.asked[:2]} & {*second.asked}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"--good": "nothing"}, "--good nothing: no commit"),
        ({"--good": "-x"}, "--good -x: no commit"),
        ({"--bad": "HEAD~32"}, "are the same commit"),
        ({"--bad": "HEAD~3", "--good": "HEAD"}, "comes after --bad"),
        ({"--repository": "/nowhere"}, "no such folder"),
        ({"--library": "/lib.so"}, "a path in the repository"),
        ({"--library": "../lib.so"}, "a path in the repository"),
    ],
)
def test_wrong_use_is_refused_in_a_line(
    long: tuple[Path, list[str]], tmp_path: Path, changed: dict[str, str], words: str
) -> None:
    status, message = refusal(bisect_with(long[0], tmp_path / "s", changed))
    assert status == 2 and words in message


def test_a_state_folder_that_cannot_be_made_is_said_with_the_remedy(
    long: tuple[Path, list[str]], tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    status, message = refusal(bisect_with(long[0], tmp_path / "file/s", {}))
    assert status == 3 and message.endswith("(Not a directory); --state names another folder")


def test_a_package_that_the_end_needs_is_missed_at_the_beginning(
    long: tuple[Path, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pollux.core.extras.find_spec", lambda _: None)
    status, message = refusal(bisect_with(long[0], tmp_path / "s", {}))
    assert status == 3 and message.endswith("'pollux[insight]'; --explain 0s leaves it out")
    assert not (tmp_path / "s").exists()


def test_a_build_that_has_outlived_its_bisection_keeps_others_away(
    long: tuple[Path, list[str]], tmp_path: Path, depend_root: Path
) -> None:
    os.mkfifo(tmp_path / "begun")
    child = os.fork()
    if child == 0:
        build = f"echo > {tmp_path}/begun; exec tail -f /dev/null"
        with suppress(BaseException):
            bisect_with(long[0], tmp_path / "s", {"--build": build}, depend_root)
        os.open(tmp_path / "begun", os.O_WRONLY)  # nobody waits for what did not begin
        os._exit(1)
    (tmp_path / "begun").read_text()
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    status, message = refusal(bisect_with(long[0], tmp_path / "s", {}))
    found = re.fullmatch(
        r"process (\d+) \((?:tail|/bin/sh) .*\) still works .*kill (.*)\).*", message
    )
    assert status == 3 and found is not None and found[2] == f"-- -{found[1]}", message
    ended = os.pidfd_open(int(found[1]))
    os.killpg(int(found[1]), signal.SIGKILL)
    select.select([ended], [], [])
    os.close(ended)
    with alone(tmp_path / "s"):
        pass


def test_what_a_build_leaves_behind_keeps_nobody_away(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "begun")
    text = "setsid sh -c 'echo $$ > begun; exec tail -f /dev/null' & cat begun"
    with alone(tmp_path) as lock:
        daemon = int(
            run_process(["sh", "-c", text], {}, 60.0, folder=tmp_path, descriptors=[lock]).stdout
        )
    with alone(tmp_path):
        os.kill(daemon, signal.SIGKILL)


@pytest.mark.usefixtures("_signals_interrupt")
def test_a_signal_ends_the_command(
    long: tuple[Path, list[str]], tmp_path: Path, depend_root: Path
) -> None:
    killing = {"--build": "kill $PPID; exit 7"}
    result = bisect_with(long[0], tmp_path / "s", killing, depend_root)
    status, message = refusal(result)
    assert status == 130 and "run the same command again to resume" in message


@pytest.mark.usefixtures("_signals_interrupt")
def test_a_signal_while_a_build_starts_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Running] = []

    class Interrupted(Running):
        def __init__(self, *given: Any, **options: Any) -> None:  # noqa: ANN401
            super().__init__(*given, **options)
            begun.append(self)
            os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr("pollux.core.executables.process.Running", Interrupted)
    with pytest.raises(InterruptedByUserError), alone(tmp_path):
        run_process(["tail", "-f", "/dev/null"], {}, 60.0)
    ended = begun[0].process.returncode
    begun[0].kill()
    assert ended == -signal.SIGKILL


def test_a_state_of_another_bisection_is_refused(
    long: tuple[Path, list[str]], tmp_path: Path
) -> None:
    plan = plan_of(long[0], long[1][0], long[1][-1])
    keep(tmp_path / NAME, session(tmp_path, plan, lambda _: Answer.BAD).state)
    other = plan.model_copy(update={"size": 128})
    with pytest.raises(Exception, match="holds another bisection"):
        session(tmp_path, other, lambda _: Answer.BAD)


@pytest.mark.parametrize(("then", "said"), [(0.1, 1), (0.03, 0), (None, 0)])
def test_another_relevant_difference_is_said_to_come_too_late(
    long: tuple[Path, list[str]], tmp_path: Path, then: float | None, said: int
) -> None:
    plan = plan_of(long[0], long[1][0], long[1][-1])
    made = session(tmp_path / "s", plan, lambda _: Answer.BAD)
    known = {"symptom": SYMPTOM.model_copy(update={"relevant": then})}
    made.state = made.state.model_copy(update=known)
    lines: list[str] = []
    made.say = lines.append
    made.run()
    found = [line for line in lines if line.startswith("--relevant 3% has no effect")]
    assert len(found) == said and all("slower with --relevant 10%" in line for line in found)


def test_the_relevant_difference_is_kept_with_the_symptom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_campaign(tmp_path / "c.jsonl", {GOOD: 1.0, CANDIDATE: 0.9}, noise=0.005)
    monkeypatch.setattr(sessions, "measure", lambda *_: compare(load([tmp_path / "c.jsonl"])))
    made = session(tmp_path / "s", plan_of(tmp_path, "a", "b"), lambda _: Answer.BAD)
    assert made.show_symptom(Library(Path("good"), "good"))
    assert made.state.symptom is not None and made.state.symptom.relevant == 0.03


@pytest.mark.parametrize(
    "error", [None, NotBuiltError("it does not build"), MachineError("disk full")]
)
def test_what_has_changed_is_shown_since_the_parent_if_that_builds(
    long: tuple[Path, list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception | None,
) -> None:
    repository, commits = long

    class Built(Scripted):
        def library(self, commit: str) -> Library:
            if commit == commits[19] and error is not None:
                raise error
            return Library(Path(commit), commit)

    monkeypatch.setattr(sessions, "what_changed", lambda *_: Changed([], []))
    plan = plan_of(repository, commits[0], commits[-1])
    made = session(tmp_path / "s", plan, lambda _: Answer.BAD, Built)
    found = made.changed(made.repository.describe(commits[20]), "1s")
    assert found is not None and found[0].id == commits[0 if error else 19]


def test_a_parent_that_is_known_not_to_build_is_not_built_again(
    long: tuple[Path, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository, commits = long
    built: list[str] = []

    class Built(Scripted):
        def library(self, commit: str) -> Library:
            built.append(commit)
            return Library(Path(commit), commit)

    monkeypatch.setattr(sessions, "what_changed", lambda *_: Changed([], []))
    plan = plan_of(repository, commits[0], commits[-1])
    made = session(tmp_path / "s", plan, lambda _: Answer.SKIP, Built)
    made.try_commit(commits[19], Library(Path("good"), "good"))
    found = made.changed(made.repository.describe(commits[20]), "1s")
    assert found is not None and found[0].id == commits[0]
    assert built == [commits[20], commits[0]]


@pytest.mark.parametrize(
    "error", [MachineError("disk full"), BadUsageError("disk full"), NotBuiltError("disk full")]
)
def test_changes_that_cannot_be_had_leave_the_status(
    long: tuple[Path, list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: Exception,
) -> None:
    repository, commits = long
    plan = plan_of(repository, commits[0], commits[-1])
    made = session(tmp_path / "s", plan, lambda _: Answer.BAD)
    monkeypatch.setattr(made, "library", raising(error))
    assert search(made, tmp_path / "s", "1s") == 0
    assert capsys.readouterr().out.endswith("\nwhat has changed is not known: disk full\n")


def test_what_has_changed_is_said_of_each_term(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    same = [(configuration(side, "chain"), 400.0) for side in (GOOD, CANDIDATE)]
    slower = [(configuration(GOOD, "fan-in"), 400.0), (configuration(CANDIDATE, "fan-in"), 480.0)]
    write_micro_campaign(path, [*same, *slower])
    lines = list(cost_lines(compare(load([path]), relevant=0.05)))
    assert [line.partition(":")[0] for line in lines] == [WHOLE, "creation", "release"]
    for line in lines[:2]:
        assert re.search(r": slower by 1[5-8]\S* % \(fan-in 256 tasks 2 threads\); ", line), line
        assert line.endswith("; no difference in 1 of 2")
    assert lines[2] == "release: no difference in 1 of 1"


def test_a_split_that_cannot_be_had_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "c.jsonl"
    write_micro_campaign(path, [(configuration(s, "chain"), 400.0) for s in (GOOD, CANDIDATE)])
    monkeypatch.setattr(changes, "measure_costs", lambda *_: compare(load([path])))
    plan = plan_of(tmp_path, "a", "b").model_copy(update={"preload": True})
    asked: list[Any] = []

    def refuse(work: dict[str, Any], sides: dict[str, Any], *_: Path) -> list[str]:
        asked.append((work, sides))
        raise MachineError("no build has a runtime with OMPT")

    libraries = Library(tmp_path / "good.so", "1"), Library(tmp_path / "bad.so", "2")
    arguments = tmp_path, plan, libraries, SYMPTOM, Effort(0.05, "10s", tmp_path)
    for given, why in ((refuse, "OMPT"), (None, "the part 'insight'")):
        monkeypatch.setattr(changes, "service", lambda _, given=given: given)
        found = what_changed(*arguments)
        assert found.costs and why in str(found.unsplit)
    ((work, sides),) = asked
    assert work["benchmark"] == "cholesky" and work["seconds"] == pytest.approx(4.0)
    assert [own["LD_PRELOAD"] for own in sides.values()] == [str(one.path) for one in libraries]


def test_costs_that_cannot_be_had_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, libraries = plan_of(tmp_path, "a", "b"), (Library(tmp_path, "1"), Library(tmp_path, "2"))
    effort = Effort(0.05, "10s", tmp_path)
    for error in (MachineError("no memory"), BadUsageError("no memory")):
        monkeypatch.setattr(changes, "measure", raising(error))
        found = what_changed(tmp_path, plan, libraries, SYMPTOM, effort)
        assert (found.costs, found.unsplit) == ([], "no memory")
    monkeypatch.undo()
    (tmp_path / "file").touch()
    found = what_changed(tmp_path / "file", plan, libraries, SYMPTOM, effort)
    assert "cannot make" in str(found.unsplit)


def test_a_campaign_that_cannot_be_written_is_said_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    monkeypatch.setattr(deciding, "replace_file", raising(full))
    with pytest.raises(MachineError, match=r"cannot write \S+/t\.toml \(No space left on device\)"):
        deciding.decide(tmp_path / "t", "", tmp_path)


def raising(error: Exception) -> Callable[..., None]:
    def refuse(*_: object) -> None:
        raise error

    return refuse


@pytest.mark.slow
@pytest.mark.skipif(not BUILT.is_file(), reason="needs libgomp's build")
def test_a_commit_that_slows_tasks_is_found_among_others_that_do_not_build_or_are_wrong(
    tmp_path: Path,
) -> None:
    fast, slow = commit_files(0), commit_files(3)
    wrong = commit_files(0, "wrong")
    note = {"note": "of no effect"}
    files = [fast, wrong, BROKEN, {**fast, **note}, slow, {"note": "of none either"}]
    commits = make_repository(tmp_path / "repository", files)
    arguments = ["--good", commits[0], "--bad", commits[-1], "--preload", "--preset", "libgomp"]
    arguments += ["--repository", str(tmp_path / "repository"), "--build", "sh build.sh"]
    arguments += ["--library", "double.so", "--benchmark", "cholesky", "--size", "256"]
    arguments += ["--tile", "64", "--threads", "1", "--state", str(tmp_path / "state")]
    result = bisect(*arguments, "--relevant", "10%", "--budget", "20s", "--explain", "10s")
    assert result.exception is None, result.exception
    assert result.return_value == 0, result.stdout
    last = next(line for line in result.stdout.splitlines() if line.startswith("first bad commit"))
    assert f"{commits[4][:12]} (commit 4)" in last
    kept = json.loads((tmp_path / "state/bisection.json").read_text())
    reasons = {commits.index(commit): own["reason"] for commit, own in kept["commits"].items()}
    assert "good one, byte for byte" in reasons[3]
    after = result.stdout.partition(last)[2]
    assert f"since {commits[3][:12]} (commit 3), in what a task costs" in after
    assert f"  {WHOLE}: " in after and "threads' time" in after
    again = bisect(*arguments, "--relevant", "10%", "--budget", "20s", "--explain", "0s")
    assert "since" not in again.stdout
    assert "0 builds" in again.stdout
