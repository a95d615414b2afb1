# SPDX-License-Identifier: BSD-3-Clause
"""Checks of what changes the speed of processors: CPUFreq, turbo, idle states, heat.

Files are those of the kernel's documentation: admin-guide/pm/cpufreq.rst, intel_pstate.rst,
amd-pstate.rst and cpuidle.rst.
"""

from pollux.core.kernel_files import PROCESSORS, format_list, parse_list
from pollux.core.system_files import System
from pollux.machine.doctor.finding import Finding, bad, caution, good, not_applicable, unknown
from pollux.machine.doctor.load import THROTTLED
from pollux.machine.doctor.machine import Machine

FREQ = "cpufreq"
EVERY = f"/{PROCESSORS}/cpu*"
# Idle states from which a processor needs this long to wake disturb tasks of tens of microseconds.
DEEP_MICROSECONDS = 10
# Below the critical temperature. Processors slow down before they reach it, and a machine that is
# this near to it while idle gets there under load.
HOT_DEGREES = 15
TOO_HOT_DEGREES = 5
# A core below this share of the fastest one's speed is of another kind. Favoured cores of one kind
# (Intel Turbo Boost Max 3.0) are less than that apart.
SAME_KIND = 0.9


def no_scaling(machine: Machine) -> Finding:
    """Where CPUFreq is missing: normal in virtual machines."""
    if machine.virtual:
        return not_applicable("left to the host")
    return unknown("no CPUFreq: what sets the frequency cannot be seen")


def governor(machine: Machine) -> Finding:
    governors = machine.of_processors(f"{FREQ}/scaling_governor")
    if not governors:
        return no_scaling(machine)
    kinds = sorted(set(governors.values()))
    drivers = sorted(set(machine.of_processors(f"{FREQ}/scaling_driver").values()))
    found = f"{', '.join(kinds)} (driver {', '.join(drivers) or 'unknown'})"
    if kinds == ["performance"]:
        return good(found)
    offered = set(machine.of_processors(f"{FREQ}/scaling_available_governors").values())
    is_fixable = not offered or any("performance" in text.split() for text in offered)
    command = f"echo performance | sudo tee {EVERY}/{FREQ}/scaling_governor"
    return caution(found, f"governor {', '.join(kinds)}", command if is_fixable else "")


def preference(machine: Machine) -> Finding:
    """Of processors that choose their frequency themselves (Intel HWP, AMD CPPC)."""
    kinds = set(machine.of_processors(f"{FREQ}/energy_performance_preference").values())
    if not kinds:
        return not_applicable("not with this driver")
    found = ", ".join(sorted(kinds))
    if kinds <= {"performance", "0"}:
        return good(found)
    command = f"echo performance | sudo tee {EVERY}/{FREQ}/energy_performance_preference"
    return caution(found, f"energy-performance preference {found}", command)


def turbo(machine: Machine) -> Finding:
    no_turbo = f"{PROCESSORS}/intel_pstate/no_turbo"
    if (off := machine.read(no_turbo)) is not None:
        return turbo_finding(off == "0", f"echo 1 | sudo tee /{no_turbo}")
    own = machine.of_processors(f"{FREQ}/boost")  # of each policy, since Linux 6.11
    if own:
        on_somewhere = any(text != "0" for text in own.values())
        return turbo_finding(on_somewhere, f"echo 0 | sudo tee {EVERY}/{FREQ}/boost")
    boost = f"{PROCESSORS}/{FREQ}/boost"
    if (on := machine.read(boost)) is not None:
        return turbo_finding(on != "0", f"echo 0 | sudo tee /{boost}")
    if not machine.of_processors(f"{FREQ}/scaling_governor"):
        return no_scaling(machine)
    return not_applicable("the driver knows no turbo")


def turbo_finding(on: bool, command: str) -> Finding:
    return caution("on", "turbo on", command) if on else good("off")


def frequency_limits(machine: Machine) -> Finding:
    most = {c: int(t) for c, t in machine.of_processors(f"{FREQ}/cpuinfo_max_freq").items()}
    limit = {c: int(t) for c, t in machine.of_processors(f"{FREQ}/scaling_max_freq").items()}
    if not most or not limit:
        return no_scaling(machine)
    lowered = {c: limit[c] for c in most.keys() & limit.keys() if limit[c] < most[c]}
    if not lowered:
        return good(f"up to {gigahertz(max(most.values()))}")
    kinds = sorted({(khz, most[c]) for c, khz in lowered.items()})
    found = "; ".join(
        f"processors {format_list(c for c in lowered if (lowered[c], most[c]) == kind)} are held "
        f"at {gigahertz(kind[0])} of {gigahertz(kind[1])}"
        for kind in kinds
    )
    command = f"for f in {EVERY}/{FREQ}; do sudo tee $f/scaling_max_freq <$f/cpuinfo_max_freq; done"
    return caution(found, f"frequency limit {gigahertz(min(lowered.values()))}", command)


def gigahertz(kilohertz: int) -> str:
    return f"{kilohertz / 1e6:.2f} GHz"


def core_kinds(machine: Machine) -> Finding:
    """Fast and slow cores in one machine: Intel's hybrids by name, others by speed."""
    performance = machine.read("sys/devices/cpu_core/cpus")
    if performance and machine.read("sys/devices/cpu_atom/cpus"):
        fast = parse_list(performance) & machine.allowed
    elif not (fast := fastest(machine)) and len(machine.allowed) > 1:
        return no_speeds(machine)
    if not fast or fast == machine.allowed:
        return good("all alike")
    slow = machine.allowed - fast
    found = f"fast: {format_list(fast)}; slow: {format_list(slow)}"
    command = f"taskset -c {format_list(fast)} pollux run FILE"
    return caution(found, f"slow cores among the allowed: {format_list(slow)}", command)


def no_speeds(machine: Machine) -> Finding:
    if machine.virtual:
        return not_applicable("left to the host")
    return unknown("the system does not report how fast its processors are")


def fastest(machine: Machine) -> frozenset[int]:
    """Processors near the greatest capacity, else the greatest frequency; empty: not known."""
    speeds = machine.of_processors("cpu_capacity")
    if len(set(speeds.values())) < 2:
        speeds = machine.of_processors(f"{FREQ}/cpuinfo_max_freq") or speeds
    most = max((int(t) for t in speeds.values()), default=0)
    return frozenset(c for c, text in speeds.items() if int(text) >= SAME_KIND * most)


def idle_states(machine: Machine) -> Finding:
    states = System(machine.root).idle_states()
    folders = [folder for cpu, folder in states if cpu in machine.allowed]
    if not folders:
        if machine.virtual:
            return not_applicable("left to the host")
        return unknown("this system does not report its idle states")
    deep: dict[str, str] = {}  # of any processor, by name and latency: its number
    for folder in folders:
        latency = machine.number(f"{folder}/latency") or 0
        if latency >= DEEP_MICROSECONDS and machine.number(f"{folder}/disable") == 0:
            name = machine.read(f"{folder}/name")
            deep[f"{name} ({latency} µs)"] = folder.rsplit("state", 1)[1]
    if not deep:
        return good(f"none from which waking takes {DEEP_MICROSECONDS} µs")
    numbers = sorted(set(deep.values()), key=int)
    which = f"{{{','.join(numbers)}}}" if len(numbers) > 1 else numbers[0]
    command = f"echo 1 | sudo tee {EVERY}/cpuidle/state{which}/disable"
    return caution(f"deep ones on: {', '.join(deep)}", "deep idle states on", command)


def temperature(machine: Machine) -> Finding:
    inputs = sensors(machine)
    readings = [*zones(machine), *limited(machine, inputs)]
    if not readings:
        if machine.virtual:
            return not_applicable("no sensors in a virtual machine")
        if now := max((machine.number(path) or 0 for path in inputs), default=0):
            # That of AMD's processors since Zen (kernel: hwmon/k10temp.rst).
            return unknown(f"{now / 1000:.0f} °C, but the sensor reports no critical temperature")
        return unknown("no sensor of the processor can be read")
    degrees, critical = min(readings, key=lambda r: r[1] - r[0])
    found = f"{degrees:.0f} °C, critical at {critical:.0f} °C"
    if critical - degrees < TOO_HOT_DEGREES:
        return bad(found, f"too hot: {degrees:.0f} °C")
    if critical - degrees < HOT_DEGREES:
        return caution(found, f"hot: {degrees:.0f} °C")
    return good(found)


def zones(machine: Machine) -> list[tuple[float, float]]:
    """Temperature and critical temperature of thermal zones (kernel: sysfs-class-thermal)."""
    found: list[tuple[float, float]] = []
    for folder in machine.find("sys/class/thermal/thermal_zone*"):
        now = machine.number(f"{folder}/temp")
        for trip in machine.find(f"{folder}/trip_point_*_type"):
            limit = machine.number(trip.removesuffix("type") + "temp")
            if machine.read(trip) == "critical":
                found += degrees_of(now, limit)
    return found


def sensors(machine: Machine) -> list[str]:
    """The processors' own sensors (kernel: hwmon/coretemp.rst, k10temp.rst)."""
    return [
        reading
        for name in machine.find("sys/class/hwmon/hwmon*/name")
        if machine.read(name) in ("coretemp", "k10temp", "cpu_thermal")
        for reading in machine.find(name.removesuffix("name") + "temp*_input")
    ]


def limited(machine: Machine, inputs: list[str]) -> list[tuple[float, float]]:
    """The same of those sensors that have a limit."""
    pairs = (
        (machine.number(path), machine.number(path.removesuffix("input") + "crit"))
        for path in inputs
    )
    return [pair for now, limit in pairs for pair in degrees_of(now, limit)]


def degrees_of(now: int | None, limit: int | None) -> list[tuple[float, float]]:
    """Both, from thousandths; firmware without a sensor reports zero or less, or absurd limits."""
    if now is None or limit is None or now <= 0 or not 0 < limit < 150_000:
        return []
    return [(now / 1000, limit / 1000)]


def throttling(machine: Machine) -> Finding:
    """What was held back since the start: x86 by heat, Raspberry Pi by heat or weak supply."""
    pi = machine.read("sys/devices/platform/soc/soc:firmware/get_throttled")
    if pi is not None:
        return raspberry(int(pi, 16))
    counts = [
        int(text)
        for what in THROTTLED
        for text in machine.of_processors(f"thermal_throttle/{what}_throttle_count").values()
    ]
    if not counts:
        if machine.virtual:
            return not_applicable("not visible in a virtual machine")
        return unknown("the system does not count it")
    if machine.load.throttled > 0:
        return bad("processors are being slowed down by heat", "throttled by heat")
    if any(counts):
        return caution(f"up to {max(counts)} times since the start", "throttled by heat before")
    return good("never since the start")


def raspberry(bits: int) -> Finding:
    """Bits as Raspberry Pi's documentation of `vcgencmd get_throttled` gives them."""
    names = {0: "weak supply", 1: "frequency capped", 2: "throttled", 3: "near its limit of heat"}
    now = [text for bit, text in names.items() if bits & (1 << bit)]
    before = [text for bit, text in names.items() if bits & (1 << (bit + 16))]
    if now:
        return bad(f"now: {', '.join(now)}", f"slowed down: {', '.join(now)}")
    if before:
        return caution(f"since the start: {', '.join(before)}", f"slowed down before: {before[0]}")
    return good("never since the start")
