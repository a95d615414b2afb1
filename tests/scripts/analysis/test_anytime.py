# SPDX-License-Identifier: BSD-3-Clause
"""Evidence from pairs that is valid whenever one stops: proved by enumerating all signs."""

from itertools import product
from math import exp, log

import numpy as np
import pytest
from pollux.core.analysis import statistics
from pollux.core.analysis.anytime import Anytime, Bets, Pairs, equal_pairs, log_payoff

MARGIN = -log(1 - 0.03)
SIZES = [0.004, 0.031, 0.012, 0.25, 0.02, 0.0005, 0.09]


def every_sign(value: float) -> list[Pairs]:
    """The differences that noise of these sizes gives about a true value, in all combinations."""
    return [
        Pairs(0.03, (value + sign * size for sign, size in zip(signs, SIZES, strict=True)))
        for signs in product((-1, 1), repeat=len(SIZES))
    ]


def bets_on(pairs: Pairs, value: float) -> list[Bets]:
    """Those against what is true: the chance that they ever win much is bounded."""
    everything = (pairs.above, pairs.below, pairs.above_margin, pairs.below_margin)
    return [bets for bets in everything if bets.value == pytest.approx(value)]


@pytest.mark.parametrize("value", [0.0, MARGIN, -MARGIN])
def test_evidence_against_the_truth_has_a_mean_of_one_and_rarely_ever_gets_large(
    value: float,
) -> None:
    found = [bets_on(pairs, value) for pairs in every_sign(value)]
    for of_one in zip(*found, strict=True):
        final = [np.mean(np.exp(bets.logs)) for bets in of_one]
        assert np.mean(final) == pytest.approx(1)
        largest = np.array([exp(bets.best) for bets in of_one])
        for alpha in (0.5, 0.3, 0.2, 0.1, 0.05):
            assert np.mean(largest >= 1 / alpha) <= alpha
        assert max(largest) > 5


def test_a_bet_pays_at_most_double_and_on_both_signs_together_two() -> None:
    shifts = np.array([0.01, 0.5])
    for y in (0.0, 1e-9, 0.003, 0.7, 50.0):
        both = np.exp(log_payoff(y, shifts, 0.02)) + np.exp(log_payoff(-y, shifts, 0.02))
        assert both == pytest.approx(2 * np.ones((2, 2)))


@pytest.mark.parametrize("shift", [0.001, 0.02, 0.5])
def test_no_bet_pays_less_for_a_larger_difference(shift: float) -> None:
    shifts = np.array([shift])
    paid = [log_payoff(y, shifts, 0.02) for y in (*np.linspace(-0.9, 0.9, 181), 50.0)]
    assert np.all(np.diff(paid, axis=0) >= 0)


@pytest.mark.parametrize("size", [0.004, 0.1, 0.3])
def test_no_noise_makes_the_slower_side_seem_faster(size: float) -> None:
    """Each pair is as far from the truth as the others, as an effect of the order makes it."""
    found = [
        Pairs(0.03, (-0.06 + sign * size for sign in signs)) for signs in product((-1, 1), repeat=7)
    ]
    for wrong in ([pairs.above for pairs in found], [pairs.above_margin for pairs in found]):
        assert np.mean([np.mean(np.exp(bets.logs)) for bets in wrong]) <= 1


def noisy(value: float, count: int, seed: int = 1) -> list[float]:
    """Pairs of which one in five is far off."""
    rng = np.random.default_rng(seed)
    noise = np.where(rng.random(count) < 0.2, rng.normal(0, 0.3, count), rng.normal(0, 0.01, count))
    return list(map(float, value + noise))


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.05, "above"), (-0.05, "below"), (1.5, "above"), (0.0, "equivalence")],
)
def test_what_is_true_is_found_although_some_pairs_are_far_off(value: float, expected: str) -> None:
    anytime = Pairs(0.03, noisy(value, 60)).anytime()
    true = {
        "above": anytime.above,
        "below": anytime.below,
        "equivalence": anytime.equivalence,
    }
    assert [name for name, p in true.items() if p < 1e-3] == [expected]


@pytest.mark.parametrize(("value", "is_found"), [(0.05, "above"), (0.0, "equivalence")])
def test_what_is_true_is_found_where_most_pairs_are_far_off(value: float, is_found: str) -> None:
    rng = np.random.default_rng(2)
    is_disturbed = rng.random(180) < 0.6
    noise = np.where(is_disturbed, rng.choice((-1, 1), 180) * 0.6, 0) + rng.normal(0, 0.005, 180)
    anytime = Pairs(0.03, value + noise).anytime()
    assert getattr(anytime, is_found) < 1e-3


def test_no_p_ever_rises() -> None:
    pairs, before = Pairs(0.03), Anytime(1, 1, 1, 1)
    for difference in noisy(0.03, 50):
        pairs.add(difference)
        now = pairs.anytime()
        assert now.above <= before.above
        assert now.below <= before.below
        assert now.equivalence <= before.equivalence
        before = now


def test_an_interval_moves_with_the_pairs_and_narrows() -> None:
    few, many = Pairs(0.03, noisy(0.02, 15)), Pairs(0.03, noisy(0.02, 80))
    moved = Pairs(0.03, (x + 0.4 for x in noisy(0.02, 80)))
    estimate, low, high = many.interval()
    assert low < 0.02 < high
    assert low < estimate < high
    assert np.array(moved.interval()) == pytest.approx(np.array(many.interval()) + 0.4, abs=1e-6)
    assert high - low < few.interval()[2] - few.interval()[1]


def test_an_interval_needs_no_test_of_signed_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    """That of more pairs than are tested exactly would load a library, for a p nobody asked for."""
    monkeypatch.setattr(statistics, "asymptotic_signed_rank_p", None)
    estimate, low, high = Pairs(0.03, noisy(0.1, statistics.EXACT + 1)).interval()
    assert low < estimate < high


def test_an_interval_of_another_level_contains_that_of_a_lower_one() -> None:
    pairs = Pairs(0.03, noisy(0.0, 40))
    (_, low, high), (_, lower, higher) = pairs.interval(0.05), pairs.interval(0.001)
    assert lower < low < high < higher


@pytest.mark.parametrize("count", [0, 1, 5])
def test_so_few_pairs_have_no_interval(count: int) -> None:
    assert np.isnan(Pairs(0.03, noisy(0.0, count)).interval()[1])


@pytest.mark.parametrize("relevant", [0.001, 0.03, 0.3])
@pytest.mark.parametrize("p", [0.04, 0.01, 0.04 / 36])
def test_no_pairs_show_anything_sooner_than_equal_ones(relevant: float, p: float) -> None:
    least = equal_pairs(p)
    for difference in (0.0, relevant, 5 * relevant, 0.5, 5.0):
        found = Pairs(relevant, [difference] * (least - 1)).anytime()
        assert min(found.difference, found.equivalence) > p
    assert Pairs(relevant, [0.0] * least).anytime().equivalence <= p
    assert Pairs(relevant, [5.0] * (least + 1)).anytime().difference <= p


def test_equal_pairs_decide_too() -> None:
    same = Pairs(0.03, [0.0] * 12)
    assert same.anytime().equivalence < 0.01
    assert same.anytime().difference == 1
    assert Pairs(0.03, [0.1] * 12).anytime().difference < 0.01
