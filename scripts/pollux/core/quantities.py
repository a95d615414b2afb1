# SPDX-License-Identifier: BSD-3-Clause
"""The named quantities of records, by which runs are compared."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pollux.core.records import Better

NOT_ABOVE_ZERO = "not above zero"


class Quantity(NamedTuple):
    """What a process shows of one: the median over its repetitions."""

    name: str
    value: float
    unit: str
    better: Better
    each: tuple[float, ...] = ()  # of every repetition; empty where it is not known in all

    @property
    def speed(self) -> float:
        """The value itself where more is better, else its inverse: a ratio above 1 is faster."""
        return self.value if self.better == "more" else 1 / self.value

    @property
    def speeds(self) -> tuple[float, ...]:
        """That of each repetition; empty where one has none."""
        if not all(value > 0 for value in self.each):
            return ()
        return self.each if self.better == "more" else tuple(1 / value for value in self.each)


class CurvePoint(NamedTuple):
    """How efficient tasks of one grain are."""

    grain: int
    granularity_ns: float  # time of a task, times threads
    efficiency: float


def first_of(records: Iterable[Mapping[str, Any]]) -> str | None:
    """The first quantity that the records do not call unknown: by default the headline."""
    known: dict[str, bool] = {}
    for record in records:
        unknown = record["unknown"]
        for name in record["quantities"]:
            known[name] = known.get(name, True) and name not in unknown
    return next((name for name, is_known in known.items() if is_known), None)


def medians(records: Sequence[Mapping[str, Any]]) -> dict[str, Quantity]:
    """Of each quantity the median over the repetitions in which it is known."""
    found: dict[str, list[float]] = {}
    kinds: dict[str, Mapping[str, Any]] = {}
    for record in records:
        for name, own in record["quantities"].items():
            kinds.setdefault(name, own)
            if own["value"] is not None:
                found.setdefault(name, []).append(own["value"])
    return {
        name: Quantity(
            name,
            statistics.median(found[name]) if len(found[name]) > 1 else found[name][0],
            own["unit"],
            own["better"],
            tuple(found[name]) if len(found[name]) == len(records) else (),
        )
        for name, own in kinds.items()
        if name in found
    }


def above_zero(quantities: Mapping[str, Quantity]) -> dict[str, Quantity]:
    """Those that have an inverse; differences of two times may be zero or less."""
    return {name: own for name, own in quantities.items() if own.value > 0}


def reasons(records: Iterable[Mapping[str, Any]], middle: Mapping[str, Quantity]) -> dict[str, str]:
    """Why a quantity is not known, by its name: in some repetition, or as a median of all."""
    found = {name: NOT_ABOVE_ZERO for name, own in middle.items() if own.value <= 0}
    for record in records:
        for name, own in record["quantities"].items():
            if own["value"] is None and record["passed"]:
                found.setdefault(name, record["unknown"].get(name, "not a number"))
    return found


def curve_of(records: Iterable[Mapping[str, Any]]) -> tuple[CurvePoint, ...]:
    """The curve of efficiency over granularity: medians over the repetitions, grain by grain."""
    each: dict[int, list[Mapping[str, Any]]] = {}
    for record in records:
        for point in record["details"].get("curve", ()):
            each.setdefault(point["grain"], []).append(point)
    return tuple(
        CurvePoint(
            grain,
            statistics.median(point["granularity_ns"] for point in points),
            statistics.median(point["efficiency"] for point in points),
        )
        for grain, points in sorted(each.items())
    )
