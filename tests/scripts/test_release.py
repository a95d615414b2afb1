# SPDX-License-Identifier: BSD-3-Clause
"""scripts/release on a repository made of this project's files."""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from planted_commits import git
from project import ROOT, write_script


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One commit of all that is tracked here, as it is now."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no repository")
    folder = tmp_path_factory.mktemp("repository")
    listed = git(ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "all")
    (folder / ".venv").symlink_to(ROOT / ".venv")
    (folder / ".git/info/exclude").write_text(".venv\n")
    return folder


@pytest.fixture(scope="module")
def clone(original: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clone") / "copy"
    git(original, "clone", "-q", str(original), str(folder))
    shutil.copy(original / ".git/info/exclude", folder / ".git/info/exclude")
    return folder


@pytest.fixture
def repository(clone: Path) -> Path:
    """The clone without what tests before have changed."""
    git(clone, "reset", "-q", "--hard", "origin/main")
    git(clone, "clean", "-fdqx")
    (clone / ".venv").symlink_to(ROOT / ".venv")
    return clone


def release(repository: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [repository / "scripts/release", *options],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TZ": "UTC", "LC_ALL": "C.UTF-8"},
    )


@pytest.fixture(scope="module")
def released(original: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release") / "a"
    made = release(original, "--output", str(folder))
    assert made.returncode == 0, made.stderr
    return folder


@pytest.mark.slow
def test_a_release_has_its_commit_and_checksums(original: Path, released: Path) -> None:
    (archive,) = released.glob("pollux-*.tar.gz")
    (wheel,) = released.glob("pollux-*.whl")
    sums = dict(line.split()[::-1] for line in (released / "SHA256SUMS").read_text().splitlines())
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (archive, wheel)}
    assert sums == found
    commit = git(original, "rev-parse", "HEAD") + "\n"
    name = archive.name.removesuffix(".tar.gz")
    with tarfile.open(archive) as opened:
        written = opened.extractfile(f"{name}/cmake/commit.txt")
        assert written is not None and written.read().decode() == commit
    assert zipfile.ZipFile(wheel).read("pollux/data/commit.txt").decode() == commit


@pytest.mark.slow
def test_the_same_commit_gives_the_same_archive(
    released: Path, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for i, setting in enumerate(("tar.umask=0077", "core.autocrlf=true")):
        for part, text in zip(("KEY", "VALUE"), setting.split("="), strict=True):
            monkeypatch.setenv(f"GIT_CONFIG_{part}_{i}", text)
    monkeypatch.setenv("GIT_CONFIG_COUNT", "2")
    assert release(repository, "--output", str(tmp_path / "b")).returncode == 0
    assert (tmp_path / "b/SHA256SUMS").read_text() == (released / "SHA256SUMS").read_text()


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("new", "", "there are changes that are not committed; git status shows them"),
        (
            "CHANGELOG.md",
            "## 99.0\n",
            "CHANGELOG.md begins with version '99.0', and CMakeLists.txt has ",
        ),
    ],
)
def test_what_is_not_ready_is_refused(
    repository: Path, tmp_path: Path, file: str, text: str, message: str
) -> None:
    (repository / file).write_text(text)
    if file != "new":
        git(repository, "commit", "-qam", "change")
    refused = release(repository, "--output", str(tmp_path / "out"))
    assert refused.returncode == 2
    (line,) = refused.stderr.splitlines()
    assert line.startswith(f"scripts/release: {message}")
    assert not (tmp_path / "out").exists()


def test_what_an_interrupted_set_up_has_left_is_set_up_again(repository: Path) -> None:
    (repository / ".venv").unlink()
    write_script(repository / ".venv/bin/python", "exit 1")
    write_script(repository / "scripts/setup", "echo set up; exit 3")
    done = release(repository)
    assert (done.returncode, done.stdout) == (3, "set up\n")


def test_unknown_arguments_are_refused(original: Path) -> None:
    refused = release(original, "--chek")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == (
        "scripts/release: unknown argument '--chek'; the options are --output and --check\n"
    )


@pytest.mark.slow
def test_what_is_checked_is_built_by_the_first_program_of_a_name_and_not_git(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BASH_FUNC_git%%", '() { command git "$@"; }')
    (repository / ".venv").unlink()
    write_script(repository / ".venv/bin/python", f'exec "{sys.executable}" "$@"')
    write_script(
        repository / ".venv/bin/cmake",
        "echo the first cmake; env git --version 2>/dev/null; exit 1",
    )
    (repository / ".venv/complete").touch()
    write_script(tmp_path / "last/cmake", "echo the last cmake; exit 1")
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{tmp_path}/last")
    done = release(repository, "--check", "--output", str(tmp_path / "out"))
    assert done.returncode == 1
    assert done.stderr == (
        "the first cmake\nscripts/release: the archive does not build; see above\n"
    )
