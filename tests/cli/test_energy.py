# SPDX-License-Identifier: BSD-3-Clause
"""The energy of runs, on machines that are written into a folder."""

import json
import sys
from pathlib import Path

import pytest
from executable import ROOT, Record, refused, run, validate

sys.path.insert(0, str(ROOT / "tests/scripts/helpers"))
from system_tree import counting, write_machine

pytestmark = pytest.mark.any_runtime

SMALL = ("-n", 64, "-b", 16, "-t", 1, "-r", 1, "-w", 0)
# Above 50 ms up to 370 GFlop/s, which is more than one core has.
LONG = ("-n", 3840, "-t", 1, "-r", 1, "-w", 0, "-c", "none", "-v", "seq")


def run_on(root: Path, *options: object, output: str = "json") -> str:
    settings = {"POLLUX_SYSTEM_ROOT": str(root)}
    result = run("cholesky", *options, "-f", output, settings=settings)
    assert result.status == 0, result.err
    return result.out


def record_on(root: Path, *options: object) -> Record:
    (text,) = run_on(root, *options).splitlines()
    record: Record = json.loads(text)
    validate([record])
    return record


def test_the_energy_of_a_run_is_that_of_packages_and_memory(tmp_path: Path) -> None:
    tree = write_machine(tmp_path, "psys-between")
    before = {zone: tree.energy_uj(zone) for zone in tree.zones}
    with counting(tree):
        record = record_on(tmp_path, *LONG)
        energy = record["energy"]
    assert (energy["status"], energy["reason"], energy["virtual"]) == ("measured", None, False)
    zones = {zone["name"]: zone["joules"] for zone in energy["zones"]}
    parts = ["package-0", "package-0/dram", "package-1", "package-1/dram"]
    assert energy["parts"] == [f"powercap:{part}" for part in parts]
    assert energy["joules"] == pytest.approx(sum(zones[part] for part in parts))
    for zone, joules in zones.items():
        assert 0 < joules <= 1e-6 * (tree.energy_uj(zone) - before[zone]) + 1e-6


def test_the_table_states_measured_energy(tmp_path: Path) -> None:
    tree = write_machine(tmp_path, "client")
    with counting(tree):
        *_, energy, verdict = run_on(tmp_path, *LONG, output="table").splitlines()
    assert energy.startswith("energy of packages and memory, median of 1: ")
    assert energy.endswith(" GFlop/s per watt")
    assert verdict.startswith("PASS")


def test_without_counters_every_source_says_what_it_lacks(tmp_path: Path) -> None:
    write_machine(tmp_path, "here")
    energy = record_on(tmp_path, *SMALL)["energy"]
    assert (energy["status"], energy["joules"], energy["parts"]) == ("unavailable", None, [])
    assert energy["virtual"]
    reasons = dict(part.split(": ", 1) for part in energy["reason"].split("; "))
    assert reasons["powercap"] == f"there is no {tmp_path}/sys/class/powercap"
    assert reasons.keys() == {"powercap", "perf", "hwmon", "cray"}
    assert "energy" not in run_on(tmp_path, *SMALL, output="table")


def test_a_short_run_is_marked(tmp_path: Path) -> None:
    write_machine(tmp_path, "client")
    energy = record_on(tmp_path, *SMALL)["energy"]
    assert (energy["status"], energy["joules"]) == ("too-short", None)
    assert energy["reason"] == "shorter than 50 ms, 50 steps of the counter"  # for every run
    assert "energy of" not in run_on(tmp_path, *SMALL, output="table")


@pytest.mark.parametrize("kind", ["absent", "file", "empty"])
def test_a_root_without_sys_is_refused(tmp_path: Path, kind: str) -> None:
    root = tmp_path / "root"
    if kind == "file":
        root.write_text("")
    elif kind == "empty":
        root.mkdir()
    result = run("cholesky", *SMALL, settings={"POLLUX_SYSTEM_ROOT": str(root)})
    refused(result, 2, f"POLLUX_SYSTEM_ROOT={root}", "sys/")
