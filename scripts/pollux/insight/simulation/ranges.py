# SPDX-License-Identifier: BSD-3-Clause
"""The uncertainty of a prediction: the range of what each round of traces predicts by itself.

The range goes from one order statistic of the rounds to another, chosen by the binomial
distribution such that it contains the true median with 95 %: for nine rounds the second smallest
and the second largest. Fewer than SURE rounds cannot give 95 %: then it goes from the
smallest to the largest. The prediction itself, from the medians over all traces, is always in it.
"""

from collections.abc import Sequence
from math import comb

CONFIDENCE = 0.95
SURE = 6  # rounds: the fewest whose smallest and largest enclose the median with 95 %

Range = tuple[float, float]


def range_of(value: float, rounds: Sequence[float]) -> Range | None:
    """The range of a predicted value; None if it was predicted from a single round."""
    if len(rounds) < 2:
        return None
    ordered = sorted(rounds)
    outside = rounds_outside(len(ordered))
    return min(value, ordered[outside]), max(value, ordered[-1 - outside])


def rounds_outside(rounds: int) -> int:
    """How many rounds lie beyond the range at either end."""
    below = 1  # times 2^-rounds: the chance that no more than `outside` rounds lie below the median
    outside = 0
    while below / 2**rounds < (1 - CONFIDENCE) / 2:
        outside += 1
        below += comb(rounds, outside)
    return max(0, outside - 1)


def words(rounds: int) -> str:
    """A description of the ranges of this many rounds, for output."""
    if rounds < 2:
        return "no ranges: they come from two rounds of traces or more"
    if rounds < SURE:
        return (
            f"ranges: smallest to largest of {rounds} rounds of traces; {SURE} are needed for 95 %"
        )
    return f"ranges: contain the true median with 95 %, from {rounds} rounds of traces"
