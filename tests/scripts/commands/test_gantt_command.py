# SPDX-License-Identifier: BSD-3-Clause
"""`pollux gantt` as a command."""

import json
import os
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from paje_reader import parse_paje
from pollux.core.errors import BadUsageError, MachineError
from pollux.core.tiles import Tile
from pollux.insight.commands.gantt import gantt, own_folder
from pollux.insight.graphs.model import Instance
from pollux.insight.traces.file import read_traces
from pollux.insight.traces.obtain import RunRequest
from pollux.insight.traces.taking import Combinations
from task_graphs import graph_lines, write_graph
from traces import trace_lines, write_lines

LU = graph_lines("lu", "depend", 4)
CW = graph_lines("lu-cw", "cw", 4)


def run(*arguments: object) -> int:
    """`pollux gantt` as the command line calls it."""
    app = typer.Typer(rich_markup_mode=None)
    app.command()(gantt)
    return int(app([str(argument) for argument in arguments], standalone_mode=False))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "lu.jsonl", trace_lines(LU), trace_lines(CW, threads=3))


def test_all_formats_are_written_beside_the_traces(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    formats = [f"--format={kind}" for kind in ("png", "svg", "pdf", "html", "perfetto", "paje")]
    assert run(file, *formats) == 0
    written = [Path(line) for line in capsys.readouterr().out.splitlines()]
    assert len(written) == 6
    assert all(path.parent == file.parent / "lu-gantt" and path.stat().st_size for path in written)
    for path in written:
        if path.suffix == ".svg":
            assert ET.parse(path)


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("g.png", b"\x89PNG"),
        ("g.svg", b"<?xml"),
        ("G.SVG", b"<?xml"),
        ("g.pdf", b"%PDF"),
        ("g.html", b"<!doctype html>"),
        ("g.perfetto.json", b"{"),
        ("g.paje.trace", b"%EventDef"),
    ],
)
def test_an_output_with_the_ending_of_a_format_is_one_file(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, start: bytes
) -> None:
    path = tmp_path / name
    assert run(file, "--output", path) == 0
    assert path.read_bytes().startswith(start)
    assert capsys.readouterr().out == f"{path}\n"
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted([file.name, name])
    folder = tmp_path / f"folder-{name}"
    folder.mkdir()  # what is a folder stays one, whatever its name
    assert run(file, "--output", folder) == 0
    assert sorted(p.name for p in folder.iterdir()) == ["gantt.html", "gantt.svg"]


def test_svg_files_are_the_same_from_the_same_traces(file: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        assert run(file, "--format", "svg", "--output", tmp_path / name) == 0
    assert (tmp_path / "a/gantt.svg").read_bytes() == (tmp_path / "b/gantt.svg").read_bytes()


def test_titles_name_what_differs_and_labels_replace_them(file: Path, tmp_path: Path) -> None:
    assert run(file, "--format=svg", "--output", tmp_path) == 0
    text = (tmp_path / "gantt.svg").read_text()
    assert ">lu depend, libomp 19, 2 threads<" in text
    assert ">lu-cw cw, libomp 19, 3 threads<" in text
    assert "N = 256, NB = 64, openblas kernels." in text  # what they share is printed once
    assert "% busy" in text
    labels = ["--label", "plain <a> $x$", "--label", "concurrent"]
    assert run(file, "--format=svg", "--output", tmp_path, *labels) == 0
    assert "plain &lt;a&gt; $x$" in (tmp_path / "gantt.svg").read_text()


def test_of_repeated_runs_the_one_of_median_time_is_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gaps = {2: (570, 500, 550, 590, 520), 3: (508, 504), 1: (506,)}  # ns, by threads
    runs = [trace_lines(LU, threads=t, gap=gap) for t, own in gaps.items() for gap in own]
    file = write_lines(tmp_path / "many.jsonl", *runs)
    medians = [read_traces(file)[place] for place in (7, 2, 6)]  # the smallest team first
    assert run(file, "--median", "--format=perfetto", "--output", tmp_path) == 0
    events = json.loads((tmp_path / "gantt.perfetto.json").read_text())["traceEvents"]
    titles = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    named = ("1 thread", "2 threads, median of 5 runs", "3 threads, median of 2 runs")
    assert [*titles.values()] == [f"lu depend, libomp 19, {name}" for name in named]
    for process, median in zip(titles, medians, strict=True):
        ends = [e["ts"] + e["dur"] for e in events if e["ph"] == "X" and e["pid"] == process]
        assert max(ends) * 1000 == pytest.approx(median.end.max())
    assert capsys.readouterr().err == ""


def test_many_repeated_runs_are_all_drawn_and_median_is_offered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write_lines(tmp_path / "many.jsonl", *[trace_lines(LU)] * 11)
    assert run(file, "--output", tmp_path / "g.json") == 0
    events = json.loads((tmp_path / "g.json").read_text())["traceEvents"]
    assert len({event["pid"] for event in events}) == 11
    assert "11 runs are drawn; --median would draw 1:" in capsys.readouterr().err
    with pytest.raises(BadUsageError, match="--median is for files of traces"):
        run("lu", "--median")


def test_a_window_draws_only_what_is_in_it(file: Path, tmp_path: Path) -> None:
    [first, second] = read_traces(file)
    begin, end = first.region // 3, first.region // 2
    window = ("--from", begin / 1e9, "--to", end / 1e9)
    assert run(file, "--format=perfetto", "--output", tmp_path, *window) == 0
    trace_events = json.loads((tmp_path / "gantt.perfetto.json").read_text())["traceEvents"]
    slices = [event for event in trace_events if event["ph"] == "X"]
    wanted = sum(int(((t.end > begin) & (t.start < end)).sum()) for t in (first, second))
    assert 0 < len(slices) == wanted < len(first) + len(second)
    assert run(file, "--format=svg", "--format=paje", "--output", tmp_path, *window) == 0
    times = [
        e["Time"] for _, e in parse_paje((tmp_path / "gantt.paje.trace").read_text()) if "Time" in e
    ]
    assert min(times) == pytest.approx(begin / 1e9)
    assert max(times) == pytest.approx(end / 1e9)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["FILE", "lu"], "lu is a benchmark, but not all names are"),
        (["FILE", "--from", "2", "--to", "1"], "is empty"),
        (["FILE", "--from", "1e9"], r"--from 1e\+09: the longest trace ends at \S+ s$"),
        (["FILE", "--label", "a"], "1 label for 2 traces"),
        (["FILE", "--graph", "g.jsonl"], "only for --format perfetto"),
        (["FILE", "--meter", "m.toml", "--format", "paje"], "--meter is only for --format"),
        (["FILE", "--width", "5", "--output", "g.html"], "--width is only for --format svg, pdf,"),
        (["FILE", "--width", "7", "--format", "paje"], "--width is only for --format svg, pdf,"),
        (["FILE", "--output", "g.jpg"], r"g.jpg: a file must end in \.svg, \.pdf, \.png, \.html,"),
        (["FILE", "--output", "g.png", "--format", "svg"], "g.png is one file, which --format svg"),
        (["FILE", "--output", "/nowhere/at/all/g.png"], "--output takes a file in a folder"),
        (["FILE", "--output", "FILE"], r"a folder whose name ends in \.jsonl must exist"),
        (["missing.jsonl"], "missing.jsonl is neither a file or folder of traces nor a benchmark"),
    ],
)
def test_what_makes_no_sense_is_refused(file: Path, options: list[str], words: str) -> None:
    with pytest.raises(BadUsageError, match=words):
        run(*(str(file) if option == "FILE" else option for option in options))


def test_labels_are_counted_before_anything_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taking = "pollux.insight.traces.taking"
    monkeypatch.setattr(f"{taking}.plan", lambda *_: [None, None])
    monkeypatch.setattr(f"{taking}.take_all", lambda *_: pytest.fail("measured"))
    with pytest.raises(BadUsageError, match="1 label for 2 traces"):
        run("lu", "--label", "a", "--output", tmp_path)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--from", "2", "--to", "1"], "the window from 2 to 1 s is empty"),
        (["--to", "0"], "the window from 0 to 0 s is empty"),
        (["--graph", "GRAPH", "--format", "perfetto"], "no trace is of the graph's instance, lu-"),
    ],
)
def test_what_no_trace_could_fit_is_refused_before_anything_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], words: str
) -> None:
    taking = "pollux.insight.traces.taking"
    instance = Instance("lu", "depend", 256, 256, Tile.square(64), None)
    monkeypatch.setattr(f"{taking}.plan", lambda *_: [RunRequest(instance, 2, "libomp")])
    monkeypatch.setattr(f"{taking}.take_all", lambda *_: pytest.fail("measured"))
    graph = str(write_graph(tmp_path / "a.graph", CW))
    given = [graph if option == "GRAPH" else option for option in options]
    with pytest.raises(BadUsageError, match=words):
        run("lu", "--output", tmp_path / "out", *given)
    assert not (tmp_path / "out").exists()


def test_a_graph_of_no_trace_is_refused_before_anything_is_written(
    file: Path, tmp_path: Path
) -> None:
    graph = write_graph(tmp_path / "a.graph", graph_lines("lu", "depend", 5))
    with pytest.raises(BadUsageError, match="no trace is of the graph's instance"):
        run(file, "--graph", graph, "--format", "svg", "--format", "perfetto")
    assert not (tmp_path / "lu-gantt").exists()


@pytest.mark.parametrize("options", [[], ["--label", "one of two"]])
def test_what_cannot_be_drawn_leaves_no_folder_behind(
    file: Path, tmp_path: Path, options: list[str]
) -> None:
    text = tmp_path / "README.md"
    text.write_text("no traces\n")
    with pytest.raises(BadUsageError):
        run(file if options else text, *options)
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]


def test_a_first_run_that_fails_leaves_no_folder_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise MachineError("no memory")

    taking = "pollux.insight.traces.taking"
    instance = Instance("lu", "depend", 256, 256, Tile.square(64), None)
    monkeypatch.setattr(f"{taking}.plan", lambda *_: [RunRequest(instance, 2, "libomp")])
    monkeypatch.setattr(f"{taking}.take_all", fail)
    with pytest.raises(MachineError, match="no memory"):
        run("lu", "--output", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_traces_of_a_folder_are_drawn_beside_it(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "lu-1.5"
    folder.mkdir()
    file.rename(folder / file.name)
    (folder / "lu.graph").write_text("a graph is no trace")
    assert run(folder, "--format", "svg") == 0
    text = (tmp_path / "lu-1.5-gantt/gantt.svg").read_text()
    assert ">lu-cw cw, libomp 19, 3 threads<" in text


def test_default_folders_are_of_one_process() -> None:
    wanted = Combinations(["lu"], [], 256, None, Tile.square(64), 32, [2], [], [], 42)
    assert own_folder(wanted).name.startswith("lu-n256-tile-64-")
    assert own_folder(wanted).name.endswith(f"-{os.getpid()}")
    assert own_folder(replace(wanted, size=None)).name.startswith("lu-tile-64-")


def test_a_folder_that_cannot_be_made_is_refused(file: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises((BadUsageError, MachineError), match="cannot write"):
        run(file, "--output", tmp_path / "taken")
