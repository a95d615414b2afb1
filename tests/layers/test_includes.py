# SPDX-License-Identifier: BSD-3-Clause
"""Each folder uses only those before it: links of targets say which, and includes keep to them."""

import os
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from includes import Layers, Target, order_of, read_targets, row_of

ROOT = Path(__file__).resolve().parents[2]
BUILT = Path(os.environ.get("POLLUX_TEST_LAYERS", ROOT / "build/libgomp/layers.json"))
TESTS = "tests"  # may look at everything


@pytest.fixture(scope="module")
def layers() -> Layers:
    targets = read_targets(BUILT)
    return Layers({t.name: t for t in targets.values() if not t.folder.startswith(TESTS)}, ROOT)


@pytest.fixture(scope="module")
def order() -> list[str]:
    design = (ROOT / "docs/design.md").read_text()
    return order_of(design[design.index("## Layers") : design.index("## One run")])


def test_files_include_only_what_their_targets_link(layers: Layers) -> None:
    assert layers.violations() == []


def test_all_c_files_of_the_project_are_looked_at(layers: Layers) -> None:
    looked_at = set(layers.files())
    for folder in ("common", "kernels", "lu", "conformance", "benchmarks"):
        files = {str(p.relative_to(ROOT)) for p in (ROOT / folder).rglob("*.[ch]")}
        assert files
        assert files <= looked_at


def test_targets_link_only_folders_that_the_design_lists_before_theirs(
    layers: Layers, order: list[str]
) -> None:
    links = sorted(set(layers.links()))
    assert links
    for folder, linked in links:
        here, there = row_of(folder, order), row_of(linked, order)
        assert here is not None, f"docs/design.md does not list {folder}"
        assert there is not None, f"docs/design.md does not list {linked}"
        assert there <= here, f"{folder} links {linked}, which docs/design.md lists after it"


def test_no_folder_links_itself_through_others(layers: Layers) -> None:
    linked: dict[str, set[str]] = {folder: set() for folder in layers.folders}
    for folder, other in layers.links():
        linked[folder].add(other)
    TopologicalSorter(linked).prepare()  # CycleError names the cycle


def test_the_design_lists_every_folder_of_common_and_no_other(
    layers: Layers, order: list[str]
) -> None:
    listed = [name for name in order if name.startswith("common/")]
    assert sorted(listed) == sorted(f for f in layers.folders if f.startswith("common/"))


def library(folder: str, uses: tuple[str, ...] = (), shows: tuple[str, ...] = ()) -> Target:
    return Target(folder, "STATIC_LIBRARY", folder, (f"{folder}.c",), uses, shows)


def planted(root: Path, file: str, text: str) -> list[str]:
    """What is found where one file of three folders, each over the one before, has this text."""
    targets = [
        library("low"),
        library("middle", uses=("low",)),
        library("high", uses=("middle",), shows=("middle",)),
    ]
    for target in targets:
        (root / target.folder).mkdir()
        for suffix in (".c", ".h"):
            (root / target.folder / (target.folder + suffix)).write_text("")
    (root / file).write_text(text)
    return Layers({t.name: t for t in targets}, root).violations()


@pytest.mark.parametrize(
    ("file", "included"),
    [
        ("low/low.c", "middle/middle.h"),
        ("low/low.h", "high/high.h"),
        ("middle/middle.c", "high/high.h"),
        # linked by its own target, but not shown to those who include the header
        ("middle/middle.h", "low/low.h"),
        # linked privately by what it links
        ("high/high.c", "low/low.h"),
    ],
)
def test_an_include_that_no_link_allows_is_found(tmp_path: Path, file: str, included: str) -> None:
    assert planted(tmp_path, file, f'#include "{included}"\n') == [
        f"{file} includes {included}, which no link of its target allows"
    ]


@pytest.mark.parametrize(
    ("file", "included"),
    [
        ("middle/middle.c", "low/low.h"),
        ("high/high.h", "middle/middle.h"),
        ("high/high.c", "high/high.h"),
        ("high/high.c", "elsewhere.h"),
    ],
)
def test_an_include_that_a_link_allows_passes(tmp_path: Path, file: str, included: str) -> None:
    assert planted(tmp_path, file, f'#include "{included}"\n') == []
