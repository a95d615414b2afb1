# SPDX-License-Identifier: BSD-3-Clause
"""What ran when, and what showed the power of the machine meanwhile."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pollux.core.analysis.dataset import Dataset, names_of_files
from pollux.core.campaign.samples import Sample
from pollux.core.readings import TOTAL, Source
from pollux.energy.analysis.sources import Counters, Metered, by_machine, of_another, spans_of
from pollux.energy.meters.series import SAMPLES_LEAST, Series

PAUSE = 1800.0  # seconds: a campaign that is resumed later is another session


@dataclass(frozen=True)
class Session:
    """The processes of one file on one machine without a long pause between them."""

    name: str  # of the file
    host: str
    samples: list[Sample]  # in the order in which they began
    series: list[Series]  # of packages and memory, then of each meter
    lacking: list[str]  # why timelines and meters that there are have none


def sessions_of(dataset: Dataset, sources: Mapping[str, Source]) -> list[Session]:
    """All sessions; none where there is neither a timeline nor a meter."""
    files = names_of_files(dataset.paths)
    found = []
    for (file, host), samples in by_machine(dataset).items():
        series, lacking = series_on(host, sources)
        if series or lacking:
            for part in without_pauses(samples):
                found.append(Session(files[file], host, part, series, lacking))
    return found


def without_pauses(samples: Iterable[Sample]) -> list[list[Sample]]:
    parts: list[list[Sample]] = []
    latest = 0
    for sample in sorted(samples, key=lambda own: own.start_unix_ns):
        if not parts or sample.start_unix_ns - latest > PAUSE * 1e9:
            parts.append([])
        parts[-1].append(sample)
        latest = max(latest, *(end for _, end in spans_of(sample)))
    return parts


def series_on(host: str, sources: Mapping[str, Source]) -> tuple[list[Series], list[str]]:
    """What timelines of packages and memory show of a machine, and meters; never added up."""
    series, lacking = [], []
    counters = sources[TOTAL]
    timelines = counters.series if isinstance(counters, Counters) else []
    for timeline, own in {line.path.resolve(): (line, own) for line, own in timelines}.values():
        if len(timeline.times) < SAMPLES_LEAST:
            lacking.append(f"{timeline.path.name} has fewer than two samples")
        elif timeline.host != host:
            lacking.append(of_another(timeline.path.name, timeline.host))
        elif own is None or len(own.times) < SAMPLES_LEAST:
            lacking.append(f"{timeline.path.name} has no energy of packages")
        else:
            series.append(own)
    for source in sources.values():
        if isinstance(source, Metered):
            if source.host is None or source.host == host:
                series.append(source.series)
            else:
                lacking.append(of_another(source.name, source.host))
    return series, lacking
