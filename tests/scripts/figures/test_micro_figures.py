# SPDX-License-Identifier: BSD-3-Clause
"""Figures of micro-benchmarks show what the records say, and nothing else does."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from micro_campaigns import Make, Times, clomp, configuration, metg, overhead, write_micro_campaign
from plotted import caption, run_plot
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.core.analysis.result import Result
from pollux.core.campaign.lines import Configuration
from pollux.core.errors import BadUsageError
from pollux.output.figures.kinds import plan
from pollux.output.figures.modes import modes
from pollux.output.figures.page import HEIGHT
from pollux.output.figures.selection import Request
from pollux.output.figures.times import tick_text
from pytest import approx

SIDES = {"libgomp": 400.0, "libomp": 300.0}
ITEMS = (1, 4, 16)
SWEEP = [
    (configuration(runtime, "independent", parameters={"items": items}), ns * items)
    for items in ITEMS
    for runtime, ns in SIDES.items()
]
CHAINS = [(configuration(runtime, "chain"), ns) for runtime, ns in SIDES.items()]
MESH = {"benchmark": "clomp", "size": 64, "size_name": "partitions"}
SCHEDULES = {"static": 500.0, "depend": 1800.0}
CLOMP = [
    (configuration(runtime, schedule, **MESH), ns)
    for schedule, ns in SCHEDULES.items()
    for runtime in SIDES
]
WAITS = {"passive": 400.0, "active": 300.0}
WAITING = [
    (configuration(runtime, variant, environment=wait, parameters={"items": items}), ns * items)
    for variant in ("chain", "fan-in")
    for runtime in SIDES
    for items in ITEMS
    for wait, ns in WAITS.items()
]
GRAINS = [(c.model_copy(update={"benchmark": "granularity"}), ns) for c, ns in CHAINS]


def result_of(folder: Path, times: Times, make: Make = overhead) -> Result:
    write_micro_campaign(folder / "t.jsonl", times, make=make, rounds=12)
    return compare(load([folder / "t.jsonl"]))


def drawn(kind: str, result: Result) -> dict[str, Figure]:
    return {str(figure.get_label()): figure for figure in plan(kind, Request(result)).figures()}


def medians(result: Result, quantity: str) -> dict[str, list[float]]:
    """The times of a quantity by runtime, in the order of the campaign."""
    found: dict[str, list[float]] = {}
    order = list(result.dataset.configurations)
    for row in sorted(result.rows, key=lambda row: order.index(row.key)):
        if row.configuration.quantity == quantity and row.figure:
            found.setdefault(row.level, []).append(row.figure.estimate)
    return found


def lines(axes: Axes) -> list[Sequence[float]]:
    """The heights of all lines that join points."""
    return [np.asarray(line.get_ydata(), float).tolist() for line in axes.lines if is_curve(line)]


def is_curve(line: Line2D) -> bool:
    return len(np.asarray(line.get_ydata())) > 2


def spans(axes: Axes) -> Iterator[tuple[float, float]]:
    """The ends of all vertical intervals."""
    for collection in axes.collections:
        if isinstance(collection, LineCollection):
            for (x0, y0), (x1, y1) in np.asarray(collection.get_segments()):
                if x0 == x1:
                    yield y0, y1


def test_a_line_for_each_runtime_runs_over_items_with_its_intervals(tmp_path: Path) -> None:
    result = result_of(tmp_path, SWEEP)
    figure = drawn("overheads", result)["task-overhead-ns-per-task-over-items"]
    (axes,) = figure.axes
    assert lines(axes) == [approx(own) for own in medians(result, "ns_per_task").values()]
    rows = [r.figure for r in result.rows if r.configuration.quantity == "ns_per_task" and r.figure]
    ends = np.array(sorted((f.low, f.high) for f in rows))
    assert np.array(sorted(spans(axes))) == approx(ends)
    assert axes.get_xlabel() == "depend items of a task"
    assert axes.get_ylabel() == "time per task, ns"
    assert axes.get_yscale() == "log"


def test_each_quantity_has_a_page_and_axes_of_one_value_have_none(tmp_path: Path) -> None:
    names = [*drawn("overheads", result_of(tmp_path, SWEEP))]
    assert names == [
        "task-overhead-ns-per-task-over-items",
        "task-overhead-creation-over-items",
    ]
    assert drawn("overheads", result_of(tmp_path, CHAINS)) == {}


def test_costs_have_a_mark_for_each_variant_and_runtime(tmp_path: Path) -> None:
    result = result_of(tmp_path, [*CHAINS, *SWEEP[:2]])
    (axes,) = drawn("costs", result)["task-overhead-costs-2-threads"].axes
    found = sorted(float(x) for line in axes.lines for x in np.asarray(line.get_xdata()))
    times = [ns for own in medians(result, "ns_per_task").values() for ns in own]
    assert found == approx(sorted(times))
    assert [label.get_text() for label in axes.get_yticklabels()] == ["chain", "independent"]


def test_captions_have_the_conditions_that_no_panel_is_called_after(tmp_path: Path) -> None:
    result = result_of(tmp_path, SWEEP)
    figure = drawn("overheads", result)["task-overhead-ns-per-task-over-items"]
    told = "task-overhead, 256 tasks, distance = 64, 2 threads; 12 samples of each configuration; "
    assert caption(figure).startswith(told)
    write_micro_campaign(tmp_path / "t.jsonl", WAITING, rounds=12)
    waiting = compare(load([tmp_path / "t.jsonl"]), by="environment")
    assert "passive" not in caption(drawn("costs", waiting)["task-overhead-costs-2-threads"])


@pytest.mark.parametrize("kind", ["costs", "terms"])
def test_pages_are_no_taller_than_paper(tmp_path: Path, kind: str) -> None:
    times = [
        (configuration(runtime, "chain", threads=threads, parameters={"distance": distance}), ns)
        for threads in ((2,) if kind == "costs" else range(1, 9))
        for distance in range(8, (50 if kind == "costs" else 1) * 8 + 1, 8)
        for runtime, ns in SIDES.items()
    ]
    write_micro_campaign(tmp_path / "t.jsonl", times, rounds=2)
    pages = drawn(kind, compare(load([tmp_path / "t.jsonl"])))
    assert len(pages) > 1 and len(set(pages)) == len(pages)
    assert all(figure.get_figheight() < HEIGHT for figure in pages.values())
    if kind == "costs":
        names = [t.get_text() for f in pages.values() for t in f.axes[0].get_yticklabels()]
        assert names == [f"chain, distance = {8 * n}" for n in range(1, 51)]
    else:
        titles = [axes.get_title(loc="left") for f in pages.values() for axes in f.axes]
        assert len(set(titles)) == len(titles) == 3 * 8


def test_levels_of_another_axis_are_compared_on_each_runtime(tmp_path: Path) -> None:
    write_micro_campaign(tmp_path / "t.jsonl", WAITING, rounds=12)
    result = compare(load([tmp_path / "t.jsonl"]), by="environment")
    (axes,) = drawn("costs", result)["task-overhead-costs-2-threads"].axes
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        f"{variant}, items = {items}, {runtime}"
        for variant in ("chain", "fan-in")
        for runtime in SIDES
        for items in ITEMS
    ]
    over_items = drawn("overheads", result)["task-overhead-ns-per-task-over-items"]
    titles = {text.get_text() for text in over_items.findobj(Text)}
    assert titles > {f"{v}, {r}" for v in ("chain", "fan-in") for r in SIDES}
    assert all(len(lines(axes)) == len(WAITS) for axes in over_items.axes if axes.lines)


def test_numbers_of_threads_are_compared_on_one_page(tmp_path: Path) -> None:
    times = [
        (configuration("libgomp", variant, threads=threads), ns)
        for variant in ("chain", "fan-in")
        for threads, ns in ((1, 400.0), (2, 300.0))
    ]
    write_micro_campaign(tmp_path / "t.jsonl", times, rounds=12)
    result = compare(load([tmp_path / "t.jsonl"]), by="threads")
    for kind in ("costs", "terms"):
        pages = drawn(kind, result)
        assert list(pages) == [f"task-overhead-{kind}"]
        assert all("thread" not in text.get_text() for text in pages[f"task-overhead-{kind}"].texts)


def test_ticks_have_no_leading_zeros_in_their_exponents() -> None:
    assert [tick_text(ns) for ns in (0.5, 200_000, 2e6, 1e10)] == ["0.5", "200000", "2e6", "1e10"]


def test_samples_in_two_modes_are_marked_and_named(tmp_path: Path) -> None:
    def twofold(c: Configuration, ns: float) -> dict[str, Any]:
        slow = c.runtime == "libomp" and next(turns) // 2 % 2
        return overhead(c, 2.0 * ns if slow else ns)

    turns = count()
    write_micro_campaign(tmp_path / "t.jsonl", SWEEP[:4], make=twofold, rounds=24)
    figure = drawn("costs", compare(load([tmp_path / "t.jsonl"])))["task-overhead-costs-2-threads"]
    (axes,) = figure.axes
    assert [len(np.asarray(m.get_xdata())) for m in axes.lines if m.get_marker() == "|"] == [2, 2]
    text = " ".join(figure.texts[-1].get_text().split())
    assert "in several modes, marked by short lines: independent, items = 1 on libomp (" in text
    assert "libgomp (" not in text


@pytest.mark.slow
@pytest.mark.parametrize("samples", [12, 50])
def test_samples_of_one_mode_are_rarely_taken_for_two(samples: int) -> None:
    rng = np.random.default_rng(samples)
    normal = [rng.lognormal(0, 0.02, samples).tolist() for _ in range(100)]
    skewed = [(1 + 0.05 * rng.exponential(size=samples)).tolist() for _ in range(100)]
    assert sum(len(modes(own)) > 1 for own in normal) <= 3
    assert sum(len(modes(own)) > 1 for own in skewed) <= 6
    apart = [np.where(rng.random(samples) < 0.5, 1.0, 1.3) * np.array(own) for own in normal]
    assert sum(len(modes(own.tolist())) == 2 for own in apart) >= 90


def test_too_few_and_equal_samples_have_no_modes() -> None:
    assert modes([1.0, 2.0] * 5) == [] and modes([3.0] * 40) == [] and modes([]) == []


def test_intervals_of_runtimes_stand_beside_each_other(tmp_path: Path) -> None:
    figure = drawn("overheads", result_of(tmp_path, SWEEP))["task-overhead-ns-per-task-over-items"]
    (axes,) = figure.axes
    places = [
        x for line in axes.lines if is_curve(line) for x in np.asarray(line.get_xdata(), float)
    ]
    assert len(set(places)) == len(SWEEP)


def test_efficiencies_above_one_are_within_the_axes(tmp_path: Path) -> None:
    def make(c: Configuration, ns: float) -> dict[str, Any]:
        made = metg(c, ns)
        for point in made["details"]["curve"]:
            point["efficiency"] *= 1.3
        return made

    (axes,) = drawn("granularity", result_of(tmp_path, GRAINS, make))["granularity-efficiency"].axes
    assert axes.get_ylim()[1] > 1.3


def test_efficiency_runs_over_granularity_with_metg_marked(tmp_path: Path) -> None:
    result = result_of(tmp_path, GRAINS, metg)
    (axes,) = drawn("granularity", result)["granularity-efficiency"].axes
    curves = lines(axes)
    assert all(own == sorted(own) and 0 < own[0] < own[-1] < 1 for own in curves)
    rings = [line for line in axes.lines if line.get_markerfacecolor() == "none"]
    ends = (np.asarray([line.get_ydata(), line.get_xdata()], float)[:, 0] for line in rings)
    found = sorted((float(share), float(ns)) for share, ns in ends)
    assert [share for share, _ in found] == [0.5, 0.5, 0.9, 0.9]
    for share, name in ((0.5, "metg_50"), (0.9, "metg_90")):
        times = sorted(ns for own in medians(result, name).values() for ns in own)
        assert [ns for at, ns in found if at == share] == approx(times)


def test_processes_without_a_common_grain_have_no_curve(tmp_path: Path) -> None:
    shifts = count(1)

    def make(c: Configuration, ns: float) -> dict[str, Any]:
        made, shift = metg(c, ns), next(shifts)
        for point in made["details"]["curve"]:
            point["grain"] = 100 * point["grain"] + shift
        return made

    (axes,) = drawn("granularity", result_of(tmp_path, GRAINS, make))["granularity-efficiency"].axes
    assert lines(axes) == []


def test_bars_are_speed_ups_with_the_best_case_drawn_across(tmp_path: Path) -> None:
    result = result_of(tmp_path, CLOMP, clomp)
    (axes,) = drawn("clomp", result)["clomp-speed-up"].axes
    loops = medians(result, "loop")
    bars = [patch.get_height() for patch in axes.patches if isinstance(patch, Rectangle)]
    expected = [900 / loops[runtime][at] for at in range(2) for runtime in SIDES]
    assert bars == approx(expected, rel=0.01)
    bounds = [
        y0
        for collection in axes.collections
        if isinstance(collection, LineCollection)
        for (x0, y0), (x1, _) in np.asarray(collection.get_segments())
        if x0 != x1
    ]
    assert bounds == [approx(2.0)] * 4
    assert [label.get_text() for label in axes.get_xticklabels()] == ["static", "depend"]


def test_rates_that_are_not_gflops_are_drawn_as_times_are(tmp_path: Path) -> None:
    times = result_of(tmp_path, [*CHAINS, *SWEEP])
    rates = {"unit": "1/s", "better": "more"}
    rows = [replace(r, configuration=r.configuration.model_copy(update=rates)) for r in times.rows]
    result = replace(times, rows=rows)
    assert drawn("runtimes", result) == {}
    (axes,) = drawn("costs", result)["task-overhead-costs-2-threads"].axes
    assert axes.get_xlabel() == "time per task, 1/s"


@pytest.mark.parametrize("kind", ["runtimes", "tile", "size", "threads"])
def test_times_are_in_no_figure_of_speeds(kind: str, tmp_path: Path) -> None:
    assert drawn(kind, result_of(tmp_path, [*CHAINS, *SWEEP])) == {}


def test_the_command_draws_what_there_is_and_says_what_a_kind_needs(tmp_path: Path) -> None:
    write_micro_campaign(tmp_path / "t.jsonl", SWEEP)
    arguments = "--output", tmp_path / "a", "--format", "png", "--kind", "all"
    assert run_plot(tmp_path / "t.jsonl", *arguments) == 0
    assert len([*(tmp_path / "a").iterdir()]) == 6
    with pytest.raises(BadUsageError, match="clomp; ratios, terms, overheads, costs can be"):
        run_plot(tmp_path / "t.jsonl", "--kind", "clomp")


def test_where_no_kind_can_be_drawn_none_is_offered(tmp_path: Path) -> None:
    write_micro_campaign(tmp_path / "t.jsonl", CHAINS[:1])
    with pytest.raises(BadUsageError, match=r"--kind terms: it needs .* several quantities$"):
        run_plot(tmp_path / "t.jsonl", "--kind", "terms")


def test_one_configuration_of_times_is_refused_before_a_folder_is_made(tmp_path: Path) -> None:
    write_micro_campaign(tmp_path / "t.jsonl", CHAINS[:1])
    with pytest.raises(BadUsageError, match="nothing to draw: a figure needs"):
        run_plot(tmp_path / "t.jsonl", "--output", tmp_path / "a")
    assert not (tmp_path / "a").exists()
