# SPDX-License-Identifier: BSD-3-Clause
"""cmake/PolluxFeatures.cmake: which clauses a build has, by its compiler and its omp.h."""

import re
import shutil
import sys
from pathlib import Path

from cmake_projects import configure
from project import ROOT, write_script

MODULE = ROOT / "cmake/PolluxFeatures.cmake"
PROJECT = f"""cmake_minimum_required(VERSION 3.25)
project(small C)
add_library(pollux_options INTERFACE)
include({MODULE})
message(NOTICE "detach: ${{POLLUX_HAVE_DETACH}}")
message(NOTICE "taskgroup: ${{POLLUX_HAVE_TASKGROUP}}")
"""
# As a clang that has no runtime of its own to link.
LINKS_NO_OPENMP = """case " $* " in
*" -c "*) ;;
*" -fopenmp "*) exit 1 ;;
esac
exec {gcc} "$@"
"""


def test_features_are_those_of_the_runtimes_own_header_and_nothing_is_linked(
    tmp_path: Path,
) -> None:
    prefix = tmp_path / "a prefix"
    (prefix / "lib").mkdir(parents=True)
    (prefix / "lib/libgomp.so.1").write_bytes(Path(sys.executable).read_bytes()[:64])
    (prefix / "include").mkdir()
    (prefix / "include/omp.h").write_text("/* without omp_event_handle_t */\n")
    write_script(prefix / "bin/gcc", LINKS_NO_OPENMP.format(gcc=shutil.which("gcc")))
    (tmp_path / "CMakeLists.txt").write_text(PROJECT)
    names = re.findall(r"^pollux_feature\((\w+)", MODULE.read_text(), re.MULTILINE)
    known = [f"-DPOLLUX_HAVE_{x}=" for x in names if x not in ("DETACH", "TASKGROUP")]
    toolchain = str(ROOT / "cmake/toolchains/libgomp.cmake")
    given = ["--toolchain", toolchain, f"-DPOLLUX_RUNTIME_ROOT={prefix}", *known]
    done = configure(tmp_path, tmp_path / "build", *given)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("detach: \ntaskgroup: 1\n")
