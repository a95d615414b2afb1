#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compare the papers' headline with simulations of the same task graphs.

Published (Lima, Raïs, Lefèvre, Gautier, "Performance and energy analysis of OpenMP runtime
systems with dense linear algebra algorithms", International Journal of High Performance Computing
Applications 33(3), 2019, sections 5.1 and 5.3, table 2): on 48 cores in eight NUMA nodes,
N = 32768, NB = 352, Cholesky ran at 732.45 GFlop/s under libKOMP, LU with concurrent write at
383.40, which is 63.8 % more than plain LU under libgomp.

Assumed: kernels are as fast relative to each other as in the given traces (one thread, this NB),
and all slower or faster by one factor, which makes Cholesky give its published rate. LU's panel and
row exchanges on longer columns than were traced grow linearly with the rows. The machine is an
ideal list scheduler: tasks, steals and memory cost nothing, and no kernel slows down when others
run. Each line says what it varies. Without files, traces are taken on one thread of --build.
"""

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from pollux.core.tiles import Tile
from pollux.insight.graphs.model import Graph, Instance
from pollux.insight.graphs.obtain import GraphProvider, find_provider
from pollux.insight.simulation.durations import KernelTimes
from pollux.insight.simulation.model import Floats, Machine, Policy
from pollux.insight.simulation.prediction import Prediction, predict
from pollux.insight.simulation.source import traces_in
from pollux.insight.traces.model import Trace
from pollux.insight.traces.obtain import RunRequest, take_trace

PUBLISHED_CHOLESKY, PUBLISHED_CW = 732.45, 383.40  # GFlop/s
PUBLISHED_GAIN = 0.638  # of LU with concurrent write over plain LU under libgomp
PUBLISHED_PLAIN = PUBLISHED_CW / (1 + PUBLISHED_GAIN)
N, NB, WORKERS = 32768, 352, 48
TRACED = 4096  # of traces taken here
SIZES = (4096, 8192, 16384, 24576, 32768)
CHOLESKY, PLAIN, CW = ("cholesky", "depend"), ("lu", "depend"), ("lu-cw", "cw")
PANEL = ("getrf",)
COLUMN = ("getrf", "laswp")
COST = 1000.0  # ns to create, and to dispatch a task: the order of magnitude of runtimes
ROUNDS = 3  # of traces taken here, in turns, since a machine's speed drifts
STEPS = 14  # halvings of the interval that contains the panel's speed: to 1 in 16,000

Slower = tuple[tuple[str, ...], float]  # kernels, and by which factor
AS_TRACED: Slower = ((), 1.0)


@dataclass
class Study:
    """Graphs and kernel times; each graph is obtained once."""

    provider: GraphProvider
    times: KernelTimes
    known: dict[tuple[str, str, int], tuple[Graph, Floats]] = field(default_factory=dict)

    def graph(self, which: tuple[str, str], n: int) -> tuple[Graph, Floats]:
        """A graph with the time of each node, as traced."""
        key = (*which, n)
        if key not in self.known:
            graph = self.provider.graph(Instance(*which, n, n, Tile.square(NB), None))
            self.known[key] = graph, self.times.durations(graph)
        return self.known[key]

    def run(
        self, which: tuple[str, str], n: int, machine: Machine, slower: Slower = AS_TRACED
    ) -> Prediction:
        """A prediction with kernel times as traced, except for those made slower."""
        graph, durations = self.graph(which, n)
        changed = [k for k, name in enumerate(graph.kernels) if name in slower[0]]
        factor = np.where(np.isin(graph.kernel, changed), slower[1], 1.0)
        return next(predict(graph, durations * factor, [machine]))[0]

    def scale(self, machine: Machine) -> float:
        """The factor of all speeds that makes Cholesky give its published rate.

        Without costs of the runtime a schedule whose times all change by one factor stays the same.
        """
        return PUBLISHED_CHOLESKY / self.run(CHOLESKY, N, machine).gflops


def pair(
    study: Study, n: int, machine: Machine, scale: float, slower: Slower = AS_TRACED
) -> tuple[float, float]:
    """GFlop/s of LU, plain and with concurrent write."""
    plain, cw = (scale * study.run(which, n, machine, slower).gflops for which in (PLAIN, CW))
    return plain, cw


def share(gain: float) -> str:
    """The share of the published factor, on a logarithmic scale, so that shares add up."""
    return f"{math.log(1 + gain) / math.log(1 + PUBLISHED_GAIN):.0%}"


def row(title: str, plain: float, cw: float) -> str:
    gain = cw / plain - 1
    return f"| {title} | {plain:.0f} | {cw:.0f} | {gain:+.1%} | {share(gain)} |"


def headline(study: Study) -> Iterator[str]:
    """The published figures, and simulated ones under varied assumptions."""
    yield f"N = {N}, NB = {NB}, {WORKERS} workers, GFlop/s:\n"
    yield "| | plain LU | with concurrent write | gain | share of the published gain |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    published = "published (libgomp; libKOMP with concurrent write)"
    yield row(published, PUBLISHED_PLAIN, PUBLISHED_CW)
    for policy in Policy:
        machine = Machine(WORKERS, policy)
        yield row(f"simulated, {policy}", *pair(study, N, machine, study.scale(machine)))
    machine = Machine(WORKERS, Policy.PRIORITY)
    scale = study.scale(machine)
    costly = Machine(WORKERS, Policy.PRIORITY, creation=COST * scale, dispatch=COST * scale)
    title = f"priority, {COST:g} ns to create and as much to dispatch a task"
    yield row(title, *pair(study, N, costly, scale))
    for kernels, factor in (
        (PANEL, 0.5),
        (PANEL, 2.0),
        (COLUMN, 2.0),
        (COLUMN, 4.0),
    ):
        names = " and ".join(kernels)
        title = f"priority, {names} {factor:g} × the time"
        yield row(title, *pair(study, N, machine, scale, (kernels, factor)))
    fitted = fit_column(study, machine, scale)
    title = f"priority, {' and '.join(COLUMN)} {fitted:.2f} × the time: fits {PUBLISHED_CW}"
    yield row(title, *pair(study, N, machine, scale, (COLUMN, fitted)))
    yield ""
    yield from bounds(study, scale)


def fit_column(study: Study, machine: Machine, scale: float) -> float:
    """How much slower the kernels on columns must be for LU-CW to give its published rate."""
    low, high = 0.0, 1.0
    while scale * study.run(CW, N, machine, (COLUMN, high)).gflops > PUBLISHED_CW:
        low, high = high, 2 * high
    for _ in range(STEPS):
        middle = (low + high) / 2
        faster = scale * study.run(CW, N, machine, (COLUMN, middle)).gflops > PUBLISHED_CW
        low, high = (middle, high) if faster else (low, middle)
    return high


def bounds(study: Study, scale: float) -> Iterator[str]:
    """Bounds on any scheduler, with kernel times as traced."""
    for which in (CHOLESKY, PLAIN, CW):
        p = study.run(which, N, Machine(WORKERS))
        yield (
            f"- {' '.join(which)}: {p.calls} kernel calls, work {p.work / scale:.1f} s, critical "
            f"path {p.path / scale:.2f} s, parallelism {p.parallelism:.1f}, at most "
            f"{scale * p.gflops * p.seconds / p.lower_bound:.0f} GFlop/s"
        )
    yield f"- all kernels {1 / scale:.2f} × the time that they took in the traces"
    yield ""


def over_sizes(study: Study, workers: Sequence[int]) -> Iterator[str]:
    """The gain of concurrent write over N."""
    yield "Plain and with concurrent write (gain), GFlop/s, by priority:\n"
    yield f"| N | {' | '.join(f'{p} workers' for p in workers)} |"
    yield "| ---: |" + " ---: |" * len(workers)
    scale = study.scale(Machine(WORKERS, Policy.PRIORITY))
    for n in SIZES:
        cells = []
        for p in workers:
            plain, cw = pair(study, n, Machine(p, Policy.PRIORITY), scale)
            cells.append(f"{plain:.0f} and {cw:.0f} ({cw / plain - 1:+.1%})")
        yield f"| {n} | {' | '.join(cells)} |"


def taken(build: str) -> list[Trace]:
    """Traces on one thread, in turns; LU's kernels are the same in both of its graphs."""
    return [
        take_trace(
            RunRequest(
                Instance(*which, TRACED, TRACED, Tile.square(NB), None),
                *(1, build, seed),
                extra=("--processor-time",),
            )
        )
        for seed in range(ROUNDS)
        for which in (CHOLESKY, PLAIN)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("traces", nargs="*", type=Path, help="files, of cholesky and lu, NB = 352")
    parser.add_argument("--build", default="libomp", help="takes the traces where none are given")
    args = parser.parse_args()
    traces = traces_in(args.traces) if args.traces else taken(args.build)
    wrong = [t for t in traces if t.instance.tile != Tile.square(NB) or t.threads != 1]
    if wrong:
        sys.exit(f"headline: {wrong[0].instance}, {wrong[0].threads} threads; NB = {NB} on one")
    study = Study(find_provider(), KernelTimes.learn(traces))
    for line in headline(study):
        print(line, flush=True)
    for line in over_sizes(study, (48, 96)):
        print(line, flush=True)


if __name__ == "__main__":
    main()
