# SPDX-License-Identifier: BSD-3-Clause
"""One `pollux simulate`: from the request to predictions, their traces and their chart."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np

from pollux.core.errors import BadUsageError
from pollux.core.executables.benchmarks import benchmarks_of
from pollux.core.executables.variants import check_kernels
from pollux.core.records import DEFAULT_KERNELS
from pollux.insight.graphs.file import graphs_in
from pollux.insight.graphs.instances import check_instances
from pollux.insight.graphs.model import Graph, Instance
from pollux.insight.graphs.obtain import find_provider
from pollux.insight.graphs.over_ranks import OverRanks, over_ranks
from pollux.insight.simulation.across import OnNodes
from pollux.insight.simulation.messages import check_known, messages_of
from pollux.insight.simulation.model import Machine, Schedule
from pollux.insight.simulation.network import WORKERS_MAX, Cluster
from pollux.insight.simulation.overheads import Overheads
from pollux.insight.simulation.prediction import Prediction, predict
from pollux.insight.simulation.rates import Rates
from pollux.insight.simulation.scheduled import scheduled_trace
from pollux.insight.simulation.source import (
    Estimate,
    Sizes,
    Times,
    check_flat,
    durations_over,
    learned,
    measured,
    refuse_teams,
    traces_in,
    wanted_instances,
)
from pollux.insight.traces.file import print_warning
from pollux.insight.traces.model import Trace

ROUNDS = 9  # the second smallest and the second largest enclose the median with 96 %

Notify = Callable[[str], None]
FindCosts = Callable[[Sequence[str]], Overheads | None]  # of benchmarks


@dataclass(frozen=True)
class Asked:
    """Which graphs: files, or every variant of the benchmarks with every size."""

    files: Sequence[Path]
    benchmarks: Sequence[str]
    variants: Sequence[str]
    sizes: Sizes
    runtime: str | None
    build_root: Path


@dataclass(frozen=True)
class KernelSource:
    """The source of kernel times: exactly one of these."""

    files: Sequence[Path]
    rates: str | None
    measure: str | None
    kernels: str | None  # kernel set that is measured
    own: bool
    rounds: int | None  # of traces that are measured

    def __post_init__(self) -> None:
        given = [bool(self.files), self.rates is not None, self.measure is not None]
        if sum(given) != 1:
            raise BadUsageError(
                "kernel times must be given exactly once: --times FILE (traces, of --trace), "
                "--rates gemm=35,other=10 or --measure libomp"
            )
        if self.kernels is not None and self.measure is None:
            raise BadUsageError("--kernels needs --measure BUILD: whose kernels are measured")
        check_kernels([self.kernel_set])
        if self.own and not self.files:
            raise BadUsageError("--own-times needs --times FILE: a trace of the same instance")
        if self.rounds is not None and self.measure is None:
            raise BadUsageError("--rounds needs --measure BUILD: what it counts are its processes")

    @property
    def count(self) -> int:
        return ROUNDS if self.rounds is None else self.rounds

    @property
    def kernel_set(self) -> str:
        return self.kernels or DEFAULT_KERNELS

    def words(self, sets: Sequence[str]) -> str:
        """Where the times come from, for output; `sets` are the kernel sets that were measured."""
        if self.rates is not None:
            return f"given, {self.rates}"
        if self.measure is not None:
            processes = "1 process" if self.count == 1 else f"{self.count} processes"
            return (
                f"measured on one thread of {self.measure}, {' and '.join(sets)} kernels, "
                f"{processes} for each task graph"
            )
        own = "each call's own, of " if self.own else "learned from "
        return own + ", ".join(map(str, self.files))

    def kernel_sets(self, benchmarks: Iterable[str], build_root: Path) -> list[str]:
        """The set of each benchmark that is measured."""
        if self.measure is None:
            return []
        known = benchmarks_of(build_root)
        sets = (known.listing(name).kernels_for(self.kernel_set) for name in benchmarks)
        return list(dict.fromkeys(sets))

    def times(self, instances: Sequence[Instance], build_root: Path, notify: Notify) -> Estimate:
        if self.rates is not None:
            return Estimate(Rates.parse(self.rates))
        if self.measure is not None:
            traces = measured(
                instances, self.measure, self.kernel_set, self.count, build_root, notify
            )
            return learned(traces, own=False)
        traces = traces_in(self.files)
        refuse_teams(traces)
        return learned(traces, own=self.own)


@dataclass(frozen=True)
class Result:
    """A prediction with its schedule."""

    graph: Graph
    prediction: Prediction
    schedule: Schedule


def simulations(  # noqa: PLR0913, PLR0917 (what is asked for)
    asked: Asked,
    source: KernelSource,
    machines: Sequence[Machine],
    notify: Notify,
    costs: FindCosts = lambda _: None,
    clusters: Sequence[Cluster] = (),
) -> Iterator[Result]:
    """Every graph on every machine; the costs found for benchmarks replace those of machines.

    With clusters, every graph on the nodes of each, which are such machines.
    """
    if asked.files and (asked.benchmarks or asked.variants or asked.sizes.parameters):
        raise BadUsageError("give either --graph, or BENCHMARK, --variant and --parameters")
    known = graphs_in(asked.files)
    for variant in check_instances((graph.instance for graph in known), asked.build_root):
        check_flat(variant)
    provider = None if known else find_provider(asked.build_root, asked.runtime)
    if provider is None:
        wanted = [graph.instance for graph in known]
    else:
        if not asked.benchmarks:
            raise BadUsageError("what to simulate is missing: a BENCHMARK such as lu, or --graph")
        wanted = wanted_instances(
            provider, asked.benchmarks, asked.variants, asked.sizes, source.kernel_set
        )
        for instance in wanted:  # before anything is measured
            provider.check(instance)
    check_nodes(wanted, clusters, machines)
    found = costs([instance.benchmark for instance in wanted])
    on = [with_costs(machines, found, instance) for instance in wanted]
    times = source.times(wanted, asked.build_root, notify)
    if known and isinstance(times.whole, Rates):
        times.whole.check_names(known)
    for place, instance in enumerate(wanted):
        notify(f"simulating {instance}")
        graph = known[place] if provider is None else provider.graph(instance)
        is_unmeasured = found is not None and found.lacks(instance.benchmark)
        for result in on_machines(graph, times, on[place], clusters or [None]):
            prediction = replace(result.prediction, is_unmeasured=is_unmeasured)
            yield replace(result, prediction=prediction)
    if isinstance(times.whole, Rates) and (unknown := times.whole.unknown()):
        print_warning(unknown)


def with_costs(
    machines: Sequence[Machine], costs: Overheads | None, instance: Instance
) -> Sequence[Machine]:
    """The machines with a runtime's costs of this instance's tasks."""
    return machines if costs is None else [costs.applied(m, instance) for m in machines]


def on_machines(
    graph: Graph,
    times: Estimate,
    machines: Sequence[Machine],
    clusters: Sequence[Cluster | None] = (None,),
) -> Iterator[Result]:
    """One graph on every machine, or on the nodes of every cluster, which are such machines."""
    for cluster in clusters:
        if cluster is None:
            over, on = over_ranks(graph, None), None
        else:
            over = over_ranks(graph, cluster.grid if cluster.grid.nodes > 1 else None)
            on = OnNodes(messages_of(over.graph, cluster.grid, times.kernels), cluster)
        yield from predicted(over, times, machines, on)


def predicted(
    over: OverRanks, times: Estimate, machines: Sequence[Machine], on: OnNodes | None
) -> Iterator[Result]:
    """What is made for each machine: from all traces together, and from each round alone."""
    graph = over.graph
    bytes_ = graph.work.bytes_.astype(np.float64) if machines[0].bandwidth is not None else None

    def make(own: Times) -> Iterator[tuple[Prediction, Schedule]]:
        return predict(graph, durations_over(own, over), machines, bytes_, on)

    by_round = [[p.seconds for p, _ in make(one)] for one in times.rounds]
    for machine, (prediction, schedule) in enumerate(make(times.whole)):
        rounds = tuple(each[machine] for each in by_round)
        yield Result(graph, replace(prediction, by_round=rounds), schedule)


def check_nodes(
    instances: Sequence[Instance], clusters: Sequence[Cluster], machines: Sequence[Machine]
) -> None:
    """Refuse graphs that have no messages and too many workers, before anything is measured."""
    for cluster, machine in product(clusters, machines):
        workers = cluster.grid.nodes * machine.workers
        if workers > WORKERS_MAX:
            raise BadUsageError(f"--nodes: {workers} workers in all are more than {WORKERS_MAX}")
    for instance in instances if clusters else ():
        check_known(instance)


def as_trace(result: Result) -> Trace:
    """The schedule as a trace, for all commands that show traces."""
    found = result.prediction
    label = f"simulated, {found.machine.policy}"
    return scheduled_trace(result.graph, result.schedule, found.workers, label=label)
