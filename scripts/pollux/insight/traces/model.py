# SPDX-License-Identifier: BSD-3-Clause
"""A trace in arrays: one event for each kernel call of one traced repetition."""

from dataclasses import dataclass
from typing import Any

from pollux.insight.graphs.model import Instance, Ints
from pollux.insight.graphs.work import Work


@dataclass(frozen=True)
class TaskEvents:
    """The task of each event as recorded by an OMPT tool; times in ns from the region's start."""

    task: Ints  # number of the task, in order of creation
    created: Ints
    creator: Ints  # thread that created it
    scheduled: Ints  # when the runtime began it


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

    def __len__(self) -> int:
        return len(self.kernel)

    @property
    def instance(self) -> Instance:
        return Instance.of(self.record)
