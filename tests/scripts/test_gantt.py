# SPDX-License-Identifier: BSD-3-Clause
"""`pollux gantt` shows every kernel where it ran and idle time as idle, in each of its formats."""

import json
import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.image import AxesImage
from pollux.commands.gantt import gantt
from pollux.errors import BadUsageError, MachineError
from pollux.figures.save import render
from pollux.figures.style import house_style
from pollux.graphs.file import read_graphs
from pollux.traces.chart import gantt_figure
from pollux.traces.file import read_traces
from pollux.traces.layout import lane_labels
from pollux.traces.model import Trace
from pollux.traces.paje import paje_trace
from pollux.traces.perfetto import perfetto_json
from pollux.traces.raster import Raster, lanes_image, rows_of
from pollux.traces.view import View, busy_share, make_view, step_spans
from task_graphs import graph_lines, write_graph
from traces import trace_file_lines, trace_lines, write_lines

LU = graph_lines("lu", "depend", 4)
CW = graph_lines("lu-cw", "cw", 4)


def run(*arguments: object) -> int:
    """`pollux gantt` as the command line calls it."""
    app = typer.Typer(rich_markup_mode=None)
    app.command()(gantt)
    return int(app([str(argument) for argument in arguments], standalone_mode=False))


def read(folder: Path, *traces: Sequence[str]) -> list[Trace]:
    return read_traces(write_lines(folder / "traces.jsonl", *traces))


@pytest.fixture
def traces(tmp_path: Path) -> list[Trace]:
    return read(tmp_path, trace_lines(LU, threads=3), trace_lines(CW, threads=2))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "lu.jsonl", trace_lines(LU), trace_lines(CW, threads=3))


def random_trace(like: Trace, seed: int, threads: int = 3, events: int = 60) -> Trace:
    """Events of random kernels, lengths and gaps on each thread."""
    chance = np.random.default_rng(seed)
    lengths = chance.integers(0, 9, (threads, 2 * events)).cumsum(axis=1)
    start, end = lengths[:, ::2].ravel(), lengths[:, 1::2].ravel()
    thread = np.repeat(np.arange(threads), events)
    order = np.argsort(start, kind="stable")
    kernel = chance.integers(0, len(like.kernels), threads * events)
    columns = {"kernel": kernel, "step": kernel, "i": kernel, "j": kernel, "core": thread}
    columns |= {"thread": thread, "start": start, "end": end}
    chosen: dict[str, Any] = {name: values[order] for name, values in columns.items()}
    return replace(like, threads=threads, region=int(end.max()) + 3, **chosen)


def shares(trace: Trace, view: View, columns: int) -> np.ndarray[Any, Any]:
    """What share of each dot each kernel has, told by brute force: lanes × columns × kernels."""
    edges = np.linspace(view.begin, view.end, columns + 1)
    found = np.zeros((trace.threads, columns, len(trace.kernels)))
    for event in range(len(trace)):
        for column in range(columns):
            overlap = min(trace.end[event], edges[column + 1]) - max(
                trace.start[event], edges[column]
            )
            place = trace.thread[event], column, trace.kernel[event]
            found[place] += max(0.0, overlap) / (edges[1] - edges[0])
    return found


@pytest.mark.parametrize("columns", [7, 40, 333])
def test_a_dot_has_the_average_colour_of_its_time(traces: list[Trace], columns: int) -> None:
    trace = random_trace(traces[0], seed=columns)
    view = make_view([trace], begin=5.0, end=200.0)
    image = lanes_image(trace, view.colours, Raster(5.0, 200.0, columns))
    own = shares(trace, view, columns)
    inks = np.array([to_rgb(view.colours[name]) for name in trace.kernels])
    average = own @ inks + (1 - own.sum(axis=2))[..., None]
    assert image.shape == (trace.threads, columns, 3)
    assert np.abs(image / 255 - average).max() <= 0.51 / 255


def test_columns_of_narrow_events_show_their_shares(traces: list[Trace]) -> None:
    trace, rows = random_trace(traces[0], seed=3, events=300), 40
    view = make_view([trace])
    columns = 11
    assert rows_of(trace, view.begin, view.end, columns, rows) == rows
    image = lanes_image(trace, view.colours, Raster(view.begin, view.end, columns, rows))
    own = shares(trace, view, columns)
    lanes = image.reshape(trace.threads, rows, columns, 3)
    for kernel, name in enumerate(trace.kernels):
        colour = np.rint(np.array(to_rgb(view.colours[name])) * 255)
        counted = (lanes == colour).all(axis=3).mean(axis=1)
        assert np.abs(counted - own[:, :, kernel]).max() <= 1 / rows
    white = (lanes == 255).all(axis=3)
    assert (np.diff(white.astype(int), axis=1) <= 0).all()  # idle stands on top


def test_wide_events_and_low_lanes_are_drawn_as_they_are(traces: list[Trace]) -> None:
    trace = traces[0]
    assert rows_of(trace, 0, trace.region, 10**4, height=40) == 1
    assert rows_of(trace, 0, trace.region, 10, height=40) == 40
    assert rows_of(trace, 0, trace.region, 10, height=3) == 1


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_the_ink_of_a_chart_is_the_busy_share(tmp_path: Path, kind: str) -> None:
    """Of 20 000 calls on two threads, each a tenth of a dot, half of the time is idle."""
    calls = 10_000
    rows = [[0, k // 100, k, k, t, t, 60 * k, 60 * k + 30] for t in (0, 1) for k in range(calls)]
    record = json.loads(trace_lines(LU)[0])["record"] | {"tasks": len(rows)}
    lines = trace_file_lines(["gemm"], rows, threads=2, region=60 * calls, record=record)
    [trace] = read(tmp_path, lines)
    assert busy_share(trace) == pytest.approx(0.5)
    figure = gantt_figure(make_view([trace]), 7.0, vector=kind != "png")
    [image] = figure.findobj(AxesImage)
    assert isinstance(image, AxesImage)
    white = (np.asarray(image.get_array()) == 255).all(axis=2).mean()
    assert white == pytest.approx(0.5, abs=0.02)
    assert len(render(figure, kind)) < 300_000


def test_rectangles_are_the_events_and_have_no_outline(traces: list[Trace]) -> None:
    view = make_view(traces)
    figure = gantt_figure(view, 7.0, vector=True)
    drawn = []
    for collection in figure.findobj(PolyCollection):
        assert isinstance(collection, PolyCollection)
        assert not np.any(collection.get_linewidth())
        if str(collection.get_gid()).startswith("kernel-"):
            drawn += [tuple(np.asarray(path.vertices)[0]) for path in collection.get_paths()]
    events = [(s, t) for x in traces for s, t in zip(x.start, x.thread, strict=True)]
    assert sorted(drawn) == sorted((float(s), float(t)) for s, t in events)


def test_all_runs_share_one_time_axis(traces: list[Trace]) -> None:
    view = make_view(traces)
    figure = gantt_figure(view, 7.0, vector=True)
    assert view.end == max(trace.region for trace in traces)
    assert {axes.get_xlim() for axes in figure.axes} == {(0.0, view.end)}
    assert len({(axes.get_position().x0, axes.get_position().x1) for axes in figure.axes}) == 1


def test_lanes_and_texts_stay_apart_and_on_the_page(traces: list[Trace]) -> None:
    many = random_trace(traces[0], 1, threads=48)
    figure = gantt_figure(make_view([*traces, many]), 3.4, vector=False)
    boxes = sorted(tuple(axes.get_position().extents) for axes in figure.axes)
    for a in boxes:
        assert 0 <= a[0] < a[2] <= 1
        assert 0 <= a[1] < a[3] <= 1
        assert all(a is b or a[3] <= b[1] + 1e-9 or b[3] <= a[1] + 1e-9 for b in boxes)
    whole = figure.get_window_extent()
    with house_style():
        FigureCanvasAgg(figure)
        figure.draw_without_rendering()
        found = [text.get_window_extent() for text in figure.texts]
    for box in found:
        assert whole.x0 <= box.x0 < box.x1 <= whole.x1
        assert whole.y0 <= box.y0
    assert any(text.get_text().startswith("lu depend, libomp 19") for text in figure.texts)
    overlaps = [(a, b) for a in found for b in found if a is not b and a.overlaps(b)]
    assert not overlaps


@pytest.mark.parametrize("threads", [1, 2, 48, 1000])
def test_any_number_of_lanes_can_be_drawn(traces: list[Trace], threads: int) -> None:
    trace = random_trace(traces[0], 2, threads=threads, events=5)
    figure = gantt_figure(make_view([trace]), 7.0, vector=False)
    assert render(figure, "png").startswith(b"\x89PNG")


@pytest.mark.parametrize(("threads", "lane"), [(4, 0.22), (48, 0.05), (1000, 0.01)])
def test_labels_of_lanes_do_not_touch(threads: int, lane: float) -> None:
    labels = lane_labels(threads, lane)
    assert labels[0] == 0
    assert labels[-1] < threads
    assert all((b - a) * lane > 7 / 72 for a, b in pairwise(labels))


def test_steps_span_from_their_first_kernel_to_their_last(traces: list[Trace]) -> None:
    for trace in traces:
        for step, first, last in zip(*step_spans(trace), strict=True):
            own = trace.step == step
            assert (first, last) == (trace.start[own].min(), trace.end[own].max())


def test_the_legend_names_every_kernel_once(traces: list[Trace]) -> None:
    both = replace(traces[0], kernels=("getrf", "geqrt", "gemm", "laswp"))
    entries = make_view([both, traces[1]]).legend
    assert len({colour for _, colour in entries}) == len(entries)
    names = [name for text, _ in entries for name in text.split(", ")]
    ran = {x.kernels[k] for x in (both, traces[1]) for k in x.kernel}
    assert len(names) == len(ran)
    assert set(names) == ran
    assert "getrf, geqrt" in [text for text, _ in entries]


def test_a_trace_without_events_is_an_empty_lane(tmp_path: Path) -> None:
    head = json.loads(trace_lines(LU)[0])
    head["record"]["tasks"] = 0
    head |= {"region_ns": 0, "submitted_ns": 0}
    [trace] = read(tmp_path, [json.dumps(head)])
    view = make_view([trace])
    for vector in (False, True):
        assert gantt_figure(view, 7.0, vector=vector)
    assert json.loads(perfetto_json(view))
    assert parse_paje(paje_trace(view).decode())


# Other viewers


def test_perfetto_has_every_event_in_microseconds(traces: list[Trace]) -> None:
    view = make_view(traces)
    told = json.loads(perfetto_json(view))["traceEvents"]
    slices = [event for event in told if event["ph"] == "X"]
    for number, trace in enumerate(traces, 1):
        own = [e for e in slices if e["pid"] == number]
        assert len(own) == len(trace)
        for place, event in enumerate(own):
            assert event["name"] == trace.kernels[trace.kernel[place]]
            assert event["ts"] * 1000 == pytest.approx(trace.start[place])
            assert event["dur"] * 1000 == pytest.approx(trace.end[place] - trace.start[place])
            assert event["tid"] == trace.thread[place]
            assert event["args"]["step"] == trace.step[place]
    names = {e["pid"]: e["args"]["name"] for e in told if e["name"] == "process_name"}
    assert names == {1: view.titles[0], 2: view.titles[1]}
    threads = [e for e in told if e["name"] == "thread_name"]
    assert len(threads) == 5


def test_perfetto_has_an_arrow_for_each_edge(tmp_path: Path, traces: list[Trace]) -> None:
    [graph] = read_graphs(write_graph(tmp_path / "g.jsonl", LU))
    told = json.loads(perfetto_json(make_view(traces), [graph]))["traceEvents"]
    slices = [event for event in told if event["ph"] == "X"]
    leaving = {e["id"]: e for e in told if e["ph"] == "s"}
    arriving = {e["id"]: e for e in told if e["ph"] == "f"}
    assert len(leaving) == len(arriving) == len(graph.before.values)
    for number, source in leaving.items():
        target = arriving[number]
        assert source["ts"] <= target["ts"]
        for end in (source, target):  # each is within one slice of its thread, and says so
            inside = [
                s
                for s in slices
                if (s["pid"], s["tid"]) == (end["pid"], end["tid"])
                and s["ts"] <= end["ts"] < s["ts"] + s["dur"]
            ]
            assert len(inside) == 1
        assert target["bp"] == "e"


def test_a_graph_of_no_trace_is_refused(tmp_path: Path, traces: list[Trace]) -> None:
    [graph] = read_graphs(write_graph(tmp_path / "g.jsonl", graph_lines("lu", "depend", 5)))
    with pytest.raises(BadUsageError, match="no trace is of the graph's instance"):
        perfetto_json(make_view(traces), [graph])


PAJE_TOKEN = re.compile(r'"([^"]*)"|(\S+)')
PAJE_NEEDS = {
    "PajeDefineContainerType": {"Alias", "Type", "Name"},
    "PajeDefineStateType": {"Alias", "Type", "Name"},
    "PajeDefineEntityValue": {"Alias", "Type", "Name"},
    "PajeCreateContainer": {"Time", "Alias", "Type", "Container", "Name"},
    "PajeDestroyContainer": {"Time", "Type", "Name"},
    "PajeSetState": {"Time", "Type", "Container", "Value"},
}
PAJE_TYPES: dict[str, Callable[[str], object]] = {
    "string": str,
    "int": int,
    "date": float,
    "double": float,
    "color": lambda text: [float(part) for part in text.split()],
}


def parse_paje(text: str) -> list[tuple[str, dict[str, Any]]]:
    """The events, each checked against its definition; the header is checked on the way."""
    definitions: dict[str, tuple[str, list[tuple[str, str]]]] = {}
    open_: str | None = None
    events = []
    for line in text.splitlines():
        if line.startswith("%EventDef "):
            _, name, open_ = line.split()
            assert open_ not in definitions
            definitions[open_] = (name, [])
        elif line == "%EndEventDef":
            assert open_ is not None
            name, fields = definitions[open_]
            assert {field for field, _ in fields} >= PAJE_NEEDS[name]
            open_ = None
        elif line.startswith("%"):
            assert open_ is not None
            field, type_ = line[1:].split()
            definitions[open_][1].append((field, type_))
        else:
            number, *values = [a or b for a, b in PAJE_TOKEN.findall(line)]
            name, fields = definitions[number]
            pairs = zip(fields, values, strict=True)
            events.append((name, {f: PAJE_TYPES[t](v) for (f, t), v in pairs}))
    return events


def test_paje_declares_what_it_uses_and_goes_forward_in_time(traces: list[Trace]) -> None:
    types, containers, values = {"0": ""}, {"0": ""}, set()
    now = -math.inf
    for name, event in parse_paje(paje_trace(make_view(traces)).decode()):
        if name in ("PajeDefineContainerType", "PajeDefineStateType"):
            assert event["Type"] in types
            types[event["Alias"]] = event["Type"]
        elif name == "PajeDefineEntityValue":
            assert event["Type"] in types
            assert len(event["Color"]) == 3
            values.add(event["Alias"])
        else:
            assert event["Time"] >= now
            now = event["Time"]
            assert event["Type"] in types
        if name == "PajeCreateContainer":
            assert containers[event["Container"]] in ("", types[event["Type"]])
            containers[event["Alias"]] = event["Type"]
        elif name == "PajeDestroyContainer":
            assert containers.pop(event["Name"]) == event["Type"]
        elif name == "PajeSetState":
            assert containers[event["Container"]] == types[event["Type"]]
            assert event["Value"] in values
    assert list(containers) == ["0"]


def test_paje_states_are_the_events(traces: list[Trace]) -> None:
    told = parse_paje(paje_trace(make_view(traces)).decode())
    for number, trace in enumerate(traces):
        spans = []
        for thread in range(trace.threads):
            own = [
                e
                for n, e in told
                if n == "PajeSetState" and e["Container"] == f"r{number}t{thread}"
            ]
            for event, after in pairwise(own):
                if event["Value"] != "idle":
                    tile = (event["Step"], event["I"], event["J"])
                    spans.append((thread, event["Value"], tile, event["Time"], after["Time"]))
        columns = zip(
            trace.thread,
            trace.kernel,
            trace.step,
            trace.i,
            trace.j,
            trace.start,
            trace.end,
            strict=True,
        )
        events = sorted(
            (int(t), f"k-{trace.kernels[k]}", (int(s), int(i), int(j)), a / 1e9, b / 1e9)
            for t, k, s, i, j, a, b in columns
        )
        assert [span[:3] for span in sorted(spans)] == [event[:3] for event in events]
        assert np.allclose([s[3:] for s in sorted(spans)], [e[3:] for e in events], atol=1e-12)


# The command


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


def test_svg_files_are_the_same_from_the_same_traces(file: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        assert run(file, "--format", "svg", "--output", tmp_path / name) == 0
    assert (tmp_path / "a/gantt.svg").read_bytes() == (tmp_path / "b/gantt.svg").read_bytes()


def test_titles_name_what_differs_and_labels_replace_them(file: Path, tmp_path: Path) -> None:
    assert run(file, "--format=svg", "--output", tmp_path) == 0
    text = (tmp_path / "gantt.svg").read_text()
    assert ">lu depend, libomp 19, 2 threads<" in text
    assert ">lu-cw cw, libomp 19, 3 threads<" in text
    assert "N = 256, NB = 64." in text  # what they share is told once
    assert "% busy" in text
    labels = ["--label", "plain <a> $x$", "--label", "concurrent"]
    assert run(file, "--format=svg", "--output", tmp_path, *labels) == 0
    assert "plain &lt;a&gt; $x$" in (tmp_path / "gantt.svg").read_text()


def test_a_window_draws_only_what_is_in_it(file: Path, tmp_path: Path) -> None:
    [first, second] = read_traces(file)
    begin, end = first.region // 3, first.region // 2
    window = ("--from", begin / 1e9, "--to", end / 1e9)
    assert run(file, "--format=perfetto", "--output", tmp_path, *window) == 0
    told = json.loads((tmp_path / "gantt.perfetto.json").read_text())["traceEvents"]
    slices = [event for event in told if event["ph"] == "X"]
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
        (["FILE", "lu"], "lu is a benchmark, the rest are none"),
        (["FILE", "--from", "2", "--to", "1"], "is empty"),
        (["FILE", "--from", "1e9"], "is empty"),
        (["FILE", "--label", "a"], "1 labels for 2 traces"),
        (["FILE", "--graph", "g.jsonl"], "perfetto alone"),
        (["missing.jsonl"], "missing.jsonl is no file or folder of traces, nor a benchmark"),
    ],
)
def test_what_makes_no_sense_is_refused(file: Path, options: list[str], words: str) -> None:
    with pytest.raises(BadUsageError, match=words):
        run(*(str(file) if option == "FILE" else option for option in options))


def test_a_folder_that_cannot_be_made_is_refused(file: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises((BadUsageError, MachineError), match="cannot write"):
        run(file, "--output", tmp_path / "taken")
