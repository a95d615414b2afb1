# SPDX-License-Identifier: BSD-3-Clause
"""Which files a setting of levers writes, with what, and in which order.

The order is the kernel's: turbo moves the limits that may be set; a governor may set the
energy-performance preference itself and then refuse others (intel_pstate and amd-pstate in active
mode); a lower limit above the upper one is refused or changed. Files are those of the kernel's
documentation: admin-guide/pm/cpufreq.rst, intel_pstate.rst, amd-pstate.rst, cpuidle.rst.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pollux.core.kernel_files import PROCESSORS as CPU
from pollux.core.levers import ALL, HARDWARE, NONE, ON, Setting, kilohertz
from pollux.core.system_files import LATENCY_DEVICE, System

Contents = dict[str, bytes]  # of files, by path
FREQUENCY, IDLE = "frequency", "idle"  # families: writing one file may change others of its own
FAMILIES = dict.fromkeys("turbo governor epp frequency_min frequency_max".split(), FREQUENCY)
FAMILIES["cstates"] = IDLE
POLICY = "cpufreq/policy#"
POLL = "POLL"
PREFERENCE = "energy_performance_preference"


@dataclass(frozen=True)
class Step:
    """Files that are written together; `#` stands for a number. `low`: the lower limit."""

    family: str
    path: str
    low: str | None = None


STEPS = (
    Step(FREQUENCY, "intel_pstate/no_turbo"),
    Step(FREQUENCY, "cpufreq/boost"),
    Step(FREQUENCY, f"{POLICY}/boost"),
    Step(FREQUENCY, f"{POLICY}/scaling_governor"),
    Step(FREQUENCY, f"{POLICY}/{PREFERENCE}"),
    Step(FREQUENCY, "intel_pstate/max_perf_pct", "intel_pstate/min_perf_pct"),
    Step(FREQUENCY, f"{POLICY}/scaling_max_freq", f"{POLICY}/scaling_min_freq"),
    Step(IDLE, "cpu#/cpuidle/state#/disable"),
)


@dataclass
class Wanted:
    """What a setting writes: `asked` must read back, `along` goes with it where the kernel agrees.

    `along` moves limits that would keep those asked for from having an effect.
    """

    asked: Contents = field(default_factory=dict)
    along: Contents = field(default_factory=dict)


def patterns(step: Step) -> list[str]:
    return [step.path] if step.low is None else [step.low, step.path]


def is_lever_file(path: str) -> bool:
    """Whether a path is that of a lever: nothing else is ever written."""
    known = (re.escape(f"{CPU}/{p}") for step in STEPS for p in patterns(step))
    return any(re.fullmatch(text.replace(r"\#", r"\d{1,6}"), path) for text in known)


def snapshot(system: System, families: set[str]) -> Contents:
    """The files of these families as they are; those of processors that are offline are absent."""
    found: Contents = {}
    for step in (s for s in STEPS if s.family in families):
        for pattern in patterns(step):
            for path in system.find(f"{CPU}/{pattern.replace('#', '[0-9]*')}"):
                content = system.read(path)
                if content is not None:
                    found[path] = content
    return found


def in_order(system: System, wanted: Mapping[str, bytes]) -> Iterator[str]:
    """The paths in the order in which they are to be written.

    Which limit comes first is decided when it is its turn, by what the other one is then.
    """
    left = dict(wanted)
    for step in STEPS:
        for path in matching(step.path, left):
            low = low_of(step, path)
            yield from [path] if low not in left else pair(system, low, path, left)
            left.pop(low or "", None)
        for path in matching(step.low, left):
            yield path


def matching(pattern: str | None, paths: Mapping[str, bytes]) -> list[str]:
    if pattern is None:
        return []
    known = re.compile(re.escape(f"{CPU}/{pattern}").replace(r"\#", r"\d+"))
    return [path for path in paths if known.fullmatch(path)]


def low_of(step: Step, path: str) -> str | None:
    """The file of the lower limit that belongs to an upper one."""
    if step.low is None:
        return None
    return f"{path.rpartition('/')[0]}/{step.low.rpartition('/')[2]}"


def pair(system: System, low: str, high: str, wanted: Mapping[str, bytes]) -> list[str]:
    """Two limits so that the lower one is never above the upper one."""
    present = system.number(low)
    text = wanted[high].decode(errors="replace").strip()
    lowers = text.isdecimal() and present is not None and int(text) < present
    return [low, high] if lowers else [high, low]


def wanted_by(system: System, setting: Setting, cpus: frozenset[int] | None = None) -> Wanted:
    """What a setting writes, on these processors only or on all of them."""
    wanted = Wanted()
    policies = list(policies_of(system, cpus))
    for lever, value in setting.items():
        match lever:
            case "turbo":
                wanted.asked |= turbo_files(system, policies, value, is_global=cpus is None)
            case "cstates":
                wanted.asked |= idle_files(system, value, cpus)
            case "governor":
                wanted.asked |= {f"{p}/scaling_governor": line(value) for p in policies}
            case "epp":
                paths = (f"{p}/{PREFERENCE}" for p in policies)
                wanted.asked |= {path: line(value) for path in paths if system.exists(path)}
            case "frequency_min" | "frequency_max":
                which = lever.removeprefix("frequency_")
                add_limits(system, wanted, policies, which, value)
                share = share_file(which)
                if cpus is None and system.exists(share):
                    wanted.along[share] = line(100 if which == "max" else 0)
    return wanted


def policies_of(system: System, cpus: frozenset[int] | None) -> dict[str, frozenset[int]]:
    """The policies of these processors, or of all, with all processors of each."""
    return {p: own for p, own in system.policies().items() if cpus is None or own & cpus}


def turbo_files(system: System, policies: list[str], value: str, *, is_global: bool) -> Contents:
    """The switch of the driver; no_turbo says the opposite of the others."""
    no_turbo = f"{CPU}/intel_pstate/no_turbo"
    if system.exists(no_turbo):
        return {no_turbo: line(int(value != ON))} if is_global else {}
    boost = [f"{CPU}/cpufreq/boost"] if is_global else []
    paths = boost + [f"{policy}/boost" for policy in policies]
    return {path: line(int(value == ON)) for path in paths if system.exists(path)}


def idle_files(system: System, value: str, cpus: frozenset[int] | None) -> Contents:
    """The switches of the idle states: 1 disables one."""
    deepest = {
        cpu: folder
        for cpu, folder in system.idle_states()
        if value not in (ALL, NONE) and system.text(f"{folder}/name") == value
    }
    found: Contents = {}
    passed: set[int] = set()  # processors whose deepest state was met
    for cpu, folder in system.idle_states():
        if cpus is not None and cpu not in cpus:
            continue
        if value == NONE:
            disabled = system.text(f"{folder}/name") != POLL
        else:
            disabled = cpu in passed or is_off_by_default(system, folder)
        if deepest.get(cpu) == folder:
            disabled = False
            passed.add(cpu)
        found[f"{folder}/disable"] = line(int(disabled))
    return found


def is_off_by_default(system: System, folder: str) -> bool:
    """Whether the driver keeps a state off: one that excludes another, such as C1E beside C1."""
    return system.text(f"{folder}/default_status") == "disabled"


def add_limits(system: System, wanted: Wanted, policies: list[str], which: str, value: str) -> None:
    """A frequency limit of each policy."""
    khz = kilohertz(value)
    for policy in policies:
        if khz is not None:
            wanted.asked[f"{policy}/scaling_{which}_freq"] = line(khz)
        elif (own := system.number(f"{policy}/cpuinfo_{which}_freq")) is not None:
            wanted.along[f"{policy}/scaling_{which}_freq"] = line(own)


def share_file(which: str) -> str:
    """Intel_pstate's limit of all processors, in per cent of the highest frequency."""
    return f"{CPU}/intel_pstate/{which}_perf_pct"


def line(value: object) -> bytes:
    return f"{value}\n".encode()


def lever_files(system: System, lever: str, cpus: frozenset[int] | None = None) -> list[str]:
    """The files that a lever writes on these processors or on all, whatever its value."""
    if lever == "dma_latency":
        is_there = cpus is None and system.exists(LATENCY_DEVICE)
        return [LATENCY_DEVICE] if is_there else []
    some = {"turbo": ON, "cstates": NONE, "governor": "powersave", "epp": "power"}
    wanted = wanted_by(system, {lever: some.get(lever, HARDWARE)}, cpus)
    limits = (path for path in wanted.along if "_freq" in path)
    return [*wanted.asked, *limits]
