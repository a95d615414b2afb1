# SPDX-License-Identifier: BSD-3-Clause
"""Lists of numbers and tiles as the command line has them."""

from collections.abc import Callable
from typing import TypeVar

from pollux.core.campaign.values import parse_range
from pollux.core.errors import BadUsageError
from pollux.core.limits import NUMBER_MAX
from pollux.core.tiles import TABLE_WORDS, Tile, WantedTile

T = TypeVar("T")


def parse_numbers(text: str, option: str) -> list[int]:
    """Numbers and ranges separated by commas, such as "32:768:32" or "64,128,256"."""
    return sorted(set(parse_list(text, option, number, int)))


def number(text: str) -> int:
    digits = text.lstrip("0")
    if not (digits.isascii() and digits.isdigit()):
        raise ValueError(f"{text!r} is not a positive number; examples: 64,128 or 32:768:32")
    if len(digits) > len(str(NUMBER_MAX)) or int(digits) > NUMBER_MAX:
        raise ValueError(f"{text} is more than {NUMBER_MAX}")
    return int(digits)


def parse_tiles(text: str, option: str) -> list[Tile]:
    """Tiles and ranges of square ones, separated by commas, such as "64:256:64,1024x128"."""
    return sorted(set(parse_list(text, option, Tile.parse, Tile.square)))


def parse_wanted_tiles(text: str, option: str) -> list[WantedTile]:
    """Likewise, and the words for tiles of the executables' table, last."""
    words = [part.strip() for part in text.split(",")]
    others = [word for word in words if word not in TABLE_WORDS]
    found: list[WantedTile] = [*parse_tiles(",".join(others), option)] if others else []
    return [*found, *(word for word in TABLE_WORDS if word in words)]


def parse_wanted_tile(text: str, option: str) -> WantedTile:
    """One of them."""
    found = parse_wanted_tiles(text, option)
    if len(found) > 1:
        raise BadUsageError(f"{option}: {text!r} is {len(found)} tile sizes; one is needed")
    return found[0]


def parse_list(
    text: str, option: str, parse: Callable[[str], T], of_range: Callable[[int], T]
) -> list[T]:
    """The items between commas; errors name the option."""
    found: list[T] = []
    for part in map(str.strip, text.split(",")):
        try:
            found += map(of_range, parse_range(part, "a range")) if ":" in part else [parse(part)]
        except ValueError as error:
            raise BadUsageError(f"{option}: {error}") from error
    return found
