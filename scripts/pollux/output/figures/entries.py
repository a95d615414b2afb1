# SPDX-License-Identifier: BSD-3-Clause
"""The rows of a result with the values of their axes, as figures need them."""

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from pollux.core.analysis.dataset import Dataset
from pollux.core.analysis.result import Agreement, Result, Row
from pollux.core.campaign.axes import AXES as PLAIN
from pollux.core.campaign.axes import BY_NAME, Axis
from pollux.core.campaign.lines import TILE_WORDS
from pollux.core.campaign.variants import algorithm_of, input_of
from pollux.core.parameters import Parameters
from pollux.core.text import counted
from pollux.core.tiles import Tile
from pollux.output.figures.palette import runtime_colours
from pollux.output.figures.style import Look, clean, looks_of

NAMES = ("benchmark", "variant")  # what every panel is called by
NOT_RUN = "not run"
WRONG = "factors differ"  # from others: which are right need not be known


@dataclass(frozen=True)
class Entry:
    """A row, the values that were asked for on each axis, and those that it really ran with."""

    row: Row
    by: str  # the axis that is compared
    axes: dict[str, Any]
    tile: Tile | None
    threads: int | None
    outcomes: Counter[str]  # of its samples that went wrong
    disturbed: frozenset[int] = frozenset()  # rounds whose sample is of a disturbed block

    @property
    def level(self) -> str:
        return self.row.level

    def own(self, name: str) -> Any:  # noqa: ANN401 (whatever the field has)
        """What a filter chooses it by: what it ran with, or what was configured."""
        return getattr(self if name in ("tile", "threads") else self.row.configuration, name)

    @property
    def parameters(self) -> Parameters:
        """All that the benchmark has, or those that were set where it never started."""
        identity = self.row.identity
        return identity.parameters if identity else self.row.configuration.own

    @property
    def median(self) -> float | None:
        """Median GFlop/s; None without a valid sample."""
        if self.row.gflops is not None:
            return self.row.gflops.estimate
        values = self.speeds
        return statistics.median(values) if values else None

    @property
    def speeds(self) -> list[float]:
        return [value for _, value in self.row.values]

    @property
    def are_disturbed(self) -> list[bool]:
        """Whether each of these samples is of a disturbed block."""
        return [round_ in self.disturbed for round_, _ in self.row.values]

    @property
    def interval(self) -> tuple[float, float] | None:
        """Bounds of the median; None where there are too few samples for any."""
        interval = self.row.gflops
        if interval is None or not (math.isfinite(interval.low) and math.isfinite(interval.high)):
            return None
        return None if len(self.row.values) < 2 else (interval.low, interval.high)

    @property
    def has_samples(self) -> bool:
        """Whether any was taken, valid or not."""
        return self.median is not None or self.is_wrong or bool(self.outcomes)

    @property
    def gap(self) -> str:
        """Why there is no valid sample, in a word or two."""
        if self.row.unavailable is not None:
            return NOT_RUN
        if self.is_wrong:
            return WRONG
        return self.outcomes.most_common(1)[0][0] if self.outcomes else "no sample"

    @property
    def is_wrong(self) -> bool:
        """Its factors are not those of the others: it has no speed."""
        return self.row.digests is Agreement.DIFFER


@dataclass(frozen=True)
class Filter:
    """What is to be drawn; an empty list takes all. Statistics are those of the whole result."""

    benchmark: Sequence[str] = ()
    variant: Sequence[str] = ()
    size: Sequence[int] = ()
    tile: Sequence[Tile] = ()
    threads: Sequence[int] = ()
    runtime: Sequence[str] = ()
    kernels: Sequence[str] = ()

    def takes(self, entry: Entry) -> bool:
        return all(not wanted or entry.own(name) in wanted for name, wanted in vars(self).items())


EVERYTHING = Filter()


@dataclass(frozen=True)
class Panel:
    """The entries of one pair of axes, and the values that they share."""

    shared: dict[str, Any]
    entries: list[Entry] = field(default_factory=list)


def entries_of(result: Result) -> list[Entry]:
    """An entry for each row, in the order of the campaign: its author chose it.

    Not for times and other quantities, which are no speeds.
    """
    return [entry for entry in all_entries_of(result) if entry.row.configuration.is_speed]


def time_entries_of(result: Result) -> list[Entry]:
    """The same for times and the like, one for each quantity of a benchmark."""
    disturbed = disturbed_rounds(result.dataset)
    return [
        replace(entry, disturbed=frozenset(disturbed.get(entry.row.key, ())))
        for entry in all_entries_of(result)
        if not entry.row.configuration.is_speed
    ]


def disturbed_rounds(dataset: Dataset) -> dict[str, set[int]]:
    """By configuration, the rounds whose sample is valid and of a disturbed block."""
    found: dict[str, set[int]] = {}
    for sample in dataset.used:
        is_valid = sample.speed is not None
        if is_valid and sample.round is not None and dataset.is_disturbed(sample):
            found.setdefault(sample.configuration, set()).add(sample.round)
    return found


def all_entries_of(result: Result) -> list[Entry]:
    outcomes: dict[str, Counter[str]] = {}
    for failure in result.failures:
        outcomes.setdefault(failure.row.key, Counter())[str(failure.outcome)] += failure.count
    rows = rows_of(result)
    entries = [make_entry(row, result.by, outcomes.get(row.key, Counter())) for row in rows]
    return distinguished(entries)


def distinguished(entries: Sequence[Entry]) -> list[Entry]:
    """With its benchmark in the name of a variant that another of the same algorithm has too."""
    benchmarks: dict[tuple[str, str], set[str]] = {}
    for entry in entries:
        benchmarks.setdefault(name_of(entry), set()).add(entry.row.configuration.benchmark)
    named = []
    for entry in entries:
        (algorithm, variant), own = name_of(entry), entry.row.configuration.benchmark
        if own != algorithm and len(benchmarks[algorithm, variant]) > 1:
            axes = entry.axes | {"variant": f"{variant} ({own})"}
            named.append(replace(entry, axes=axes))
        else:
            named.append(entry)
    return named


def name_of(entry: Entry) -> tuple[str, str]:
    """Its algorithm and variant."""
    return entry.axes["benchmark"], entry.axes["variant"]


def rows_of(result: Result) -> list[Row]:
    place = {key: i for i, key in enumerate(result.dataset.configurations)}
    return sorted(result.rows, key=lambda row: place.get(row.key, len(place)))


def make_entry(row: Row, by: str, outcomes: Counter[str]) -> Entry:
    c, identity = row.configuration, row.identity
    asked = {
        "benchmark": algorithm_of(c),
        "variant": c.variant,
        "kernels": c.kernels,
        "size": c.size,
        "shape": None if c.rows is None else c.rows / c.size,
        "tile": c.tile_asked if c.tile_asked in (*TILE_WORDS, None) else Tile.parse(c.tile_asked),
        "inner": c.inner,
        "parameters": c.own_words or None,
        "threads": c.threads,
        "environment": c.environment,
        **{name: getattr(c, name) for name in BY_NAME},
        "node": c.node,
        "runtime": c.runtime,
    }
    tile = identity.tile if identity else c.tile
    threads = identity.threads if identity else c.threads
    return Entry(row, by, asked, tile, 1 if c.variant == "seq" else threads, outcomes)


def levels_of(result: Result) -> list[str]:
    """All levels of the compared axis, the reference first, then as they occur."""
    return list(dict.fromkeys([result.reference, *(row.level for row in rows_of(result))]))


def levels_among(result: Result, entries: Iterable[Entry]) -> list[str]:
    """The levels of these entries, the reference first."""
    used = {entry.level for entry in entries}
    return [level for level in levels_of(result) if level in used]


def looks_for(result: Result) -> dict[str, Look]:
    """A look for each level of the compared axis; runtimes have their own colours everywhere."""
    levels = levels_of(result)
    return looks_of(levels, runtime_colours(levels) if result.by == "runtime" else None)


def values_of(entries: Iterable[Entry], axis: str) -> list[Any]:
    """The different values of an axis: numbers and tiles in their order, else as they occur.

    Variants that factor other matrices come last.
    """
    given = list(entries)
    found = sorted(dict.fromkeys(entry.axes[axis] for entry in given), key=in_order)
    others = other_inputs(given) if axis == "variant" else set()
    return sorted(found, key=lambda value: value in others)


def other_inputs(entries: Iterable[Entry]) -> set[str]:
    """The variants that factor other matrices than the rest do."""
    return {e.axes["variant"] for e in entries if input_of(e.row.configuration) != "usual"}


def in_order(value: object) -> tuple[bool, float, int]:
    if isinstance(value, Tile):
        return False, *value.place
    return (False, value, 0) if isinstance(value, int | float) else (True, 0, 0)


def group(entries: Sequence[Entry], without: Sequence[str]) -> list[Panel]:
    """A panel for each combination of the axes but those `without`, in order."""
    axes = [axis for axis in WORDS if axis not in without]
    rank = {axis: {v: i for i, v in enumerate(values_of(entries, axis))} for axis in axes}
    panels: dict[tuple[int, ...], Panel] = {}
    for entry in entries:
        key = tuple(rank[axis][entry.axes[axis]] for axis in axes)
        if key not in panels:
            panels[key] = Panel({axis: entry.axes[axis] for axis in axes})
        panels[key].entries.append(entry)
    return [panels[key] for key in sorted(panels)]


def titles_of(panels: Iterable[Panel], entries: Sequence[Entry]) -> list[str]:
    """Of each: the benchmark, the variant, and whatever else is not the same everywhere."""
    varied = [axis for axis in WORDS if axis not in NAMES and varies(axis, entries)]
    titles = []
    for panel in panels:
        names = [str(panel.shared[axis]) for axis in NAMES if axis in panel.shared]
        words = [WORDS[axis](panel.shared[axis]) for axis in varied if axis in panel.shared]
        titles.append(clean(", ".join([" ".join(names), *filter(None, words)])))
    return titles


def varies(axis: str, entries: Sequence[Entry]) -> bool:
    """Whether entries differ on an axis; sequential code has one thread whatever others have."""
    tasks = [entry for entry in entries if axis != "threads" or entry.axes["variant"] != "seq"]
    return len({entry.axes[axis] for entry in tasks}) > 1


def number(value: float) -> str:
    return f"{value:.4g}"


def setting_in_words(axis: Axis, value: str | None) -> str:
    return "" if value is None else axis.phrase(value)


# All axes of a campaign; `shape` is M / N, so that a series over N keeps its shape.
WORDS: dict[str, Callable[[Any], str]] = {
    "benchmark": str,
    "variant": str,
    "kernels": lambda v: "" if v is None else f"{v} kernels",
    "size": lambda v: f"N = {v}",
    "shape": lambda v: "" if v is None else f"M = {number(v)} N",
    "tile": lambda v: f"NB = {v}" if isinstance(v, Tile) else f"NB {v}",
    "inner": lambda v: "" if v is None else f"IB = {v}",
    "parameters": lambda v: v or "",
    "threads": lambda v: "" if v is None else counted(v, "thread"),
    "environment": lambda v: "" if v == "as run" else str(v),
    **{axis.name: partial(setting_in_words, axis) for axis in PLAIN},
    "node": lambda v: "" if v is None else f"on node {v}",
    "runtime": str,
}
