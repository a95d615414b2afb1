# SPDX-License-Identifier: BSD-3-Clause
"""Whether what tasks cost explains the difference of two builds: the simulator's prediction of each
factorization beside the measured ratio."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pollux.core.analysis.result import Result, Row
from pollux.core.errors import BadUsageError, MachineError
from pollux.core.parts import service
from pollux.nights.differences.campaigns import VARIANT, Sides


@dataclass(frozen=True)
class Prediction:
    """The ratio of a factorization by what tasks cost: the median over rounds, and their range."""

    estimate: float
    low: float
    high: float

    def explains(self, row: Row) -> bool | None:
        """Whether the measured interval and the range overlap; None where there is no interval."""
        ratio = row.comparison.ratio
        if ratio is None or not ratio.bounded:
            return None
        return self.low <= ratio.high and ratio.low <= self.high

    def words(self, row: Row) -> str:
        """A line about the row."""
        judged = {True: "as measured", False: "not as measured", None: "not decided by measuring"}
        measured = row.comparison.ratio
        shown = "–" if measured is None else f"{measured.estimate:.3f}"
        return (
            f"{row.cell}: measured {shown}, predicted {self.estimate:.3f} "
            f"({self.low:.3f} to {self.high:.3f}): {judged[self.explains(row)]}"
        )

    def as_json(self, row: Row) -> dict[str, Any]:
        return {**vars(self), "cell": row.cell, "explains": self.explains(row)}


@dataclass(frozen=True)
class Predictions:
    """Those by the key of a row; without any, the reason."""

    by_row: Mapping[str, Prediction]
    untried: str | None = None


def predict(sides: Sides, result: Result, build_root: Path) -> Predictions:
    """Of all rows of the one new build that ran; it takes a minute or two."""
    (new,) = sides.new
    ask = service("predicted_ratios")
    if ask is None:
        return Predictions({}, "that needs the part 'insight' of pollux")
    rows = {
        (row.configuration.benchmark, row.configuration.size, row.identity.tile.nb): row
        for row in result.rows
        if row.level == new and row.identity is not None and row.identity.tile is not None
    }
    if not rows:
        return Predictions({}, "no factorization ran on both")
    try:
        found = ask(sides.old, new, VARIANT, list(rows), build_root)
    except (BadUsageError, MachineError) as error:
        return Predictions({}, error.format_message())
    return Predictions({rows[cell].key: Prediction(*ratio) for cell, ratio in found.items()})
