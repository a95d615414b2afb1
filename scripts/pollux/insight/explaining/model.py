# SPDX-License-Identifier: BSD-3-Clause
"""Where thread-time went: the terms that a traced run's threads × seconds are split into."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from pollux.insight.graphs.model import Ints

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Terms:
    """Each nanosecond of each thread counts in exactly one of these; in ns.

    Their sum is the number of threads times the region. The efficiencies computed from them follow
    E. Agullo, A. Buttari, A. Guermouche, F. Lopez: Implementing multifrontal sparse solvers for
    multicore architectures with sequential task flow runtime systems, ACM TOMS 43(2), 2016.
    """

    work: int  # time of the calls on one thread alone, the median over rounds
    slowdown: int  # how much longer they took in this run; negative if they were faster
    creating: int  # the submitting thread, between kernels, until its tasks are created
    uncreated: int  # idle threads while tasks are ready that are not created yet
    dispatch: int  # from when a thread is free and its next task ready until the task starts
    finishing: int  # after the last kernel: the end of the tasks and of the region
    lack: int  # idle threads for which there is no ready task
    ready: int  # idle threads although there is a ready task for them
    messages: int = 0  # over MPI: idle threads for whose tasks messages are under way

    @property
    def overhead(self) -> int:
        """The time of the runtime's own work, and of waiting for it."""
        return self.creating + self.uncreated + self.dispatch + self.finishing

    @property
    def busy(self) -> int:
        return self.work + self.slowdown

    @property
    def total(self) -> int:
        return sum(getattr(self, field.name) for field in fields(self))


@dataclass(frozen=True)
class Timing:
    """When each node of a graph ran, in ns; nodes without a kernel take no time."""

    is_call: NDArray[np.bool_]  # whether the node is a kernel call
    ready: Ints  # when its last predecessor ended
    start: Ints
    end: Ints
    thread: Ints  # -1 where the node is no call


@dataclass(frozen=True)
class Creation:
    """When tasks were created."""

    created: Ints  # of each node, its task's creation; never after the node's start
    begin: Ints  # phases in which the submitting thread creates tasks, in order
    end: Ints
    is_measured: bool  # by an OMPT tool; else estimated


@dataclass(frozen=True)
class Split:
    """The split of one traced run."""

    threads: int
    region: int
    terms: Terms
    durations: Ints  # of each node in this run
    alone: Ints | None  # of each node in a run with one thread; None: there is none
    busy: Ints  # of each thread
    dispatch_cap: int  # the most that counts as dispatch between two kernels
    tracing: float  # cost of tracing, ns of thread-time
    too_early: int  # calls that began before one of their predecessors had ended
    earliest: int  # by how much at most, ns
    is_creation_measured: bool = False
    moved: int | None = None  # calls on a thread other than their task's creator; None: not known
    backwards: int = 0  # ns by which a message came before it was sent, at most: clocks differ


Round = Sequence[Split]  # of the traced repetitions of one process
