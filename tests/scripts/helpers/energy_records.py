# SPDX-License-Identifier: BSD-3-Clause
"""Gives the records of a campaign energy, as executables read it from the machine's counters."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Record = dict[str, Any]
UNAVAILABLE = {
    **{"status": "unavailable", "reason": "no /sys/class/powercap", "joules": None},
    **{"parts": [], "zones": [], "virtual": False},
}


def energy(package: float, memory: float | None = None, **changes: Any) -> Record:  # noqa: ANN401
    """The object `energy` of one package and, perhaps, its memory."""
    zones = [zone("package-0", package)]
    if memory is not None:
        zones.append(zone("package-0/dram", memory))
    found = {
        "status": "measured",
        "reason": None,
        "joules": package + (memory or 0),
        "parts": [f"powercap:{z['name']}" for z in zones],
        "zones": zones,
        "virtual": False,
    }
    return found | changes


def zone(name: str, joules: float | None) -> Record:
    path = f"/sys/class/powercap/{name}/energy_uj"
    return {
        **{"source": "powercap", "name": name, "path": path, "joules": joules},
        **{"status": "measured", "reason": None},
    }


def unknown(reason: str = "the counter may have wrapped more than once") -> Record:
    return UNAVAILABLE | {"status": "unknown", "reason": reason}


def give_energy(path: Path, of: Callable[[str, Record], Record]) -> None:
    """Rewrite a campaign's samples: `of` makes the energy of a record of a runtime."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    names = {
        line["hash"]: line["configuration"]["runtime"]
        for line in lines
        if line["event"] == "configuration"
    }
    for line in lines:
        if line["event"] == "sample":
            for record in line["records"]:
                record["energy"] = of(names[line["configuration"]], record)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def spread_in_time(path: Path, seconds: float, pause: float = 3.0) -> None:
    """One run after another, each of so many seconds, with idle time between them."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    at = 1_750_000_000 * 10**9
    for line in lines:
        if line["event"] != "sample":
            continue
        line["start_unix_ns"] = at
        for record in line["records"]:
            own = seconds * 50 / record["gflops"]
            record["seconds"] = own
            record["start_unix_ns"] = at + 10**9
            record["end_unix_ns"] = at + 10**9 + round(own * 1e9)
            line["process_seconds"] = own + 2
        at += round((line["process_seconds"] + pause) * 1e9)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
