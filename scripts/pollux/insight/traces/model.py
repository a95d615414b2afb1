# SPDX-License-Identifier: BSD-3-Clause
"""A trace in arrays: one event for each kernel call of one traced repetition."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pollux.core.text import counted
from pollux.insight.graphs.grid import Grid
from pollux.insight.graphs.model import Flags, Instance, Ints
from pollux.insight.graphs.work import Work
from pollux.insight.traces.rank import GraphName, Part


@dataclass(frozen=True)
class TaskEvents:
    """The task of each event as recorded by an OMPT tool; times in ns from the region's start."""

    task: Ints  # number of the task, in order of creation
    created: Ints
    creator: Ints  # thread that created it
    scheduled: Ints  # when the runtime began it


@dataclass(frozen=True)
class Messages:
    """Those of a run over MPI in the order in which they were sent, each with both of its ends."""

    sender: Ints  # ranks
    receiver: Ints
    what: Ints  # TILE … (rank.py)
    i: Ints
    j: Ints
    size: Ints  # bytes
    asked: Ints  # when the sender's creating thread asked for it
    sent: Ints  # when the sender called MPI
    delivered: Ints  # when the sender saw that it was over
    wanted: Ints  # when the receiver's creating thread asked for it
    posted: Ints  # when the receiver called MPI
    received: Ints  # when the receiver saw that it was over

    def __len__(self) -> int:
        return len(self.sent)

    @property
    def under_way(self) -> Ints:
        """Since when both sides have called MPI; never after it was received."""
        return np.minimum(np.maximum(self.sent, self.posted), self.received)


@dataclass(frozen=True)
class Waits:
    """When the threads that create tasks waited for messages and created none."""

    rank: Ints
    begin: Ints
    end: Ints
    drained: Flags  # all tasks created before were complete at the end


@dataclass(frozen=True)
class Ranks:
    """The ranks of a run, whose times are all by the clock of rank 0."""

    count: int
    first: Ints  # of the threads of each rank; one more, the number of all
    begin: Ints  # of the timed region on each rank
    end: Ints
    submitter: Ints  # the thread of each that creates its tasks
    submitted: Ints
    messages: Messages
    waits: Waits
    error: Ints  # ns by which times of each rank may be off
    hosts: tuple[str, ...]
    graph: GraphName
    has_lanes: bool = False  # the last thread of each rank is a lane of its messages

    def of_thread(self, thread: Ints) -> Ints:
        """The rank of each of these threads."""
        return np.asarray(np.searchsorted(self.first, thread, side="right") - 1, np.int64)

    def name_of(self, thread: int) -> str:
        """A thread by its rank and its number there; m: the lane of the rank's messages."""
        rank = int(self.of_thread(np.array([thread]))[0])
        if self.has_lanes and thread == self.first[rank + 1] - 1:
            return f"{rank}.m"
        return f"{rank}.{thread - self.first[rank]}"


@dataclass(frozen=True)
class Trace:
    """Kernel calls in the order of their start. Times in ns from the start of the timed region."""

    record: dict[str, Any]  # of the traced repetition (pollux-run)
    kernels: tuple[str, ...]
    kernel: Ints
    step: Ints
    i: Ints
    j: Ints
    thread: Ints
    core: Ints
    start: Ints
    end: Ints
    threads: int
    submitter: int  # the thread that created the tasks
    submitted: int  # when it had created the last one
    region: int  # end of the timed region
    event_cost: float  # ns to trace one kernel call, as measured in this process
    tasks: TaskEvents | None
    work: Work  # of each call
    label: str = ""  # its name in figures and tables
    processor: Ints | None = None  # ns that the thread of each event was on a processor
    part: Part | None = None  # of one rank of a run over MPI
    ranks: Ranks | None = None  # all of them, merged

    def __len__(self) -> int:
        return len(self.kernel)

    @property
    def instance(self) -> Instance:
        return Instance.of(self.record)

    @property
    def grid(self) -> Grid | None:
        """That of the ranks."""
        found = (self.record.get("mpi") or {}).get("grid") if self.ranks else None
        return None if found is None else Grid.parse(found)

    @property
    def graph_instance(self) -> Instance:
        """That of the graph whose kernel calls it has."""
        if self.ranks is None:
            return self.instance
        return Instance.of(self.record | self.ranks.graph.model_dump())

    def team_in_words(self, runner: str = "thread") -> str:
        """The number of threads; of each rank, where there are several."""
        if self.ranks is None:
            return counted(self.threads, runner)
        each = counted(int(self.record["threads"]), runner)
        return f"{counted(self.ranks.count, 'rank')} of {each}"


def identity(trace: Trace) -> tuple[object, ...]:
    """What runs of one graph under one runtime have in common, on however many threads."""
    runtime = trace.record.get("runtime", {})
    compiler = trace.record.get("compiler", {})
    identified = (runtime.get("name"), runtime.get("version"), runtime.get("build_id"))
    compiled = (compiler.get("name"), compiler.get("version"))
    own = (trace.instance, trace.grid, trace.label, trace.record.get("kernels"))
    return *own, *identified, *compiled


def by_run(traces: Iterable[Trace]) -> list[list[Trace]]:
    """The traces of each run: one, or those of its ranks."""
    found: dict[object, list[Trace]] = {}
    for number, trace in enumerate(traces):
        run = number if trace.part is None else trace.part.header.run
        found.setdefault(run, []).append(trace)
    return list(found.values())


def with_version(program: Mapping[str, str | None]) -> str:
    """Name and version of a runtime or a compiler, as far as a record has them."""
    return " ".join(filter(None, map(program.get, ("name", "version"))))
