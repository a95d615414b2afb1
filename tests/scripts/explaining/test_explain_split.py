# SPDX-License-Identifier: BSD-3-Clause
"""The split of thread-time: exact, and the same as going through a run nanosecond by nanosecond."""

import random
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from explain_runs import ints, random_run, trace_of
from pollux.insight.explaining.bounds import KernelTimes
from pollux.insight.explaining.creation import creation
from pollux.insight.explaining.explanation import SideResult
from pollux.insight.explaining.groups import OVERHEAD
from pollux.insight.explaining.model import Creation, Terms, Timing
from pollux.insight.explaining.show import kernel_columns
from pollux.insight.explaining.split import durations_alone, split_run
from pollux.insight.explaining.timing import timing
from pollux.insight.explaining.words import phrase, signed
from pollux.insight.graphs.model import Graph, Ints
from pollux.insight.traces.match import match
from pollux.insight.traces.model import Trace
from random_graphs import from_lists, independent, random_graph

CASES = range(300)


def random_case(seed: int) -> tuple[Graph, Trace]:
    rng = random.Random(seed)
    graph = random_graph(seed, rng.randrange(1, 12))
    return graph, random_run(rng, graph, rng.randrange(1, 5), ompt=rng.random() < 0.4)


def parts_of(graph: Graph, trace: Trace) -> tuple[Ints, Timing, Creation]:
    nodes = match(trace, graph)
    times = timing(graph, trace, nodes)
    return nodes, times, creation(graph, trace, nodes, times)


class Slowly:
    """The definitions of the terms, for one moment and one call at a time."""

    def __init__(self, graph: Graph, trace: Trace) -> None:
        self.trace = trace
        self.node, self.times, self.made = parts_of(graph, trace)
        self.first = {int(t): int(np.flatnonzero(graph.task == t)[0]) for t in graph.task}
        self.graph = graph
        self.since = {int(n): self.available(int(n)) for n in self.node}

    def busy(self, thread: int, at: int) -> bool:
        t = self.trace
        return bool(((t.thread == thread) & (t.start <= at) & (at < t.end)).any())

    def creates(self, thread: int, at: int) -> bool:
        phase = ((self.made.begin <= at) & (at < self.made.end)).any()
        return thread == self.trace.submitter and bool(phase) and not self.busy(thread, at)

    def is_tied(self, node: int) -> bool:
        task = int(self.graph.task[node])
        return task == 0 or self.first[task] != node

    def available(self, node: int) -> int:
        """A tied call is ready only for its own thread, once that has nothing else to do."""
        start = int(self.times.start[node])
        if not self.is_tied(node):
            return min(start, max(int(self.times.ready[node]), int(self.made.created[node])))
        thread, at = int(self.times.thread[node]), start
        earliest = max(int(self.times.ready[node]), self.free(node)[0])
        while at > earliest and not self.creates(thread, at - 1):
            at -= 1
        return at

    def before(self, node: int) -> int | None:
        """The call that its thread made before it."""
        times = self.times
        order = {int(n): (int(times.start[n]), int(n)) for n in self.node}
        own = [n for n in order if times.thread[n] == times.thread[node] and order[n] < order[node]]
        return max(own, key=order.__getitem__, default=None)

    def free(self, node: int) -> tuple[int, bool]:
        """Since when the call's thread was free; whether it ran another call before."""
        before = self.before(node)
        return (0, False) if before is None else (int(self.times.end[before]), True)

    def wait(self, node: int) -> tuple[int, bool]:
        """How long thread was free and task ready; whether it was ready all the time between."""
        start, thread = int(self.times.start[node]), int(self.times.thread[node])
        free, follows = self.free(node)
        moments = range(max(self.since[node], free), start)
        length = sum(not self.creates(thread, at) for at in moments)
        return length, follows and self.since[node] <= free and length == len(moments)

    def created_between(self, node: int) -> int:
        """How long its thread created tasks since it ran another task."""
        before = self.before(node)
        if self.is_tied(node) or before is None or self.graph.task[before] == 0:
            return 0
        thread = int(self.times.thread[node])
        gap = range(int(self.times.end[before]), int(self.times.start[node]))
        return sum(self.creates(thread, at) for at in gap)

    def terms(self) -> tuple[int, ...]:
        waits = [self.wait(int(node)) for node in self.node]
        between = [length for length, is_between in waits if is_between]
        cap = int(np.median(between)) if between else 0
        apart = sum(min(length, cap) for length, _ in waits)
        within = sum(
            min(self.created_between(int(node)), cap - min(length, cap))
            for node, (length, _) in zip(self.node, waits, strict=True)
        )
        creating = finishing = ready = uncreated = lack = 0
        last = max(self.trace.end, default=0)
        for at in range(self.trace.region):
            threads = range(self.trace.threads)
            creators = sum(self.creates(t, at) for t in threads)
            idle = sum(not self.busy(t, at) for t in threads) - creators
            creating += creators
            if at >= last:
                finishing += idle
                continue
            takes = min(idle, self.count_ready(at))
            misses = min(idle - takes, self.count_uncreated(at))
            ready, uncreated, lack = ready + takes, uncreated + misses, lack + idle - takes - misses
        return creating - within, uncreated, apart + within, finishing, lack, ready - apart

    def count_ready(self, at: int) -> int:
        return sum(s <= at < self.times.start[n] for n, s in self.since.items())

    def count_uncreated(self, at: int) -> int:
        return sum(
            self.times.ready[n] <= at < min(self.made.created[n], self.times.start[n])
            for n in map(int, self.node)
            if not self.is_tied(n)
        )


@pytest.mark.parametrize("seeds", np.array_split(CASES, 10), ids=lambda s: f"from-{s[0]}")
def test_the_terms_are_those_of_the_definitions_at_each_nanosecond(seeds: Ints) -> None:
    for seed in map(int, seeds):
        graph, trace = random_case(seed)
        terms = split_run(graph, trace).terms
        assert vars(terms) == vars(Terms(terms.work, 0, *Slowly(graph, trace).terms())), seed


def test_the_terms_sum_to_the_thread_time_to_the_nanosecond() -> None:
    for seed in CASES:
        graph, trace = random_case(seed)
        rng = random.Random(seed)
        alone = ints([rng.randrange(9) for _ in range(len(graph))])
        split = split_run(graph, trace, alone)
        assert split.terms.total == trace.threads * trace.region, seed
        assert split.terms.busy == split.busy.sum() == split.durations.sum()


def test_a_node_is_ready_when_all_before_it_ended_through_nodes_of_no_time_too() -> None:
    for seed in CASES:
        graph, trace = random_case(seed)
        _, times, _ = parts_of(graph, trace)
        ended = dict(zip(map(int, match(trace, graph)), map(int, trace.end), strict=True))

        def end(node: int, graph: Graph = graph, ended: dict[int, int] = ended) -> int:
            return ended[node] if node in ended else ready(node, graph, ended)

        def ready(node: int, graph: Graph = graph, ended: dict[int, int] = ended) -> int:
            return max((end(int(b), graph, ended) for b in graph.before[node]), default=0)

        assert times.ready.tolist() == [ready(node) for node in range(len(graph))]


def chain(count: int) -> Graph:
    return replace(
        independent(count), before=from_lists([[], *([node] for node in range(count - 1))])
    )


def test_dispatch_is_at_most_the_median_wait_between_two_kernels() -> None:
    graph = independent(5)
    starts = [0, 12, 24, 36, 88]  # after waits of 2, 2, 2 and 42
    events = [(start, start + 10, 0, node) for node, start in enumerate(starts)]
    split = split_run(graph, trace_of(graph, events, threads=1, region=98, submitted=0))
    assert split.dispatch_cap == 2
    assert (split.terms.dispatch, split.terms.ready) == (8, 40)


def test_what_the_creator_takes_between_two_of_its_tasks_is_creation_beyond_dispatch() -> None:
    graph = independent(6)
    created = dict.fromkeys(range(1, 7), 0)  # all, so that the other thread's never wait for it
    others = [(start, start + 10, 1, node) for node, start in enumerate([0, 13, 26])]
    events = [*others, (30, 40, 0, 3), (60, 70, 0, 4), (71, 80, 0, 5)]
    terms = split_run(graph, trace_of(graph, sorted(events), 2, 80, 75, created)).terms
    assert terms.dispatch == 2 * 3 + 3 + 1  # 3 of 20 and all of 1 between the creator's tasks
    assert terms.creating == 30 + 20 - 3  # before its first task nothing is to be ended


def test_a_thread_that_could_run_what_is_not_created_waits_for_creation() -> None:
    graph = independent(2)
    events = [(50, 60, 1, 0), (100, 110, 1, 1)]
    trace = trace_of(graph, events, 2, 110, submitted=100, created={1: 50, 2: 100})
    terms = split_run(graph, trace).terms
    assert terms.creating == 100
    assert terms.uncreated == 90  # until 50, and from 60 to 100
    assert terms.lack == 10  # the submitting thread's last 10 ns


def test_kernels_that_are_faster_than_alone_make_the_slow_down_negative() -> None:
    graph = independent(1)
    trace = trace_of(graph, [(0, 10, 0, 0)], threads=1, region=10, submitted=0)
    terms = split_run(graph, trace, ints([14])).terms
    assert (terms.work, terms.slowdown, terms.total) == (14, -4, 10)


def test_a_call_that_began_before_its_predecessor_ended_is_counted() -> None:
    graph = chain(2)
    events = [(0, 10, 0, 0), (7, 12, 1, 1)]
    split = split_run(graph, trace_of(graph, events, threads=2, region=12, submitted=0))
    assert (split.too_early, split.earliest) == (1, 3)
    assert split.terms.total == 24


def test_the_median_of_calls_alone_is_by_call_not_by_the_order_of_events() -> None:
    graph = independent(2)
    first = trace_of(graph, [(0, 5, 0, 1), (5, 25, 0, 0)], threads=1, region=25, submitted=0)
    assert durations_alone(graph, first).tolist() == [20, 5]


def test_a_run_without_tasks_loses_only_time_between_its_kernels() -> None:
    graph = replace(independent(4), task=ints([0] * 4), root_task=ints([0] * 4))
    events = [(0, 5, 0, 0), (6, 10, 0, 1), (30, 35, 0, 2), (36, 40, 0, 3)]  # once interrupted
    terms = split_run(graph, trace_of(graph, events, threads=1, region=40, submitted=0)).terms
    assert (terms.dispatch, terms.overhead, terms.ready) == (22, 22, 0)
    parts = {"dispatch": 22.0}
    assert phrase(OVERHEAD, parts, has_tasks=False) == "time between its kernels"


@pytest.mark.parametrize(
    ("creating", "words"),
    [(7.0, "most of it the creation of tasks"), (4.0, "the largest part of it the creation")],
)
def test_a_part_is_most_of_a_term_from_one_half_on(creating: float, words: str) -> None:
    parts = {"creating": creating, "dispatch": 3.5, "finishing": 2.5}
    assert words in phrase(OVERHEAD, parts)


def test_every_kernel_has_a_row() -> None:
    kernels = [KernelTimes(f"k{n}", 1, 1.0, 1.0, 0, 0.0) for n in range(20)]
    split = SimpleNamespace(terms=SimpleNamespace(total=20))
    found = SimpleNamespace(kernels=kernels, split=split, bounds=SimpleNamespace(path=20.0))
    columns = kernel_columns(cast(SideResult, found))
    assert {len(column.cells) for column in columns} == {20}


def test_a_difference_of_nothing_has_one_sign() -> None:
    assert signed(-0.0) == signed(0.0) == "+0.00"
