# SPDX-License-Identifier: BSD-3-Clause
"""Where the energy of a run comes from: the counters in records, or meters beside them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pollux.core.analysis.dataset import Dataset
from pollux.core.campaign.lines import Outcome
from pollux.core.campaign.samples import Sample
from pollux.core.errors import BadUsageError
from pollux.core.readings import (
    MEMORY,
    PACKAGES,
    TOTAL,
    Reading,
    Run,
    Source,
    Status,
    missing,
    of_one_of,
)
from pollux.energy.meters.description import Meter, read_meter
from pollux.energy.meters.offset import Span, estimate_offset
from pollux.energy.meters.samples import read_series
from pollux.energy.meters.series import SAMPLES_LEAST, Series
from pollux.energy.meters.timeline import Timeline, is_timeline, read_timeline

AROUND = 120  # seconds of samples kept before the first process and after the last one
COUNTERS = {  # by what --source calls them
    TOTAL: "the counters of packages and memory",
    PACKAGES: "the counters of packages",
    MEMORY: "the counters of memory",
}
CLOCK_SET = "the machine's clock was set during the run"


@dataclass
class Counters:
    """What the executables read; timelines fill in where they could not."""

    name: str
    timelines: Sequence[Timeline] = ()
    filled: dict[tuple[int, int], str] = field(default_factory=dict)  # runs, with the file

    def __post_init__(self) -> None:
        self.series = [(timeline, timeline.series(self.name)) for timeline in self.timelines]

    @property
    def words(self) -> str:
        return COUNTERS[self.name]

    @property
    def notes(self) -> list[str]:
        files = dict.fromkeys(self.filled.values())
        empty = [own.path.name for own in self.timelines if len(own.times) < SAMPLES_LEAST]
        return [
            f"the timeline {name} has fewer than two samples: it covers no run" for name in empty
        ] + [
            f"energy of {sum(own == file for own in self.filled.values())} runs is that of the "
            f"timeline {file}: the counters around them were not read or cannot be interpreted"
            for file in files
        ]

    def reading(self, run: Run) -> Reading:
        own = run.counters[self.name]
        if own.measured or own.status is Status.TOO_SHORT:
            return own
        for timeline, series in self.series:
            if series is None or not_covered(run, timeline.host, timeline.path.name) is not None:
                continue
            found = series.between(run.begin, run.end)
            if found.measured:
                self.filled[run.begin, run.end] = timeline.path.name
                return found
        return own


@dataclass(frozen=True)
class Metered:
    """A meter of its own, by the machine's clock."""

    series: Series
    notes: list[str]
    host: str | None = None  # of other machines it knows nothing

    @property
    def name(self) -> str:
        return self.series.name

    @property
    def words(self) -> str:
        return self.series.measures

    def reading(self, run: Run) -> Reading:
        problem = not_covered(run, self.host, self.name)
        if problem is not None:
            return missing(*problem, self.name)
        return self.series.between(run.begin, run.end)


def not_covered(run: Run, host: str | None, name: str) -> tuple[Status, str] | None:
    """Why samples on a host (None: of all machines that ran) are not those of a run, if so."""
    if host is not None and run.host != host:
        return Status.NOT_COVERED, of_another(name, host)
    if host is not None and run.machines > 1:
        return Status.NOT_COVERED, of_one_of(run.machines)
    return (Status.UNKNOWN, CLOCK_SET) if run.clock_was_set else None


def of_another(name: str, host: str) -> str:
    """Why what shows one machine shows nothing of a run on another."""
    return f"{name} measures {host}, not the machine of this run"


def sources_for(
    dataset: Dataset, files: Iterable[Path], beside: Iterable[Path] = ()
) -> dict[str, Source]:
    """All sources by name: the counters, and a meter for each description.

    `files` are descriptions and timelines, `beside` are the timelines next to the records.
    """
    timelines, meters = [], []
    for path in files:
        if is_timeline(path):
            timelines.append(read_timeline(path))
        else:
            meters.append(read_meter(path))
    timelines += map(read_timeline, beside)
    found: dict[str, Source] = {name: Counters(name, timelines) for name in COUNTERS}
    for meter in meters:
        if meter.name in found:
            raise BadUsageError(f"{meter._path}: name: another source is called {meter.name!r} too")
        found[meter.name] = metered(dataset, meter)
    return found


def metered(dataset: Dataset, meter: Meter) -> Metered:
    """The samples of a meter around the campaign, by the machine's clock."""
    processes, runs = processes_of(dataset, meter.host), runs_of(dataset, meter.host)
    begin = min(begin for begin, _ in processes)
    end = max(end for _, end in processes)
    offset = meter.clock.offset
    slack = AROUND + (meter.clock.within if offset == "estimate" else 0)
    shift = 0.0 if offset == "estimate" else offset
    window = (round(begin - (slack + shift) * 1e9), round(end + (slack - shift) * 1e9))
    series = read_series(meter, window)
    if offset == "estimate":
        found = estimate_offset(series, processes, runs, meter.clock.within)
        return Metered(series.moved(found.offset), [found.sentence(meter.name)], meter.host)
    return Metered(series.moved(shift), [], meter.host)


def processes_of(dataset: Dataset, host: str | None) -> list[Span]:
    """When processes ran; of records without a campaign, their timed regions."""
    samples = dataset.samples if host is None else samples_on(dataset, host)
    spans = [span for sample in samples for span in spans_of(sample)]
    if not spans:
        where = "" if host is None else f" on {host}"
        raise BadUsageError(f"there are no runs{where} to join a meter with")
    return spans


def samples_on(dataset: Dataset, host: str) -> list[Sample]:
    machines = by_machine(dataset).items()
    return [sample for (_, own), samples in machines if own == host for sample in samples]


def by_machine(dataset: Dataset) -> dict[tuple[int, str], list[Sample]]:
    """The samples of each file and host; one without a record ran where the one before it did."""
    hosts: dict[int, str] = {}
    for sample in dataset.samples:
        if sample.runs:
            hosts.setdefault(file_of(sample), sample.runs[0].host)
    found: dict[tuple[int, str], list[Sample]] = {}
    for sample in dataset.samples:
        file = file_of(sample)
        if sample.runs:
            hosts[file] = sample.runs[0].host
        if file in hosts and spans_of(sample):
            found.setdefault((file, hosts[file]), []).append(sample)
    return found


def file_of(sample: Sample) -> int:
    return int(sample.configuration.partition(":")[0])


def spans_of(sample: Sample) -> list[Span]:
    """When a process ran; without a campaign, its timed regions."""
    if sample.process_seconds is None:
        return [(run.begin, run.end) for run in sample.runs]
    end = sample.start_unix_ns + round(sample.process_seconds * 1e9)
    return [(sample.start_unix_ns, end)]


def runs_of(dataset: Dataset, host: str | None) -> list[Span]:
    return [
        (run.begin, run.end)
        for sample in dataset.samples
        if sample.outcome is Outcome.OK
        for run in sample.runs
        if host in (None, run.host)
    ]


def choose(sources: dict[str, Source], name: str | None) -> Source:
    """The source that was asked for; by default the counters of packages and memory."""
    if name is None:
        return sources[TOTAL]
    if name not in sources:
        raise BadUsageError(
            f"--source {name}: unknown; choose from {', '.join(sources)}"
            + ("" if len(sources) > len(COUNTERS) else ", and those of --meter FILE")
        )
    return sources[name]
