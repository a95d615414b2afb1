# SPDX-License-Identifier: BSD-3-Clause
"""Tests descriptions of meters: what they state, and one line for each error in them."""

from pathlib import Path

import pytest
from pollux.core.errors import BadUsageError
from pollux.energy.meters.description import read_meter
from pollux.energy.meters.schema import PATH, schema_text

GOOD = """name = "wall"
measures = "the whole node at the wall"
file = "wall.csv"

[time]
column = "t"
format = "unix-s"

[value]
columns = ["P"]
unit = "W"

[clock]
offset = 3
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "wall.toml"
    path.write_text(text)
    return path


def test_a_description_is_read(tmp_path: Path) -> None:
    meter = read_meter(write(tmp_path, GOOD))
    assert (meter.name, meter.clock.offset, meter.value.is_power) == ("wall", 3, True)
    assert meter.path == tmp_path / "wall.csv"


def test_the_schema_of_descriptions_is_current() -> None:
    assert PATH.read_text() == schema_text(), "run python -m pollux.energy.meters.schema"


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ('name = "wall"\n', "", "wall.toml: name: is missing"),
        ('"wall"', '"the wall"', ':1: name: "the wall" is no name: letters, digits'),
        ('"wall"', "4", ":1: name: must be a text, not 4"),
        ('unit = "W"', 'unit = "V"', ':11: value.unit: "V" is unknown; choose from'),
        ('unit = "W"', 'unit = "J"\npower = "average"', "power is for power, and J is energy"),
        ('unit = "W"', 'unit = "W"\nwraps_at = 5.0', "wraps_at is for energy, and W is power"),
        (
            'unit = "W"',
            'unit = "J"\nwraps_at = nan',
            ":12: value.wraps_at: must be a finite number, not nan",
        ),
        ('"unix-s"', '"unix"', '"unix" is no format; choose from unix-s, unix-ms'),
        ('"unix-s"', '"unix-s"\nzone = "UTC"', "unix-s counts in UTC; leave zone out"),
        ('"unix-s"', '"iso"\nzone = "Nowhere"', ':8: time.zone: "Nowhere" is no time zone'),
        ('"unix-s"', '"iso"\nzone = "../etc"', "is no time zone"),
        (
            '"unix-s"',
            '"%d.%m.%Y %H:%m:%S"',
            ':5: time: "%d.%m.%Y %H:%m:%S" is no pattern that strptime can read',
        ),
        ('"unix-s"', '"%Y-%q"', '"%Y-%q" is no pattern that strptime can read'),
        ('["P"]', "[]", ":10: value.columns: is empty"),
        ('["P"]', '["P", "P"]', "a column is named twice"),
        ('["P"]', "[2]", "columns are all named, or all numbered"),
        ("[clock]", "[clocks]", ':13: clocks: unknown key; did you mean "clock"?'),
        ("offset = 3", "ofset = 3", ':14: clock.ofset: unknown key; did you mean "offset"?'),
        ("offset = 3", "offset = 1e9", ":14: clock.offset: "),
        ("offset = 3", 'offset = "guess"', ":14: clock.offset: "),
        ("[clock]", "[clock", ":13: not TOML: "),
        (
            'file = "wall.csv"',
            'file = "wall.csv"\nmax_gap = 0.0',
            ":4: max_gap: must be greater than 0, not 0.0",
        ),
    ],
)
def test_an_error_is_one_line_with_its_position(
    tmp_path: Path, old: str, new: str, error: str
) -> None:
    assert old in GOOD
    with pytest.raises(BadUsageError) as raised:
        read_meter(write(tmp_path, GOOD.replace(old, new, 1)))
    assert error in raised.value.format_message()
    assert "\n" not in raised.value.format_message()
    assert raised.value.exit_code == 2


def test_what_is_no_description_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.toml", tmp_path, Path("/dev/zero")):
        with pytest.raises(BadUsageError, match="cannot read"):
            read_meter(path)
    write(tmp_path, GOOD).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadUsageError, match="not UTF-8"):
        read_meter(tmp_path / "wall.toml")


def test_json_that_is_no_timeline_is_named(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_text('{"schema": "pollux-trace/1"}\n')
    with pytest.raises(BadUsageError, match="this is JSON, but no timeline of pollux power"):
        read_meter(path)
