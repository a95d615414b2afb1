# SPDX-License-Identifier: BSD-3-Clause
"""Tests the statistics on known values, against scipy, and by simulation with fixed seeds."""

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from numpy.random import Generator
from pollux.core.analysis import statistics
from pollux.core.analysis.fixed_plan import judge
from pollux.core.analysis.result import Verdict
from pollux.core.analysis.two_sides import Sides, constant_composition, weigh
from scipy import stats  # type: ignore[import-untyped]

Noise = Callable[[Generator, tuple[int, int]], statistics.Floats]

# M. Hollander, D. A. Wolfe: Nonparametric Statistical Methods, 1973, p. 29: depression before and
# after treatment, the example of R's wilcox.test: V = 40, p = 0.03906 two-sided.
BEFORE = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
AFTER = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]


def differences() -> statistics.Floats:
    return np.array([np.array(BEFORE) - np.array(AFTER)])


def test_paired_shift_is_what_r_gives() -> None:
    shifts = statistics.paired_shifts(differences())
    assert shifts.p[0] == pytest.approx(0.0390625)
    # wilcox.test(x, y, paired = TRUE, conf.int = TRUE) of R
    assert shifts.estimate[0] == pytest.approx(0.46)
    assert (shifts.low[0], shifts.high[0]) == pytest.approx((0.0100, 0.786))


@pytest.mark.parametrize("n", [1, 2, 5, 6, 15, 30, 50, 51, 80])
def test_signed_rank_p_is_scipys(n: int) -> None:
    values = np.random.default_rng(n).normal(0.3, 1, (20, n))
    method = "exact" if n <= 50 else "asymptotic"
    expected = stats.wilcoxon(values, axis=1, method=method).pvalue
    assert statistics.paired_shifts(values).p == pytest.approx(expected)


@pytest.mark.parametrize("sizes", [(1, 1), (3, 3), (4, 9), (15, 15), (50, 40), (60, 30)])
def test_mann_whitney_p_is_scipys(sizes: tuple[int, int]) -> None:
    random = np.random.default_rng(1)
    x, y = (random.normal(shift, 1, (10, n)) for shift, n in zip((0, 0.5), sizes, strict=True))
    method = "exact" if max(sizes) <= 50 else "asymptotic"
    expected = stats.mannwhitneyu(x, y, axis=1, method=method).pvalue
    assert statistics.independent_shifts(x, y).p == pytest.approx(expected)


@pytest.mark.parametrize("n", range(1, 9))
def test_p_with_ties_is_exact(n: int) -> None:
    values = np.random.default_rng(n).integers(-2, 4, (10, n)).astype(float)
    for row, p in zip(values, statistics.paired_shifts(values).p, strict=True):
        assert p == pytest.approx(all_signs_p(row[row != 0]))


def all_signs_p(row: statistics.Floats) -> float:
    """The definition: the share of all sign patterns that are as extreme on either side."""
    ranks = stats.rankdata(np.abs(row))
    signs = (np.arange(2 ** len(row))[:, None] >> np.arange(len(row))) & 1
    sums = signs @ ranks
    least = min(ranks[row > 0].sum(), ranks[row < 0].sum())
    return min(1.0, 2 * float(np.mean(sums <= least)))


@pytest.mark.parametrize("sizes", [(1, 4), (3, 3), (6, 6), (4, 7)])
def test_p_of_two_sets_with_ties_is_exact(sizes: tuple[int, int]) -> None:
    random = np.random.default_rng(sizes)
    x, y = (random.integers(shift, 4, (10, n)).astype(float) for shift, n in enumerate(sizes))
    for own, other, p in zip(x, y, statistics.independent_shifts(x, y).p, strict=True):
        assert p == pytest.approx(all_choices_p(own, other))


def all_choices_p(x: statistics.Floats, y: statistics.Floats) -> float:
    """The definition: the share of all choices of ranks that are as extreme on either side."""
    ranks = stats.rankdata(np.concatenate([x, y]))
    sums = np.array([sum(chosen) for chosen in combinations(ranks, len(x))])
    own = ranks[: len(x)].sum()
    return min(1.0, 2 * float(min(np.mean(sums <= own), np.mean(sums >= own))))


def test_interval_and_test_agree() -> None:
    for n in (6, 7, 15, 30, 50):
        shifts = statistics.paired_shifts(np.random.default_rng(n).normal(0.4, 1, (300, n)))
        outside = (shifts.low > 0) | (shifts.high < 0)
        assert (outside == (shifts.p < 0.05)).all()
        assert 0 < outside.sum() < 300


def test_independent_interval_and_test_agree() -> None:
    random = np.random.default_rng(3)
    for n, m in ((4, 4), (5, 9), (15, 15)):
        shifts = statistics.independent_shifts(
            random.normal(1, 1, (300, n)), random.normal(0, 1, (300, m))
        )
        assert (((shifts.low > 0) | (shifts.high < 0)) == (shifts.p < 0.05)).all()


def test_no_interval_below_six_samples() -> None:
    for n in (1, 2, 5):
        values = np.random.default_rng(1).normal(0, 1, (3, n))
        assert np.isnan(statistics.paired_shifts(values).low).all()
        assert np.isnan(statistics.median_intervals(values)[1]).all()
        assert not np.isnan(statistics.paired_shifts(values).estimate).any()
    assert not np.isnan(statistics.paired_shifts(np.ones((1, 6))).low).any()


def test_equal_values_show_nothing() -> None:
    for n in (1, 6, 30, 60):
        shifts = statistics.paired_shifts(np.zeros((1, n)))
        assert (shifts.p[0], shifts.estimate[0]) == (1, 0)
        assert statistics.independent_shifts(np.ones((1, n)), np.ones((1, n))).p[0] == 1


def test_searched_order_statistics_are_those_of_all_candidates() -> None:
    random = np.random.default_rng(5)
    for n in (7, 8, 40):
        row, other = np.sort(random.normal(0, 1, n)), np.sort(random.normal(0, 1, n + 3))
        i, j = np.triu_indices(n)
        walsh = ((row[i] + row[j]) / 2)[None]
        expected = [x[0] for x in statistics.pick(walsh, 3)]
        assert statistics.search_averages(row, 3) == pytest.approx(expected)
        all_differences = (row[:, None] - other).reshape(1, -1)
        expected = [x[0] for x in statistics.pick(all_differences, 3)]
        assert statistics.search_differences(row, other, 3) == pytest.approx(expected)


def test_median_interval_is_scipys_bootstrap() -> None:
    values = np.random.default_rng(7).lognormal(0, 0.1, (4, 21))
    medians, low, high = statistics.median_intervals(values)
    expected = stats.bootstrap(
        (values,), np.median, axis=1, method="percentile", n_resamples=4000, rng=1
    ).confidence_interval
    assert medians == pytest.approx(np.median(values, axis=1))
    assert low == pytest.approx(expected.low, rel=0.01)
    assert high == pytest.approx(expected.high, rel=0.01)


def test_holm_corrects_step_by_step() -> None:
    # p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm") of R, in another order
    p = np.array([0.03, 0.01, 0.05, 0.02, 0.04])
    assert statistics.holm(p) == pytest.approx([0.09, 0.05, 0.09, 0.08, 0.09])


def normal(random: Generator, shape: tuple[int, int]) -> statistics.Floats:
    return random.normal(0, 0.03, shape)


def heavy(random: Generator, shape: tuple[int, int]) -> statistics.Floats:
    return 0.03 * random.standard_t(2, shape)


@pytest.mark.parametrize("noise", [normal, heavy])
@pytest.mark.parametrize("n", [6, 15, 30])
def test_interval_covers_the_truth(noise: Noise, n: int) -> None:
    truth = 0.05
    shifts = statistics.paired_shifts(truth + noise(np.random.default_rng(n), (4000, n)))
    covered = np.mean((shifts.low <= truth) & (truth <= shifts.high))
    assert 0.94 <= covered <= 0.985  # of few samples the interval is wider than it had to be


@pytest.mark.parametrize("n", [15, 60])
def test_independent_interval_covers_the_truth(n: int) -> None:
    random = np.random.default_rng(n)
    shifts = statistics.independent_shifts(
        0.05 + random.normal(0, 0.03, (1000, n)), random.normal(0, 0.03, (1000, n))
    )
    assert 0.93 <= np.mean((shifts.low <= 0.05) & (shifts.high >= 0.05)) <= 0.97


def test_median_interval_covers_the_truth() -> None:
    values = np.random.default_rng(2).lognormal(0, 0.05, (2000, 30))
    _, low, high = statistics.median_intervals(values)
    assert 0.92 <= np.mean((low <= 1) & (high >= 1)) <= 0.98


def test_alike_runtimes_are_rarely_declared_different() -> None:
    random = np.random.default_rng(11)
    campaigns, cells, rounds = 400, 8, 15
    false = 0
    for _ in range(campaigns):
        weighed = weigh([Sides(row, None) for row in random.normal(0, 0.03, (cells, rounds))])
        verdicts = {c.verdict for c in judge(weighed, 0.03)}
        false += bool(verdicts & {Verdict.BETTER, Verdict.WORSE})
    assert false / campaigns <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / campaigns)


def test_a_difference_beyond_the_noise_is_found() -> None:
    """Five per cent, each sample with a noise of three: fifteen pairs show it nine times in ten."""
    noise = np.random.default_rng(13).normal(0, 0.03 * np.sqrt(2), (2000, 15))
    shifts = statistics.paired_shifts(np.log(1.05) + noise)
    assert np.mean(shifts.p < 0.05) >= 0.9


def test_promised_samples_bring_the_promised_power() -> None:
    pilot = statistics.paired_shifts(np.random.default_rng(19).normal(0, 0.05, (500, 20)))
    half_width = float(np.median(pilot.high - pilot.low)) / 2
    needed = statistics.samples_to_show(0.03, half_width, 20, 0.05)
    noise = np.random.default_rng(17).normal(0, 0.05, (2000, needed))
    found = np.mean(statistics.paired_shifts(0.03 + noise).p < 0.05)
    assert 0.87 <= found <= 0.95


def test_too_few_is_reported_only_if_nothing_could_be_significant() -> None:
    row = np.array([0.1, 0.11, 0.12, 0.13, 0.14, 0.15])
    (six,) = judge(weigh([Sides(row, None)]), 0.03)
    assert (six.verdict, six.needed) == (Verdict.TOO_FEW, 7)
    (seven,) = judge(weigh([Sides(np.append(row, 0.16), None)]), 0.03)
    assert seven.verdict is Verdict.BETTER
    many = judge(weigh([Sides(np.append(row, 0.16), None)] * 10), 0.03)
    assert {c.verdict for c in many} == {Verdict.TOO_FEW}
    assert {c.needed for c in many} == {10}  # 2^(1-10) x 10 < 0.025 <= 2^(1-9) x 10


def test_a_margin_is_shown_by_an_interval_within_it() -> None:
    quiet, noisy = (np.random.default_rng(3).normal(0, s, 30) for s in (0.01, 0.1))
    found = judge(weigh([Sides(quiet, None), Sides(noisy, None)]), 0.03)
    assert [c.verdict for c in found] == [Verdict.NO_DIFFERENCE, Verdict.TOO_NOISY]
    assert found[1].needed is not None and found[1].needed > 100
    assert f"~{found[1].needed} samples for 3 %" in found[1].words


def test_a_significant_difference_of_nothing_has_no_direction() -> None:
    """Three quarters of the pairs are equal, and all others on one side."""
    values = np.concatenate([np.zeros(33), np.linspace(0.01, 0.02, 12)])
    for sign in (1, -1):
        (evidence,) = weigh([Sides(sign * values, None)])
        assert evidence.p < 0.001 and evidence.ratio.estimate == 1
        assert judge([evidence], 0.03)[0].verdict is Verdict.NO_DIFFERENCE


def test_each_round_of_an_overall_mean_has_the_same_cells() -> None:
    rounds = [{(0, r) for r in range(n)} for n in (10, 10, 9, 1)]
    cells, shared = constant_composition(rounds)
    assert cells == [0, 1, 2]
    assert shared == [(0, r) for r in range(9)]
    assert constant_composition([]) == ([], [])
