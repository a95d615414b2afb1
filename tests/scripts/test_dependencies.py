# SPDX-License-Identifier: BSD-3-Clause
"""What CMake looks for on the machine, and what it is told that does not fit."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from cmake_projects import NINJA, configure
from project import ROOT, write_script

NOWHERE = "/nonexistent"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "variables", "line"),
    [
        (
            (f"-DCMAKE_FIND_ROOT_PATH={NOWHERE}", "-DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY"),
            {},
            "The pthread build of OpenBLAS and LAPACKE are needed (Debian: ",
        ),
        (
            ("-DOpenBLAS_ROOT=/nowhere",),
            {},
            "OpenBLAS_ROOT is /nowhere, where there is no library of OpenBLAS; /",
        ),
        (
            (),
            {"FFTW_ROOT": NOWHERE},
            f"FFTW_ROOT is {NOWHERE}, where there is no library of FFTW; /",
        ),
        (
            ("-DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON",),
            {},
            "pkg-config is needed (Debian: pkg-config)",
        ),
        (
            (),
            {"PKG_CONFIG_LIBDIR": NOWHERE},
            "pkg-config finds no hwloc, which is needed (Debian: libhwloc-dev)",
        ),
    ],
)
def test_a_library_that_is_missing_is_one_line_for_scripts_build(
    tmp_path: Path, options: tuple[str, ...], variables: dict[str, str], line: str
) -> None:
    toolchain = str(ROOT / "cmake/toolchains/libgomp.cmake")
    done = configure(ROOT, tmp_path, "--toolchain", toolchain, *options, **variables)
    assert done.returncode == 1
    assert (tmp_path / "missing.txt").read_text().startswith(f"libgomp: {line}")
    assert f"libgomp: {line}" in done.stderr


FINDS_FFTW = f"""cmake_minimum_required(VERSION 3.25)
project(small C)
set(CMAKE_MODULE_PATH {ROOT}/cmake)
find_package(FFTW MODULE)
message(NOTICE "found: ${{FFTW_FOUND}}")
"""


def make_library(path: Path, function: str) -> None:
    command = ["gcc", "-shared", "-fPIC", "-o", str(path), "-x", "c", "-"]
    subprocess.run(command, input=f"void {function}(void) {{}}", text=True, check=True)


def test_an_fftw_that_was_replaced_is_looked_at_again(tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(FINDS_FFTW)
    prefix = tmp_path / "prefix"
    for folder in ("lib", "include"):
        (prefix / folder).mkdir(parents=True)
    (prefix / "include/fftw3.h").touch()
    for function, answer in (
        ("fftw_plan_with_nthreads", "FALSE"),
        ("fftw_threads_set_callback", "TRUE"),
    ):
        for name in ("fftw3", "fftw3_threads"):
            make_library(prefix / f"lib/lib{name}.so", function)
        done = configure(tmp_path, tmp_path / "build", f"-DFFTW_ROOT={prefix}")
        assert done.stderr == f"found: {answer}\n"


ASKS_A_LIBRARY = f"""cmake_minimum_required(VERSION 3.25)
project(small C)
include({ROOT}/cmake/PolluxLibraryHas.cmake)
pollux_library_has(HAS_IT "${{LIBRARY}}" wanted)
message(NOTICE "has: ${{HAS_IT}}")
"""


def test_what_one_library_has_is_not_said_of_another(tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(ASKS_A_LIBRARY)
    first, second = tmp_path / "libfirst.so", tmp_path / "libsecond.so"
    make_library(first, "wanted")
    make_library(second, "other")

    def answer(library: Path) -> str:
        return configure(tmp_path, tmp_path / "build", f"-DLIBRARY={library}").stderr

    assert [answer(first), answer(second), answer(first)] == ["has: 1\n", "has: \n", "has: 1\n"]
    make_library(first, "other")
    os.utime(first, (0, 0))
    assert answer(first) == "has: \n"


INCLUDES_A_BLAS = f"""cmake_minimum_required(VERSION 3.25)
project(small NONE)
set(CMAKE_MODULE_PATH {ROOT}/cmake)
include(PolluxRequire)
include(PolluxBlas)
"""


def test_headers_that_were_made_for_one_blas_are_not_those_of_another(tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(INCLUDES_A_BLAS)
    (tmp_path / "cblas.h").touch()
    libraries = (
        "BLIS",
        "BLIS_LAPACK",
        "BLIS_LAPACKE",
        "MKL_intel_lp64",
        "MKL_sequential",
        "MKL_core",
    )
    given = [f"-D{name}_LIBRARY={tmp_path}/library" for name in libraries]
    given += [f"-D{name}_INCLUDE_DIR={tmp_path}" for name in ("BLIS", "BLIS_LAPACKE", "MKL")]
    for name, headers in (("mkl", ["cblas.h", "lapacke.h"]), ("blis", ["cblas.h"])):
        done = configure(tmp_path, tmp_path / "build", f"-DPOLLUX_BLAS={name}", *given)
        assert done.returncode == 0, done.stderr
        made = tmp_path / "build/blas" / name
        assert sorted(path.name for path in made.iterdir()) == headers


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("POLLUX_INSTALL_LINKS=no", "ON, OFF or AUTO"),
        ("POLLUX_INSTALL_LINKS=FALSE", "ON, OFF or AUTO"),
        ("POLLUX_LABEL=a/b", "of letters, digits, '.', '_' and '-'"),
        ("POLLUX_BLAS=atlas", "openblas, blis, mkl or armpl"),
    ],
)
def test_a_value_that_means_nothing_is_refused(tmp_path: Path, given: str, wanted: str) -> None:
    includes = INCLUDES_A_BLAS.replace("include(", "include(PolluxInstall)\ninclude(", 1)
    (tmp_path / "CMakeLists.txt").write_text(includes)
    done = configure(tmp_path, tmp_path / "build", f"-D{given}", "-DPOLLUX_RUNTIME=libgomp")
    assert done.returncode == 1
    assert f"; it must be {wanted}\n" in done.stderr


SANITIZES = f"""cmake_minimum_required(VERSION 3.25)
project(small NONE)
set(CMAKE_MODULE_PATH {ROOT}/cmake)
include(PolluxInstall)
include(PolluxOptions)
"""


def test_a_build_with_sanitizers_is_not_taken_for_one_to_measure(tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(SANITIZES)
    tree = tmp_path / "tree"
    given = ("-DPOLLUX_SANITIZE=ON", "-DPOLLUX_RUNTIME=libgomp")
    refused = configure(tmp_path, tree, *given, "-DCMAKE_BUILD_TYPE=Release")
    assert "POLLUX_SANITIZE is for another build type than Release" in refused.stderr
    done = configure(tmp_path, tree, *given, "-DCMAKE_BUILD_TYPE=Debug")
    assert done.returncode == 0, done.stderr
    label = json.loads((tree / "build.json").read_text())["label"]
    assert label == "libgomp-debug-sanitize"


@pytest.fixture
def committed(tmp_path: Path) -> Path:
    """A project that looks for its commit, configured with a git that names HEAD."""
    project = tmp_path / "a project"
    for path in ("cmake/commit.txt", ".git/logs/HEAD", ".git/config"):
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).touch()
    (project / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.25)\nproject(small NONE)\n"
        f"include({ROOT}/cmake/PolluxInstall.cmake)\ninclude({ROOT}/cmake/PolluxCommit.cmake)\n"
    )
    answers = 'case "$*" in *--git-path*) echo .git/logs/HEAD ;; *) echo 123abc ;; esac'
    write_script(project / "git", answers)
    git = f"-DPOLLUX_GIT={project}/git"
    done = configure(project, project / "build", git, "-DPOLLUX_RUNTIME=libgomp")
    assert done.returncode == 0, done.stderr
    return project


def run_ninja(project: Path) -> None:
    command = [NINJA, "-C", str(project / "build")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_a_git_that_refuses_the_checkout_later_keeps_nothing_from_being_built(
    committed: Path,
) -> None:
    write_script(committed / "git", "exit 128")
    run_ninja(committed)
    assert not (committed / "build/commit.txt").exists()


def test_a_repository_that_is_removed_keeps_nothing_from_being_built(committed: Path) -> None:
    commit = committed / "build/commit.txt"
    run_ninja(committed)
    assert commit.read_text() == "123abc\n"
    shutil.rmtree(committed / ".git")
    run_ninja(committed)
    assert not commit.exists()


REQUIRES_A_LIBRARY = f"""cmake_minimum_required(VERSION 3.25)
project(small NONE)
set(CMAKE_MODULE_PATH ${{CMAKE_SOURCE_DIR}} {ROOT}/cmake)
function(pollux_missing line)
  message(FATAL_ERROR "${{line}}")
endfunction()
include(PolluxRequire)
pollux_require(Small)
message(NOTICE "found: ${{Small_LIBRARY}} ${{Small_OTHER_LIBRARY}}")
"""
FINDS_SMALL = """find_library(Small_LIBRARY NAMES small PATHS ${CMAKE_SOURCE_DIR}/system/lib)
find_library(Small_OTHER_LIBRARY NAMES other PATHS ${CMAKE_SOURCE_DIR}/system/lib)
set(Small_FOUND TRUE)
"""


@pytest.fixture
def needy(tmp_path: Path) -> Path:
    """A project that requires a library, which the system and another prefix have."""
    (tmp_path / "CMakeLists.txt").write_text(REQUIRES_A_LIBRARY)
    (tmp_path / "FindSmall.cmake").write_text(FINDS_SMALL)
    for prefix in ("system", "given"):
        (tmp_path / prefix / "lib").mkdir(parents=True)
        for name in ("small", "other"):
            (tmp_path / prefix / f"lib/lib{name}.so").touch()
    return tmp_path


@pytest.mark.parametrize("variable", ["{0}/given", "{0}/nowhere:{0}/given"])
def test_a_prefix_that_is_named_later_is_where_all_is_found(needy: Path, variable: str) -> None:
    def found(prefix: str) -> str:
        return f"found: {needy}/{prefix}/lib/libsmall.so {needy}/{prefix}/lib/libother.so\n"

    assert configure(needy, needy / "build").stderr == found("system")
    given = variable.format(needy)
    assert configure(needy, needy / "build", Small_ROOT=given).stderr == found("given")
    assert configure(needy, needy / "build").stderr == found("given")


def test_a_relative_prefix_is_one_of_the_source(needy: Path) -> None:
    done = configure(needy, needy / "build", "-DSmall_ROOT=given")
    assert done.stderr.startswith(f"found: {needy}/given/"), done.stderr


def test_a_prefix_without_the_library_is_refused_until_it_is_there(needy: Path) -> None:
    library = needy / "given/lib/libsmall.so"
    library.unlink()
    for _ in range(2):
        refused = configure(needy, needy / "build", f"-DSmall_ROOT={needy}/given")
        message = " ".join(refused.stderr.split())
        assert f"Small_ROOT is {needy}/given, where there is no library of Small;" in message
    library.touch()
    assert configure(needy, needy / "build").stderr.startswith(f"found: {library} ")


@pytest.mark.parametrize(
    ("blas", "variable", "libraries", "header"),
    [
        ("mkl", "MKL_ROOT", "mkl_core mkl_intel_lp64 mkl_sequential", "mkl_lapacke.h"),
        ("mkl", "MKLROOT", "mkl_core mkl_intel_lp64 mkl_sequential", "mkl_lapacke.h"),
        ("armpl", "ARMPL_DIR", "armpl_lp64", "armpl.h"),
    ],
)
def test_the_prefix_of_a_vendor_s_blas_may_be_named_later_too(
    tmp_path: Path, blas: str, variable: str, libraries: str, header: str
) -> None:
    (tmp_path / "CMakeLists.txt").write_text(INCLUDES_A_BLAS)
    first, *others = libraries.split()
    for prefix in ("system", "given"):
        for folder in ("lib", "include"):
            (tmp_path / prefix / folder).mkdir(parents=True)
        for name in (first, *others):
            (tmp_path / prefix / f"lib/lib{name}.so").touch()
        (tmp_path / prefix / "include" / header).touch()
    for prefix in ("system", "given"):
        root = str(tmp_path / prefix)
        done = configure(tmp_path, tmp_path / "build", f"-DPOLLUX_BLAS={blas}", **{variable: root})
        assert done.returncode == 0, done.stderr
        cached = (tmp_path / "build/CMakeCache.txt").read_text()
        assert f":FILEPATH={root}/lib/lib{first}.so\n" in cached


def test_a_prefix_with_a_configuration_may_be_named_later_too(tmp_path: Path) -> None:
    requires = REQUIRES_A_LIBRARY.replace("Small_LIBRARY", "GTest_DIR")
    requires = requires.replace("(Small)", "(GTest)").replace(" ${Small_OTHER_LIBRARY}", "")
    (tmp_path / "CMakeLists.txt").write_text(requires.replace("NONE", "CXX"))
    folders = [tmp_path / prefix / "lib/cmake/GTest" for prefix in ("first", "second")]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "GTestConfig.cmake").write_text("add_library(GTest::gtest INTERFACE IMPORTED)\n")
    for folder in folders:
        root = str(folder.parents[2])
        done = configure(tmp_path, tmp_path / "build", GTest_ROOT=root)
        assert f"found: {folder}\n" in done.stderr
    done = configure(tmp_path, tmp_path / "build", GTest_ROOT=NOWHERE)
    assert f"GTest_ROOT is {NOWHERE}, where there is no library of GTest" in done.stderr


FOLLOWS_RUN_PATHS = f"""cmake_minimum_required(VERSION 3.25)
project(small NONE)
set(POLLUX_RUNTIME_LIBRARY_DIRS /runtime)
set(POLLUX_BLAS_DIRECTORIES /blas)
add_library(pollux_options INTERFACE)
include({ROOT}/cmake/PolluxRuntime.cmake)
message(NOTICE "${{CMAKE_BUILD_RPATH}} ${{CMAKE_INSTALL_RPATH}}")
"""


def test_the_user_s_run_paths_follow_those_of_the_chosen_libraries(tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(FOLLOWS_RUN_PATHS)
    options = ("-DCMAKE_BUILD_RPATH=/mine", "-DCMAKE_INSTALL_RPATH=/ours;/theirs")
    for given in (options, ()):
        done = configure(tmp_path, tmp_path / "build", *given)
        assert done.stderr == "/runtime;/blas;/mine /runtime;/blas;/ours;/theirs\n"
