# SPDX-License-Identifier: BSD-3-Clause
"""Efficiencies of a run: factors whose product is the parallel efficiency.

The factors by cause are those of E. Agullo, A. Buttari, A. Guermouche, F. Lopez: Implementing
multifrontal sparse solvers for multicore architectures with sequential task flow runtime systems,
ACM TOMS 43(2), 2016. The factors by thread are those of the POP Centre of Excellence (Performance
Optimisation and Productivity, https://co-design.pop-coe.eu/metrics): load balance, and what is
communication in message-passing programs and here all time in which even the busiest thread runs
no kernel.
"""

from dataclasses import dataclass

from pollux.insight.explaining.model import Split

BY_WORK = ("parallel", "kernel")  # keys of those that need the kernels' times alone


@dataclass(frozen=True)
class Efficiency:
    """A share of 1, and what it is a share of."""

    key: str
    name: str
    value: float | None  # None: how long kernels take alone is not known
    meaning: str


def efficiencies(split: Split) -> list[Efficiency]:
    """Parallel efficiency, its factors by cause, then by thread."""
    t, is_known = split.terms, split.alone is not None
    busiest = int(split.busy.max(initial=0))
    mean = t.busy / split.threads
    rows = [
        ("parallel", "parallel efficiency", t.work, t.total, "work / thread-time"),
        ("kernel", "× kernels", t.work, t.busy, "work / time in kernels"),
        (
            *("runtime", "× runtime", t.busy, t.busy + t.overhead),
            "time in kernels / kernels and overhead",
        ),
        (
            *("pipeline", "× pipelining", t.busy + t.overhead, t.total),
            "kernels and overhead / thread-time",
        ),
        ("utilization", "time in kernels", t.busy, t.total, "time in kernels / thread-time"),
        ("balance", "× load balance", mean, busiest, "mean / busiest thread in kernels"),
        (
            *("busiest", "× busiest thread", busiest, split.region),
            "busiest thread in kernels / measured time",
        ),
    ]
    return [
        Efficiency(
            key,
            name,
            (above / below if below else 1.0) if is_known or key not in BY_WORK else None,
            meaning,
        )
        for key, name, above, below, meaning in rows
    ]
