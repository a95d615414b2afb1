# SPDX-License-Identifier: BSD-3-Clause
"""Random legal executions of graphs; the output of `pollux explain`."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import typer
from pollux.insight.commands import explain as command
from pollux.insight.graphs.model import Graph, Instance, Ints
from pollux.insight.graphs.work import no_work
from pollux.insight.traces.model import TaskEvents, Trace
from random_graphs import WAIT
from task_graphs import graph_lines, write_graph
from traces import Call, trace_lines, usual_duration, write_lines


def ints(values: object) -> Ints:
    return np.array(values, np.int64)


def random_run(
    rng: random.Random, graph: Graph, threads: int, *, longest: int = 9, ompt: bool = False
) -> Trace:
    """Each call begins on some thread, some time after everything it depends on."""
    free = [0] * threads
    done = [0] * len(graph)
    home: dict[int, int] = {0: 0}
    events = []
    created: dict[int, int] = {}
    for node in range(len(graph)):
        ready = max((done[b] for b in graph.before[node]), default=0)
        if graph.kernel[node] == WAIT:
            done[node] = ready
            continue
        thread = home.setdefault(int(graph.task[node]), rng.randrange(threads))
        gap = rng.choice([0, 0, 1, 1, 2, rng.randrange(longest)])
        start = max(free[thread], ready) + gap
        end = start + rng.randrange(longest)
        free[thread] = done[node] = end
        created.setdefault(int(graph.task[node]), rng.randrange(start + 1))
        events.append((start, end, thread, node))
    region = max((e[1] for e in events), default=0) + rng.randrange(4)
    submitted = rng.randrange(max((e[0] for e in events), default=0) + 1)
    return trace_of(graph, sorted(events), threads, region, submitted, created if ompt else None)


def trace_of(  # noqa: PLR0913, PLR0917 (the fields of a trace)
    graph: Graph,
    events: list[tuple[int, int, int, int]],
    threads: int,
    region: int,
    submitted: int,
    created: dict[int, int] | None = None,
) -> Trace:
    """The trace of events: start, end, thread, node."""
    table = ints(events).reshape(-1, 4)
    start, end, thread, node = table.T
    tasks = None
    if created is not None:
        times = [-1 if t == 0 else created[int(t)] for t in graph.task[node]]
        tasks = TaskEvents(graph.task[node], ints(times), ints([0] * len(node)), start)
    return Trace(
        record=record_of(graph.instance, threads),
        kernels=graph.kernels,
        kernel=graph.kernel[node],
        step=graph.step[node],
        i=graph.i[node],
        j=graph.j[node],
        thread=thread.copy(),
        core=thread.copy(),
        start=start.copy(),
        end=end.copy(),
        threads=threads,
        submitter=0,
        submitted=submitted,
        region=region,
        event_cost=0.5,
        tasks=tasks,
        work=no_work(len(node)),
    )


def record_of(instance: Instance, threads: int, runtime: str = "libomp") -> dict[str, object]:
    return {
        **{"benchmark": instance.benchmark, "variant": instance.variant},
        **instance.fields(),
        **{"threads": threads, "seed": 42, "runtime": {"name": runtime, "version": "1"}},
        **{"compiler": {"name": "clang", "version": "14"}},
    }


def times(factor: float) -> Callable[[Call], int]:
    return lambda call: int(usual_duration(call) * factor)


class Files:
    """Traces of LU under two runtimes, and the graph of both."""

    def __init__(self, folder: Path, variant: str = "depend") -> None:
        self.folder = folder
        self.lines = graph_lines("lu", variant, 6)
        self.graph = write_graph(folder / "lu.graph", self.lines)

    def write(
        self, runtime: str, factors: list[float], *, gap: int = 500, alone: bool = True
    ) -> Path:
        """A file with a round for each factor by which kernels are slower with four threads."""
        found = []
        for factor in factors:
            found.append(self.trace(runtime, 4, factor, gap))
            found += [self.trace(runtime, 1, 1.0, gap)] if alone else []
        return write_lines(self.folder / f"{runtime}.jsonl", *found)

    def trace(self, runtime: str, threads: int, factor: float, gap: int) -> list[str]:
        return trace_lines(
            self.lines, threads=threads, duration=times(factor), gap=gap, runtime=runtime
        )


def explain(what: list[str], **options: Any) -> int:  # noqa: ANN401
    """The command, called with what the line would give."""
    context = SimpleNamespace(
        command=SimpleNamespace(params=[]), get_parameter_source=lambda _: None
    )
    return command.explain(cast(typer.Context, context), what, **options)


def explain_json(
    capsys: pytest.CaptureFixture[str],
    *what: Path | str,
    **options: Any,  # noqa: ANN401
) -> dict[str, Any]:
    """The JSON output of the command."""
    assert explain([str(w) for w in what], format_="json", **options) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert found["schema"] == "pollux-explain/1"
    return found
