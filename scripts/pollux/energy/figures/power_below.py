# SPDX-License-Identifier: BSD-3-Clause
"""The power of the machine during traced runs, from a timeline or a meter."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from pydantic import Field, ValidationError

from pollux.core.errors import BadUsageError
from pollux.core.models import Lenient
from pollux.core.readings import TOTAL, Run, Status
from pollux.energy.analysis.sources import not_covered
from pollux.energy.figures.power import draw_curve
from pollux.energy.meters.curve import PowerCurve, curve_of
from pollux.energy.meters.description import read_meter
from pollux.energy.meters.samples import read_series
from pollux.energy.meters.series import SAMPLES_LEAST, Series
from pollux.energy.meters.timeline import is_timeline, read_timeline
from pollux.energy.meters.times import LATEST
from pollux.output.figures.style import clean


class Host(Lenient):
    hostname: str


class Processes(Lenient):
    hosts: int = Field(default=1, ge=1)


class Traced(Lenient):
    """When and where a traced run was."""

    start_unix_ns: int = Field(ge=0, le=LATEST)
    end_unix_ns: int = Field(ge=0, le=LATEST)
    seconds: float
    host: Host
    mpi: Processes = Processes()

    @property
    def run(self) -> Run:
        span = self.start_unix_ns, self.end_unix_ns
        return Run(*span, self.seconds, 0.0, self.host.hostname, {}, self.mpi.hosts)


@dataclass(frozen=True)
class Powers:
    """A curve for each run, and why some have none."""

    curves: tuple[PowerCurve | None, ...]
    lacking: list[str]

    @property
    def highest(self) -> float:
        """Of all curves, so that their axes have one scale."""
        found = [float(np.nanmax(c.watts)) for c in self.curves if c is not None]
        return max(found, default=1.0)

    def sentence(self) -> str:
        """For the caption."""
        names = dict.fromkeys(curve.source for curve in self.curves if curve is not None)
        return clean(f"Below the lanes, power: {', '.join(names)}.")

    def draw(self, axes: Axes, number: int) -> None:
        """The curve of a run: steps from sample to sample."""
        curve = self.curves[number]
        axes.set_ylim(0, 1.08 * self.highest)
        axes.yaxis.set_major_locator(MaxNLocator(nbins=2, integer=True))
        axes.tick_params(axis="y", left=True, length=2, labelleft=True, pad=2)
        axes.set_ylabel("W", rotation=0, ha="right", va="center", labelpad=2)
        if curve is None:
            place = axes.transAxes
            axes.text(0.5, 0.5, "power not known", transform=place, ha="center", va="center")
            return
        draw_curve(axes, curve, filled=True)


def read_powers(path: Path, records: Sequence[Mapping[str, Any]]) -> Powers:
    """The power during each of the runs that have these records; BadUsageError where none has."""
    series, host = read_source(path)
    curves: list[PowerCurve | None] = []
    lacking = []
    for number, record in enumerate(records, start=1):
        curve, problem = curve_or_problem(series, record, host, path.name)
        if curve is None:
            lacking.append(f"no power below run {number}: {problem}")
        curves.append(curve)
    if not any(curves):
        raise BadUsageError(f"{path}: {'; '.join(lacking[:3])}")
    return Powers(tuple(curves), lacking)


def curve_or_problem(
    series: Series, record: Mapping[str, Any], host: str | None, name: str
) -> tuple[PowerCurve | None, str]:
    """The power of a run; a part of it may be unknown, but not all."""
    try:
        run = Traced.model_validate(record).run
    except ValidationError:
        return None, "its trace does not state when and where it ran"
    if (elsewhere := not_covered(run, host, name)) is not None:
        return None, elsewhere[1]
    found = series.not_shown(run.begin, run.end)
    if found is not None and found[0] is not Status.UNKNOWN:
        return None, found[1]
    curve = curve_of(series, run.begin, run.end)
    return (curve, "") if curve.is_known else (None, found[1] if found else "it is not known")


def read_source(path: Path) -> tuple[Series, str | None]:
    """The power in a file, and the machine that it is of; None: of all that ran."""
    if is_timeline(path):
        timeline = read_timeline(path)
        if len(timeline.times) < SAMPLES_LEAST:
            raise BadUsageError(f"{path}: has fewer than two samples, so no power")
        series = timeline.series(TOTAL)
        if series is None:
            raise BadUsageError(f"{path}: has no energy of packages")
        return series, timeline.host
    meter = read_meter(path)
    if meter.clock.offset == "estimate":
        raise BadUsageError(
            f"{path}: clock.offset: traces are too few for an estimate; state the seconds"
        )
    return read_series(meter).moved(meter.clock.offset), meter.host
