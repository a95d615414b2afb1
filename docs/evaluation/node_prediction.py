#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The simulator over nodes against the programs over MPI: predicted and measured times.

Each round traces the program without MPI on as many threads as a rank has, and runs the program
over MPI on each grid of ranks. The trace gives the kernels' mean times and the cost of a task; with
these, the graph and the network that is given the simulator predicts the time of the run. Both are
medians over rounds. Messages and bytes have to be equal.

Latency and bandwidth of the network are given, as messages-mpi measures them between two ranks.
There should be a processor for each thread and, with `detach`, one more for each rank, unless
--processors says how many all ranks share. Then the simulator shares them too, and the kernels'
times come from a second trace, on that many threads: kernels are slower where all processors
compute. What would be predicted without --processors is shown beside. More ranks than processors
need a launcher that starts them, such as "mpirun -n {ranks} --bind-to none --oversubscribe".
"""

import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, NamedTuple

from pollux.core.executables.builds import executable_path
from pollux.core.paths import BUILDS
from pollux.core.tiles import Tile
from pollux.insight.graphs.grid import Grid
from pollux.insight.graphs.model import Graph, Instance
from pollux.insight.graphs.obtain import obtain_graph
from pollux.insight.graphs.over_ranks import over_ranks
from pollux.insight.simulation.cluster import simulate_nodes
from pollux.insight.simulation.costs import creation_cost, dispatch_cost
from pollux.insight.simulation.durations import KernelTimes
from pollux.insight.simulation.messages import Messages, messages_of
from pollux.insight.simulation.model import Machine, Policy
from pollux.insight.simulation.network import Cluster, Network
from pollux.insight.traces.model import Trace
from pollux.insight.traces.obtain import RunRequest, take_with_records


class Case(NamedTuple):
    """A program, with whose calls it makes in one process."""

    program: str
    benchmark: str
    variant: str
    options: tuple[str, ...] = ()


CASES = {
    "cholesky-mpi": Case("cholesky-mpi", "cholesky", "depend"),
    "lu-mpi": Case("lu-mpi", "lu", "late"),
    "lu-mpi-nopiv": Case("lu-mpi", "lu", "nopiv", ("--pivoting", "none")),
    "qr-mpi": Case("qr-mpi", "qr", "depend"),
}
KERNELS = "openblas"
Record = dict[str, Any]


@dataclass(frozen=True)
class Line:
    """One configuration, in seconds; a value for each round."""

    program: str
    instance: Instance
    graph: Graph
    messages: Messages
    cluster: Cluster
    measured: list[float] = field(default_factory=list)
    predicted: list[float] = field(default_factory=list)
    unshared: list[float] = field(default_factory=list)  # predicted without --processors

    @property
    def error(self) -> float:
        return statistics.median(self.predicted) / statistics.median(self.measured) - 1

    def __str__(self) -> str:
        middle = map(statistics.median, (self.measured, self.predicted, self.unshared))
        measured, predicted, unshared = middle
        return (
            f"{self.program:13} {self.cluster.grid!s:5} {self.instance.n:5} {self.instance.nb:4}  "
            f"{measured:10.4f}  {predicted:9.4f}  {100 * self.error:+5.1f} %  {unshared:9.4f}"
        )


def run_ranks(
    args: argparse.Namespace, program: str, instance: Instance, grid: Grid
) -> list[Record]:
    """The records of one run over MPI."""
    options = ["-n", instance.n, "-b", instance.nb, "-t", args.threads, "--grid", grid]
    options += ["-v", args.variant, "-r", args.repeat, "-w", args.warmup, "-f", "json"]
    options += [
        "--kernels",
        KERNELS,
        *(["-i", instance.ib] if instance.ib else []),
        *CASES[program].options,
    ]
    path = executable_path(BUILDS, args.runtime, CASES[program].program)
    command = [*shlex.split(args.launcher.format(ranks=grid.nodes)), path, *options]
    words = [str(word) for word in command]
    env = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or len(lines) != args.repeat:
        sys.exit(f"{shlex.join(words)}: exit status {done.returncode}\n{done.stderr}")
    return lines


def check_messages(messages: Messages, record: Record, program: str) -> None:
    """End where the program did not send what is predicted."""
    sent = record["mpi"]["messages"], record["mpi"]["bytes"]
    expected = len(messages), int(messages.bytes_.sum())
    if sent != expected:
        sys.exit(f"{program}: {sent} messages and bytes were sent, and {expected} predicted")


def predicted_seconds(
    line: Line, costs: Trace, kernels: Trace, cluster: Cluster, policy: Policy
) -> float:
    """With the tasks' costs of one trace and the kernels' times of another."""
    tasks = len(set(line.graph.root_task.tolist()) - {0})
    machine = Machine(costs.threads, policy, creation_cost(costs, tasks), dispatch_cost(costs))
    times = KernelTimes.learn([kernels]).durations(line.graph)
    made = simulate_nodes(line.graph, line.messages, times, machine, cluster)
    return made.schedule.makespan * 1e-9


def one_round(args: argparse.Namespace, instance: Instance, lines: list[Line]) -> None:
    """Traces of the program without MPI, and a run on each grid."""
    request = RunRequest(instance, args.threads, args.runtime, warmup=args.warmup)
    (alone,), _ = take_with_records(request)
    kernels = alone
    if args.processors:
        own = ("--processor-time",)
        (kernels,), _ = take_with_records(replace(request, threads=args.processors, extra=own))
    for line in lines:
        records = run_ranks(args, line.program, instance, line.cluster.grid)
        check_messages(line.messages, records[0], line.program)
        line.measured.append(statistics.median(r["seconds"] for r in records))
        line.predicted.append(predicted_seconds(line, alone, kernels, line.cluster, args.policy))
        unshared = replace(line.cluster, processors=None)
        line.unshared.append(predicted_seconds(line, alone, alone, unshared, args.policy))


def lines_of(args: argparse.Namespace) -> Iterator[Line]:
    network = Network(args.latency * 1e3, args.network_bandwidth * 1e9)
    for program, n, nb in product(args.program, args.size, args.tile):
        case = CASES[program]
        inner = min(32, nb) if case.benchmark == "qr" else None
        instance = Instance(case.benchmark, case.variant, n, n, Tile.square(nb), inner)
        whole = obtain_graph(instance)
        lines = []
        for grid in map(Grid.parse, args.grid):
            graph = over_ranks(whole, grid).graph
            messages = messages_of(graph, grid, KERNELS)
            cluster = Cluster(grid, network, args.processors)
            lines.append(Line(program, instance, graph, messages, cluster))
        for _ in range(args.rounds):
            one_round(args, instance, lines)
        yield from lines


def print_errors(lines: list[Line]) -> None:
    """The median error for each program and number of ranks, each number of ranks, and all."""
    groups: dict[str, list[float]] = {}
    for line in lines:
        ranks = f"{line.cluster.grid.nodes} ranks"
        for name in (f"{line.program}, {ranks}", ranks, "all"):
            groups.setdefault(name, []).append(100 * line.error)
    for name, errors in groups.items():
        middle = statistics.median(map(abs, errors))
        print(
            f"{name}: {len(errors)} configurations, median error {middle:.1f} %, "
            f"{min(errors):+.1f} to {max(errors):+.1f} %"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--program", nargs="+", choices=CASES, default=[*CASES])
    parser.add_argument("--runtime", default="libomp", help="build of both programs")
    parser.add_argument("--size", type=int, nargs="+", default=[2048, 4096])
    parser.add_argument("--tile", type=int, nargs="+", default=[128, 256])
    parser.add_argument("--grid", nargs="+", default=["1x2", "2x2"])
    parser.add_argument("--threads", type=int, default=1, help="of each rank")
    parser.add_argument("--variant", default="detach")
    parser.add_argument("--policy", type=Policy, choices=[*Policy], default=Policy.FIFO)
    parser.add_argument("--latency", type=float, required=True, help="us")
    parser.add_argument("--network-bandwidth", type=float, required=True, help="GB/s")
    parser.add_argument("--processors", type=int, help="that all ranks share")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repeat", type=int, default=2, help="repetitions of each run over MPI")
    parser.add_argument("--warmup", type=int, default=3, help="repetitions before them")
    parser.add_argument("--launcher", default="mpirun -n {ranks}")
    args = parser.parse_args()
    print("program       grid      N   NB  measured s  predicted   error   unshared")
    lines = []
    for line in lines_of(args):
        lines.append(line)
        print(line, flush=True)
    print_errors(lines)


if __name__ == "__main__":
    main()
