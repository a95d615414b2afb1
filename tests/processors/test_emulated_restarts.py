# SPDX-License-Identifier: BSD-3-Clause
"""A restart leads out of an emulator that does not follow it: the program says so, and how to
stay."""

import shutil

import pytest
from emulator import CPUS, Cpu, emulate, emulated, on_the_least, settings_to_stay
from executable import BIN, Result, refused, run, run_command
from libraries import SMALL

VALGRIND = shutil.which("valgrind")
needs_valgrind = pytest.mark.skipif(VALGRIND is None, reason="no valgrind on PATH")

PROGRAMS = {
    "lu": SMALL,
    "regions": ("-r", 1),
    "calibration": (),
    "conformance/priority-order": (),
}


@emulated
@pytest.mark.parametrize(("program", "cpu"), on_the_least(PROGRAMS), ids=str)
def test_a_program_that_has_left_qemu_says_so(program: str, cpu: Cpu) -> None:
    result = emulate(cpu, program, *PROGRAMS[program])
    refused(result, 3, "left the emulator that it was started in", cpu.brand)
    assert settings_to_stay(result)


@emulated
@pytest.mark.parametrize("cpu", CPUS, ids=str)
def test_a_program_that_needs_no_restart_stays_in_qemu(cpu: Cpu) -> None:
    needed = settings_to_stay(emulate(cpu, "lu", *SMALL, "-f", "json"))
    (record,) = emulate(cpu, "lu", *SMALL, "-f", "json", settings=needed).records
    assert record["runtime"]["env_set"] == {}
    assert record["blas"]["core"] == cpu.kernels


def under_valgrind(*options: str) -> Result:
    return run_command([VALGRIND, "--quiet", *options, BIN / "lu", *SMALL, "-f", "json"])


@needs_valgrind
def test_a_program_that_has_left_valgrind_says_so() -> None:
    result = under_valgrind()
    assert (result.status, result.out) == (3, "")
    assert "left the emulator that it was started in" in result.err
    assert settings_to_stay(result)


@needs_valgrind
def test_valgrind_can_follow_the_restart() -> None:
    result = under_valgrind("--trace-children=yes")
    assert result.status == 0, result.err
    (inside,) = result.records
    (outside,) = run("lu", *SMALL, "-f", "json").records
    assert inside["runtime"]["env_set"].keys() == outside["runtime"]["env_set"].keys()
    assert inside["passed"]
