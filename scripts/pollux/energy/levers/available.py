# SPDX-License-Identifier: BSD-3-Clause
"""Which levers this machine has, what each is set to, and why one cannot be used."""

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from sys import byteorder

from pollux.core.grouping import grouped
from pollux.core.hypervisor import hypervisor
from pollux.core.kernel_files import PROCESSORS as CPU
from pollux.core.kernel_files import format_list
from pollux.core.levers import (
    ALL,
    HARDWARE,
    LEVERS,
    NONE,
    OFF,
    ON,
    Setting,
    gigahertz,
    kilohertz,
)
from pollux.core.paths import PACKAGING
from pollux.core.system_files import LATENCY_DEVICE, System
from pollux.energy.levers.files import (
    PREFERENCE,
    is_off_by_default,
    lever_files,
    policies_of,
    share_file,
)

RULES = str(PACKAGING / "udev/70-pollux.rules")
MODES = str(PACKAGING / "tmpfiles.d/pollux-levers.conf")
NO_LIMIT = 2_000_000_000  # µs; what the device says where nobody limits latency (pm_qos.h)
RAISED = "switched on"  # turbo, to frequencies that are not known yet


@dataclass(frozen=True)
class Lever:
    """A lever of this machine; one with a problem cannot be set."""

    name: str
    now: str  # "" where it is missing
    possible: tuple[str, ...]
    problem: str = ""
    remedy: str = ""
    remark: str = ""


def inspect(system: System, name: str, cpus: frozenset[int] | None = None) -> Lever:
    """A lever as it is on this machine, or on some of its processors."""
    paths = lever_files(system, name, cpus)
    if not paths:
        problem, remedy = why_missing(system, name, cpus)
        return Lever(name, "", (), problem, remedy)
    problem, remedy = why_not_writable(system, name, paths)
    remark = ""
    if name == "cstates" and hypervisor(system.text):
        remark = "idle states of the virtual machine; the host decides on the processor's"
    return Lever(name, now(system, name), possible(system, name, cpus), problem, remedy, remark)


def inspect_all(system: System) -> list[Lever]:
    return [inspect(system, name) for name in LEVERS]


def by_reason(levers: Iterable[Lever]) -> Iterator[tuple[str, str, str]]:
    """Names, problem and remedy of levers that cannot be set, those with one reason together.

    Of the files that may not be written, the first is named.
    """
    closed = (lever for lever in levers if lever.problem)
    alike = grouped(closed, lambda lever: (lever.problem.partition(" /")[0], lever.remedy))
    for found in alike.values():
        problem, differ = found[0].problem, len({lever.problem for lever in found}) > 1
        more = " and others" if differ else ""
        yield ", ".join(lever.name for lever in found), f"{problem}{more}", found[0].remedy


def driver(system: System) -> str:
    """What sets the frequency, with its mode: "intel_pstate active"."""
    found = (system.text(f"{policy}/scaling_driver") for policy in system.policies())
    names = sorted(set(filter(None, found)))
    modes = (system.text(f"{CPU}/{folder}/status") for folder in ("intel_pstate", "amd_pstate"))
    return " ".join([*names, *filter(None, modes)])


def why_missing(system: System, name: str, cpus: frozenset[int] | None) -> tuple[str, str]:
    """Why a machine, or these processors of it, lack a lever, and what would help."""
    if cpus is not None and lever_files(system, name):
        if name in ("turbo", "dma_latency"):
            return f"{name} is for all processors here", "leave --cpu out"
        return f"there is no processor {format_list(cpus)}, or it is offline", "name others"
    if name == "dma_latency":
        return f"there is no /{LATENCY_DEVICE}", "it needs a kernel with CONFIG_PM"
    if name == "cstates":
        reason = "the kernel reports no idle states (no cpuidle driver)"
        return reason, "boot without cpuidle.off=1, and enable C-states in the firmware"
    return why_no_frequency(system, name)


def why_no_frequency(system: System, name: str) -> tuple[str, str]:
    """The same for the levers of CPUFreq."""
    if not system.policies():
        if hypervisor(system.text):
            reason = "no CPUFreq driver: this is a virtual machine, whose host sets frequencies"
            return reason, "run on the host"
        reason = "no CPUFreq driver is loaded"
        return reason, "load one, such as acpi-cpufreq, and enable P-states in the firmware"
    remedies = {
        "turbo": "switch it in the firmware (BIOS)",
        "epp": "intel_pstate or amd-pstate in active mode has one",
    }
    what = {"turbo": "switch for turbo", "epp": "energy-performance preference"}
    reason = f"the driver {driver(system) or 'in use'} has no {what.get(name, name)}"
    return reason, remedies.get(name, "use another driver")


def why_not_writable(system: System, name: str, paths: list[str]) -> tuple[str, str]:
    """Why a lever may not be written, and what would help; empty if it may."""
    path = next((path for path in paths if not system.may_write(path)), None)
    if path is None:
        return "", ""
    if os.statvfs(system.root / path).f_flag & os.ST_RDONLY:
        return (
            "/sys is mounted read-only, as in containers",
            "run on the host, or in a container with --privileged",
        )
    rule = RULES if name == "dma_latency" else MODES
    return f"no permission to write /{path}", f"run as root, or install {rule}"


def now(system: System, name: str) -> str:
    """What a lever is set to, in a few words; processors that differ are listed."""
    by_value: dict[str, set[int]] = defaultdict(set)
    for cpus, value in values(system, name):
        by_value[value] |= cpus
    if len(by_value) < 2:
        return next(iter(by_value), "")
    return ", ".join(f"{value} on {format_list(cpus)}" for value, cpus in by_value.items())


def values(system: System, name: str) -> Iterator[tuple[frozenset[int], str]]:
    """The value of a lever on each group of processors that have one in common."""
    everywhere = system.processors()
    if name == "dma_latency":
        content = system.read(LATENCY_DEVICE)
        number = int.from_bytes(content[:4], byteorder, signed=True) if content else None
        yield everywhere, "?" if number is None else OFF if number >= NO_LIMIT else str(number)
    elif name == "cstates":
        yield from idle_values(system)
    elif name == "turbo" and (off := system.text(f"{CPU}/intel_pstate/no_turbo")) is not None:
        yield everywhere, ON if off == "0" else OFF
    else:
        for policy, cpus in system.policies().items():
            yield cpus, value_of_policy(system, policy, name)


def value_of_policy(system: System, policy: str, name: str) -> str:
    match name:
        case "turbo":
            own = system.text(f"{policy}/boost") or system.text(f"{CPU}/cpufreq/boost")
            return "?" if own is None else OFF if own == "0" else ON
        case "governor":
            return system.text(f"{policy}/scaling_governor") or "?"
        case "epp":
            return system.text(f"{policy}/{PREFERENCE}") or "?"
        case _:
            which = name.removeprefix("frequency_")
            khz = system.number(f"{policy}/scaling_{which}_freq")
            return "?" if khz is None else gigahertz(khz)


def idle_values(system: System) -> Iterator[tuple[frozenset[int], str]]:
    """For each processor "all", "none", or the names of the states that are enabled."""
    states: dict[int, list[str]] = defaultdict(list)
    for cpu, folder in system.idle_states():
        states[cpu].append(folder)
    for cpu, folders in states.items():
        names = {folder: system.text(f"{folder}/name") or "?" for folder in folders}
        on = [f for f in folders if system.text(f"{f}/disable") == "0"]
        usual = [f for f in folders if not is_off_by_default(system, f)]
        if set(usual) <= set(on):
            value = ALL
        elif all(names[f] == "POLL" for f in on):
            value = NONE
        else:
            value = "+".join(names[f] for f in on)
        yield frozenset({cpu}), value


def possible(system: System, name: str, cpus: frozenset[int] | None) -> tuple[str, ...]:
    """The values that a lever takes here; none where numbers are taken."""
    policies = list(policies_of(system, cpus))
    match name:
        case "turbo":
            return (ON, OFF)
        case "cstates":
            return (ALL, NONE, *in_common(state_names(system, cpus)))
        case "dma_latency":
            return ("µs from 0 up", OFF)
        case "governor":
            return in_common(words(system, policies, "scaling_available_governors"))
        case "epp":
            return in_common(words(system, policies, "energy_performance_available_preferences"))
        case _:
            ranges = {
                gigahertz(khz)
                for policy in policies
                for which in ("min", "max")
                if (khz := system.number(f"{policy}/cpuinfo_{which}_freq")) is not None
            }
            span = sorted(ranges, key=lambda text: kilohertz(text) or 0)
            return (" to ".join([span[0], span[-1]]), HARDWARE) if span else (HARDWARE,)


def state_names(system: System, cpus: frozenset[int] | None) -> list[list[str]]:
    """The names of the idle states of each processor."""
    names: dict[int, list[str]] = defaultdict(list)
    for cpu, folder in system.idle_states():
        if cpus is None or cpu in cpus:
            names[cpu].append(system.text(f"{folder}/name") or "")
    return list(names.values())


def words(system: System, policies: list[str], file: str) -> list[list[str]]:
    """Those of a file of each policy."""
    return [(system.text(f"{policy}/{file}") or "").split() for policy in policies]


def in_common(lists: list[list[str]]) -> tuple[str, ...]:
    """The words that all lists have."""
    first = dict.fromkeys(filter(None, lists[0])) if lists else ()
    return tuple(word for word in first if all(word in own for own in lists))


def problems(system: System, setting: Setting, cpus: frozenset[int] | None = None) -> Iterator[str]:
    """Why this machine cannot have a setting, a line for each lever, before anything is written."""
    turbo = turbo_with(system, setting)
    for name, value in setting.items():
        lever = inspect(system, name, cpus)
        if lever.problem:
            yield f"{name}: {lever.problem}; {lever.remedy}"
        elif (reason := why_impossible(system, lever, value, cpus, turbo)) is not None:
            yield f"{name}={value}: {reason}"
    low, high = (limit_of(system, setting, which, cpus) for which in ("min", "max"))
    if low is not None and high is not None and low > high:
        yield (
            f"the lower frequency limit, {gigahertz(low)}, would be above the upper one, "
            f"{gigahertz(high)}; set both"
        )


def turbo_with(system: System, setting: Setting) -> str:
    """Turbo as it would be with a setting: RAISED where the setting switches it on."""
    before = now(system, "turbo")
    after = setting.get("turbo", before)
    return RAISED if after == ON != before else after


def limit_of(
    system: System, setting: Setting, which: str, cpus: frozenset[int] | None
) -> int | None:
    """A limit that a setting asks for, else the strictest that would stay; None: not asked."""
    limits = {name: kilohertz(setting[name]) for name in setting if name.startswith("frequency_")}
    asked = limits.get(f"frequency_{which}")
    if asked is not None or not any(limits.values()) or f"frequency_{which}" in limits:
        return asked
    own = (system.number(f"{p}/scaling_{which}_freq") for p in policies_of(system, cpus))
    present = [khz for khz in own if khz is not None]
    return (max if which == "min" else min)(present, default=None)


def why_impossible(
    system: System,
    lever: Lever,
    value: str,
    cpus: frozenset[int] | None,
    turbo: str,  # see `turbo_with`
) -> str | None:
    """Why a lever that can be set does not take a value."""
    known = lever.possible
    is_word = lever.name in ("governor", "cstates") or (lever.name == "epp" and not value.isdigit())
    if is_word and known and value not in known:
        return f"this machine knows {', '.join(known)}"
    if not lever.name.startswith("frequency_"):
        return None
    which, khz = lever.name.removeprefix("frequency_"), kilohertz(value)
    for policy, own in policies_of(system, cpus).items():
        least = system.number(f"{policy}/cpuinfo_min_freq")
        most = highest_of(system, policy, is_turbo_off=turbo == OFF)
        if khz is None or least is None or most is None:
            continue
        if khz < least or (khz > most and turbo != RAISED):
            off = " with turbo off" if turbo == OFF else ""
            span = f"{gigahertz(least)} to {gigahertz(most)}"
            return f"processors {format_list(own)} run at {span}{off}"
    if cpus is not None and stays_in_the_way(system, which, khz, cpus):
        path = share_file(which)
        return f"/{path}, which is for all processors, is {system.text(path)}; leave --cpu out"
    return None


def highest_of(system: System, policy: str, *, is_turbo_off: bool) -> int | None:
    """The highest frequency in kHz of the processors of a policy.

    Drivers that do not tell the base frequency leave turbo out of the range while it is off.
    """
    base = system.number(f"{policy}/base_frequency") if is_turbo_off else None
    return system.number(f"{policy}/cpuinfo_max_freq") if base is None else base


def stays_in_the_way(system: System, which: str, khz: int | None, cpus: frozenset[int]) -> bool:
    """Whether intel_pstate's limit in per cent keeps one of these processors from its effect.

    `khz`: None for the processor's own limit. Within 1 %, since the kernel rounds.
    """
    share = system.number(share_file(which))
    for policy in policies_of(system, cpus):
        own = khz or system.number(f"{policy}/cpuinfo_{which}_freq")
        most = system.number(f"{policy}/cpuinfo_max_freq")
        if share is not None and own and most:
            beyond = 100 * own / most - share
            if (beyond if which == "max" else -beyond) > 1:
                return True
    return False
