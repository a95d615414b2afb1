# SPDX-License-Identifier: BSD-3-Clause
"""Power over time: what is not known stays a gap, and reduction keeps means and extremes."""

import numpy as np
import pytest
from pollux.energy.meters.curve import PowerCurve, curve_of
from pollux.energy.meters.series import Floats, Series
from simulated_meter import BEGIN, ns

NAN = float("nan")


def counter(joules: list[float], *, broken: tuple[int, ...] = (), late: float = 0.0) -> Series:
    """A counter that is read once a second, from `late` seconds on."""
    times = np.array([ns(late + k) for k in range(len(joules))])
    flags = np.array([k in broken for k in range(len(joules) - 1)], dtype=np.bool_)
    return Series("c", "a counter", times, np.array(joules), None, flags, 3.0, is_counter=True)


@pytest.mark.parametrize(
    ("series", "edges", "watts"),
    [
        (counter([0, 100, 300, 400]), [0, 1, 2, 3], [100, 200, 100]),
        (counter([0, 100, 100, 400], broken=(1,)), [0, 1, 2, 3], [100, NAN, 300]),
        (counter([0, 100, 200], late=1.5), [1.5, 2.5, 3], [100, 100]),
        (counter([0, 100, 100, 300]), [0, 1, 3], [100, 100]),  # it did not move for a second
        (counter([0, 100, 100, 100]), [0, 1, 3], [100, NAN]),  # and never again
    ],
)
def test_gaps_and_late_beginnings_are_not_filled(
    series: Series, edges: list[float], watts: list[float]
) -> None:
    found = curve_of(series, BEGIN, ns(3)).until(3e9)
    assert (found.edges / 1e9).tolist() == pytest.approx(edges)
    assert found.watts.tolist() == pytest.approx(watts, nan_ok=True)


@pytest.mark.parametrize("late", [-100.0, 100.0])
def test_samples_of_another_time_show_no_power(late: float) -> None:
    found = curve_of(counter([0, 100, 200, 300], late=late), BEGIN, ns(3)).until(3e9)
    assert not found.is_known


def long_curve() -> tuple[PowerCurve, Floats]:
    """10⁶ samples with a gap of a tenth."""
    watts: Floats = np.asarray(np.random.default_rng(1).uniform(50, 150, 10**6), np.float64)
    watts[300_000:400_000] = np.nan
    edges: Floats = np.linspace(0, 1e13, 10**6 + 1)
    return PowerCurve("c", edges, watts), watts.reshape(500, -1)


def test_a_million_samples_become_columns_with_their_mean_least_and_most() -> None:
    curve, columns = long_curve()
    found = curve.reduced(500)
    assert len(found.edges) == 501 and found.low is not None and found.high is not None
    assert found.watts == pytest.approx(columns.mean(axis=1), nan_ok=True)
    assert found.low == pytest.approx(columns.min(axis=1), nan_ok=True)
    assert found.high == pytest.approx(columns.max(axis=1), nan_ok=True)
    assert np.flatnonzero(np.isnan(found.watts)).tolist() == [*range(150, 200)]
    assert found.known_time == pytest.approx(curve.known_time)
