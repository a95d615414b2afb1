# SPDX-License-Identifier: BSD-3-Clause
"""cmake/PolluxCompiledTests.cmake: tests of the C code that one build tree compiles for another."""

import shutil
import subprocess
from pathlib import Path

import pytest
from cmake_projects import CMAKE, configure
from project import ROOT, write_script

pytestmark = pytest.mark.slow

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(small CXX)
set(POLLUX_BUILD_TESTS ON CACHE BOOL "")
include(cmake/PolluxCompiledTests.cmake)
add_subdirectory(tests)
pollux_compile_tests()
"""
TESTS = """pollux_compiled(files small_test small.cpp)
add_executable(small_test ${files})
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """With a tree that has compiled tests, in a folder whose name is no regular expression."""
    root = tmp_path / "c++ (a copy)"
    (root / "cmake").mkdir(parents=True)
    shutil.copy(ROOT / "cmake/PolluxCompiledTests.cmake", root / "cmake")
    (root / "scripts").mkdir()
    shutil.copy(ROOT / "scripts/lock.bash", root / "scripts")
    (root / "CMakeLists.txt").write_text(PROJECT)
    (root / "tests").mkdir()
    (root / "tests/CMakeLists.txt").write_text(TESTS)
    (root / "tests/small.cpp").write_text("int main() {}\n")
    assert configure(root, root / "build/first").returncode == 0
    return root


def configured(project: Path) -> Path:
    """A second tree, which links what the first compiles."""
    tree = project / "build/second"
    done = configure(project, tree, f"-DPOLLUX_COMPILED_TESTS={project}/build/first")
    assert done.returncode == 0, done.stderr
    return tree


def objects(tree: Path) -> list[str]:
    return [path.name for path in tree.rglob("small_test.*.o")]


def test_what_another_tree_compiles_is_linked_in_a_folder_of_any_name(project: Path) -> None:
    tree = configured(project)
    subprocess.run([CMAKE, "--build", tree], check=True, capture_output=True)
    assert (tree / "tests/small_test").is_file()
    assert (objects(project / "build/first"), objects(tree)) == (["small_test.cpp.o"], [])


def test_a_tree_that_was_copied_here_compiles_nothing(project: Path, tmp_path: Path) -> None:
    copy = tmp_path / "another folder"
    shutil.copytree(project, copy)
    tree = configured(copy)
    subprocess.run([CMAKE, "--build", tree], check=True, capture_output=True)
    assert (objects(project / "build/first"), objects(tree)) == ([], ["small_test.cpp.o"])


def test_the_lock_of_the_other_tree_is_held_meanwhile(project: Path, tmp_path: Path) -> None:
    lock = project / "build/.first.lock"  # as scripts/build takes it
    write_script(tmp_path / "launcher", f'! flock -n "{lock}" true && exec "$@"')
    launcher = f"-DCMAKE_CXX_COMPILER_LAUNCHER={tmp_path}/launcher"
    assert configure(project, project / "build/first", launcher).returncode == 0
    tree = configured(project)
    subprocess.run([CMAKE, "--build", tree], check=True, capture_output=True)
    assert objects(project / "build/first") == ["small_test.cpp.o"]
