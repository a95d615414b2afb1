# SPDX-License-Identifier: BSD-3-Clause
"""What the graph allows: the work, the critical path, and an ideal list scheduler's time.

No schedule on P workers is shorter than T1 / P or T∞. A list scheduler, which leaves no worker
idle while a task is ready, needs at most T1 / P + (1 - 1/P) T∞ (R. L. Graham: Bounds on
multiprocessing timing anomalies, SIAM Journal on Applied Mathematics 17(2), 1969), unless some of
the tasks exclude each other. Which it needs depends on the order in which it takes tasks, and no
order is always best: reported is the better of first come, first served and longest path to the
end first.
"""

from dataclasses import dataclass

import numpy as np

from pollux.insight.explaining.model import Floats, Split
from pollux.insight.graphs.model import Graph, Ints
from pollux.insight.graphs.shape import longest_path
from pollux.insight.simulation.model import Machine, Policy
from pollux.insight.simulation.simulate import simulate


@dataclass(frozen=True)
class Bounds:
    """Times in ns, with kernels as fast as alone, and as fast as in the run."""

    work: float  # T1
    path: float  # T∞
    ideal: float  # an ideal list scheduler without overhead, on the run's threads
    path_in_run: float
    ideal_in_run: float
    unavoidable: float  # its idle thread-time for lack of ready tasks, kernels as in the run
    on_path: Ints  # the nodes of the critical path

    lowest: float  # a lower bound on any schedule, kernels as fast as alone

    @property
    def parallelism(self) -> float:
        """T1 / T∞: how many workers the graph can keep busy on average."""
        return self.work / self.path if self.path else 0.0


@dataclass(frozen=True)
class KernelTimes:
    """One kernel, over all of its calls."""

    name: str
    calls: int
    alone: float | None  # ns of all calls on one thread; None: not measured
    in_run: float  # ns of all calls
    on_path: int  # calls on the critical path
    path: float | None  # their ns, as fast as alone; None: not measured


def best_known(split: Split) -> Floats:
    """The time of each node on one thread, or in the run where that was not measured."""
    durations = split.durations if split.alone is None else split.alone
    return durations.astype(np.float64)


def bounds(graph: Graph, split: Split) -> Bounds:
    """The bounds for a run."""
    alone, in_run = best_known(split), split.durations.astype(np.float64)
    path, on_path = longest_path(graph.before, alone)
    path_in_run = longest_path(graph.before, in_run)[0]
    ideal_in_run = list_scheduled(graph, in_run, split.threads)
    return Bounds(
        work=float(alone.sum()),
        path=path,
        ideal=list_scheduled(graph, alone, split.threads),
        path_in_run=path_in_run,
        ideal_in_run=ideal_in_run,
        unavoidable=max(0.0, split.threads * ideal_in_run - float(in_run.sum())),
        on_path=on_path,
        lowest=max(path, float(alone.sum()) / split.threads),
    )


def list_scheduled(graph: Graph, durations: Floats, workers: int) -> float:
    """The better of two ideal list schedulers' times."""
    policies = (Policy.FIFO, Policy.PRIORITY)
    machines = [Machine(workers=workers, policy=policy) for policy in policies]
    return min(simulate(graph, durations, machine).makespan for machine in machines)


def kernel_times(graph: Graph, split: Split, limits: Bounds) -> list[KernelTimes]:
    """The kernels of a run, the one that slowed down most first."""
    count = len(graph.kernels)
    alone = best_known(split)
    on_path = graph.kernel[limits.on_path]
    sums = np.bincount(graph.kernel, weights=alone, minlength=count)
    in_run = np.bincount(graph.kernel, weights=split.durations, minlength=count)
    path = np.bincount(on_path, weights=alone[limits.on_path], minlength=count)
    calls = np.bincount(graph.kernel, minlength=count)
    path_calls = np.bincount(on_path, minlength=count)
    found = [
        KernelTimes(
            name=name,
            calls=int(calls[k]),
            alone=None if split.alone is None else float(sums[k]),
            in_run=float(in_run[k]),
            on_path=int(path_calls[k]),
            path=None if split.alone is None else float(path[k]),
        )
        for k, name in enumerate(graph.kernels)
        if in_run[k] > 0
    ]
    return sorted(found, key=lambda k: k.in_run - (k.alone or 0.0), reverse=True)
