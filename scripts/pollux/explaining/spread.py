# SPDX-License-Identifier: BSD-3-Clause
"""The middle and the ends of what the rounds gave."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import median
from typing import TypeVar

T = TypeVar("T")
FEWEST = 6  # 1 - 2^(1-n) > 95 %: so many rounds lie on both sides of their true median


@dataclass(frozen=True)
class Spread:
    """Median, smallest and largest of some rounds."""

    median: float
    low: float
    high: float
    rounds: int

    @property
    def tells(self) -> bool:
        """Whether the range encloses the median of endless rounds with 95 %."""
        return self.rounds >= FEWEST

    def holds(self, value: float) -> bool:
        """Whether a value lies within the range; one round has none, so that nothing is told."""
        return self.rounds < 2 or self.low <= value <= self.high


def spread(values: Iterable[float], rounds: int | None = None) -> Spread:
    """The spread of values, of which each round has given one unless told otherwise."""
    found = list(values)
    return Spread(median(found), min(found), max(found), rounds or len(found))


def middle(values: Sequence[float]) -> int:
    """Which of the values is the median; the lower one of two."""
    return sorted(range(len(values)), key=values.__getitem__)[(len(values) - 1) // 2]


def pairs(ours: Sequence[T], theirs: Sequence[T]) -> list[tuple[T, T]]:
    """Round by round where both have the same rounds, else each with each."""
    if len(ours) == len(theirs):
        return list(zip(ours, theirs, strict=True))
    return list(product(ours, theirs))
