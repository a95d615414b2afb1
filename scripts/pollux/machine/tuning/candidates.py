# SPDX-License-Identifier: BSD-3-Clause
"""Tile sizes that a search chooses from, and which of them are next to each other."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pollux.core.campaign.number_lists import number, parse_list, parse_numbers
from pollux.core.errors import BadUsageError
from pollux.core.limits import NUMBER_MAX
from pollux.core.tiles import FASTEST, Tile

T = TypeVar("T")
SPACING = 1.25  # between the NB tried first; those in between are tried later
WHOLE = NUMBER_MAX  # a height: as many rows as the matrix has
ALL = "all"  # the word for it on the command line


@dataclass(frozen=True, order=True)
class Candidate:
    """A tile size, with the inner block of QR's kernels."""

    tile: Tile
    ib: int | None = None

    @property
    def nb(self) -> int:
        return self.tile.nb

    def __str__(self) -> str:
        return f"NB={self.tile}" + ("" if self.ib is None else f" IB={self.ib}")


@dataclass(frozen=True)
class Grid:
    """All candidates: every NB with every height, and with every IB that is no larger.

    A height is MB / NB, cut to the rows of the matrix; `inner` is empty except for QR. `others` are
    tiles beside those of the grid.
    """

    size: int  # of the matrix
    tiles: tuple[int, ...]
    inner: tuple[int, ...] = ()
    heights: tuple[int, ...] = (1,)
    others: tuple[Tile, ...] = ()

    def all(self) -> list[Candidate]:
        own = [self.tile(nb, height) for nb in self.tiles for height in self.heights]
        return unique(
            self.candidate(tile, ib)
            for tile in (*own, *self.others)
            for ib in self.inner or (None,)
        )

    def candidate(self, tile: Tile, ib: int | None) -> Candidate:
        return Candidate(tile, None if ib is None else min(ib, tile.nb))

    def tile(self, nb: int, height: int) -> Tile:
        return Tile(nb * min(height, -(-self.size // nb), NUMBER_MAX // nb), nb)

    def height(self, tile: Tile) -> int:
        """The height of a tile; a tile of whole columns has the greatest, whatever its NB."""
        return self.heights[-1] if tile.mb >= self.size else tile.mb // tile.nb

    def coarse(self) -> list[int]:
        """NB from the smallest to the largest, each at least SPACING times the one before."""
        chosen = [self.tiles[0]]
        for nb in self.tiles:
            if nb >= SPACING * chosen[-1]:
                chosen.append(nb)
        return unique([*chosen, self.tiles[-1]])

    def coarse_heights(self) -> list[int]:
        """Every other height, including the least and the greatest."""
        return unique([*self.heights[::2], self.heights[-1]])

    def coarse_tiles(self) -> list[Tile]:
        own = [self.tile(nb, h) for h in self.coarse_heights() for nb in self.coarse()]
        return unique([*own, *self.others])

    def middle(self) -> list[Candidate]:
        """Every IB, with the middle one of the coarse NB and of the heights."""
        widths, heights = self.coarse(), self.coarse_heights()
        tile = self.tile(widths[len(widths) // 2], heights[len(heights) // 2])
        return unique(self.candidate(tile, ib) for ib in self.inner)

    def neighbours(self, best: Candidate, measured: Iterable[Candidate]) -> list[Candidate]:
        """Unmeasured candidates around `best`: an NB on either side, the next heights and IBs."""
        known = set(measured)
        found = [self.candidate(tile, best.ib) for tile in self.between(best, known)]
        column = unique(self.tile(best.nb, height) for height in self.heights)
        found += [self.candidate(tile, best.ib) for tile in near(column, best.tile)]
        found += [self.candidate(best.tile, ib) for ib in near(self.inner, best.ib)]
        return [c for c in unique(found) if c not in known]

    def between(self, best: Candidate, known: Iterable[Candidate]) -> list[Tile]:
        """The NB halfway between `best` and the next measured ones of its height."""
        height = self.height(best.tile)
        measured = {c.nb for c in known if (self.height(c.tile), c.ib) == (height, best.ib)}
        below = [nb for nb in self.tiles if nb < best.nb]
        above = [nb for nb in self.tiles if nb > best.nb]
        gaps = (untried(reversed(below), measured), untried(above, measured))
        return [self.tile(gap[(len(gap) - 1) // 2], height) for gap in gaps if gap]


def near(values: Sequence[T], value: object) -> Sequence[T]:
    """A value in a list, and those next to it."""
    if value not in values:
        return []
    at = [*values].index(value)  # type: ignore[arg-type]
    return values[max(0, at - 1) : at + 2]


def untried(tiles: Iterable[int], measured: set[int]) -> list[int]:
    """The tiles before the first measured one."""
    found = []
    for nb in tiles:
        if nb in measured:
            break
        found.append(nb)
    return found


def unique(items: Iterable[T]) -> list[T]:
    return list(dict.fromkeys(items))


def make_grid(
    tiles: Sequence[int],
    inner: Sequence[int],
    size: int,
    heights: Sequence[int] = (1,),
    others: Sequence[Tile] = (),
) -> Grid:
    """The grid for a matrix of this order; a larger tile would be the same as N."""
    return Grid(
        size,
        tuple(sorted({min(nb, size) for nb in tiles})),
        tuple(sorted({min(ib, size) for ib in inner})),
        tuple(sorted(set(heights))),
        tuple(others),
    )


def parse_widths(text: str) -> tuple[list[int], bool]:
    """Numbers and ranges, and whether the word for the fastest tile is among them."""
    words = [part.strip() for part in text.split(",")]
    others = [word for word in words if word != FASTEST]
    if not others:
        raise BadUsageError(f"--tile: {text!r} leaves no NB to search; example: 64:512:64,fastest")
    return parse_numbers(",".join(others), "--tile"), FASTEST in words


def parse_heights(text: str) -> list[int]:
    """Heights separated by commas; "all" is for tiles of whole columns."""

    def height(part: str) -> int:
        return WHOLE if part == ALL else number(part)

    return sorted(set(parse_list(text, "--heights", height, int)))
