#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The simulator against the machine: predicted and measured times, interleaved.

Each round of a configuration runs untraced processes around a traced one. The traced run gives the
kernels' mean times and the runtime's cost per task; from these and the graph the simulator predicts
the time. The untraced runs give the time to predict. Both are medians over rounds. With --overheads
the costs per task are those that task-overhead measures in the same round, of the same task graph
with empty kernels.
"""

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

from pollux.core.executables.builds import executable_path
from pollux.core.executables.process import run_process
from pollux.core.executables.variables import binding
from pollux.core.paths import BUILDS
from pollux.core.runtimes.found import target_named
from pollux.core.text import in_percent
from pollux.core.tiles import Tile
from pollux.insight.graphs.model import Graph, Instance
from pollux.insight.graphs.obtain import obtain_graph
from pollux.insight.simulation.costs import creation_cost, dispatch_cost
from pollux.insight.simulation.durations import KernelTimes
from pollux.insight.simulation.model import Machine, Policy
from pollux.insight.simulation.overheads import EXECUTABLE, Overheads
from pollux.insight.simulation.simulate import simulate
from pollux.insight.traces.model import Trace
from pollux.insight.traces.obtain import SECONDS_LIMIT, RunRequest, run, take_with_records

CASES = (("cholesky", "depend"), ("lu", "depend"), ("lu-cw", "cw"), ("qr", "depend"))


@dataclass(frozen=True)
class Line:
    """One configuration: seconds, and the error of the prediction."""

    runtime: str
    benchmark: str
    n: int
    nb: int
    threads: int
    measured: float
    least: float
    most: float
    predicted: float

    @property
    def error(self) -> float:
        return self.predicted / self.measured - 1


def tasks_of(graph: Graph) -> int:
    return len(set(graph.root_task.tolist()) - {0})


def traced_machine(graph: Graph, trace: Trace) -> Machine:
    """With the costs that the trace shows."""
    creation, dispatch = creation_cost(trace, tasks_of(graph)), dispatch_cost(trace)
    return Machine(trace.threads, Policy.FIFO, creation=creation, dispatch=dispatch)


def micro_machine(graph: Graph, request: RunRequest) -> Machine:
    """With the costs that task-overhead measures now."""
    target = target_named(request.target, BUILDS)
    executable = executable_path(BUILDS, target.preset, EXECUTABLE)
    with tempfile.TemporaryDirectory(prefix="pollux-") as folder:
        path = Path(folder) / "overheads.jsonl"
        command = [str(executable), "-p", graph.instance.benchmark, "-n", str(tasks_of(graph))]
        command += ["-t", str(request.threads), "-r", "9", "-o", str(path)]
        ended = run_process(command, binding() | target.variables, SECONDS_LIMIT)
        if ended.status != 0:
            sys.exit(f"{executable}: {ended.how_and_why}")
        overheads = Overheads.read([path])
    return overheads.applied(Machine(request.threads, Policy.FIFO), graph.instance)


def predicted_seconds(graph: Graph, trace: Trace, machine: Machine) -> float:
    return simulate(graph, KernelTimes.learn([trace]).durations(graph), machine).makespan * 1e-9


def compare(
    graph: Graph, request: RunRequest, args: argparse.Namespace
) -> tuple[list[float], list[float]]:
    measured, predicted = [], []
    for _ in range(args.rounds):
        before = run(request)
        (trace,), within = take_with_records(request)
        after = run(request)
        times = [record["seconds"] for record in (*before, *within, *after)]
        measured.append(statistics.median(times))
        micro = args.overheads
        machine = micro_machine(graph, request) if micro else traced_machine(graph, trace)
        predicted.append(predicted_seconds(graph, trace, machine))
    return measured, predicted


def lines(args: argparse.Namespace) -> Iterator[Line]:
    for (benchmark, variant), n, nb in product(CASES, args.size, args.tile):
        inner = min(32, nb) if benchmark == "qr" else None
        instance = Instance(benchmark, variant, n, n, Tile.square(nb), inner)
        graph = obtain_graph(instance)
        for runtime, threads in product(args.runtime, args.threads):
            request = RunRequest(instance, threads, runtime, repeat=args.repeat, warmup=args.warmup)
            measured, predicted = compare(graph, request, args)
            yield Line(
                *(runtime, benchmark, n, nb, threads),
                *(statistics.median(measured), min(measured), max(measured)),
                statistics.median(predicted),
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--runtime", nargs="+", default=["libgomp", "libomp"])
    parser.add_argument("--size", type=int, nargs="+", default=[2048, 4096])
    parser.add_argument("--tile", type=int, nargs="+", default=[64, 128, 256, 512])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--repeat", type=int, default=2, help="untraced repetitions per process")
    parser.add_argument("--warmup", type=int, default=5, help="repetitions before them")
    parser.add_argument(
        "--overheads", action="store_true", help="costs per task by task-overhead, not the trace"
    )
    parser.add_argument("--output", type=Path, help="JSON lines")
    args = parser.parse_args()
    print("runtime  benchmark     N   NB  threads  measured s (least to most)   predicted  error")
    found = []
    for line in lines(args):
        found.append(line)
        print(
            f"{line.runtime:8} {line.benchmark:9} {line.n:5} {line.nb:4} {line.threads:8}"
            f"  {line.measured:.4f} ({line.least:.4f} to {line.most:.4f})  {line.predicted:.4f}"
            f"  {100 * line.error:+5.1f} %",
            flush=True,
        )
        if args.output:
            with args.output.open("a") as file:
                file.write(json.dumps(asdict(line)) + "\n")
    errors = sorted(abs(line.error) for line in found)
    if not errors:
        sys.exit("nothing ran")
    print(
        f"{len(errors)} configurations: median error {in_percent(statistics.median(errors), 1)},"
        f" worst {in_percent(errors[-1], 1)}"
    )


if __name__ == "__main__":
    main()
