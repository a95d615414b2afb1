# SPDX-License-Identifier: BSD-3-Clause
"""How much faster a runtime should be than another by what its tasks cost."""

from pathlib import Path

import numpy as np
import pytest
from pollux.insight.graphs.file import read_graph
from pollux.insight.graphs.model import Graph
from pollux.insight.simulation import beside
from pollux.insight.simulation.beside import costs_of_both, ratios_of
from pollux.insight.simulation.overheads import Costs, Overheads
from task_graphs import graph_lines, write_graph

TIME = 1000.0  # ns of each kernel


@pytest.fixture
def graph(tmp_path: Path) -> Graph:
    return read_graph(write_graph(tmp_path / "g.jsonl", graph_lines("cholesky", "depend", 6)))


def costing(creation: float) -> Overheads:
    return Overheads("a runtime", {"cholesky": {1: Costs(creation, 0.0)}})


def test_costs_of_tasks_alone_make_the_ratio(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "default_threads", lambda: 1)
    durations = np.full(len(graph), TIME)
    sides = [costing(100.0), costing(300.0)]
    found = list(ratios_of(graph, durations, [sides, sides[::-1], [sides[0], sides[0]]]))
    # One worker creates and runs all: a task takes 1.1 µs on one side, 1.3 µs on the other.
    assert found == pytest.approx([1.1 / 1.3, 1.3 / 1.1, 1.0])


def test_each_side_is_measured_first_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def measured(_: object, label: str, __: object) -> Overheads:
        asked.append(label)
        return Overheads(label, {})

    monkeypatch.setattr(beside, "measured_overheads", measured)
    found = [costs_of_both(["lu"], ("old", "new"), Path(), number) for number in range(2)]
    assert [[side.runtime for side in both] for both in found] == [["old", "new"]] * 2
    assert asked == ["old", "new", "new", "old"]
