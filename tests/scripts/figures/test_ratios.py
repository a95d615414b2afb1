# SPDX-License-Identifier: BSD-3-Clause
"""The figure of ratios shows each comparison, its interval and its verdict, and nothing else."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from micro_campaigns import configuration, write_micro_campaign
from plotted import RUNTIMES, caption, grid, run_plot
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.core.analysis.result import Comparison, Interval, Result, Verdict
from pollux.core.campaign.lines import Outcome, PartOf
from pollux.output.figures.entries import Filter
from pollux.output.figures.ratios import HOLLOW, MARKS, plan_ratios
from pollux.output.figures.selection import Request
from pytest import approx
from synthetic import write_campaign

CHAINS = [
    (configuration(runtime, pattern), ns)
    for pattern in ("chain", "fan-in")
    for runtime, ns in (("libgomp", 400.0), ("libomp", 300.0), ("libomp19", 401.0))
]


def speeds(folder: Path) -> Result:
    write_campaign(folder / "s.jsonl", {**RUNTIMES, "liby": 0.9}, grid("depend cw"), rounds=12)
    return compare(load([folder / "s.jsonl"]))


def axes_of(result: Result) -> dict[str, Axes]:
    figures = plan_ratios(Request(result)).figures()
    return {str(figure.get_label()): figure.axes[0] for figure in figures}


def comparisons(result: Result) -> list[Comparison]:
    rows = [row.comparison for row in result.rows if row.level != result.reference]
    return [*(mean.comparison for mean in result.overall), *rows]


def ratio_of(comparison: Comparison) -> Interval:
    assert comparison.ratio is not None
    return comparison.ratio


def marks(axes: Axes) -> list[Line2D]:
    return [line for line in axes.lines if line.get_marker() in MARKS.values()]


def where(line: Line2D) -> float:
    return float(np.asarray(line.get_xdata(), float)[0])


def spans(axes: Axes) -> list[tuple[float, float]]:
    segments = [
        segment
        for collection in axes.collections
        if isinstance(collection, LineCollection)
        for segment in np.asarray(collection.get_segments())
    ]
    return sorted((float(start[0]), float(end[0])) for start, end in segments)


def test_each_comparison_is_a_mark_of_its_verdict_at_its_ratio(tmp_path: Path) -> None:
    result = speeds(tmp_path)
    axes = axes_of(result)["speed-ratios"]
    expected = sorted((ratio_of(c).estimate, MARKS[c.verdict]) for c in comparisons(result))
    found = sorted((where(line), str(line.get_marker())) for line in marks(axes))
    assert {c.verdict for c in comparisons(result)} >= {Verdict.BETTER, Verdict.WORSE}
    assert [mark for _, mark in found] == [mark for _, mark in expected]
    assert [ratio for ratio, _ in found] == approx([ratio for ratio, _ in expected])
    hollow = sum(line.get_markerfacecolor() == "white" for line in marks(axes))
    assert hollow == sum(c.verdict in HOLLOW for c in comparisons(result))


def test_intervals_are_those_of_the_comparison_and_do_not_overlap(tmp_path: Path) -> None:
    result = speeds(tmp_path)
    axes = axes_of(result)["speed-ratios"]
    bounded = [ratio_of(c) for c in comparisons(result) if ratio_of(c).bounded]
    assert np.array(spans(axes)) == approx(np.array(sorted((r.low, r.high) for r in bounded)))
    places = [float(np.asarray(line.get_ydata(), float)[0]) for line in marks(axes)]
    assert len(set(places)) == len(places)


def test_the_means_stand_at_the_top_and_rows_name_their_cells(tmp_path: Path) -> None:
    result = speeds(tmp_path)
    axes = axes_of(result)["speed-ratios"]
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["mean over 2 cells", "lu depend", "lu cw"]
    first, last = axes.get_ylim()
    assert first > last  # row 0 at the top
    means = [where(m) for m in marks(axes) if np.asarray(m.get_ydata(), float)[0] < 0.5]
    assert sorted(means) == approx(sorted(ratio_of(m.comparison).estimate for m in result.overall))


def test_rows_name_the_runtime_where_variants_are_compared(tmp_path: Path) -> None:
    speeds(tmp_path)
    axes = axes_of(compare(load([tmp_path / "s.jsonl"]), by="variant"))["speed-ratios"]
    names = [label.get_text() for label in axes.get_yticklabels()]
    rows = [name for name in names if not name.startswith("mean")]
    assert sorted(rows) == sorted(f"lu, {runtime}" for runtime in [*RUNTIMES, "liby"])


def test_each_node_has_its_means(tmp_path: Path) -> None:
    cells = [("lu", "depend", 1024, 64), ("cholesky", "depend", 1024, 64)]
    files = [tmp_path / f"n.{number}.jsonl" for number in (1, 2)]
    for number, path in enumerate(files, 1):
        part = PartOf(campaign="n", number=number, of=2, node=f"n{number}")
        write_campaign(path, {"libgomp": 1.0, "libomp": 1.1}, cells, seed=number, part=part)
    result = compare(load(files))
    axes = axes_of(result)["speed-ratios"]
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names[:2] == [f"mean over 2 cells on node n{number}" for number in (1, 2)]
    means = [where(m) for m in marks(axes) if np.asarray(m.get_ydata(), float)[0] < 1.5]
    assert sorted(means) == approx(sorted(ratio_of(m.comparison).estimate for m in result.overall))


def test_means_over_more_than_is_drawn_are_left_out(tmp_path: Path) -> None:
    result = speeds(tmp_path)
    write_micro_campaign(tmp_path / "t.jsonl", CHAINS)
    both = compare(load([tmp_path / "s.jsonl", tmp_path / "t.jsonl"]))
    chosen = Request(both, filter=Filter(benchmark=["lu"]))
    (figure,) = plan_ratios(chosen).figures()
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert result.overall and names and not any(name.startswith("mean") for name in names)


def test_each_quantity_of_times_has_a_page(tmp_path: Path) -> None:
    write_micro_campaign(tmp_path / "t.jsonl", CHAINS)
    found = axes_of(compare(load([tmp_path / "t.jsonl"])))
    assert list(found) == [
        f"task-overhead-{name}-ratios" for name in ("ns-per-task", "creation", "release")
    ]
    rows = [
        label.get_text() for label in found["task-overhead-ns-per-task-ratios"].get_yticklabels()
    ]
    assert rows == ["mean over 2 cells", "chain", "fan-in"]


def test_without_the_reference_its_ratios_are_drawn(tmp_path: Path) -> None:
    chosen = Request(speeds(tmp_path), filter=Filter(runtime=["libomp"]))
    (figure,) = plan_ratios(chosen).figures()
    (axes,) = figure.axes
    expected = [ratio_of(r.comparison) for r in chosen.result.rows if r.level == "libomp"]
    means = [ratio_of(m.comparison) for m in chosen.result.overall if m.level == "libomp"]
    assert sorted(map(where, marks(axes))) == approx(
        sorted(ratio.estimate for ratio in (*means, *expected))
    )


def test_captions_say_what_all_rows_have_in_common(tmp_path: Path) -> None:
    (figure,) = plan_ratios(Request(speeds(tmp_path))).figures()
    told = "N = 2048, NB = 192, openblas kernels, 2 threads; 12 samples of each configuration; "
    assert caption(figure).startswith(told)
    write_micro_campaign(tmp_path / "t.jsonl", CHAINS, rounds=6)
    times = [*plan_ratios(Request(compare(load([tmp_path / "t.jsonl"])))).figures()]
    assert all(caption(own).startswith("256 tasks, distance = 64, ") for own in times)


@pytest.mark.parametrize(("count", "named"), [(9, False), (10, True)])
def test_levels_are_named_at_their_marks_where_colours_repeat(
    tmp_path: Path, count: int, named: bool
) -> None:
    times = [(configuration("libgomp", "chain", threads=n), 100.0 * n) for n in range(1, count + 1)]
    write_micro_campaign(tmp_path / "t.jsonl", times, rounds=6)
    result = compare(load([tmp_path / "t.jsonl"]), by="threads")
    axes = axes_of(result)["task-overhead-ns-per-task-ratios"]
    levels = {row.level for row in result.rows} - {result.reference}
    assert {text.get_text() for text in axes.texts} == (levels if named else set())


@pytest.mark.parametrize("others", [{"a": 1.0, "b": 5.0}, {"a": 1e9, "b": 1e-12}])
def test_the_axis_has_labels_however_far_ratios_are_apart(
    tmp_path: Path, others: dict[str, float]
) -> None:
    write_campaign(tmp_path / "s.jsonl", {"libgomp": 1.0, **others}, rounds=6)
    (axes,) = axes_of(compare(load([tmp_path / "s.jsonl"]))).values()
    low, high = axes.get_xlim()
    assert 2 < sum(low <= place <= high for place in axes.get_xticks()) < 20


def test_what_is_not_compared_has_a_word_in_place_of_a_mark(tmp_path: Path) -> None:
    outcomes = {("libomp", "depend"): Outcome.CRASH}
    write_campaign(tmp_path / "c.jsonl", RUNTIMES, grid("depend cw"), outcomes=outcomes)
    axes = axes_of(compare(load([tmp_path / "c.jsonl"])))["speed-ratios"]
    assert [text.get_text() for text in axes.texts] == [" crash"]


@pytest.mark.parametrize("samples", [1, 5])
def test_too_few_samples_have_no_interval(tmp_path: Path, samples: int) -> None:
    write_campaign(tmp_path / "f.jsonl", RUNTIMES, grid(), rounds=samples)
    axes = axes_of(compare(load([tmp_path / "f.jsonl"])))["speed-ratios"]
    assert spans(axes) == [] and len(marks(axes)) == 2
    assert all(np.isfinite(axes.get_xlim()))


def test_the_figure_is_the_default_and_others_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_campaign(tmp_path / "d.jsonl", RUNTIMES, grid(), rounds=3)
    assert run_plot(tmp_path / "d.jsonl") == 0
    printed = capsys.readouterr()
    assert [Path(line).name for line in printed.out.splitlines()] == ["speed-ratios.svg"]
    assert "ratios, runtimes" in printed.err
    write_campaign(tmp_path / "one.jsonl", {"libgomp": 1.0}, grid(), rounds=3)
    assert run_plot(tmp_path / "one.jsonl") == 0
    assert Path(capsys.readouterr().out.strip()).name == "lu-speed-by-runtime.svg"
