# SPDX-License-Identifier: BSD-3-Clause
"""`pollux graph` shows, checks and draws the graphs of files and of builds."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import fake_graph_program
import numpy as np
import pytest
import typer
from graph_calls import calls_with_dependences
from listings import BENCHMARKS, listing, variant, write_names
from pollux.core.cli import app
from pollux.core.executables import process
from pollux.core.parameters import NO_PARAMETERS
from pollux.core.tiles import Tile
from pollux.insight.graphs import obtain
from pollux.insight.graphs.file import read_graph
from pollux.insight.graphs.model import Instance
from pollux.insight.graphs.obtain import obtain_graph
from pollux.insight.graphs.reach import implied_edges
from pollux.insight.graphs.trim import without_last_wait
from pollux.output.figures.kernels import COLOURS, in_order, kernel_colours
from project import HELPERS, POLLUX, ROOT, write_stand_in
from task_graphs import (
    GRAPHS,
    IN,
    MUTEX,
    Program,
    forget,
    graph_lines,
    item_events,
    program,
    tile,
    write_graph,
)
from traces import trace_lines, write_lines

FAKE = HELPERS / "fake_graph_program.py"
GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"
SIZES = ("--size", "256", "--tile", "64")


def answer(command: Sequence[str], *given: Any, **options: Any) -> process.Ended:  # noqa: ANN401
    """What a build's stand-in does, in this process: starting one takes longer."""
    script = Path(command[0])
    if str(FAKE) not in script.read_text():
        return process.run_process(command, *given, **options)
    try:
        fake_graph_program.main(script.name, command[1:])
    except SystemExit as end:
        return process.Ended(1, "", f"{end}\n")
    return process.Ended(0, "", "")


@pytest.fixture
def builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(obtain, "run_process", answer)
    root = tmp_path / "a build"
    write_names(root / "libomp" / "bin")
    for name in BENCHMARKS:
        names = ["seq", *(v for b, v in GRAPHS if b == name)]
        later = variant("later", name, reason="needs a newer compiler")
        listed = listing(name, [*(variant(n, name) for n in (*names, "flat", "taskloop")), later])
        version = f"runtime   libomp 14, KMP entry points, {Path(sys.executable).resolve()}"
        command = f'exec "{sys.executable}" "{FAKE}" {name} "$@"'
        write_stand_in(root / "libomp" / "bin" / name, listed, version, command)
    return root


@dataclass(frozen=True)
class Ended:
    """How a command ended and what it printed."""

    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Ended]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """`pollux graph`, within this process: its compiled code is loaded once."""

    def command(*options: object) -> Ended:
        error = ""
        try:
            status = app(["graph", *map(str, options)], standalone_mode=False)
        except typer.TyperException as raised:
            status, error = raised.exit_code, f"pollux: {raised.format_message()}\n"
        printed = capfd.readouterr()
        return Ended(status, printed.out, printed.err + error)

    return command


def relist(builds: Path, benchmark: str, *variants: dict[str, object]) -> None:
    """Give the stand-in of a benchmark these variants."""
    program = builds / "libomp" / "bin" / benchmark
    command = f'exec "{sys.executable}" "{FAKE}" {benchmark} "$@"'
    write_stand_in(program, listing(benchmark, variants), "runtime   libomp 14", command)


def broken_lines() -> list[str]:
    p = program("cholesky", "depend", 4)
    forget(p, item_events(p, "trsm", 0, (2, 0)), tile(0, 0))
    return p.lines()


def test_variants_stand_side_by_side_with_concurrent_write(run: Run, builds: Path) -> None:
    variants = ("--variant", "depend,multidep,cw")
    ended = run("lu", *variants, *SIZES, "--build-root", builds, "--check")
    assert ended.returncode == 0, ended.stderr
    sizes, _, head, *rows = ended.stdout.splitlines()
    assert sizes == "N = 256, NB = 64"
    assert re.split(r"  +", head.strip()) == ["lu depend", "lu multidep", "lu-cw cw"]
    depth = next(row for row in rows if row.startswith("depth"))
    assert re.findall(r" (\d+)", depth) == ["17", "14", "14"]
    assert "All calls that conflict are ordered." in rows


def test_the_fastest_and_the_default_tile_are_shown_as_their_sizes(run: Run, builds: Path) -> None:
    """The stand-ins' table has 64 for both."""
    asked = ("lu", "--variant", "depend", "--size", "256", "--build-root", builds)
    tiles = (("--tile", "64"), ("--tile", "fastest"), ("--tile", "default"), ())
    given, *by_table = (run(*asked, *tile).stdout for tile in tiles)
    assert given.splitlines()[0] == "N = 256, NB = 64"
    assert by_table == [given] * 3


def test_all_variants_with_tasks_that_can_be_had_are_shown(run: Run, builds: Path) -> None:
    ended = run("qr", *SIZES, "--build-root", builds, "--format", "json")
    assert [g["variant"] for g in json.loads(ended.stdout)["graphs"]] == ["depend", "lean", "tree"]


def test_one_of_two_variants_of_a_name_is_shown_if_the_other_cannot_be_had(
    run: Run, builds: Path
) -> None:
    relist(builds, "lu-cw", variant("lean", "lu-cw", reason="needs inoutset"))
    asked = ("lu", *SIZES, "--build-root", builds, "--format", "json", "--variant", "lean")
    (found,) = json.loads(run(*asked).stdout)["graphs"]
    assert (found["benchmark"], found["variant"]) == ("lu", "lean")


def test_a_benchmark_without_task_graphs_passes_no_check(run: Run, builds: Path) -> None:
    later = variant("depend", "cholesky", reason="needs a newer compiler")
    relist(builds, "cholesky", variant("flat", "cholesky"), later)
    ended = run("cholesky", "--check", "--build-root", builds)
    assert ended.returncode == 2
    assert ended.stderr == "pollux: no variant of cholesky has a task graph here\n"


def test_nothing_is_written_where_one_graph_is_too_large(
    run: Run, builds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(obtain.GraphProvider, "write", write)
    monkeypatch.setattr(
        obtain.GraphProvider, "tasks", lambda _, i: 1e9 if i.variant == "multidep" else 1.0
    )
    ended = run("lu", "--variant", "depend,multidep", *SIZES, "--build-root", builds)
    assert ended.returncode == 2
    assert "lu multidep, N = 256, NB = 64 has about 1,000,000,000 tasks" in ended.stderr


def test_graphs_of_one_algorithm_share_a_table_whatever_their_benchmarks_are_called(
    run: Run, tmp_path: Path
) -> None:
    lines = [graph_lines("lu", v, 4) for v in ("depend", "forkjoin", "multidep")]
    names = (("sparse-lu", "lu"), ("mine", "lu"), ("sparse-qr", "qr"))
    for own, (benchmark, algorithm) in zip(lines, names, strict=True):
        header = json.loads(own[0]) | {"benchmark": benchmark, "algorithm": algorithm}
        own[0] = json.dumps(header)
    path = write_graph(tmp_path / "g.jsonl", [line for own in lines for line in own])
    heads = [line.split() for line in run("--graph", path).stdout.splitlines() if "-" in line]
    assert ["sparse-lu", "depend", "mine", "forkjoin"] in heads
    assert ["sparse-qr", "multidep"] in heads


def test_json_has_every_figure(run: Run, tmp_path: Path) -> None:
    path = write_graph(tmp_path / "g.jsonl", graph_lines("lu", "depend", 4))
    analysis = json.loads(run("--graph", path, "--format", "json", "--weights", "calls").stdout)
    assert analysis["schema"] == "pollux-graph-analysis/1"
    (found,) = analysis["graphs"]
    assert found["calls"] == found["tasks"] == sum(found["width"]) == 36
    assert found["depth"] == found["critical_path"]["length"] == len(found["width"]) == 17
    assert sum(found["critical_path"]["counts"].values()) == 17
    assert found["critical_path_possible"]["length"] == 14
    assert found["conflicts"] == []
    assert 0 < found["call_edges_unneeded"] < found["call_edges"] == found["edges"]


def test_a_conflict_is_named_and_fails_the_check(run: Run, tmp_path: Path) -> None:
    path = write_graph(tmp_path / "g.jsonl", broken_lines())
    ended = run("--graph", path, "--check")
    assert ended.returncode == 1
    assert "potrf 0 (0,0) writes A(0,0), trsm 0 (2,0) reads it" in ended.stdout
    ended = run("--graph", path, "--check", "--format", "json")
    assert ended.returncode == 1
    assert "potrf 0 (0,0) writes A(0,0)" in ended.stderr
    (conflict,) = json.loads(ended.stdout)["graphs"][0]["conflicts"]
    assert conflict == {"first": "potrf 0 (0,0)", "second": "trsm 0 (2,0)", "object": "A(0,0)"}
    assert run("--graph", path).returncode == 0


def test_what_never_runs_at_once_is_said_to_be_left_out(run: Run, tmp_path: Path) -> None:
    for kind, is_said in ((MUTEX, True), (IN, False)):
        own = Program("lu", "depend", 4, 4)
        for j in range(4):
            own.call(own.task([("sum", kind)]), "gemm", 0, (0, j), writes=[tile(0, j)])
        ended = run("--graph", write_graph(tmp_path / "g", own.lines()))
        assert ("mutexinoutset never run at once" in ended.stdout) == is_said


def test_dot_has_every_edge_that_no_longer_path_implies(run: Run, tmp_path: Path) -> None:
    path = write_graph(tmp_path / "g.jsonl", graph_lines("lu", "depend", 3))
    graph, text = read_graph(path), run("--graph", path, "--format", "dot").stdout
    implied = implied_edges(graph.before)
    assert implied is not None
    assert text.count(" -> ") == np.count_nonzero(~implied) < len(implied)
    assert f'n0 [label="getrf 0\\n(:,0)", fillcolor="{COLOURS["getrf"]}"];' in text


@pytest.mark.parametrize(
    "kernels", ["s123 s4 t123 t4 product u2 u3 u4", "s124 s35 t124 t35 product c11 c22 c12 c21"]
)
def test_kernels_of_one_form_of_the_recursion_have_colours_of_their_own(kernels: str) -> None:
    names = kernels.split()
    assert len({*kernel_colours(names).values()}) == len(names)


def test_graphml_is_well_formed_and_whole(run: Run, tmp_path: Path) -> None:
    paths = [
        write_graph(tmp_path / f"{v}.jsonl", graph_lines(b, v, 3))
        for b, v in (("qr", "depend"), ("lu", "column"))
    ]
    output = tmp_path / "out.graphml"
    run("--graph", paths[0], "--graph", paths[1], "--format", "graphml", "-o", output)
    root = ElementTree.parse(output).getroot()
    for element, path in zip(root.iter(f"{GRAPHML}graph"), paths, strict=True):
        graph = without_last_wait(read_graph(path))
        nodes = {node.get("id") for node in element.iter(f"{GRAPHML}node")}
        edges = list(element.iter(f"{GRAPHML}edge"))
        assert len(nodes) == len(graph)
        assert len(edges) == len(graph.before.values)
        assert all({e.get("source"), e.get("target")} <= nodes for e in edges)
    assert {key.get("id") for key in root.iter(f"{GRAPHML}key")} >= {
        data.get("key") for data in root.iter(f"{GRAPHML}data")
    }


@pytest.mark.parametrize("tiles", [1, 4, 12])
def test_pictures_show_small_and_large_graphs(run: Run, tiles: int, tmp_path: Path) -> None:
    path = write_graph(tmp_path / "g.jsonl", graph_lines("lu", "forkjoin", tiles))
    output = tmp_path / "picture.svg"
    assert run("--graph", path, "--format", "svg", "--output", output).returncode == 0
    text = output.read_text()
    assert ">getrf<" in text
    assert (">taskwait<" in text) == (tiles == 4)
    assert f"N = {64 * tiles}" in text
    assert ElementTree.fromstring(text).tag.endswith("svg")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "name a benchmark"),
        (("nope",), "unknown benchmark 'nope'; choose from cholesky, lu, lu-cw, qr"),
        (("lu", "--variant", "nope"), "no variant of lu is named 'nope'; choose from seq, depend,"),
        (("lu", "--variant", "flat"), "lu flat has no task graph: it is a parallel loop"),
        (("lu", "--variant", "taskloop"), "lu taskloop has another task graph for each team"),
        (("lu", "--variant", "later"), "lu later is not available: needs a newer compiler"),
        (("lu", "--runtime", "libgomp"), "there is no build libgomp; choose from libomp"),
        (("lu", "--graph", "x"), "--graph takes the graphs of the file"),
        (("lu", "--variant", "depend", "--tile", "1"), "has about 2,863,311,531 tasks"),
        (("lu", "--output", "g.svg"), "g.svg: --format table would be written; give --format svg"),
        (("lu", "--output", "g.png", "--format", "svg"), "give --format png, or another name"),
        (("lu", "--output", "/nowhere/x", *SIZES, "--variant", "cw"), "cannot write /nowhere/x"),
    ],
)
def test_bad_usage_is_one_line(
    run: Run, options: tuple[str, ...], message: str, builds: Path
) -> None:
    ended = run(*options, "--build-root", builds)
    assert ended.returncode == 2
    assert message in ended.stderr
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ([{"status": 3}], "a traced run of lu depend, N = 256, NB = 64 broke down"),
        ([{}, {"kernels": "tuned"}], "--times: traces of openblas and tuned kernels"),
    ],
)
def test_calls_are_weighed_by_whole_runs_of_one_kernel_set(
    run: Run, changes: list[dict[str, Any]], message: str, tmp_path: Path
) -> None:
    lines = graph_lines("lu", "depend", 4)
    graph = write_graph(tmp_path / "graph.jsonl", lines)
    traces = write_lines(tmp_path / "traces.jsonl", *(trace_lines(lines, **c) for c in changes))
    ended = run("--graph", graph, "--times", traces)
    assert ended.returncode == 2
    assert message in ended.stderr


def test_a_program_that_writes_no_graph_is_quoted(run: Run, builds: Path) -> None:
    ended = run("lu", "--variant", "forkjoin", "--build-root", builds)
    assert ended.returncode == 3
    assert ended.stderr == (
        "pollux: lu forkjoin, N = 2048, NB = 64: --graph needs a runtime with OMPT\n"
    )


def test_without_a_build_with_ompt_the_error_names_the_remedy(run: Run, tmp_path: Path) -> None:
    ended = run("lu", "--build-root", tmp_path)
    assert ended.returncode == 2
    assert "scripts/build libomp makes one" in ended.stderr


def test_errors_reach_the_shell(tmp_path: Path) -> None:
    command = [str(POLLUX), "graph", "--graph", str(tmp_path / "none")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert ended.stderr.startswith("pollux: cannot read ")


def test_kernels_have_distinct_colours_and_unknown_ones_too() -> None:
    for family in (("potrf", "trsm", "syrk", "gemm"), ("geqrt", "unmqr", "tsqrt", "tsmqr")):
        assert len({*kernel_colours(family).values()}) == 4
    assert len({*kernel_colours(["new", "newer", "gemm"]).values()}) == 3
    assert in_order(["new", "gemm", "getrf"]) == ["getrf", "gemm", "new"]


@pytest.mark.parametrize(("benchmark", "variant"), sorted(GRAPHS))
def test_programs_write_the_graphs_that_are_tested_here(
    benchmark: str, variant: str, tmp_path: Path
) -> None:
    if not (ROOT / "build/libomp/lib/libpollux-ompt.so").is_file():
        pytest.skip("no build for libomp, which writes graphs")
    if variant == "column":
        pytest.skip("its panel is one kernel here and many in the program")
    ours = read_graph(write_graph(tmp_path / "g.jsonl", graph_lines(benchmark, variant, 4)))
    instance = Instance(
        benchmark, variant, 256, 256, Tile.square(64), 16 if benchmark == "qr" else None
    )
    theirs = obtain_graph(instance, ROOT / "build", "libomp")
    assert replace(theirs.instance, parameters=NO_PARAMETERS) == instance  # with standard ones
    assert calls_with_dependences(without_last_wait(theirs)) == calls_with_dependences(
        without_last_wait(ours)
    )
