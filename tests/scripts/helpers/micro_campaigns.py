# SPDX-License-Identifier: BSD-3-Clause
"""Makes records of campaigns of micro-benchmarks with known times: no process is run."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from micro_runs import HEADLINE, NAME, micro_record, with_times
from pollux.core.campaign.lines import (
    BlockEnd,
    BlockStart,
    Configuration,
    ConfigurationLine,
    Outcome,
    SampleLine,
    Start,
)
from run_record import BEGIN

Times = Sequence[tuple[Configuration, float]]  # in ns
FAILED = 5  # rounds in which what fails does so
Make = Callable[[Configuration, float], dict[str, Any]]


def configuration(runtime: str, variant: str, **changes: Any) -> Configuration:  # noqa: ANN401
    """One of task-overhead, with 256 tasks on two threads."""
    usual: dict[str, Any] = {
        **{"runtime": runtime, "benchmark": NAME, "variant": variant, "size": 256, "threads": 2},
        **{"size_name": "tasks", "algorithm": NAME, "tile_asked": None},
        **{"unit": "ns", "better": "less"},
    }
    return Configuration(**usual | changes)


def overhead(c: Configuration, ns: float) -> dict[str, Any]:
    """The record of task-overhead for a configuration."""
    own = {"distance": 64, "items": 1, **c.parameters}
    return micro_record(c.variant, c.runtime, ns, c.size, parameters=own, threads=c.threads)


def metg(c: Configuration, ns: float) -> dict[str, Any]:
    """The record of granularity: tasks are half as efficient at ns, and gain with their grain."""
    grains = [2**k for k in range(3, 15)]
    curve = [{"grain": g, "granularity_ns": g + ns, "efficiency": g / (g + ns)} for g in grains]
    times = {HEADLINE: grains[0] + ns, "metg_50": 2 * ns, "metg_90": 10 * ns}
    own = {"benchmark": "granularity", "details": {"curve": curve}, "unknown": {}}
    return micro_record(c.variant, c.runtime, ns, c.size, **own, **with_times(times))


def clomp(c: Configuration, ns: float) -> dict[str, Any]:
    """The record of clomp: a loop of ns on two threads; the serial one takes 900 ns."""
    times = {"overhead_ns": ns - 450.0, "loop": ns, "best_case": 450.0, "serial": 900.0}
    own = {"benchmark": "clomp", "size": {"name": "partitions", "value": c.size}, "unknown": {}}
    own |= {"parameters": dict(c.parameters), **with_times(times)}
    return micro_record(c.variant, c.runtime, 1.0) | own


def write_micro_campaign(  # noqa: PLR0913 (what a campaign can be like)
    path: Path,
    times: Times,
    *,
    make: Make = overhead,
    rounds: int = 20,
    failing: Sequence[Configuration] = (),
    until_decided: float | None = None,
    decide: Sequence[str] = (),
    disturbed_rounds: Sequence[int] = (),
) -> None:
    """Write a campaign to `path`; all times of a round share a drift.

    Each round is a block, where some are disturbed.
    """
    rng = random.Random(1)
    reference = times[0][0].runtime
    start = Start(
        **{"unix_ns": BEGIN, "pollux": "0.1.0", "name": path.stem, "summary": "synthetic"},
        **{"reference": reference, "processes": rounds, "configurations": len(times)},
        **{"file": None, "text": "", "until_decided": until_decided},
        decide=list(decide),
    )
    lines: list[Any] = [
        start,
        *(ConfigurationLine(hash=c.hash(), configuration=c) for c, _ in times),
    ]
    for round_ in range(rounds):
        drift = rng.uniform(1.0, 1.2)
        if disturbed_rounds:
            lines.append(BlockStart(block=round_, unix_ns=BEGIN, calibration=None))
        for c, ns in times:
            is_ok = c not in failing or round_ >= FAILED
            made = make(c, ns * drift * rng.lognormvariate(0, 0.01))
            if not is_ok:
                made |= {"passed": False, "fault": "task 3 ran too early"}
            lines.append(
                SampleLine(
                    **{"configuration": c.hash(), "round": round_, "attempt": 0},
                    block=round_ if disturbed_rounds else 0,
                    outcome=Outcome.OK if is_ok else Outcome.FAILED_CHECK,
                    problem=None if is_ok else "check failed: task 3 ran too early",
                    **{"start_unix_ns": BEGIN + round_ * 10**9, "process_seconds": 0.1},
                    **{"overhead_seconds": 0.002, "records": [made]},
                )
            )
        if disturbed_rounds:
            is_disturbed = round_ in disturbed_rounds
            lines.append(
                BlockEnd(
                    **{"block": round_, "unix_ns": BEGIN, "calibration": None, "steal": 0.0},
                    **{"foreign_cpu": 0.5 * is_disturbed, "disturbed": is_disturbed},
                    reasons=["CPU time used by others 50 %, limit 10 %"] * is_disturbed,
                )
            )
    path.write_text("".join(line.model_dump_json(by_alias=True) + "\n" for line in lines))
