# SPDX-License-Identifier: BSD-3-Clause
"""Runs programs on processors that qemu-user emulates."""

import platform
import re
import shutil
import signal
from collections.abc import Iterable
from typing import NamedTuple

import pytest
from blas_kernels import Simd
from executable import BIN, Result, Settings, run_command

QEMU = shutil.which("qemu-x86_64")
COMPLAINT = re.compile(r"^qemu-x86_64: warning: TCG doesn't support requested feature.*\n", re.M)
LEFT = re.compile(r"restarting itself with (.+), it has left the emulator .*: set (?:it|them) you")


emulated = pytest.mark.skipif(
    QEMU is None or platform.machine() != "x86_64",
    reason="needs qemu-x86_64, which scripts/setup --tests installs, and a build for x86-64",
)


class Cpu(NamedTuple):
    """A processor by its name in qemu, and what Pollux must find of it."""

    name: str
    simd: Simd
    kernels: str  # that OpenBLAS chooses
    brand: str  # as it calls itself

    def __str__(self) -> str:
        return self.name


NEHALEM = Cpu("Nehalem", Simd.SSE, "Nehalem", "Intel Core i7 9xx (Nehalem Class Core i7)")
SANDYBRIDGE = Cpu("SandyBridge", Simd.AVX, "Sandybridge", "Intel Xeon E312xx (Sandy Bridge)")
HASWELL = Cpu("Haswell", Simd.AVX2, "Haswell", "Intel Core Processor (Haswell)")
ROME = Cpu("EPYC-Rome", Simd.AVX2, "Zen", "AMD EPYC-Rome Processor")
CPUS = (NEHALEM, SANDYBRIDGE, HASWELL, ROME)
KINDS = (NEHALEM, SANDYBRIDGE, HASWELL)  # one of each level of instructions
LEAST = NEHALEM  # runs what the others run too, unless it is chosen by processor


def on_the_least(programs: Iterable[str]) -> list[tuple[str, Cpu]]:
    """Each of the programs on the least processor, the first on the others too."""
    first, *more = programs
    return [*((first, cpu) for cpu in CPUS), *((program, LEAST) for program in more)]


def emulate(cpu: Cpu, program: str, *arguments: object, settings: Settings | None = None) -> Result:
    """Runs an executable once; the emulator itself loads nothing that LD_PRELOAD names."""
    preloaded = {n: v for n, v in (settings or {}).items() if n.startswith("LD_")}
    others = {n: v for n, v in (settings or {}).items() if n not in preloaded}
    inside = [word for n, v in preloaded.items() for word in ("-E", f"{n}={v}")]
    command = [QEMU, "-cpu", cpu.name, *inside, BIN / program, *arguments]
    status, out, err = run_command(command, others)
    return Result(status, out, COMPLAINT.sub("", err))


def dies_while_it_is_loaded(library: str, cpu: Cpu, settings: Settings) -> bool:
    """Whether a library itself executes what the processor lacks, as OpenBLAS 0.3.29 does for
    kernels that it is asked for: any program that loads it then ends, whatever it does."""
    inside = [
        word for n, v in {**settings, "LD_PRELOAD": library}.items() for word in ("-E", f"{n}={v}")
    ]
    return run_command([QEMU, "-cpu", cpu.name, *inside, "/bin/true"]).status == -signal.SIGILL


def settings_to_stay(result: Result) -> Settings:
    """Those with which a program that has left the emulator would have stayed inside."""
    found = LEFT.search(result.err)
    return dict(setting.split("=", 1) for setting in found[1].split(", ")) if found else {}


def emulate_inside(
    cpu: Cpu, program: str, *arguments: object, settings: Settings | None = None
) -> Result:
    """Runs an executable, with the settings that it asks for if it would leave the emulator."""
    result = emulate(cpu, program, *arguments, settings=settings)
    needed = settings_to_stay(result)
    if not needed:
        return result
    return emulate(cpu, program, *arguments, settings={**(settings or {}), **needed})
