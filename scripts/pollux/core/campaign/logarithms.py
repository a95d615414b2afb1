# SPDX-License-Identifier: BSD-3-Clause
"""Logarithms of many samples' speeds and of those of their turns, as columns."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Self

import numpy as np
from numpy.typing import NDArray

from pollux.core.campaign.samples import Ints, Logs

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Rows:
    """Several numbers of each sample, however many."""

    counts: Ints
    values: Floats  # of all, one sample after the other

    @cached_property
    def starts(self) -> Ints:
        """Where those of each sample begin."""
        starts: Ints = np.cumsum(self.counts) - self.counts
        return starts

    def chosen(self, places: Ints) -> Self:
        counts = self.counts[places]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return type(self)(counts, self.values[np.repeat(self.starts[places], counts) + within])

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        counts = np.concatenate([part.counts for part in parts])
        return cls(counts, np.concatenate([part.values for part in parts]))

    def table(self, places: Ints, width: int) -> Floats:
        """Those of some samples that have so many each."""
        found: Floats = self.values[self.starts[places, None] + np.arange(width)]
        return found


@dataclass(frozen=True)
class Logarithms:
    """Those of samples' speeds or energies, and those of their turns."""

    middles: Floats
    turns: Rows
    rotas: Ints
    starts: Ints  # in nanoseconds

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        middles = np.concatenate([part.middles for part in parts])
        rotas = np.concatenate([part.rotas for part in parts])
        starts = np.concatenate([part.starts for part in parts])
        return cls(middles, Rows.joined([part.turns for part in parts]), rotas, starts)

    def __len__(self) -> int:
        return len(self.middles)


def logarithms_of(samples: Iterable[Logs]) -> Logarithms:
    given = list(samples)
    counts = np.fromiter((len(own.turns) for own in given), int, len(given))
    turns = np.fromiter(chain.from_iterable(own.turns for own in given), float, counts.sum())
    middles = np.array([own.middle for own in given], float)
    rotas = np.array([own.rota for own in given], int)
    starts = np.array([own.start for own in given], int)
    return Logarithms(middles, Rows(counts, np.log(turns)), rotas, starts)


@dataclass(frozen=True)
class Series:
    """The samples of a configuration that are compared, by round, in ascending order.

    Samples without a round are numbered from -1 down, so that none are paired by chance.
    """

    rounds: list[int]
    places: Ints  # of each round's sample
    all: Logarithms

    def __len__(self) -> int:
        return len(self.rounds)

    @property
    def middles(self) -> Floats:
        own: Floats = self.all.middles[self.places]
        return own

    @property
    def starts(self) -> Ints:
        own: Ints = self.all.starts[self.places]
        return own


def series_of(known: Mapping[int, Logs]) -> Series:
    rounds = sorted(known)
    return Series(rounds, np.arange(len(rounds)), logarithms_of(known[r] for r in rounds))


def shared_rounds(left: Series, right: Series) -> tuple[list[int], tuple[Ints, Ints]]:
    """The rounds that both have, and the places of these samples."""
    if left.rounds == right.rounds:
        return left.rounds, (left.places, right.places)
    rounds, own, other = np.intersect1d(
        left.rounds, right.rounds, assume_unique=True, return_indices=True
    )
    return rounds.astype(int).tolist(), (left.places[own], right.places[other])
