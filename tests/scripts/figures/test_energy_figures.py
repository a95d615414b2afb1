# SPDX-License-Identifier: BSD-3-Clause
"""Figures of energy show the means, runs, ratios and correlations that the analysis gives."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from energy_records import energy, give_energy, unknown
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from plotted import caption
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.core.errors import BadUsageError
from pollux.energy.analysis.correlation import correlate
from pollux.energy.analysis.points import Observation, Point, Points
from pollux.energy.commands.measures import energy_points
from pollux.energy.figures.correlogram import correlogram
from pollux.energy.figures.energy import page_name
from pollux.output.figures.kinds import plans_for
from pollux.output.figures.selection import Request
from pollux.output.figures.style import house_style
from synthetic import write_campaign

WATTS = {"libgomp": 100.0, "libomp": 120.0, "libiomp5": 80.0}


def request(tmp_path: Path, *, measured: bool = True) -> Request:
    path = tmp_path / "campaign.jsonl"
    cells = [("cholesky", "depend", 2048, 192), ("lu", "depend", 2048, 192)]
    write_campaign(path, {"libgomp": 1.0, "libomp": 1.1, "libiomp5": 0.9}, cells, noise=0.01)
    if measured:
        give_energy(
            path,
            lambda name, record: energy(
                0.75 * WATTS[name] * record["seconds"], 0.25 * WATTS[name] * record["seconds"]
            ),
        )
    else:
        give_energy(path, lambda name, record: unknown())
    dataset = load([path])
    return Request(compare(dataset), points=energy_points(dataset, None, []))


def places(line: Line2D) -> tuple[list[float], list[float]]:
    x, y = np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)
    return x.tolist(), y.tolist()


def figures(wanted: Request, kind: str) -> dict[str, Figure]:
    (plan,) = plans_for(wanted, [kind])
    return {str(figure.get_label()): figure for figure in plan.figures()}


def test_bars_are_the_means_of_packages_and_memory(tmp_path: Path) -> None:
    wanted = request(tmp_path)
    drawn = figures(wanted, "energy")
    assert sorted(drawn) == ["cholesky-N2048-energy", "lu-N2048-energy"]
    (axes,) = drawn["lu-N2048-energy"].axes
    assert wanted.points is not None
    own = [p for p in wanted.points.points if p.group == "lu N=2048"]
    own.sort(key=lambda point: point.mean.joules)
    bars = [patch.get_width() for patch in axes.patches]  # type: ignore[attr-defined]
    expected = [p.mean.package for p in own] + [p.mean.memory for p in own]
    assert bars == pytest.approx(expected)
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == [point.choices["runtime"] for point in own]
    assert [len(places(line)[0]) for line in axes.lines] == [15] * 3
    assert axes.get_xlim()[0] == 0


def test_the_front_of_energy_over_speed_is_drawn(tmp_path: Path) -> None:
    (axes,) = figures(request(tmp_path), "pareto")["lu-N2048-energy-over-speed"].axes
    (front,) = (line for line in axes.lines if line.get_gid() == "front")
    speeds, joules = places(front)
    assert len(speeds) == 3
    assert speeds == sorted(speeds, reverse=True) and joules == sorted(joules, reverse=True)


def test_relative_joules_are_those_of_the_comparison(tmp_path: Path) -> None:
    wanted = request(tmp_path)
    drawn = figures(wanted, "joules")
    assert wanted.points is not None and wanted.points.result is not None
    groups = {point.key: point.group for point in wanted.points.points}
    for group in sorted(set(groups.values())):
        (axes,) = drawn.pop(f"{page_name(group)}-energy-relative").axes
        rows = [row for row in wanted.points.result.rows if groups.get(row.key) == group]
        ratios = [row.comparison.ratio for row in rows if row.comparison.ratio]
        marked = [line for line in axes.lines if line.get_marker() not in ("None", None)]
        marks = [places(line)[0][0] for line in marked]
        assert marks == pytest.approx([ratio.estimate for ratio in ratios])
        low, high = axes.get_xlim()
        assert all(low < r.low and r.high < high for r in ratios)
    assert not drawn


@pytest.mark.parametrize(
    ("kind", "needs"),
    [
        ("energy", "runs with their energy"),
        ("pareto", "two configurations with the energy"),
        ("joules", "energy from the same source"),
        ("correlation", "differ in levers alone"),
    ],
)
def test_without_energy_a_figure_of_it_is_refused(tmp_path: Path, kind: str, needs: str) -> None:
    with pytest.raises(BadUsageError, match=needs):
        plans_for(request(tmp_path, measured=False), [kind])


def test_without_energy_all_other_figures_are_drawn(tmp_path: Path) -> None:
    names = [name for plan in plans_for(request(tmp_path, measured=False), []) for name, _ in plan.pages]  # noqa: E501  # fmt: skip
    assert names and not any("energy" in name for name in names)


def levered() -> list[Point]:
    """Turbo explains the speed, the governor nothing."""
    points = []
    for k, (turbo, states, governor) in enumerate(
        product(("on", "off"), ("all", "none"), ("performance", "powersave"))
    ):
        speed = 100 + 10 * (turbo == "on") + 0.1 * (k % 3)
        levers = {"turbo": turbo, "cstates": states, "governor": governor}
        seen = [Observation(speed, 1.0, 500 + (k * 7) % 5, 400 + (k * 7) % 5, 100)]
        points.append(Point("lu N=2048", {"runtime": "libgomp"}, levers, seen))
    return points


def test_what_is_not_significant_is_crossed_out() -> None:
    found = correlate("lu N=2048", "libgomp", levered())
    assert found is not None
    with house_style():
        (axes,) = correlogram(found, "package + memory", 7.0).axes
    lines = [line for line in axes.lines if line.get_gid() == "insignificant"]
    crosses = {(int(x), int(y)) for (x,), (y,) in map(places, lines)}
    names = found.variables
    pairs = {
        (column, row)
        for row, second in enumerate(names)
        for column, first in enumerate(names[:row])
        if found.pair(first, second).p >= 0.05
    }
    assert crosses == pairs
    assert (names.index("turbo"), names.index("performance")) not in crosses
    assert (names.index("governor"), names.index("performance")) in crosses
    caption = " ".join(text.get_text() for text in axes.figure.texts).replace("\n", " ")
    assert "n\u00a0=\u00a08 means of configurations" in caption
    assert "below 0.707" in caption


def test_a_correlogram_says_what_it_leaves_out_and_that_levers_are_mixed() -> None:
    words = ("a", "b", "c")
    points = [
        Point(p.group, p.choices, p.levers | {"epp": words[k % 3]}, p.observations)
        for k, p in enumerate(levered()[:5])
    ]
    found = correlate("lu N=2048", "libgomp", points)
    assert found is not None and not found.orthogonal
    with house_style():
        figure = correlogram(found, "package + memory", 7.0)
    told = caption(figure)
    assert "Left out: epp (a, b, c) has no numbers." in told
    assert "The levers were not varied independently of each other." in told


def test_levers_are_drawn_from_the_points_of_a_request(tmp_path: Path) -> None:
    wanted = request(tmp_path)
    assert wanted.points is not None
    keys = [point.key for point in wanted.points.points if point.group == "lu N=2048"]
    points = [Point(p.group, p.choices, p.levers, p.observations, key=keys[0]) for p in levered()]
    data = Points(points, "test", "package + memory", [])
    (name,) = figures(Request(wanted.result, points=data), "correlation")
    assert name == "lu-N2048-correlation"
