# SPDX-License-Identifier: BSD-3-Clause
"""The median and the range of values measured in rounds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import median
from typing import TypeVar

T = TypeVar("T")
FEWEST = 6  # 1 - 2^(1-n) > 95 %: that many rounds lie on both sides of their true median


@dataclass(frozen=True)
class Spread:
    """Median, smallest and largest of some rounds."""

    median: float
    low: float
    high: float
    rounds: int

    @property
    def is_conclusive(self) -> bool:
        """Whether the range contains the true median with 95 % confidence."""
        return self.rounds >= FEWEST

    def contains(self, value: float) -> bool:
        """Whether a value is within the range; one round has no range and excludes nothing."""
        return self.rounds < 2 or self.low <= value <= self.high


def spread(values: Iterable[float], rounds: int | None = None) -> Spread:
    """The spread of values, one for each round unless `rounds` is given."""
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
