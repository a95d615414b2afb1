#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Time the simulator on LU's task graph: processor seconds for 10^6 tasks.

The graph is that of lu-cw, obtained from a build. Compilation, which happens once per machine, is
done beforehand. Exit status: 0 all limits are kept, 1 one is exceeded.
"""

import argparse
import sys
import time
from dataclasses import replace

from pollux.core.tiles import Tile
from pollux.insight.graphs.model import Graph, Instance
from pollux.insight.graphs.obtain import obtain_graph
from pollux.insight.simulation.model import Machine, Policy
from pollux.insight.simulation.rates import Rates
from pollux.insight.simulation.simulate import simulate

RATES = "gemm=40,other=15,move=5"
SECONDS_LIMIT = 5.0  # for 10^6 tasks
COSTS = replace(Machine(1), creation=500.0, dispatch=100.0, steal=500.0, throttle=3072)


def graph_of(tiles: int) -> Graph:
    """LU with concurrent write on a matrix of this many tiles squared."""
    return obtain_graph(Instance("lu-cw", "cw", 64 * tiles, 64 * tiles, Tile.square(64), None))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.add_argument("--tiles", type=int, default=144, help="144 make 10^6 tasks")
    parser.add_argument("--workers", type=int, default=48)
    args = parser.parse_args()
    rates = Rates.parse(RATES)
    small, graph = graph_of(4), graph_of(args.tiles)
    durations = rates.durations(graph)
    print(f"{len(graph)} nodes, {len(graph.before.values)} edges", flush=True)
    kept = True
    for policy in Policy:
        for name, costs in (("ideal", Machine(1)), ("with costs", COSTS)):
            machine = replace(costs, workers=args.workers, policy=policy)
            simulate(small, rates.durations(small), machine)
            start = time.process_time()
            simulate(graph, durations, machine)
            seconds = (time.process_time() - start) / len(graph) * 1e6
            kept &= seconds <= SECONDS_LIMIT
            print(f"{policy:8} {name:10} {seconds:5.2f} s for 10^6 tasks", flush=True)
    print(f"limit {SECONDS_LIMIT:g} s: {'kept' if kept else 'EXCEEDED'}")
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()
