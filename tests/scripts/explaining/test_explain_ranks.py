# SPDX-License-Identifier: BSD-3-Clause
"""The split of runs over MPI: exact, and the same as going through them moment by moment."""

import random
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from explain_runs import explain, explain_json
from pollux.core.errors import BadUsageError
from pollux.insight.explaining.arrivals import find_needs
from pollux.insight.explaining.model import Terms
from pollux.insight.explaining.ranks import RankSplit, split_any
from pollux.insight.explaining.timing import timing
from pollux.insight.graphs.file import read_graph
from pollux.insight.graphs.model import Graph, Ints
from pollux.insight.traces.match import match
from pollux.insight.traces.merge import read_runs
from pollux.insight.traces.model import Trace
from rank_traces import Run, run_on_ranks, write_ranks
from task_graphs import graph_lines, write_graph
from traces import Call, trace_lines, write_lines

CHOLESKY = graph_lines("cholesky", "depend", 4)


@pytest.fixture
def graph(tmp_path: Path) -> Graph:
    return read_graph(write_graph(tmp_path / "g.graph", CHOLESKY))


def short(seed: int) -> Callable[[Call], int]:
    return lambda call: random.Random(repr((seed, call))).randrange(1, 30)


def made(seed: int) -> Run:
    """A run of some hundred nanoseconds, whose creating threads wait now and then."""
    rng = random.Random(seed)
    run = run_on_ranks(
        CHOLESKY,
        ranks=rng.randrange(1, 4),
        threads=rng.randrange(1, 4),
        latency=rng.choice([2, 20, 60]),
        gap=rng.randrange(3),
        duration=short(seed),
    )
    last = run.messages[-1] if run.messages and rng.random() < 0.5 else None
    if last is not None:
        run.messages.append(replace(last, tile=(3, 3), sent=run.end - 490, received=run.end - 20))
    for waits in run.waits:
        times = sorted(rng.sample(range(400), 6))
        waits += [
            (a, b, int(rng.random() < 0.5)) for a, b in zip(times[::2], times[1::2], strict=True)
        ]
    return run


def merged(folder: Path, run: Run) -> Trace:
    [(_, trace)] = read_runs(write_ranks(folder, run))
    return trace


def slowly(graph: Graph, trace: Trace) -> list[int]:
    """Creating, uncreated, finishing, lack, ready and dispatch, messages: moment by moment."""
    assert trace.ranks is not None
    times = timing(graph, trace, match(trace, graph))
    needs = find_needs(graph, times, trace.ranks)
    last = int(times.end.max())
    found = [0] * 6
    for rank in range(trace.ranks.count):
        own = RankSplit(graph, trace, times, needs, rank)
        calls = np.flatnonzero(own.times.is_call)
        start, end, thread = (c[calls] for c in (times.start, times.end, times.thread))
        available, created = own.waits.available[calls], own.made.created[calls]
        creating = np.zeros(trace.region, np.int64)
        arrived, computed = needs.arrived[calls], needs.computed[calls]
        for now in range(trace.region):
            busy = (start <= now) & (now < end)
            creator_is_busy = (busy & (thread == trace.ranks.submitter[rank])).any()
            in_phase = ((own.made.begin <= now) & (now < own.made.end)).any()
            creates = bool(in_phase and not creator_is_busy)
            idle = own.trace.threads - int(busy.sum()) - creates
            creating[now] = creates
            if now >= last:
                is_open = ((own.open[0] <= now) & (now < own.open[1])).any()
                found[5 if is_open else 2] += idle
                continue
            ready = min(idle, int(((available <= now) & (now < start)).sum()))
            far = min(idle - ready, int(((computed <= now) & (now < arrived)).sum()))
            waiting = (
                (arrived <= now) & (now < np.maximum(available, arrived)) & (created > arrived)
            )
            late = min(idle - ready - far, int(waiting.sum()))
            blocked = ((own.blocked[0] <= now) & (now < own.blocked[1])).any()
            found[1] += 0 if blocked else late
            found[3] += idle - ready - far - late
            found[4] += ready
            found[5] += far + (late if blocked else 0)
        dispatch = dispatch_between(own, creating)
        found[0] += int(creating.sum()) - dispatch
        found[4] += dispatch
    return found


def dispatch_between(own: RankSplit, creating: Ints) -> int:
    """Of the moments in which tasks are created, those between two tasks of the creator's own."""
    nodes = np.flatnonzero(own.times.is_call & (own.times.thread == own.trace.submitter))
    nodes = nodes[np.argsort(own.times.start[nodes], kind="stable")]
    rest = own.waits.cap - np.minimum(own.waits.length, own.waits.cap)
    return sum(
        min(int(creating[own.times.end[a] : own.times.start[b]].sum()), int(rest[b]))
        for a, b in pairwise(nodes)
    )


@pytest.mark.parametrize("seed", range(25))
def test_each_nanosecond_of_each_thread_counts_once(
    tmp_path: Path, graph: Graph, seed: int
) -> None:
    trace = merged(tmp_path, made(seed))
    terms = split_any(graph, trace).terms
    assert terms.total == trace.threads * trace.region
    assert min(vars(terms).values()) >= 0
    own = [terms.creating, terms.uncreated, terms.finishing, terms.lack]
    assert [*own, terms.ready + terms.dispatch, terms.messages] == slowly(graph, trace)


@pytest.mark.parametrize("seed", range(10))
def test_what_a_call_needs_is_when_it_was_computed_and_when_it_came(
    tmp_path: Path, graph: Graph, seed: int
) -> None:
    run = made(seed)
    run.messages += [replace(m, sent=0, received=0) for m in run.messages]  # tiles came before too
    trace = merged(tmp_path, run)
    assert trace.ranks is not None
    times = timing(graph, trace, match(trace, graph))
    needs = find_needs(graph, times, trace.ranks)
    rank = trace.ranks.of_thread(times.thread)
    for node in np.flatnonzero(times.is_call).tolist():
        ends = [0]
        there = [0]
        for before in graph.before[node]:
            ends.append(int(times.end[before]))
            is_far = rank[before] != rank[node]
            there.append(ends[-1] + (run.latency if is_far else 0))
        assert needs.computed[node] == max(ends)
        assert needs.arrived[node] == max(there)


def test_without_latency_nothing_waits_for_messages(tmp_path: Path, graph: Graph) -> None:
    def terms(latency: int) -> Terms:
        folder = tmp_path / str(latency)
        folder.mkdir()
        return split_any(
            graph, merged(folder, run_on_ranks(CHOLESKY, threads=1, latency=latency))
        ).terms

    found = [terms(latency) for latency in (0, 100_000, 1_000_000)]
    assert found[0].messages == 0
    assert 0 < found[1].messages < found[2].messages
    assert found[2].messages > 0.3 * found[2].total


def test_a_clock_that_runs_backwards_is_reported(
    tmp_path: Path, graph: Graph, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rank 0 and rank 1 read one clock, and the files say that they differ."""
    paths = write_ranks(tmp_path, run_on_ranks(CHOLESKY, latency=1_000))
    paths[1].write_text(paths[1].read_text().replace('"offset_ns":0', '"offset_ns":-21000'))
    [(_, trace)] = read_runs(paths)
    assert split_any(graph, trace).backwards == 20_000
    graphs = [tmp_path / "g.graph"]
    [warning] = [w for w in explain_json(capsys, *paths, graph=graphs)["warnings"] if "clock" in w]
    assert "0.02000 ms before it was sent" in warning


def test_explain_tells_how_long_threads_waited_for_messages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph = write_graph(tmp_path / "g.graph", CHOLESKY)
    alone = write_lines(tmp_path / "alone", trace_lines(CHOLESKY, threads=1))
    paths = write_ranks(tmp_path, run_on_ranks(CHOLESKY, threads=1, latency=1_000_000))
    found = explain_json(capsys, *paths, graph=[graph], alone=[alone])
    [side] = found["sides"]
    assert side["threads"] == 2
    assert side["ranks"]["count"] == 2
    assert side["ranks"]["grid"] == "1x2"
    assert side["terms"]["messages"] == side["groups"]["messages"] > 0
    assert sum(side["groups"].values()) == side["thread_time"] == 2 * side["region"]
    assert side["alone"]
    explain([str(path) for path in paths], graph=[graph], alone=[alone])
    assert "\nwaiting for messages " in capsys.readouterr().out
    explain([str(alone)], graph=[graph])
    assert "waiting for messages" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("threads", "is_one_host", "is_bound", "words"),
    [
        (2, False, True, None),
        (2, True, True, None),
        (2, True, False, "4 threads shared 2 processors"),
        (3, True, True, "3 threads shared 2 processors"),
    ],
)
def test_ranks_share_processors_where_they_ran_on_the_same(  # noqa: PLR0913, PLR0917
    threads: int,
    is_one_host: bool,
    is_bound: bool,
    words: str | None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each rank was started on two processors."""
    graph = write_graph(tmp_path / "g.graph", CHOLESKY)
    paths = write_ranks(tmp_path, run_on_ranks(CHOLESKY, threads=threads), is_bound=is_bound)
    if is_one_host:
        paths[1].write_text(paths[1].read_text().replace('"host":"node1"', '"host":"node0"'))
    found = explain_json(capsys, *paths, graph=[graph])["warnings"]
    shared = [re.search(r"\d+ threads shared \d+ processors", warning) for warning in found]
    assert [match[0] for match in shared if match] == ([words] if words else [])


def test_threads_are_those_of_each_rank(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph = write_graph(tmp_path / "g.graph", CHOLESKY)
    paths = []
    for threads in (1, 2, 3):
        folder = tmp_path / str(threads)
        folder.mkdir()
        own = write_ranks(folder, run_on_ranks(CHOLESKY, threads=threads))
        for path in own:
            path.write_text(re.sub('"run":"[^"]*', f'"run":"{threads}', path.read_text()))
        paths += own
    [side] = explain_json(capsys, *paths, graph=[graph], threads=3)["sides"]
    assert side["threads"] == 6
    with pytest.raises(BadUsageError, match="no trace with 6 threads, only with 1 and 2 and 3"):
        explain([*map(str, paths)], graph=[graph], threads=6)
    with pytest.raises(BadUsageError, match="with 1, 3 threads; --threads chooses"):
        explain([*map(str, paths[:2] + paths[4:])], graph=[graph])


def test_ranks_and_one_process_can_be_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph = write_graph(tmp_path / "g.graph", CHOLESKY)
    one = write_lines(tmp_path / "one.jsonl", trace_lines(CHOLESKY, threads=4))
    paths = write_ranks(tmp_path, run_on_ranks(CHOLESKY, latency=1_000_000))
    found = explain_json(capsys, one, *paths, graph=[graph])
    assert [side["ranks"] is None for side in found["sides"]] == [True, False]
    assert found["difference"]["terms"]["messages"]["median"] > 0


def test_a_call_that_is_there_twice_is_refused(tmp_path: Path, graph: Graph) -> None:
    trace = merged(tmp_path, run_on_ranks(CHOLESKY))
    trace.i[1], trace.j[1], trace.step[1], trace.kernel[1] = (
        column[0] for column in (trace.i, trace.j, trace.step, trace.kernel)
    )
    with pytest.raises(BadUsageError, match=r"the trace has potrf\(0,0\) of step 0 twice"):
        split_any(graph, trace)


def test_replacing_ranks_by_threads_finds_no_messages(tmp_path: Path, graph: Graph) -> None:
    run = run_on_ranks(CHOLESKY, ranks=1, threads=3)
    trace = merged(tmp_path, run)
    assert split_any(graph, trace).terms.messages == 0
    assert split_any(graph, replace(trace, ranks=None, record=graph_record(trace))).threads == 3


def graph_record(trace: Trace) -> dict[str, object]:
    names = {"benchmark": "cholesky", "variant": "depend", "parameters": {}}
    return trace.record | names
