# SPDX-License-Identifier: BSD-3-Clause
"""How far a prediction can be trusted: what each round of traces predicts by itself.

The range goes from one order statistic of the rounds to another, as far out as the binomial
distribution asks for 95 % that the median of endless rounds lies between: of nine rounds the second
smallest and the second largest. Fewer than SURE rounds cannot give 95 %: then it goes from the
smallest to the largest. The prediction itself, from the medians over all traces, is always in it.
"""

from collections.abc import Sequence

from scipy.stats import binom  # type: ignore[import-untyped]

CONFIDENCE = 0.95
SURE = 6  # rounds: the fewest whose smallest and largest hold the median with 95 %

Range = tuple[float, float]


def range_of(value: float, rounds: Sequence[float]) -> Range | None:
    """The range of a predicted value; None where it was predicted from one round alone."""
    if len(rounds) < 2:
        return None
    ordered = sorted(rounds)
    outside = max(0, int(binom.ppf((1 - CONFIDENCE) / 2, len(ordered), 0.5)) - 1)
    return min(value, ordered[outside]), max(value, ordered[-1 - outside])


def words(rounds: int) -> str:
    """What the ranges of that many rounds are, for output."""
    if rounds < 2:
        return "no ranges: they need two rounds of traces or more"
    if rounds < SURE:
        return (
            f"ranges: smallest to largest of {rounds} rounds of traces; {SURE} are needed for 95 %"
        )
    return f"ranges: hold the median of endless rounds of traces with 95 %, by {rounds} rounds"
