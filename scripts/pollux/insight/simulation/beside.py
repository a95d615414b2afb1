# SPDX-License-Identifier: BSD-3-Clause
"""How much faster one runtime should run task graphs than another by what its tasks cost: for other
parts. Kernels are as fast on both."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import median

from pollux.core.executables.variables import default_threads
from pollux.core.records import DEFAULT_KERNELS
from pollux.core.tiles import Tile
from pollux.insight.graphs.model import Graph
from pollux.insight.graphs.obtain import find_provider
from pollux.insight.simulation.model import Floats, Machine
from pollux.insight.simulation.overheads import Overheads
from pollux.insight.simulation.prediction import predict
from pollux.insight.simulation.source import Sizes, learned, measured, wanted_instances
from pollux.insight.simulation.task_costs import measured_overheads

ROUNDS = 5  # in each, both sides' costs are measured, one after the other
KERNEL_ROUNDS = 3  # processes that kernel times are the median of
INNER = 32  # of QR's kernels

Cell = tuple[str, int, int]  # benchmark, N, NB
Ratio = tuple[float, float, float]  # the median over the rounds, the smallest, the largest


def predicted_ratios(
    old: str, new: str, variant: str, cells: Sequence[Cell], build_root: Path
) -> dict[Cell, Ratio]:
    """The speed on `new` over that on `old` of each cell, on as many workers as runs have threads.

    Cells whose benchmark is no pattern of task-overhead are left out.
    """
    provider = find_provider(build_root)
    wanted = [
        instance
        for benchmark, n, nb in cells
        for instance in wanted_instances(
            provider, [benchmark], [variant], Sizes([n], [Tile.square(nb)], INNER)
        )
    ]
    for instance in wanted:  # before anything is measured
        provider.check(instance)
    names = list(dict.fromkeys(instance.benchmark for instance in wanted))
    costs = [costs_of_both(names, (old, new), build_root, number) for number in range(ROUNDS)]
    traces = measured(wanted, old, DEFAULT_KERNELS, KERNEL_ROUNDS, build_root, lambda _: None)
    times = learned(traces, own=False).whole
    found = {}
    for cell, instance in zip(cells, wanted, strict=True):
        if all(instance.benchmark in side.costs for sides in costs for side in sides):
            graph = provider.graph(instance)
            ratios = [*ratios_of(graph, times.durations(graph), costs)]
            found[cell] = median(ratios), min(ratios), max(ratios)
    return found


def costs_of_both(
    names: Sequence[str], labels: tuple[str, str], build_root: Path, number: int
) -> list[Overheads]:
    """What tasks cost on both sides; every other round begins with the second."""
    order = labels if number % 2 == 0 else labels[::-1]
    found = {label: measured_overheads(names, label, build_root) for label in order}
    return [found[label] for label in labels]


def ratios_of(
    graph: Graph, durations: Floats, costs: Iterable[Sequence[Overheads]]
) -> Iterator[float]:
    """Of each round: the time with the first side's costs over that with the second's."""
    machine = Machine(default_threads())
    for sides in costs:
        machines = [side.applied(machine, graph.instance) for side in sides]
        old, new = (found.seconds for found, _ in predict(graph, durations, machines))
        yield old / new
