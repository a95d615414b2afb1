# SPDX-License-Identifier: BSD-3-Clause
"""Benchmarks on processors that are not at hand: right results, by the kernels that fit."""

import json
from functools import cache
from typing import Any

import pytest
from blas_kernels import Simd, simd_here
from emulator import CPUS, HASWELL, ROME, Cpu, emulate, emulate_inside, emulated
from executable import BENCHMARKS, Record, Result, described, digests, refused, run, variants

# Tiles of three sizes: 24 x 24, and smaller ones at the edges.
SMALL = (
    "-n",
    64,
    "-b",
    24,
    "-t",
    2,
    "-v",
    "all",
    "-r",
    1,
    "-w",
    0,
    "--check",
    "full",
    "-f",
    "json",
)
SHALLOW = {"cell-tree": ("--depth", 2)}


def small(benchmark: str) -> tuple[object, ...]:
    return (*SMALL, *SHALLOW.get(benchmark, ()))


def kernel_sets(description: dict[str, Any]) -> dict[str, bool]:
    return {s["kernels"]: s["available"] for s in description["kernel_sets"]}


TUNED = "tuned"
pytestmark = emulated
benchmarks = pytest.mark.parametrize("benchmark", BENCHMARKS)
cpus = pytest.mark.parametrize("cpu", CPUS, ids=str)


@cache
def records_on(cpu: Cpu, benchmark: str) -> list[Record]:
    result = emulate_inside(cpu, benchmark, *small(benchmark))
    assert result.status == 0, result.err
    return result.records


@cpus
@benchmarks
def test_all_variants_pass_their_checks(benchmark: str, cpu: Cpu) -> None:
    records = records_on(cpu, benchmark)
    runnable = {v["variant"] for v in variants(benchmark) if v["available"]}
    assert {record["variant"] for record in records} == runnable
    assert all(record["passed"] for record in records)
    assert {record["blas"]["core"] for record in records} == {cpu.kernels}
    assert all("OPENBLAS_CORETYPE" not in record["runtime"]["env"] for record in records)


@benchmarks
def test_kernels_for_the_same_instructions_compute_the_same_bits(benchmark: str) -> None:
    """OpenBLAS' kernels for Zen are those for Haswell."""
    assert digests(records_on(HASWELL, benchmark)) == digests(records_on(ROME, benchmark))


def run_as_haswell(benchmark: str, *options: object, **variables: str) -> Result:
    """A run here with the kernels for Haswell, which some builds of OpenBLAS cannot run here."""
    settings = {"OPENBLAS_CORETYPE": "Haswell", **variables}
    result = run(benchmark, *options, settings=settings)
    if "overruns its buffers" in result.err:
        pytest.skip(result.err)
    return result


@benchmarks
@pytest.mark.skipif((simd_here() or 0) < Simd.AVX2, reason="this CPU has no AVX2")
def test_an_emulated_processor_computes_the_bits_of_a_real_one(benchmark: str) -> None:
    if "fftw" in kernel_sets(described(benchmark)):
        pytest.skip("FFTW chooses its code by more than AVX2")
    real = run_as_haswell(benchmark, *small(benchmark))
    assert real.status == 0, real.err
    assert digests(records_on(HASWELL, benchmark)) == digests(real.records)


@cpus
@benchmarks
def test_own_kernels_compute_the_same_bits_wherever_avx2_is_and_are_refused_elsewhere(
    benchmark: str, cpu: Cpu
) -> None:
    if TUNED not in kernel_sets(described(benchmark)):
        pytest.skip(f"{benchmark} has one set")
    listed = emulate(cpu, benchmark, "--list", "-f", "json")
    assert listed.status == 0, listed.err
    available = kernel_sets(json.loads(listed.out))[TUNED]
    assert available == (cpu.simd >= Simd.AVX2)
    result = emulate_inside(cpu, benchmark, *small(benchmark), "--kernels", TUNED)
    if not available:
        refused(result, 3, f"--kernels {TUNED} cannot run here", "AVX2", "use --kernels openbl")
        return
    assert result.status == 0, result.err
    assert all(record["passed"] for record in result.records)
    assert {(r["kernels"], r["kernels_isa"]) for r in result.records} == {(TUNED, "avx2")}
    if (simd_here() or 0) >= Simd.AVX2:
        options = (*small(benchmark), "--kernels", TUNED)
        real = run_as_haswell(benchmark, *options, POLLUX_KERNELS_ISA="avx2")
        assert digests(result.records) == digests(real.records)
