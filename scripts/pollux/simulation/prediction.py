# SPDX-License-Identifier: BSD-3-Clause
"""What a simulated schedule says of a factorization: its time and rate, and what bounds them."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pollux.graphs.model import Graph, Instance
from pollux.graphs.shape import critical_path
from pollux.simulation.flops import standard_flops
from pollux.simulation.model import Floats, Machine, Schedule
from pollux.simulation.simulate import simulate


@dataclass(frozen=True)
class Prediction:
    """One instance on one machine. Times in seconds."""

    instance: Instance
    machine: Machine
    calls: int  # of kernels
    seconds: float
    work: float  # of all kernels: what one worker takes without a runtime
    path: float  # critical path: what no number of workers beats

    @property
    def gflops(self) -> float:
        """By the standard operation count."""
        return standard_flops(self.instance) / max(self.seconds, 1e-9) * 1e-9

    @property
    def efficiency(self) -> float:
        """Work over the time of all workers."""
        return self.work / max(self.seconds * self.machine.workers, 1e-9)

    @property
    def parallelism(self) -> float:
        """Work over critical path: as many workers can be busy on the average."""
        return self.work / max(self.path, 1e-9)

    @property
    def lower_bound(self) -> float:
        """No schedule on as many workers is shorter."""
        return max(self.work / self.machine.workers, self.path)

    @property
    def upper_bound(self) -> float:
        """No list schedule without costs is longer (Graham, 1969)."""
        return self.work / self.machine.workers + (1 - 1 / self.machine.workers) * self.path

    def as_json(self) -> dict[str, Any]:
        names = {"creation": "creation_ns", "dispatch": "dispatch_ns", "steal": "steal_ns"}
        names["bandwidth"] = "bandwidth_bytes_per_second"
        return {
            **self.instance.fields(),
            **{names.get(name, name): value for name, value in asdict(self.machine).items()},
            "calls": self.calls,
            "seconds": self.seconds,
            "gflops": self.gflops,
            "efficiency": self.efficiency,
            "work_seconds": self.work,
            "critical_path_seconds": self.path,
            "parallelism": self.parallelism,
            "lower_bound_seconds": self.lower_bound,
            "ideal_upper_bound_seconds": self.upper_bound,
        }


def predict(
    graph: Graph, durations: Floats, machines: Sequence[Machine], bytes_: Floats | None = None
) -> Iterator[tuple[Prediction, Schedule]]:
    """What each machine makes of a graph whose nodes take these times (ns)."""
    work = float(durations.sum()) * 1e-9
    path = critical_path(graph, durations)[0] * 1e-9
    calls = int(graph.calls().sum())
    for machine in machines:
        made = simulate(graph, durations, machine, bytes_)
        seconds = made.makespan * 1e-9
        yield Prediction(graph.instance, machine, calls, seconds, work, path), made
