# SPDX-License-Identifier: BSD-3-Clause
"""scripts/build on a small project of its own, in a path with a space."""

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from project import ROOT, write_script

CMAKE = """cmake_minimum_required(VERSION 3.25)
project(small NONE)
if(BROKEN)
  message(FATAL_ERROR "broken on purpose")
endif()
option(POLLUX_BUILD_TESTS "Build the tests too" OFF)
function(copied name)
  add_custom_command(OUTPUT ${name} DEPENDS ${PROJECT_SOURCE_DIR}/${name}.txt
    COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/${name}.txt ${name})
  add_custom_target(make_${name} ALL DEPENDS ${name})
endfunction()
copied(program)
copied(library)
if(POLLUX_BUILD_TESTS)
  copied(test)
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
    for name in ("build", "lock.bash", "progress.bash", "usage.bash"):
        shutil.copy(ROOT / "scripts" / name, root / "scripts")
    for name in ("program", "library", "test"):
        (root / f"{name}.txt").write_text(f"first {name}\n")
    (root / ".venv").mkdir()
    (root / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
    (root / "CMakeLists.txt").write_text(CMAKE)
    (toolchains := root / "cmake" / "toolchains").mkdir(parents=True)
    shutil.copy(ROOT / "cmake" / "toolchains" / "common.cmake", toolchains)
    for name in RUNTIMES:
        (toolchains / f"{name}.cmake").write_text(TOOLCHAIN.replace("RUNTIME_NAME", name))
    common = {"generator": "Ninja", "binaryDir": "${sourceDir}/build/${presetName}"}
    presets: list[dict[str, object]] = [
        {"name": "good", **common},
        {"name": "plain", **common},
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


def start(
    project: Path, *arguments: str, cwd: str | Path = "/", **variables: str
) -> subprocess.Popen[str]:
    command = [str(project / "scripts" / "build"), *arguments]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("POLLUX_")} | variables
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=cwd, env=environment, stdout=pipe, stderr=pipe, text=True)


def build(
    project: Path, *arguments: str, cwd: str | Path = "/", **variables: str
) -> subprocess.CompletedProcess[str]:
    with start(project, *arguments, cwd=cwd, **variables) as process:
        out, err = process.communicate()
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)


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


def built(project: Path, preset: str) -> dict[str, str]:
    """The files that a build made, with what they hold."""
    files = (project / "build" / preset / name for name in ("program", "library", "test"))
    return {file.name: file.read_text() for file in files if file.is_file()}


def test_a_first_build_says_how_far_it_is_and_how_long_it_took(project: Path) -> None:
    done = build(project, "good", POLLUX_PROGRESS_SECONDS="0", NINJA_STATUS="%e s ")
    assert (done.returncode, done.stdout) == (0, "")
    *steps, last = done.stderr.splitlines()
    assert re.fullmatch(r"good: built programs in \d+ s", last)
    assert {re.sub(r", \d+ s$", "", step) for step in steps} >= {
        f"good: step {i} of 2" for i in (1, 2)
    }


@pytest.mark.slow
def test_where_several_are_built_progress_says_which_and_is_brief(project: Path) -> None:
    done = build(project, "good", "plain", POLLUX_PROGRESS_SECONDS="86400")
    assert done.returncode == 0
    assert re.sub(r"\d+ s$", "S s", done.stderr, flags=re.MULTILINE).splitlines() == [
        "good (1 of 2): step 1 of 2, S s",
        "good (1 of 2): built programs in S s",
        "plain (2 of 2): step 1 of 2, S s",
        "plain (2 of 2): built programs in S s",
    ]


def test_a_second_build_does_nothing(project: Path) -> None:
    build(project, "good")
    done = build(project, "good")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "good: programs are up to date\n"


def test_programs_are_built_without_tests(project: Path) -> None:
    assert build(project, "good").returncode == 0
    assert built(project, "good").keys() == {"program", "library"}


@pytest.mark.slow
def test_a_tree_changes_between_programs_and_tests_without_a_full_rebuild(project: Path) -> None:
    def steps(*arguments: str) -> int:
        assert build(project, *arguments, "good").returncode == 0
        log = (project / "build" / "good" / "build.log").read_text()
        return len(re.findall(r"^\[[1-9]", log, re.MULTILINE))

    assert [steps(), steps("--tests"), steps(), steps("--tests")] == [2, 1, 0, 0]
    (project / "test.txt").write_text("second test\n")
    assert [steps(), steps("--tests")] == [0, 1]
    assert built(project, "good")["test"] == "second test\n"


def test_options_may_follow_the_preset_and_unknown_ones_are_refused(project: Path) -> None:
    assert build(project, "good", "--tests").returncode == 0
    assert built(project, "good").keys() == {"program", "library", "test"}
    done = build(project, "good", "--test")
    assert (done.returncode, done.stderr) == (
        2,
        "scripts/build: unknown option '--test'; there are --tests and --help\n",
    )


@pytest.mark.slow
def test_a_copied_checkout_builds_its_own_sources(project: Path, tmp_path: Path) -> None:
    assert build(project, "good").returncode == 0
    copy = shutil.copytree(project, tmp_path / "its copy", symlinks=True)
    (copy / "program.txt").write_text("second program\n")
    done = build(copy, "good")
    assert done.returncode == 0
    assert f"good: build/good was made for {project}; building again from scratch" in done.stderr
    assert built(copy, "good")["program"] == "second program\n"
    assert built(project, "good")["program"] == "first program\n"
    assert build(copy, "good").stderr == "good: programs are up to date\n"


def test_a_mistake_in_a_copied_checkout_is_noticed(project: Path, tmp_path: Path) -> None:
    assert build(project, "good").returncode == 0
    copy = shutil.copytree(project, tmp_path / "its copy", symlinks=True)
    with (copy / "CMakeLists.txt").open("a") as file:
        file.write("no command of CMake\n")
    done = build(copy, "good")
    assert done.returncode == 1
    assert "Parse error" in done.stderr
    assert not (copy / "build" / "good" / "program").exists()


@pytest.mark.slow
def test_a_copied_checkout_keeps_the_prefix_of_its_runtime(project: Path, tmp_path: Path) -> None:
    prefix = install(project, "../first", "libone").parent.parent.resolve()
    install(project, "runtimes/libone", "libone")
    assert build(project, "libone", POLLUX_RUNTIME_ROOT=str(prefix)).returncode == 0
    copy = shutil.copytree(project, tmp_path / "its copy", symlinks=True)
    assert build(copy, "libone").returncode == 0
    assert cached(copy, "libone", "POLLUX_RUNTIME_ROOT") == str(prefix)


@pytest.mark.slow
def test_a_tree_whose_cmake_is_gone_is_configured_by_another(project: Path) -> None:
    assert build(project, "good").returncode == 0
    command = cached(project, "good", "CMAKE_COMMAND")
    for name in ("CMakeCache.txt", "build.ninja", "CMakeFiles/rules.ninja"):
        file = project / "build" / "good" / name
        file.write_text(file.read_text().replace(command, "/gone/cmake"))
    (project / "program.txt").write_text("second program\n")
    assert build(project, "good").returncode == 0
    assert built(project, "good")["program"] == "second program\n"


@pytest.mark.slow
def test_a_tree_whose_compiler_is_gone_is_built_again_from_scratch(project: Path) -> None:
    first = install(project, "runtimes/libone", "libone").parents[1] / "bin" / "libone-cc"
    assert build(project, "libone").returncode == 0
    first.unlink()
    done = build(project, "libone")
    assert done.returncode == 3
    assert f"libone: {first} is gone; building again from scratch\n" in done.stderr
    assert built(project, "libone")
    second = project / "runtimes" / "libone-2" / "bin" / "libone-cc"
    write_script(second, "true")
    assert build(project, "libone").returncode == 0
    assert cached(project, "libone", "POLLUX_C_COMPILER") == str(second)


@pytest.mark.slow
def test_a_checkout_reached_by_a_link_keeps_its_build_tree(project: Path, tmp_path: Path) -> None:
    assert build(project, "good").returncode == 0
    (tmp_path / "link").symlink_to(project)
    assert build(tmp_path / "link", "good").stderr == "good: programs are up to date\n"


def test_the_tree_of_another_checkout_is_left_to_it(project: Path, tmp_path: Path) -> None:
    other = shutil.copytree(project, tmp_path / "other", symlinks=True)
    assert build(project, "good").returncode == 0
    (other / "build").symlink_to(project / "build")
    done = build(other, "good")
    assert (done.returncode, f"leads to that of {project}," in done.stderr) == (3, True)
    assert build(project, "good").stderr == "good: programs are up to date\n"


@pytest.mark.parametrize("arguments", [(), ("good",), ("all",)])
def test_broken_presets_are_a_failure(project: Path, arguments: tuple[str, ...]) -> None:
    (project / "CMakePresets.json").write_text("{")
    done = build(project, *arguments)
    assert done.returncode == 1
    assert "CMakePresets.json" in done.stderr


def test_an_unknown_preset_is_answered_with_the_known_ones_before_setting_up(project: Path) -> None:
    write_script(project / "scripts/setup", "echo minutes >&2")
    done = build(project, "good", "goood")
    assert (done.returncode, done.stdout) == (2, "")
    known = "there are: good, plain, broken, libone, libtwo"
    assert done.stderr == f"scripts/build: no preset called 'goood'; {known}\n"
    assert not (project / "build").exists()


def test_a_failure_shows_the_log_and_where_it_is(project: Path) -> None:
    done = build(project, "broken")
    assert done.returncode == 1
    assert "broken on purpose" in done.stderr
    assert done.stderr.endswith("the whole log is in build/broken/build.log\n")


def test_no_log_of_an_earlier_build_is_shown_where_nothing_can_be_written(project: Path) -> None:
    (project / "build/good/build.log").mkdir(parents=True)  # not even by root
    done = build(project, "good")
    assert done.returncode == 1
    assert done.stderr.endswith("\nscripts/build: cannot write in build/good; see above\n")


def test_an_absent_runtime_is_one_line_and_leaves_nothing(project: Path) -> None:
    done = build(project, "libone")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        "scripts/build: libone: no libone.so found; set POLLUX_RUNTIME_ROOT to its prefix "
        "(docs/runtimes/libone.md)\n"
    )
    assert not (project / "build" / "libone").exists()


@pytest.mark.slow
def test_all_builds_the_runtimes_found_and_names_those_left_out(project: Path) -> None:
    install(project, "runtimes/libtwo-1.0", "libtwo")
    done = build(project, "all")
    assert (done.returncode, done.stdout) == (0, "")
    line, *rest = done.stderr.splitlines()
    assert line.startswith("scripts/build: left out libone: no libone.so found;")
    assert all(other.startswith("libtwo (2 of 2): ") for other in rest)
    assert [p.name for p in (project / "build").glob("[!.]*")] == ["libtwo"]


@pytest.mark.slow
def test_a_build_that_fails_does_not_keep_all_from_building_the_others(project: Path) -> None:
    install(project, "runtimes/libone", "libone")
    install(project, "runtimes/libtwo", "libtwo")
    file = project / "cmake" / "toolchains" / "libone.cmake"
    file.write_text(file.read_text() + "set(BROKEN ON)\n")
    done = build(project, "all")
    assert done.returncode == 1
    assert "scripts/build: building libone failed" in done.stderr
    assert (project / "build" / "libtwo" / "build.ninja").is_file()


@pytest.mark.slow
def test_a_prefix_is_kept_until_another_one_is_given(project: Path) -> None:
    first, second = install(project, "first", "libone"), install(project, "second", "libone")
    for given, library in (("first", first), ("", first), ("./second/", second), ("", second)):
        done = build(project, "libone", cwd=project, POLLUX_RUNTIME_ROOT=given)
        assert done.returncode == 0
        prefix = library.parent.parent
        assert cached(project, "libone", "POLLUX_RUNTIME_ROOT") == str(prefix)
        assert cached(project, "libone", "POLLUX_C_COMPILER") == str(prefix / "bin" / "libone-cc")


@pytest.mark.slow
def test_a_prefix_without_the_runtime_leaves_an_earlier_build_alone(project: Path) -> None:
    prefix = install(project, "runtimes/libone", "libone").parent.parent
    assert build(project, "libone", POLLUX_RUNTIME_ROOT=str(prefix)).returncode == 0
    empty = project / "empty"
    empty.mkdir()
    assert build(project, "libone", POLLUX_RUNTIME_ROOT=str(empty)).returncode == 3
    assert cached(project, "libone", "POLLUX_RUNTIME_ROOT") == str(prefix)
    assert build(project, "libone").returncode == 0


@pytest.mark.slow
def test_a_prefix_whose_build_fails_leaves_the_earlier_build(project: Path) -> None:
    first, second = (install(project, name, "libone").parent.parent for name in ("first", "second"))
    failing = "add_custom_target(failing ALL COMMAND false)"
    (project / "CMakeLists.txt").write_text(
        f"{CMAKE}if(POLLUX_RUNTIME_ROOT MATCHES second)\n{failing}\nendif()\n"
    )
    assert build(project, "libone", POLLUX_RUNTIME_ROOT=str(first)).returncode == 0
    done = build(project, "libone", POLLUX_RUNTIME_ROOT=str(second))
    assert done.returncode == 1
    assert "FAILED" in (project / "build" / "libone" / "build.log").read_text()
    assert cached(project, "libone", "POLLUX_RUNTIME_ROOT") == str(first)
    assert build(project, "libone").stderr == "libone: programs are up to date\n"


@pytest.mark.slow
def test_a_build_that_an_interrupted_one_was_to_replace_is_put_back(project: Path) -> None:
    prefix = install(project, "first", "libone").parent.parent
    assert build(project, "libone", POLLUX_RUNTIME_ROOT=str(prefix)).returncode == 0
    tree = project / "build" / "libone"
    tree.rename(tree.with_name(".libone.aside"))
    tree.mkdir()
    assert build(project, "libone").stderr == "libone: programs are up to date\n"
    assert cached(project, "libone", "POLLUX_RUNTIME_ROOT") == str(prefix)


def test_of_two_builds_of_a_preset_at_once_one_waits(project: Path) -> None:
    assert build(project, "good").returncode == 0
    with (project / "build" / ".good.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with start(project, "good") as second:
            assert second.stderr is not None
            assert second.stderr.readline() == "good: waiting for another build of it\n"
            fcntl.flock(lock, fcntl.LOCK_UN)
            assert second.stderr.read() == "good: programs are up to date\n"
    assert second.returncode == 0


@pytest.mark.slow
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


@pytest.mark.slow
def test_another_folder_of_runtimes_is_looked_in_and_kept(project: Path) -> None:
    first = install(project, "first/libone", "libone").parents[1]
    second = install(project, "second/libone-2", "libone").parents[1]
    for given, prefix in (("first", first), ("", first), ("./second/", second), ("", second)):
        done = build(project, "libone", cwd=project, POLLUX_RUNTIMES=given)
        assert done.returncode == 0
        assert cached(project, "libone", "POLLUX_C_COMPILER") == str(prefix / "bin" / "libone-cc")
    done = build(project, "libone", cwd=project, POLLUX_RUNTIMES="second")
    assert done.stderr == "libone: programs are up to date\n"


def test_an_mpi_that_came_later_is_looked_for(project: Path) -> None:
    with (project / "CMakeLists.txt").open("a") as file:
        file.write(
            "find_program(MPI_C_COMPILER mpicc PATHS ${PROJECT_SOURCE_DIR}/mpi NO_DEFAULT_PATH)\n"
        )
    assert build(project, "good").returncode == 0
    assert cached(project, "good", "MPI_C_COMPILER").endswith("-NOTFOUND")
    write_script(project / "mpi" / "mpicc", "true")
    assert build(project, "good", PATH=f"{project}/mpi:{os.environ['PATH']}").returncode == 0
    assert cached(project, "good", "MPI_C_COMPILER") == str(project / "mpi" / "mpicc")


def test_a_library_is_looked_for_in_another_prefix_and_kept(project: Path) -> None:
    with (project / "CMakeLists.txt").open("a") as file:
        file.write(
            "find_library(OpenBLAS_LIBRARY openblas HINTS $ENV{OpenBLAS_ROOT} PATH_SUFFIXES lib)\n"
            "file(APPEND ${CMAKE_BINARY_DIR}/configured.txt x)\n"
            'if("$ENV{OpenBLAS_ROOT}" MATCHES nowhere)\nmessage(FATAL_ERROR "")\nendif()\n'
        )
    first, second = install(project, "first", "libopenblas"), install(project, "2", "libopenblas")
    for given, library in (("first", first), ("./2/", second), (":none:2", second), ("", second)):
        assert build(project, "good", cwd=project, OpenBLAS_ROOT=given).returncode == 0
        assert cached(project, "good", "OpenBLAS_LIBRARY") == str(library)
    assert (project / "build/good/configured.txt").read_text() == "xx"
    assert build(project, "good", OpenBLAS_ROOT="/nowhere").returncode == 1
    copy = shutil.copytree(project, project.with_name("its copy"), symlinks=True)
    assert build(copy, "good").returncode == 0
    assert cached(copy, "good", "OpenBLAS_LIBRARY") == str(second)


def test_an_mpi_that_does_not_serve_is_tried_once(project: Path) -> None:
    with (project / "CMakeLists.txt").open("a") as file:
        file.write('set(MPI_C_COMPILER MPI_C_COMPILER-NOTFOUND CACHE FILEPATH "" FORCE)\n')
        file.write("file(APPEND ${CMAKE_BINARY_DIR}/configured.txt x)\n")
    write_script(project / "mpi" / "mpicc", "exit 1")
    for _ in range(3):
        assert build(project, "good", PATH=f"{project}/mpi:{os.environ['PATH']}").returncode == 0
    assert (project / "build/good/configured.txt").read_text() == "x"


def test_all_is_a_failure_where_every_runtime_is_absent(project: Path) -> None:
    done = build(project, "all")
    assert (done.returncode, done.stdout) == (3, "")
    lines = done.stderr.splitlines()
    assert [line.split(":")[1] for line in lines] == [f" left out {name}" for name in RUNTIMES]
