# SPDX-License-Identifier: BSD-3-Clause
"""Tile sizes, square and tall: how they are written, ordered, read from records and lists."""

import json

import pytest
from pollux.core.campaign.lines import Configuration
from pollux.core.campaign.number_lists import (
    parse_numbers,
    parse_tiles,
    parse_wanted_tile,
    parse_wanted_tiles,
)
from pollux.core.errors import BadUsageError
from pollux.core.tiles import Tile
from pollux.machine.tuning.candidates import parse_heights, parse_widths


@pytest.mark.parametrize(
    ("value", "tile", "text", "brief"),
    [
        (128, Tile(128, 128), "128", 128),
        ("128", Tile(128, 128), "128", 128),
        ("128x128", Tile(128, 128), "128", 128),
        ("1024x128", Tile(1024, 128), "1024x128", "1024x128"),
    ],
)
def test_a_square_tile_is_a_number_and_a_tall_one_a_text(
    value: int | str, tile: Tile, text: str, brief: int | str
) -> None:
    assert Tile.parse(value) == tile
    assert (str(tile), tile.brief()) == (text, brief)
    assert Tile.parse(tile.brief()) == tile


@pytest.mark.parametrize("value", [0, -4, True, 1.5, None, 2**31, "", "a", "1024x", "+4", "٣"])
def test_what_is_no_tile_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="not a tile size"):
        Tile.parse(value)


def test_square_tiles_come_first_then_tall_ones_by_their_rows() -> None:
    texts = ["64", "128", "2048", "512x64", "512x128", "1024x64"]
    assert [str(t) for t in sorted(map(Tile.parse, reversed(texts)))] == texts


def test_configurations_keep_their_tiles_and_are_named_after_them() -> None:
    shared = {"runtime": "libgomp", "benchmark": "lu", "variant": "depend", "size": 2048}
    square = Configuration(**shared, tile_asked="128", tile=Tile.square(128))
    assert json.loads(square.model_dump_json())["tile"] == 128
    tall = Configuration(**shared, tile_asked="1024x128", tile=Tile(1024, 128))
    assert json.loads(tall.model_dump_json())["tile"] == "1024x128"
    assert Configuration.model_validate_json(tall.model_dump_json()) == tall
    assert tall.cell() != square.cell()
    assert "NB=1024x128" in tall.label()


@pytest.mark.parametrize("text", ["", "0", "al", "1,,2", "1:2", "all,"])
def test_heights_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(BadUsageError, match="--heights"):
        parse_heights(text)


@pytest.mark.parametrize(
    ("text", "tiles"),
    [
        ("128", ["128"]),
        ("64:128:32, 1024x128", ["64", "96", "128", "1024x128"]),
        ("128x128,128", ["128"]),
        ("512x64,1024x32,256", ["256", "512x64", "1024x32"]),
    ],
)
def test_tiles_are_square_or_tall_and_in_order(text: str, tiles: list[str]) -> None:
    assert list(map(str, parse_tiles(text, "--tile"))) == tiles


def test_the_fastest_and_the_default_tile_are_named_by_words() -> None:
    assert list(map(str, parse_wanted_tiles("fastest,128,64", "--tile"))) == [
        "64",
        "128",
        "fastest",
    ]
    assert parse_wanted_tile("fastest", "--tile") == "fastest"
    assert list(map(str, parse_wanted_tiles("fastest,default,64", "--tile"))) == [
        "64",
        "default",
        "fastest",
    ]


@pytest.mark.parametrize(
    "text",
    [
        *("", "0", "x64", "64x", "100x64", "64x128", "1024x0", "64x64x64"),
        *("fast", ",fastest", "Fastest", "Default", "tuned"),
    ],
)
def test_tiles_that_make_no_sense_are_refused_in_a_line(text: str) -> None:
    with pytest.raises(BadUsageError, match=r"--tile: .*not a tile size") as refused:
        parse_wanted_tile(text, "--tile")
    assert "\n" not in refused.value.format_message()


def test_one_tile_is_one() -> None:
    with pytest.raises(BadUsageError, match="is 2 tile sizes; one is needed"):
        parse_wanted_tile("64,128", "--tile")


@pytest.mark.parametrize("text", ["", "0", "a", "1,,2", "1:2", "9:1:2", "-4", "1.5"])
def test_numbers_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(BadUsageError, match="--tiles"):
        parse_numbers(text, "--tiles")


def test_the_fastest_tile_may_be_a_candidate_beside_others() -> None:
    assert parse_widths("32:64:32,fastest") == ([32, 64], True)
    assert parse_widths("64") == ([64], False)
    with pytest.raises(BadUsageError, match="leaves no NB to search"):
        parse_widths("fastest")


def test_numbers_and_ranges_may_be_mixed() -> None:
    assert parse_numbers("96, 32:64:16,32", "--tiles") == [32, 48, 64, 96]
