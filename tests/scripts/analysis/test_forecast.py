# SPDX-License-Identifier: BSD-3-Clause
"""What a campaign tells of the time that it still needs is right in 80 % of cases or more."""

import sys
from statistics import fmean

import numpy as np
import pytest
from pollux.core.analysis.anytime import Pairs
from pollux.core.analysis.forecast import Family, outlook
from pollux.core.campaign.engine import State
from pollux.core.campaign.outlook import SHARE, Outlook, outlook_of
from pollux.core.campaign.progress import needs, shortage, time_left
from pollux.core.paths import ROOT
from scipy.stats import norm  # type: ignore[import-untyped]

sys.path.insert(0, str(ROOT / "docs/evaluation"))
from forecasts import TRUTHS, Told, forecasts_of, simulated
from stopping import CONDITIONS

NOISES = ("turns", "quiet", "bursts")
KINDS = [(name, truth) for name in NOISES for truth in ("A/A", "5 %", "10 %")]


def told(condition: str, truth: str, cells: int, campaigns: int) -> list[Told]:
    rng = np.random.default_rng(7)
    noise = CONDITIONS[condition].noise
    return [
        one
        for _ in range(campaigns)
        for one in forecasts_of(simulated(noise, TRUTHS[truth], cells, rng))
    ]


def test_forecasts_of_simulated_campaigns_are_right_as_often_as_they_say() -> None:
    """Numbers within a factor of two, ranges that contain the time: all noise, seeded."""
    every = [one for kind in KINDS for one in told(*kind, cells=2, campaigns=6)]
    assert len(every) > 50
    assert fmean(one.is_right for one in every) >= SHARE
    numbers = [one for one in every if one.outlook.is_certain]
    assert len(numbers) > 10 and fmean(one.is_right for one in numbers) >= SHARE


def pairs_of(true: float, noise: float, number: int) -> Pairs:
    """As if drawn, but evenly spread: the pairs' median is the truth."""
    order = np.random.default_rng(3).permutation(number)
    return Pairs(0.03, true + noise * norm.ppf((order + 0.5) / number))


ALONE = Family(1, 1, 0.04)


def middle(true: float, noise: float, family: Family = ALONE, number: int = 9) -> float:
    return float(np.median(outlook({"one": pairs_of(true, noise, number)}, family)["one"]))


def test_more_noise_and_more_comparisons_take_more_rounds() -> None:
    assert middle(0.06, 0.02) < middle(0.06, 0.06) < middle(0.06, 0.2)
    assert middle(0.06, 0.06) < middle(0.06, 0.06, Family(50, 50, 0.04))


def test_a_clear_difference_takes_fewer_rounds_than_none() -> None:
    assert middle(0.09, 0.05) < middle(0.06, 0.05) < middle(0.0, 0.05)


def test_few_pairs_foretell_nothing() -> None:
    assert outlook({"one": pairs_of(0.1, 0.01, 3)}, Family(1, 1, 0.04)) == {}


def state(outlook: Outlook | None, budget: float = 100.0) -> State:
    return State(
        total=9, comparisons=4, decided=1, outlook=outlook, budget_left=budget, wander=0.05
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (Outlook(20, 30, 50), "about 30 s to go"),
        (Outlook(10, 30, 90), "10 s to 90 s to go"),
        (Outlook(40, 90, 400), "at most 100 s to go"),
        (None, "at most 100 s to go"),
        (Outlook(0.1, 0.2, 0.9), "about 1 s to go"),
    ],
)
def test_a_forecast_is_a_number_a_range_or_what_the_budget_leaves(
    given: Outlook | None, words: str
) -> None:
    assert time_left(state(given)) == words


def test_a_shortage_is_told_once_it_is_likelier_than_not() -> None:
    assert shortage(state(Outlook(40, 90, 400))) is None
    assert shortage(state(None)) is None
    line = shortage(state(Outlook(60, 180, 900)))
    assert (
        line is not None
        and "deciding all 4 comparisons takes 60 s to 15 min more; 1 decided so far" in line
    )
    assert "cannot be foreseen" in needs(state(None))


def test_a_range_is_told_where_a_number_would_be_a_guess() -> None:
    assert outlook_of(np.linspace(100, 300, 99)).words().startswith("about ")
    assert " to " in outlook_of(np.linspace(10, 300, 99)).words()
