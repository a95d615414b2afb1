# SPDX-License-Identifier: BSD-3-Clause
"""Verdicts on campaigns that ran until they were decided: the same while they run and later."""

from collections.abc import Mapping, Sequence
from math import exp

from pollux.core.analysis.anytime import Pairs
from pollux.core.analysis.fixed_plan import decided
from pollux.core.analysis.metrics import METRICS, SPEED, Metric
from pollux.core.analysis.result import OPEN, Comparison, Interval, Verdict, not_compared
from pollux.core.analysis.stopping import (
    MEANS,
    ROWS,
    corrected,
    mean_of_round,
    pairs_left,
    rounds_of_all,
    shared,
    verdicts,
)

NO_ROUND = not_compared("no round that all of its cells have")


def judge_rows(
    rows: Sequence[Pairs], metric: Metric = METRICS[SPEED], chance: float = ROWS
) -> list[Comparison]:
    """Verdicts on all comparisons of a campaign, one family; of a part, with a part of ROWS."""
    found = [pairs.anytime() for pairs in rows]
    given = verdicts(found, metric.is_higher_better, chance)
    of_all = [min(1.0, p * ROWS / chance) for p in corrected(found)]
    both = zip(rows, found, of_all, given, strict=True)
    comparisons = []
    for pairs, anytime, p, verdict in both:
        ratio = Interval(*map(exp, pairs.interval()))
        n = len(pairs)
        is_open = verdict is Verdict.TOO_NOISY
        needed = n + pairs_left(pairs, len(rows), chance) if is_open else None
        text = words(ratio, verdict, pairs.relevant, metric, needed)
        comparisons.append(Comparison(ratio, True, n, anytime.difference, p, verdict, needed, text))
    return comparisons


def judge_means(
    levels: Sequence[Sequence[Mapping[int, float]]],
    given: Sequence[Sequence[Verdict]],
    relevant: float,
    metric: Metric = METRICS[SPEED],
) -> list[Comparison]:
    """The verdict on each level over its cells: their differences by round, and their verdicts.

    What all cells have in common holds for their mean, and that of a single cell is its own.
    """
    means = [mean_pairs(rows, relevant) for rows in levels]
    several = [pairs for pairs, rows in zip(means, levels, strict=True) if len(rows) > 1]
    found = [pairs.anytime() for pairs in several]
    decided = iter(verdicts(found, metric.is_higher_better, MEANS))
    comparisons = []
    for pairs, rows, own in zip(means, levels, given, strict=True):
        of_mean = own[0] if len(rows) == 1 else next(decided)
        verdict = shared(own) or of_mean
        comparisons.append(of_pairs(pairs, verdict, len(several), metric) if pairs else NO_ROUND)
    return comparisons


def of_pairs(pairs: Pairs, verdict: Verdict, family: int, metric: Metric) -> Comparison:
    ratio = Interval(*map(exp, pairs.interval()))
    is_open = verdict is Verdict.TOO_NOISY
    needed = len(pairs) + pairs_left(pairs, max(1, family), MEANS) if is_open else None
    text = words(ratio, verdict, pairs.relevant, metric, None)
    return Comparison(ratio, True, len(pairs), None, None, verdict, needed, text)


def mean_pairs(rows: Sequence[Mapping[int, float]], relevant: float) -> Pairs:
    return Pairs(relevant, (mean_of_round(rows, round_) for round_ in rounds_of_all(rows)))


def words(
    ratio: Interval, verdict: Verdict, relevant: float, metric: Metric, needed: int | None
) -> str:
    if text := decided(ratio, verdict, relevant, metric):
        return text
    return OPEN if needed is None else f"{OPEN}: about {needed} samples"
