# SPDX-License-Identifier: BSD-3-Clause
"""Verdicts on campaigns that ran until they were decided: the same while they run and later."""

from collections.abc import Sequence
from math import exp

from pollux.core.analysis.anytime import Pairs
from pollux.core.analysis.fixed_plan import furthest, percent
from pollux.core.analysis.metrics import METRICS, SPEED, Metric
from pollux.core.analysis.result import OPEN, Comparison, Interval, Verdict
from pollux.core.analysis.stopping import (
    corrected,
    mean_over_cells,
    pairs_left,
    verdict_over_cells,
    verdicts,
)


def judge_rows(rows: Sequence[Pairs], metric: Metric = METRICS[SPEED]) -> list[Comparison]:
    """Verdicts on all comparisons of a campaign, one family."""
    found = [pairs.anytime() for pairs in rows]
    given = verdicts(found, metric.is_higher_better)
    both = zip(rows, found, corrected(found), given, strict=True)
    comparisons = []
    for pairs, anytime, p, verdict in both:
        ratio = Interval(*map(exp, pairs.interval()))
        n = len(pairs)
        needed = n + pairs_left(pairs, len(rows)) if verdict is Verdict.TOO_NOISY else None
        text = words(ratio, verdict, metric, needed)
        comparisons.append(Comparison(ratio, True, n, anytime.difference, p, verdict, needed, text))
    return comparisons


def judge_mean(
    rows: Sequence[Pairs],
    given: Sequence[Verdict],
    relevant: float,
    metric: Metric = METRICS[SPEED],
) -> Comparison:
    """The verdict on a level over its cells, whose pairs and verdicts these are."""
    mean = mean_over_cells(rows)
    verdict = verdict_over_cells(mean, given, relevant, metric.is_higher_better)
    text = words(mean, verdict, metric, None)
    return Comparison(mean, True, min(map(len, rows)), None, None, verdict, None, text)


def words(ratio: Interval, verdict: Verdict, metric: Metric, needed: int | None) -> str:
    if verdict in (Verdict.BETTER, Verdict.WORSE):
        share = percent(abs(ratio.estimate - 1))
        return metric.shares[verdict is Verdict.WORSE].format(share)
    if verdict is Verdict.NO_DIFFERENCE:
        within = f" (within {percent(furthest(ratio))})" if ratio.bounded else ""
        return f"no difference{within}"
    return OPEN if needed is None else f"{OPEN}: about {needed} samples"
