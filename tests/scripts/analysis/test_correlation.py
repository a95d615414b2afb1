# SPDX-License-Identifier: BSD-3-Clause
"""Tests correlations of levers with speed and energy against known answers."""

from itertools import product
from math import nan, sqrt

import numpy as np
import pytest
from pollux.energy.analysis.correlation import (
    Correlations,
    all_correlations,
    code,
    correlate,
    critical,
    of_best_performance,
    p_of,
    pearson,
)
from pollux.energy.analysis.points import Observation, Point
from scipy import stats  # type: ignore[import-untyped]

LEVERS = {
    "turbo": ("on", "off"),
    "cstates": ("all", "none"),
    "governor": ("performance", "powersave"),
}
CODED = {"on": 1, "all": 1, "performance": 1, "off": -1, "none": -1, "powersave": -1}


def design(
    effects: tuple[float, float, float], noise: float = 0.0, runs: int = 1, runtime: str = "libgomp"
) -> list[Point]:
    """All eight settings of three levers, with their additive effects on speed and energy."""
    rng = np.random.default_rng(5)
    points = []
    for values in product(*LEVERS.values()):
        level = sum(e * CODED[v] for e, v in zip(effects, values, strict=True))
        seen = [
            Observation(
                100 + level + rng.normal(0, noise), 10, 1000 - 10 * level, 800 - 8 * level, 200
            )
            for _ in range(runs)
        ]
        levers = dict(zip(LEVERS, values, strict=True))
        points.append(Point("cholesky N=4096", {"runtime": runtime}, levers, seen))
    return points


def of(points: list[Point], **options: bool) -> Correlations:
    found = correlate("cholesky", "libgomp", points, **options)
    assert found is not None
    return found


@pytest.mark.parametrize("seed", range(5))
def test_r_and_p_are_those_of_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(2, 4 + 3 * seed))
    expected = stats.pearsonr(x, y)
    assert pearson(x, y) == pytest.approx(expected.statistic)
    assert p_of(pearson(x, y), len(x)) == pytest.approx(expected.pvalue)


def test_critical_values_are_those_of_tables() -> None:
    assert critical(8) == pytest.approx(0.707, abs=5e-4)
    assert critical(240) == pytest.approx(0.127, abs=5e-4)
    assert p_of(critical(8), 8) == pytest.approx(0.05)
    assert p_of(0.31, 8) > 0.05 > p_of(0.31, 240)  # the papers' LU and Turbo


def test_a_lever_that_explains_all_has_r_1_and_the_others_0() -> None:
    found = of(design((5, 0, 0)))
    assert found.pair("turbo", "performance").r == pytest.approx(1)
    assert found.pair("turbo", "energy").r == pytest.approx(-1)
    assert found.pair("cstates", "performance").r == pytest.approx(0, abs=1e-12)
    assert found.pair("governor", "package").p == pytest.approx(1)


def test_r_is_the_main_effect_over_twice_the_deviation() -> None:
    points = design((3, 2, 1), noise=4)
    found = of(points)
    speeds = np.array([point.mean.gflops for point in points])
    for lever in LEVERS:
        coded = np.array([CODED[point.levers[lever]] for point in points])
        effect = speeds[coded > 0].mean() - speeds[coded < 0].mean()
        assert found.pair(lever, "performance").r == pytest.approx(effect / (2 * speeds.std()))


@pytest.mark.parametrize(
    ("effects", "noise", "total"), [((3.0, 2.0, 1.0), 0.0, 1.0), ((3.0, 2.0, 1.0), 5.0, None)]
)
def test_squares_of_orthogonal_levers_add_up_to_what_they_explain_together(
    effects: tuple[float, float, float], noise: float, total: float | None
) -> None:
    points = design(effects, noise)
    found = of(points)
    assert found.orthogonal
    squares = sum(found.pair(lever, "performance").r ** 2 for lever in LEVERS)
    speeds = np.array([point.mean.gflops for point in points])
    columns = [[CODED[point.levers[lever]] for point in points] for lever in LEVERS]
    model = np.array([np.ones(8), *columns]).T
    left = speeds - model @ np.linalg.lstsq(model, speeds, rcond=None)[0]
    assert squares == pytest.approx(1 - left.var() / speeds.var())
    assert squares <= 1 + 1e-12
    assert total is None or squares == pytest.approx(total)


def test_means_are_the_default_and_runs_are_an_option_that_states_its_n() -> None:
    points = design((1, 0, 0), noise=3, runs=30)
    means, runs = of(points), of(points, of_runs=True)
    assert (means.n, runs.n, runs.configurations) == (8, 240, 8)
    assert not means.of_runs and runs.of_runs
    assert runs.pair("turbo", "performance").p < means.pair("turbo", "performance").p
    assert abs(runs.pair("turbo", "performance").r) < abs(means.pair("turbo", "performance").r)


def test_what_does_not_vary_has_no_correlation() -> None:
    found = of(design((1, 1, 1)))
    assert np.isnan(found.pair("turbo", "memory").r)
    assert not found.pair("turbo", "memory").is_significant
    assert np.isnan(p_of(nan, 8))


def test_a_design_with_holes_is_said_not_to_be_orthogonal() -> None:
    assert not of(design((1, 2, 3))[:5]).orthogonal


def test_too_few_configurations_have_no_correlations() -> None:
    assert correlate("x", "y", design((1, 2, 3))[:2]) is None
    assert correlate("x", "y", [design((1, 2, 3))[0]] * 5) is None


@pytest.mark.parametrize(
    ("lever", "values", "coded"),
    [
        ("turbo", ["off", "on"], {"on": 1, "off": -1}),
        ("cstates", ["all", "none"], {"all": 1, "none": -1}),
        ("governor", ["powersave", "performance"], {"performance": 1, "powersave": -1}),
        ("governor", ["powersave", "schedutil"], {"schedutil": 1, "powersave": -1}),
        ("cstates", ["C1", "none"], {"none": 1, "C1": -1}),
        ("governor", ["powersave", "performance", "schedutil"], None),
        ("epp", ["balance_power", "power"], {"power": 1, "balance_power": -1}),
        (
            "frequency_max",
            ["1.2GHz", "2GHz", "2.4GHz"],
            {"1.2GHz": 1.2, "2GHz": 2, "2.4GHz": 2.4},
        ),
        ("dma_latency", ["0", "100"], {"0": 0, "100": 100}),
        ("frequency_max", ["1.2GHz", "hardware", "2GHz"], None),
    ],
)
def test_values_of_levers_have_numbers(
    lever: str, values: list[str], coded: dict[str, float] | None
) -> None:
    found = code(lever, values)
    assert (None if found is None else found.values) == coded


def test_the_runtime_of_best_performance_is_shown_first() -> None:
    slow, fast = design((1, 2, 3)), design((9, 2, 3), runtime="libomp")
    found = all_correlations([*slow, *fast])
    assert [own.label for own in found] == ["libomp", "libgomp"]
    assert [own.label for own in of_best_performance(found)] == ["libomp"]
    assert sqrt(sum(found[0].pair(lever, "performance").r ** 2 for lever in LEVERS)) <= 1 + 1e-9
