# SPDX-License-Identifier: BSD-3-Clause
"""Toolchain files: that all lists of runtimes agree, and which library a build finds and loads."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pollux.core.runtimes.names import RUNTIMES
from project import ROOT, write_script

CMAKE = str(Path(sys.executable).parent / "cmake")
NINJA = str(Path(sys.executable).parent / "ninja")
TOOLCHAINS = ROOT / "cmake" / "toolchains"
PAGES = ROOT / "docs" / "runtimes"

# No program has run on it yet, so records have no name for it.
UNTRIED = {"ompss-2"}

# A project that prints what its toolchain file found, and needs no compiler.
TELLING = """cmake_minimum_required(VERSION 3.25)
project(small NONE)
message(NOTICE "library ${POLLUX_RUNTIME_LIBRARY}")
message(NOTICE "headers ${POLLUX_RUNTIME_INCLUDE_DIRS}")
message(NOTICE "compilers ${CMAKE_C_COMPILER} ${CMAKE_CXX_COMPILER}")
"""

# A project that links as Pollux does, with a program that prints where its runtime was loaded from.
LINKING = """cmake_minimum_required(VERSION 3.25)
project(small C)
include(GNUInstallDirs)
add_library(pollux_options INTERFACE)
include(cmake/PolluxInstall.cmake)
include(cmake/PolluxRuntime.cmake)
add_executable(small small.c)
target_link_libraries(small PRIVATE pollux_options ${CMAKE_DL_LIBS})
pollux_install_program(small)
"""
PROGRAM = """#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int omp_get_thread_num(void);
int main(void)
{
    Dl_info owner;
    if (!dladdr(dlsym(RTLD_DEFAULT, "omp_get_thread_num"), &owner))
        return 1;
    char *path = realpath(owner.dli_fname, NULL);
    printf("%s %d\\n", path, omp_get_thread_num());
    free(path);
}
"""


def library(path: Path, *, foreign: bool = False) -> Path:
    """A file that looks like a shared library of this machine, or of another processor."""
    path.parent.mkdir(parents=True, exist_ok=True)
    start = bytearray(Path(sys.executable).read_bytes()[:64])
    if foreign:
        start[18] ^= 0xFF
    path.write_bytes(start)
    return path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "a project"
    shutil.copytree(ROOT / "cmake", root / "cmake")
    (root / "CMakeLists.txt").write_text(TELLING)
    return root


def configure(
    project: Path, name: str, *options: str, path: str = os.environ["PATH"], **variables: str
) -> subprocess.CompletedProcess[str]:
    """Configure in an environment that names no runtime."""
    command = [CMAKE, "-S", str(project), "-B", str(project / "build" / name), "-G", "Ninja"]
    command += [f"-DCMAKE_MAKE_PROGRAM={NINJA}", "--log-level=NOTICE"]
    command += ["--toolchain", str(project / "cmake" / "toolchains" / f"{name}.cmake"), *options]
    environment = {"PATH": path, **variables}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def found(project: Path, name: str, *options: str) -> str:
    done = configure(project, name, *options)
    assert done.returncode == 0, done.stderr
    return next(x for x in done.stderr.splitlines() if x.startswith("library "))[8:]


def missing(project: Path, name: str, *options: str) -> str:
    """The one line: the first that is printed, and what is left for scripts/build."""
    done = configure(project, name, *options)
    assert done.returncode == 1
    first, _, _ = done.stderr.partition("\n")
    assert (project / "build" / name / "missing.txt").read_text() == first + "\n"
    return first


def names_in_presets(kind: str) -> Iterator[str]:
    for preset in json.loads((ROOT / "CMakePresets.json").read_text())[kind]:
        name, toolchain = preset["name"], preset.get("toolchainFile", "")
        if kind != "configurePresets" or toolchain.endswith(f"/toolchains/{name}.cmake"):
            yield name


def test_presets_toolchain_files_pages_and_campaigns_name_the_same_runtimes() -> None:
    toolchains = {p.stem for p in TOOLCHAINS.glob("*.cmake")} - {"common"}
    assert toolchains == set(names_in_presets("configurePresets"))
    assert toolchains <= set(names_in_presets("buildPresets"))
    assert toolchains <= set(names_in_presets("testPresets"))
    assert toolchains == {p.stem for p in PAGES.glob("*.md")} - {"README"}
    assert toolchains == set(RUNTIMES) | UNTRIED


def test_each_toolchain_file_sets_the_name_it_has() -> None:
    for file in TOOLCHAINS.glob("*.cmake"):
        if file.stem != "common":
            assert f"set(POLLUX_RUNTIME {file.stem} CACHE STRING" in file.read_text(), file


def test_the_index_of_runtimes_leads_to_every_page() -> None:
    index = (PAGES / "README.md").read_text()
    for page in PAGES.glob("*.md"):
        assert page.stem == "README" or f"({page.name})" in index, page


def test_the_newest_version_in_the_folder_of_runtimes_is_found(project: Path) -> None:
    for version in ("2.9", "2.10", "2.10.rc"):
        library(project / "runtimes" / f"bolt-{version}" / "lib" / "libbolt.so")
    newest = project / "runtimes" / "bolt-2.10.rc" / "lib" / "libbolt.so"
    assert found(project, "bolt") == str(newest)
    chosen = library(project / "runtimes" / "bolt" / "lib64" / "libbolt.so")
    assert found(project, "bolt") == str(chosen)


def test_a_prefix_that_is_given_is_the_only_one_looked_in(project: Path) -> None:
    library(project / "runtimes" / "bolt" / "lib" / "libbolt.so")
    other = library(project / "other" / "lib" / "libbolt.so")
    assert found(project, "bolt", f"-DPOLLUX_RUNTIME_ROOT={project / 'other'}") == str(other)
    other.unlink()
    line = missing(project, "bolt")
    assert line == f"bolt: no libbolt.so in POLLUX_RUNTIME_ROOT={project / 'other'} or its lib"


def test_another_folder_of_runtimes_can_be_named(project: Path) -> None:
    there = library(project / "there" / "xkaapi-0.3" / "lib" / "libxkomp.so")
    assert found(project, "xkaapi", f"-DPOLLUX_RUNTIMES={project / 'there'}") == str(there)


@pytest.mark.parametrize("name", ["POLLUX_RUNTIME_ROOT", "POLLUX_RUNTIMES"])
def test_what_the_environment_names_later_is_said_to_be_unused(project: Path, name: str) -> None:
    first, second = (library(project / x / "bolt/lib/libbolt.so") for x in ("first", "second"))
    folders = {"POLLUX_RUNTIME_ROOT": "bolt", "POLLUX_RUNTIMES": "."}
    given, other = (f"{project / x / folders[name]}" for x in ("first", "second"))
    assert configure(project, "bolt", **{name: given}).stderr.startswith(f"library {first}\n")
    told, found, *_ = configure(project, "bolt", **{name: other}).stderr.splitlines()
    assert told.startswith(f"bolt: {name} of the environment, {other}, is not used: ")
    assert told.endswith(f" has {given}; -D {name}=DIR changes it")
    assert found == f"library {first}"
    changed = configure(project, "bolt", f"-D{name}={other}", **{name: other}).stderr
    assert changed.startswith(f"library {second}\n")


def test_a_runtime_of_a_similar_name_is_not_taken(project: Path) -> None:
    library(project / "runtimes" / "bolt-stand-in" / "lib" / "libbolt.so")
    assert missing(project, "bolt") == (
        "bolt: no libbolt.so found; set POLLUX_RUNTIME_ROOT to its prefix (docs/runtimes/bolt.md)"
    )


def test_a_library_for_another_processor_is_not_taken(project: Path) -> None:
    foreign = library(project / "runtimes" / "bolt" / "lib" / "libbolt.so", foreign=True)
    assert missing(project, "bolt") == f"bolt: {foreign} is not a shared library for this machine"
    foreign.write_text("INPUT(libother.so)\n")
    assert missing(project, "bolt") == f"bolt: {foreign} is not a shared library for this machine"


def test_libomp_is_the_compilers_own_unless_a_prefix_is_given(project: Path) -> None:
    fetched = library(project / "runtimes" / "libomp-21" / "lib" / "libomp.so.5")
    assert found(project, "libomp") == ""
    assert found(project, "libomp", f"-DPOLLUX_RUNTIME_ROOT={fetched.parent.parent}") == str(
        fetched
    )


def test_a_prefix_with_another_compiler_is_refused_in_a_tree_that_has_one(project: Path) -> None:
    alone, whole = (library(project / x / "lib/libgomp.so.1") for x in ("alone", "whole"))
    for name in ("gcc", "g++"):
        write_script(project / "whole/bin" / name, "true")
    assert found(project, "libgomp") == ""
    assert found(project, "libgomp", f"-DPOLLUX_RUNTIME_ROOT={project}/alone") == str(alone)
    line = missing(project, "libgomp", f"-DPOLLUX_RUNTIME_ROOT={project}/whole")
    given = f"POLLUX_RUNTIME_ROOT={project}/whole needs {project}/whole/bin/gcc"
    assert line.startswith(f"libgomp: {given}, and this build tree is one of /")
    assert found(project, "libgomp") == str(alone)
    shutil.rmtree(project / "build")
    assert found(project, "libgomp", f"-DPOLLUX_RUNTIME_ROOT={project}/whole") == str(whole)


def test_a_header_of_the_runtimes_own_is_used(project: Path) -> None:
    prefix = library(project / "runtimes" / "bolt" / "lib" / "libbolt.so").parent.parent
    (prefix / "include").mkdir()
    (prefix / "include" / "omp.h").touch()
    assert f"headers {prefix / 'include'}\n" in configure(project, "bolt").stderr


def test_vendors_folders_that_are_not_named_are_not_looked_in(project: Path) -> None:
    said = 'function(pollux_find_runtime)\nmessage(NOTICE "${ARGN}")\nendfunction()\n'
    said += "function(pollux_find_clang)\nendfunction()\n"
    (project / "cmake/toolchains/common.cmake").write_text(said)
    command = [CMAKE, "-P", str(project / "cmake/toolchains/libiomp5.cmake")]
    given = "/opt/intel/oneapi/compiler/latest/lib"
    for named, folders in (
        ({}, []),
        ({"CMPLR_ROOT": "", "ONEAPI_ROOT": "/o"}, ["/o/compiler/latest/lib"]),
        ({"CMPLR_ROOT": "/c", "ONEAPI_ROOT": "/o"}, ["/c/lib", "/o/compiler/latest/lib"]),
    ):
        done = subprocess.run(command, env=named, capture_output=True, text=True, check=True)
        hints = done.stderr.strip().partition("HINTS;")[2]
        assert hints.split(";") == [*folders, given]


# Fails without a -I as a clang without its libomp does on omp.h.
WITHOUT_HEADER = 'case $* in *" -I"* | -I*) ;; *) exit 1 ;; esac'


def clangs(folder: Path, **does: str) -> Path:
    """Stand-ins for clang and clang++ of these versions."""
    for name, text in does.items():
        for language in ("clang", "clang++"):
            write_script(folder / f"{language}-{name[1:]}", text)
    return folder


def test_a_clang_without_its_libomp_is_passed_over(project: Path, tmp_path: Path) -> None:
    folder = clangs(tmp_path / "bin", v40=WITHOUT_HEADER, v39="true", v38="true")
    done = configure(project, "libomp", path=str(folder))
    assert f"compilers {folder}/clang-39 {folder}/clang++-39\n" in done.stderr


def test_no_clang_with_libomp_is_one_line_that_names_it(project: Path, tmp_path: Path) -> None:
    folder = clangs(tmp_path / "bin", v40=WITHOUT_HEADER)
    done = configure(project, "libomp", path=str(folder))
    assert done.stderr.startswith(
        f"libomp: {folder}/clang-40 has no omp.h; install its libomp "
        "(Debian: libomp-N-dev for clang-N, Fedora: libomp-devel)\n"
    )
    write_script(folder / "clang-40", "true")
    write_script(folder / "clang++-40", "true")
    assert configure(project, "libomp", path=str(folder)).returncode == 0


OLD = "case $* in -dumpversion) echo 15.0.7 ;; esac"


def test_a_clang_that_is_too_old_is_one_line_that_names_it(project: Path, tmp_path: Path) -> None:
    folder = clangs(tmp_path / "bin", v17=WITHOUT_HEADER)
    for name in ("clang", "clang++"):
        write_script(folder / name, OLD)
    done = configure(project, "libomp", path=str(folder))
    assert done.stderr.startswith(f"libomp: {folder}/clang-17 has no omp.h; ")
    (folder / "clang-17").unlink()
    done = configure(project, "libomp", path=str(folder))
    line = f"libomp: {folder}/clang is clang 15.0.7; clang 16 or newer is needed\n"
    assert done.stderr.startswith(line)


def test_a_clang_that_came_with_the_runtime_may_be_old(project: Path, tmp_path: Path) -> None:
    prefix = library(project / "runtimes" / "libkomp" / "lib" / "libkomp.so").parent.parent
    for name in ("clang", "clang++"):
        write_script(prefix / "bin" / name, OLD)
    done = configure(project, "libkomp", path=str(tmp_path))
    assert f"compilers {prefix}/bin/clang {prefix}/bin/clang++\n" in done.stderr


def test_a_header_of_the_runtimes_own_serves_any_clang(project: Path, tmp_path: Path) -> None:
    prefix = library(project / "runtimes" / "bolt" / "lib" / "libbolt.so").parent.parent
    (prefix / "include").mkdir()
    (prefix / "include" / "omp.h").touch()
    folder = clangs(tmp_path / "bin", v40=WITHOUT_HEADER, v39="true")
    done = configure(project, "bolt", path=str(folder))
    assert f"compilers {folder}/clang-40 {folder}/clang++-40\n" in done.stderr


def system_libomp() -> Path:
    command = ["gcc", "-print-file-name=libomp.so.5"]
    path = Path(subprocess.run(command, capture_output=True, text=True).stdout.strip())
    if not path.is_file():
        pytest.skip("this machine has no libomp.so.5")
    return path


def test_a_library_is_loaded_whatever_name_and_soname_it_has(project: Path) -> None:
    (project / "CMakeLists.txt").write_text(LINKING)
    (project / "small.c").write_text(PROGRAM)
    renamed = project / "prefix" / "lib" / "libkomp.so"
    renamed.parent.mkdir(parents=True)
    shutil.copy(system_libomp(), renamed)
    done = configure(project, "libkomp", f"-DPOLLUX_RUNTIME_ROOT={project / 'prefix'}")
    assert done.returncode == 0, done.stderr
    build = project / "build" / "libkomp"
    subprocess.run([CMAKE, "--build", str(build)], check=True, capture_output=True)
    installed = project / "installed"
    command = [CMAKE, "--install", str(build), "--prefix", str(installed)]
    subprocess.run(command, check=True, capture_output=True)
    for program in (build / "small", installed / "lib/pollux/libkomp/bin/small"):
        loaded = subprocess.run([program], check=True, capture_output=True, text=True).stdout
        assert loaded == f"{renamed} 0\n"
