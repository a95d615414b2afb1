# SPDX-License-Identifier: BSD-3-Clause
"""Runs of `pollux tune` that are imagined: how fast each tile is, and what is found then."""

import dataclasses
import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import run_record
from pollux.core.campaign.lines import Configuration, Outcome
from pollux.core.campaign.sampling import Order, Taken
from pollux.core.campaign.tuned import by_target, lookup
from pollux.machine.tuning import evaluator as evaluator_module
from pollux.machine.tuning.session import Plan
from pollux.machine.tuning.targets import Target

Take = Callable[[Configuration, int], Taken]
Simulate = Callable[[Take], Counter[str]]
TILES = list(range(32, 513, 32))
KERNELS = "openblas"


def speed(configuration: Configuration) -> float:
    assert configuration.tile is not None
    return 50 * math.exp(-0.3 * math.log(configuration.tile.nb / 192) ** 2)


def good(configuration: Configuration, seed: int, **changes: Any) -> Taken:  # noqa: ANN401
    c = configuration
    assert c.tile is not None
    cell = c.benchmark, c.variant, c.size, c.tile.brief()
    own = {"gflops": speed(c), "ib": c.inner} | changes
    made = run_record.record(cell, c.runtime, seed, own.pop("gflops"), **own)
    return Taken(Outcome.OK, None, None, [], 0.1, [made])


def simulated(monkeypatch: pytest.MonkeyPatch) -> Simulate:
    """Replace the runs of processes in turns by a function; counts those of each runtime."""

    def replace(take: Take) -> Counter[str]:
        counted: Counter[str] = Counter()

        def take_rota(orders: Sequence[Order], rng: random.Random) -> list[Taken]:
            found = [process(order, take) for order in orders]
            counted.update({orders[0].configuration.runtime: sum(o.repetitions for o in orders)})
            return found

        monkeypatch.setattr(evaluator_module, "take_rota", take_rota)
        monkeypatch.setattr(evaluator_module, "fit_together", lambda configurations: True)
        return counted

    return replace


def process(order: Order, take: Take) -> Taken:
    """One whose repetitions are these runs, up to one that goes wrong."""
    runs = [take(order.configuration, order.seed + i) for i in range(order.repetitions)]
    records = [record for run in runs for record in run.records]
    worst = next((run for run in runs if run.outcome is not Outcome.OK), runs[0])
    spent = sum(run.seconds for run in runs)
    return dataclasses.replace(worst, records=records, seconds=spent, in_turns=True)


def plan(*presets: str, **changes: Any) -> Plan:  # noqa: ANN401
    targets = [
        Target(preset, "cholesky", "depend", KERNELS, 2048, None, Path("/cholesky"), "cholesky")
        for preset in presets or ("libgomp", "libomp")
    ]
    options: dict[str, Any] = {"tiles": TILES, "inner": [32], "rounds": 6, "seed": 1}
    options |= {"targets": targets, "time_limit": 60.0}
    return Plan(**(options | changes))


def journal_of(folder: Path) -> Path:
    (path,) = (folder / "tuning").glob("*.jsonl")
    return path


def found_in(path: Path, runtime: str) -> tuple[int | str, int | None] | None:
    found = lookup(
        by_target(path),
        benchmark="cholesky",
        variant="depend",
        kernels=KERNELS,
        size=2048,
        threads=None,
        runtime=runtime,
    )
    return found and (found[0].brief(), found[1])
