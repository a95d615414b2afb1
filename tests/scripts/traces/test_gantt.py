# SPDX-License-Identifier: BSD-3-Clause
"""Charts show every kernel where it ran, and idle time as idle."""

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.image import AxesImage
from paje_reader import parse_paje
from pollux.insight.traces.chart import gantt_figure
from pollux.insight.traces.file import read_traces
from pollux.insight.traces.layout import lane_labels
from pollux.insight.traces.model import Trace
from pollux.insight.traces.paje import paje_trace
from pollux.insight.traces.perfetto import perfetto_json
from pollux.insight.traces.raster import Raster, lanes_image, rows_of
from pollux.insight.traces.view import View, busy_share, make_view, medians, panels, step_spans
from pollux.output.figures.save import render
from pollux.output.figures.style import house_style
from task_graphs import graph_lines
from traces import trace_file_lines, trace_lines, write_lines

LU = graph_lines("lu", "depend", 4)
CW = graph_lines("lu-cw", "cw", 4)


def read(folder: Path, *traces: Sequence[str]) -> list[Trace]:
    return read_traces(write_lines(folder / "traces.jsonl", *traces))


@pytest.fixture
def traces(tmp_path: Path) -> list[Trace]:
    return read(tmp_path, trace_lines(LU, threads=3), trace_lines(CW, threads=2))


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
    """The share of each kernel in each dot, by brute force: lanes × columns × kernels."""
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


def test_times_of_all_runs_are_in_one_unit(traces: list[Trace]) -> None:
    own = [replace(traces[0], region=region) for region in (1_709_000, 7_561_000)]
    times = [summary.rpartition(" · ")[2] for summary in make_view(own).summaries]
    assert times == ["1.709 ms", "7.561 ms"]


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
    assert (np.diff(white.astype(int), axis=1) <= 0).all()  # idle is on top


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


@pytest.mark.parametrize("variant", ["depend", "column"])
def test_one_event_of_each_step_is_its_panel_whatever_its_kernel_is_called(
    variant: str, tmp_path: Path
) -> None:
    (trace,) = read(tmp_path, trace_lines(graph_lines("lu", variant, 4), threads=2))
    found = panels(trace)
    assert sorted(trace.step[found]) == [0, 1, 2, 3]
    first = [trace.start[trace.step == step].min() for step in range(4)]
    assert sorted(trace.start[found]) == sorted(first)
    renamed = replace(trace, kernels=tuple(f"new {name}" for name in trace.kernels))
    assert panels(renamed).tolist() == found.tolist()


@pytest.mark.parametrize("simulated", [False, True])
def test_simulated_runs_are_not_repeated_ones(traces: list[Trace], simulated: bool) -> None:
    """Their machines may differ in what a record does not say."""
    first = replace(traces[0], record=traces[0].record | {"simulated": simulated})
    chosen, titles = medians([first, first, traces[1]])
    assert len(chosen) == len(titles) == (3 if simulated else 2)
    assert ("median of 2 runs" in titles[0]) == (not simulated)


def test_runs_that_differ_in_their_team_follow_each_other(tmp_path: Path) -> None:
    of_teams = [(LU, 3), (CW, 2), (LU, 1), (CW, 3), (LU, 2)]
    traces = read(tmp_path, *(trace_lines(graph, threads=team) for graph, team in of_teams))
    chosen, _ = medians(traces)
    assert [(t.instance.benchmark, t.threads) for t in chosen] == [
        *(("lu", team) for team in (1, 2, 3)),
        *(("lu-cw", team) for team in (2, 3)),
    ]
