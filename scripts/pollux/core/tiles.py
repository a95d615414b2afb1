# SPDX-License-Identifier: BSD-3-Clause
"""Tile sizes: MB rows and NB columns, written as NB alone where a tile is square."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

from pydantic import BaseModel, PositiveInt, model_validator
from pydantic_core import CoreSchema, core_schema

from pollux.core.limits import NUMBER_MAX

TALL_PATTERN = r"^\d+x\d+$"  # of a tile with more rows than columns
DEFAULT = "default"  # stands for the tile of a run without any: square, from the executables' table
# The fastest tile of that table, of any shape.
FASTEST = "fastest"
TABLE_WORDS = (DEFAULT, FASTEST)


@dataclass(frozen=True, slots=True)
class Tile:
    """MB × NB; a factorization proceeds in steps of NB columns, so that MB is a multiple of NB.

    Square tiles come before tall ones; these are in the order of MB, then of NB.
    """

    mb: int
    nb: int

    def __post_init__(self) -> None:
        if not 1 <= self.nb <= self.mb <= NUMBER_MAX:
            raise ValueError(f"{self} is not a tile size: NB is from 1 up, MB from NB up")
        if self.mb % self.nb:
            raise ValueError(f"{self} is not a tile size: MB = {self.mb} is no multiple of NB")

    @classmethod
    def square(cls, nb: int) -> "Tile":
        return cls(nb, nb)

    @classmethod
    def parse(cls, value: object) -> "Tile":
        """A tile as files and command lines have it: 128, "128" or "1024x128"."""
        if isinstance(value, cls):
            return value
        if type(value) is int:
            return cls.square(value)
        rows, cross, columns = str(value).partition("x")
        numbers = (rows, columns if cross else rows)
        if not isinstance(value, str) or not all(map(is_number, numbers)):
            raise ValueError(f'"{value}" is not a tile size; one is NB, or MBxNB such as 1024x128')
        return cls(*map(int, numbers))

    @property
    def is_square(self) -> bool:
        return self.mb == self.nb

    def __str__(self) -> str:
        return str(self.nb) if self.mb == self.nb else f"{self.mb}x{self.nb}"

    def __lt__(self, other: "Tile") -> bool:
        return self.place < other.place

    @property
    def shape(self) -> int:
        """Tiles of equal shape differ in NB alone: square ones (0), or those of one MB."""
        return 0 if self.is_square else self.mb

    @property
    def place(self) -> tuple[int, int]:
        """In the order of tiles."""
        return self.shape, self.nb

    def steps(self, m: int, n: int) -> int:
        """Steps of a factorization of m × n."""
        return -(-min(m, n) // self.nb)

    def brief(self) -> int | str:
        """What stands for it in JSON and TOML: NB where it is square."""
        return self.nb if self.is_square else str(self)

    def fields(self) -> dict[str, int]:
        """Its fields in records."""
        return {"mb": self.mb, "nb": self.nb}

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            cls.parse, serialization=core_schema.plain_serializer_function_ser_schema(cls.brief)
        )


WantedTile = Tile | str  # a tile, or one of TABLE_WORDS


def is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 11


def tile_of(record: Mapping[str, Any]) -> Tile | None:
    """The tile of a record; None where it is of no matrix."""
    return None if record["nb"] is None else tile(record["mb"], record["nb"])


@lru_cache
def tile(mb: int, nb: int) -> Tile:
    """The tile of these sizes; few of them occur in many records."""
    return Tile(mb, nb)


class Tiled(BaseModel):
    """Something in JSON that has a tile."""

    nb: PositiveInt
    mb: PositiveInt

    @model_validator(mode="after")
    def check_tile(self) -> Self:
        Tile(self.mb, self.nb)
        return self

    @property
    def tile(self) -> Tile:
        return Tile(self.mb, self.nb)
