#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The simulator over nodes against the programs over MPI: predicted and measured times.

Each round of a configuration traces the program without MPI on as many threads as a rank has, and
runs the program over MPI on its grid of ranks. The trace gives the kernels' mean times and the cost
of a task; with these, the graph and the network that is given the simulator predicts the time of
the run. Both are medians over rounds. Messages and bytes have to be equal.

Latency and bandwidth of the network are given, as messages-mpi measures them between two ranks.
There should be a processor for each thread and, with `detach`, one more for each rank.
"""

import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
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
    """One configuration, in seconds."""

    program: str
    grid: str
    n: int
    nb: int
    measured: float
    predicted: float

    @property
    def error(self) -> float:
        return self.predicted / self.measured - 1


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


def predicted_seconds(graph: Graph, messages: Messages, trace: Trace, cluster: Cluster) -> float:
    tasks = len(set(graph.root_task.tolist()) - {0})
    costs = creation_cost(trace, tasks), dispatch_cost(trace)
    machine = Machine(trace.threads, Policy.FIFO, *costs)
    times = KernelTimes.learn([trace]).durations(graph)
    return simulate_nodes(graph, messages, times, machine, cluster).schedule.makespan * 1e-9


def lines(args: argparse.Namespace) -> Iterator[Line]:
    network = Network(args.latency * 1e3, args.network_bandwidth * 1e9)
    for program, n, nb in product(args.program, args.size, args.tile):
        case = CASES[program]
        inner = min(32, nb) if case.benchmark == "qr" else None
        instance = Instance(case.benchmark, case.variant, n, n, Tile.square(nb), inner)
        whole = obtain_graph(instance)
        request = RunRequest(instance, args.threads, args.runtime, warmup=args.warmup)
        for grid in map(Grid.parse, args.grid):
            graph = over_ranks(whole, grid).graph
            messages = messages_of(graph, grid, KERNELS)
            measured, predicted = [], []
            for _ in range(args.rounds):
                trace, _ = take_with_records(request)
                records = run_ranks(args, program, instance, grid)
                check_messages(messages, records[0], program)
                measured.append(statistics.median(r["seconds"] for r in records))
                predicted.append(predicted_seconds(graph, messages, trace, Cluster(grid, network)))
            middle = statistics.median(measured), statistics.median(predicted)
            yield Line(program, str(grid), n, nb, *middle)


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
    parser.add_argument("--latency", type=float, required=True, help="us")
    parser.add_argument("--network-bandwidth", type=float, required=True, help="GB/s")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repeat", type=int, default=2, help="repetitions of each run over MPI")
    parser.add_argument("--warmup", type=int, default=3, help="repetitions before them")
    parser.add_argument("--launcher", default="mpirun -n {ranks}")
    args = parser.parse_args()
    print("program       grid      N   NB  measured s  predicted   error")
    errors = []
    for line in lines(args):
        errors.append(abs(line.error))
        print(
            f"{line.program:13} {line.grid:5} {line.n:5} {line.nb:4}  {line.measured:10.4f}"
            f"  {line.predicted:9.4f}  {100 * line.error:+5.1f} %",
            flush=True,
        )
    print(f"{len(errors)} configurations: median error {100 * statistics.median(errors):.1f} %")


if __name__ == "__main__":
    main()
