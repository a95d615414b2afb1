# SPDX-License-Identifier: BSD-3-Clause
"""The time of each node of a graph: from traces of it, learned from others, or from given rates.

What a trace teaches is, for each kernel and tile size, the mean time over the calls on full tiles,
since sums of times are to come out right; calls that took more than DISTURBED times what such calls
take are left out, since the system ran something else meanwhile. Of several traces the median
counts, call by call. Variants that call the same kernels share their traces: if each used its own,
a process that happened to be slower would look like a difference between task graphs. Kernels whose
time grows with the bytes that they move are the exception: which of these are in a cache depends on
the order of the calls, so the traces of the variant itself count where there are any. Traces of the
same values of the parameters that both have come before others. Tiles at the matrix' edge take
their share by operations. Kernels on a column of tiles take a time that is linear in its rows, by
least squares, whose residuals sum to zero; neither coefficient is negative, so that longer columns
than were measured never take less. So do kernels on tall tiles, which mostly work on a part of one.
Between two measured sizes of square tiles, or of tall ones of equal MB, the time per operation is
interpolated over NB; beyond them it is that of the nearest. Where no tile of such a kind was
measured, those of the nearest MB stand in.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import nnls  # type: ignore[import-untyped]

from pollux.core.errors import BadUsageError
from pollux.core.parameters import agree
from pollux.core.tiles import Tile
from pollux.insight.graphs.model import Graph, Instance, Ints
from pollux.insight.graphs.work import Operation, Work
from pollux.insight.simulation.model import Floats
from pollux.insight.simulation.scaling import Scale, scale_of
from pollux.insight.traces.model import Trace, by_run

DISTURBED = 3.0


def call_times(trace: Trace) -> Floats:
    """The time of each call of a trace: its time on a processor if known.

    It excludes time taken by other programs. The time between its beginning and its end is used
    where it is shorter, since reading the processor's time itself takes time.
    """
    found = (trace.end - trace.start).astype(np.float64)
    return found if trace.processor is None else np.minimum(found, trace.processor)


def from_trace(graph: Graph, trace: Trace, match: Ints) -> Floats:
    """The times that a trace of the graph's own instance has; `match` is the node of each event."""
    found = np.zeros(len(graph))
    found[match] = call_times(trace)
    return found


@dataclass(frozen=True)
class Law:
    """What calls of one operation take, in ns: amount * (constant + slope * depth)."""

    constant: float
    slope: float

    def per_work(self, depth: Floats) -> Floats:
        return self.constant + self.slope * depth


def median_per_work(laws: Sequence[Law], depth: Floats) -> Floats:
    """What calls of each depth take by most traces, whose laws these are."""
    found: Floats = np.median([law.per_work(depth) for law in laws], axis=0)
    return found


@dataclass(frozen=True)
class Sample:
    """The calls of one operation in one trace."""

    operation: str
    run: int  # number of the run that the trace is of
    instance: Instance
    scale: Scale
    times: Floats

    def common(self) -> "Sample":
        """Only the calls on full tiles."""
        full = np.flatnonzero(self.scale.full)
        return replace(self, scale=self.scale.at(full), times=self.times[full])


@dataclass(frozen=True)
class KernelTimes:
    """Kernel times learned from some traces."""

    samples: tuple[Sample, ...]

    @classmethod
    def learn(cls, traces: Sequence[Trace]) -> "KernelTimes":
        return cls(
            tuple(
                sample
                for number, run in enumerate(by_run(traces))
                for trace in run
                for sample in samples_of(trace, number)
            )
        )

    def durations(self, graph: Graph) -> Floats:
        """The time of each node; BadUsageError if a kernel of the graph is in no trace."""
        found = np.zeros(len(graph))
        for operation, nodes in graph.work.by_operation():
            found[nodes] = self.times(operation, graph.instance, graph.work.at(nodes))
        return found

    def times(self, operation: Operation, instance: Instance, work: Work) -> Floats:
        """The time of calls of one operation."""
        laws = self.laws(operation, instance)
        scale = scale_of(operation, work, tall=not next(iter(laws)).is_square)
        by_nb = {tile.nb: known for tile, known in laws.items()}
        sizes = np.array(sorted(by_nb), np.float64)
        nb = float(np.clip(instance.nb, sizes[0], sizes[-1]))
        above = int(np.searchsorted(sizes, nb))
        below = max(0, above - (sizes[above] > nb))
        step = sizes[above] - sizes[below]
        share = (nb - sizes[below]) / step if step else 0.0
        lower, upper = (
            median_per_work(by_nb[int(sizes[at])], scale.depth) for at in (below, above)
        )
        found: Floats = scale.amount * ((1 - share) * lower + share * upper)
        return found

    def laws(self, operation: Operation, instance: Instance) -> dict[Tile, list[Law]]:
        """By tile, each run's law of the calls nearest to an instance's: square, or of one MB."""
        fitting = [s for s in self.samples if s.operation == operation.name and len(s.times)]
        if not fitting:
            known = ", ".join(sorted({s.operation for s in self.samples})) or "nothing"
            raise BadUsageError(
                f"the traces say nothing of {operation.name}, which {instance} calls: they have "
                f"{known}; a trace of {instance.benchmark} {instance.variant} is needed"
            )
        if operation.grows_with == "bytes":
            fitting = [s for s in fitting if is_same_graph(s.instance, instance)] or fitting
        alike = [s for s in fitting if s.instance.ib == instance.ib] or fitting
        same = [s for s in alike if agree(s.instance.parameters, instance.parameters)]
        chosen = same or alike
        shape = min((s.instance.tile for s in chosen), key=lambda t: unlike(t, instance.tile)).shape
        laws: dict[Tile, list[Law]] = {}
        for (tile, _), samples in by_tile_and_run(chosen).items():
            if tile.shape == shape:
                laws.setdefault(tile, []).append(law_of(samples))
        return laws


def is_same_graph(a: Instance, b: Instance) -> bool:
    return (a.benchmark, a.variant) == (b.benchmark, b.variant)


def by_tile_and_run(samples: Iterable[Sample]) -> dict[tuple[Tile, int], list[Sample]]:
    found: dict[tuple[Tile, int], list[Sample]] = {}
    for sample in samples:
        found.setdefault((sample.instance.tile, sample.run), []).append(sample)
    return found


def unlike(a: Tile, b: Tile) -> tuple[bool, float, Tile]:
    """How different the shapes of two tiles are: first, whether only one is square."""
    return a.is_square != b.is_square, abs(math.log(a.mb / b.mb)), a


def samples_of(trace: Trace, number: int) -> Iterable[Sample]:
    """The calls of a trace by their operation."""
    taken = call_times(trace)
    tall = not trace.instance.tile.is_square
    for operation, events in trace.work.by_operation():
        scale = scale_of(operation, trace.work.at(events), tall=tall)
        yield Sample(operation.name, number, trace.instance, scale, taken[events])


def law_of(samples: Sequence[Sample]) -> Law:
    """The law of the calls in these samples, which have one tile size."""
    full = [s.common() for s in samples]
    amount = np.concatenate([s.scale.amount for s in full])
    depth = np.concatenate([s.scale.depth for s in full])
    times = np.concatenate([s.times for s in full])
    law = fit(amount, depth, times)
    kept = np.ones(len(times), np.bool_)
    while True:  # outliers distort the law; it ends, since ever fewer calls are kept
        calm = kept & (times <= DISTURBED * typical(amount, depth, times, law))
        if calm.sum() in (0, kept.sum()):
            return law
        kept = calm
        law = fit(amount[kept], depth[kept], times[kept])


def typical(amount: Floats, depth: Floats, times: Floats, law: Law) -> Floats:
    """What such calls take where nothing disturbs them: the law, brought to the median."""
    expected = amount * law.per_work(depth)
    positive = expected > 0
    if not positive.any():
        return times
    return expected * np.median(times[positive] / expected[positive])


def fit(amount: Floats, depth: Floats, times: Floats) -> Law:
    """The law with the least squared error."""
    if not amount.any():  # of one column or row, such as trsm by a unit triangle of order 1
        return Law(0.0, 0.0)
    if not depth.any():
        return Law(float(times.sum() / amount.sum()), 0.0)
    if not np.ptp(depth):
        return Law(0.0, float(times.sum() / (amount * depth).sum()))
    columns = np.stack([amount, amount * depth], axis=1)
    scale = columns.max(axis=0)
    found, _ = nnls(columns / scale, times)
    constant, slope = found / scale
    return Law(float(constant), float(slope))
