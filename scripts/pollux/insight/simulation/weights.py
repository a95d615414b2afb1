# SPDX-License-Identifier: BSD-3-Clause
"""The weights of a graph's calls: operations, times learned from traces, or one each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pollux.insight.graphs.model import Graph
from pollux.insight.graphs.shape import Floats
from pollux.insight.simulation.durations import KernelTimes
from pollux.insight.simulation.source import traces_in


@dataclass(frozen=True)
class Weights:
    """A weight for each node of a graph."""

    of: Callable[[Graph], Floats]
    words: str  # for output
    unit: str


def by_calls() -> Weights:
    """Each call weighs the same."""
    return Weights(lambda g: g.calls().astype(np.float64), "every kernel call weighs one", "calls")


def by_flops() -> Weights:
    """The operations of each call; kernels that only move data weigh nothing."""
    words = "calls weigh their floating-point operations; those that only move data have none"
    return Weights(lambda g: g.work.flops.astype(np.float64), words, "flop")


def by_traces(paths: Sequence[Path]) -> Weights:
    """The mean times that kernels took in traces."""
    times = KernelTimes.learn(traces_in(paths))
    listed = ", ".join(str(path) for path in paths)
    return Weights(times.durations, f"calls weigh the mean times of kernels in {listed}", "ns")
