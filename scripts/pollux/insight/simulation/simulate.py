# SPDX-License-Identifier: BSD-3-Clause
"""List scheduling of a task graph on a model machine, event by event.

A free worker takes a ready node according to the policy; no worker is idle while a node is ready.
The costs of a runtime are in the machine (model.py):

- Without a creation cost all tasks exist from the start and any worker runs what the submitting
  task itself calls. With it, worker 0 creates the tasks one after another, calls in their place
  what the submitting task calls, runs ready tasks while it waits in a taskwait or while as many
  are ready as the throttle allows, and is a worker like the others once all are created. A nested
  task pays for its creation when it is dispatched.
- The calls of one task follow each other on one worker; after a taskwait any worker may go on.
- A node that moves b bytes in a time of c takes max(c, b r / bandwidth), r being the workers that
  are busy when it begins, itself included. Nodes that begin or end later do not change that.

The method is that of Graham, "Bounds on multiprocessing timing anomalies" (SIAM Journal on Applied
Mathematics 17(2), 1969), whose bound holds for an ideal machine.
"""

import numpy as np

from pollux.core.errors import BadUsageError
from pollux.insight.graphs.model import Graph
from pollux.insight.graphs.rows import inverted
from pollux.insight.graphs.shape import bottom_levels
from pollux.insight.simulation.loop import run
from pollux.insight.simulation.model import Floats, Machine, Policy, Schedule
from pollux.insight.simulation.tables import Load, state_of, tables_of


def simulate(
    graph: Graph, durations: Floats, machine: Machine, bytes_: Floats | None = None
) -> Schedule:
    """The schedule of a graph whose nodes take these times (ns) and move these bytes."""
    check(graph, durations, machine, bytes_)
    ranked = machine.policy is Policy.PRIORITY
    level = bottom_levels(graph, durations) if ranked else np.empty(0)
    after = inverted(graph.before, len(graph))
    tables = tables_of(graph, Load(durations, bytes_, level), machine, after)
    state = state_of(graph, machine)
    first = np.flatnonzero(state.left == 0).astype(np.int64)
    length = run(tables, state, machine.workers, first)
    if (state.left > 0).any():
        raise BadUsageError(f"{graph.instance}: the graph has tasks that can never run")
    return Schedule(state.worker, state.start, state.end, length)


def check(graph: Graph, durations: Floats, machine: Machine, bytes_: Floats | None) -> None:
    """Refuse invalid input."""
    given = [durations] if bytes_ is None else [durations, bytes_]
    if any(len(values) != len(graph) for values in given):
        raise BadUsageError(f"{graph.instance}: one time is needed for each of {len(graph)} nodes")
    if any(not np.isfinite(values).all() or (values < 0).any() for values in given):
        raise BadUsageError(f"{graph.instance}: times and bytes must be finite and not negative")
    if machine.workers < 1:
        raise BadUsageError(f"{machine.workers} workers: at least one is needed")
    if machine.bandwidth is not None and bytes_ is None:
        raise BadUsageError("a bandwidth needs the bytes of each node")
