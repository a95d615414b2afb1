# SPDX-License-Identifier: BSD-3-Clause
"""docs/extending/ is right: its examples, applied to a copy of the sources, build and run."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from objects import ROOT, write_launcher
from page import Example, sections

PAGE = sections(ROOT / "docs" / "extending.md")
RUNTIME_FILES = 4  # that a new runtime may touch
BENCHMARK_FILES = 3  # that a new benchmark may touch outside its own folder
SECONDS_LIMIT = 600.0
BIN = Path("build/libomp/bin")
TESTS = Path("build/libomp/tests")
# Optimizing takes longer than all that these programs compute, and no example is about MPI.
QUICKLY_COMPILED = """
set(CMAKE_DISABLE_FIND_PACKAGE_MPI ON)
foreach(language C CXX)
  set(CMAKE_${language}_FLAGS_RELEASE "-O0 -DNDEBUG" CACHE STRING "")
endforeach()
set(CMAKE_C_COMPILER_LAUNCHER "%s" CACHE STRING "")
"""
ROUTINES = """
name = "routines"
processes = 6
repetitions = 1
[runtimes.libomp]
preset = "libomp"
[grid]
benchmark = "routines"
variant = "all"
threads = 1
"""
WAITING = """
name = "wait"
processes = 6
[runtimes.libomp]
preset = "libomp"
[grid]
benchmark = "cholesky"
variant = "depend"
size = 64
wait = ["active", "passive"]
"""
# Tasks of the tests are more than there may be processors.
QUIET = {"OPENBLAS_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive"}


def touched_by(*names: str) -> set[str]:
    """The files that the examples of these sections make or change."""
    return {path for name in names for example in PAGE[name] if (path := example.touched())}


class Checkout:
    """A copy of the sources, with this checkout's tools."""

    def __init__(self, root: Path) -> None:
        self.root = root
        listed = run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], ROOT)
        # Compiled loops too, which hold for the same sources at the same times.
        loops = [
            str(path.relative_to(ROOT)) for path in ROOT.glob("scripts/pollux/**/__pycache__/*.nb?")
        ]
        for name in [*filter(None, listed.split("\0")), *loops]:
            source, copy = ROOT / name, root / name
            if source.is_file():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, copy)
        (root / ".venv").symlink_to(Path(sys.prefix))
        (root / "scripts" / "setup").write_text("#!/bin/sh\n")  # all is set up
        with (root / "cmake" / "toolchains" / "common.cmake").open("a") as file:
            file.write(QUICKLY_COMPILED % write_launcher(root, touched_by(*PAGE)))

    def apply(self, examples: Sequence[Example]) -> None:
        """Apply a section's examples in their order, and run its commands where they stand."""
        for example in examples:
            example.apply(self.root)
            if example.directive == "run":
                self.output = self.run(["bash", "-euxc", example.text])

    def run(self, command: Sequence[str | Path], **variables: str) -> str:
        environment = {
            **os.environ,
            **QUIET,
            **variables,
            "PATH": f"{self.root}/.venv/bin:{os.environ['PATH']}",
            "PYTHONPATH": f"{self.root}/scripts",
        }
        return run(command, self.root, environment)

    def pollux(self, *arguments: str) -> str:
        return self.run([".venv/bin/pollux", *arguments])

    def build(self, *targets: str) -> None:
        """Build tests of the C code."""
        self.run(["cmake", "--preset", "libomp", "-DPOLLUX_BUILD_TESTS=ON"])
        self.run(["cmake", "--build", "--preset", "libomp", "--target", *targets])

    def gtest(self, program: str, pattern: str) -> str:
        output = self.run([TESTS / program, f"--gtest_filter={pattern}"])
        assert "[  PASSED  ] 0 tests" not in output, f"no test of {program} is called {pattern}"
        return output


def run(
    command: Sequence[str | Path], folder: Path, environment: dict[str, str] | None = None
) -> str:
    """What a command printed; at the limit all that it started ends with it."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=SECONDS_LIMIT)
    except BaseException:  # the limit, or an interrupt, which does not reach the new session
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    assert process.returncode == 0, f"{command}\n{out[-4000:]}\n{err[-4000:]}"
    return out


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A copy to which every section of the page has been applied."""
    copy = Checkout(tmp_path_factory.mktemp("extended") / "pollux")
    for name, examples in PAGE.items():
        if name != "A runtime":
            copy.apply(examples)
    copy.build("variants_test", "kernels_test", "graph_test")
    return copy


def test_every_code_block_says_where_it_belongs() -> None:
    for name, examples in PAGE.items():
        for example in examples:
            assert example.directive or example.language == "text", f"{name}: {example.text}"


def test_variant_agrees_with_the_others_on_square_and_tall_tiles(checkout: Checkout) -> None:
    command: list[str | Path] = [
        BIN / "cholesky",
        "-v",
        "depend,coarse",
        "-n",
        "300",
        "-b",
        "32,96x32",
        "-c",
        "full",
    ]
    lines = checkout.run([*command, "-r", "1", "-w", "0", "-f", "json"]).splitlines()
    records = [json.loads(line) for line in lines]
    assert len(records) == 4
    assert all(record["passed"] for record in records)
    by_tile = {(r["mb"], r["variant"]): r["digest"] for r in records}
    assert by_tile[32, "coarse"] == by_tile[32, "depend"]
    assert by_tile[96, "coarse"] == by_tile[96, "depend"]


def test_variant_passes_the_tests_of_all_variants(checkout: Checkout) -> None:
    checkout.gtest("variants_test", "*coarse*")
    checkout.gtest("graph_test", "All/Graph*:All/Domains*")


def test_kernel_passes_its_test(checkout: Checkout) -> None:
    checkout.gtest("kernels_test", "TrmmRightLower.*")


def test_benchmark_passes_the_tests_of_all_benchmarks(checkout: Checkout) -> None:
    checkout.gtest("variants_test", "*gauss*")


def test_benchmark_touches_few_files_outside_its_folder() -> None:
    outside = {n for n in touched_by("A benchmark") if not n.startswith("benchmarks/gauss/")}
    pages = {"docs/variants.md"}
    assert len(outside | pages) <= BENCHMARK_FILES, outside


def test_runtime_touches_few_files() -> None:
    pages = {"docs/runtimes/mine.md"}
    assert len(touched_by("A runtime") | pages) <= RUNTIME_FILES, touched_by("A runtime")


def test_benchmark_works_in_every_command(checkout: Checkout, tmp_path: Path) -> None:
    instance = ("gauss", "--size", "256", "--tile", "64", "--runtime", "libomp")
    assert "gemm" in checkout.pollux("graph", *instance)
    assert "gauss" in checkout.pollux("explain", *instance, "--rounds", "1")
    assert "GFlop/s" in checkout.pollux(
        "simulate", *instance, "--workers", "4", "--measure", "libomp", "--rounds", "1"
    )
    checkout.pollux("gantt", *instance, "-o", str(tmp_path / "gantt.svg"))
    tuned = ("--size", "256", "--tile", "32,64", "--heights", "1", "--rounds", "6")
    checkout.pollux("tune", "--benchmark", "gauss", *tuned, "--runtime", "libomp")
    checkout.pollux("compare")
    checkout.pollux("plot", "--output", str(tmp_path))
    checkout.pollux("report", "--output", str(tmp_path / "report.html"))
    assert "gauss" in (tmp_path / "report.html").read_text()


def test_an_axis_is_one_entry_that_campaigns_compare(checkout: Checkout, tmp_path: Path) -> None:
    assert touched_by("An axis of campaigns") == {"scripts/pollux/core/campaign/axes.py"}
    campaign, records = tmp_path / "wait.toml", tmp_path / "wait.jsonl"
    campaign.write_text(WAITING)
    checkout.pollux("run", str(campaign), "--output", str(records))
    lines = [json.loads(line) for line in records.read_text().splitlines()]
    found = [r["runtime"]["env"] for line in lines for r in line.get("records", [])]
    assert {own["OMP_WAIT_POLICY"] for own in found} == {"active", "passive"}
    compared = checkout.pollux("compare", str(records), "--by", "wait", "--format", "json")
    rows = json.loads(compared)["rows"]
    assert {row["level"] for row in rows} == {"active", "passive"}
    assert "wait" in checkout.pollux("compare", str(records))
    schema = json.loads((checkout.root / "docs/campaign.schema.json").read_text())
    assert '"wait"' in json.dumps(schema)


def test_command_lists_digests(checkout: Checkout) -> None:
    lines = checkout.pollux("digests").splitlines()
    assert any("gauss depend" in line for line in lines)
    assert "digests" in checkout.pollux("--help")


def test_micro_benchmark_fits_its_schema_and_works_in_campaigns(
    checkout: Checkout, tmp_path: Path
) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((checkout.root / "docs/record.schema.json").read_text())
    validator = jsonschema.Draft202012Validator(schema)
    lines = checkout.run([BIN / "routines", "-r", "1", "-f", "json"]).splitlines()
    records = [json.loads(line) for line in lines]
    assert [record["variant"] for record in records] == ["thread-num", "wtime"]
    for record in records:
        assert [error.message for error in validator.iter_errors(record)] == []
    campaign = tmp_path / "routines.toml"
    campaign.write_text(ROUTINES)
    checkout.pollux("run", str(campaign))
    assert "wtime" in checkout.pollux("compare")


def test_runtime_is_found_built_and_recognised(checkout: Checkout) -> None:
    checkout.apply(PAGE["A runtime"])
    record = checkout.run([BIN / "cholesky", "-n", "50", "-r", "1", "-f", "json"]).splitlines()[0]
    library = Path(json.loads(record)["runtime"]["path"])
    prefix = checkout.root / "runtimes" / "mine"
    (prefix / "lib").mkdir(parents=True)
    shutil.copy(library, prefix / "lib" / "libmine.so")
    checkout.run(["cmake", "--preset", "mine", "-DPOLLUX_BUILD_TESTS=OFF"])
    checkout.run(["cmake", "--build", "--preset", "mine", "--target", "wake-up"])
    told = checkout.run(["build/mine/bin/wake-up", "-t", "2", "-r", "1", "-f", "json"])
    runtime = json.loads(told.splitlines()[0])["runtime"]
    assert (runtime["name"], runtime["expected"]) == ("mine", "mine")
    assert runtime["path"] == str((prefix / "lib" / "libmine.so").resolve())
