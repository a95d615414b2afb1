# SPDX-License-Identifier: BSD-3-Clause
"""Turns the schedule of a simulation into a trace, for all commands that read traces."""

from typing import Any

import numpy as np

from pollux.insight.graphs.model import Graph
from pollux.insight.simulation.model import Schedule
from pollux.insight.traces.model import Trace


def scheduled_trace(graph: Graph, schedule: Schedule, workers: int, *, label: str) -> Trace:
    """The kernel calls of a schedule, in whole ns."""
    calls = np.flatnonzero(graph.calls())
    start = np.rint(schedule.start[calls]).astype(np.int64)
    end = np.maximum(start, np.rint(schedule.end[calls]).astype(np.int64))
    order = np.lexsort((end, start))
    calls, start, end = calls[order], start[order], end[order]
    worker = schedule.worker[calls].astype(np.int64)
    region = max(round(schedule.makespan), int(end.max(initial=0)))
    return Trace(
        record=record_of(graph, workers, region, len(calls)),
        kernels=graph.kernels,
        kernel=graph.kernel[calls],
        step=graph.step[calls],
        i=graph.i[calls],
        j=graph.j[calls],
        thread=worker,
        core=worker,
        start=start,
        end=end,
        threads=workers,
        submitter=0,
        submitted=0,
        region=region,
        event_cost=0.0,
        tasks=None,
        work=graph.work.at(calls),
        label=label,
    )


def record_of(graph: Graph, workers: int, region: int, tasks: int) -> dict[str, Any]:
    """The fields of a record that commands need; no schema, since nothing was measured."""
    return {
        **graph.instance.fields(),
        **{"threads": workers, "tasks": tasks, "status": 0},
        "seconds": region / 1e9,
        "flops": graph.flops,
        "gflops": graph.flops / region if region else None,
        "simulated": True,
    }
