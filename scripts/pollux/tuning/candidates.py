# SPDX-License-Identifier: BSD-3-Clause
"""Tile sizes that a search chooses from, and which of them are next to each other."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pollux.campaign.values import NUMBER_MAX, parse_range
from pollux.errors import BadUsageError

T = TypeVar("T")
SPACING = 1.25  # of the tiles that are tried first; what lies between two of them is tried later


@dataclass(frozen=True, order=True)
class Candidate:
    """A tile size, with the inner block of QR's kernels."""

    nb: int
    ib: int | None = None

    def __str__(self) -> str:
        return f"NB={self.nb}" + ("" if self.ib is None else f" IB={self.ib}")


@dataclass(frozen=True)
class Grid:
    """All candidates: every NB with every IB that is no larger; `inner` is empty but for QR."""

    tiles: tuple[int, ...]
    inner: tuple[int, ...] = ()

    def all(self) -> list[Candidate]:
        return unique(self.candidate(nb, ib) for nb in self.tiles for ib in self.inner or (None,))

    def candidate(self, nb: int, ib: int | None) -> Candidate:
        return Candidate(nb, None if ib is None else min(ib, nb))

    def coarse(self) -> list[int]:
        """Tiles from the smallest to the largest, each at least SPACING times the one before."""
        chosen = [self.tiles[0]]
        for nb in self.tiles:
            if nb >= SPACING * chosen[-1]:
                chosen.append(nb)
        return unique([*chosen, self.tiles[-1]])

    def middle(self) -> list[Candidate]:
        """Every IB at the middle one of the coarse tiles."""
        tiles = self.coarse()
        return unique(self.candidate(tiles[len(tiles) // 2], ib) for ib in self.inner)

    def neighbours(self, best: Candidate, measured: Iterable[Candidate]) -> list[Candidate]:
        """What is yet to be measured around `best`: an NB on either side, the next IBs."""
        known = set(measured)
        found = [self.candidate(nb, best.ib) for nb in self.between(best, known)]
        if best.ib in self.inner:
            at = self.inner.index(best.ib)
            near = self.inner[max(0, at - 1) : at + 2]
            found += [self.candidate(best.nb, ib) for ib in near]
        return [c for c in unique(found) if c not in known]

    def between(self, best: Candidate, known: Iterable[Candidate]) -> list[int]:
        """The tile in the middle between `best` and the next measured one, below and above."""
        measured = {c.nb for c in known if c.ib == best.ib}
        below = [nb for nb in self.tiles if nb < best.nb]
        above = [nb for nb in self.tiles if nb > best.nb]
        gaps = (untried(reversed(below), measured), untried(above, measured))
        return [gap[(len(gap) - 1) // 2] for gap in gaps if gap]


def untried(tiles: Iterable[int], measured: set[int]) -> list[int]:
    """The tiles up to the first one that was measured."""
    found = []
    for nb in tiles:
        if nb in measured:
            break
        found.append(nb)
    return found


def unique(items: Iterable[T]) -> list[T]:
    return list(dict.fromkeys(items))


def make_grid(tiles: Sequence[int], inner: Sequence[int], size: int) -> Grid:
    """The grid for a matrix of this order; a tile larger than that would be the same as N."""
    return Grid(
        tuple(sorted({min(nb, size) for nb in tiles})),
        tuple(sorted({min(ib, size) for ib in inner})),
    )


def parse_numbers(text: str, option: str) -> list[int]:
    """Numbers and ranges between commas, such as "32:768:32" or "64,128,256"."""
    found: list[int] = []
    for part in map(str.strip, text.split(",")):
        if ":" in part:
            try:
                found += parse_range(part, "a range")
            except ValueError as error:
                raise BadUsageError(f"{option}: {error}") from error
        elif part.isascii() and part.isdigit() and 1 <= int(part) <= NUMBER_MAX:
            found.append(int(part))
        else:
            raise BadUsageError(
                f"{option}: {part!r} is no number from 1 up; such as 64,128 or 32:768:32"
            )
    return sorted(set(found))
