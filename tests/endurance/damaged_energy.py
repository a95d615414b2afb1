# SPDX-License-Identifier: BSD-3-Clause
"""Intact files of energy for damaged_files.py, and the commands that read them."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from energy_records import Record, energy, give_energy, spread_in_time, unknown
from lever_trees import CPU, contents, write_levers
from pollux.core.system_files import System
from pollux.energy.levers.files import is_lever_file
from pollux.energy.levers.state import state_of, state_path
from simulated_meter import write_meter
from synthetic import write_campaign
from within_process import Ended, command

CHANGED = 99  # the status that stands for levers that a refused state has changed
ZONES = ("powercap:package-0", "powercap:package-0/dram")
BEGIN, SECONDS = 1_750_000_000 * 10**9, 60
DESCRIPTION = """name = "wall"
measures = "the node"
file = "{file}"
[time]
column = "ns"
format = "unix-ns"
[value]
columns = ["P"]
unit = "W"
"""


@dataclass(frozen=True)
class EnergyFiles:
    """Intact files, and a campaign and a machine that they belong to."""

    records: Path
    root: Path  # of the machine
    meter: bytes
    samples: bytes
    timeline: bytes
    state: bytes
    levers: dict[str, bytes]  # the machine's files

    def by_meter(self, path: Path) -> Ended:
        """A description; its file is beside it by its own name."""
        samples = path.parent / "wall.csv"
        samples.write_bytes(self.samples)
        options = ("--metric", "energy", "--meter", path, "--format", "json")
        return command("compare", self.records, *options)

    def by_samples(self, path: Path) -> Ended:
        description = path.with_name("samples.toml")
        description.write_text(DESCRIPTION.format(file=path.name))
        options = ("--metric", "power", "--meter", description, "--source", "wall")
        return command("compare", self.records, *options, "--format", "json")

    def by_timeline(self, path: Path) -> Ended:
        """A timeline is found beside the records."""
        path.replace(self.records.with_suffix(".power.csv"))
        return command("energy", self.records, "--format", "json")

    def restore(self, path: Path) -> Ended:
        """A state that is refused changes no lever."""
        state = state_path(System(self.root))
        state.write_bytes(path.read_bytes())
        os.environ["POLLUX_SYSTEM_ROOT"] = str(self.root)
        try:
            ended = command("levers", "restore")
        finally:
            del os.environ["POLLUX_SYSTEM_ROOT"]
        found = contents(self.root)
        for name, content in self.levers.items():
            if found.get(name) != content:
                (self.root / name).write_bytes(content)
        is_kept = ended.status == 0 or found == self.levers
        return ended if is_kept else Ended(CHANGED, f"levers were changed\n{ended.text}")


def write_files(folder: Path) -> EnergyFiles:
    """All files, in a new folder."""
    root = folder / "machine"
    root.mkdir(parents=True, exist_ok=True)
    records = folder / "campaign.jsonl"
    write_campaign(records, {"libgomp": 1.0, "libomp": 1.1}, rounds=3)
    spread_in_time(records, 5)
    give_energy(records, known_or_not)
    description = write_meter(folder, np.arange(-5.0, SECONDS), np.full(SECONDS + 5, 250.0))
    write_levers(root, cpus=1)
    system = System(root)
    state_path(system).parent.mkdir(parents=True, exist_ok=True)
    levers = contents(root)
    former = {path: content for path, content in levers.items() if is_lever_file(path)}
    former[f"{CPU}/cpufreq/policy0/scaling_governor"] = b"performance\n"
    state = state_of(system, former, {"governor": "performance"}, kept=True)
    return EnergyFiles(
        records,
        root,
        description.read_bytes(),
        (folder / "wall.csv").read_bytes(),
        timeline().encode(),
        state.model_dump_json(by_alias=True).encode(),
        levers,
    )


def known_or_not(name: str, record: Record) -> Record:
    """The counters do not know the runs of one side: a timeline has to fill them in."""
    return unknown() if name == "libomp" else energy(80 * record["seconds"], 20.0)


def timeline() -> str:
    columns = [{"name": f"{z} {u}", "unit": u, "zone": z} for z in ZONES for u in ("J", "W")]
    header = {
        **{"host": "node", "virtual": False, "parts": ZONES, "zones": []},
        "columns": [{"name": "unix_ns", "unit": "ns"}, *columns],
    }
    names = ",".join(["unix_ns", *(column["name"] for column in columns)])
    rows = [f"{BEGIN + k * 10**9},{80 * k}.0,80,{20 * k}.0,20" for k in range(-5, SECONDS)]
    return "\n".join([f"# pollux-power/1 {json.dumps(header)}", names, *rows]) + "\n"
