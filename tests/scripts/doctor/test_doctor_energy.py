# SPDX-License-Identifier: BSD-3-Clause
"""What `pollux doctor` says about energy counters and levers, and the rules that it recommends."""

import os
import re
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path
from types import SimpleNamespace

import pytest
from lever_trees import believe_names, contents, write_levers
from machines.recorded import recorded
from pollux.core.errors import BadUsageError
from pollux.core.system_files import System, this_system
from pollux.core.text import counted
from pollux.energy.levers import state
from pollux.energy.levers.files import is_lever_file
from pollux.energy.levers.session import Session
from pollux.energy.levers.state import state_path
from pollux.machine.doctor import energy
from pollux.machine.doctor.finding import Finding, Verdict
from pollux.machine.doctor.machine import Machine, this_machine
from project import ROOT
from system_tree import MACHINES, Tree, write_description, write_machine

GOOD, CARE, NOT_APPLICABLE = Verdict.GOOD, Verdict.CAUTION, Verdict.NOT_APPLICABLE
PARANOID = "proc/sys/kernel/perf_event_paranoid"
PERF = {"power": {"type": 21, "cpumask": "0\n", "events": {"energy-pkg": {"code": "event=0x02\n"}}}}
PSYS = {
    "power": {"type": 21, "cpumask": "0\n", "events": {"energy-psys": {"code": "event=0x05\n"}}}
}


def on(tree: Tree, folder: Path, *, superuser: bool = False) -> Machine:
    """A machine with the energy counters of a tree."""
    return replace(recorded(None, folder, superuser=superuser), system=System(tree.root))


def close(tree: Tree, zone: str) -> None:
    """Make a counter unreadable, for the superuser too."""
    counter = tree.energy_file(zone)
    counter.unlink()
    counter.mkdir()


def test_the_file_that_cannot_be_read_is_named_with_the_rule_that_opens_it(tmp_path: Path) -> None:
    tree = write_machine(tmp_path / "tree", "two-sockets")
    close(tree, "package-1")
    found = energy.counters(on(tree, tmp_path))
    assert found.verdict == CARE
    assert re.search(r"/sys/class/powercap/intel-rapl:\d/energy_uj cannot be read", found.found)
    assert "packaging/udev/70-pollux.rules" in found.fix
    assert "CVE-2020-8694" in found.brief


@pytest.mark.parametrize(
    ("level", "superuser", "verdict", "fix"),
    [
        ("-1\n", False, GOOD, ""),
        ("0\n", False, GOOD, ""),
        ("2\n", False, CARE, "sudo sysctl kernel.perf_event_paranoid=0"),
        ("2\n", True, GOOD, ""),
    ],
)
def test_perf_needs_a_level_or_an_administrator(
    tmp_path: Path, level: str, superuser: bool, verdict: Verdict, fix: str
) -> None:
    tree = write_description(tmp_path / "tree", {"perf": PERF, "files": {PARANOID: level}})
    found = energy.counters(on(tree, tmp_path, superuser=superuser))
    assert (found.verdict, found.fix) == (verdict, fix)


def test_a_level_of_perf_that_nobody_tells_is_not_known(tmp_path: Path) -> None:
    tree = write_description(tmp_path / "tree", {"perf": PERF})
    assert "perf_event_paranoid is not known" in energy.counters(on(tree, tmp_path)).found


@pytest.mark.parametrize(
    ("rights", "verdict"),
    [("00000000a80425fb", CARE), ("0000004000000000", GOOD), ("0000000000200000", GOOD)],
)
def test_perf_needs_a_right_that_administrators_lack_in_containers(
    tmp_path: Path, rights: str, verdict: Verdict
) -> None:
    tree = write_description(tmp_path / "tree", {"perf": PERF, "files": {PARANOID: "2\n"}})
    machine = on(tree, tmp_path, superuser=True)
    (machine.root / "proc/self").mkdir(parents=True)
    (machine.root / "proc/self/status").write_text(f"CapEff:\t{rights}\n")
    assert energy.counters(machine).verdict == verdict


METER = {"name": "acpi", "files": {"power1_input": 42000000}}


@pytest.mark.parametrize(
    ("device", "count"),
    [
        (METER, 1),
        ({**METER, "device": True}, 1),
        ({"name": "both", "files": {"power1_average": 1, "power1_input": 2, "power2_input": 3}}, 2),
        (MACHINES["amd-energy"]["hwmon"][0], 1),  # those of its cores are not read
    ],
)
def test_meters_are_those_that_executables_read(
    tmp_path: Path, device: dict[str, object], count: int
) -> None:
    tree = write_description(tmp_path / "tree", {"hwmon": [device]})
    found = energy.counters(on(tree, tmp_path))
    assert (found.verdict, found.found) == (GOOD, f"{counted(count, 'meter')} of hwmon")


def test_a_meter_that_cannot_be_read_is_named_with_what_opens_it(tmp_path: Path) -> None:
    tree = write_description(tmp_path / "tree", {"hwmon": [METER]})
    file = "sys/class/hwmon/hwmon0/power1_input"
    (tree.root / file).unlink()
    (tree.root / file).mkdir()
    found = energy.counters(on(tree, tmp_path))
    assert (found.verdict, found.found) == (CARE, f"/{file} cannot be read")
    assert found.fix.endswith(f" && sudo chgrp pollux /{file} && sudo chmod g+r /{file}")


def test_a_meter_that_sleeps_needs_no_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(System, "read", lambda *_: None)
    tree = write_description(tmp_path / "tree", {"hwmon": [METER]})
    assert energy.counters(on(tree, tmp_path)).verdict == GOOD


@pytest.mark.parametrize(
    ("more", "verdict"),
    [
        ({"hwmon": [METER]}, CARE),
        ({"cray": MACHINES["cray"]["cray"]}, CARE),
        ({"perf": PERF, "files": {PARANOID: "2\n"}}, CARE),
        ({"perf": PERF, "files": {PARANOID: "0\n"}}, GOOD),
    ],
)
def test_zones_that_cannot_be_read_matter_unless_perf_counts_the_same(
    tmp_path: Path, more: dict[str, object], verdict: Verdict
) -> None:
    description = {"powercap": MACHINES["client"]["powercap"], **more}
    tree = write_description(tmp_path / "tree", description)
    for zone in tree.zones:
        close(tree, zone)
    found = energy.counters(on(tree, tmp_path))
    assert (found.verdict, "energy_uj cannot be read" in found.found) == (verdict, True)
    assert ("70-pollux.rules" in found.fix) == (verdict is CARE)


def test_where_nothing_counts_energy_each_absent_source_is_named(tmp_path: Path) -> None:
    tree = write_description(tmp_path / "tree", {"perf": PSYS, "virtual": True})
    found = energy.counters(on(tree, tmp_path))
    assert found.verdict == NOT_APPLICABLE
    assert found.found == (
        "unavailable: no /sys/class/powercap, no energy-pkg among the events of perf (only "
        "energy-psys), no meters in /sys/class/hwmon, no /sys/cray/pm_counters"
    ).replace("no meters in /sys/class/hwmon", "no /sys/class/hwmon")


@pytest.mark.parametrize("name", sorted(MACHINES))
def test_every_machine_gets_a_verdict(tmp_path: Path, name: str) -> None:
    tree = write_machine(tmp_path / "tree", name)
    found = energy.counters(on(tree, tmp_path))
    assert found.verdict in (GOOD, CARE, NOT_APPLICABLE)
    assert bool(found.fix) == (found.verdict is CARE)


def levers_of(root: Path, folder: Path, closed: str | None = None) -> Finding:
    """The finding where files whose paths begin as `closed` says may not be written."""
    system = System(root)
    if closed is not None:
        system = System(root, may_write_to=lambda _, path: not path.startswith(closed))
    return energy.levers(replace(recorded(None, folder), system=system))


def test_levers_that_can_be_set_are_listed(tmp_path: Path) -> None:
    write_levers(tmp_path / "tree", driver="acpi-cpufreq")
    found = levers_of(tmp_path / "tree", tmp_path)
    assert found.verdict == GOOD
    assert "turbo, cstates, dma_latency, governor, frequency_min, frequency_max can be set" in (
        found.found
    )
    assert "epp: the driver acpi-cpufreq has no energy-performance preference" in found.found


MODES, RULES = "pollux-levers.conf /etc/tmpfiles.d/", "70-pollux.rules /etc/udev/rules.d/"


@pytest.mark.parametrize(
    ("closed", "installed"), [("", [MODES, RULES]), ("sys", [MODES]), ("dev", [RULES])]
)
def test_levers_that_may_not_be_written_have_the_remedies_that_open_them(
    tmp_path: Path, closed: str, installed: list[str]
) -> None:
    write_levers(tmp_path / "tree")
    found = levers_of(tmp_path / "tree", tmp_path, closed)
    assert found.verdict == CARE
    assert f"no permission to write /{closed}" in found.found
    assert [rule for rule in (MODES, RULES) if rule in found.fix] == installed
    assert (RULES in installed) == ("--subsystem-match=misc" in found.fix)


def test_where_sys_is_read_only_no_command_opens_the_levers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_flag=os.ST_RDONLY))
    write_levers(tmp_path / "tree")
    found = levers_of(tmp_path / "tree", tmp_path, closed="")
    assert (found.verdict, found.fix) == (CARE, "")
    assert "/sys is mounted read-only" in found.found


@pytest.mark.parametrize("kept", [True, False])
def test_levers_that_are_still_set_are_reported(tmp_path: Path, kept: bool) -> None:
    write_levers(tmp_path / "tree")
    session = Session(System(tmp_path / "tree"))
    session.apply({"turbo": "off"})
    if kept:
        session.keep()
    found = levers_of(tmp_path / "tree", tmp_path)
    assert (found.verdict, found.fix) == (CARE, "pollux levers restore")
    assert found.found == ("set by pollux levers set" if kept else "set and not restored")


def test_levers_that_a_restart_has_reset_are_not_reported(tmp_path: Path) -> None:
    write_levers(tmp_path / "tree")
    Session(System(tmp_path / "tree")).apply({"turbo": "off"})
    (tmp_path / "tree/proc/sys/kernel/random/boot_id").write_text("another\n")
    assert "can be set" in levers_of(tmp_path / "tree", tmp_path).found


def test_levers_that_another_user_has_set_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_levers(tmp_path / "tree")
    session = Session(System(tmp_path / "tree"))
    session.apply({"turbo": "off"})
    session.keep()
    path = state_path(System(tmp_path / "tree"))
    path.rename(path.with_name("pollux-levers-0.json"))
    monkeypatch.setattr(os, "geteuid", lambda: 986)
    believe_names(monkeypatch)
    found = levers_of(tmp_path / "tree", tmp_path)
    assert (found.verdict, found.fix) == (CARE, "sudo pollux levers restore")
    assert found.found == f"set by another user: {path.with_name('pollux-levers-0.json')}"


def test_a_file_that_keeps_levers_from_being_set_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_levers(tmp_path / "tree")
    path = state_path(System(tmp_path / "tree"))
    path.parent.mkdir(parents=True)
    path.touch()
    monkeypatch.setattr(state, "owner", lambda _path: os.geteuid() + 1)
    found = levers_of(tmp_path / "tree", tmp_path)
    assert (found.verdict, found.brief) == (CARE, "levers cannot be set")
    assert found.found.startswith(f"{path} is not a file of this user")
    assert found.fix == f"sudo rm {path}"
    (tmp_path / "inside").mkdir()
    container = recorded("container", tmp_path / "inside")
    container = replace(container, system=System(tmp_path / "tree"))
    assert energy.levers(container).fix == f"rm {path}"


def test_a_damaged_state_of_levers_is_a_finding(tmp_path: Path) -> None:
    write_levers(tmp_path / "tree")
    path = state_path(System(tmp_path / "tree"))
    path.parent.mkdir(parents=True)
    path.write_text("{")
    path.chmod(0o644)
    found = levers_of(tmp_path / "tree", tmp_path)
    assert (found.verdict, found.brief) == (CARE, "levers may still be set")
    assert "it is damaged" in found.found and "then remove the file" in found.found


def rules(name: str) -> list[str]:
    lines = (ROOT / "packaging" / name).read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize("driver", ["intel_pstate", "acpi-cpufreq", "amd-pstate-epp"])
def test_the_rules_for_levers_open_every_lever_and_nothing_else(
    tmp_path: Path, driver: str
) -> None:
    write_levers(tmp_path, driver=driver)
    files = [f"/{path}" for path in contents(tmp_path)]
    patterns = [line.split()[1] for line in rules("tmpfiles.d/pollux-levers.conf")]
    opened = {path for path in files if any(fnmatch(path, pattern) for pattern in patterns)}
    assert opened == {path for path in files if is_lever_file(path.removeprefix("/"))}


@pytest.mark.parametrize(
    ("zone", "opened"),
    [
        *(("intel-rapl:0", True), ("intel-rapl:1:0", True), ("intel-rapl-mmio:0", True)),
        *(("intel-rapl-tpmi:12:3", True), ("intel-rapl", False), ("dtpm:0", False)),
    ],
)
def test_the_rules_for_counters_open_the_zones_of_powercap(zone: str, opened: bool) -> None:
    line = next(line for line in rules("udev/70-pollux.rules") if "powercap" in line)
    pattern = re.search(r'KERNEL=="([^"]+)"', line)
    assert pattern is not None
    assert fnmatch(zone, pattern[1]) == opened
    assert line.count("/sys%p/energy_uj") == 2


def test_the_root_of_another_machine_is_that_of_energy_and_levers_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_levers(tmp_path)
    monkeypatch.setenv("POLLUX_SYSTEM_ROOT", str(tmp_path))
    machine = this_machine(ROOT, ROOT / "build")
    assert (machine.root, machine.system.root) == (Path("/"), tmp_path)
    monkeypatch.setenv("POLLUX_SYSTEM_ROOT", os.devnull)
    with pytest.raises(BadUsageError, match="no folder with sys/ in it"):
        this_system()
