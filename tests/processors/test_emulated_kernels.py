# SPDX-License-Identifier: BSD-3-Clause
"""What happens to kernels that OpenBLAS chooses or is asked for, on processors of every kind.

The tests of the C code have every name on every kind, and tests/cli what happens to it here.
"""

import signal
from functools import cache

import pytest
from blas_kernels import (
    INSTEAD,
    asked,
    chosen,
    expect_asked,
    expect_stuck,
    stuck,
    used,
)
from emulator import (
    HASWELL,
    NEHALEM,
    SANDYBRIDGE,
    Cpu,
    dies_while_it_is_loaded,
    emulate,
    emulate_inside,
    emulated,
    settings_to_stay,
)
from executable import run
from libraries import SMALL

OPTIONS = (*SMALL, "-f", "json")


@cache
def openblas() -> str:
    """The library that the programs load."""
    (record,) = run("lu", *OPTIONS).records
    return str(record["blas"]["path"])


# What each kind cannot execute, and what is far below the one that can be asked for that.
MISFITS = (
    (NEHALEM, "Sandybridge"),
    (SANDYBRIDGE, "Haswell"),
    (HASWELL, "SkylakeX"),
    (HASWELL, "generic"),
)
pytestmark = [emulated, pytest.mark.parametrize(("cpu", "core"), MISFITS, ids=str)]


def test_kernels_that_do_not_fit_are_to_be_replaced(core: str, cpu: Cpu) -> None:
    better = INSTEAD[core][cpu.simd]
    result = emulate(cpu, "lu", *OPTIONS, settings=chosen(core))
    assert settings_to_stay(result).get("OPENBLAS_CORETYPE") == better
    assert better is not None
    used(emulate_inside(cpu, "lu", *OPTIONS, settings=chosen(core)), better)


def test_kernels_that_do_not_fit_and_cannot_be_changed_are_refused(core: str, cpu: Cpu) -> None:
    expect_stuck(emulate_inside(cpu, "lu", *OPTIONS, settings=stuck(core)), core, cpu.simd)


def test_kernels_far_below_the_cpu_are_used_with_a_warning_if_asked_for(
    core: str, cpu: Cpu
) -> None:
    result = emulate_inside(cpu, "lu", *OPTIONS, settings=asked(core))
    if dies_while_it_is_loaded(openblas(), cpu, {"OPENBLAS_CORETYPE": core}):
        assert result.status == -signal.SIGILL  # no line of a program runs before that
    else:
        expect_asked(result, core, cpu.simd)
