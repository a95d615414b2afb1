# SPDX-License-Identifier: BSD-3-Clause
"""Makes campaign records of known speeds: no process is run."""

import json
import random
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pollux.campaign.lines import (
    BlockEnd,
    BlockStart,
    Calibration,
    Configuration,
    ConfigurationLine,
    Outcome,
    Sample,
    Start,
)

BEGIN = 1_750_000_000_000_000_000  # nanoseconds since 1970
Cell = tuple[str, str, int, int]  # benchmark, variant, N, NB


def record(cell: Cell, runtime: str, seed: int, gflops: float, **changes: Any) -> dict[str, Any]:  # noqa: ANN401
    """A pollux-run/1 record with every field."""
    benchmark, variant, size, tile = cell
    version = {"libgomp": "12"}.get(runtime, "19")
    made: dict[str, Any] = {
        "schema": "pollux-run/1",
        "benchmark": benchmark,
        "variant": variant,
        "digest_group": benchmark,
        **{"m": size, "n": size, "nb": tile, "ib": 32 if benchmark == "qr" else None},
        **{"threads": 1 if variant == "seq" else 2, "repetition": 0, "seed": seed},
        "seconds": size**3 / 3e9 / gflops,
        "gflops": gflops,
        "flops": size**3 / 3,
        **{"tasks": 120, "status": 0, "passed": True},
        "residuals": [{"name": "A-LLT", "value": 0.004, "threshold": 30.0, "passed": True}],
        "digest": f"{zlib.crc32(repr((benchmark, size, tile, seed)).encode()):016x}",
        **{"start_unix_ns": BEGIN, "end_unix_ns": BEGIN + 10**9},
        **{"check": "fast", "matrix": "random", "placement": "one-node", "priorities": True},
        "concurrent_write": None,
        "bindings": ["0", "1"],
        "energy": {"status": "unavailable", "reason": "this version does not measure energy"},
        "runtime": {
            **{"name": runtime, "version": version, "path": f"/usr/lib/{runtime}.so"},
            **{"build_id": f"{runtime}-id", "abi": "GOMP", "expected": runtime},
            **{"env": {"OMP_PROC_BIND": "close"}, "env_set": {"OPENBLAS_NUM_THREADS": "1"}},
        },
        "compiler": {
            "name": "gcc" if runtime == "libgomp" else "clang",
            **{"version": "12.2.0", "build_type": "Release", "flags": "-O3 -DNDEBUG"},
        },
        "blas": {
            **{"library": "OpenBLAS", "version": "0.3.21", "core": "SkylakeX"},
            **{"threading": "pthread", "path": "/usr/lib/b.so", "lapack_path": "/usr/lib/b.so"},
        },
        "host": {
            **{"hostname": "node", "kernel": "6.1", "cpu": "a processor", "cores": 2},
            **{"processors": 2, "numa": 1, "caches": [], "governor": "powersave", "turbo": "on"},
            **{"cstates": ["POLL", "C1"], "allowed": 2},
        },
    }
    return made | changes


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
        )
    )
    configurations = {
        (runtime, cell): Configuration(
            **{"runtime": runtime, "benchmark": cell[0], "variant": cell[1], "size": cell[2]},
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
                Sample(
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


def calibration(speed: float) -> Calibration:
    return Calibration(gflops=[60 * speed, 60 * speed], seconds=0.05)


def append(path: Path, line: dict[str, Any]) -> None:
    with path.open("a") as file:
        file.write(json.dumps(line) + "\n")
