# SPDX-License-Identifier: BSD-3-Clause
"""A runtime's costs per task in a traced run, as parameters of the simulated machine."""

import numpy as np

from pollux.insight.graphs.model import Ints
from pollux.insight.traces.model import Trace


def creation_cost(trace: Trace, tasks: int) -> float:
    """ns for each task: the time before the last creation in which the submitter ran no kernel."""
    own = (trace.thread == trace.submitter) & (trace.start < trace.submitted)
    busy = np.minimum(trace.end[own], trace.submitted) - trace.start[own]
    return float(trace.submitted - busy.sum()) / tasks if tasks else 0.0


def dispatch_cost(trace: Trace) -> float:
    """ns for each task: the median time from one kernel to the next of a thread that creates none.

    The median, since a longer time was spent without a task.
    """
    gaps = [gaps_of(trace, thread) for thread in range(trace.threads)]
    found = np.concatenate(gaps)
    return float(np.median(found)) if len(found) else 0.0


def gaps_of(trace: Trace, thread: int) -> Ints:
    """The times between the kernels of a thread, after it has created its last task."""
    first = trace.submitted if thread == trace.submitter else 0
    own = (trace.thread == thread) & (trace.start >= first)
    order = np.argsort(trace.start[own])
    start, end = trace.start[own][order], trace.end[own][order]
    return np.asarray(start[1:] - end[:-1], np.int64)
