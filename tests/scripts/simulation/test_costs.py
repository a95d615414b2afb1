# SPDX-License-Identifier: BSD-3-Clause
"""What a runtime's tasks cost, as the simulator takes them from a trace."""

from dataclasses import replace

import numpy as np
import pytest
from pollux.insight.graphs.work import no_work
from pollux.insight.simulation.costs import creation_cost, dispatch_cost
from pollux.insight.traces.model import Trace


@pytest.fixture
def trace() -> Trace:
    """Two threads, two calls each; thread 0 creates tasks until 100."""
    nothing = np.zeros(4, np.int64)
    return Trace(
        record={},
        kernels=("gemm",),
        kernel=nothing,
        step=nothing,
        i=nothing,
        j=nothing,
        core=nothing,
        thread=np.array([1, 0, 1, 0]),
        start=np.array([10, 40, 55, 150]),
        end=np.array([50, 120, 90, 170]),
        threads=2,
        submitter=0,
        submitted=100,
        region=200,
        event_cost=0.0,
        tasks=None,
        work=no_work(4),
    )


def test_creation_is_the_submitters_time_without_a_kernel(trace: Trace) -> None:
    assert creation_cost(trace, 4) == pytest.approx((100 - 60) / 4)
    assert creation_cost(trace, 0) == 0.0


def test_dispatch_is_the_median_gap_of_threads_that_create_nothing(trace: Trace) -> None:
    assert dispatch_cost(trace) == 5.0  # thread 1 alone: thread 0 created tasks between its calls


def test_a_trace_without_gaps_has_no_dispatch(trace: Trace) -> None:
    alone = replace(trace, thread=np.array([0, 1, 2, 3]), threads=4)
    assert dispatch_cost(alone) == 0.0
