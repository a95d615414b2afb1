# SPDX-License-Identifier: BSD-3-Clause
"""Where simulations take graphs and kernel times from: files, builds, runs on one thread."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Protocol

from pollux.errors import BadUsageError
from pollux.graphs.file import read_graphs
from pollux.graphs.instances import homes, instance_of, usual_variant
from pollux.graphs.model import Graph, Instance
from pollux.graphs.obtain import Teller
from pollux.simulation.durations import KernelTimes, from_trace
from pollux.simulation.model import Floats
from pollux.tiles import Tile
from pollux.traces.file import read_traces
from pollux.traces.match import match
from pollux.traces.model import Trace
from pollux.traces.obtain import take_trace

ALL = "all"  # variants
MEASURED_SIZE = 4096  # at most, of runs that measure kernels

Tell = Callable[[str], None]


class Times(Protocol):
    """Something that knows kernel times."""

    def durations(self, graph: Graph) -> Floats: ...


@dataclass(frozen=True)
class OwnTimes:
    """Each call's own time, of traces of the very instance."""

    traces: tuple[Trace, ...]

    def durations(self, graph: Graph) -> Floats:
        for trace in self.traces:
            if trace.instance == graph.instance:
                return from_trace(graph, trace, match(trace, graph))
        known = "; ".join(dict.fromkeys(str(trace.instance) for trace in self.traces))
        raise BadUsageError(f"--own-times: no trace is of {graph.instance}; there are {known}")


@dataclass(frozen=True)
class Sizes:
    """The sizes of instances that are asked for."""

    n: Sequence[int]
    tiles: Sequence[Tile]
    ib: int


def instances_of(
    teller: Teller, benchmarks: Sequence[str], variants: Sequence[str], sizes: Sizes
) -> list[Instance]:
    """Every variant with every size: of each benchmark the given variants that it has."""
    pairs = [(b, v) for b in homes(benchmarks, variants) for v in variants_of(teller, b, variants)]
    for variant in variants:
        if variant != ALL and variant not in {v for _, v in pairs}:
            raise BadUsageError(
                f"--variant: {' and '.join(benchmarks)} have no variant {variant!r}"
            )
    return [
        instance_of(b, v, n, n, tile, sizes.ib)
        for n, tile, (b, v) in product(sizes.n, sizes.tiles, pairs)
    ]


def variants_of(teller: Teller, benchmark: str, wanted: Sequence[str]) -> list[str]:
    if not wanted:
        return [usual_variant(benchmark)]
    available = [v.variant for v in teller.variants(benchmark) if v.available]
    return available if ALL in wanted else [v for v in available if v in wanted]


def graphs_in(files: Iterable[Path]) -> list[Graph]:
    return [graph for file in files for graph in read_graphs(file)]


def traces_in(files: Iterable[Path]) -> list[Trace]:
    """The traces of some files; runs that broke down say nothing of the kernels' times."""
    found = [trace for file in files for trace in read_traces(file)]
    for trace in found:
        if trace.record.get("status"):
            raise BadUsageError(
                f"a traced run of {trace.instance} broke down; kernels that only passed its "
                "failure on took no time"
            )
    return found


def measured(
    instances: Iterable[Instance], target: str, build_root: Path, tell: Tell
) -> list[Trace]:
    """A trace on one thread of each variant and tile size, of no more than MEASURED_SIZE."""
    largest: dict[tuple[str, str, Tile, int | None], Instance] = {}
    for i in instances:
        n = min(i.n, max(MEASURED_SIZE, 2 * i.nb))
        one = Instance(i.benchmark, i.variant, n, n, i.tile, i.ib)
        key = (i.benchmark, i.variant, i.tile, i.ib)
        if key not in largest or largest[key].n < n:
            largest[key] = one
    traces = []
    for instance in largest.values():
        tell(f"measuring {instance} on one thread of {target}")
        traces.append(take_trace(instance, 1, target, build_root=build_root))
    return traces


def learned(traces: Sequence[Trace], *, own: bool) -> Times:
    return OwnTimes(tuple(traces)) if own else KernelTimes.learn(traces)
