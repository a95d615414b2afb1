# SPDX-License-Identifier: BSD-3-Clause
"""The kernels that OpenBLAS uses: kept where they fit the processor, else mended, refused, or used
with a warning. The tests of the C code have every name."""

from pathlib import Path

import pytest
from blas_kernels import (
    DOCTORED,
    INSTEAD,
    REPRESENTATIVES,
    Simd,
    asked,
    chosen,
    expect_asked,
    expect_stuck,
    simd_here,
    stuck,
    used,
)
from executable import SANITIZED, Result, Settings, refused, run, validate
from libraries import SMALL

pytestmark = [
    pytest.mark.any_runtime,
    pytest.mark.skipif(SANITIZED, reason="the address sanitizer must be the first library"),
    pytest.mark.skipif(simd_here() is None, reason="the kernels are those of x86-64"),
]
CPU = simd_here() or Simd.SSE
MISFITS = [core for core, instead in INSTEAD.items() if instead[CPU]]


def lu(settings: Settings) -> Result:
    return run("lu", *SMALL, "-f", "json", settings=settings)


@pytest.mark.parametrize("core", REPRESENTATIVES)
def test_kernels_that_do_not_fit_the_cpu_are_mended_by_a_restart(core: str) -> None:
    better = INSTEAD[core][CPU]
    result = lu(chosen(core))
    used(result, better or core)
    assert result.records[0]["runtime"]["env_set"].get("OPENBLAS_CORETYPE") == better


@pytest.mark.parametrize("core", REPRESENTATIVES)
def test_kernels_that_do_not_fit_and_cannot_be_changed_are_refused(core: str) -> None:
    expect_stuck(lu(stuck(core)), core, CPU)


@pytest.mark.parametrize("core", REPRESENTATIVES)
def test_kernels_far_below_the_cpu_are_used_with_a_warning_if_asked_for(core: str) -> None:
    expect_asked(lu(asked(core)), core, CPU)


@pytest.mark.parametrize("core", MISFITS)
def test_a_wrong_name_that_leads_to_unfit_kernels_is_to_be_changed(core: str) -> None:
    """OpenBLAS ignores a name that it does not know: the build is not at fault."""
    result = lu({**stuck(core), "OPENBLAS_CORETYPE": "Skylark"})
    message = refused(result, 3, "OPENBLAS_CORETYPE=Skylark", f"its {core} kernels")
    assert f"set it to {INSTEAD[core][CPU]}" in message


def test_a_version_whose_kernels_overrun_their_buffers_here_is_refused() -> None:
    """OpenBLAS 0.3.34 on AMD processors with AVX-512, with its kernels for AVX2."""
    is_amd = "AuthenticAMD" in Path("/proc/cpuinfo").read_text()
    result = lu({**asked("Zen"), "DOCTORED_VERSION": "0.3.34"})
    if is_amd and CPU == Simd.AVX512:
        refused(result, 3, "OpenBLAS 0.3.34", "its Zen kernels", "unset OPENBLAS_CORETYPE")
    else:
        used(result, "Zen")


def test_a_version_that_is_not_known_is_null() -> None:
    records = lu({**DOCTORED, "DOCTORED_VERSION": ""}).records
    validate(records)
    assert records[0]["blas"]["version"] is None


@pytest.mark.parametrize(("kind", "word"), [("0", "serial"), ("2", "OpenMP")])
def test_builds_of_openblas_that_tasks_cannot_use_are_refused(kind: str, word: str) -> None:
    refused(lu({**DOCTORED, "DOCTORED_PARALLEL": kind}), 3, word, "pthread build")
