# SPDX-License-Identifier: BSD-3-Clause
"""Micro-benchmarks, conformance programs and tools on processors that are not at hand.

Those that compute nothing have no code for one processor or another: the least one runs all
micro-benchmarks, and one of these and one conformance program run on all processors.
"""

from pathlib import Path

import pytest
from emulator import CPUS, Cpu, emulate, emulate_inside, emulated, on_the_least
from executable import MICRO_BENCHMARKS, described, refused, run, validate
from libraries import library
from micro_benchmarks import available
from system_tree import write_machine

FEW = 16  # tasks, partitions

pytestmark = emulated
cpus = pytest.mark.parametrize("cpu", CPUS, ids=str)


def few(benchmark: str) -> tuple[object, ...]:
    """The options for a small size and few cycles of a micro-benchmark that has them."""
    description = described(benchmark)
    cycles = any(p["parameter"] == "cycles" for p in description["parameters"])
    return (*(("--size", FEW) if description["size"] else ()), *(("--cycles", 1) if cycles else ()))


@pytest.mark.parametrize(("benchmark", "cpu"), on_the_least(MICRO_BENCHMARKS), ids=str)
def test_micro_benchmarks_pass_their_checks(benchmark: str, cpu: Cpu) -> None:
    options = ("-t", 2, "-r", 1, "-w", 0, "-f", "json", *few(benchmark))
    result = emulate_inside(cpu, benchmark, *options)
    assert result.status == 0, result.err
    validate(result.records)
    found = {record["variant"] for record in result.records}
    assert found == {variant["variant"] for variant in available(benchmark)}


@cpus
def test_the_runtime_keeps_a_rule(cpu: Cpu) -> None:
    options = ("--threads", 2, "--trials", 2)
    result = emulate_inside(cpu, "conformance/depend-order", *options)
    assert result.status == 0, result.out + result.err


@cpus
def test_the_speed_is_measured(cpu: Cpu) -> None:
    result = emulate_inside(cpu, "calibration", "-t", 2, "-m", 1)
    assert result.status == 0, result.err
    (record,) = result.records
    assert len(record["gflops"]) == 2


@cpus
def test_libraries_are_identified(cpu: Cpu) -> None:
    path = library("libgomp")
    assert emulate(cpu, "identify", path) == run("identify", path)


@cpus
def test_power_is_sampled(cpu: Cpu, tmp_path: Path) -> None:
    write_machine(tmp_path, "two-sockets")
    planted = {"POLLUX_SYSTEM_ROOT": str(tmp_path)}
    result = emulate(cpu, "power-sampler", "--duration", "0.01", settings=planted)
    assert result.status == 0, result.err
    assert result.out.startswith("# pollux-power/1 ")


@cpus
def test_a_machine_without_counters_is_refused(cpu: Cpu, tmp_path: Path) -> None:
    (tmp_path / "sys").mkdir()
    planted = {"POLLUX_SYSTEM_ROOT": str(tmp_path)}
    refused(emulate(cpu, "power-sampler", settings=planted), 3, "nothing can be sampled here")
