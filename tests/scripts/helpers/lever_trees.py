# SPDX-License-Identifier: BSD-3-Clause
"""Trees of machines with levers, and a stand-in for the kernel that changes and refuses writes."""

import errno
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pollux.core.system_files import RefusedError, System, write_file
from pollux.energy.levers import state
from system_tree import Tree, write_description

CPU = "sys/devices/system/cpu"
STATES = ("POLL", "C1", "C1E", "C6")
NAMED = {  # what intel_pstate reads back (drivers/cpufreq/intel_pstate.c)
    **{"0": "performance", "128": "balance_performance", "192": "balance_power", "255": "power"},
    "default": "balance_performance",
}
BOOT_ID = "11111111-2222-3333-4444-555555555555\n"


def believe_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of levers' states are of the users that their names say."""
    monkeypatch.setattr(state, "owner", lambda path: int(path.stem.rpartition("-")[2]))


def write_levers_here(root: Path) -> Tree:
    """A machine with this one's processors, of which the first and one that is allowed here have
    levers."""
    last = max(os.sched_getaffinity(0))
    return write_levers(root, cpus=1 + last, having={0, last})


def write_levers(
    root: Path,
    *,
    driver: str = "intel_pstate",
    cpus: int = 4,
    offline: int = 0,
    having: Iterable[int] | None = None,
) -> Tree:
    """A machine with all levers of a driver, for all processors that are on or for those given;
    the last `offline` processors are off."""
    tree = write_description(root, {"cpus": cpus})
    online = cpus - offline
    tree.write(f"{CPU}/present", f"0-{cpus - 1}")
    tree.write(f"{CPU}/online", f"0-{online - 1}")
    tree.write("proc/sys/kernel/random/boot_id", BOOT_ID)
    (root / "dev/cpu_dma_latency").write_bytes((2_000_000_000).to_bytes(4, "little"))
    if driver == "intel_pstate":
        for name, text in {"no_turbo": 0, "min_perf_pct": 30, "max_perf_pct": 100}.items():
            tree.write(f"{CPU}/intel_pstate/{name}", text)
        tree.write(f"{CPU}/intel_pstate/status", "active\n")
    elif driver == "acpi-cpufreq":
        tree.write(f"{CPU}/cpufreq/boost", 1)
    for cpu in range(online) if having is None else having:
        write_policy(tree, cpu, driver)
        for number, name in enumerate(STATES):
            write_state(tree, f"{CPU}/cpu{cpu}/cpuidle/state{number}", name)
    return tree


def write_policy(tree: Tree, cpu: int, driver: str) -> None:
    policy = f"{CPU}/cpufreq/policy{cpu}"
    governors = "performance powersave" + (
        " ondemand userspace" if driver == "acpi-cpufreq" else ""
    )
    files: dict[str, object] = {
        **{"affected_cpus": cpu, "scaling_driver": driver, "scaling_governor": "powersave"},
        **{"scaling_available_governors": governors},
        **{"cpuinfo_min_freq": 1_200_000, "cpuinfo_max_freq": 3_200_000},
        **{"scaling_min_freq": 1_200_000, "scaling_max_freq": 3_200_000},
        **{"base_frequency": 2_900_000, "scaling_cur_freq": 2_400_000},
    }
    if driver != "acpi-cpufreq":
        files["energy_performance_preference"] = "balance_performance"
        files["energy_performance_available_preferences"] = (
            "default performance balance_performance balance_power power"
        )
    if driver == "amd-pstate-epp":
        files["boost"] = 1
    for name, text in files.items():
        tree.write(f"{policy}/{name}", f"{text}\n")


def write_state(tree: Tree, folder: str, name: str) -> None:
    status = "disabled" if name == "C1E" else "enabled"  # as intel_idle does beside C1
    disable = 1 if name == "C1E" else 0
    files = {"name": name, "disable": disable, "usage": 100, "default_status": status}
    for file, text in files.items():
        tree.write(f"{folder}/{file}", f"{text}\n")


def contents(root: Path) -> dict[str, bytes]:
    """Every file of a tree that is not Pollux's own."""
    files = (path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    return {str(p.relative_to(root)): p.read_bytes() for p in files if "var/tmp" not in str(p)}


@dataclass
class Kernel:
    """Takes writes as a kernel with intel_pstate in active mode; notes them in their order."""

    turbo_is_locked: bool = False  # by the firmware
    refuse: Callable[[str, bytes], int | None] = lambda _path, _content: None  # an errno, or None
    names: dict[str, str] = field(default_factory=lambda: NAMED)  # of preferences
    written: list[tuple[str, str]] = field(default_factory=list)  # last part of the path, text

    def system(self, root: Path) -> System:
        return System(root, write_to=self.write, may_write_to=lambda _root, _path: True)

    def write(self, root: Path, path: str, content: bytes) -> None:
        text = content.decode().strip()
        number = self.refuse(path, content) or self.verdict(root, path, text)
        if number:
            raise RefusedError(path, OSError(number, os.strerror(number)), opening=False)
        self.written.append(("/".join(path.split("/")[-2:]), text))
        if path.endswith("energy_performance_preference"):
            content = self.names.get(text, text).encode() + b"\n"
        write_file(root, path, content)
        if path.endswith("scaling_governor") and text == "performance":
            self.side_effect(root, path, "energy_performance_preference", b"performance\n")

    def side_effect(self, root: Path, path: str, name: str, content: bytes) -> None:
        beside = f"{path.rpartition('/')[0]}/{name}"
        if (root / beside).exists():
            write_file(root, beside, content)

    def verdict(self, root: Path, path: str, text: str) -> int | None:
        """The error that the kernel returns for a write."""
        folder, _, name = path.rpartition("/")
        if not (root / path).exists():
            return errno.ENOENT
        beside = root / folder
        if name == "no_turbo" and self.turbo_is_locked:
            return errno.EPERM
        if name == "energy_performance_preference" and text not in ("performance", "0"):
            governor = (beside / "scaling_governor").read_text().strip()
            return errno.EBUSY if governor == "performance" else None
        if name == "scaling_max_freq" and int(text) < int(
            (beside / "scaling_min_freq").read_text()
        ):
            return errno.EINVAL
        if name == "scaling_min_freq" and int(text) > int(
            (beside / "scaling_max_freq").read_text()
        ):
            return errno.EINVAL
        return None


@dataclass
class TurboKernel(Kernel):
    """One that moves limits with turbo, and keeps those that were asked for meanwhile."""

    asked: dict[str, int] = field(default_factory=dict)  # upper limits in kHz, by path

    def write(self, root: Path, path: str, content: bytes) -> None:
        super().write(root, path, content)
        if path.endswith("scaling_max_freq"):
            self.asked[path] = int(content)
        if path.endswith(("no_turbo", "scaling_max_freq")):
            self.move_limits(root)

    def move_limits(self, root: Path) -> None:
        is_off = (root / CPU / "intel_pstate/no_turbo").read_text().strip() == "1"
        most = 2_900_000 if is_off else 3_200_000
        for policy in (root / CPU / "cpufreq").glob("policy*"):
            limit = policy / "scaling_max_freq"
            asked = self.asked.get(str(limit.relative_to(root)), 3_200_000)
            limit.write_text(f"{min(asked, most)}\n")
            (policy / "cpuinfo_max_freq").write_text(f"{most}\n")
