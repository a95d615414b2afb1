# SPDX-License-Identifier: BSD-3-Clause
"""The picture of `pollux explain --plot`: the pieces of each bar are the terms of its side."""

import json
from pathlib import Path

import pytest
from explain_runs import Files, explain
from matplotlib.colors import to_hex
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from matplotlib.text import Text
from pollux.core.errors import BadUsageError
from pollux.insight.explaining.explanation import Explanation, explain_sides
from pollux.insight.explaining.picture import COLOURS, split_figure
from pollux.insight.explaining.sides import read_sides
from pollux.insight.graphs.file import read_graph
from pollux.output.figures.palette import RUNTIMES


def explained(folder: Path, factors: dict[str, float], rounds: int = 2) -> Explanation:
    files = Files(folder)
    paths = [
        files.write(name, [factor * (1 + 0.01 * k) for k in range(rounds)])
        for name, factor in factors.items()
    ]
    sides = read_sides(paths, [], None)
    return explain_sides(sides, [read_graph(files.graph)] * len(sides))


def pieces(figure: Figure) -> list[dict[str, tuple[float, float]]]:
    """Where each piece begins and how long it is, ms, a dictionary for each bar."""
    bars: list[dict[str, tuple[float, float]]] = []
    for container in figure.axes[0].containers:
        if isinstance(container, BarContainer) and container.get_label() in COLOURS:
            (patch,) = container.patches
            if container.get_label() == "work":
                bars.append({})
            bars[-1][str(container.get_label())] = patch.get_x(), patch.get_width()
    return bars


def test_pieces_are_the_terms_end_to_end(tmp_path: Path) -> None:
    found = explained(tmp_path, {"libgomp": 1.1, "libomp": 1.4})
    bars = pieces(split_figure(found))
    assert len(bars) == 2
    for bar, side in zip(bars, found.sides, strict=True):
        end = 0.0
        for key, (begin, width) in bar.items():
            assert width == pytest.approx(getattr(side.split.terms, key) / 1e6)
            assert begin == pytest.approx(end)
            end += width
        assert end == pytest.approx(side.split.terms.total / 1e6)


def test_kernels_faster_than_alone_shorten_work_and_the_caption_says_so(tmp_path: Path) -> None:
    found = explained(tmp_path, {"libgomp": 0.8})
    terms = found.sides[0].split.terms
    assert terms.slowdown < 0
    figure = split_figure(found)
    (bar,) = pieces(figure)
    assert bar["work"][1] == pytest.approx(terms.busy / 1e6)
    assert bar["slowdown"][1] == 0
    assert sum(width for _, width in bar.values()) == pytest.approx(terms.total / 1e6)
    assert "less than alone" in " ".join(figure.texts[-1].get_text().split())


def test_a_side_is_named_next_to_its_runtimes_colour(tmp_path: Path) -> None:
    found = explained(tmp_path, {"libomp": 1.1, "libgomp": 1.4})
    figure = split_figure(found)
    squares = [
        to_hex(container.patches[0].get_facecolor()).upper()
        for container in figure.axes[0].containers
        if isinstance(container, BarContainer) and container.get_label() not in COLOURS
    ]
    assert squares == [RUNTIMES["libomp"], RUNTIMES["libgomp"]]
    assert not set(squares) & set(COLOURS.values())
    texts = [text.get_text() for text in figure.findobj(Text) if isinstance(text, Text)]
    assert all(side.name in texts for side in found.sides)


@pytest.mark.parametrize("name", ["split.svg", "split.pdf", "split.png"])
def test_the_command_writes_the_picture_and_the_answer(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    files = Files(tmp_path)
    path = files.write("libomp", [1.1, 1.2])
    picture = tmp_path / name
    assert explain([str(path)], graph=[files.graph], plot=picture, format_="json") == 0
    assert json.loads(capsys.readouterr().out)["schema"] == "pollux-explain/1"
    assert picture.read_bytes()[:5] in (b"<?xml", b"%PDF-", b"\x89PNG\r")


def test_a_name_without_a_format_is_refused_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(BadUsageError, match=r"must end in \.svg, \.pdf, \.png"):
        explain(["lu"], plot=tmp_path / "split.gif", build_root=tmp_path / "nowhere")
    files = Files(tmp_path)
    path = files.write("libomp", [1.1])
    with pytest.raises(BadUsageError, match=r"--plot takes a file in a folder that exists"):
        explain([str(path)], graph=[files.graph], plot=tmp_path / "none" / "split.svg")
