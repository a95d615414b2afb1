# SPDX-License-Identifier: BSD-3-Clause
"""Whether the rounds so far decide which side is slower, and because of what.

Looked at after each round, so that every test is one that holds whenever one stops
(core/analysis/anytime.py). A part of the split counts as a share of the first side's thread-time;
of sides with different numbers of threads, its time per thread as a share of the first side's time.
Repetitions of one process have its properties in common, so that a round is one sample: the median
over its pairs of adjacent repetitions.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from math import expm1, log
from statistics import median

from pollux.core.analysis.anytime import Pairs
from pollux.core.analysis.statistics import ALPHA
from pollux.insight.explaining.groups import GROUPS
from pollux.insight.explaining.model import Round, Split, Terms

WATCHED = [term for term in GROUPS if term.key != "messages"]  # rounds are of one process


class Deciding:
    """The evidence of pairs of rounds, one of each side."""

    def __init__(self, relevant: float) -> None:
        self.ratio = Pairs(relevant)
        self.groups = {term.key: of_shares(relevant) for term in WATCHED}
        self.between = {pair: of_shares(relevant) for pair in combinations(self.groups, 2)}
        tests = 1 + len(self.groups) + len(self.between)
        self.enough = ALPHA / tests  # Bonferroni: one false statement or more in 5 %

    def add(self, first: Round, second: Round) -> None:
        """Take in a round of both sides."""
        self.ratio.add(log_ratio(first, second))
        shares = {t.key: next(shares_of([first], [second], t.get)) for t in WATCHED}
        for key, pairs in self.groups.items():
            pairs.add(shares[key])
        for (one, other), pairs in self.between.items():
            pairs.add(shares[one] - shares[other])

    @property
    def rounds(self) -> int:
        return len(self.ratio)

    @property
    def is_decided(self) -> bool:
        """Whether there is no relevant difference, or one with a part that is its main cause."""
        if not self.rounds:
            return False
        found = self.ratio.anytime()
        if found.equivalence <= self.enough:
            return True
        if found.difference > self.enough:
            return False
        sign = 1 if found.above < found.below else -1
        main = max(self.groups, key=lambda key: sign * median(self.groups[key].differences))
        return self.is_above(self.groups[main], sign) and all(
            self.is_above(pairs, sign if pair[0] == main else -sign, ties=True)
            for pair, pairs in self.between.items()
            if main in pair
        )

    def is_above(self, pairs: Pairs, sign: int, *, ties: bool = False) -> bool:
        """Whether the differences are shown to have this sign, or to be about equal."""
        found = pairs.anytime()
        p = found.above if sign > 0 else found.below
        return p <= self.enough or (ties and found.equivalence <= self.enough)


def of_shares(relevant: float, differences: Iterable[float] = ()) -> Pairs:
    """Pairs of shares: these differ by the margin itself, ratios by its logarithm."""
    return Pairs(-expm1(-relevant), differences)


def log_ratio(first: Round, second: Round) -> float:
    """Of the times in a round."""
    return median(log(max(1, b.region) / max(1, a.region)) for a, b in adjacent(first, second))


def shares_of(
    first: Sequence[Round], second: Sequence[Round], get: Callable[[Terms], float]
) -> Iterator[float]:
    """How much more of a part the second side has in each round."""

    def share(a: Split, b: Split) -> float:
        more = get(b.terms) * a.threads / b.threads - get(a.terms)
        return more / max(1, a.terms.total)

    for own, other in zip(first, second, strict=True):
        yield median(share(a, b) for a, b in adjacent(own, other))


def adjacent(first: Round, second: Round) -> Iterator[tuple[Split, Split]]:
    """The repetitions of a round that followed each other."""
    return zip(first, second, strict=False)
