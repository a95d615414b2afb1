# SPDX-License-Identifier: BSD-3-Clause
"""Writes the /sys, /proc and /dev of a machine into a folder, for POLLUX_SYSTEM_ROOT.

    tree = write_machine(tmp_path, "two-sockets")
    environment = {"POLLUX_SYSTEM_ROOT": str(tree.root)}
    tree.add_energy("package-0", 12.5)  # joules, with the wrap of the zone's range
    tree.write("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n")

The machines are in tests/common/energy/machines.json, which the tests in C++ read too. Links are
where the kernel has them: the class of powercap links to every zone, so a zone is reachable by
several paths.
"""

import ctypes
import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
MACHINES: dict[str, dict[str, Any]] = json.loads(
    (ROOT / "tests/common/energy/machines.json").read_text()
)
RANGE_UJ = 262_143_328_850  # 2^32 units of 61 µJ
ENERGY_UJ = 1_000_000_000  # of zones that do not state theirs
PERF_SCALE = "2.3283064365386962890625e-10\n"  # 2^-32 joules
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2
LIBC = ctypes.CDLL(None)


def obey_modes() -> None:
    """As `preexec_fn`: the modes of files hold for the child even if root runs the tests."""
    for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        LIBC.prctl(PR_CAPBSET_DROP, capability)


class Tree:
    """The files of one machine below `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        # Zones of powercap such as "package-0/dram", and the folders that show its counter.
        self.zones: dict[str, list[Path]] = {}
        for folder in ("sys", "proc", "dev"):
            (root / folder).mkdir(parents=True, exist_ok=True)

    def write(self, path: str, text: object, mode: str | None = None) -> Path:
        """A file below the root, or a folder if `path` ends in a slash."""
        file = self.root / path
        if path.endswith("/"):
            file.mkdir(parents=True, exist_ok=True)
            return file
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text if isinstance(text, str) else f"{text}\n")
        if mode is not None:
            file.chmod(int(mode, 8))
        return file

    def link(self, path: str, target: str) -> None:
        """A relative link, as sysfs has them; both paths are below the root."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.symlink_to(os.path.relpath(self.root / target, file.parent))

    def read(self, path: str) -> str:
        return (self.root / path).read_text()

    def energy_file(self, zone: str) -> Path:
        """The counter of a zone of powercap, such as "package-0/dram"."""
        return self.zones[zone][0] / "energy_uj"

    def energy_uj(self, zone: str) -> int:
        return int(self.energy_file(zone).read_text())

    def set_energy(self, zone: str, text: object) -> None:
        """Write a counter wherever it is shown. In place: readers keep it open."""
        for folder in self.zones[zone]:
            with (folder / "energy_uj").open("r+") as file:
                file.write(text if isinstance(text, str) else f"{text}\n")
                file.truncate()

    def add_energy(self, zone: str, joules: float) -> None:
        """Advance a counter; it wraps to 0 behind its range."""
        range_file = self.zones[zone][0] / "max_energy_range_uj"
        end = int(range_file.read_text()) + 1 if range_file.exists() else 0
        energy = self.energy_uj(zone) + round(joules * 1e6)
        self.set_energy(zone, energy % end if end > 1 else energy)


@contextmanager
def counting(tree: Tree, joules: float = 0.05) -> Iterator[None]:
    """All counters of powercap rise, about every millisecond by that much."""
    ended = threading.Event()
    counters = {id(folders): zone for zone, folders in tree.zones.items()}  # mirrors once

    def count() -> None:
        while not ended.wait(0.001):
            for zone in counters.values():
                tree.add_energy(zone, joules)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def write_machine(root: Path, name: str) -> Tree:
    """The tree of a machine of machines.json."""
    return write_description(root, MACHINES[name])


def write_description(root: Path, machine: dict[str, Any]) -> Tree:
    """The tree of a machine that is described like those in machines.json."""
    tree = Tree(root)
    write_processors(tree, machine)
    for control, zones in machine.get("powercap", {}).items():
        write_control(tree, control, zones)
    for name, pmu in machine.get("perf", {}).items():
        write_pmu(tree, name, pmu)
    for number, device in enumerate(hwmon_devices(machine)):
        write_hwmon(tree, number, device)
    for name, text in machine.get("cray", {}).items():
        stamp = "" if name in ("freshness", "generation", "raw_scan_hz") else " 1790000000000000 us"
        tree.write(f"sys/cray/pm_counters/{name}", f"{text}{stamp}\n")
    for path, text in machine.get("files", {}).items():
        tree.write(path, text)
    return tree


def write_processors(tree: Tree, machine: dict[str, Any]) -> None:
    cpus, sockets = machine.get("cpus", 1), machine.get("sockets", 1)
    flags = "fpu msr" + (" hypervisor" if machine.get("virtual") else "")
    lines = []
    for cpu in range(cpus):
        socket = cpu * sockets // cpus
        folder = f"sys/devices/system/cpu/cpu{cpu}"
        tree.write(f"{folder}/topology/physical_package_id", socket)
        lines.append(f"processor\t: {cpu}\n")
        if machine.get("architecture", "x86_64") == "x86_64":
            vendor = machine.get("vendor", "GenuineIntel")
            lines.append(f"vendor_id\t: {vendor}\nphysical id\t: {socket}\nflags\t\t: {flags}\n")
        lines.append("\n")
        if "frequencies" in machine:
            policy = f"sys/devices/system/cpu/cpufreq/policy{cpu}"
            tree.write(f"{policy}/scaling_cur_freq", machine["frequencies"][cpu])
            tree.link(f"{folder}/cpufreq", policy)
    tree.write("proc/cpuinfo", "".join(lines))
    tree.write("sys/devices/system/cpu/online", f"0-{cpus - 1}\n" if cpus > 1 else "0\n")


def write_control(tree: Tree, control: str, zones: list[dict[str, Any]]) -> None:
    """A control type of powercap with its zones."""
    folder = f"sys/devices/virtual/powercap/{control}"
    tree.write(f"{folder}/enabled", 1)
    tree.link(f"sys/class/powercap/{control}", folder)
    for number, top in enumerate(zones):
        write_zone(tree, folder, f"{control}:{number}", "", top)
        if (first := zones[top.get("mirrors", number)]["name"]) != top["name"]:
            mirror = tree.energy_file(top["name"])
            mirror.unlink()
            mirror.hardlink_to(tree.energy_file(first))  # one counter: readers never see it differ
            tree.zones[top["name"]] = tree.zones[first]


def write_zone(tree: Tree, above: str, number: str, prefix: str, zone: dict[str, Any]) -> None:
    """A zone and those inside it; `prefix` is the name of what it is in, with a slash."""
    folder = f"{above}/{number}"
    tree.write(f"{folder}/name", zone["name"])
    tree.write(f"{folder}/energy_uj", zone.get("energy", ENERGY_UJ), zone.get("mode"))
    if zone.get("range", RANGE_UJ) is not None:
        tree.write(f"{folder}/max_energy_range_uj", zone.get("range", RANGE_UJ))
    tree.write(f"{folder}/enabled", zone.get("enabled", 1))
    tree.write(f"{folder}/constraint_0_name", "long_term")
    tree.link(f"{folder}/subsystem", "sys/class/powercap")
    tree.link(f"{folder}/device", above)
    tree.link(f"sys/class/powercap/{number}", folder)
    full_name = prefix + zone["name"]
    tree.zones.setdefault(full_name, []).append(tree.root / folder)
    for index, inner in enumerate(zone.get("zones", ())):
        write_zone(tree, folder, f"{number}:{index}", f"{full_name}/", inner)


def write_pmu(tree: Tree, name: str, pmu: dict[str, Any]) -> None:
    """An event source of perf."""
    folder = f"sys/devices/{name}"
    tree.link(f"sys/bus/event_source/devices/{name}", folder)
    tree.write(f"{folder}/type", pmu["type"])
    tree.write(f"{folder}/cpumask", pmu["cpumask"])
    tree.write(f"{folder}/format/event", "config:0-7\n")
    for event, parts in pmu["events"].items():
        tree.write(f"{folder}/events/{event}", parts["code"])
        tree.write(f"{folder}/events/{event}.scale", parts.get("scale", PERF_SCALE))
        tree.write(f"{folder}/events/{event}.unit", parts.get("unit", "Joules\n"))


def hwmon_devices(machine: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from machine.get("hwmon", ())
    for driver, sensors in machine.get("temperatures", {}).items():
        files: dict[str, object] = {}
        for number, (label, millidegrees) in enumerate(sensors.items(), 1):
            files |= {f"temp{number}_label": label, f"temp{number}_input": millidegrees}
        yield {"name": driver, "files": files}


def write_hwmon(tree: Tree, number: int, device: dict[str, Any]) -> None:
    """A hardware monitor; old drivers keep their files in the folder of the device."""
    folder = f"sys/devices/platform/{device['name']}.{number}/hwmon/hwmon{number}"
    tree.link(f"sys/class/hwmon/hwmon{number}", folder)
    tree.write(f"{folder}/name", device["name"])
    tree.link(f"{folder}/device", f"sys/devices/platform/{device['name']}.{number}")
    place = f"sys/devices/platform/{device['name']}.{number}" if device.get("device") else folder
    for file, text in device["files"].items():
        tree.write(f"{place}/{file}", text)
