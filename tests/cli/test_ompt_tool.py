# SPDX-License-Identifier: BSD-3-Clause
"""The OMPT tool: what it reports of a program's tasks, and when they were created and scheduled."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from executable import BIN, ROOT, RUNTIME, SANITIZED, STAND_INS, Result, Settings, run
from libraries import compiled, drop_in, library, only_for, versions_of_libomp

PROGRAMS = STAND_INS / "ompt"
NAME = "lib/libpollux-ompt.so"
VERSIONS = {version: path for path, version in versions_of_libomp().items()}
THREADS, TASKS = 4, 100_000

# By scene: what is reported, and what tasks do in between. `a3` is the object a and OMPT's number
# of its kind: 1 in, 3 inout (which LLVM's runtime reports for out, too), 4 mutexinoutset,
# 7 inoutset.
REPORTED = {
    "kinds": """created 1 by 0, depends 1: a3, runs 1, created 2 by 0, depends 2: a1 b3, runs 2,
        created 3 by 0, depends 3: b1 c1, runs 3, created 4 by 0, runs 4""",
    "nested": """created 1 by 0, depends 1: a3, runs 1, created 2 by 1, depends 2: b1, runs 2,
        waits 1, created 3 by 1, runs 3, waits 0, created 4 by 0, runs 4""",
    # What an undeferred task depends on is waited for first, as if by a taskwait.
    "undeferred": "created 1 by 0, depends 1: a3, created 2 by 0, runs 2, created 3 by 0, runs 3",
    "final": "created 1 by 0, depends 1: a3, runs 1, created 2 by 1, depends 2: b1, runs 2",
    "untied": "created 1 by 0, depends 1: a3, runs 1",
    "priority": "created 1 by 0, depends 1: a3, runs 1",
    "taskgroup": "created 1 by 0, runs 1",
    "taskloop": "created 1 by 0, runs 1, created 2 by 0, runs 2",
    "many": """created 1 by 0, depends 1: a1 b1 c1 d1 e1 f1 g1 h1 i1 j1 k1 l1, runs 1""",
    "twice": "created 1 by 0, depends 1: a1 a3, runs 1",
    "inoutset": """created 1 by 0, depends 1: a7, runs 1,
        created 2 by 0, depends 2: a7 b1, runs 2""",
    "mutexinoutset": "created 1 by 0, depends 1: a4, runs 1",
    "iterator": "created 1 by 0, depends 1: a1 b1 c1 d1 f3, runs 1",
    "depobj": "created 1 by 0, depends 1: a3, runs 1",
    "all_memory": "created 1 by 0, depends 1: ?34, runs 1",
    "taskwait_depend": """created 1 by 0, depends 1: a3, runs 1, created 2 by 0, depends 2: a1,
        created 3 by 0, runs 3""",
}
# LLVM 16 and older give no kind; for GCC's programs, address 0 is one like others.
OTHER_ALL_MEMORY = [REPORTED["all_memory"].replace("?34", kind) for kind in ("?0", "?3")]

with_ompt = pytest.mark.skipif(
    RUNTIME not in ("libomp", "libiomp5", "libgomp"), reason="its runtime has no OMPT"
)


def tool() -> Path:
    """The tool of this build, or that of the build with libomp where the compiler has no header."""
    for path in (BIN.parent / NAME, ROOT / "build/libomp" / NAME):
        if path.exists():
            return path
    pytest.skip("no build has the OMPT tool")


def loading(path: Path) -> Settings:
    return {"OMP_TOOL_LIBRARIES": str(path)}


@pytest.fixture(params=["own", *sorted(VERSIONS)])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """Settings that load the tool into a runtime with OMPT: the build's own, or another version."""
    settings = loading(tool())
    if request.param != "own":
        settings["LD_LIBRARY_PATH"] = str(drop_in(tmp_path / "lib", VERSIONS[request.param]))
    elif RUNTIME == "libgomp":
        settings["LD_LIBRARY_PATH"] = str(drop_in(tmp_path / "lib", library("libomp")))
    if SANITIZED:  # the leak sanitizer's thread crashes where libomp's threads still run
        settings["ASAN_OPTIONS"] = f"{os.environ.get('ASAN_OPTIONS', '')}:detect_leaks=0"
    return settings


def in_order(reports: str) -> list[str]:
    """What is reported, line by line; compilers list a task's dependences in different orders."""
    lines = [line.strip() for line in re.split(r"[,\n]", reports) if line.strip()]
    return [sorted_items(line) for line in lines]


def sorted_items(line: str) -> str:
    head, colon, items = line.partition(": ")
    return head + colon + " ".join(sorted(items.split()))


def play(scene: str, way: list[str], settings: Settings) -> Result:
    if scene not in run("reported", folder=PROGRAMS).out.split():
        pytest.skip(f"this compiler cannot build {scene}")
    result = run("reported", *way, scene, folder=PROGRAMS, settings=settings)
    if "undefined symbol" in result.err or "does not support" in result.err:
        pytest.skip(f"this runtime is too old for {scene}: {result.err.strip()}")
    return result


@with_ompt
@pytest.mark.parametrize("way", [[], ["--parallel"]], ids=["implicit", "parallel"])
@pytest.mark.parametrize("scene", REPORTED)
def test_tasks_are_reported_with_their_dependences_before_they_run(
    scene: str, way: list[str], settings: Settings
) -> None:
    result = play(scene, way, settings)
    assert (result.status, result.errors) == (0, [])
    allowed = [REPORTED[scene], *(OTHER_ALL_MEMORY if scene == "all_memory" else [])]
    assert in_order(result.out) in [in_order(reports) for reports in allowed]


def test_each_scene_of_the_program_is_expected() -> None:
    assert set(run("reported", folder=PROGRAMS).out.split()) <= set(REPORTED)


@with_ompt
@pytest.mark.parametrize("way", ["one", "all", "nested"])
def test_each_recorded_task_has_its_number_its_creator_and_times_in_order(
    way: str, settings: Settings
) -> None:
    tasks = TASKS // THREADS if way == "all" else TASKS
    result = run("recorded", THREADS, tasks, way, folder=PROGRAMS, settings=settings)
    assert (result.status, result.errors) == (0, [])
    first, *rounds = result.out.splitlines()
    assert re.fullmatch(r"(LLVM|Intel\(R\)) OMP version: .*, lacks nothing", first)
    assert len(rounds) == 2


@with_ompt
def test_one_thread_is_recorded_like_several(settings: Settings) -> None:
    result = run("recorded", 1, 1000, "one", folder=PROGRAMS, settings=settings)
    assert (result.status, len(result.out.splitlines())) == (0, 3)


@with_ompt
def test_tasks_that_find_no_memory_are_counted(settings: Settings, tmp_path: Path) -> None:
    if SANITIZED:
        pytest.skip("the address sanitizer must be the first library")
    source = """
    #include <stddef.h>
    void *aligned_alloc(size_t alignment, size_t size)
    { (void)alignment, (void)size; return NULL; }"""
    settings |= {"LD_PRELOAD": str(compiled(tmp_path / "libexhausted.so", source))}
    result = run("recorded", 2, 50, "one", folder=PROGRAMS, settings=settings)
    rounds = result.out.splitlines()[1:]
    assert result.status == 1
    assert [line.rpartition(", ")[2] for line in rounds] == ["lost 50", "lost 50"]


@with_ompt
def test_no_tool_is_found_where_none_is_loaded(settings: Settings) -> None:
    for other in ({"OMP_TOOL": "disabled"}, {"OMP_TOOL_LIBRARIES": "/nowhere/libtool.so"}):
        result = run("reported", "kinds", folder=PROGRAMS, settings=settings | other)
        assert (result.status, result.out) == (3, "not loaded\n")


def test_a_runtime_without_ompt_loads_no_tool() -> None:
    only_for("libgomp", "bolt", "xkaapi")
    result = run("reported", "kinds", folder=PROGRAMS, settings=loading(tool()))
    assert (result.status, result.out) == (3, "not loaded\n")


def test_a_library_that_no_runtime_has_started_gives_no_tool() -> None:
    only_for("libgomp")
    settings = loading(tool()) | {"LD_PRELOAD": str(tool())}
    if SANITIZED:
        pytest.skip("the address sanitizer must be the first library")
    result = run("reported", "kinds", folder=PROGRAMS, settings=settings)
    assert (result.status, result.out) == (3, "not started\n")


def test_the_tool_needs_no_library_but_libc() -> None:
    reader = shutil.which("readelf")
    if reader is None:
        pytest.skip("no readelf on PATH")
    listed = subprocess.run([reader, "-d", tool()], capture_output=True, text=True, check=True)
    needed = re.findall(r"NEEDED.*\[(.*)\]", listed.stdout)
    assert needed
    assert all(name.startswith(("libc.", "ld-linux", "ld64", "ld.")) for name in needed)
