# SPDX-License-Identifier: BSD-3-Clause
"""The prediction from a simulated schedule: time and rate of a factorization, and bounds."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from pollux.core.parameters import agree
from pollux.core.text import counted
from pollux.insight.graphs.model import Graph, Instance
from pollux.insight.graphs.shape import longest_path
from pollux.insight.simulation.across import Across, OnNodes, across_nodes
from pollux.insight.simulation.model import Floats, Machine, Schedule
from pollux.insight.simulation.ranges import Range, range_of
from pollux.insight.simulation.simulate import simulate

# ns: the least for a task with dependences is 88, for a chain on libgomp
# (docs/evaluation/overheads.md).
LEAST_CREATION = 80.0

TINY = 1e-15  # s: stands for no time at all in a divisor


@dataclass(frozen=True)
class Prediction:
    """One instance on one machine. Times in seconds."""

    instance: Instance
    machine: Machine
    calls: int  # of kernels
    tasks: int
    submitted: int  # those of them that are not nested, which one worker of each node creates
    seconds: float
    work: float  # of all kernels: the time of one worker without a runtime
    path: float  # critical path: a lower bound for any number of workers
    flops: float  # standard count of the factorization
    algorithm: str  # its task graphs are compared
    is_reference: bool  # what others of its algorithm are compared with
    by_round: tuple[float, ...] = ()  # seconds, with the kernel times of each round of traces alone
    across: Across | None = None  # of several nodes, each of them such a machine
    is_unmeasured: bool = False  # costs were measured, but not of its benchmark's tasks
    has_rivals: bool = False  # tasks that never run at once, which the critical path leaves out

    @property
    def nodes(self) -> int:
        return 1 if self.across is None else self.across.nodes

    @property
    def workers(self) -> int:
        """Of all nodes."""
        return self.nodes * self.machine.workers

    @property
    def gflops(self) -> float:
        """By the standard operation count."""
        return self.gflops_of(self.seconds)

    def gflops_of(self, seconds: float) -> float:
        return self.flops / max(seconds, TINY) * 1e-9

    @property
    def seconds_range(self) -> Range | None:
        """None without several rounds of traces."""
        return range_of(self.seconds, self.by_round)

    @property
    def gflops_range(self) -> Range | None:
        return range_of(self.gflops, list(map(self.gflops_of, self.by_round)))

    @property
    def efficiency(self) -> float:
        """Work over the time of all workers, or of the processors that they share."""
        shared = self.across.cluster.processors if self.across else None
        used = self.workers if shared is None else min(self.workers, shared)
        return self.work / max(self.seconds * used, TINY)

    @property
    def parallelism(self) -> float:
        """Work over critical path: this many workers can be busy on average."""
        return self.work / max(self.path, TINY)

    @property
    def lower_bound(self) -> float:
        """No schedule on as many workers is shorter."""
        if self.across is not None:
            return self.across.bounds.largest
        return max(self.work / self.machine.workers, self.path)

    @property
    def creation_bound(self) -> float:
        """What one worker of each node needs to create its tasks, on a machine that exists.

        Nested ones are created by the workers that run their parents.
        """
        return self.submitted / self.nodes * max(LEAST_CREATION, self.machine.creation) * 1e-9

    @property
    def upper_bound(self) -> float | None:
        """No list schedule without costs is longer (Graham, 1969).

        There is none over nodes, nor where a worker is idle since a ready task has a rival.
        """
        if self.across is not None or self.has_rivals:
            return None
        return self.work / self.machine.workers + (1 - 1 / self.machine.workers) * self.path

    def as_json(self) -> dict[str, Any]:
        names = {"creation": "creation_ns", "dispatch": "dispatch_ns", "steal": "steal_ns"}
        names["bandwidth"] = "bandwidth_bytes_per_second"
        return {
            **self.instance.fields(),
            **{names.get(name, name): value for name, value in asdict(self.machine).items()},
            "calls": self.calls,
            "tasks": self.tasks,
            "seconds": self.seconds,
            "seconds_range": self.seconds_range,
            "seconds_by_round": self.by_round,
            "gflops": self.gflops,
            "gflops_range": self.gflops_range,
            "efficiency": self.efficiency,
            "work_seconds": self.work,
            "critical_path_seconds": self.path,
            "parallelism": self.parallelism,
            "lower_bound_seconds": self.lower_bound,
            "ideal_upper_bound_seconds": self.upper_bound,
            **({} if self.across is None else self.across.as_json(self.seconds)),
        }


@dataclass(frozen=True)
class Comparison:
    """How many times as fast one task graph is as another on one machine, kernels being as fast."""

    prediction: Prediction
    reference: Prediction

    @property
    def ratio(self) -> float:
        return ratio_of(self.prediction.seconds, self.reference.seconds)

    @property
    def range(self) -> Range | None:
        """By the ratio within each round: what slows a whole round down cancels."""
        own, other = self.prediction, self.reference
        pairs = zip(own.by_round, other.by_round, strict=True)
        return range_of(self.ratio, [ratio_of(a, b) for a, b in pairs])

    def as_json(self) -> dict[str, Any]:
        other = self.reference.instance
        return {
            **self.prediction.instance.fields(),
            "workers": self.prediction.machine.workers,
            **({} if self.prediction.across is None else {"nodes": self.prediction.nodes}),
            "reference": {
                "benchmark": other.benchmark,
                "variant": other.variant,
                "parameters": dict(other.parameters),
            },
            "ratio": self.ratio,
            "range": self.range,
        }


def ratio_of(seconds: float, reference: float) -> float:
    """How many times as fast as the reference."""
    return max(reference, TINY) / max(seconds, TINY)


def shown(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms" if seconds >= 1e-3 else f"{1e6 * seconds:.3g} µs"


def warnings(found: Sequence[Prediction]) -> list[str]:
    """Predictions that no runtime could keep, since its tasks have to be created."""
    lines = []
    below: dict[tuple[Any, ...], list[Prediction]] = {}
    for p in found:
        if p.seconds < p.creation_bound:
            below.setdefault((p.instance, p.nodes, p.machine.creation), []).append(p)
    for own in below.values():
        workers = ", ".join(str(p.workers) for p in own)
        p = own[0]
        whose = "one worker creates its" if p.nodes == 1 else f"{p.nodes} workers create its"
        each = max(LEAST_CREATION, p.machine.creation)
        nested = "is" if p.submitted == 1 else "are"
        kept = "" if p.submitted == p.tasks else f" that {nested} not nested"
        lines.append(
            f"warning: {p.instance} on {workers} workers: predicted below "
            f"{shown(p.creation_bound)}, the least in which {whose} "
            f"{counted(p.submitted, 'task')}{kept} at {each:.0f} ns each; {advice(p)}"
        )
    free = {p.instance.benchmark for p in found if p.is_unmeasured}
    lines += [
        f"warning: the tasks of {name} cost nothing here, since task-overhead has no pattern of "
        "it; --creation and --dispatch set costs for all"
        for name in sorted(free)
    ]
    return lines


def advice(p: Prediction) -> str:
    """What would make the prediction one that a runtime could keep."""
    if p.machine.creation:
        return f"no runtime is known to create one in {p.machine.creation:g} ns"
    more = "" if p.is_unmeasured else "--measure BUILD without --ideal, --overheads or "
    return f"{more}--creation gives tasks a cost"


def comparisons(found: Sequence[Prediction]) -> list[Comparison]:
    """Each task graph compared with the reference of its algorithm, size, tile and machine.

    Parameters that only one of the two has make no difference.
    What their tasks cost is a property of the graphs, but one whose tasks cost nothing is not
    compared with others.
    """
    groups: dict[tuple[Any, ...], list[Prediction]] = {}
    for p in found:
        i = p.instance
        machine = replace(p.machine, creation=float(p.machine.creation > 0), dispatch=0.0)
        groups.setdefault((p.algorithm, i.m, i.n, i.tile, i.ib, machine, p.nodes), []).append(p)
    made = []
    for group in groups.values():
        for p in group:
            alike = [o for o in group if agree(o.instance.parameters, p.instance.parameters)]
            reference = next((o for o in alike if o.is_reference), alike[0])
            if p.instance != reference.instance:
                made.append(Comparison(p, reference))
    return made


def predict(
    graph: Graph,
    durations: Floats,
    machines: Sequence[Machine],
    bytes_: Floats | None = None,
    on: OnNodes | None = None,
) -> Iterator[tuple[Prediction, Schedule]]:
    """The prediction for each machine, or for nodes that are such machines.

    The nodes of the graph take these times (ns).
    """
    for machine in machines:
        if on is None:
            across, made = None, simulate(graph, durations, machine, bytes_)
        else:
            across, made = across_nodes(graph, on, durations, machine, bytes_)
        yield prediction_of(graph, durations, machine, made, across), made


def prediction_of(
    graph: Graph, durations: Floats, machine: Machine, made: Schedule, across: Across | None
) -> Prediction:
    return Prediction(
        graph.instance,
        machine,
        int(graph.calls().sum()),
        len(graph.items) - 1,
        len(np.unique(graph.root_task[graph.root_task > 0])),
        made.makespan * 1e-9,
        float(durations.sum()) * 1e-9,
        longest_path(graph.before, durations)[0] * 1e-9,
        graph.flops,
        graph.algorithm,
        graph.is_reference,
        across=across,
        has_rivals=len(graph.exclusive) > 0,
    )
