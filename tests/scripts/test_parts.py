# SPDX-License-Identifier: BSD-3-Clause
"""Without one of its add-ons, and without any, Pollux does all that needs none of them."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pollux.core.cli import PARTS
from pollux.core.parts import ADD_ONS, parts
from project import ROOT
from synthetic import write_campaign

START = "import sys; from pollux.core.start import main; sys.argv[0] = 'pollux'; main()"
HELP = """\
import sys
from pollux.core.start import main
for name in sys.argv[1:]:
    sys.argv = ["pollux", name, "--help"]
    try:
        main()
    except SystemExit as end:
        if end.code:
            raise
"""
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


@pytest.fixture(params=WITHOUT, ids=" ".join)
def without(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, tuple[str, ...]]:
    """A copy of the package that lacks some add-ons."""
    missing: tuple[str, ...] = request.param
    package = tmp_path / "scripts" / "pollux"
    shutil.copytree(ROOT / "scripts" / "pollux", package)  # with what was compiled
    runtimes = tmp_path / "common" / "identity"
    runtimes.mkdir(parents=True)
    shutil.copy2(ROOT / "common/identity/runtimes.json", runtimes)
    for name in missing:
        shutil.rmtree(package / name)
    return package.parent, missing


def pollux(
    scripts: Path, *arguments: object, code: str = START
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env={"PYTHONPATH": str(scripts), "PATH": "/usr/bin:/bin", "HOME": str(scripts)},
        cwd=scripts,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_others_work(without: tuple[Path, tuple[str, ...]], tmp_path: Path) -> None:
    scripts, missing = without
    path = tmp_path / "a.jsonl"
    write_campaign(path, {"libgomp": 1.0, "libomp": 1.2})
    compared = pollux(scripts, "compare", path)
    assert compared.returncode == 0, compared.stderr
    assert "libomp is faster than libgomp" in compared.stdout
    there = pollux(scripts, "--help").stdout
    lost = {*missing} | ({"insight"} if "output" in missing else set())
    for name, part in parts().items():
        assert (part.title in there) == (name not in lost)
    left = [c.__name__ for name, p in parts().items() if name not in lost for c in p.commands]
    helped = pollux(scripts, *left, code=HELP)
    assert (helped.returncode, helped.stdout.count("Usage: pollux ")) == (0, len(left))
    if "output" not in missing:
        assert pollux(scripts, "report", path, "--output", tmp_path / "r.html").returncode == 0
        assert pollux(scripts, "plot", path, "--output", tmp_path / "plots").returncode == 0
    if "machine" not in missing:
        assert pollux(scripts, "doctor").returncode in (0, 1)


@built
def test_campaigns_run(without: tuple[Path, tuple[str, ...]], tmp_path: Path) -> None:
    scripts, _ = without
    file = tmp_path / "small.toml"
    file.write_text(CAMPAIGN)
    options = ("--build-root", ROOT / "build", "--output", tmp_path / "s.jsonl")
    ended = pollux(scripts, "run", file, *options)
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize("without", [("energy",)], indirect=True)
def test_what_needs_a_missing_part_is_refused_in_one_line(
    without: tuple[Path, tuple[str, ...]], tmp_path: Path
) -> None:
    path = tmp_path / "a.jsonl"
    write_campaign(path, {"libgomp": 1.0, "libomp": 1.2})
    refused = pollux(without[0], "compare", path, "--metric", "energy")
    assert refused.returncode == 3
    (line,) = refused.stderr.splitlines()
    assert "--metric energy" in line and "part 'energy' of pollux, which is not installed" in line


def test_all_parts_are_in_the_help_here() -> None:
    assert {*parts()} == {*ADD_ONS}
    assert len(PARTS) == 1 + len(ADD_ONS)
