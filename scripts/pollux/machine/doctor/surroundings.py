# SPDX-License-Identifier: BSD-3-Clause
"""Checks of the shell and the system around a campaign: variables, tools, rights and room."""

from pollux.core.control_groups import least_quota
from pollux.core.executables.variables import BINDING, relevant, threads_within
from pollux.core.text import counted
from pollux.machine.doctor.finding import Finding, bad, caution, good
from pollux.machine.doctor.machine import Machine

PACKAGERS = {
    "apt-get": "sudo apt-get install gdb",
    "dnf": "sudo dnf install gdb",
    "zypper": "sudo zypper install gdb",
    "pacman": "sudo pacman -S gdb",
    "apk": "sudo apk add gdb",
}
# Values of ptrace_scope (kernel: admin-guide/LSM/Yama.rst). Below the first gdb may attach to what
# Pollux starts, since executables permit it to all of their user (common/base/parent.c).
ADMINISTRATORS = 2
NOBODY = 3
CAP_SYS_PTRACE = 19
MIB = 2**20
BIND = "OMP_PROC_BIND"
SEQUENTIAL = {f"{blas}_NUM_THREADS": "1" for blas in ("OPENBLAS", "BLIS", "MKL")}
LITTLE_BYTES = 1024 * MIB  # a run's record takes about 2 KB: many campaigns
TOO_LITTLE_BYTES = 64 * MIB


def variables(machine: Machine) -> Finding:
    found = relevant(machine.environment)
    text = ", ".join(f"{name}={value}" for name, value in found.items()) or "none set"
    count = usual_threads(machine)
    disturbing = [name for name, value in found.items() if disturbs(name, value.strip(), count)]
    if not disturbing:
        return good(text)
    command = f"unset {' '.join(disturbing)}"
    if is_on_one_place(bound := found.get(BIND, "")) and count > 1:
        return bad(text, f"{BIND}={bound} puts all threads on one place", command)
    threads = found.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if threads.isdecimal() and int(threads) > count:
        brief = f"OMP_NUM_THREADS={threads} for {counted(count, 'processor')}"
        return bad(text, brief, command)
    return caution(text, f"set in the shell: {' '.join(disturbing)}", command)


def usual_threads(machine: Machine) -> int:
    """Those of a campaign's processes, as core/executables/variables.py counts them."""
    quota = least_quota(machine.read)
    return threads_within(len(machine.allowed), quota.processors if quota else None)


def disturbs(name: str, value: str, threads: int) -> bool:
    """Whether a variable asks for something else than a campaign with so many threads would."""
    if name in BINDING:  # steady times: no caution needed
        return value.lower() == "false" or is_on_one_place(value)
    # Modules of HPC centres set the path; what is loaded by it is identified and recorded.
    same = {"LD_LIBRARY_PATH": value, "OMP_NUM_THREADS": str(threads)}
    return value != (same | SEQUENTIAL).get(name)


def is_on_one_place(binding: str) -> bool:
    """Whether the threads of the outermost team share the place of the first one."""
    return binding.split(",")[0].strip().lower() in ("primary", "master")


def debugger(machine: Machine) -> Finding:
    ran = machine.run("gdb", "--version")
    if ran is None or ran.status:
        command = next((c for name, c in PACKAGERS.items() if has_program(machine, name)), "")
        return caution("no gdb", "no gdb: no stacks of hanging runs", machine.inside(command))
    lines = ran.stdout.splitlines()
    found = lines[0] if lines else "gdb"
    scope = machine.number("proc/sys/kernel/yama/ptrace_scope") or 0
    if scope < ADMINISTRATORS or (scope < NOBODY and machine.may(CAP_SYS_PTRACE)):
        return good(found)
    command = "" if scope >= NOBODY else "sudo sysctl kernel.yama.ptrace_scope=1"
    brief = "gdb may not attach: no stacks of hanging runs"
    return caution(f"{found}, but may not attach (ptrace_scope {scope})", brief, command)


def has_program(machine: Machine, name: str) -> bool:
    return machine.exists(f"usr/bin/{name}") or machine.exists(f"sbin/{name}")


def room(machine: Machine) -> Finding:
    results = machine.project / "results"
    free = machine.free_bytes(results if results.is_dir() else machine.project)
    found = f"{free / 2**30:.1f} GiB free"
    if free < TOO_LITTLE_BYTES:
        return bad(found, f"disk full: {free / MIB:.0f} MiB free")
    if free < LITTLE_BYTES:
        return caution(found, f"disk nearly full: {free / MIB:.0f} MiB free")
    return good(found)
