# SPDX-License-Identifier: BSD-3-Clause
"""The simulated machine and its schedule of a graph."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from pollux.insight.graphs.model import Ints

Floats = NDArray[np.float64]


class Policy(StrEnum):
    """Which ready task a free worker takes."""

    FIFO = "fifo"  # the one that became ready first
    LIFO = "lifo"  # the one that became ready last
    PRIORITY = "priority"  # the one with the longest path to the end
    STEAL = "steal"  # the newest of its own queue, else the oldest of another's


@dataclass(frozen=True)
class Machine:
    """Workers and the costs of their runtime, in ns. The defaults are an ideal list scheduler."""

    workers: int
    policy: Policy = Policy.FIFO
    creation: float = 0.0  # for each task, on the worker that submits; 0: all exist from the start
    dispatch: float = 0.0  # for each task, on the worker that runs it
    steal: float = 0.0  # for each task taken from another worker's queue
    throttle: int | None = None  # ready tasks at which the submitting worker runs tasks itself
    bandwidth: float | None = None  # bytes/s that all workers share
    seed: int = 0  # of the choice of victims


@dataclass(frozen=True)
class Schedule:
    """When and where each node ran; ns from the start."""

    worker: Ints
    start: Floats
    end: Floats
    makespan: float
