# SPDX-License-Identifier: BSD-3-Clause
"""What charts show of traces: the window of time, colours, titles, and when each step ran."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pollux.core.errors import BadUsageError
from pollux.core.parameters import in_words
from pollux.core.text import counted, digits, in_percent
from pollux.insight.graphs.model import Flags, Ints
from pollux.insight.traces.lanes import computing_threads, is_kernel, with_lanes
from pollux.insight.traces.model import Ranks, Trace, identity, with_version
from pollux.output.figures.kernels import in_order, kernel_colours
from pollux.output.figures.palette import runtime_colours
from pollux.output.figures.style import clean

UNITS = (
    (2e9, 1e9, "s"),
    (2e6, 1e6, "ms"),
    (0.0, 1e3, "µs"),
)  # shortest span in ns, ns in the unit, its name
Unit = tuple[float, str]


@dataclass(frozen=True)
class View:
    """Traces on one time axis, from `begin` to `end` ns."""

    traces: tuple[Trace, ...]
    titles: tuple[str, ...]
    begin: float
    end: float

    @cached_property
    def kernels(self) -> list[str]:
        """The kernels that ran, in the order of legends."""
        return in_order(trace.kernels[k] for trace in self.traces for k in np.unique(trace.kernel))

    @cached_property
    def colours(self) -> dict[str, str]:
        return kernel_colours({name for trace in self.traces for name in trace.kernels})

    @cached_property
    def legend(self) -> list[tuple[str, str]]:
        """Names and their colour: kernels with the same role in two algorithms share one."""
        names: dict[str, list[str]] = {}
        for kernel in self.kernels:
            names.setdefault(self.colours[kernel], []).append(kernel)
        return [(clean(", ".join(own)), colour) for colour, own in names.items()]

    @cached_property
    def marks(self) -> list[str | None]:
        """The colour of each run's runtime; None for a simulated one."""
        labels = [None if t.record.get("simulated") else runtime_label(t) for t in self.traces]
        colours = runtime_colours(label for label in labels if label)
        return [colours[label] if label else None for label in labels]

    def with_lanes(self) -> "View":
        """The same with lanes for the messages of runs over MPI."""
        return replace(self, traces=tuple(with_lanes(self.traces)))

    @cached_property
    def summaries(self) -> list[str]:
        """Of each run, all times in one unit."""
        unit = unit_of(max(trace.region for trace in self.traces))
        return [summary_of(trace, unit) for trace in self.traces]

    @property
    def unit(self) -> Unit:
        """The unit of the time axis: its length in ns, and its name."""
        return unit_of(self.end - self.begin)

    def in_window(self, ranks: Ranks) -> Flags:
        """Which messages are under way within the window."""
        messages = ranks.messages
        return np.asarray((messages.received > self.begin) & (messages.sent < self.end))

    def visible(self, trace: Trace) -> Flags:
        """Which events are within the window, all or in part."""
        return np.asarray((trace.end > self.begin) & (trace.start < self.end))


def unit_of(span: float) -> Unit:
    return next((size, name) for least, size, name in UNITS if span >= least)


def make_view(
    traces: Sequence[Trace],
    labels: Sequence[str] = (),
    begin: float | None = None,
    end: float | None = None,
) -> View:
    """All traces from their start to the end of the longest, or a part of it."""
    check_window(begin, end)
    longest = max(trace.region for trace in traces)
    first, last = begin or 0.0, min(longest if end is None else end, longest)
    last = max(last, 1.0) if end is None else last
    if first >= last:
        raise BadUsageError(
            f"--from {first / 1e9:g}: the longest trace ends at {longest / 1e9:g} s"
        )
    check_labels(labels, len(traces))
    return View(tuple(traces), tuple(labels or titles_of(traces)), first, last)


def check_window(begin: float | None, end: float | None) -> None:
    """Refuse a window, in ns, that would be empty whatever the traces are."""
    if end is not None and (begin or 0) >= end:
        raise BadUsageError(f"the window from {(begin or 0) / 1e9:g} to {end / 1e9:g} s is empty")


def check_labels(labels: Sequence[str], count: int) -> None:
    """Refuse labels that are not one for each trace."""
    if labels and len(labels) != count:
        raise BadUsageError(
            f"{counted(len(labels), 'label')} for {counted(count, 'trace')}; "
            "give --label for each, or for none"
        )


def titles_of(traces: Sequence[Trace]) -> list[str]:
    """A title for each trace: graph, runtime, and whatever they do not all share."""
    shared = shared_by(traces)
    return [
        clean(", ".join([*filter(None, named(t)), *(p for p in facts(t) if p not in shared)]))
        for t in traces
    ]


def medians(traces: Sequence[Trace]) -> tuple[list[Trace], list[str]]:
    """Of repeated runs, that of the median time (of two, the shorter); a title for each.

    Runs that differ in their team alone follow each other, the smallest team first. Simulated runs
    are not repeated: each stands for itself.
    """
    teams: dict[object, dict[int, list[Trace]]] = {}
    for number, trace in enumerate(traces):
        key = number if trace.record.get("simulated") else identity(trace)
        teams.setdefault(key, {}).setdefault(trace.threads, []).append(trace)
    groups = [own[threads] for own in teams.values() for threads in sorted(own)]
    chosen = [sorted(own, key=lambda trace: trace.region)[(len(own) - 1) // 2] for own in groups]
    titles = [
        f"{title}, median of {len(own)} runs" if len(own) > 1 else title
        for title, own in zip(titles_of(chosen), groups, strict=True)
    ]
    return chosen, titles


def shared_by(traces: Sequence[Trace]) -> list[str]:
    """Threads and sizes that all have in common, to be printed below the chart."""
    return [fact for fact in facts(traces[0]) if all(fact in facts(t) for t in traces)]


def named(trace: Trace) -> tuple[str, str]:
    """Graph, and label or else the runtime's name and version."""
    runtime = trace.label or with_version(trace.record.get("runtime") or {})
    return f"{trace.instance.benchmark} {trace.instance.variant}", runtime


def facts(trace: Trace) -> list[str]:
    """The number of threads, sizes, and the kernel set."""
    i = trace.instance
    return [
        trace.team_in_words("worker" if trace.record.get("simulated") else "thread"),
        *i.sizes_in_words(),
        *([in_words(i.parameters)] if i.parameters else []),
        *([f"{kernels} kernels"] if (kernels := trace.record.get("kernels")) else []),
    ]


def runtime_label(trace: Trace) -> str:
    """The label that determines the runtime's colour."""
    return trace.label or str((trace.record.get("runtime") or {}).get("name") or "")


def busy_share(trace: Trace) -> float:
    """Share of the threads' time that is spent in kernels."""
    own = is_kernel(trace)
    spent = float((trace.end - trace.start)[own].sum())
    return spent / max(1, computing_threads(trace) * trace.region)


def summary_of(trace: Trace, unit: Unit) -> str:
    """Speed, efficiency and time of the whole run."""
    gflops = trace.record.get("gflops")
    speed = [f"{digits(gflops, 3)} GFlop/s"] if gflops else []
    busy = f"{in_percent(busy_share(trace), 1)} busy"
    return " · ".join([*speed, busy, time_in(unit, trace.region)])


def time_in(unit: Unit, ns: float) -> str:
    size, name = unit
    return f"{digits(ns / size, 4)} {name}"


def step_spans(trace: Trace) -> tuple[Ints, Ints, Ints]:
    """The steps that ran, and when the first kernel of each began and the last one ended."""
    own = is_kernel(trace)
    steps, number = np.unique(trace.step[own], return_inverse=True)
    first = np.full(len(steps), np.iinfo(np.int64).max)
    last = np.zeros(len(steps), np.int64)
    np.minimum.at(first, number, trace.start[own])
    np.maximum.at(last, number, trace.end[own])
    return steps, first, last


def panels(trace: Trace) -> Flags:
    """The call that begins each step: the first on its diagonal tile, else the first of all.

    A panel that is cut into pieces may have none on that tile, since pieces are named by elements.
    """
    on_diagonal = (trace.i == trace.instance.top(trace.step)) & (trace.j == trace.step)
    order = np.lexsort((trace.start, ~on_diagonal, trace.step))
    order = order[is_kernel(trace)[order]]
    found = np.zeros(len(trace), bool)
    found[order[np.unique(trace.step[order], return_index=True)[1]]] = True
    return found
