# SPDX-License-Identifier: BSD-3-Clause
"""The kernel sets: which one runs, what names it, and what is said where a processor lacks one."""

import csv
import json
from functools import cache
from pathlib import Path

import pytest
from blas_kernels import chosen
from executable import (
    BENCHMARKS,
    SANITIZED,
    STAND_INS,
    Record,
    described,
    digests,
    of_results,
    refused,
    run,
    small_records,
    small_run,
    validate,
)

pytestmark = pytest.mark.any_runtime


@cache
def sets(benchmark: str) -> dict[str, Record]:
    """Those that a benchmark lists, by name."""
    return {s["kernels"]: s for s in described(benchmark)["kernel_sets"]}


def require_tuned(benchmark: str) -> None:
    if "tuned" not in sets(benchmark):
        pytest.skip(f"{benchmark} has one set")
    if not sets(benchmark)["tuned"]["available"]:
        pytest.skip(sets(benchmark)["tuned"]["reason"])


@pytest.fixture
def needs_tuned() -> None:
    require_tuned("lu")


@pytest.fixture(params=BENCHMARKS)
def with_tuned(request: pytest.FixtureRequest) -> str:
    """A benchmark whose set `tuned` runs here."""
    benchmark: str = request.param
    require_tuned(benchmark)
    return benchmark


@pytest.mark.skipif(SANITIZED, reason="the address sanitizer must be the first library")
def test_kernels_of_blas_without_a_name_are_not_named() -> None:
    table = run("lu", "-n", 64, "-t", 1, "-r", 1, settings=chosen("")).out.splitlines()[1]
    version = run("lu", "--version", settings=chosen("")).out
    assert "BLAS OpenBLAS 0.3.21, " in table
    assert "OpenBLAS 0.3.21, pthread build" in version


def test_the_table_says_that_one_of_its_tiles_is_a_guess(needs_tuned: None) -> None:
    def says_so(tiles: str) -> bool:
        options = ("-n", 64, "-t", 1, "-r", 1, "--kernels", "tuned", "-b", tiles)
        return "the default tile is a guess here" in run("lu", *options).out

    assert says_so("32,fastest") == says_so("fastest,32") == says_so("fastest")
    assert not says_so("32")


@of_results
@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_the_first_set_is_the_default(benchmark: str) -> None:
    first = next(iter(sets(benchmark)))
    assert first == "openblas" or [*sets(benchmark)] in (["loops"], ["fftw"])
    plain = small_records(benchmark, "-t", 1, "-c", "fast")
    named = small_run(benchmark, "-t", 1, "--kernels", first).records
    assert {record["kernels"] for record in plain + named} == {first}
    assert digests(plain) == digests(named)
    assert {i["kernels"] for i in described(benchmark)["instances"]} == {first}


@of_results
def test_another_set_computes_other_bits(with_tuned: str) -> None:
    plain = small_records(with_tuned, "-t", 1, "-c", "fast")
    tuned = small_run(with_tuned, "-t", 1, "--kernels", "tuned").records
    assert {record["kernels"] for record in tuned} == {"tuned"}
    ours, theirs = digests(tuned), digests(plain)
    assert ours.keys() == theirs.keys()
    assert not {run for run in ours if ours[run] == theirs[run]}


@pytest.mark.usefixtures("needs_tuned")
def test_every_output_names_the_set(tmp_path: Path) -> None:
    options = ("-n", 64, "-b", 16, "-t", 1, "-r", 1, "--kernels", "tuned")
    table = run("lu", *options, "--trace", tmp_path / "trace").out.splitlines()
    assert "kernels tuned," in table[1]
    assert " kernels=tuned " in table[-1]
    (row,) = csv.DictReader(run("lu", *options, "-f", "csv").out.splitlines())
    assert row["kernels"] == "tuned"
    header = json.loads((tmp_path / "trace").read_text().splitlines()[0])
    assert header["record"]["kernels"] == "tuned"
    instances = described("lu", "--kernels", "tuned")["instances"]
    assert {instance["kernels"] for instance in instances} == {"tuned"}


@pytest.mark.usefixtures("needs_tuned")
def test_the_memory_that_is_listed_is_that_of_the_set_asked_for() -> None:
    """OpenBLAS' reflectors of small tiles take products with T besides."""

    def listed(kernels: str) -> int:
        options = ("-n", 512, "-b", 64, "-i", 8, "--kernels", kernels)
        (instance,) = described("qr", *options)["instances"]
        return int(instance["bytes"])

    assert listed("tuned") < listed("openblas")


@cache
def offered() -> list[str]:
    """The instruction sets that this processor has, from the widest on."""
    found = []
    for isa in ("avx512", "avx2", "neon"):
        sets = described("lu", settings={"POLLUX_KERNELS_ISA": isa})["kernel_sets"]
        if any(s["kernels"] == "tuned" and s["available"] for s in sets):
            found.append(isa)
    return found


def tuned_for(isa: str, benchmark: str = "lu") -> list[Record]:
    """A small run of the suite's own code for one instruction set."""
    settings = {"POLLUX_KERNELS_ISA": isa}
    return small_run(benchmark, "-t", 1, "--kernels", "tuned", settings=settings).records


@of_results
def test_the_instruction_set_can_be_chosen_and_is_in_the_records(with_tuned: str) -> None:
    best = small_run(with_tuned, "-t", 1, "--kernels", "tuned").records
    (isa,) = {record["kernels_isa"] for record in best}
    assert digests(tuned_for(isa, with_tuned)) == digests(best)
    least = offered()[-1]
    chosen = tuned_for(least, with_tuned)
    validate(chosen)
    assert {record["kernels_isa"] for record in chosen} == {least}
    assert all(record["passed"] for record in chosen)


@of_results
def test_only_the_suites_own_code_has_an_instruction_set() -> None:
    plain = small_run("lu", "-t", 1, settings={"POLLUX_KERNELS_ISA": "avx2"}).records
    assert {record["kernels_isa"] for record in plain} == {None}


@of_results
def test_records_name_the_build_of_fftw() -> None:
    records = small_run("batched-fft", "-t", 1).records
    validate(records)
    (code,) = {record["kernels_isa"] for record in records}
    assert code.startswith("fftw-3.")


def test_an_unknown_instruction_set_is_refused_in_one_line() -> None:
    asked = run("lu", "--kernels", "tuned", settings={"POLLUX_KERNELS_ISA": "avx3"})
    refused(asked, 3, "POLLUX_KERNELS_ISA is none of avx512, avx2, neon", "--kernels openblas")


def test_a_processor_without_a_set_is_refused_it_in_one_line() -> None:
    line = refused(run("failing", "-n", 64, "--kernels", "tuned", folder=STAND_INS), 3, "--kernels")
    assert "it is for another processor" in line
    assert "--kernels openblas" in line


def test_a_processor_without_a_set_lists_what_it_lacks() -> None:
    result = run("failing", "--list", folder=STAND_INS)
    assert "openblas, tuned (not run: it is for another processor)" in result.out
    assert json.loads(run("failing", "--list", "-f", "json", folder=STAND_INS).out)[
        "kernel_sets"
    ] == [
        {"kernels": "openblas", "available": True, "reason": ""},
        {"kernels": "tuned", "available": False, "reason": "it is for another processor"},
    ]
