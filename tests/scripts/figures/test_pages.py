# SPDX-License-Identifier: BSD-3-Clause
"""Pages of `pollux plot`: comparable panels that fill them, honest labels, telling file names."""

import json
from pathlib import Path

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from plotted import caption, runtimes_figures, size_figures, threads_figures, tile_figures
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.core.analysis.result import Result
from pollux.output.figures.bars import APART
from pollux.output.figures.page import LEFT, MARGIN, RIGHT, balanced
from pollux.output.figures.sheet import Sheet, draw_sheet
from run_record import record, with_speed
from synthetic import append, write_campaign

RUNTIMES = {"libgomp": 1.0, "libomp": 0.9}
Cell = tuple[str, str, int, int | str]


def result_of(folder: Path, cells: list[Cell], rounds: int = 6) -> Result:
    path = folder / "campaign.jsonl"
    write_campaign(path, RUNTIMES, cells, rounds=rounds)
    return compare(load([path]))


def assert_alike(figure: Figure) -> None:
    """All panels have the same axes."""
    assert len(figure.axes) > 1
    assert len({axes.get_ylim() for axes in figure.axes}) == 1
    assert len({axes.get_xlim() for axes in figure.axes}) == 1


@pytest.mark.parametrize("cw", [False, True], ids=["square tiles", "a tall tile in one panel"])
def test_panels_over_tiles_share_both_axes(tmp_path: Path, cw: bool) -> None:
    cells: list[Cell] = [("lu", "depend", 2048, nb) for nb in (64, 128, 192)]
    cells += [("lu", "late", 2048, nb) for nb in (64, 512, "2048x128" if cw else 256)]
    (figure,) = tile_figures(result_of(tmp_path, cells))
    assert_alike(figure)
    labels = {tuple(t.get_text() for t in axes.get_xticklabels()) for axes in figure.axes}
    assert len(labels) == 1


def test_panels_over_sizes_begin_at_the_same_speed(tmp_path: Path) -> None:
    path = tmp_path / "sizes.jsonl"
    path.touch()
    for variant, speeds in {"depend": (10.0, 90.0), "late": (80.0, 90.0)}.items():
        for n, speed in zip((512, 2048), speeds, strict=True):
            for seed in range(6):
                append(path, record(("lu", variant, n, 64), "libgomp", seed, speed + seed / 10))
    (figure,) = size_figures(compare(load([path])))
    assert_alike(figure)
    assert figure.axes[0].get_ylim()[0] == 0


def test_bars_of_all_sizes_share_the_axis_of_speeds(tmp_path: Path) -> None:
    cells: list[Cell] = [("lu", "depend", n, 64) for n in (512, 1024, 2048)]
    (figure,) = runtimes_figures(result_of(tmp_path, cells))
    assert len({axes.get_ylim() for axes in figure.axes}) == 1


def test_panels_over_threads_share_both_axes(tmp_path: Path) -> None:
    path = tmp_path / "threads.jsonl"
    path.touch()
    for variant in ("depend", "late"):
        for threads in (2, 4, 8)[: 2 + (variant == "late")]:
            made = record(("lu", variant, 2048, 192), "libgomp", 1, 9.0 * threads, threads=threads)
            append(path, made)
    (figure,) = threads_figures(compare(load([path])))
    assert_alike(figure)


@pytest.mark.parametrize("variants", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("draw", [runtimes_figures, tile_figures])
def test_panels_fill_the_width(tmp_path: Path, variants: int, draw: object) -> None:
    names = ["depend", "late", "multidep", "column", "forkjoin", "tree"][:variants]
    cells: list[Cell] = [("lu", name, 2048, nb) for name in names for nb in (64, 128)]
    assert callable(draw)
    for figure in draw(result_of(tmp_path, cells)):
        width = float(figure.get_size_inches()[0])
        ends = [axes.get_position().x1 * width for axes in figure.axes]
        begins = [axes.get_position().x0 * width for axes in figure.axes]
        assert max(ends) == pytest.approx(width - MARGIN - RIGHT)
        assert min(begins) == pytest.approx(MARGIN + LEFT)


def test_columns_leave_as_few_places_empty_as_their_rows_allow() -> None:
    assert [balanced(n, 3) for n in range(1, 8)] == [1, 2, 3, 2, 3, 3, 3]


def planted(folder: Path, first: list[float], second: list[float]) -> Figure:
    """Bars of two runtimes with these speeds, round by round."""
    path = folder / "pairs.jsonl"
    write_campaign(path, RUNTIMES, [("lu", "depend", 2048, 64)], rounds=len(first))
    speeds = {"libgomp": iter(first), "libomp": iter(second)}
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        for made in line.get("records", []):
            made["gflops"] = next(speeds[made["runtime"]["name"]])
            made |= with_speed(made)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (figure,) = runtimes_figures(compare(load([path])))
    return figure


def labels(figure: Figure) -> list[str]:
    """What stands above the bars."""
    return [t.get_text().replace("\n", " ") for t in figure.axes[0].texts if t.get_text()]


def test_a_label_that_the_bars_do_not_show_says_what_it_is(tmp_path: Path) -> None:
    """Medians of 71 and 58; round by round the second is slower by little."""
    first = [40.0, 42.0, 44.0, 71.0, 72.0, 73.0, 74.0]
    second = [39.5, 41.4, 43.4, 58.0, 71.0, 72.0, 73.0]
    figure = planted(tmp_path, first, second)
    (label,) = labels(figure)
    assert label.strip("()").startswith("paired: \N{MINUS SIGN}1.")
    assert "After a colon: the estimate from pairs of rounds" in caption(figure)


def test_a_label_that_agrees_with_the_bars_is_the_difference_alone(tmp_path: Path) -> None:
    first = [70.0 + k for k in range(7)]
    figure = planted(tmp_path, first, [0.9 * speed for speed in first])
    (label,) = labels(figure)
    assert label.strip("()") == "\N{MINUS SIGN}10.0 %"
    assert abs(np.median([0.9 * s for s in first]) / np.median(first) - 0.9) < APART
    assert "colon" not in caption(figure)


def test_the_caption_says_one_thread_for_seq(tmp_path: Path) -> None:
    for variants, words in (
        (("seq", "depend"), "2 threads (seq: 1);"),
        (("depend",), "2 threads;"),
        (("seq",), "1 thread;"),
    ):
        cells: list[Cell] = [("lu", variant, 2048, 64) for variant in variants]
        (figure,) = runtimes_figures(result_of(tmp_path, cells))
        assert words in caption(figure)


def test_variants_on_other_matrices_come_last_and_are_named(tmp_path: Path) -> None:
    cells: list[Cell] = [("lu", variant, 2048, 64) for variant in ("nopiv", "depend")]
    cells.append(("lu-cw", "cw", 2048, 64))
    (figure,) = runtimes_figures(result_of(tmp_path, cells))
    names = [text.get_text() for text in figure.axes[0].get_xticklabels()]
    assert names == ["depend", "cw", "nopiv"]
    assert "nopiv factors other matrices than the rest." in caption(figure)


def test_file_names_say_what_is_on_the_page(tmp_path: Path) -> None:
    cells: list[Cell] = [
        (name, "depend", n, nb) for name in ("lu", "qr") for n in (1024, 2048) for nb in (64, 128)
    ]
    result = result_of(tmp_path, cells)
    assert [f.get_label() for f in tile_figures(result)] == [
        "lu-speed-over-tile",
        "qr-speed-over-tile",
    ]
    assert [f.get_label() for f in size_figures(result)] == [
        "lu-speed-over-size",
        "qr-speed-over-size",
    ]
    sizes = [2**k for k in range(7, 11)]
    many: list[Cell] = [
        ("lu", name, n, nb)
        for name in ("depend", "late", "multidep")
        for n in sizes
        for nb in (32, 64)
    ]
    names = [str(f.get_label()) for f in tile_figures(result_of(tmp_path, many), width=3.0)]
    assert len(set(names)) == len(names) > 1
    assert all(name.startswith("lu-speed-over-tile-") for name in names)
    assert names[0] == "lu-speed-over-tile-depend"


def test_a_long_legend_above_one_pair_of_axes_takes_several_lines() -> None:
    keys = [(Line2D([], []), f"clang+libomp{n}") for n in range(30)]
    few, many = (
        draw_sheet(Sheet("title", "caption", keys[:number]), 5, 2)[0] for number in (2, 30)
    )
    for figure in (few, many):
        FigureCanvasAgg(figure).draw()  # type: ignore[no-untyped-call]
        (legend,) = figure.legends
        assert legend.get_window_extent().x1 <= figure.bbox.x1
    assert many.get_figheight() > few.get_figheight()
