# SPDX-License-Identifier: BSD-3-Clause
"""Creation times of tasks: as measured, else estimated from the creator's gaps."""

import random

import numpy as np
from explain_runs import ints, random_run, trace_of
from pollux.insight.explaining.creation import Gaps, creation, share_of, submitted_nodes
from pollux.insight.explaining.model import Creation
from pollux.insight.explaining.timing import timing
from pollux.insight.graphs.model import Graph
from pollux.insight.traces.match import match
from pollux.insight.traces.model import Trace
from random_graphs import WAIT, WORK, graph_of, independent, independent_draft, random_graph

SEEDS = range(200)


def creation_of(graph: Graph, trace: Trace) -> Creation:
    nodes = match(trace, graph)
    return creation(graph, trace, nodes, timing(graph, trace, nodes))


def test_a_clock_of_gaps_stops_during_kernels() -> None:
    for seed in SEEDS:
        rng = random.Random(seed)
        marks = np.sort(ints([rng.randrange(40) for _ in range(2 * rng.randrange(5))]))
        start, end = marks[::2], marks[1::2]
        gaps = Gaps(start, end, 40)
        busy = [bool(((start <= t) & (t < end)).any()) for t in range(40)]
        before = [sum(not b for b in busy[:t]) for t in range(41)]
        assert gaps.until(np.arange(41)).tolist() == before
        for amount in range(before[-1] + 1):
            assert gaps.when(ints([amount]))[0] == before.index(amount)


def test_creation_is_spread_evenly_over_the_creators_time_without_kernels() -> None:
    graph = independent(4)
    events = [(10, 50, 0, 0), (60, 70, 1, 1), (80, 90, 1, 2), (90, 95, 1, 3)]
    made = creation_of(graph, trace_of(graph, events, threads=2, region=95, submitted=80))
    # 40 ns without a kernel until 80: one task for each 10, none between 10 and 50
    assert made.created.tolist() == [10, 60, 70, 80]
    assert not made.is_measured
    assert (made.begin.tolist(), made.end.tolist()) == ([0], [80])


def test_hours_between_kernels_are_shared_by_millions_of_tasks() -> None:
    count = 4_000_001
    for spent in (0, 7, 10**16):  # ns; the most that a header may state
        for number in (1, 2, count // 2, count):
            exact = -(-spent * number // count)
            assert share_of(spent, ints([number]), count).tolist() == [exact]


def test_no_task_is_created_after_it_or_a_later_one_began() -> None:
    graph = independent(3)
    events = [(40, 50, 1, 0), (50, 60, 1, 1), (5, 40, 1, 2)]
    made = creation_of(graph, trace_of(graph, sorted(events), threads=2, region=90, submitted=60))
    assert made.created.max() <= 5


def test_the_creator_needs_as_long_for_each_task_before_a_taskwait_as_after_it() -> None:
    draft = independent_draft(2)
    wait = draft.node(WAIT, 0, 0, [0, 1])
    for task in (3, 4):
        draft.node(WORK, task, task, [wait])
    graph = graph_of(draft)
    events = [(50, 60, 1, 0), (60, 100, 1, 1), (130, 140, 1, 3), (140, 150, 1, 4)]
    made = creation_of(graph, trace_of(graph, events, threads=2, region=150, submitted=120))
    assert made.created[[0, 1, 3, 4]].tolist() == [10, 20, 110, 120]
    assert (made.begin.tolist(), made.end.tolist()) == ([0, 100], [20, 120])


def test_a_nested_task_counts_as_created_when_its_parent_could_create_it() -> None:
    draft = independent_draft(2)
    draft.node(WORK, 3, 1, [0])
    events = [(20, 30, 1, 0), (30, 40, 1, 1), (70, 80, 1, 2)]
    graph = graph_of(draft)
    made = creation_of(graph, trace_of(graph, events, threads=2, region=80, submitted=20))
    assert made.created.tolist() == [10, 20, 30]


def test_measured_creation_times_are_used_unchanged() -> None:
    graph = independent(2)
    trace = trace_of(
        graph, [(50, 60, 1, 0), (60, 70, 1, 1)], 2, 70, submitted=30, created={1: 3, 2: 29}
    )
    made = creation_of(graph, trace)
    assert made.created.tolist() == [3, 29]
    assert made.is_measured


def test_tasks_are_created_in_order_and_before_they_begin() -> None:
    for seed in SEEDS:
        rng = random.Random(seed)
        graph = random_graph(seed, rng.randrange(1, 12))
        trace = random_run(rng, graph, rng.randrange(1, 5))
        made = creation_of(graph, trace)
        nodes = match(trace, graph)
        assert (made.created[nodes] <= trace.start).all()
        assert (np.diff(made.created[submitted_nodes(graph)]) >= 0).all()


def test_phases_of_creation_follow_each_other_within_the_region() -> None:
    for seed in SEEDS:
        rng = random.Random(seed)
        graph = random_graph(seed, rng.randrange(1, 12))
        trace = random_run(rng, graph, rng.randrange(1, 5), ompt=rng.random() < 0.5)
        made = creation_of(graph, trace)
        edges = np.column_stack((made.begin, made.end)).ravel()
        assert (np.diff(edges) >= 0).all()
        assert not len(edges) or (edges[0] >= 0 and edges[-1] <= trace.region)
