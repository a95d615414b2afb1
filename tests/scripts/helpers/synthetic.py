# SPDX-License-Identifier: BSD-3-Clause
"""Makes campaign records of known speeds: no process is run."""

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pollux.core.campaign.lines import (
    BlockEnd,
    BlockStart,
    Calibration,
    Configuration,
    ConfigurationLine,
    Outcome,
    PartOf,
    SampleLine,
    Start,
)
from run_record import BEGIN, Cell, record


def write_campaign(  # noqa: PLR0913 (what a campaign can be like)
    path: Path,
    runtimes: Mapping[str, float],
    cells: Sequence[Cell] = (("cholesky", "depend", 2048, 192),),
    *,
    rounds: int = 15,
    noise: float = 0.02,
    seed: int = 1,
    outcomes: Mapping[tuple[str, str], Outcome] | None = None,
    disturbed_rounds: Sequence[int] = (),
    tile_asked: str | None = None,
    until_decided: float | None = None,
    part: PartOf | None = None,
) -> None:
    """Write a campaign of one block per round to `path`.

    `runtimes` maps a label to its speed relative to 50 GFlop/s; `outcomes` maps (runtime, variant)
    to what becomes of all its processes. All speeds of a round share a drift of up to 20 %.
    """
    rng = random.Random(seed)
    lines: list[str] = []

    def put(line: Any) -> None:  # noqa: ANN401
        lines.append(line.model_dump_json(by_alias=True))

    put(
        Start(
            **{"unix_ns": BEGIN, "pollux": "0.1.0", "name": path.stem, "summary": "synthetic"},
            **{"reference": next(iter(runtimes)), "processes": rounds},
            **{"configurations": len(runtimes) * len(cells), "file": None, "text": "name = 'x'\n"},
            **{"until_decided": until_decided, "budget": 60 if until_decided else None},
            part=part,
        )
    )
    configurations = {
        (runtime, cell): Configuration(
            **{"runtime": runtime, "benchmark": cell[0], "variant": cell[1], "size": cell[2]},
            kernels="openblas",
            **{"tile_asked": tile_asked or str(cell[3]), "tile": cell[3], "threads": 2},
            **{"digest_group": cell[0], "executable": f"build/{runtime}/bin/{cell[0]}"},
            **{"arguments": ["--variant", cell[1], "--size", str(cell[2])]},
        )
        for cell in cells
        for runtime in runtimes
    }
    for c in configurations.values():
        put(ConfigurationLine(hash=c.hash(), configuration=c))
    for round_ in range(rounds):
        drift = rng.uniform(0.8, 1.0)
        disturbed = round_ in disturbed_rounds
        put(calibrated := BlockStart(block=round_, unix_ns=BEGIN, calibration=calibration(drift)))
        for (runtime, cell), c in configurations.items():
            outcome = (outcomes or {}).get((runtime, cell[1]), Outcome.OK)
            gflops = 50 * drift * runtimes[runtime] * rng.lognormvariate(0, noise)
            ok = outcome is Outcome.OK
            put(
                SampleLine(
                    **{"configuration": c.hash(), "round": round_, "attempt": 0, "block": round_},
                    **{"outcome": outcome, "problem": None if ok else f"a planted {outcome}"},
                    **{"detail": "the stacks" if outcome is Outcome.HANG else None},
                    **{"start_unix_ns": BEGIN + round_ * 10**9, "process_seconds": 0.4},
                    overhead_seconds=0.002,
                    records=[record(cell, runtime, 100 + round_, gflops)] if ok else [],
                )
            )
        reasons = ["foreign CPU use 12 %, limit 5 %"] if disturbed else []
        put(
            BlockEnd(
                **{"block": round_, "unix_ns": BEGIN, "calibration": calibrated.calibration},
                **{"foreign_cpu": 0.12 if disturbed else 0.01, "steal": 0.0},
                **{"disturbed": disturbed, "reasons": reasons},
            )
        )
    path.write_text("\n".join(lines) + "\n")


def write_campaign_by_variant(path: Path) -> None:
    """One that compares variants, to which no samples of a comparison of runtimes are added."""
    write_campaign(path, {"libgomp": 1.0, "libomp": 1.0})
    path.write_text(path.read_text().replace('"by":"runtime"', '"by":"variant"'))


def calibration(speed: float) -> Calibration:
    return Calibration(gflops=[60 * speed, 60 * speed], seconds=0.05)


def append(path: Path, line: dict[str, Any]) -> None:
    with path.open("a") as file:
        file.write(json.dumps(line) + "\n")
