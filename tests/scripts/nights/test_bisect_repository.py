# SPDX-License-Identifier: BSD-3-Clause
"""What `pollux bisect` leaves alone of the user's git, and what it copes with."""

import os
import shutil
from pathlib import Path

import pytest
from bisections import Scripted, bisect_with, plan_of, refusal, session
from planted_commits import git, make_repository
from pollux.core.errors import BadUsageError, MachineError
from pollux.core.executables.process import Ended
from pollux.nights.bisecting.building import Library
from pollux.nights.bisecting.repository import Repository
from pollux.nights.bisecting.state import Answer, Measured


def test_the_users_repository_is_not_touched(long: tuple[Path, list[str]], tmp_path: Path) -> None:
    repository, commits = long
    git(repository, "checkout", "--quiet", commits[5])
    (repository / "number").write_text("changed by the user")
    before = git(repository, "status", "--porcelain"), git(repository, "for-each-ref")
    plan = plan_of(repository, commits[0], commits[-1])
    assert session(tmp_path / "s", plan, lambda _: Answer.BAD).run() is not None
    assert (git(repository, "status", "--porcelain"), git(repository, "for-each-ref")) == before
    assert git(repository, "rev-parse", "HEAD") == commits[5]
    git(repository, "checkout", "--quiet", "--force", commits[-1])


def test_a_repository_that_the_environment_names_is_not_used(
    long: tuple[Path, list[str]],
    tmp_path: Path,
    depend_root: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"
    for name in names:
        monkeypatch.setenv(name, str(tmp_path / "another"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "0")  # of a user who configures git so
    build = f'exit $(env | grep -c -E "^({"|".join(names)}|GIT_CONFIG_COUNT)=")'
    status, message = refusal(bisect_with(long[0], tmp_path / "s", {"--build": build}, depend_root))
    assert status == 2 and "does not build: exit status 1;" in message


def test_what_a_killed_git_has_left_is_in_nobodys_way(
    long: tuple[Path, list[str]], tmp_path: Path
) -> None:
    repository = Repository(long[0], tmp_path / "tree")
    (tmp_path / "tree.new" / ".git").mkdir(parents=True)
    repository.prepare()
    own = tmp_path / "tree" / ".git"
    left = [own / f"{name}.lock" for name in ("index", "HEAD", "packed-refs", "refs/bisect/bad")]
    for lock in (*left, own / "objects" / "any.lock"):
        lock.parent.mkdir(exist_ok=True)
        lock.touch()
    repository.prepare()
    assert repository.start(long[1][0], long[1][6]) == long[1][3]
    assert [*own.rglob("*.lock")] == [own / "objects" / "any.lock"]  # that may be anybody's


def test_builds_may_write_files_that_git_knows_in_this_commit_or_another(tmp_path: Path) -> None:
    files = [{"number": str(n), **({"later": ""} if n > 3 else {})} for n in range(9)]
    commits = make_repository(tmp_path / "repository", files)

    class Built(Scripted):
        def measured(self, commit: str, good: Library) -> Measured:
            self.repository.check_out(commit)
            assert (self.repository.tree / "number").read_text() == str(commits.index(commit))
            for name in ("number", "later"):
                (self.repository.tree / name).write_text("built")
            return super().measured(commit, good)

    def truth(commit: str) -> Answer:
        return Answer.BAD if commits.index(commit) >= 3 else Answer.GOOD

    plan = plan_of(tmp_path / "repository", commits[0], commits[-1])
    found = session(tmp_path / "s", plan, truth, Built).run()
    assert found is not None and [c.id for c in found.commits] == [commits[3]]


def rewording_git(folder: Path, rule: str) -> None:
    """A git whose words a rule of sed has changed."""
    folder.mkdir()
    git = folder / "git"
    git.write_text(
        f'#!/usr/bin/env bash\nset -o pipefail\n{shutil.which("git")} "$@" | sed "{rule}"\n'
    )
    git.chmod(0o755)


def test_a_git_that_quotes_the_word_for_bad_is_understood(
    long: tuple[Path, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rewording_git(tmp_path / "bin", "s/first bad commit/first 'bad' commit/")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    plan = plan_of(long[0], long[1][0], long[1][3])
    found = session(tmp_path / "s", plan, lambda _: Answer.BAD).run()
    assert found is not None and [c.id for c in found.commits] == [long[1][1]]


def test_a_git_that_is_not_understood_ends_the_search(
    long: tuple[Path, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rewording_git(tmp_path / "bin", "s/is the first bad commit/it was/")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    plan, first = plan_of(long[0], long[1][0], long[1][3]), long[1][1]
    with pytest.raises(MachineError, match=f"asks for {first[:12]} again: {first} it was"):
        session(tmp_path / "s", plan, lambda _: Answer.BAD).run()


def test_why_git_refuses_a_repository_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = Repository(tmp_path, tmp_path)
    with pytest.raises(BadUsageError, match=f"{tmp_path}: git refuses it: .*not a git repository"):
        repository.commit("HEAD", "--good")
    git(tmp_path, "init", "--quiet")
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "0")
    with pytest.raises(
        BadUsageError, match=r"git refuses it: .*dubious ownership.*safe\.directory"
    ):
        repository.commit("HEAD", "--good")


@pytest.mark.parametrize(
    ("statuses", "error", "words"),
    [
        ([None], MachineError, "^git rev-parse: not finished after 600 s$"),
        ([-9], MachineError, "^git rev-parse: killed by SIGKILL$"),
        ([0, -9], MachineError, "^git rev-parse: killed by SIGKILL$"),
        ([128], BadUsageError, "git refuses it: exit status 128$"),
        ([0, 1], BadUsageError, "^--good HEAD: no commit of "),
    ],
)
def test_a_git_that_says_nothing_has_ended_as_it_has(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    statuses: list[int | None],
    error: type[Exception],
    words: str,
) -> None:
    ends = iter([Ended(status, "", "", 600.0) for status in statuses])
    monkeypatch.setattr(Repository, "run_git", lambda *_: next(ends))
    with pytest.raises(error, match=words):
        Repository(tmp_path, tmp_path).commit("HEAD", "--good")


def test_a_good_commit_of_another_branch_needs_an_origin_that_is_good(tmp_path: Path) -> None:
    folder = tmp_path / "repository"
    commits = make_repository(folder, [{"number": str(n)} for n in range(4)])
    git(folder, "checkout", "--quiet", "-b", "release", commits[1])
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "a release")
    plan = plan_of(folder, git(folder, "rev-parse", "HEAD"), commits[3])
    found = session(
        tmp_path / "a", plan, lambda c: Answer.GOOD if c == commits[1] else Answer.BAD
    ).run()
    assert found is not None and [c.id for c in found.commits] == [commits[2]]
    with pytest.raises(BadUsageError, match=rf"^--good: {commits[1][:12]} \(commit 1\), .* is bad"):
        session(tmp_path / "b", plan, lambda _: Answer.BAD).run()


def test_signatures_that_the_user_has_git_show_are_no_subject(tmp_path: Path) -> None:
    folder = tmp_path / "repository"
    (first,) = make_repository(folder, [{"number": "0"}])
    head, _, message = git(folder, "cat-file", "commit", first).partition("\n\n")
    (tmp_path / "signed").write_text(f"{head}\ngpgsig a\n signature\n\n{message}\n")
    signed = git(folder, "hash-object", "-t", "commit", "-w", str(tmp_path / "signed"))
    git(folder, "config", "log.showSignature", "true")
    git(folder, "config", "gpg.program", "false")
    found = Repository(folder, tmp_path / "tree").describe(signed)
    assert (found.id, found.subject) == (signed, "commit 0")
