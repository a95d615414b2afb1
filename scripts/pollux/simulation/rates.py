# SPDX-License-Identifier: BSD-3-Clause
"""Kernel times from rates that the user gives."""

from dataclasses import dataclass

import numpy as np

from pollux.errors import BadUsageError
from pollux.graphs.model import TIMELESS, Graph
from pollux.simulation.flops import COUNTS, calls_at, flops_of
from pollux.simulation.model import Floats
from pollux.simulation.work import MOVING, moved_bytes

OTHER, MOVE = "other", "move"  # stand for kernels that are not named: computing, moving data
EXAMPLE = "gemm=35,trsm=20,other=10,move=5"


@dataclass(frozen=True)
class Rates:
    """GFlop/s of kernels; of those that move data only, GB/s of what they read or write."""

    given: dict[str, float]

    @classmethod
    def parse(cls, text: str) -> "Rates":
        """From a list such as gemm=35,other=10."""
        given: dict[str, float] = {}
        for part in text.split(","):
            name, equals, number = map(str.strip, part.partition("="))
            if not equals or name not in (*COUNTS, OTHER, MOVE):
                known = ", ".join((*COUNTS, OTHER, MOVE))
                raise BadUsageError(
                    f"--rates: {part.strip()!r} is no KERNEL=RATE; such as {EXAMPLE}; "
                    f"kernels are {known}"
                )
            given[name] = positive(name, number)
        return cls(given)

    def durations(self, graph: Graph) -> Floats:
        """The time of each node."""
        found = np.zeros(len(graph))
        for k, kernel in enumerate(graph.kernels):
            nodes = np.flatnonzero(graph.kernel == k)
            if kernel in TIMELESS or not len(nodes):
                continue
            calls = calls_at(graph, nodes)
            moves = kernel in MOVING
            amount = moved_bytes(kernel, calls) if moves else flops_of(kernel, calls)
            found[nodes] = amount / self.rate(kernel)
        return found

    def rate(self, kernel: str) -> float:
        """Operations or bytes per ns."""
        stand_in = MOVE if kernel in MOVING else OTHER
        for name in (kernel, stand_in):
            if name in self.given:
                return self.given[name]
        unit = "GB/s" if kernel in MOVING else "GFlop/s"
        raise BadUsageError(
            f"--rates: the rate of {kernel} is missing: {kernel}={unit}, or {stand_in}={unit}"
        )


def positive(name: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise BadUsageError(f"--rates: {name}={text} is no rate; a number above 0 is needed")
    return number
