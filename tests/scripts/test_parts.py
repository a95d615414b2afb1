# SPDX-License-Identifier: BSD-3-Clause
"""Without one of its add-ons, and without any, Pollux does all that needs none of them."""

import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from answering import Answering, answering
from pollux.core.cli import PARTS
from pollux.core.parts import ADD_ONS, parts
from project import ROOT
from synthetic import write_campaign

pytestmark = pytest.mark.slow

CAMPAIGN = """\
name = "small"
summary = "a trial"
reference = "libgomp"
processes = 1
[runtimes.libgomp]
preset = "libgomp"
[grid]
benchmark = "cholesky"
variant = "depend"
size = 64
"""
built = pytest.mark.skipif(
    not (ROOT / "build/libgomp/bin/cholesky").is_file(), reason="needs libgomp's build"
)
WITHOUT = [(name,) for name in ADD_ONS] + [ADD_ONS]


@dataclass(frozen=True)
class Copy(Answering):
    """A copy of the package that lacks some add-ons."""

    missing: tuple[str, ...]


@pytest.fixture(scope="module", params=WITHOUT, ids=" ".join)
def without(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Copy]:
    folder = tmp_path_factory.mktemp("copy")
    package = folder / "scripts" / "pollux"
    shutil.copytree(ROOT / "scripts" / "pollux", package)  # with what was compiled
    runtimes = folder / "common" / "identity"
    runtimes.mkdir(parents=True)
    shutil.copy2(ROOT / "common/identity/runtimes.json", runtimes)
    for name in request.param:
        shutil.rmtree(package / name)
    environment = {
        "PYTHONPATH": str(package.parent),
        "PATH": "/usr/bin:/bin",
        "HOME": str(folder),
    }
    with answering(Path(sys.executable), folder, environment) as copy:
        yield Copy(copy.process, request.param)


def test_the_others_work(without: Copy, tmp_path: Path) -> None:
    pollux, missing = without.pollux, without.missing
    path = tmp_path / "a.jsonl"
    write_campaign(path, {"libgomp": 1.0, "libomp": 1.2})
    compared = pollux("compare", path)
    assert compared.status == 0, compared.stderr
    assert "libomp is faster than libgomp" in compared.stdout
    there = pollux("--help").stdout
    lost = {*missing} | ({"insight"} if "output" in missing else set())
    for name, part in parts().items():
        assert (part.title in there) == (name not in lost)
    left = [c.__name__ for name, p in parts().items() if name not in lost for c in p.commands]
    for name in left:
        helped = pollux(name, "--help")
        assert (helped.status, helped.stdout.count("Usage: pollux ")) == (0, 1)
    if "output" not in missing:
        assert pollux("report", path, "--output", tmp_path / "r.html").status == 0
        assert pollux("plot", path, "--output", tmp_path / "plots").status == 0
    if "machine" not in missing:
        assert pollux("doctor").status in (0, 1)


@built
@pytest.mark.parametrize("without", [ADD_ONS], ids=["all"], indirect=True)
def test_campaigns_run(without: Copy, tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(CAMPAIGN)
    options = ("--build-root", ROOT / "build", "--output", tmp_path / "s.jsonl")
    ended = without.pollux("run", file, *options)
    assert ended.status == 0, ended.stderr


@pytest.mark.parametrize("without", [("energy",)], indirect=True)
def test_what_needs_a_missing_part_is_refused_in_one_line(without: Copy, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    write_campaign(path, {"libgomp": 1.0, "libomp": 1.2})
    for options in ("--metric energy", "--metric edp --source package", "--source package"):
        refused = without.pollux("compare", path, *options.split())
        assert refused.status == 3
        given = options.replace(" --source package", " with --source").replace(" package", "")
        needs = "needs the part 'energy' of pollux, which is not installed"
        assert refused.stderr == f"pollux: {given} {needs}\n"


def test_all_parts_are_in_the_help_here() -> None:
    assert {*parts()} == {*ADD_ONS}
    assert len(PARTS) == 1 + len(ADD_ONS)
