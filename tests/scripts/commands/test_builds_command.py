# SPDX-License-Identifier: BSD-3-Clause
"""`pollux builds`: what is found where, and why a build is not used."""

import json
import re
import shutil
from pathlib import Path

import pytest
from forked import completed
from project import write_script

pytestmark = pytest.mark.usefixtures("depend_root")


@pytest.fixture
def places(build_root: Path, tmp_path: Path) -> str:
    """Two folders of builds, which share a label."""
    shutil.copytree(build_root, tmp_path / "second")
    (tmp_path / "second" / "libomp").rename(tmp_path / "second" / "bolt")
    return f"{build_root}:{tmp_path / 'second'}"


def test_each_build_is_listed_with_why_it_is_not_used(
    places: str, build_root: Path, tmp_path: Path
) -> None:
    for program in (tmp_path / "second/bolt/bin").iterdir():
        if program.suffix != ".json":
            write_script(program, "echo 'no library libbolt.so' >&2; exit 127")
    done = completed("builds", folder=tmp_path, POLLUX_BUILDS=places)
    assert (done.returncode, done.stderr) == (0, "")
    second = tmp_path / "second"
    assert f"libgomp in {second}: not used: {build_root}/libgomp comes first\n" in done.stdout
    assert f"bolt in {second}: cholesky does not run: no library libbolt.so\n" in done.stdout
    assert f"  {build_root} (POLLUX_BUILDS): 2 builds\n" in done.stdout
    assert "libgomp 12" in done.stdout


def test_a_build_that_other_commands_refuse_is_listed_with_what_they_say(
    build_root: Path, tmp_path: Path
) -> None:
    for program in (build_root / "libomp/bin").iterdir():
        if program.suffix != ".json":
            write_script(program, "case $* in *--list*) echo '{}' ;; esac")
    done = completed("builds", "--build-root", str(build_root), folder=tmp_path)
    assert done.returncode == 0
    said = r"libomp in .*: refused: .*/bin/\w+ --list does not describe a benchmark as this pollux"
    assert len(re.findall(rf"^{said} expects; build it again: ", done.stdout, re.MULTILINE)) == 1
    assert "libgomp in" not in done.stdout


def test_programs_can_read_it(places: str, tmp_path: Path) -> None:
    done = completed("builds", "--format", "json", folder=tmp_path, POLLUX_BUILDS=places)
    found = json.loads(done.stdout)
    first = places.split(":", maxsplit=1)[0]
    assert found["places"][0] == {"path": first, "from": "POLLUX_BUILDS", "problem": None}
    used = {row["label"]: row["place"] for row in found["builds"] if row["used"]}
    assert used["libgomp"] == used["libomp"] == first


def test_a_place_that_other_commands_refuse_is_not_passed_over(
    build_root: Path, tmp_path: Path
) -> None:
    found = {"POLLUX_BUILDS": f"{tmp_path / 'typo'}:{build_root}"}
    done = completed("builds", folder=tmp_path, **found)
    assert done.returncode == 2
    assert f"{tmp_path / 'typo'} (POLLUX_BUILDS): no such folder\n" in done.stdout
    assert f"{build_root}/libgomp" in done.stdout


def test_without_a_build_the_status_says_so(tmp_path: Path) -> None:
    done = completed("builds", "--build-root", str(tmp_path), folder=tmp_path)
    assert done.returncode == 3
    assert done.stdout.endswith("no build can be used: scripts/build makes builds\n")
    assert f"{tmp_path} (given by --build-root): has no builds" in done.stdout


def test_a_build_for_debugging_is_used_where_it_is_named(build_root: Path, tmp_path: Path) -> None:
    (build_root / "libgomp/CMakeCache.txt").write_text("CMAKE_BUILD_TYPE:STRING=Debug\n")
    done = completed("builds", "--build-root", str(build_root), folder=tmp_path)
    assert f"libgomp in {build_root}: Debug: used only where it is named\n" in done.stdout


def test_a_campaign_uses_what_the_variable_names(build_root: Path, tmp_path: Path) -> None:
    file = tmp_path / "trial.toml"
    file.write_text('name = "t"\n[grid]\nbenchmark = "lu"\nsize = 64\nruntime = "libomp"\n')
    found = {"POLLUX_BUILDS": str(build_root)}
    done = completed("run", str(file), "--dry-run", folder=tmp_path, **found)
    assert done.returncode == 0, done.stderr
    wrong = completed("run", str(file), "--dry-run", folder=tmp_path, POLLUX_BUILDS="/none")
    assert wrong.returncode == 2
    assert wrong.stderr == "pollux: POLLUX_BUILDS: /none: no such folder\n"
