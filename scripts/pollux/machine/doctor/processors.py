# SPDX-License-Identifier: BSD-3-Clause
"""Checks of which processors a campaign gets, and of what else uses or limits them."""

from pollux.core.control_groups import control_groups, least_quota
from pollux.core.kernel_files import PROCESSORS, format_list, parse_list
from pollux.core.text import in_percent
from pollux.machine.doctor.finding import Finding, bad, caution, good, not_applicable, unknown
from pollux.machine.doctor.machine import Machine

CLOCK = "sys/devices/system/clocksource/clocksource0"
# Read through device registers: a microsecond each, and one reader at a time (kernel:
# timers/timekeeping.rst on ratings).
SLOW_CLOCKS = frozenset({"hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"})
# Shares of time taken by a hypervisor: above what scheduling one tick late makes of it.
STEAL_CAUTION = 0.001  # since the start
STEAL_BAD = 0.02  # right now; one clock tick in half a second
# In processors' worth of time: five clock ticks of 10 ms in half a second are more than
# rounding; with half a processor gone, a team waits for the thread that shared its core.
FOREIGN_CAUTION = 0.1
FOREIGN_BAD = 0.5
WAITING = 1.0  # load average: one thread was always running or waiting


def allowance(machine: Machine) -> Finding:
    count = len(machine.allowed)
    found = f"{count} of {len(machine.online)} ({format_list(machine.allowed)})"
    if count == 1:
        wider = permitted(machine)
        command = f"taskset -cp {format_list(wider)} $$" if len(wider) > 1 else ""
        return caution(found, "one processor: no two tasks run at once", command)
    return good(found)


def permitted(machine: Machine) -> frozenset[int]:
    """The processors that are on, less those that a control group keeps from this process."""
    names = ("cpuset.cpus.effective", "cpuset.effective_cpus")  # of versions 2 and 1
    folders = control_groups(machine.read, "cpuset")
    texts = (machine.read(f"{folder}/{name}") for folder in folders for name in names)
    text = next(filter(None, texts), None)
    return machine.online & parse_list(text) if text else machine.online


def quota(machine: Machine) -> Finding:
    """Of control groups, version 2 (cpu.max) and 1 (cpu.cfs_quota_us): a share of time."""
    limit = least_quota(machine.read)
    if limit is None:
        return good("none")
    processors, file, unlimited = limit
    count = len(machine.allowed)
    found = f"{processors:g} processors' time for {count}"
    if processors >= count:
        return good(found)
    whole = int(processors)
    if whole >= 1:
        # Fewer processors than the quota cannot exceed it, and that needs no right.
        command = f"taskset -c {format_list(spread(machine)[:whole])} pollux run FILE"
    else:
        command = machine.lifting(file, unlimited)
    return bad(found, f"CPU quota {processors:g} of {count}", command)


def siblings(machine: Machine) -> list[frozenset[int]]:
    """The allowed processors, those of one core together."""
    lists = machine.of_processors("topology/thread_siblings_list")
    cores = {parse_list(text) & machine.allowed for text in lists.values()}
    return sorted(cores, key=min)


def spread(machine: Machine) -> list[int]:
    """The allowed processors, one of each core first."""
    first = [min(core) for core in siblings(machine)]
    return first + sorted(machine.allowed - frozenset(first))


def hardware_threads(machine: Machine) -> Finding:
    cores = siblings(machine)
    if not cores:
        return unknown("the system does not report which processors share a core")
    if all(len(core) == 1 for core in cores):
        return good("one hardware thread of each core")
    first = format_list([min(core) for core in cores])
    found = f"{len(machine.allowed)} allowed processors are {len(cores)} cores"
    command = f"taskset -c {first} pollux run FILE"
    return caution(found, "hardware threads share cores", command)


def nodes(machine: Machine) -> Finding:
    text = machine.read("sys/devices/system/node/online")
    count = len(parse_list(text)) if text else 1
    if count < 2:
        return not_applicable("one NUMA node")
    path = "proc/sys/kernel/numa_balancing"
    if machine.number(path):
        found = f"{count} nodes, and the kernel moves pages between them"
        return caution(found, "NUMA balancing on", "sudo sysctl kernel.numa_balancing=0")
    return good(f"{count} nodes; pages stay where they are")


def isolation(machine: Machine) -> Finding:
    names = ("isolated", "nohz_full")
    sets = {name: processors_in(machine.read(f"{PROCESSORS}/{name}")) for name in names}
    found = "; ".join(f"{name}: {format_list(cpus)}" for name, cpus in sets.items() if cpus)
    inside = sets["isolated"] & machine.allowed
    binding = machine.environment.get("OMP_PROC_BIND", "")
    if len(inside) > 1 and binding.lower() == "false":
        # The scheduler does not balance isolated processors: unbound threads stay on one.
        brief = "threads are not bound on isolated processors"
        return caution(f"{found}; {brief}", brief, "export OMP_PROC_BIND=close OMP_PLACES=cores")
    return good(found or "none set apart")


def processors_in(text: str | None) -> frozenset[int]:
    """A list of processors; the kernel writes "(null)" for none in some versions."""
    return parse_list(text) if text and text[0].isdigit() else frozenset()


def clock_source(machine: Machine) -> Finding:
    current = machine.read(f"{CLOCK}/current_clocksource")
    if not current:
        return unknown("the system does not report it")
    if current not in SLOW_CLOCKS:
        return good(current)
    offered = (machine.read(f"{CLOCK}/available_clocksource") or "").split()
    better = next((name for name in offered if name not in SLOW_CLOCKS), None)
    command = f"echo {better} | sudo tee /{CLOCK}/current_clocksource" if better else ""
    return bad(current, f"slow clock {current}", command)


def virtualisation(machine: Machine) -> Finding:
    inside = f", in a container ({machine.container})" if machine.container else ""
    if not machine.virtual:
        return good(f"none{inside}")
    return caution(
        f"virtual machine ({machine.virtual}){inside}", f"virtual machine {machine.virtual}"
    )


def steal(machine: Machine) -> Finding:
    if not machine.virtual:
        return not_applicable("no virtual machine")
    if not machine.load.known:
        return unknown("the system does not report it")
    words = (machine.read("proc/stat") or "").partition("\n")[0].split()
    ticks = [int(word) for word in words[1:9]]
    since = ticks[7] / max(sum(ticks), 1) if len(ticks) == 8 else 0.0
    now = in_percent(machine.load.steal, 1)
    found = f"now {now}, since the start {in_percent(since, 2)} of the time"
    if machine.load.steal >= STEAL_BAD:
        return bad(found, f"steal {now}")
    if since >= STEAL_CAUTION:
        return caution(found, f"steal {in_percent(since, 2)} since the start")
    return good(found)


def other_programs(machine: Machine) -> Finding:
    load = machine.load
    if not load.known:
        return unknown("the system does not report it")
    found = f"{load.foreign:.2f} processors' time in use"
    if load.foreign < FOREIGN_CAUTION:
        return good(found)
    names = ", ".join(f"{b.name} {in_percent(b.share)} (process {b.process})" for b in load.busiest)
    found += f": {names or 'by the kernel, or by processes that cannot be seen from here'}"
    brief = f"other programs use {load.foreign:.1f} processors"
    return (bad if load.foreign >= FOREIGN_BAD else caution)(found, brief)


def load_average(machine: Machine) -> Finding:
    text = machine.read("proc/loadavg")
    if not text:
        return unknown("the system does not report it")
    minute = float(text.split()[0])
    found = f"{minute:g} over the last minute"
    return caution(found, f"load average {minute:g}") if minute >= WAITING else good(found)
