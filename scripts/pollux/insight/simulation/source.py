# SPDX-License-Identifier: BSD-3-Clause
"""Sources of graphs and kernel times for simulations: files, builds, runs on one thread."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Protocol

import numpy as np

from pollux.core.console import echo
from pollux.core.errors import BadUsageError
from pollux.core.executables.benchmarks import benchmarks_of
from pollux.core.executables.parameters import Wanted, check_parameters
from pollux.core.executables.variants import ALL
from pollux.core.listings import Variant
from pollux.core.parameters import Parameters
from pollux.core.records import DEFAULT_KERNELS
from pollux.core.tiles import Tile, WantedTile
from pollux.insight.graphs.instances import (
    has_graph,
    homes,
    instances_of,
    usual_variant,
    with_graph,
)
from pollux.insight.graphs.model import Graph, Instance
from pollux.insight.graphs.obtain import GraphProvider
from pollux.insight.graphs.over_ranks import OverRanks
from pollux.insight.simulation.durations import KernelTimes, from_trace
from pollux.insight.simulation.model import Floats
from pollux.insight.traces.file import read_traces
from pollux.insight.traces.match import match
from pollux.insight.traces.model import Trace, by_run
from pollux.insight.traces.obtain import RunRequest, take_trace

MEASURED_SIZE = 4096  # at most, of runs that measure kernels
MEASURED_WARMUP = 1  # repetitions before them; at that size the first takes a second or more

Notify = Callable[[str], None]


class Times(Protocol):
    """Something that knows kernel times."""

    def durations(self, graph: Graph) -> Floats: ...


@dataclass(frozen=True)
class OwnTimes:
    """Each call's own time: the median over traces of the same instance."""

    traces: Sequence[Trace]

    def durations(self, graph: Graph) -> Floats:
        own = [trace for trace in self.traces if trace.instance == graph.instance]
        if own:
            times = [from_trace(graph, trace, match(trace, graph)) for trace in own]
            found: Floats = np.median(times, axis=0)
            return found
        known = "; ".join(dict.fromkeys(str(trace.instance) for trace in self.traces))
        raise BadUsageError(f"--own-times: no trace is of {graph.instance}, only of {known}")


def durations_over(times: Times, over: OverRanks) -> Floats:
    """The times of all ranks' calls; parts share the own time of the call that they are of."""
    if over.graph is over.whole or not isinstance(times, OwnTimes):
        return times.durations(over.graph)
    whole = np.rint(times.durations(over.whole)).astype(np.int64)
    return over.shared_out(whole).astype(np.float64)


@dataclass(frozen=True)
class Estimate:
    """Kernel times: from all traces together, and from each round of them alone."""

    whole: Times
    rounds: tuple[Times, ...] = ()
    kernels: str = DEFAULT_KERNELS  # the kernel set


@dataclass(frozen=True)
class Sizes:
    """The requested sizes of instances."""

    n: Sequence[int]  # none: twice the benchmark's own
    tiles: Sequence[WantedTile]
    ib: int
    parameters: Wanted = field(default_factory=dict)


def wanted_instances(
    provider: GraphProvider,
    benchmarks: Sequence[str],
    variants: Sequence[str],
    sizes: Sizes,
    kernels: str = DEFAULT_KERNELS,
) -> list[Instance]:
    """Every variant with every size: for each benchmark the given variants that it has."""
    known = provider.benchmarks
    known.check(benchmarks)
    if variants:
        found = asked_variants(provider, homes(known, benchmarks, variants), variants)
    else:
        usual = {name: [usual_variant(known, name)] for name in benchmarks}
        found = [v for name in usual for v in asked_variants(provider, [name], usual[name])]
    pairs = [(v.benchmark, v.variant) for v in found]
    check_parameters(sizes.parameters, [known.listing(b) for b in dict(pairs)])
    orders: Sequence[int | None] = sizes.n or [None]
    wanted = (
        instance
        for n, tile, (b, v) in product(orders, sizes.tiles, pairs)
        for instance in instances_of(
            *(known, b, v, None, n or 2 * known.listing(b).usual_size),
            *(tile, sizes.ib, kernels, sizes.parameters),
        )
    )
    return list(dict.fromkeys(wanted))  # `default` may be one of the other tiles


def asked_variants(
    provider: GraphProvider, benchmarks: Sequence[str], names: Sequence[str]
) -> list[Variant]:
    """Those of these names; nested ones are refused, and left out of all."""
    listed = [variant for name in benchmarks for variant in provider.variants(name)]
    for variant in filter(lambda v: v.nested, listed):
        if variant.variant in names:
            check_flat(variant)
        if ALL in names and has_graph(variant):
            echo(f"pollux: left out: {why_not_flat(variant)}", to_stderr=True)
    kept = [v for v in listed if not v.nested]
    return with_graph(kept, names, " or ".join(benchmarks))


def check_flat(variant: Variant) -> None:
    """Refuse one whose tasks open parallel regions."""
    if variant.nested:
        raise BadUsageError(why_not_flat(variant))


def why_not_flat(variant: Variant) -> str:
    return (
        f"{variant.benchmark} {variant.variant}: its kernels run on teams of threads, and a "
        "simulated worker is one"
    )


def traces_in(files: Iterable[Path]) -> list[Trace]:
    """The traces of some files; a run that broke down is refused, as its times mean nothing."""
    found = [trace for file in files for trace in read_traces(file)]
    for trace in found:
        if trace.record.get("status"):
            raise BadUsageError(
                f"a traced run of {trace.instance} broke down; kernels that only passed on its "
                "failure took no time"
            )
    sets: dict[str, set[str]] = {}
    for trace in found:
        for operation, _ in trace.work.by_operation():
            sets.setdefault(operation.name, set()).add(kernel_set_of(trace))
    for mixed in (names for names in sets.values() if len(names) > 1):
        raise BadUsageError(
            f"--times: traces of {' and '.join(sorted(mixed))} kernels; times of one kernel are "
            "learned from traces of one kernel set"
        )
    return found


def kernel_set_of(trace: Trace) -> str:
    name = trace.record.get("kernels") or "unnamed"
    return f"{name} (on teams)" if trace.record.get("levels") else name


def refuse_teams(traces: Iterable[Trace]) -> None:
    """Refuse times of kernels that ran on several threads."""
    for trace in traces:
        if trace.record.get("levels"):
            raise BadUsageError(
                f"--times: the kernels of {trace.instance} ran on teams of threads, and a "
                "simulated worker is one"
            )


def measured(  # noqa: PLR0913, PLR0917 (the parameters of a measurement)
    instances: Iterable[Instance],
    target: str,
    kernels: str,
    rounds: int,
    build_root: Path,
    notify: Notify,
) -> list[Trace]:
    """Rounds of traces, each a process on one thread for every variant and tile size in turn.

    Each round reverses the order of the previous one, so that none is always first.
    """
    known = benchmarks_of(build_root)
    wanted = representatives(instances, lambda name: bool(known.having("rows", [name])))
    traces = []
    for number in range(rounds):
        for instance in wanted if number % 2 == 0 else reversed(wanted):
            notify(
                f"round {number + 1} of {rounds}: measuring {instance} on one thread of {target}"
            )
            request = RunRequest(
                *(instance, 1, target),
                warmup=MEASURED_WARMUP,
                kernels=kernels,
                extra=("--processor-time",),
            )
            traces.append(take_trace(request, build_root=build_root))
    return traces


def representatives(
    instances: Iterable[Instance], takes_rows: Callable[[str], bool]
) -> list[Instance]:
    """For each variant and tile size the largest instance, up to MEASURED_SIZE or two tiles.

    `takes_rows`: of a benchmark, whether its matrices may have more rows than columns.
    """
    largest: dict[tuple[str, str, Tile, int | None, Parameters], Instance] = {}
    for i in instances:
        n = min(i.n, max(MEASURED_SIZE, 2 * i.nb))
        m = min(i.m, max(MEASURED_SIZE, 2 * i.mb))
        if m > n and i.m == i.n and not takes_rows(i.benchmark):
            n = m
        one = replace(i, m=m, n=n)
        key = (i.benchmark, i.variant, i.tile, i.ib, i.parameters)
        if key not in largest or largest[key].m * largest[key].n < m * n:
            largest[key] = one
    return list(largest.values())


def learned(traces: Sequence[Trace], *, own: bool) -> Estimate:
    """The times in traces, all together and round by round."""
    learn: Callable[[Sequence[Trace]], Times] = OwnTimes if own else KernelTimes.learn
    rounds = rounds_of(traces)
    sets = [str(trace.record["kernels"]) for trace in traces if trace.record.get("kernels")]
    return Estimate(
        learn(traces),
        tuple(map(learn, rounds)) if len(rounds) > 1 else (),
        sets[0] if sets else DEFAULT_KERNELS,
    )


def rounds_of(traces: Iterable[Trace]) -> list[list[Trace]]:
    """The first run of each instance, the second of each, …

    As many rounds as the instance with the most runs has; the others' runs are reused.
    """
    found: dict[Instance, list[list[Trace]]] = {}
    for run in by_run(traces):
        found.setdefault(run[0].instance, []).append(run)
    count = max(map(len, found.values()), default=0)
    return [
        [trace for own in found.values() for trace in own[number % len(own)]]
        for number in range(count)
    ]
