# SPDX-License-Identifier: BSD-3-Clause
"""A runtime has one colour in all figures and in the report, whatever it is compared with."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from explain_runs import Files
from matplotlib.colors import rgb_to_hsv, to_hex, to_rgb
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from plotted import runtimes_figures, tile_figures
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.insight.traces.chart import gantt_figure
from pollux.insight.traces.file import read_traces
from pollux.insight.traces.page import make_gantt_page
from pollux.insight.traces.view import make_view
from pollux.output.figures.palette import RUNTIMES, at_night, runtime_colours, runtime_of
from pollux.output.report.data import chart_data
from synthetic import write_campaign

LABELS = ["libomp", "libomp16", "gcc+libomp19", "libomp19-18.1", "libgomp", "bolt", "my-own"]


@pytest.mark.parametrize(
    ("label", "runtime"),
    [
        ("libgomp", "libgomp"),
        ("libgomp13", "libgomp"),
        ("gcc+libomp19", "libomp"),
        ("libiomp5-2026.2.0", "libiomp5"),
        ("clang+libiomp5-2026.2.0", "libiomp5"),
        ("libompss2", "ompss"),
        ("ompss-openmp", "ompss"),
        ("libbolt", "bolt"),
        ("my-own", "my-own"),
        ("libomp (a+b)", "libomp"),
        ("gcc+libomp19 (old)", "libomp"),
    ],
)
def test_a_label_names_its_runtime(label: str, runtime: str) -> None:
    assert runtime_of(label) == runtime


def test_versions_of_one_runtime_differ_in_hue() -> None:
    for count in range(2, 8):
        labels = [*(f"libomp{number}" for number in range(13, 13 + count)), "libgomp"]
        hues = sorted(map(hue, runtime_colours(labels).values()))
        apart = [b - a for a, b in pairwise([*hues, hues[0] + 1])]
        assert min(apart) > 0.02
    (first, second) = map(hue, runtime_colours(["libomp19", "libomp21"]).values())
    assert 0.25 < abs(first - second) < 0.75


def hue(colour: str) -> float:
    """As a share of the circle."""
    return float(rgb_to_hsv(to_rgb(colour))[0])


def test_a_colour_does_not_depend_on_order_or_on_other_runtimes() -> None:
    found = runtime_colours(LABELS)
    assert runtime_colours(reversed(LABELS)) == found
    assert runtime_colours(["libgomp", "libomp"]) == {k: found[k] for k in ("libgomp", "libomp")}
    assert found["libgomp"] == RUNTIMES["libgomp"]
    assert len(set(found.values())) == len(LABELS)


def test_many_runtimes_that_are_not_known_have_colours_of_their_own() -> None:
    labels = [f"own-{letter}" for letter in "abcdefgh"]
    found = runtime_colours([*labels, "libgomp"])
    assert len(set(found.values())) == len(labels) + 1
    assert runtime_colours(reversed([*labels, "libgomp"])) == found
    assert all(found[name] == runtime_colours(labels[:4])[name] for name in labels[:4])


def test_colours_of_day_and_night_are_as_many_and_light_enough() -> None:
    night = [at_night(colour) for colour in runtime_colours(LABELS).values()]
    assert len(set(night)) > len(LABELS) / 2
    assert all(max(int(c[k : k + 2], 16) for k in (1, 3, 5)) > 0x90 for c in night)


def outlines(figure: Figure) -> set[str]:
    """The colours of all bars."""
    return {
        to_hex(bar.get_edgecolor()).upper()
        for axes in figure.axes
        for container in axes.containers
        if isinstance(container, BarContainer)
        for bar in container
    }


def test_bars_curves_and_the_report_agree(tmp_path: Path) -> None:
    for runtimes in ({"libomp": 1.0, "libgomp": 1.1}, {"bolt": 1.0, "libgomp": 1.1, "x": 1.0}):
        path = tmp_path / f"{len(runtimes)}.jsonl"
        cells = [("lu", "depend", 2048, nb) for nb in (64, 128)]
        write_campaign(path, runtimes, cells, rounds=6)
        result = compare(load([path]))
        expected = runtime_colours(runtimes)
        (bars,), (curves,) = runtimes_figures(result), tile_figures(result)
        assert outlines(bars) == set(expected.values())
        assert {
            str(line.get_color())
            for line in curves.axes[0].lines
            if np.asarray(line.get_xdata()).size > 1
        } == set(expected.values())
        data = chart_data(result)
        assert dict(zip(data["levels"], data["colours"]["day"], strict=True)) == expected


def test_other_axes_than_runtimes_have_no_colours_of_runtimes(tmp_path: Path) -> None:
    path = tmp_path / "variants.jsonl"
    cells = [("lu", variant, 2048, 64) for variant in ("depend", "late")]
    write_campaign(path, {"libgomp": 1.0}, cells, rounds=6)
    assert chart_data(compare(load([path]), by="variant"))["colours"] is None


def test_gantt_charts_mark_each_run_with_its_runtime_s_colour(tmp_path: Path) -> None:
    files = Files(tmp_path)
    traces = [read_traces(files.write(name, [1.0]))[0] for name in ("libomp", "libgomp")]
    view = make_view(traces)
    assert view.marks == [RUNTIMES["libomp"], RUNTIMES["libgomp"]]
    figure = gantt_figure(view, 7.0, vector=True)
    squares = [a for a in figure.get_children() if isinstance(a, Rectangle) and a.get_gid()]
    assert [to_hex(patch.get_facecolor()).upper() for patch in squares] == view.marks
    assert all(mark and mark in make_gantt_page(view).decode() for mark in view.marks)
