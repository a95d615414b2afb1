# SPDX-License-Identifier: BSD-3-Clause
"""Figures show what the records say: samples, medians, differences, gaps, the best NB."""

import json
import statistics
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.text import Text
from plotted import (
    RUNTIMES,
    caption,
    grid,
    run_plot,
    runtimes_figures,
    size_figures,
    threads_figures,
    tile_figures,
    write_small,
    write_tiles,
)
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.core.analysis.result import Result, Verdict
from pollux.core.campaign.lines import Configuration, ConfigurationLine, Outcome, Unavailable
from pollux.output.figures.bars import difference
from pollux.output.figures.best import BEST
from pollux.output.figures.entries import Filter, entries_of, group, values_of
from pollux.output.figures.save import file_name, free_name, write
from pollux.output.figures.style import looks_of
from run_record import record
from synthetic import append, write_campaign


def result_of(path: Path) -> Result:
    return compare(load([path]))


def points(figures: Sequence[Figure]) -> list[float]:
    """GFlop/s of all points drawn."""
    return [
        float(y)
        for axes in all_axes(figures)
        for collection in axes.collections
        if isinstance(collection, PathCollection)
        for y in np.asarray(collection.get_offsets(), float)[:, 1]
    ]


def all_axes(figures: Sequence[Figure]) -> Iterator[Axes]:
    for figure in figures:
        yield from figure.axes


def words(figure: Figure) -> list[str]:
    """All texts of a figure."""
    found = [text for text in figure.findobj(Text) if isinstance(text, Text)]
    return [text.get_text().replace("\N{NO-BREAK SPACE}", " ") for text in found]


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write_small(tmp_path / "small.jsonl")


@pytest.fixture
def tiles(tmp_path: Path) -> Path:
    return write_tiles(tmp_path / "tiles.jsonl")


@pytest.mark.parametrize("draw", [runtimes_figures, tile_figures, size_figures])
def test_every_sample_is_a_point(tiles: Path, draw: object) -> None:
    assert callable(draw)
    result = result_of(tiles)
    drawn = points(draw(result))
    samples = [value for row in result.rows for _, value in row.values]
    assert len(samples) == 2 * 12 * 8
    assert sorted(drawn) == pytest.approx(sorted(samples))


def test_bars_are_as_high_as_the_medians(small: Path) -> None:
    result = result_of(small)
    heights = [
        bar.get_height()
        for axes in all_axes(runtimes_figures(result))
        for container in axes.containers
        if isinstance(container, BarContainer)
        for bar in container
    ]
    medians = [statistics.median(v for _, v in row.values) for row in result.rows]
    assert sorted(heights) == pytest.approx(sorted(medians))


def test_error_bars_are_the_intervals(small: Path) -> None:
    result = result_of(small)
    ends = [
        float(y)
        for axes in all_axes(runtimes_figures(result))
        for container in axes.containers
        if isinstance(container, ErrorbarContainer)
        for segment in container.lines[2][0].get_segments()
        for _, y in segment
    ]
    expected = [b for row in result.rows if row.gflops for b in (row.gflops.low, row.gflops.high)]
    assert sorted(ends) == pytest.approx(sorted(expected))


def test_differences_stand_above_bars_and_are_grey_in_brackets_unless_shown(small: Path) -> None:
    result = result_of(small)
    (figure,) = runtimes_figures(result)
    labels = {text.get_text(): text.get_color() for text in figure.axes[0].texts}
    verdicts = set()
    for row in result.rows:
        if row.comparison.ratio is None or row.level == result.reference:
            continue
        verdicts.add(row.comparison.verdict)
        text = difference(row.comparison.ratio.estimate)
        if row.comparison.verdict in (Verdict.BETTER, Verdict.WORSE):
            assert labels[text] == "black"
        else:
            assert labels[f"({text})"] != "black"
    assert Verdict.BETTER in verdicts
    assert len(verdicts) > 1
    assert "libgomp (reference)" in words(figure)


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (1.031, "+3.1 %"),
        (0.969, "\N{MINUS SIGN}3.1 %"),
        (1.0, "+0.0 %"),
        (2.5, "+150 %"),
        (1234.5, "×1.23e+03"),
        (0.0001, "\N{MINUS SIGN}100.0 %"),
    ],
)
def test_a_ratio_is_a_percentage_until_it_is_huge(ratio: float, text: str) -> None:
    assert difference(ratio) == text


def test_failures_leave_a_gap_that_says_why(tmp_path: Path) -> None:
    path = tmp_path / "failing.jsonl"
    outcomes = {("libomp", "depend"): Outcome.CRASH, ("libx", "seq"): Outcome.HANG}
    write_campaign(path, RUNTIMES, grid("seq depend"), rounds=6, outcomes=outcomes)
    missing = Configuration(
        **{"runtime": "libomp", "benchmark": "lu", "variant": "multidep", "size": 2048},
        **{"tile_asked": "192", "tile": 192, "threads": 2, "executable": "lu"},
        kernels="openblas",
        arguments=["--variant", "multidep"],
    )
    for line in (
        ConfigurationLine(hash=missing.hash(), configuration=missing),
        Unavailable(hash=missing.hash(), reason="no iterators"),
    ):
        append(path, line.model_dump(mode="json", by_alias=True))
    (figure,) = runtimes_figures(result_of(path))
    labels = [text.get_text() for text in figure.axes[0].texts]
    assert {"crash", "hang", "not run"} <= set(labels)
    assert "6 × crash" in caption(figure)
    assert len(points([figure])) == 4 * 6


def test_a_campaign_that_failed_throughout_still_has_its_figure(tmp_path: Path) -> None:
    path = tmp_path / "crashes.jsonl"
    outcomes = {(runtime, "depend"): Outcome.CRASH for runtime in RUNTIMES}
    write_campaign(path, RUNTIMES, grid(tiles=(64, 128)), rounds=2, outcomes=outcomes)
    assert run_plot(path) == 0
    assert [drawn.name for drawn in (tmp_path / "crashes-plots").iterdir()] == [
        "lu-speed-by-runtime.svg"
    ]


def test_a_bar_of_wrong_factors_says_so_and_has_no_difference(small: Path) -> None:
    lines = [json.loads(line) for line in small.read_text().splitlines()]
    for line in lines:
        for made in line.get("records", []):
            if made["runtime"]["name"] == "libx" and made["variant"] == "depend":
                made["digest"] = "dead" + made["digest"][4:]
    small.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (figure,) = runtimes_figures(result_of(small))
    labels = [text.get_text() for text in figure.axes[0].texts if text.get_text()]
    assert labels.count("factors differ") == 1
    assert len([label for label in labels if "%" in label]) == 3
    assert "so they have no speed: lu depend on libx." in caption(figure)


def test_factors_that_were_not_verified_are_in_the_caption(small: Path) -> None:
    (figure,) = runtimes_figures(result_of(small))
    assert "not verified" not in caption(figure)
    lines = [json.loads(line) for line in small.read_text().splitlines()]
    for line in lines:
        for made in line.get("records", []):
            if made["runtime"]["name"] == "libx" and made["variant"] == "depend":
                made |= {"check": "none", "residuals": []}
    small.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (figure,) = runtimes_figures(result_of(small))
    assert "Factors not verified: lu depend on libx." in caption(figure)


def test_no_label_leaves_its_axes(small: Path) -> None:
    for figure in runtimes_figures(result_of(small), width=3.4):
        figure.draw_without_rendering()
        assert any(axes.texts for axes in figure.axes)
        for axes in figure.axes:
            top = axes.get_window_extent().y1
            assert all(text.get_window_extent().y1 <= top + 5 for text in axes.texts)


def test_variants_of_one_algorithm_share_a_panel(tmp_path: Path) -> None:
    cells = [("lu", "depend", 1024, 128), ("lu-cw", "cw", 1024, 128), ("qr", "depend", 1024, 128)]
    write_campaign(tmp_path / "a.jsonl", {"libgomp": 1.0, "libomp": 1.1}, cells)
    panels = group(entries_of(compare(load([tmp_path / "a.jsonl"]))), ("variant", "runtime"))
    assert [values_of(panel.entries, "variant") for panel in panels] == [
        ["depend", "cw"],
        ["depend"],
    ]


def test_variants_of_one_name_are_drawn_apart(tmp_path: Path) -> None:
    cells = [("lu", "lean", 1024, 128), ("lu-cw", "lean", 1024, 128), ("qr", "lean", 1024, 128)]
    write_campaign(tmp_path / "a.jsonl", {"libgomp": 1.0, "libomp": 1.1}, cells)
    entries = entries_of(compare(load([tmp_path / "a.jsonl"])))
    assert values_of(entries, "variant") == ["lean", "lean (lu-cw)"]
    assert {e.axes["variant"] for e in entries if Filter(variant=["lean"]).takes(e)} == {
        "lean",
        "lean (lu-cw)",
    }


def test_the_best_tile_of_each_runtime_is_ringed_and_named(tmp_path: Path) -> None:
    path = tmp_path / "peaks.jsonl"
    path.touch()
    peaks = {"libgomp": 128, "libomp": 192}
    for runtime, peak in peaks.items():
        for tile in (64, 128, 192, 256):
            for seed in range(5):
                speed = 50 - abs(tile - peak) / 10 + seed / 100
                append(path, record(("lu", "depend", 2048, tile), runtime, seed, speed))
    (figure,) = tile_figures(result_of(path))
    (axes,) = figure.axes
    rings = [line for line in axes.lines if line.get_label() == BEST]
    heights = [float(y) for ring in rings for y in np.asarray(ring.get_ydata(), float)]
    assert heights == pytest.approx([50.02, 50.02])
    assert sorted(text.get_text() for text in axes.texts) == ["128", "192"]


def test_tall_tiles_stand_side_by_side_and_only_those_of_one_shape_are_joined(
    tmp_path: Path,
) -> None:
    path = tmp_path / "tall.jsonl"
    path.touch()
    tiles: list[int | str] = [64, 128, "1024x64", "1024x128", "2048x128"]
    for tile in reversed(tiles):
        for seed in range(5):
            append(path, record(("lu", "depend", 2048, tile), "libgomp", seed, 50 + seed / 100))
    (figure,) = tile_figures(result_of(path))
    (axes,) = figure.axes
    assert axes.get_xticks().tolist() == [0, 1, 2, 3, 4]
    labels = [text.get_text().replace("\n", "") for text in axes.get_xticklabels()]
    assert [label for label in labels if label] == list(map(str, tiles))
    lines = [np.asarray(x.get_xdata(), float).round().tolist() for x in axes.lines]
    assert [line for line in lines if len(line) > 1] == [[0, 1], [2, 3]]
    assert "NB = 64 to 2048x128 (5 values)" in caption(figure)


@pytest.mark.parametrize("sequential", [True, False])
def test_efficiency_is_speed_over_threads_times_that_of_one(
    tmp_path: Path, sequential: bool
) -> None:
    path = tmp_path / "threads.jsonl"
    path.touch()
    speeds = {1: 10.0, 2: 18.0, 4: 30.0}
    for threads, speed in speeds.items():
        changes = {"threads": threads}
        append(path, record(("lu", "depend", 2048, 192), "libgomp", 1, speed, **changes))
    if sequential:
        append(path, record(("lu", "seq", 2048, 192), "libgomp", 1, 12.0))
    (figure,) = threads_figures(result_of(path))
    _, lower = figure.axes
    basis = 12.0 if sequential else 10.0
    shares = [speed / threads / basis for threads, speed in speeds.items()]
    assert list(np.asarray(lower.lines[0].get_ydata())) == pytest.approx(shares)
    assert lower.get_ylabel().endswith("seq" if sequential else "1 thread")


def test_without_one_thread_there_is_no_efficiency(tmp_path: Path) -> None:
    path = tmp_path / "threads.jsonl"
    path.touch()
    for threads in (2, 4):
        append(path, record(("lu", "depend", 2048, 192), "libgomp", 1, 9.0, threads=threads))
    (figure,) = threads_figures(result_of(path))
    assert len(figure.axes) == 1


def test_the_caption_says_what_was_measured(small: Path) -> None:
    (figure,) = runtimes_figures(result_of(small))
    text = caption(figure)
    assert text.startswith(
        "N = 2048, NB = 192, openblas kernels, 2 threads (seq: 1); "
        "12 samples of each configuration; "
    )
    assert "a processor. Median, 95 % bootstrap interval; points: every sample." in text


def test_the_caption_names_parameters_that_all_have_in_common(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    for sweeps, expected in ((4, "NB = 16, sweeps=4 form=short, openblas"), (8, "NB = 16, open")):
        own = {"sweeps": sweeps, "form": "short"}
        append(path, record(("lu", "depend", 64, 16), "libgomp", 1, 5.0, parameters=own))
        assert expected in caption(next(iter(runtimes_figures(result_of(path)))))


def test_the_caption_states_the_rows_of_tall_matrices(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    for m in (512, 2048):
        append(path, record(("qr", "depend", 512, 64), "libgomp", 1, 5.0, m=m))
    assert caption(next(iter(runtimes_figures(result_of(path))))).startswith(
        "M = 512, 2048, N = 512, NB"
    )


def write_sweeps(path: Path, threads: Sequence[int] = (2,)) -> Path:
    """Two sizes with two values of a parameter each; sequential code takes no other."""
    for n, sweeps, count in product((64, 128), (4, 8), threads):
        given = {"parameters": {"sweeps": sweeps, "tile": 2}, "threads": count}
        append(path, record(("lu", "depend", n, 16), "libgomp", 1, 5.0 * sweeps, **given))
        given = {"parameters": {"sweeps": sweeps}, "threads": 1}
        append(path, record(("lu", "seq", n, 16), "libgomp", 1, 3.0 * sweeps, **given))
    return path


def test_values_of_a_parameter_have_panels_of_their_own(tmp_path: Path) -> None:
    result = result_of(write_sweeps(tmp_path / "records.jsonl"))
    (figure,) = size_figures(result)
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert [t for t in titles if "depend" in t] == [
        f"lu depend, sweeps={sweeps} tile=2" for sweeps in (4, 8)
    ]
    for bars in (axes.containers for axes in all_axes(runtimes_figures(result))):
        assert [len(own) for own in bars if isinstance(own, BarContainer)] == [1]


def test_efficiency_compares_with_sequential_code_of_the_same_parameters(tmp_path: Path) -> None:
    (figure,) = threads_figures(result_of(write_sweeps(tmp_path / "records.jsonl", (2, 4))))
    efficiencies = [axes for axes in figure.axes if "efficiency" in axes.get_ylabel()]
    curves = [np.asarray(axes.lines[0].get_ydata(), float) for axes in efficiencies]
    assert curves == [pytest.approx([5 / 6, 5 / 12])] * 4


def test_one_sample_has_no_interval(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    write_campaign(path, {"libgomp": 1.0}, rounds=1)
    (figure,) = runtimes_figures(result_of(path))
    assert "no interval from so few samples" in caption(figure)
    assert len(points([figure])) == 1


def test_no_text_is_smaller_than_seven_points(tiles: Path) -> None:
    result = result_of(tiles)
    for figure in (*runtimes_figures(result), *tile_figures(result), *size_figures(result)):
        assert all(
            float(t.get_fontsize()) >= 7 for t in figure.findobj(Text) if isinstance(t, Text)
        )


def test_no_two_runtimes_look_the_same() -> None:
    looks = looks_of([f"runtime {i}" for i in range(60)])
    assert len({(look.colour, look.marker) for look in looks.values()}) == 60
    first = list(looks.values())[:8]
    assert len({look.marker for look in first}) == len({look.hatch for look in first}) == 8


def test_figures_of_other_scripts_have_names_of_their_own() -> None:
    assert file_name("ä-speed") != file_name("ö-speed")
    assert file_name("../a b/c") == "_a_b_c"


def test_names_are_no_longer_than_file_systems_take(tmp_path: Path) -> None:
    taken: set[str] = set()
    names = [free_name("ä" * 300 + end, taken) for end in ("-1", "-2")]
    assert len(set(names)) == 2 and all(name.startswith("ääää") for name in names)
    for name in names:
        write(tmp_path / f"{name}.svg", b"")


def test_no_figure_is_written_over_another() -> None:
    taken: set[str] = set()
    labels = ("power-a b", "power-a:b", "power-a/b", "speed")
    assert [free_name(label, taken) for label in labels] == [
        "power-a_b",
        "power-a_b-2",
        "power-a_b-3",
        "speed",
    ]
