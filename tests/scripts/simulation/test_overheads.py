# SPDX-License-Identifier: BSD-3-Clause
"""Costs of a runtime by task-overhead, as the simulator takes them from its records."""

import json
from pathlib import Path
from typing import Any

import pytest
from micro_campaigns import configuration, write_micro_campaign
from micro_runs import micro_record, with_times
from pollux.core.errors import BadUsageError
from pollux.core.tiles import Tile
from pollux.insight.graphs.model import Instance
from pollux.insight.simulation.model import Machine
from pollux.insight.simulation.overheads import Overheads

CHOLESKY = Instance("cholesky", "depend", 512, 512, Tile.square(64), None)


def overhead(
    pattern: str, threads: int, *, creation: float | None, release: float | None
) -> dict[str, Any]:
    """A record of a pattern on so many threads, with these costs."""
    record = micro_record(pattern, "libgomp", 400.0)
    times = {"ns_per_task": 400.0, "creation": creation, "release": release}
    return record | {"threads": threads} | with_times(times)


def written(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_costs_are_the_medians_of_the_benchmarks_own_pattern(tmp_path: Path) -> None:
    records = [
        overhead("cholesky", 2, creation=c, release=r)
        for c, r in ((100.0, 700.0), (120.0, 500.0), (900.0, 600.0))
    ]
    path = written(tmp_path / "o.jsonl", *records, overhead("lu", 2, creation=1.0, release=2.0))
    machine = Overheads.read([path]).applied(Machine(2, steal=7.0), CHOLESKY)
    assert machine == Machine(2, creation=120.0, dispatch=600.0, steal=7.0)


def test_costs_below_the_resolution_of_a_clock_are_none(tmp_path: Path) -> None:
    """A negative one would begin a task before those that it waits for have ended."""
    path = written(tmp_path / "o.jsonl", overhead("cholesky", 2, creation=-3.0, release=-12.0))
    assert Overheads.read([path]).applied(Machine(2), CHOLESKY) == Machine(2)


@pytest.mark.parametrize(("workers", "threads"), [(1, 1), (2, 2), (3, 2), (48, 4)])
def test_costs_are_those_of_as_many_threads_as_there_are_up_to_the_workers(
    tmp_path: Path, workers: int, threads: int
) -> None:
    records = [overhead("cholesky", t, creation=10.0 * t, release=1.0) for t in (1, 2, 4)]
    overheads = Overheads.read([written(tmp_path / "o.jsonl", *records)])
    assert overheads.applied(Machine(workers), CHOLESKY).creation == 10.0 * threads


def test_tasks_that_run_when_they_are_created_cost_the_creator_everything(tmp_path: Path) -> None:
    early = overhead("cholesky", 1, creation=None, release=None)
    early["quantities"]["ns_per_task"]["value"] = 90.0
    early["figures"]["body_ns"] = 20.0
    overheads = Overheads.read([written(tmp_path / "o.jsonl", early)])
    assert overheads.applied(Machine(1), CHOLESKY) == Machine(1, creation=70.0)


def test_a_run_in_a_wrong_order_has_no_costs(tmp_path: Path) -> None:
    failed = overhead("cholesky", 2, creation=None, release=None) | {
        "passed": False,
        "fault": "task 3 did not wait for task 1",
    }
    failed["quantities"]["ns_per_task"]["value"] = None
    with pytest.raises(BadUsageError, match="no record of task-overhead that passed"):
        Overheads.read([written(tmp_path / "o.jsonl", failed)])


def test_records_that_are_not_taken_are_named(tmp_path: Path) -> None:
    later = overhead("cholesky", 2, creation=1.0, release=2.0) | {"schema": "pollux-run/99"}
    with pytest.raises(BadUsageError, match="1 line cannot be read: written by a later version"):
        Overheads.read([written(tmp_path / "o.jsonl", later)])
    write_micro_campaign(tmp_path / "c.jsonl", [(configuration("libgomp", "cholesky"), 400.0)])
    with pytest.raises(BadUsageError, match="those inside campaigns are not taken"):
        Overheads.read([tmp_path / "c.jsonl"])


def test_records_of_two_runtimes_are_refused(tmp_path: Path) -> None:
    one = overhead("cholesky", 2, creation=1.0, release=2.0)
    other = one | {"runtime": one["runtime"] | {"name": "libomp", "version": "19"}}
    with pytest.raises(BadUsageError, match="libomp 19; a simulated machine has one runtime"):
        Overheads.read([written(tmp_path / "o.jsonl", one, other)])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"size": {"name": "tasks", "value": 560}}, "256 tasks, distance=64 items=1; 560 tasks"),
        ({"parameters": {"items": 4, "distance": 64}}, "256 tasks, distance=64 items=4; costs"),
    ],
)
def test_settings_that_differ_are_not_pooled(
    tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    """Those of two patterns may differ."""
    one = overhead("cholesky", 2, creation=1.0, release=2.0)
    other = overhead("lu", 2, creation=3.0, release=4.0) | change
    path = written(tmp_path / "o.jsonl", one, other)
    assert Overheads.read([path]).applied(Machine(2), CHOLESKY).creation == 1.0
    path = written(tmp_path / "o.jsonl", one, one | {"threads": 1} | change)
    with pytest.raises(BadUsageError, match=f"records of cholesky have several settings.*{words}"):
        Overheads.read([path])


def test_a_pattern_that_was_not_measured_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "o.jsonl", overhead("lu", 2, creation=1.0, release=2.0))
    with pytest.raises(
        BadUsageError,
        match=r"measured for lu, not for cholesky; task-overhead -p cholesky .*else --creation and",
    ):
        Overheads.read([path]).applied(Machine(2), CHOLESKY)
