# SPDX-License-Identifier: BSD-3-Clause
"""What must happen to kernels that OpenBLAS chooses or is asked for, on any kind of processor."""

from enum import IntEnum
from pathlib import Path

from executable import STAND_INS, Result, Settings, refused

DOCTORED = {"LD_PRELOAD": str(STAND_INS / "doctored_blas.so")}


class Simd(IntEnum):
    """What a processor executes; each includes those before it."""

    SSE = 0
    AVX = 1
    AVX2 = 2
    AVX512 = 3


FLAGS = {
    Simd.AVX512: {"avx512f", "avx512dq", "avx512bw", "avx512vl"},
    Simd.AVX2: {"avx2", "fma"},
    Simd.AVX: {"avx"},
    Simd.SSE: {"sse2"},
}

KEPT = None
# Kernels, with those that take their place on processors with SSE, AVX, AVX2 and AVX-512.
INSTEAD: dict[str, tuple[str | None, str | None, str | None, str | None]] = {
    "generic": (KEPT, KEPT, "Haswell", "SkylakeX"),
    "Prescott": (KEPT, KEPT, "Haswell", "SkylakeX"),
    "Nehalem": (KEPT, KEPT, "Haswell", "SkylakeX"),
    "Sandybridge": ("Prescott", KEPT, "Haswell", "SkylakeX"),
    "Haswell": ("Prescott", "Sandybridge", KEPT, KEPT),
    "Zen": ("Prescott", "Sandybridge", KEPT, KEPT),
    "SkylakeX": ("Prescott", "Sandybridge", "Haswell", KEPT),
    "Cooperlake": ("Prescott", "Sandybridge", "Haswell", KEPT),
    "SapphireRapids": ("Prescott", "Sandybridge", "Haswell", KEPT),
    "SAPPHIRERAPIDS": ("Prescott", "Sandybridge", "Haswell", KEPT),
    "LunarLakeX": (KEPT, KEPT, KEPT, KEPT),  # nobody knows it: accepted
}
# The first of each of these rows.
REPRESENTATIVES = [*{row: core for core, row in reversed(INSTEAD.items())}.values()][::-1]


def simd_here() -> Simd | None:
    """What this processor executes; None where it is not one of x86-64."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return None
    flags = next((set(line.split()) for line in lines if line.startswith("flags")), set())
    return next((level for level, needed in FLAGS.items() if needed <= flags), None)


def chosen(core: str) -> Settings:
    """An OpenBLAS that chooses these kernels, unless it is asked for others."""
    return {**DOCTORED, "DOCTORED_CORE": core, "DOCTORED_VERSION": "0.3.21"}


def stuck(core: str) -> Settings:
    """An OpenBLAS that has no other kernels."""
    return {**chosen(core), "DOCTORED_STUBBORN": "1"}


def asked(core: str) -> Settings:
    """An OpenBLAS that is asked for these kernels by the user."""
    return {**chosen("Haswell"), "OPENBLAS_CORETYPE": core}


def used(result: Result, core: str) -> None:
    """Expects a run with these kernels, and no word about them."""
    assert result.status == 0, result.err
    assert {record["blas"]["core"] for record in result.records} == {core}
    assert "OPENBLAS_CORETYPE" not in result.err


def how(core: str, cpu: Simd) -> str:
    """What is wrong with kernels that do not fit."""
    level = next((i for i in Simd if INSTEAD[core][i] is KEPT), Simd.AVX512)
    return "cannot execute" if level > cpu else "far below this CPU"


def expect_stuck(result: Result, core: str, cpu: Simd) -> None:
    """The end of a run whose OpenBLAS has no other kernels."""
    better = INSTEAD[core][cpu]
    if better is KEPT:
        used(result, core)
    else:
        refused(result, 3, f"its {core} kernels", how(core, cpu), f"to {better}", "OpenBLAS_ROOT")


def expect_asked(result: Result, core: str, cpu: Simd) -> None:
    """The end of a run whose user asked for the kernels."""
    better = INSTEAD[core][cpu]
    if better is KEPT:
        used(result, core)
    elif how(core, cpu) == "cannot execute":
        refused(result, 3, f"OPENBLAS_CORETYPE={core}", "cannot execute", f"set it to {better}")
    else:
        assert result.status == 0, result.err
        assert f"warning: OPENBLAS_CORETYPE={core} makes" in result.err
        assert f"use {better} instead" in result.err
        assert {record["blas"]["core"] for record in result.records} == {core}
