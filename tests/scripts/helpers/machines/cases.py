# SPDX-License-Identifier: BSD-3-Clause
"""What each check of `pollux doctor` has to say of recorded machines, and of changes to them."""

from typing import NamedTuple

from pollux.machine.doctor.finding import Verdict

CPU = "sys/devices/system/cpu"
CLOCK = "sys/devices/system/clocksource/clocksource0"
BOOST = f"{CPU}/cpu{{0-7}}/cpufreq/boost"
ZEN: dict[str, str | None] = {
    "sys/class/hwmon/hwmon3/name": "k10temp",
    "sys/class/hwmon/hwmon3/temp1_crit": None,
}
V1_GROUPS = "4:memory:/box\n1:cpu,cpuacct:/box\n"
NO_PROGRAMS: dict[str, str | None] = {
    "$ systemd-detect-virt --vm": None,
    "$ systemd-detect-virt --container": None,
}
HYPERVISOR = "proc/device-tree/hypervisor/compatible"


def firmware(vendor: str, product: str) -> dict[str, str | None]:
    return {"sys/class/dmi/id/sys_vendor": vendor, "sys/class/dmi/id/product_name": product}


def busy_on(*processors: int) -> dict[str, str | None]:
    """A process whose threads were last on these, and ticks of an allowed one, perhaps its own."""
    threads = {
        321 + n: f"0 0 20 0 {len(processors)} 0 0 {'0 ' * 16}{processor} 0 0"
        for n, processor in enumerate(processors)
    }
    return {
        "proc/321/stat": f"321 (java) R 1 321 321 0 -1 0 0 0 0 0 700 100 {threads[321]}",
        "later/proc/321/stat": f"321 (java) R 1 321 321 0 -1 0 0 0 0 0 710 100 {threads[321]}",
        "later/proc/stat": "cpu0 1010 0 200 10040\n",
        **{
            f"{at}proc/321/task/{n}/stat": f"{n} (java) R 1 321 321 0 -1 0 0 0 0 0 {ticks} {fields}"
            for n, fields in threads.items()
            for at, ticks in (("", "350 50"), ("later/", "360 50"))
        },
    }


QEMU = firmware("QEMU", "KVM Virtual Machine")
GOOD, CARE, BAD = Verdict.GOOD, Verdict.CAUTION, Verdict.BAD
UNKNOWN, NOT_APPLICABLE = Verdict.UNKNOWN, Verdict.NOT_APPLICABLE


FIRMWARES: list[tuple[dict[str, str | None], Verdict, str]] = [
    ({}, GOOD, "none"),
    ({HYPERVISOR: "xen,xen-4.17"}, CARE, "xen,xen-4.17"),
    (QEMU, CARE, "QEMU"),
    (firmware("Amazon EC2", "c7g.large"), CARE, "Amazon EC2"),
    (firmware("Amazon EC2", "c7g.metal"), GOOD, "none"),
    (firmware("VMware, Inc.", "VMware20,1"), CARE, "VMware"),
    (firmware("Microsoft Corporation", "Virtual Machine"), CARE, "Virtual Machine"),
    (firmware("Microsoft Corporation", "Surface Pro"), GOOD, "none"),
    (firmware("Google", "Google Compute Engine"), CARE, "Google Compute Engine"),
    (firmware("GIGABYTE", "R152-P30"), GOOD, "none"),
]


def governor(*names: str) -> dict[str, str | None]:
    return {f"{CPU}/cpu{i}/cpufreq/scaling_governor": name for i, name in enumerate(names)}


class Case(NamedTuple):
    """A check of a machine: what is changed on it, the verdict, and the text."""

    check: str
    machine: str
    files: dict[str, str | None]
    verdict: Verdict
    text: str = ""  # a part of what was found or of what is wrong in brief
    fix: str = ""  # a part of the command; empty: there is none


CASES = [
    Case("governor", "server", {}, GOOD, "performance (driver acpi-cpufreq)"),
    Case("governor", "laptop", {}, CARE, "governor powersave", "echo performance | sudo tee /sys"),
    Case("governor", "server", governor("ondemand"), CARE, "ondemand, performance", "cpu*/cpufreq"),
    Case("governor", "container", {}, NOT_APPLICABLE, "left to the host"),
    Case("governor", "raspberry", {}, UNKNOWN, "no CPUFreq"),
    Case("energy preference", "laptop", {}, CARE, "balance_power", "energy_performance_preference"),
    Case("energy preference", "server", {}, NOT_APPLICABLE),
    Case(
        "turbo",
        "laptop",
        {},
        CARE,
        "turbo on",
        "echo 1 | sudo tee /sys/devices/system/cpu/intel_p",
    ),
    Case("turbo", "laptop", {f"{CPU}/intel_pstate/no_turbo": "1"}, GOOD, "off"),
    Case("turbo", "server", {}, GOOD, "off"),
    Case("turbo", "server", {f"{CPU}/cpufreq/boost": "1"}, CARE, "turbo on", "echo 0 | sudo tee"),
    Case(
        "turbo",
        "server",
        {f"{CPU}/cpufreq/boost": None, f"{CPU}/cpu3/cpufreq/boost": "1"},
        CARE,
        "turbo on",
        "cpu*/cpufreq/boost",
    ),
    Case("turbo", "server", {f"{CPU}/cpufreq/boost": "1", BOOST: "0"}, GOOD, "off"),
    Case("turbo", "server", {f"{CPU}/cpu3/cpufreq/boost": "1"}, CARE, "on", "cpu*/cpufreq/boost"),
    Case("frequency limit", "server", {}, GOOD, "2.90 GHz"),
    Case(
        "frequency limit",
        "server",
        {
            f"{CPU}/cpu{{1-2}}/cpufreq/cpuinfo_max_freq": "2000000",
            f"{CPU}/cpu{{2-3}}/cpufreq/scaling_max_freq": "1500000",
            f"{CPU}/cpu1/cpufreq/scaling_max_freq": "2000000",
        },
        CARE,
        "processors 2 are held at 1.50 GHz of 2.00 GHz; processors 3 are held at 1.50 GHz of 2.90",
        "scaling_max_freq",
    ),
    Case(
        "frequency limit",
        "server",
        {f"{CPU}/cpu{{2-3}}/cpufreq/scaling_max_freq": "1500000"},
        CARE,
        "2-3 are held at 1.50 GHz of 2.90 GHz",
        "scaling_max_freq",
    ),
    Case("kinds of cores", "server", {}, GOOD),
    Case("kinds of cores", "raspberry", {}, GOOD, "all alike"),
    Case("kinds of cores", "raspberry", {f"{CPU}/cpu{{0-3}}/cpu_capacity": None}, UNKNOWN, "fast"),
    Case("kinds of cores", "container", {}, NOT_APPLICABLE, "left to the host"),
    Case(
        "kinds of cores",
        "container",
        {"sys/devices/cpu_core/cpus": "8-9", "sys/devices/cpu_atom/cpus": "0-7"},
        GOOD,
        "all alike",
    ),
    Case(
        "kinds of cores",
        "laptop",
        {f"{CPU}/cpu{{4-7}}/cpufreq/cpuinfo_max_freq": "3600000"},
        CARE,
        "fast: 0-3; slow: 4-7",
        "taskset -c 0-3 pollux run",
    ),
    Case("kinds of cores", "laptop", {f"{CPU}/cpu0/cpufreq/cpuinfo_max_freq": "5100000"}, GOOD),
    Case(
        "kinds of cores",
        "raspberry",
        {f"{CPU}/cpu{{0-1}}/cpu_capacity": "400"},
        CARE,
        "slow: 0-1",
        "taskset -c 2-3",
    ),
    Case(
        "kinds of cores",
        "laptop",
        {"sys/devices/cpu_core/cpus": "0-5", "sys/devices/cpu_atom/cpus": "6-7"},
        CARE,
        "slow: 6-7",
        "taskset -c 0-5",
    ),
    Case("idle states", "server", {}, GOOD),
    Case(
        "idle states",
        "laptop",
        {},
        CARE,
        "C1E (10 µs), C10 (890 µs)",
        "cpuidle/state{1,2}/disable",
    ),
    Case(
        "idle states",
        "laptop",
        {f"{CPU}/cpu{{0-6}}/cpuidle/state{{1-2}}/disable": "1"},
        CARE,
        "C1E (10 µs), C10 (890 µs)",
        "cpuidle/state{1,2}/disable",
    ),
    Case("idle states", "container", {}, NOT_APPLICABLE),
    Case("idle states", "here", {}, GOOD),
    Case("temperature", "laptop", {}, GOOD, "52 °C, critical at 100 °C"),
    Case("temperature", "laptop", {"sys/class/hwmon/hwmon3/temp1_input": "88000"}, CARE, "hot"),
    Case("temperature", "laptop", {"sys/class/hwmon/hwmon3/temp1_input": "99000"}, BAD, "too hot"),
    Case("temperature", "server", {}, GOOD, "41 °C"),
    Case(
        "temperature", "server", {"sys/class/thermal/thermal_zone0/temp": "94000"}, BAD, "too hot"
    ),
    Case("temperature", "laptop", ZEN, UNKNOWN, "52 °C, but the sensor reports no critical"),
    Case("temperature", "container", {}, NOT_APPLICABLE),
    Case("throttling", "server", {}, GOOD),
    Case("throttling", "laptop", {}, CARE, "up to 12 times"),
    Case(
        "throttling",
        "laptop",
        {f"later/{CPU}/cpu{{0-7}}/thermal_throttle/core_throttle_count": "13"},
        BAD,
        "throttled by heat",
    ),
    Case(
        "throttling",
        "laptop",
        {
            f"later/{CPU}/cpu{{0-7}}/thermal_throttle/core_throttle_count": "12",
            f"later/{CPU}/cpu{{0-7}}/thermal_throttle/package_throttle_count": "5",
        },
        BAD,
        "throttled by heat",
    ),
    Case("throttling", "raspberry", {}, CARE, "weak supply"),
    Case(
        "throttling",
        "raspberry",
        {"sys/devices/platform/soc/soc:firmware/get_throttled": "50005"},
        BAD,
        "now: weak supply, throttled",
    ),
    Case(
        "throttling",
        "raspberry",
        {"sys/devices/platform/soc/soc:firmware/get_throttled": "0"},
        GOOD,
        "never",
    ),
    Case("processors", "server", {"allowed": "0-3"}, GOOD, "4 of 8 (0-3)"),
    Case("processors", "server", {"allowed": "5"}, CARE, "one processor", "taskset -cp 0-7 $$"),
    Case(
        "processors",
        "server",
        {"allowed": "5", "sys/fs/cgroup/cpuset.cpus.effective": "4-5"},
        CARE,
        "one processor",
        "taskset -cp 4-5 $$",
    ),
    Case(
        "processors",
        "container",
        {"allowed": "5", "sys/fs/cgroup/cpuset.cpus.effective": "5"},
        CARE,
        "one processor",
    ),
    Case("CPU quota", "server", {}, GOOD, "none"),
    Case("CPU quota", "container", {}, BAD, "CPU quota 1.5 of 8", "taskset -c 0 pollux run"),
    Case(
        "CPU quota",
        "container",
        {"sys/fs/cgroup/cpu.max": "450000 100000"},
        BAD,
        "CPU quota 4.5 of 8",
        "taskset -c 0,2,4,6 pollux run",
    ),
    Case(
        "CPU quota",
        "container",
        {"sys/fs/cgroup/cpu.max": "50000 100000"},
        BAD,
        "0.5 of 8",
    ),
    Case(
        "CPU quota",
        "server",
        {"sys/fs/cgroup/user.slice/cpu.max": "50000 100000"},
        BAD,
        "0.5 of 8",
        "echo max | sudo tee /sys/fs/cgroup/user.slice/cpu.max",
    ),
    Case("CPU quota", "container", {"sys/fs/cgroup/cpu.max": "800000 100000"}, GOOD, "8 proc"),
    Case(
        "CPU quota",
        "server",
        {"sys/fs/cgroup/user.slice/cpu.max": "200000 100000"},
        BAD,
        "CPU quota 2 of 8",
        "taskset -c 0-1",
    ),
    Case("CPU quota", "raspberry", {}, GOOD, "none"),
    Case(
        "CPU quota",
        "raspberry",
        {
            "proc/self/cgroup": V1_GROUPS,
            "sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us": "20000",
            "sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us": "100000",
        },
        BAD,
        "0.2 of 4",
        "echo -1 | sudo tee /sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us",
    ),
    Case(
        "CPU quota",
        "server",
        {
            "sys/fs/cgroup/user.slice/cpu.max": "300000 100000",
            "sys/fs/cgroup/user.slice/user-1000.slice/cpu.max": "600000 100000",
        },
        BAD,
        "CPU quota 3 of 8",
        "taskset -c 0-2",
    ),
    Case("hardware threads", "server", {}, GOOD),
    Case(
        "hardware threads",
        "laptop",
        {},
        CARE,
        "8 allowed processors are 4 cores",
        "taskset -c 0-3",
    ),
    Case("hardware threads", "laptop", {"allowed": "0,5,6"}, GOOD),
    Case("NUMA", "server", {}, GOOD, "2 nodes"),
    Case(
        "NUMA",
        "server",
        {"proc/sys/kernel/numa_balancing": "1"},
        CARE,
        "NUMA balancing on",
        "sudo sysctl kernel.numa_balancing=0",
    ),
    Case("NUMA", "laptop", {"proc/sys/kernel/numa_balancing": "1"}, NOT_APPLICABLE, "one"),
    Case("isolated processors", "laptop", {}, GOOD, "none"),
    Case("isolated processors", "server", {f"{CPU}/nohz_full": "4-7"}, GOOD, "nohz_full: 4-7"),
    Case("clock source", "server", {}, GOOD, "tsc"),
    Case("clock source", "container", {}, GOOD, "kvm-clock"),
    Case("clock source", "raspberry", {}, GOOD, "arch_sys_counter"),
    Case(
        "clock source",
        "server",
        {f"{CLOCK}/current_clocksource": "hpet"},
        BAD,
        "slow clock hpet",
        "echo tsc | sudo tee",
    ),
    Case(
        "clock source",
        "server",
        {f"{CLOCK}/current_clocksource": "acpi_pm", f"{CLOCK}/available_clocksource": "acpi_pm"},
        BAD,
        "acpi_pm",
    ),
    Case("virtualisation", "server", {}, GOOD, "none"),
    Case("virtualisation", "container", {}, CARE, "virtual machine (kvm), in a container"),
    Case("virtualisation", "container", NO_PROGRAMS, CARE, "a hypervisor"),
    *(
        Case("virtualisation", "raspberry", {**NO_PROGRAMS, **files}, verdict, text)
        for files, verdict, text in FIRMWARES
    ),
    Case("virtualisation", "server", {**NO_PROGRAMS, **QEMU}, GOOD, "none"),
    Case(
        "virtualisation",
        "server",
        {**NO_PROGRAMS, ".dockerenv": ""},
        GOOD,
        "in a container (docker)",
    ),
    Case("steal", "server", {}, NOT_APPLICABLE),
    Case("steal", "here", {}, GOOD),
    Case("steal", "container", {}, BAD, "now 6.0 %"),
    Case(
        "steal",
        "container",
        {"later/proc/stat": "cpu0 1000 0 200 10050 0 0 0 62"},
        CARE,
        "0.55 %",
    ),
    Case("other programs", "server", {}, GOOD),
    Case("other programs", "laptop", {}, BAD, "1.00 processors' time in use: Web Content (2)"),
    Case(
        "other programs",
        "server",
        {"later/proc/stat": "cpu0 1010 0 200 10040\n"},
        CARE,
        "cannot be seen from here",
    ),
    Case("other programs", "server", busy_on(0), CARE, "in use: java 20 % (process 321)"),
    Case("other programs", "server", busy_on(200), CARE, "in use: by the kernel, or by processes"),
    Case("other programs", "server", busy_on(200, 0, 201), CARE, "in use: java 20 % (process 321)"),
    Case("other programs", "server", {"later/proc/stat": "cpu0 1000 0 200 10010 20 0 0 20"}, GOOD),
    Case("load average", "server", {}, GOOD),
    Case("load average", "laptop", {}, CARE, "1.75"),
    Case("free memory", "laptop", {}, GOOD, "8.6 GiB of 15.3 GiB"),
    Case(
        "free memory",
        "laptop",
        {"proc/meminfo": "MemTotal: 16000000 kB\nMemAvailable: 900 kB"},
        CARE,
        "memory free",
    ),
    Case("swapping", "laptop", {}, GOOD),
    Case(
        "swapping",
        "laptop",
        {"later/proc/vmstat": "pswpin 121\npswpout 340"},
        BAD,
        "swap",
        "swapoff",
    ),
    Case("swapping", "server", {"proc/pressure/memory": "some avg10=7.50 x"}, BAD, "7.5 %"),
    Case(
        "swapping", "server", {"proc/pressure/memory": "some avg10=0.00 x"}, GOOD, "nothing waits"
    ),
    Case("memory limit", "server", {}, GOOD, "none"),
    Case("memory limit", "here", {}, GOOD, "none"),
    Case(
        "memory limit",
        "container",
        {},
        CARE,
        "2.0 GiB, 1.9 GiB of it left",
    ),
    Case(
        "memory limit",
        "server",
        {"sys/fs/cgroup/user.slice/memory.max": "2147483648"},
        CARE,
        "2.0 GiB of it left",
        "echo max | sudo tee /sys/fs/cgroup/user.slice/memory.max",
    ),
    Case(
        "memory limit",
        "raspberry",
        {
            "proc/self/cgroup": V1_GROUPS,
            "sys/fs/cgroup/memory/box/memory.limit_in_bytes": "1073741824",
        },
        CARE,
        "1.0 GiB",
        "echo -1 | sudo tee",
    ),
    Case("huge pages", "server", {}, GOOD, "madvise"),
    Case("huge pages", "laptop", {}, CARE, "always, defrag madvise", "echo madvise | sudo tee"),
    Case("huge pages", "raspberry", {}, NOT_APPLICABLE),
    Case("debugger", "server", {}, GOOD, "GNU gdb (GDB) 14.2"),
    Case("debugger", "laptop", {}, CARE, "no gdb", "sudo apt-get install gdb"),
    Case("debugger", "server", {"proc/sys/kernel/yama/ptrace_scope": "1"}, GOOD, "gdb"),
    Case(
        "debugger",
        "server",
        {"proc/sys/kernel/yama/ptrace_scope": "2"},
        CARE,
        "may not attach",
        "sudo sysctl kernel.yama.ptrace_scope=1",
    ),
    Case("debugger", "server", {"proc/sys/kernel/yama/ptrace_scope": "3"}, CARE, "attach"),
    Case("energy counters", "server", {}, GOOD, "2 zones of powercap"),
    Case("energy counters", "container", {}, NOT_APPLICABLE, "no /sys/class/powercap"),
    Case("levers", "server", {}, GOOD, "cstates can be set"),
    Case("levers", "raspberry", {}, NOT_APPLICABLE, "no CPUFreq driver is loaded"),
]
