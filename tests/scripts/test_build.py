# SPDX-License-Identifier: BSD-3-Clause
"""scripts/build on a small project of its own, in a path with a space."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, write_script

CMAKE = """cmake_minimum_required(VERSION 3.25)
project(small NONE)
if(BROKEN)
  message(FATAL_ERROR "broken on purpose")
endif()
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "a project"
    write_script(root / "scripts" / "setup", "true")
    shutil.copy(ROOT / "scripts" / "build", root / "scripts")
    (root / ".venv").mkdir()
    (root / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
    (root / "CMakeLists.txt").write_text(CMAKE)
    common = {"generator": "Ninja", "binaryDir": "${sourceDir}/build/${presetName}"}
    presets: list[dict[str, object]] = [
        {"name": "good", **common},
        {"name": "broken", **common, "cacheVariables": {"BROKEN": "ON"}},
    ]
    builds = [{"name": p["name"], "configurePreset": p["name"]} for p in presets]
    (root / "CMakePresets.json").write_text(
        json.dumps({"version": 6, "configurePresets": presets, "buildPresets": builds})
    )
    return root


def build(project: Path, *presets: str) -> subprocess.CompletedProcess[str]:
    command = [str(project / "scripts" / "build"), *presets]
    return subprocess.run(command, cwd="/", capture_output=True, text=True, check=False)


def test_a_build_is_quiet(project: Path) -> None:
    done = build(project, "good")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (project / "build" / "good" / "build.ninja").is_file()


def test_an_unknown_preset_is_answered_with_the_known_ones(project: Path) -> None:
    done = build(project, "good", "goood")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "scripts/build: no preset called 'goood'; there are: good, broken\n"
    assert not (project / "build").exists()


def test_a_failure_shows_the_log_and_where_it_is(project: Path) -> None:
    done = build(project, "broken")
    assert done.returncode == 1
    assert "broken on purpose" in done.stderr
    assert done.stderr.endswith("the whole log is in build/broken/build.log\n")
