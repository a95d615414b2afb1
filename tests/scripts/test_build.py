# SPDX-License-Identifier: BSD-3-Clause
"""scripts/build on a small project of its own, in a path with a space."""

import json
import os
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

RUNTIMES = ("libone", "libtwo")
TOOLCHAIN = """set(POLLUX_RUNTIME RUNTIME_NAME CACHE STRING "")
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
pollux_find_runtime(NAMES RUNTIME_NAME.so)
pollux_find_compiler(C RUNTIME_NAME-cc)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "a project"
    write_script(root / "scripts" / "setup", "true")
    shutil.copy(ROOT / "scripts" / "build", root / "scripts")
    (root / ".venv").mkdir()
    (root / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
    (root / "CMakeLists.txt").write_text(CMAKE)
    toolchains = root / "cmake" / "toolchains"
    toolchains.mkdir(parents=True)
    shutil.copy(ROOT / "cmake" / "toolchains" / "common.cmake", toolchains)
    for name in RUNTIMES:
        (toolchains / f"{name}.cmake").write_text(TOOLCHAIN.replace("RUNTIME_NAME", name))
    common = {"generator": "Ninja", "binaryDir": "${sourceDir}/build/${presetName}"}
    presets: list[dict[str, object]] = [
        {"name": "good", **common},
        {"name": "broken", **common, "cacheVariables": {"BROKEN": "ON"}},
    ]
    for name in RUNTIMES:
        toolchain = f"${{sourceDir}}/cmake/toolchains/{name}.cmake"
        presets.append({"name": name, **common, "toolchainFile": toolchain})
    builds = [{"name": p["name"], "configurePreset": p["name"]} for p in presets]
    (root / "CMakePresets.json").write_text(
        json.dumps({"version": 6, "configurePresets": presets, "buildPresets": builds})
    )
    return root


def build(
    project: Path, *presets: str, cwd: str | Path = "/", **variables: str
) -> subprocess.CompletedProcess[str]:
    command = [str(project / "scripts" / "build"), *presets]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("POLLUX_")} | variables
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


def install(project: Path, prefix: str, name: str) -> Path:
    """A prefix with what looks like a library of this machine, and a compiler."""
    library = project / prefix / "lib" / f"{name}.so"
    library.parent.mkdir(parents=True)
    library.write_bytes(Path(sys.executable).read_bytes()[:64])
    write_script(project / prefix / "bin" / f"{name}-cc", "true")
    return library


def cached(project: Path, preset: str, name: str) -> str:
    cache = (project / "build" / preset / "CMakeCache.txt").read_text()
    line = next(x for x in cache.splitlines() if x.startswith(f"{name}:"))
    return line.partition("=")[2]


def test_a_build_is_quiet(project: Path) -> None:
    done = build(project, "good")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (project / "build" / "good" / "build.ninja").is_file()


def test_an_unknown_preset_is_answered_with_the_known_ones(project: Path) -> None:
    done = build(project, "good", "goood")
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr
        == "scripts/build: no preset called 'goood'; there are: good, broken, libone, libtwo\n"
    )
    assert not (project / "build").exists()


def test_a_failure_shows_the_log_and_where_it_is(project: Path) -> None:
    done = build(project, "broken")
    assert done.returncode == 1
    assert "broken on purpose" in done.stderr
    assert done.stderr.endswith("the whole log is in build/broken/build.log\n")


def test_an_absent_runtime_is_one_line_and_leaves_nothing(project: Path) -> None:
    done = build(project, "libone")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        "scripts/build: libone: no libone.so found; set POLLUX_RUNTIME_ROOT to its prefix "
        "(docs/runtimes/libone.md)\n"
    )
    assert not (project / "build" / "libone").exists()


def test_all_builds_the_runtimes_found_and_names_those_left_out(project: Path) -> None:
    install(project, "runtimes/libtwo-1.0", "libtwo")
    done = build(project, "all")
    assert (done.returncode, done.stdout) == (0, "")
    line, rest = done.stderr.split("\n", 1)
    assert line.startswith("scripts/build: left out libone: no libone.so found;")
    assert rest == ""
    assert [p.name for p in (project / "build").iterdir()] == ["libtwo"]


def test_a_build_that_fails_does_not_keep_all_from_building_the_others(project: Path) -> None:
    install(project, "runtimes/libone", "libone")
    install(project, "runtimes/libtwo", "libtwo")
    file = project / "cmake" / "toolchains" / "libone.cmake"
    file.write_text(file.read_text() + "set(BROKEN ON)\n")
    done = build(project, "all")
    assert done.returncode == 1
    assert "scripts/build: building libone failed" in done.stderr
    assert (project / "build" / "libtwo" / "build.ninja").is_file()


def test_a_prefix_is_kept_until_another_one_is_given(project: Path) -> None:
    first, second = install(project, "first", "libone"), install(project, "second", "libone")
    for given, library in (("first", first), ("", first), ("./second/", second), ("", second)):
        done = build(project, "libone", cwd=project, POLLUX_RUNTIME_ROOT=given)
        assert (done.returncode, done.stderr) == (0, "")
        prefix = library.parent.parent
        assert cached(project, "libone", "POLLUX_RUNTIME_ROOT") == str(prefix)
        assert cached(project, "libone", "POLLUX_C_COMPILER") == str(prefix / "bin" / "libone-cc")


def test_a_prefix_without_the_runtime_leaves_an_earlier_build_alone(project: Path) -> None:
    prefix = install(project, "runtimes/libone", "libone").parent.parent
    assert build(project, "libone", POLLUX_RUNTIME_ROOT=str(prefix)).returncode == 0
    empty = project / "empty"
    empty.mkdir()
    assert build(project, "libone", POLLUX_RUNTIME_ROOT=str(empty)).returncode == 3
    assert cached(project, "libone", "POLLUX_RUNTIME_ROOT") == str(prefix)
    assert build(project, "libone").returncode == 0


def test_a_runtime_that_vanished_is_noticed(project: Path) -> None:
    library = install(project, "runtimes/libone", "libone")
    lists = project / "CMakeLists.txt"
    dependence = "set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${LIBRARY})\n"
    lists.write_text(CMAKE + dependence.replace("LIBRARY", "POLLUX_RUNTIME_LIBRARY"))
    assert build(project, "libone").returncode == 0
    library.unlink()
    done = build(project, "libone")
    assert done.returncode == 3
    assert done.stderr.startswith("scripts/build: libone: no libone.so found;")
    assert (project / "build" / "libone").is_dir()


@pytest.mark.parametrize("presets", [(), ("libone", "libtwo"), ("all",)])
def test_one_prefix_cannot_serve_several_runtimes(project: Path, presets: tuple[str, ...]) -> None:
    presets_file = project / "CMakePresets.json"
    presets_file.write_text(presets_file.read_text().replace("good", "libgomp"))
    presets_file.write_text(presets_file.read_text().replace("broken", "libomp"))
    done = build(project, *presets, POLLUX_RUNTIME_ROOT="/opt/one")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("scripts/build: POLLUX_RUNTIME_ROOT is the prefix of one runtime")
    assert not (project / "build").exists()
