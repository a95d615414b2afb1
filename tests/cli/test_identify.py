# SPDX-License-Identifier: BSD-3-Clause
"""`identify`: what any library file is, found without two runtimes in one process."""

import re
import subprocess
from pathlib import Path

import pytest
from executable import BIN, FULL, RUNTIME, SANITIZED, environment, needs_full, refused, run_command
from libraries import compiled, copied, identify, identity, library, versions_of_libomp

FIELDS = {"path", "soname", "name", "version", "build_id", "abi", "ompt"}

pytestmark = pytest.mark.skipif(SANITIZED, reason="the sanitizers change how libraries are loaded")


def test_a_runtime_is_described_in_one_line(tmp_path: Path) -> None:
    own = library(RUNTIME)
    record = identity(own)
    assert record.keys() == FIELDS
    assert record["path"] == str(own)
    assert record["name"] == RUNTIME
    link = tmp_path / "libother.so"
    link.symlink_to(own)
    assert identity(link) == record


def test_a_libgomp_offers_gccs_entry_points_and_no_tools() -> None:
    record = identity(library("libgomp"))
    assert (record["abi"], record["ompt"]) == (["GOMP"], False)


def test_a_libomp_offers_both_interfaces_and_tools() -> None:
    record = identity(library("libomp"))
    assert (record["abi"], record["ompt"]) == (["GOMP", "KMP"], True)


def test_files_names_do_not_count(tmp_path: Path) -> None:
    own = identity(library("libomp"))
    for name in ("libgomp.so.1", "libiomp5.so", "libbolt.so", "libxkomp.so"):
        copy = identity(copied(library("libomp"), tmp_path, name))
        if name == "libxkomp.so":  # only libKOMP is identified by its file's name
            assert copy["name"] == "libkomp"
        else:
            assert copy["name"] == "libomp"
            assert copy["build_id"] == own["build_id"]


def majors(text: str) -> range:
    """The major versions that a text such as `16`, `19-20` or `>=22` stands for."""
    numbers = [int(number) for number in re.findall(r"(?:^|[<>=-])(\d+)", text)]
    return range(numbers[0], 1000 if text.startswith(">=") else numbers[-1] + 1)


def test_versions_are_identified_by_entry_points() -> None:
    versions = versions_of_libomp()
    if not versions:
        pytest.skip("no libomp below runtimes/: scripts/get-runtime libomp 16")
    for path, version in versions.items():
        assert int(version.split(".")[0]) in majors(identity(path)["version"])


def test_a_folders_name_is_believed_only_where_the_entry_points_agree(tmp_path: Path) -> None:
    here = identity(copied(library("libomp"), tmp_path / "unnamed"))["version"]
    for major in (5, 13, 16, majors(here)[0], 99):
        folder = tmp_path / f"libomp-{major}.1.2" / "lib"
        folder.mkdir(parents=True)
        version_there = identity(copied(library("libomp"), folder))["version"]
        assert version_there == (f"{major}.1.2" if major in majors(here) else here)


def test_no_runtime_is_linked() -> None:
    listing = subprocess.run(
        [BIN / "identify"],
        env={**environment(), "LD_TRACE_LOADED_OBJECTS": "1"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "libjansson" in listing
    names = [Path(line.split()[0]).name for line in listing.splitlines()]
    assert not [name for name in names if "omp" in name]


def test_each_unidentified_library_is_one_line_and_the_others_are_still_identified(
    tmp_path: Path,
) -> None:
    text = tmp_path / "text.so"
    text.write_text("no library\n")
    plain = compiled(tmp_path / "plain.so", "int plain;")
    missing, beyond = tmp_path / "missing.so", text / "plain.so"
    result = identify(text, missing, beyond, plain, library(RUNTIME))
    assert result.status == 3
    assert [record["name"] for record in result.records] == [RUNTIME]
    assert len(result.errors) == 4
    reasons = ("cannot load", "No such file", "Not a directory", "not an OpenMP")
    for path, why in zip((text, missing, beyond, plain), reasons, strict=True):
        assert [line for line in result.errors if str(path) in line and why in line]


@needs_full
def test_a_full_standard_output_is_an_error() -> None:
    command = [BIN / "identify", library(RUNTIME)]
    with FULL.open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 3
    assert done.stderr == "identify: cannot write to standard output: No space left on device\n"


def test_a_crash_while_loading_is_only_that_librarys(tmp_path: Path) -> None:
    source = "__attribute__((constructor)) static void crash(void) { __builtin_trap(); }"
    crashing = compiled(tmp_path / "crash.so", source)
    result = identify(crashing, library(RUNTIME))
    assert result.status == 3
    assert [record["name"] for record in result.records] == [RUNTIME]
    assert "crashed while being loaded" in result.errors[0]


def test_a_shell_may_have_ignored_the_end_of_processes() -> None:
    """As by `trap '' CHLD`, which what it starts inherits."""
    ignoring = ["env", "--ignore-signal=CHLD", BIN / "identify"]
    assert run_command([*ignoring, library(RUNTIME)]).status == 0


def test_what_a_library_prints_does_not_come_between_the_lines(tmp_path: Path) -> None:
    source = """
    #include <stdio.h>
    int omp_get_thread_num(void) { return 0; }
    __attribute__((constructor)) static void greet(void) { puts("hello"); fflush(stdout); }"""
    result = identify(compiled(tmp_path / "talks.so", source), library(RUNTIME))
    assert result.status == 0
    assert [record["name"] for record in result.records] == ["unknown", RUNTIME]


def test_without_a_library_the_usage_is_shown() -> None:
    refused(identify(), 2, "no library given")
    refused(identify(Path("--wrong")), 2, "--wrong")


def test_tools_are_started_where_ompt_is_reported(tmp_path: Path) -> None:
    """The runtime itself is asked: it must call a tool's function or leave it alone."""
    source = """
    #include <stdio.h>
    void *ompt_start_tool(unsigned version, const char *runtime)
    { (void)version; (void)runtime; fputs("tool started\\n", stderr); return 0; }"""
    tool = compiled(tmp_path / "libtool.so", source)
    for name in ("libgomp", "libomp"):
        path = library(name)
        program = tmp_path / f"asks-{name}"
        subprocess.run(
            ["cc", "-x", "c", "-", "-o", program, "-x", "none", path],
            input="int omp_get_max_threads(void); int main(void) { omp_get_max_threads(); }",
            text=True,
            check=True,
        )
        settings = environment({"LD_PRELOAD": str(tool), "LD_LIBRARY_PATH": str(path.parent)})
        done = subprocess.run([program], env=settings, capture_output=True, text=True, check=False)
        assert ("tool started" in done.stderr) == identity(path)["ompt"], name
