# SPDX-License-Identifier: BSD-3-Clause
"""Kernel times from rates that the user gives."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from pollux.core.errors import BadUsageError
from pollux.insight.graphs.model import Graph
from pollux.insight.graphs.work import Operation
from pollux.insight.simulation.model import Floats

OTHER, MOVE = "other", "move"  # for all unnamed kernels: computing, moving data
EXAMPLE = "gemm=35,trsm=20,other=10,move=5"


@dataclass(frozen=True)
class Rates:
    """GFlop/s of kernels; of those that move data only, GB/s of what they read or write."""

    given: dict[str, float]
    kernels: dict[str, None] = field(default_factory=dict)  # of the graphs so far

    @classmethod
    def parse(cls, text: str) -> "Rates":
        """From a list such as gemm=35,other=10."""
        given: dict[str, float] = {}
        for part in text.split(","):
            name, equals, number = map(str.strip, part.partition("="))
            if not equals or not name:
                raise BadUsageError(
                    f"--rates: {part.strip()!r} is not KERNEL=RATE; example: {EXAMPLE}"
                )
            if name in given:
                raise BadUsageError(f"--rates: {name} has two rates")
            given[name] = positive(name, number)
        return cls(given)

    def durations(self, graph: Graph) -> Floats:
        """The time of each node."""
        self.note(graph)
        found = np.zeros(len(graph))
        for operation, nodes in graph.work.by_operation():
            work = graph.work.at(nodes)
            amount = work.flops if operation.computes else work.bytes_
            found[nodes] = amount / self.rate(operation)
        return found

    def check_names(self, graphs: Iterable[Graph]) -> None:
        """Refuse a rate of a kernel that none of these graphs has."""
        for graph in graphs:
            self.note(graph)
        if unknown := self.unknown():
            raise BadUsageError(unknown)

    def note(self, graph: Graph) -> None:
        self.kernels.update(dict.fromkeys(o.kernel for o in graph.work.operations))

    def unknown(self) -> str | None:
        """The rate of a kernel that none of the graphs so far has, in words."""
        known = (*self.kernels, OTHER, MOVE)
        names = [name for name in self.given if name not in known]
        return (
            f"--rates: no graph has a kernel {names[0]!r}; choose from {', '.join(known)}"
            if names
            else None
        )

    def rate(self, operation: Operation) -> float:
        """Operations or bytes per ns."""
        stand_in = OTHER if operation.computes else MOVE
        for name in (operation.kernel, stand_in):
            if name in self.given:
                return self.given[name]
        unit = "GFlop/s" if operation.computes else "GB/s"
        raise BadUsageError(
            f"--rates: the rate of {operation.kernel} is missing: {operation.kernel}={unit}, "
            f"or {stand_in}={unit}"
        )


def positive(name: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise BadUsageError(f"--rates: {name}={text} is not a rate; must be a number above 0")
    return number
