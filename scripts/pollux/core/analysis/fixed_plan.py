# SPDX-License-Identifier: BSD-3-Clause
"""The verdict on each comparison, in words, given the figures of all comparisons together."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log

import numpy as np

from pollux.core.analysis import statistics
from pollux.core.analysis.metrics import METRICS, SPEED, Metric
from pollux.core.analysis.result import OPEN, Comparison, Interval, Verdict
from pollux.core.analysis.statistics import LEVEL
from pollux.core.analysis.two_sides import Evidence
from pollux.core.text import in_percent

AFFORDABLE = 1000  # samples of a configuration
REFERENCE = Comparison(None, False, 0, None, None, Verdict.REFERENCE, None, "reference")


def judge(
    all_evidence: Sequence[Evidence], relevant: float, metric: Metric = METRICS[SPEED]
) -> list[Comparison]:
    """Verdicts on all comparisons shown: one family of tests, since any of them may be quoted."""
    if not all_evidence:
        return []
    p = np.array([e.p for e in all_evidence])
    corrected = statistics.holm(p)
    best = statistics.best_corrected(np.array([e.smallest_p for e in all_evidence]), p)
    return [
        compare_one(e, float(corrected[i]), float(best[i]), Bounds(len(p), relevant, metric))
        for i, e in enumerate(all_evidence)
    ]


@dataclass(frozen=True)
class Bounds:
    """What all verdicts of a result share."""

    family: int  # comparisons
    relevant: float  # share
    metric: Metric


def compare_one(e: Evidence, corrected: float, best: float, bounds: Bounds) -> Comparison:
    verdict, needed = decide(e, corrected, best, bounds)
    text = words(e, verdict, needed, bounds)
    return Comparison(e.ratio, e.paired, e.samples, e.p, corrected, verdict, needed, text)


def decide(
    e: Evidence, corrected: float, best: float, bounds: Bounds
) -> tuple[Verdict, int | None]:
    """The verdict or, as long as there is none, how many samples would give one.

    Where most pairs are equal, the others can be significant and the estimate 1: no difference.
    """
    family, relevant = bounds.family, bounds.relevant
    if corrected < LEVEL and e.ratio.estimate != 1:
        is_better = bounds.metric.better(e.ratio.estimate)
        return (Verdict.BETTER if is_better else Verdict.WORSE), None
    if best >= LEVEL or not e.ratio.bounded:
        return Verdict.TOO_FEW, fewest(e, family)
    if 1 - relevant <= e.ratio.low and e.ratio.high <= 1 / (1 - relevant):
        return Verdict.NO_DIFFERENCE, None
    return Verdict.TOO_NOISY, samples_needed(e, family, relevant)


def fewest(e: Evidence, family: int) -> int:
    """Samples below which nothing can be significant among so many comparisons."""
    least = statistics.fewest_pairs if e.paired else statistics.fewest_independent
    return least(LEVEL / family)


def samples_needed(e: Evidence, family: int, relevant: float) -> int:
    """Samples that would show a relevant difference, at the level that the correction leaves.

    With as many and still no verdict, the true ratio is near the margin: then those that would show
    a difference of the size seen, or leave no room for a relevant one, whichever are fewer.
    """
    alpha, limit = LEVEL / family, -log(1 - relevant)
    needed = e.samples_to_show(limit, alpha)
    if needed <= e.samples:
        seen = abs(log(e.ratio.estimate))
        effects = [effect for effect in (seen, limit - seen) if effect > limit / 100]
        needed = min(e.samples_to_show(x, alpha) for x in effects)
    return max(needed, e.samples + ceil(e.samples / 4), fewest(e, family))


def affordable(needed: Sequence[int]) -> list[int]:
    """Of numbers of samples, those that somebody may take: others are for hardly any difference."""
    return [number for number in needed if number <= AFFORDABLE]


def words(e: Evidence, verdict: Verdict, needed: int | None, bounds: Bounds) -> str:
    ratio, family, relevant = e.ratio, bounds.family, bounds.relevant
    if text := decided(ratio, verdict, relevant, bounds.metric):
        return text
    if verdict is Verdict.TOO_FEW:
        return f"too few: {e.samples} of {needed} samples"
    enough = e.samples_to_show(-log(1 - relevant), LEVEL / family) <= e.samples
    return f"{OPEN}: ~{needed} samples{'' if enough else f' for {margin(relevant)}'}"


def decided(ratio: Interval, verdict: Verdict, relevant: float, metric: Metric) -> str | None:
    """Such as "faster by 3.0 %" or "no difference (within 1.2 %)"; None: it is undecided."""
    if verdict in (Verdict.BETTER, Verdict.WORSE):
        by = f" by {percent(abs(ratio.estimate - 1))}" if agree(ratio, verdict, metric) else ""
        return f"{verdict_name(verdict, metric)}{by}"
    if verdict is Verdict.NO_DIFFERENCE:
        return f"no difference{within(ratio, relevant)}"
    return None


def agree(ratio: Interval, verdict: Verdict, metric: Metric = METRICS[SPEED]) -> bool:
    """Whether the estimate lies on the side of 1 that was shown.

    What pairs have shown at any time stays shown, though later ones may move the estimate.
    """
    return ratio.estimate != 1 and metric.better(ratio.estimate) == (verdict is Verdict.BETTER)


def within(ratio: Interval, relevant: float) -> str:
    """How large a difference can be where there is none that is relevant, in brackets.

    The tests that exclude the margin can be sharper than the interval; where later pairs move the
    estimate beyond it, nothing is said.
    """
    if not 1 - relevant <= ratio.estimate <= 1 / (1 - relevant):
        return ""
    known = ratio.bounded and furthest(ratio) < relevant
    return f" (within {percent(furthest(ratio)) if known else margin(relevant)})"


def verdict_name(verdict: Verdict, metric: Metric) -> str:
    """Such as "faster" or "less energy"."""
    names = dict(zip((Verdict.BETTER, Verdict.WORSE), metric.verdicts, strict=True))
    return names.get(verdict, str(verdict))


def furthest(ratio: Interval) -> float:
    """How much less the lesser side may be, by the end of the interval that is further from 1."""
    return max(1 - ratio.low, 1 - 1 / ratio.high, 0)


def percent(share: float) -> str:
    """A measured share: `3.0 %`, `120 %`."""
    return in_percent(share, 0 if abs(share) >= 0.995 else 1)


def margin(share: float) -> str:
    """A share that the user chose, as they wrote it: `3 %`, `0.5 %`."""
    return f"{100 * share:g} %"
