# SPDX-License-Identifier: BSD-3-Clause
"""Checks of energy counters and levers: which there are, which may be used, and what would help.

What executables read is decided in common/energy/; this looks at the same files.
"""

from shlex import quote

from pollux.core.errors import MachineError
from pollux.core.system_files import System
from pollux.core.text import counted
from pollux.energy.levers.available import MODES, RULES, Lever, by_reason, inspect_all
from pollux.energy.levers.state import (
    in_the_way,
    others_states,
    present_state,
    restoring,
    state_path,
)
from pollux.machine.doctor.finding import Finding, caution, good, not_applicable
from pollux.machine.doctor.machine import Machine

POWERCAP = "sys/class/powercap"
EVENTS = "sys/bus/event_source/devices"
HWMON = "sys/class/hwmon"
CRAY = "sys/cray/pm_counters"
PARANOID = "proc/sys/kernel/perf_event_paranoid"
FOR_ALL = 0  # perf_event_paranoid up to which everybody may count events of the whole system
GROUP = "sudo groupadd -f pollux && sudo usermod -aG pollux $USER"
UDEV = (
    f"sudo install -m 644 {quote(RULES)} /etc/udev/rules.d/ && sudo udevadm control --reload && "
    "sudo udevadm trigger --action=add --subsystem-match=powercap --subsystem-match=misc"
)
TMPFILES = (
    f"sudo install -m 644 {quote(MODES)} /etc/tmpfiles.d/ && "
    "sudo systemd-tmpfiles --create pollux-levers.conf"
)
SYSCTL = "sudo sysctl kernel.perf_event_paranoid=0"
COUNTING = (21, 38)  # CAP_SYS_ADMIN, CAP_PERFMON: rights with which perf counts at any level
RISK = "who may read them can learn what others compute, CVE-2020-8694"


def counters(machine: Machine) -> Finding:
    """The sources of energy: what each has, or the file that is absent or cannot be read."""
    system = machine.system
    zones = system.find(f"{POWERCAP}/*:*/energy_uj")
    unread = [path for path in zones if system.number(path) is None]
    events = system.find(f"{EVENTS}/power*/events/energy-pkg")
    meters = meters_of(system)
    shut = [path for path in meters if not system.may_read(path)]
    zones_read, meters_read = len(zones) - len(unread), len(meters) - len(shut)
    cray = system.find(f"{CRAY}/energy")
    level = system.text(PARANOID)
    may_count = any(map(machine.may, COUNTING)) or (level is not None and int(level) <= FOR_ALL)
    usable = [
        *([f"{counted(zones_read, 'zone')} of powercap"] if zones_read else []),
        *(["perf's energy events"] if events and may_count else []),
        *([f"{counted(meters_read, 'meter')} of hwmon"] if meters_read else []),
        *(["Cray's counters"] if cray else []),
    ]
    problems = [f"/{paths[0]} cannot be read{more(paths)}" for paths in (unread, shut) if paths]
    if events and not may_count:
        known = "not known" if level is None else level
        problems.append(f"perf_event_paranoid is {known}: energy events need {FOR_ALL} or less")
    found = "; ".join(filter(None, [", ".join(usable), *problems]))
    if not found:
        return not_applicable(why_none(machine, system))
    closed = bool(unread or events) and not (events and may_count) and not (zones and not unread)
    if not closed and not shut:
        return good(found)
    what = "energy counters cannot be read" if unread or shut else "perf may not count energy"
    return caution(found, f"{what} ({RISK})", permitting(closed, unread, shut))


def permitting(closed: bool, unread: list[str], shut: list[str]) -> str:
    """The command that opens zones of powercap, else perf's events, and meters."""
    names = " ".join(quote(f"/{path}") for path in shut)
    commands = [
        *([GROUP] if (closed and unread) or shut else []),
        *([UDEV if unread else SYSCTL] if closed else []),
        *([f"sudo chgrp pollux {names} && sudo chmod g+r {names}"] if shut else []),
    ]
    return " && ".join(commands)


def meters_of(system: System) -> list[str]:
    """The files of hwmon that executables read: energy; power, its average if there is one."""
    kinds = ("energy[0-9]*_input", "power[0-9]*_average", "power[0-9]*_input")
    folders = (f"{HWMON}/hwmon*", f"{HWMON}/hwmon*/device")
    patterns = [f"{folder}/{kind}" for folder in folders for kind in kinds]
    found = [path for pattern in patterns for path in system.find(pattern)]
    averaged = {path.removesuffix("average") + "input" for path in found}
    return [path for path in found if path not in averaged and not is_of_core(system, path)]


def is_of_core(system: System, path: str) -> bool:
    """Whether a meter is one of those that amd_energy has for each core."""
    return (system.text(path.removesuffix("input") + "label") or "").startswith("Ecore")


def more(paths: list[str]) -> str:
    return f", nor {len(paths) - 1} more" if len(paths) > 1 else ""


def why_none(machine: Machine, system: System) -> str:
    """What is absent, where no source of energy is found."""
    others = [path.rpartition("/")[2] for path in system.find(f"{EVENTS}/power*/events/energy-*")]
    others = [name for name in others if "." not in name]
    absent = [
        f"/{POWERCAP} has no zones" if system.exists(POWERCAP) else f"no /{POWERCAP}",
        f"no energy-pkg among the events of perf (only {', '.join(others)})"
        if others
        else "no energy events of perf",
        f"no meters in /{HWMON}" if system.exists(HWMON) else f"no /{HWMON}",
        f"no /{CRAY}",
    ]
    where = " (a virtual machine: the host has the counters)" if machine.virtual else ""
    return f"unavailable: {', '.join(absent)}{where}"


def levers(machine: Machine) -> Finding:
    """Which levers can be set, and whether some are still set from an earlier use."""
    system = machine.system
    found = inspect_all(system)
    try:
        state = present_state(system)
    except MachineError as error:
        return caution(error.format_message(), "levers may still be set")
    if state is not None:
        by = "by pollux levers set" if state.kept else "and not restored"
        return caution(f"set {by}", f"levers are set {by}", "pollux levers restore")
    if problem := in_the_way(system):
        fix = machine.inside(f"sudo rm {quote(str(state_path(system)))}")
        return caution(problem, "levers cannot be set", fix)
    if others := others_states(system):
        path, user = next(iter(others.items()))
        brief = "levers are set by another user"
        fix = restoring(user) if user else machine.inside(restoring(user))
        return caution(f"set by another user: {path}", brief, fix)
    able = [lever.name for lever in found if not lever.problem]
    closed = [lever for lever in found if lever.now and lever.problem]
    missing = [lever for lever in found if not lever.now]
    parts = [f"{', '.join(able)} can be set"] if able else []
    parts += [f"{names}: {problem}" for names, problem, _ in by_reason([*closed, *missing])]
    if closed:
        return caution("; ".join(parts), "levers may not be set", opening(closed))
    return good("; ".join(parts)) if able else not_applicable("; ".join(parts))


def opening(levers: list[Lever]) -> str:
    """The command that lets these levers be set; "" where /sys is read-only, and none does."""
    wanted = [
        command
        for rule, command in ((MODES, TMPFILES), (RULES, UDEV))
        if any(lever.remedy.endswith(rule) for lever in levers)
    ]
    return " && ".join([GROUP, *wanted]) if wanted else ""
