# SPDX-License-Identifier: BSD-3-Clause
"""Checks of memory: what is free, what limits it, and how pages are handed out."""

from pollux.core.control_groups import memory_limits
from pollux.machine.doctor.finding import Finding, bad, caution, good, not_applicable, unknown
from pollux.machine.doctor.machine import Machine

GIB = 2**30
SCARCE_SHARE = 0.1  # below, the kernel soon takes pages back (kernel: admin-guide/sysctl/vm.rst)
ROOM_BYTES = 4 * GIB  # a matrix of order 20,000 takes 3.2·10⁹ bytes
PRESSURE_PERCENT = 1.0  # of the last ten seconds in which something waited for memory
STACK_BYTES = 8 * 2**20  # Linux's default
CAP_SYS_RESOURCE = 24  # the right to exceed hard limits
HUGE = "sys/kernel/mm/transparent_hugepage"


def free_memory(machine: Machine) -> Finding:
    sizes = memory_sizes(machine)
    total, available = sizes.get("MemTotal", 0), sizes.get("MemAvailable")
    if not total or available is None:
        return unknown("the system does not report it")
    found = f"{gibibytes(available)} of {gibibytes(total)}"
    if available < SCARCE_SHARE * total:
        return caution(found, f"only {gibibytes(available)} of memory free")
    return good(found)


def memory_sizes(machine: Machine) -> dict[str, int]:
    """The sizes in proc_meminfo(5), in bytes."""
    lines = (line.split() for line in (machine.read("proc/meminfo") or "").splitlines())
    return {words[0].rstrip(":"): int(words[1]) * 1024 for words in lines if len(words) > 1}


def swapping(machine: Machine) -> Finding:
    pressure = waiting_share(machine.read("proc/pressure/memory"))
    if machine.load.swapped_pages > 0:
        sizes = memory_sizes(machine)
        swapped = sizes.get("SwapTotal", 0) - sizes.get("SwapFree", 0)
        fits = swapped < sizes.get("MemAvailable", 0)  # else taking pages back ends processes
        command = "sudo swapoff --all" if fits else ""
        return bad("pages are being moved", "swapping now", command)
    if pressure is not None and pressure >= PRESSURE_PERCENT:
        return bad(f"programs wait for memory {pressure:g} % of the time", "memory is short")
    counted = machine.load.known and machine.read("proc/vmstat")
    seen = ["no page moved"] if counted else []
    seen += [] if pressure is None else ["nothing waits"]
    return good(", ".join(seen)) if seen else unknown("the system does not report it")


def waiting_share(text: str | None) -> float | None:
    """The share of the last ten seconds, in percent, from lines such as `some avg10=0.58 …`."""
    for line in (text or "").splitlines():
        kind, _, rest = line.partition(" avg10=")
        if kind == "some":
            return float(rest.split()[0])
    return None


def memory_limit(machine: Machine) -> Finding:
    """Of control groups."""
    limits = memory_limits(machine.read)
    if not limits:
        return good("none")
    left, limit, file, unlimited = min(limits)
    found = f"{gibibytes(limit)}, {gibibytes(left)} of it left"
    if left < ROOM_BYTES:
        command = machine.lifting(file, unlimited)
        return caution(found, f"memory limit {gibibytes(limit)}", command)
    return good(found)


def huge_pages(machine: Machine) -> Finding:
    enabled = chosen(machine.read(f"{HUGE}/enabled"))
    if enabled is None:
        return not_applicable("this kernel has none")
    defrag = chosen(machine.read(f"{HUGE}/defrag")) or "unknown"
    found = f"{enabled}, defrag {defrag}"
    if enabled != "always":
        return good(found)
    # Whether a page is huge then depends on how fragmented memory is when a process starts.
    command = f"echo madvise | sudo tee /{HUGE}/enabled"
    return caution(found, "transparent huge pages always", command)


def chosen(text: str | None) -> str | None:
    """The word in brackets: always [madvise] never."""
    return text.partition("[")[2].partition("]")[0] or None if text else None


def shell_limits(machine: Machine) -> Finding:
    limits, may_raise = machine.limits, machine.may(CAP_SYS_RESOURCE)
    space, stack = limits.address_space, limits.stack
    found = f"address space {amount(space)}, stack {amount(stack)}"
    wrong, commands = [], []
    if space is not None:
        wrong.append(f"address space limited to {amount(space)}")
        if limits.hard_address_space is None or may_raise:
            commands.append("ulimit -v unlimited")
    if stack is not None and stack < STACK_BYTES:
        wrong.append(f"stack limited to {amount(stack)}")
        if limits.hard_stack is None or limits.hard_stack >= STACK_BYTES or may_raise:
            commands.append(f"ulimit -s {STACK_BYTES // 1024}")
    if not wrong:
        return good(found)
    return caution(found, "; ".join(wrong), "; ".join(commands))


def amount(size: int | None) -> str:
    if size is None:
        return "unlimited"
    return f"{size / 2**20:g} MiB" if size < GIB else gibibytes(size)


def gibibytes(size: float) -> str:
    return f"{size / GIB:.1f} GiB"
