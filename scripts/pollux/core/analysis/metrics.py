# SPDX-License-Identifier: BSD-3-Clause
"""What configurations are compared by: speed, or a figure of energy, in numbers and in words."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isfinite
from typing import NamedTuple

from pollux.core.campaign.samples import Sample
from pollux.core.errors import BadUsageError
from pollux.core.readings import Run, Source


@dataclass(frozen=True)
class Metric:
    """A figure of one sample, and how to speak of it."""

    name: str  # of --metric
    unit: str
    title: str  # of axes and columns
    is_higher_better: bool
    verdicts: tuple[str, str]  # better and worse
    predicates: tuple[str, str]  # of sentences: "is faster"
    of_run: Callable[[Run, float], float] = lambda run, joules: joules  # speed needs none

    def in_unit(self, unit: str, better: str) -> "Metric":
        """The same for a quantity of that unit; a speed is shown as the quantity itself."""
        if not self.is_speed or unit == self.unit:
            return self
        title = f"time ({unit})" if better == "less" else unit
        return replace(self, unit=unit, title=title)

    @property
    def is_speed(self) -> bool:
        return self.name == SPEED

    def better(self, ratio: float) -> bool:
        """Whether a ratio to the reference is on the better side of 1."""
        return (ratio > 1) == self.is_higher_better


SPEED = "speed"


METRICS = {
    metric.name: metric
    for metric in (
        Metric(
            name=SPEED,
            unit="GFlop/s",
            title="GFlop/s",
            is_higher_better=True,
            verdicts=("faster", "slower"),
            predicates=("is faster", "is slower"),
        ),
        Metric(
            name="energy",
            unit="J",
            title="energy (J)",
            is_higher_better=False,
            verdicts=("less energy", "more energy"),
            predicates=("needs less energy", "needs more energy"),
        ),
        Metric(
            name="power",
            unit="W",
            title="mean power (W)",
            of_run=lambda run, joules: joules / run.seconds,
            is_higher_better=False,
            verdicts=("less power", "more power"),
            predicates=("draws less power", "draws more power"),
        ),
        Metric(
            name="edp",
            unit="J s",
            title="energy-delay product (J s)",
            of_run=lambda run, joules: joules * run.seconds,
            is_higher_better=False,
            verdicts=("lower EDP", "higher EDP"),
            predicates=("has a lower energy-delay product", "has a higher energy-delay product"),
        ),
        Metric(
            name="gflops-per-watt",
            unit="GFlop/J",
            title="GFlop/s per W (GFlop/J)",
            of_run=lambda run, joules: run.flops / joules / 1e9,
            is_higher_better=True,
            verdicts=("more efficient", "less efficient"),
            predicates=("is more energy-efficient", "is less energy-efficient"),
        ),
    )
}


def metric_named(name: str) -> Metric:
    if name not in METRICS:
        known = ", ".join(METRICS)
        raise BadUsageError(f"--metric {name}: unknown; choose from {known}")
    return METRICS[name]


class Figure(NamedTuple):
    """The metric of one sample, or why there is none."""

    value: float | None
    source: str = ""  # what was added up
    reason: str | None = None
    each: tuple[float, ...] = ()  # of every repetition; empty where it is not known in all


@dataclass(frozen=True)
class Measure:
    """A metric, and where the energy for it comes from."""

    metric: Metric
    source: Source | None = None  # None: speed needs none

    def of(self, sample: Sample) -> Figure:
        """The median over a sample's repetitions; nothing where the energy of one is not known."""
        if sample.speed is None or not (sample.speed > 0 and isfinite(sample.speed)):
            return Figure(None)
        source = self.source
        if source is None:
            return Figure(sample.speed, each=sample.speeds)
        readings = tuple(source.reading(run) for run in sample.runs)
        lacking = next((r for r in readings if not r.measured), None)
        if lacking is not None:
            return Figure(None, lacking.source, f"{lacking.status}: {lacking.reason}")
        values = [
            self.metric.of_run(run, reading.joules)
            for run, reading in zip(sample.runs, readings, strict=True)
            if reading.joules is not None
        ]
        sources = " and ".join(dict.fromkeys(reading.source for reading in readings))
        middle = statistics.median(values) if values else None
        each = tuple(values) if len(values) == sample.repetitions and min(values) > 0 else ()
        return Figure(middle, sources, None, each)


BY_SPEED = Measure(METRICS[SPEED])
