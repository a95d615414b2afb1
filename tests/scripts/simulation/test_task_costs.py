# SPDX-License-Identifier: BSD-3-Clause
"""`pollux simulate --measure` measures what tasks cost, and no prediction is below their creation
without a warning."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from listings import listing, variant, write_names
from micro_runs import micro_record, with_times
from pollux.core.errors import BadUsageError, MachineError
from pollux.insight.commands.simulate import simulate
from pollux.insight.graphs.file import read_graph
from pollux.insight.graphs.grid import Grid
from pollux.insight.simulation.model import Machine
from pollux.insight.simulation.network import Cluster, Network
from pollux.insight.simulation.prediction import LEAST_CREATION, predict, warnings
from pollux.insight.simulation.rates import Rates
from pollux.insight.simulation.session import on_machines
from pollux.insight.simulation.source import Estimate
from pollux.insight.simulation.task_costs import measured_overheads
from pollux.insight.traces.file import read_traces
from project import write_stand_in
from task_graphs import graph_lines, write_graph
from traces import trace_lines, write_lines
from typer.testing import CliRunner

CREATION, RELEASE = 700.0, 900.0


@pytest.fixture
def builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A build whose task-overhead knows lu alone, and traces of both graphs on one thread."""
    record = micro_record("lu", "libomp", 400.0)
    times = {"ns_per_task": 400.0, "creation": CREATION, "release": RELEASE}
    line = json.dumps(record | {"threads": 1} | with_times(times))
    asked = tmp_path / "asked"
    command = f"""echo "$@" >"{asked}"
[ -z "$COSTS_FAIL" ] || {{ echo "task-overhead: no memory" >&2; exit 3; }}
while [ "$1" != --output ]; do shift; done
cat >"$2" <<'END'
{line}
END
[ -z "$COSTS" ] || cp "$COSTS" "$2"
"""
    program = tmp_path / "build" / "libomp" / "bin" / "task-overhead"
    listed = listing("task-overhead", [variant("lu", "lu")])
    write_names(program.parent, ["lu"], micro=["task-overhead"])
    write_stand_in(program, listed, "task-overhead 1.0\nOpenMP: libomp", command)
    write_stand_in(program.with_name("lu"), listing("lu", []), "lu 1.0\nOpenMP: libomp", "false")
    traces = []
    for name, of in (("lu", "depend"), ("lu-cw", "cw")):
        made = trace_lines(graph_lines(name, of, 6), threads=1)
        traces += read_traces(write_lines(tmp_path / f"{name}.jsonl", made))
    monkeypatch.setattr("pollux.insight.simulation.session.measured", lambda *_: traces)
    monkeypatch.setattr(
        "pollux.insight.simulation.session.KernelSource.kernel_sets", lambda *_: ["openblas"]
    )
    return tmp_path / "build"


def simulated(builds: Path, *graphs: str, options: tuple[str, ...] = ()) -> dict[str, Any]:
    lines = [line for name in graphs for line in graph_lines(name, OF[name], 6)]
    path = write_graph(builds.parent / "graphs.jsonl", lines)
    app = typer.Typer()
    app.command()(simulate)
    arguments = ["--graph", path, "--measure", "libomp", "--build-root", builds, "--workers", "4"]
    arguments += [*options, "--format", "json"]
    ended = CliRunner().invoke(app, [*map(str, arguments)], standalone_mode=False)
    if ended.exception:
        raise ended.exception
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


OF = {"lu": "depend", "lu-cw": "cw"}


def test_measured_runtimes_have_the_costs_of_their_tasks(builds: Path) -> None:
    found = simulated(builds, "lu")
    (made,) = found["predictions"]
    assert (made["creation_ns"], made["dispatch_ns"]) == (CREATION, RELEASE)
    assert made["seconds"] >= made["calls"] * CREATION * 1e-9
    assert found["warnings"] == []
    asked = (builds.parent / "asked").read_text().split()
    assert asked[asked.index("--pattern") + 1] == "lu"


def test_a_graph_without_a_pattern_costs_nothing_and_says_so(builds: Path) -> None:
    found = simulated(builds, "lu", "lu-cw")
    assert [p["creation_ns"] for p in found["predictions"]] == [CREATION, 0.0]
    assert any("the tasks of lu-cw cost nothing here" in line for line in found["warnings"])
    assert found["comparisons"] == []


def test_one_graph_without_a_pattern_says_so_too(builds: Path) -> None:
    [free] = simulated(builds, "lu-cw")["warnings"]
    assert "the tasks of lu-cw cost nothing here" in free
    assert simulated(builds, "lu-cw", options=("--creation", "5"))["warnings"] == []


def test_no_warning_advises_what_has_been_done(tmp_path: Path) -> None:
    graph = read_graph(write_graph(tmp_path / "g.jsonl", graph_lines("lu", "depend", 8)))
    ((found, _),) = predict(graph, np.ones(len(graph)), [Machine(64)])
    [line] = warnings([found])
    assert line.endswith(
        "; --measure BUILD without --ideal, --overheads or --creation gives tasks a cost"
    )
    [line, _] = warnings([replace(found, is_unmeasured=True)])
    assert line.endswith(" ns each; --creation gives tasks a cost")
    [line] = warnings([replace(found, machine=Machine(64, creation=5.0))])
    assert line.endswith(" ns each; no runtime is known to create one in 5 ns")


def test_tasks_that_cost_nothing_are_not_throttled(builds: Path) -> None:
    throttled = ("--throttle", "4")
    with pytest.raises(BadUsageError, match=r"needs --creation: .* no pattern of lu-cw$"):
        simulated(builds, "lu-cw", options=throttled)
    for more in (("lu", "lu-cw"), ("lu",)):
        made = simulated(builds, *more, options=throttled)["predictions"]
        assert made[0]["throttle"] == 4


def test_graphs_with_costs_of_their_own_are_compared(builds: Path) -> None:
    costs = builds.parent / "costs.jsonl"
    records = [
        micro_record(pattern, "libomp", 400.0)
        | {"threads": 1}
        | with_times({"ns_per_task": 400.0, "creation": creation, "release": RELEASE})
        for pattern, creation in (("lu", CREATION), ("lu-cw", 2 * CREATION))
    ]
    costs.write_text("".join(json.dumps(record) + "\n" for record in records))
    found = simulated(builds, "lu", "lu-cw", options=("--overheads", str(costs)))
    plain, cw = found["predictions"]
    assert [p["creation_ns"] for p in (plain, cw)] == [CREATION, 2 * CREATION]
    [compared] = found["comparisons"]
    assert compared["benchmark"] == "lu-cw"
    assert compared["ratio"] == pytest.approx(plain["seconds"] / cw["seconds"])


def test_an_ideal_machine_is_asked_for_by_name(builds: Path) -> None:
    (made,) = simulated(builds, "lu", options=("--ideal",))["predictions"]
    assert (made["creation_ns"], made["dispatch_ns"]) == (0.0, 0.0)
    assert not (builds.parent / "asked").exists()
    (made,) = simulated(builds, "lu", options=("--creation", "5"))["predictions"]
    assert made["creation_ns"] == 5.0
    assert not (builds.parent / "asked").exists()


@pytest.mark.parametrize("option", ["--creation", "--dispatch", "--steal"])
def test_costs_whose_sum_exceeds_64_bits_are_refused(builds: Path, option: str) -> None:
    app = typer.Typer()
    app.command()(simulate)
    done = CliRunner().invoke(app, ["lu", "--measure", "libomp", option, "1e16"])
    assert done.exit_code == 2
    assert option in done.output


@pytest.mark.parametrize("speed", [1e2, 1e4, 1e6, 1e8])
def test_no_prediction_below_the_creation_of_its_tasks_comes_without_a_warning(
    builds: Path, speed: float
) -> None:
    path = write_graph(builds.parent / "g.jsonl", graph_lines("lu", "depend", 8))
    app = typer.Typer()
    app.command()(simulate)
    rates = f"other={speed:.0f},move={speed:.0f}"
    options = ["--rates", rates, "--workers", "1,4,64", "--format", "json"]
    ended = CliRunner().invoke(app, ["--graph", str(path), *options], standalone_mode=False)
    found = json.loads(ended.stdout)
    below = [
        p["workers"]
        for p in found["predictions"]
        if p["seconds"] < p["tasks"] * LEAST_CREATION * 1e-9
    ]
    warned = " ".join(found["warnings"])
    assert bool(below) == bool(found["warnings"]) == (speed >= 1e6 or bool(below))
    assert not below or f"on {', '.join(map(str, below))} workers" in warned


def test_calls_that_no_task_was_created_for_take_no_creation(tmp_path: Path) -> None:
    graph = read_graph(write_graph(tmp_path / "g.jsonl", graph_lines("lu", "depend", 8)))
    ((found, _),) = predict(graph, np.ones(len(graph)), [Machine(64, creation=100.0)])
    assert found.tasks == len(set(graph.task.tolist()) - {0})
    kept = replace(found, calls=10 * found.tasks, seconds=1.5e-7 * found.tasks)
    assert warnings([kept]) == []
    assert len(warnings([replace(kept, seconds=0.5e-7 * found.tasks)])) == 1


def test_nested_tasks_are_not_all_created_by_one_worker(tmp_path: Path) -> None:
    graph = read_graph(write_graph(tmp_path / "g.jsonl", graph_lines("lu", "column", 8)))
    ((found, _),) = predict(graph, np.ones(len(graph)), [Machine(64)])
    assert found.submitted == len(set(graph.root_task.tolist()) - {0}) < found.tasks / 2
    between = replace(found, seconds=found.tasks / 2 * LEAST_CREATION * 1e-9)
    assert warnings([between]) == []
    least = found.submitted * LEAST_CREATION * 1e-9
    [line] = warnings([replace(found, seconds=least / 2)])
    assert f"creates its {found.submitted} tasks that are not nested at 80 ns each" in line


def test_each_number_of_nodes_is_warned_of_by_its_own_least_time(tmp_path: Path) -> None:
    graph = read_graph(write_graph(tmp_path / "g.jsonl", graph_lines("cholesky", "depend", 8)))
    clusters = [Cluster(Grid.square(nodes), Network(0.0, 1e12)) for nodes in (1, 4, 16)]
    made = on_machines(graph, Estimate(Rates.parse("other=1e9")), [Machine(16)], clusters)
    found = [replace(result.prediction, seconds=1e-9) for result in made]
    lines = warnings(found)
    for p, line, nodes, whose in zip(
        found, lines, (1, 4, 16), ("one worker", "4 workers", "16 workers"), strict=True
    ):
        bound = found[0].tasks * LEAST_CREATION * 1e-3 / nodes
        assert f"on {p.workers} workers: predicted below {bound:.3g} µs" in line
        assert f"the least in which {whose}" in line


def test_a_measurement_that_fails_says_what_does_without(
    builds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COSTS_FAIL", "1")
    with pytest.raises(MachineError, match="no memory; --overheads takes records of it, --ideal"):
        measured_overheads(["lu"], "libomp", builds)


def test_measured_costs_without_a_record_are_not_said_to_be_of_an_option_that_is_not_given(
    builds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = micro_record("lu", "libomp", 400.0)
    failed |= {"passed": False, "fault": "task 3 did not wait for task 1"}
    failed["quantities"]["ns_per_task"]["value"] = None
    costs = builds.parent / "failed.jsonl"
    costs.write_text(json.dumps(failed) + "\n")
    monkeypatch.setenv("COSTS", str(costs))
    with pytest.raises(BadUsageError, match="--measure libomp: no record of task-overhead that"):
        measured_overheads(["lu"], "libomp", builds)


def test_a_graph_of_less_than_a_nanosecond_has_the_speed_of_its_rate(tmp_path: Path) -> None:
    graph = read_graph(write_graph(tmp_path / "g.jsonl", graph_lines("cholesky", "depend", 1)))
    ((found, _),) = predict(graph, np.array([0.1]), [Machine(4)])
    assert found.parallelism == pytest.approx(1)
    assert found.efficiency == pytest.approx(1 / 4)
    assert found.gflops == pytest.approx(found.flops / 0.1)
