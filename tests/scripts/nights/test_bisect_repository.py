# SPDX-License-Identifier: BSD-3-Clause
"""What `pollux bisect` leaves alone of the user's git, and what it copes with."""

from pathlib import Path

import pytest
from bisections import bisect_with, plan_of, refusal, session
from planted_commits import git, make_repository
from pollux.nights.bisecting.repository import Repository
from pollux.nights.bisecting.state import Answer


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
    long: tuple[Path, list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"
    for name in names:
        monkeypatch.setenv(name, str(tmp_path / "another"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "0")  # of a user who configures git so
    build = f'exit $(env | grep -c -E "^({"|".join(names)}|GIT_CONFIG_COUNT)=")'
    status, message = refusal(bisect_with(long[0], tmp_path / "s", {"--build": build}))
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
    repository.start(long[1][0], long[1][6])
    assert (tmp_path / "tree" / "number").read_text() == "3"
    assert [*own.rglob("*.lock")] == [own / "objects" / "any.lock"]  # that may be anybody's


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
