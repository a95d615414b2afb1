# SPDX-License-Identifier: BSD-3-Clause
"""How `pollux bisect` builds commits, and what it says and keeps of those that do not build."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bisections import Scripted, bisect_with, plan_of, refusal, session
from pollux.core.errors import BadUsageError
from pollux.nights.bisecting.building import LOG, Library, NotBuiltError, build
from pollux.nights.bisecting.session import Session
from pollux.nights.bisecting.state import Answer, Measured
from project import ROOT


def test_a_library_of_an_earlier_commit_is_not_taken_for_a_new_one(tmp_path: Path) -> None:
    shutil.copy(shutil.which("true") or "/bin/true", tmp_path / "lib.so")
    with pytest.raises(NotBuiltError, match=r"makes no lib\.so"):
        build(tmp_path, plan_of(tmp_path, "a", "b"), tmp_path / "kept", 10.0)


@pytest.mark.parametrize(
    ("command", "limit", "words"),
    [
        ("exit 7", 60.0, "exit status 7"),
        ("echo text > lib.so", 60.0, "no shared library"),
        ("sleep 60", 0.5, "not finished"),
    ],
)
def test_what_does_not_build_is_said_in_a_phrase(
    tmp_path: Path, command: str, limit: float, words: str
) -> None:
    plan = plan_of(tmp_path, "a", "b").model_copy(update={"build": command})
    with pytest.raises(NotBuiltError, match=words):
        build(tmp_path, plan, tmp_path / "kept", limit)


def test_a_build_may_take_as_long_as_its_limit(
    long: tuple[Path, list[str]], tmp_path: Path, depend_root: Path
) -> None:
    slow = {"--build": "exec sleep 20", "--build-limit": "0.5s"}
    status, message = refusal(bisect_with(long[0], tmp_path / "s", slow, depend_root))
    assert status == 2 and "it does not build: not finished after " in message


@pytest.mark.parametrize(
    ("command", "may_pass"),
    [
        ("exit 1", False),
        ("echo 'error: no such file' >&2; exit 1", False),
        ("echo 'ld: final link failed: No space left on device' >&2; exit 1", True),
        ("echo 'c++: fatal error: Killed signal terminated program cc1plus'; exit 1", True),
        ("exit 137", True),
        ("kill -9 $$", True),
    ],
)
def test_a_build_that_lacked_memory_or_room_may_pass_another_time(
    tmp_path: Path, command: str, may_pass: bool
) -> None:
    plan = plan_of(tmp_path, "a", "b").model_copy(update={"build": command})
    with pytest.raises(NotBuiltError) as raised:
        build(tmp_path, plan, tmp_path / "kept", 60.0)
    assert raised.value.may_pass is may_pass


def test_builds_print_errors_in_english(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_MESSAGES", "LANGUAGE"):
        monkeypatch.setenv(name, "de_DE.UTF-8")
    german = 'test "$LC_MESSAGES,$LANGUAGE" = C, && echo Killed || echo Getötet; exit 1'
    plan = plan_of(tmp_path, "a", "b").model_copy(update={"build": german})
    with pytest.raises(NotBuiltError) as raised:
        build(tmp_path, plan, tmp_path / "kept", 60.0)
    assert raised.value.may_pass


def test_a_build_that_ran_into_its_limit_may_pass_another_time(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, "a", "b").model_copy(update={"build": "exec tail -f /dev/null"})
    with pytest.raises(NotBuiltError) as raised:
        build(tmp_path, plan, tmp_path / "kept", 0.1)
    assert raised.value.may_pass


class Unbuilt(Scripted):
    """A session in which nothing can be built."""

    may_pass: bool

    def measured(self, commit: str, good: Library) -> Measured:
        return Session.measured(self, commit, good)

    def library(self, commit: str) -> Library:
        self.asked.append(commit)
        raise NotBuiltError("it does not build: not finished", may_pass=self.may_pass)


@pytest.mark.parametrize("may_pass", [True, False])
def test_what_may_be_built_another_time_is_tried_once_by_each_command(
    long: tuple[Path, list[str]], tmp_path: Path, may_pass: bool
) -> None:
    plan, commit = plan_of(long[0], long[1][0], long[1][-1]), long[1][5]
    tries: list[int] = []
    for _ in range(2):
        made = session(tmp_path / "s", plan, lambda _: Answer.SKIP, Unbuilt)
        assert isinstance(made, Unbuilt)
        made.may_pass = may_pass
        for _ in range(2):
            assert made.try_commit(commit, Library(Path("good"), "good")).answer is Answer.SKIP
        tries.append(len(made.asked))
    assert tries == [1, int(may_pass)]


class Built(Scripted):
    """A session in which all commits are built."""

    def measured(self, commit: str, good: Library) -> Measured:
        return Session.measured(self, commit, good)

    def library_of_end(self, commit: str, which: str) -> Library:
        return Session.library_of_end(self, commit, which)


DIES = '#!/bin/sh\n[ -z "$LD_PRELOAD" ] || kill -ABRT $$\n'
STARTS = "#!/bin/sh\nexit 0\n"


@pytest.mark.parametrize(("program", "words"), [(DIES, "SIGABRT"), (STARTS, "preloaded")])
def test_a_library_with_which_programs_do_not_start_is_skipped_but_refused_at_an_end(
    long: tuple[Path, list[str]], tmp_path: Path, program: str, words: str
) -> None:
    plan, commit = plan_of(long[0], long[1][0], long[1][-1]), long[1][5]
    plan = plan.model_copy(update={"preload": True})
    made = session(tmp_path / "s", plan, lambda _: Answer.BAD, Built)
    executable = tmp_path / "s/libgomp/bin/cholesky"  # session's build root is its folder
    library = made.place(commit) / plan.library
    for path, text in ((executable, program), (library, "nothing that can be loaded")):
        path.parent.mkdir(parents=True)
        path.write_text(text)
        path.chmod(0o755)
    found = made.try_commit(commit, Library(Path("good"), "good"))
    assert found.answer is Answer.SKIP and not found.is_undecided
    assert found.reason.startswith("programs do not start with it: ") and words in found.reason
    with pytest.raises(BadUsageError, match="programs do not start with it") as raised:
        made.library_of_end(commit, "bad")
    assert LOG not in raised.value.message


WITHOUT_UTF8 = r"""
from pathlib import Path
from bisections import plan_of
from pollux.nights.bisecting.building import NotBuiltError, build
command = "printf '\\303\\244 \\377'; exit 1"
plan = plan_of(Path(), "a", "b").model_copy(update={"build": command})
try:
    build(Path(), plan, Path("kept"), 60.0)
except NotBuiltError as error:
    print(error)
"""


def test_what_a_build_prints_is_kept_in_any_locale(tmp_path: Path) -> None:
    path = os.pathsep.join([str(ROOT / "scripts"), str(ROOT / "tests/scripts/helpers")])
    ran = subprocess.run(
        [sys.executable, "-X", "utf8=0", "-c", WITHOUT_UTF8],
        env={**os.environ, "PYTHONPATH": path, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "it does not build: exit status 1" in ran.stdout, ran.stderr
    assert (tmp_path / "kept" / LOG).read_text("utf-8") == "ä \N{REPLACEMENT CHARACTER}"
