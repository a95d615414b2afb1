# SPDX-License-Identifier: BSD-3-Clause
"""Whether the machine is as fast as before and undisturbed: dgemm's speed, others' CPU time."""

import re
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import from_json

from pollux.core.campaign.lines import BlockEnd, Calibration
from pollux.core.campaign.machine_load import Shares
from pollux.core.executables.process import CannotStartError, run_process
from pollux.core.executables.variables import binding
from pollux.core.text import in_percent

SECONDS_LIMIT = 30.0  # of a program that needs a tenth of one


def calibrate(program: Path | None) -> Calibration | None:
    """Run the calibration program; None where there is none or it fails."""
    if program is None:
        return None
    try:
        ended = run_process([str(program)], binding(), SECONDS_LIMIT)
        printed = from_json(ended.stdout)
        return Calibration(gflops=printed["gflops"], seconds=printed["seconds"])
    except (CannotStartError, ValueError, TypeError, KeyError, ValidationError):
        return None


@dataclass(frozen=True)
class Limits:
    """Limits beyond which a block counts as disturbed; shares, 0.1 for 10 %."""

    calibration_margin: float
    foreign_cpu: float


def disturbances(
    before: Calibration | None,
    after: Calibration | None,
    reference_gflops: float | None,
    seen: Shares | None,
    limits: Limits,
) -> list[str]:
    """What was wrong with the machine during a block, one phrase each."""
    found = []
    speeds = [sum(c.gflops) for c in (before, after) if c is not None]
    margin = limits.calibration_margin
    most = f"limit {in_percent(margin)}"
    if reference_gflops and speeds and min(speeds) < (1 - margin) * reference_gflops:
        loss = 1 - min(speeds) / reference_gflops
        found.append(f"calibration {in_percent(loss)} slower than its median, {most}")
    if len(speeds) == 2 and min(speeds) < (1 - margin) * max(speeds):
        change = 1 - min(speeds) / max(speeds)
        found.append(f"calibration changed by {in_percent(change)} within the block, {most}")
    if seen is not None:
        for what, share in (("used by others", seen.foreign), ("stolen", seen.steal)):
            if share is not None and share > limits.foreign_cpu:
                most = in_percent(limits.foreign_cpu)
                found.append(f"CPU time {what} {in_percent(share)}, limit {most}")
    return found


def reasons_in_words(ends: Iterable[BlockEnd]) -> str:
    """Why blocks were disturbed: all of one block, of several in how many each reason occurred."""
    disturbed = [end.reasons for end in ends if end.reasons]
    if len(disturbed) == 1:
        return "; ".join(disturbed[0])
    kinds = Counter(kind_of_reason(text) for reasons in disturbed for text in reasons)
    return ", ".join(f"{kind} in {count}" for kind, count in kinds.most_common())


def kind_of_reason(text: str) -> str:
    """The reason for which a block is disturbed, without its numbers."""
    return re.sub(r" (?:by )?[\d.]+ %", "", text.partition(", limit")[0])


def median_speed(calibrations: Sequence[Calibration]) -> float | None:
    """The median over calibrations of the sum over threads, GFlop/s."""
    return statistics.median(sum(c.gflops) for c in calibrations) if calibrations else None
