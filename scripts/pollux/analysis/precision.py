# SPDX-License-Identifier: BSD-3-Clause
"""Whether a cell's results are precise enough to take no more samples of it.

The rule uses the width of intervals only, never their position: stopping as soon as a
difference is significant would find differences that are not there.
"""

from collections.abc import Sequence

import numpy as np

from pollux.analysis.statistics import FEWEST, Floats, median_intervals, paired_shifts


def is_settled(speeds: Sequence[dict[int, float]], bound: float) -> bool:
    """Whether every 95 % interval of a cell is narrower than `bound`, relative to its estimate.

    `speeds` holds GFlop/s by round for each configuration, the reference first. The interval is
    that of the ratio to the reference, or of the median where there is nothing to compare.
    Configurations without any speed do not count.
    """
    reference, *others = [own for own in speeds if own] or [{}]
    if not others:
        return relative_width(*median_of(reference)) <= bound
    return all(relative_width(*ratio_of(own, reference)) <= bound for own in others)


def median_of(own: dict[int, float]) -> tuple[float, float, float]:
    if len(own) < FEWEST:
        return np.nan, np.nan, np.nan
    return first(median_intervals(np.array([list(own.values())])))


def ratio_of(own: dict[int, float], reference: dict[int, float]) -> tuple[float, float, float]:
    common = sorted(own.keys() & reference.keys())
    if len(common) < FEWEST:
        return np.nan, np.nan, np.nan
    shifts = paired_shifts(np.log([[own[r] / reference[r] for r in common]]))
    estimate, low, high = first((shifts.estimate, shifts.low, shifts.high))
    return float(np.exp(estimate)), float(np.exp(low)), float(np.exp(high))


def first(figures: tuple[Floats, Floats, Floats]) -> tuple[float, float, float]:
    estimate, low, high = (float(figure[0]) for figure in figures)
    return estimate, low, high


def relative_width(estimate: float, low: float, high: float) -> float:
    """NaN, which is below no bound, as long as there is no interval."""
    return (high - low) / estimate
