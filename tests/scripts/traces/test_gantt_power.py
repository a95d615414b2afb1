# SPDX-License-Identifier: BSD-3-Clause
"""The power below a chart is that of the meter while the run lasted."""

import base64
import gzip
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import StepPatch
from pollux.core.errors import BadUsageError
from pollux.energy.figures.power_below import Powers
from pollux.energy.figures.power_below import read_powers as powers_during
from pollux.insight.traces.chart import gantt_figure
from pollux.insight.traces.file import read_traces
from pollux.insight.traces.model import Trace
from pollux.insight.traces.page import data_of, make_gantt_page
from pollux.insight.traces.view import make_view
from pollux.output.figures.save import render
from simulated_meter import ns, write_meter
from task_graphs import graph_lines
from traces import trace_lines, write_lines


def read_powers(path: Path, traces: Sequence[Trace]) -> Powers:
    return powers_during(path, [trace.record for trace in traces])


def runs(tmp_path: Path, *spans: tuple[float, float]) -> list[Trace]:
    lines = [trace_lines(graph_lines("lu", "depend", 4), threads=2) for _ in spans]
    found = read_traces(write_lines(tmp_path / "traces.jsonl", *lines))
    return [
        replace(
            trace,
            record=trace.record
            | {"start_unix_ns": ns(begin), "end_unix_ns": ns(end), "seconds": end - begin},
            region=round((end - begin) * 1e9),
        )
        for trace, (begin, end) in zip(found, spans, strict=True)
    ]


def meter(tmp_path: Path, more: str = "") -> Path:
    """100 W, and 300 W from 10 to 20 s; nothing from 30 to 60 s."""
    times = np.array([t for t in np.arange(0, 100, 0.1) if not 30 < t < 60])
    return write_meter(tmp_path, times, np.where((times >= 10) & (times < 20), 300.0, 100.0), more=more)  # noqa: E501  # fmt: skip


def curves(figure: Figure) -> list[StepPatch]:
    found = [patch for axes in figure.axes for patch in axes.patches]
    return [p for p in found if isinstance(p, StepPatch) and p.get_gid() == "power"]


def test_each_run_has_the_power_of_its_time(tmp_path: Path) -> None:
    traces = runs(tmp_path, (12.03, 18), (22, 25))
    powers = read_powers(meter(tmp_path), traces)
    assert powers.lacking == []
    figure = gantt_figure(make_view(traces), 7.0, vector=True, powers=powers)
    (first, edges, _), (second, _, _) = (patch.get_data() for patch in curves(figure))
    assert first.tolist() == pytest.approx([300.0] * len(first))
    assert second.tolist() == pytest.approx([100.0] * len(second))
    assert edges[0] == pytest.approx(-0.03e9)  # the sample before the run
    assert edges[-1] >= 5.97e9
    assert len(edges) == pytest.approx(60, abs=3)
    heights = [axes.get_ylim()[1] for axes in figure.axes if axes.get_ylabel() == "W"]
    assert heights == pytest.approx([324, 324])
    assert "power: wall" in " ".join(text.get_text() for text in figure.texts)
    assert render(figure, "png")


def test_the_page_has_the_power_of_each_run_while_it_lasted(tmp_path: Path) -> None:
    traces = runs(tmp_path, (12, 18), (28.5, 29.5))
    view, powers = make_view(traces), read_powers(meter(tmp_path), traces)
    found = data_of(view, powers)
    assert found["highest"] == pytest.approx(300)
    for trace, own, watts in zip(traces, found["traces"], (300, 100), strict=True):
        power = own["power"]
        numbers = np.frombuffer(gzip.decompress(base64.b64decode(power["packed"])), "<i4")
        edges, steps = np.split(numbers, [power["samples"] + 1])
        assert (edges[0], float(edges[-1]) * own["unit"]) == pytest.approx(
            (0, trace.region), rel=1e-6
        )
        assert (np.diff(edges) >= 0).all()
        assert steps.astype(float) * found["watt_step"] == pytest.approx(watts)
        assert power["source"] == "wall"
    html = make_gantt_page(view, powers).decode()
    assert html.count(" · mean power 300 W (wall)") == html.count("mean power 100 W (wall)") == 1
    assert "Below the lanes, power: wall." in html
    assert data_of(view)["highest"] is None and data_of(view)["traces"][0]["power"] is None


def test_a_run_of_which_no_power_is_known_has_none(tmp_path: Path) -> None:
    path = write_meter(tmp_path, np.arange(0, 100, 0.5), np.arange(200.0, 0.0, -1))
    path.write_text(path.read_text().replace('unit = "W"', 'unit = "J"'))
    with pytest.raises(BadUsageError, match="no power below run 1: the counter of wall fell"):
        read_powers(path, runs(tmp_path, (12, 18)))


def test_a_chart_without_a_meter_is_as_before(tmp_path: Path) -> None:
    traces = runs(tmp_path, (12, 18))
    figure = gantt_figure(make_view(traces), 7.0, vector=True)
    assert curves(figure) == [] and len(figure.axes) == 2


def test_what_is_not_covered_is_named(tmp_path: Path) -> None:
    powers = read_powers(meter(tmp_path), runs(tmp_path, (12, 18), (40, 50)))
    assert powers.curves[1] is None
    (line,) = powers.lacking
    assert line.startswith("no power below run 2: wall has a gap of")
    with pytest.raises(BadUsageError, match="no power below run 1: wall has no sample after"):
        read_powers(meter(tmp_path), runs(tmp_path, (95, 200)))


def test_a_run_that_is_too_short_for_its_energy_has_its_power(tmp_path: Path) -> None:
    columns = [{"name": "unix_ns", "unit": "ns"}, {"name": "x J", "unit": "J", "zone": "cray:cpu"}]
    header = {"host": "node", "parts": ["cray:cpu"], "columns": columns}
    path = tmp_path / "power.csv"
    rows = "".join(f"{ns(k / 100)},{k}\n" for k in range(100))
    path.write_text(f"# pollux-power/1 {json.dumps(header)}\nunix_ns,x J\n{rows}")
    (curve,) = read_powers(path, runs(tmp_path, (0.5, 0.53))).curves
    assert curve is not None and curve.watts == pytest.approx(100)


def test_power_of_another_machine_is_not_that_of_a_run(tmp_path: Path) -> None:
    path = meter(tmp_path)
    path.write_text('host = "elsewhere"\n' + path.read_text())
    with pytest.raises(BadUsageError, match="measures elsewhere, not the machine of this run"):
        read_powers(path, runs(tmp_path, (12, 18)))


def test_a_run_during_which_the_clock_was_set_has_no_power(tmp_path: Path) -> None:
    first, second = runs(tmp_path, (12, 18), (22, 25))
    second.record["seconds"] = 9.0
    powers = read_powers(meter(tmp_path), [first, second])
    assert powers.lacking == [
        "no power below run 2: the machine's clock was set during the run",
    ]


def test_a_timeline_without_samples_has_no_power(tmp_path: Path) -> None:
    path = tmp_path / "power.csv"
    path.write_text('# pollux-power/1 {"host": "node", "columns": []}\nunix_ns\n')
    with pytest.raises(BadUsageError, match="has fewer than two samples"):
        read_powers(path, runs(tmp_path, (12, 18)))


def test_an_offset_cannot_be_estimated_from_traces(tmp_path: Path) -> None:
    path = meter(tmp_path, '[clock]\noffset = "estimate"\n')
    with pytest.raises(BadUsageError, match="state the seconds"):
        read_powers(path, runs(tmp_path, (12, 18)))
