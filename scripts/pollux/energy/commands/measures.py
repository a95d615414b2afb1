# SPDX-License-Identifier: BSD-3-Clause
"""What --metric, --source and --meter stand for."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from pollux.core.analysis.comparison import compare
from pollux.core.analysis.dataset import Dataset
from pollux.core.analysis.metrics import METRICS, SPEED, Measure, metric_named
from pollux.core.analysis.result import Result
from pollux.core.campaign.sampler import timelines
from pollux.core.errors import BadUsageError
from pollux.core.readings import TOTAL
from pollux.energy.analysis.points import Points, points_of
from pollux.energy.analysis.sources import COUNTERS, choose, sources_for
from pollux.energy.meters.description import read_meter
from pollux.energy.meters.timeline import is_timeline


def measure_for(
    dataset: Dataset, metric: str, source: str | None, meters: Sequence[Path]
) -> Measure:
    """The metric, and where its energy comes from; timelines beside the records are used too."""
    chosen = metric_named(metric)
    if chosen.name == SPEED:
        if source is not None or meters:
            raise BadUsageError("--source and --meter are for the other metrics than speed")
        return Measure(chosen)
    return Measure(chosen, choose(sources_for(dataset, meters, beside(dataset)), source))


def energy_points(
    dataset: Dataset,
    source: str | None,
    meters: Sequence[Path],
    by: str | None = None,
    reference: str | None = None,
) -> Points | None:
    """The points of speed and energy; None where nobody asked and no run has its energy."""
    timelines = beside(dataset)
    runs = (run for sample in dataset.samples for run in sample.runs)
    if (
        source is None
        and not (meters or timelines)
        and not any(r.counters[TOTAL].measured for r in runs)
    ):
        return None
    sources = sources_for(dataset, meters, timelines)
    return points_of(dataset, sources, choose(sources, source), by, reference)


def by_other_sources(
    dataset: Dataset,
    source: str | None,
    meters: Sequence[Path],
    by: str | None,
    reference: str | None,
) -> list[Result]:
    """Comparisons of energy by the meters, and by the counters, but for the chosen source."""
    sources = sources_for(dataset, meters, beside(dataset))
    others = [TOTAL, *(name for name in sources if name not in COUNTERS)]
    found = [
        compare(dataset, by=by, reference=reference, measure=Measure(METRICS["energy"], own))
        for name, own in ((name, sources[name]) for name in others)
        if name != (source or TOTAL)
    ]
    return [result for result in found if any(row.figure for row in result.rows)]


def inputs(records: Sequence[Path], meters: Sequence[Path] | None) -> list[Path]:
    """All files that are read, with the samples of meters: no output may replace them."""
    found = [*records, *chain.from_iterable(map(timelines, records))]
    for path in meters or []:
        found += [path] if is_timeline(path) else [path, read_meter(path).path]
    return found


def beside(dataset: Dataset) -> list[Path]:
    """The timelines of campaigns, next to their records."""
    return [timeline for path in dataset.paths for timeline in timelines(path)]
