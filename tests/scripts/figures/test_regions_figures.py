# SPDX-License-Identifier: BSD-3-Clause
"""Figures of nested regions: lines over inner threads with their bound, and maps of both levels."""

import json
from pathlib import Path
from typing import Any

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from micro_runs import micro_record, with_times
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.core.analysis.result import Result
from pollux.output.figures.regions import in_microseconds, plan_regions
from pollux.output.figures.selection import Request
from pollux.output.report.page import make_page

SAMPLES = 6
NS = {"libgomp": 4000.0, "libomp": 1000.0}


def region_record(form: str, outer: int, inner: int, runtime: str, work: int = 0) -> dict[str, Any]:
    """All loops take as long as the product of both numbers says."""
    ns = NS[runtime] * outer * inner
    times = {"overhead_ns": ns / outer, "outer": 500.0, "region": ns}
    times["ideal"] = 100.0 * inner if work else 0.0
    own = {
        **{"benchmark": "regions", "variant": form, "threads": outer, "unknown": {}},
        "parameters": {"inner": inner, "work": work, "alpha": 0},
    }
    return micro_record("chain", runtime, ns) | own | {"size": None} | with_times(times)


def result_of(path: Path, records: list[dict[str, Any]]) -> Result:
    path.write_text("".join(json.dumps(r) + "\n" for r in records for _ in range(SAMPLES)))
    return compare(load([path]), reference="libgomp")


def figures_of(path: Path, records: list[dict[str, Any]]) -> dict[str, Figure]:
    plan = plan_regions(Request(result_of(path, records)))
    return {str(f.get_label()): f for f in plan.figures()}


def titled(figure: Figure, title: str) -> Axes:
    found: dict[str, Axes] = {axes.get_title(loc="left"): axes for axes in figure.axes}
    return found[title]


def test_lines_have_the_time_of_all_loops_at_each_number_of_inner_threads(tmp_path: Path) -> None:
    forms = [("parallel", 2), ("task", 2), ("parallel", 4)]
    records = [
        region_record(form, outer, inner, runtime)
        for form, outer in forms
        for inner in (1, 2, 8)
        for runtime in NS
    ]
    figure = figures_of(tmp_path / "x.jsonl", records)["regions-over-inner-threads"]
    assert len(figure.axes) == len(forms)
    axes = titled(figure, "parallel, 4 threads")
    lines = {tuple(map(float, line.get_ydata())) for line in axes.lines}  # type: ignore[arg-type]
    assert lines == {tuple(ns * 4 * inner for inner in (1, 2, 8)) for ns in NS.values()}
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "2", "8"]


@pytest.mark.parametrize("work", [0, 20000])
def test_the_bound_is_drawn_where_there_is_work(tmp_path: Path, work: int) -> None:
    records = [
        region_record("parallel", 2, inner, runtime, work) for inner in (1, 4) for runtime in NS
    ]
    figure = figures_of(tmp_path / "x.jsonl", records)["regions-over-inner-threads"]
    (axes,) = figure.axes
    bounds = [line for line in axes.lines if line.get_color() == "black"]
    assert [list(line.get_ydata()) for line in bounds] == ([[100.0, 400.0]] if work else [])  # type: ignore[arg-type]


def test_a_map_has_the_time_of_each_pair_of_threads_and_gaps_where_there_is_none(
    tmp_path: Path,
) -> None:
    pairs = [(outer, inner) for outer in (1, 2) for inner in (1, 2, 4) if (outer, inner) != (2, 4)]
    records = [region_record("parallel", *pair, runtime) for pair in pairs for runtime in NS]
    figure = figures_of(tmp_path / "x.jsonl", records)["regions-outer-by-inner"]
    assert len(figure.axes) == len(NS)
    axes = titled(figure, "libomp")
    texts = {(t.get_position()[1], t.get_position()[0]): t.get_text() for t in axes.texts}
    assert texts == {
        **{(0.5, 0.5): "1", (0.5, 1.5): "2", (0.5, 2.5): "4"},
        **{(1.5, 0.5): "2", (1.5, 1.5): "4", (1.5, 2.5): "–"},
    }


def test_the_report_shows_them_also_where_an_axis_begins_at_zero(tmp_path: Path) -> None:
    records = [
        region_record("parallel", outer, inner, "libgomp", work)
        for outer in (1, 2)
        for inner in (1, 2)
        for work in (0, 20000)
    ]
    page = make_page(result_of(tmp_path / "x.jsonl", records))
    for name in ("over-inner-threads", "outer-by-inner", "region-over-work"):
        assert f'alt="regions-{name}"' in page


def test_one_number_of_inner_threads_is_not_drawn(tmp_path: Path) -> None:
    records = [region_record("parallel", outer, 2, "libgomp") for outer in (1, 2)]
    assert figures_of(tmp_path / "x.jsonl", records) == {}


@pytest.mark.parametrize(
    ("ns", "text"), [(28.4, "0.0284"), (19_000.0, "19"), (2.262e6, "2262"), (float("nan"), "–")]
)
def test_times_have_three_digits_and_no_powers_of_ten(ns: float, text: str) -> None:
    assert in_microseconds(ns) == text
