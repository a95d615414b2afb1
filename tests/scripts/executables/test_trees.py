# SPDX-License-Identifier: BSD-3-Clause
"""Where builds are looked for: the order of places, and what a place may be."""

import json
from pathlib import Path

import pytest
from closed_folder import close
from pollux.core.errors import BadUsageError
from pollux.core.executables.builds import build_type, built_presets, executable_path
from pollux.core.executables.trees import INSTALLED, NAMES, places, tree_of, trees, trees_in
from pollux.core.paths import BUILDS
from project import ROOT


def make_tree(folder: Path, label: str | None = None) -> Path:
    """A tree with one program; with a label also with what a tree says of itself."""
    program = folder / "bin" / "lu"
    program.parent.mkdir(parents=True)
    program.touch()
    (folder / "bin" / NAMES).write_text('{"computation": ["lu"]}')
    if label is not None:
        described = {"label": label, "build_type": "Release", "version": "0.1.0"}
        (folder / "build.json").write_text(json.dumps(described))
    return folder


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing is found but what a test makes, apart from the source tree's own builds."""
    monkeypatch.delenv("POLLUX_BUILDS", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    return tmp_path


def test_a_place_is_a_prefix_or_a_folder_of_builds_or_one_build(tmp_path: Path) -> None:
    first = make_tree(tmp_path / "prefix" / INSTALLED / "one")
    second = make_tree(tmp_path / "prefix" / INSTALLED / "two")
    assert trees_in(tmp_path / "prefix") == {"one": first, "two": second}
    assert trees_in(tmp_path / "prefix" / INSTALLED) == {"one": first, "two": second}
    assert trees_in(first) == {"one": first}
    make_tree(tmp_path / "prefix" / INSTALLED / ".one.aside")  # what scripts/build sets aside
    assert trees_in(tmp_path / "prefix") == {"one": first, "two": second}
    named = make_tree(tmp_path / "anything", "three")
    assert trees_in(named) == {"three": named}


def test_the_first_place_that_has_a_label_is_used(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = make_tree(elsewhere / "a" / INSTALLED / "mine")
    make_tree(elsewhere / "b" / INSTALLED / "mine")
    other = make_tree(elsewhere / "b" / INSTALLED / "other")
    on_path = make_tree(elsewhere / "c" / INSTALLED / "path")
    make_tree(elsewhere / "c" / INSTALLED / "other")
    monkeypatch.setenv("PATH", f"{elsewhere}/c/bin")
    monkeypatch.setenv("POLLUX_BUILDS", f"{elsewhere}/a:{elsewhere}/b")
    assert [place.why for place in places()] == [
        "POLLUX_BUILDS",
        "POLLUX_BUILDS",
        "the source tree",
        "PATH",
    ]
    found = trees(BUILDS)
    assert [found[label] for label in ("mine", "other", "path")] == [ours, other, on_path]
    assert executable_path(BUILDS, "mine", "lu") == ours / "bin" / "lu"
    assert built_presets(BUILDS) == sorted(found)


def test_a_folder_that_is_given_is_searched_alone(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_tree(elsewhere / "a" / INSTALLED / "mine")
    given = make_tree(elsewhere / "given" / INSTALLED / "only")
    monkeypatch.setenv("POLLUX_BUILDS", f"{elsewhere}/a")
    assert trees(elsewhere / "given") == {"only": given}
    assert tree_of(elsewhere / "given", "only") == given
    assert tree_of(elsewhere / "given", "mine") == elsewhere / "given" / "mine"
    assert "mine" not in trees(ROOT / "build")
    assert "mine" in trees(BUILDS.resolve())


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("none", "no such folder"),
        ("file", "is a file, not a folder"),
        ("empty", "has no builds: neither a prefix with lib/pollux, nor a folder of build trees"),
        ("half", "has no builds: neither a prefix with lib/pollux, nor a folder of build trees"),
    ],
)
def test_a_place_that_is_named_and_has_no_build_is_an_error(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch, name: str, why: str
) -> None:
    (elsewhere / "file").touch()
    (elsewhere / "empty").mkdir()
    (elsewhere / "half" / "local" / "bin").mkdir(parents=True)
    monkeypatch.setenv("POLLUX_BUILDS", name)
    monkeypatch.chdir(elsewhere)
    with pytest.raises(BadUsageError) as refused:
        trees(BUILDS)
    assert str(refused.value).startswith("POLLUX_BUILDS: ")
    assert str(refused.value).endswith(f": {why}")


def test_folders_on_path_that_others_may_not_search_are_passed_over(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = make_tree(elsewhere / "c" / INSTALLED / "mine")
    make_tree(elsewhere / "closed" / INSTALLED / "other")
    close(elsewhere / "closed", monkeypatch)
    monkeypatch.setenv("PATH", f"{elsewhere}/closed/bin:{elsewhere}/c/bin")
    found = trees(BUILDS)
    assert found["mine"] == ours and "other" not in found


def test_a_place_that_is_named_and_may_not_be_read_is_an_error(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = close(elsewhere, monkeypatch) / "builds"
    monkeypatch.setenv("POLLUX_BUILDS", str(inner))
    with pytest.raises(BadUsageError, match=r"^POLLUX_BUILDS: .*: cannot be read$"):
        trees(BUILDS)
    assert trees(inner) == {}
    assert tree_of(inner, "mine") == inner / "mine"


def test_a_place_that_is_a_circle_of_links_is_no_folder(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (elsewhere / "loop").symlink_to("loop")
    monkeypatch.setenv("POLLUX_BUILDS", str(elsewhere / "loop"))
    with pytest.raises(BadUsageError, match=r"^POLLUX_BUILDS: .*: no such folder$"):
        trees(BUILDS)


def test_an_installed_tree_says_its_build_type(tmp_path: Path) -> None:
    assert build_type(make_tree(tmp_path / "a")) is None
    assert build_type(make_tree(tmp_path / "b", "b")) == "Release"
    (tmp_path / "b" / "build.json").write_text("{")
    assert build_type(tmp_path / "b") is None
