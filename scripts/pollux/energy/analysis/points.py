# SPDX-License-Identifier: BSD-3-Clause
"""Configurations as points of speed and energy, from campaigns or from tables of results."""

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from pollux.core.analysis.comparison import compare
from pollux.core.analysis.dataset import Dataset
from pollux.core.analysis.metrics import METRICS, Measure
from pollux.core.analysis.result import Result, Row
from pollux.core.campaign.axes import options_of
from pollux.core.campaign.lines import Configuration
from pollux.core.campaign.variants import algorithm_of, input_of
from pollux.core.grouping import grouped
from pollux.core.readings import MEMORY, PACKAGES, TOTAL, Source, Status
from pollux.core.text import span
from pollux.energy.analysis.power import Session, sessions_of

NO_ENERGY = "no sample has its energy measured"
DOCTOR = "pollux doctor says what would make it readable"


@dataclass(frozen=True)
class Observation:
    """One sample, or the means of a configuration; all of it is known but parts of the energy."""

    gflops: float
    seconds: float
    joules: float  # packages and memory, or what else the source is
    package: float | None = None
    memory: float | None = None


@dataclass(frozen=True)
class Point:
    """One configuration: what it computes, how, with which levers, and its samples."""

    group: str  # what is computed: points of a group can be compared
    choices: dict[str, str]  # how: runtime, variant, tile …
    levers: dict[str, str]
    observations: list[Observation] = field(default_factory=list)
    counted: int | None = None  # samples that its means stand for, where only those are known
    benchmark: str = ""
    key: str = ""  # of its configuration in a dataset

    @property
    def samples(self) -> int:
        return len(self.observations) if self.counted is None else self.counted

    @property
    def mean(self) -> Observation:
        """The means over its samples; a part that some samples lack is not known."""
        return Observation(
            gflops=statistics.fmean(o.gflops for o in self.observations),
            seconds=statistics.fmean(o.seconds for o in self.observations),
            joules=statistics.fmean(o.joules for o in self.observations),
            package=mean_of(o.package for o in self.observations),
            memory=mean_of(o.memory for o in self.observations),
        )


def mean_of(values: Iterable[float | None]) -> float | None:
    found = list(values)
    known = [value for value in found if value is not None]
    return statistics.fmean(known) if known and len(known) == len(found) else None


FIGURES: dict[str, tuple[str, bool, Callable[[Observation], float | None]]] = {
    # name: unit, whether higher is better, value
    "performance": ("GFlop/s", True, lambda o: o.gflops),
    "energy": ("J", False, lambda o: o.joules),
    "package": ("J", False, lambda o: o.package),
    "memory": ("J", False, lambda o: o.memory),
    "time": ("s", False, lambda o: o.seconds),
    "power": ("W", False, lambda o: o.joules / o.seconds),
    "edp": ("J s", False, lambda o: o.joules * o.seconds),
    "efficiency": ("GFlop/J", True, lambda o: o.gflops * o.seconds / o.joules),
}


def figure(name: str, of: Observation) -> float | None:
    return FIGURES[name][2](of)


@dataclass(frozen=True)
class Points:
    """All points with the source of their energy, and what to say of them first."""

    points: list[Point]
    source: str  # in words
    total: str  # what `joules` is: "package + memory", "package", or the meter's name
    cautions: list[str]
    result: Result | None = None  # the comparison by energy, of campaigns
    sessions: Sequence[Session] = ()  # with power over time, of campaigns

    @property
    def is_measured(self) -> bool:
        """Whether any sample has its energy, be it of a configuration that is left out."""
        rows = self.result.rows if self.result else []
        return bool(self.points) or any(row.figure is not None for row in rows)

    def groups(self) -> dict[str, list[Point]]:
        return in_groups(self.points)


def in_groups(points: Iterable[Point]) -> dict[str, list[Point]]:
    return grouped(points, lambda point: point.group)


def points_of(
    dataset: Dataset,
    sources: dict[str, Source],
    source: Source,
    by: str | None = None,
    reference: str | None = None,
) -> Points:
    """The configurations of campaigns whose factors are right and whose energy is known."""
    measure = Measure(METRICS["energy"], source)
    result = compare(dataset, by=by, reference=reference, measure=measure)
    known = [row for row in result.rows if row.figure is not None]
    usable = [row for row in known if len(row.sources) == 1]
    left_out = [
        f"{row.name} is left out: its samples have different sources of energy: "
        f"{' and '.join(row.sources)}"
        for row in known
        if len(row.sources) != 1
    ]
    has_parts = source.name == TOTAL
    measures = {
        name: Measure(METRICS["energy"], own)
        for name, own in ((PACKAGES, sources[PACKAGES]), (MEMORY, sources[MEMORY]))
        if has_parts
    }
    points = []
    for row in usable:
        c = row.configuration
        point = Point(
            group_of(c), choices_of(c), c.levers, benchmark=c.benchmark or "", key=row.key
        )
        for sample in dataset.samples.at(dataset.valid[row.key]):
            joules = measure.of(sample).value
            if joules is not None and sample.speed is not None:
                parts = {name: own.of(sample).value for name, own in measures.items()}
                seconds = statistics.median(run.seconds for run in sample.runs)
                point.observations.append(Observation(sample.speed, seconds, joules, **parts))
        points.append(point)
    words = dict.fromkeys(text for row in usable for text in row.sources)
    mixed = [f"points have different sources of energy: {'; '.join(words)}"] * (len(words) > 1)
    total = total_of(source, points)
    described = f"{source.words} [{', '.join(words) or '–'}]"
    cautions = [*without_energy(result.rows), *mixed, *left_out, *result.cautions]
    return Points(points, described, total, cautions, result, sessions_of(dataset, sources))


def without_energy(rows: Sequence[Row]) -> list[str]:
    """What to say where no sample has energy; nothing of those without a timed region."""
    if any(row.figure is not None for row in rows):
        return []
    reasons = [reason for row in rows for reason in row.unmeasured]
    if any(reason.startswith(Status.UNAVAILABLE) for reason in reasons):
        return [f"{NO_ENERGY}; {DOCTOR}"]
    return [NO_ENERGY] if reasons else []


def total_of(source: Source, points: Sequence[Point]) -> str:
    """What the energy of all points is."""
    if source.name != TOTAL:
        return source.name
    has_memory = any(o.memory is not None for point in points for o in point.observations)
    return "package + memory" if has_memory else "package"


def is_whole(name: str, total: str) -> bool:
    """Whether a part is all of the energy, so that it would be shown twice."""
    return name == total and name in (PACKAGES, MEMORY)


def name_of(name: str, total: str) -> str:
    """What a figure or criterion is called: energy after what it is the energy of."""
    return total if name == "energy" else name


def unit_for(largest: float) -> tuple[str, float]:
    """In which energies are shown, and how many joules it is."""
    return ("kJ", 1e3) if largest >= 1e4 else ("J", 1.0)


def runs_of_each(points: Sequence[Point]) -> str:
    """How many runs the means of these are of: `3 to 5 runs`."""
    counts = [point.samples for point in points]
    return f"{span(counts)} run{'s' * (max(counts) > 1)}"


def group_of(c: Configuration) -> str:
    """What is computed, and on which node: points of other groups cannot be compared."""
    size = f"N={c.size}" if c.rows is None else f"M={c.rows} N={c.size}"
    kind = "" if input_of(c) == "usual" else f", {input_of(c)} matrix"
    where = "" if c.node is None else f" on node {c.node}"
    return f"{algorithm_of(c)} {size}{kind}{where}"


def choices_of(c: Configuration) -> dict[str, str]:
    """How it is computed, without the levers; what is left to the executable is left out."""
    found = {
        "runtime": c.runtime,
        "benchmark": c.benchmark,
        "variant": c.variant,
        "kernels": c.kernels,
        "tile": c.tile_asked,
        "inner": c.inner,
        "parameters": c.own_words or None,
        "threads": c.threads,
        "environment": c.environment,
        "node": c.node,
        **options_of(c.settings),
    }
    return {name: str(value) for name, value in found.items() if value is not None}


def varied(points: Sequence[Point], of: Callable[[Point], dict[str, str]]) -> list[str]:
    """The names whose values are not the same at all points."""
    names = dict.fromkeys(name for point in points for name in of(point))
    return [name for name in names if len({of(point).get(name) for point in points}) > 1]


def label_of(point: Point, points: Sequence[Point], *, levers: bool = True) -> str:
    """The runtime, and what else distinguishes a point from others."""
    names = varied(points, lambda p: p.choices)
    words = [point.choices.get("runtime", "")]
    shown = {"benchmark": "{}", "variant": "{}", "tile": "NB={}", "threads": "{} threads"}
    for name in names:
        if name != "runtime" and (value := point.choices.get(name)) is not None:
            words.append(shown.get(name, "{}").format(value))
    if levers and (names := varied(points, lambda p: p.levers)):
        words.append("/".join(point.levers.get(name, "–") for name in names))
    return " ".join(filter(None, words))


def levers_in_words(points: Sequence[Point]) -> str:
    """What the values in such labels are those of; nothing where no lever is varied."""
    names = varied(points, lambda p: p.levers)
    return f"Levers: {'/'.join(names)}." if names else ""
