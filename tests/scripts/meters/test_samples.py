# SPDX-License-Identifier: BSD-3-Clause
"""Tests how CSV files of meters are read: columns, units, times, and one line for each error."""

from pathlib import Path

import numpy as np
import pytest
from pollux.core.errors import BadUsageError
from pollux.core.readings import Status
from pollux.energy.meters import samples
from pollux.energy.meters.description import read_meter
from pollux.energy.meters.samples import read_series
from pollux.energy.meters.series import Series

HOUR = 3600 * 10**9


def series(
    tmp_path: Path,
    content: str | bytes,
    *,
    time: str = 'column = "t"\nformat = "unix-s"',
    value: str = 'columns = ["P"]\nunit = "W"',
    top: str = "",
) -> Series:
    data = content if isinstance(content, bytes) else content.encode()
    (tmp_path / "wall.csv").write_bytes(data)
    path = tmp_path / "wall.toml"
    path.write_text(
        f'name = "wall"\nmeasures = "the node"\nfile = "wall.csv"\n{top}\n'
        f"[time]\n{time}\n[value]\n{value}\n"
    )
    return read_series(read_meter(path))


def joules(found: Series) -> list[float]:
    return [float(value) for value in found.joules]


PLAIN = "t,P\n0,100\n1,100\n2,200\n3,200\n"


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (PLAIN, {}),
        (PLAIN.replace("\n", "\r\n"), {}),
        (b"\xef\xbb\xbf" + PLAIN.encode(), {}),
        ("# made by a meter\n\n" + PLAIN.replace("\n", "\n\n"), {}),
        (PLAIN.replace(",", ";"), {}),
        (PLAIN.replace(",", "\t"), {}),
        (PLAIN.replace(",", "   "), {"top": 'separator = " "'}),
        (PLAIN.replace("t,P", '"t", "P" '), {}),
        ("P,x,t\n100,?,0\n100,,1\n200,a,2\n200,b,3\n", {}),
        ("0,100\n1,100\n2,200\n3,200\n", {"time": "column = 1\nformat = 'unix-s'",
                                           "value": "columns = [2]\nunit = 'W'"}),
        ("t;P\n0;0,1\n1;0,1\n2;0,2\n3;0,2\n",
         {"top": "decimal = ','", "value": "columns = ['P']\nunit = 'kW'"}),
        ("t;P\n0,0;100,0\n1,0;100\n2;200\n3.0;200\n", {"top": "decimal = ','"}),
        ("t,A,B\n0,60,40\n1,60,40\n2,150,50\n3,150,50\n",
         {"value": "columns = ['A', 'B']\nunit = 'W'"}),
        (PLAIN.replace("\n1,", "\n1.000,"), {}),
    ],
)  # fmt: skip
def test_files_of_one_content_give_one_series(
    tmp_path: Path, content: str | bytes, options: dict[str, str]
) -> None:
    found = series(tmp_path, content, **options)
    assert found.times.tolist() == [0, 10**9, 2 * 10**9, 3 * 10**9]
    assert joules(found) == pytest.approx([0, 100, 250, 450])


@pytest.mark.parametrize(
    ("unit", "cells", "expected"),
    [
        ("J", "5 105 255", [0, 100, 250]),
        ("mJ", "5000 105000 255000", [0, 100, 250]),
        ("Wh", "0 1 2", [0, 3600, 7200]),
        ("kWh", "1 1.001 1.002", [0, 3600, 7200]),
        ("uJ", "0 1e8 2.5e8", [0, 100, 250]),
    ],
)
def test_energy_is_counted_from_the_first_sample(
    tmp_path: Path, unit: str, cells: str, expected: list[float]
) -> None:
    rows = "".join(f"{t},{v}\n" for t, v in enumerate(cells.split()))
    found = series(tmp_path, "t,E\n" + rows, value=f'columns = ["E"]\nunit = "{unit}"')
    assert joules(found) == pytest.approx(expected)


def test_counters_wrap_each_at_the_stated_value(tmp_path: Path) -> None:
    rows = "t,A,B\n0,90,10\n1,95,60\n2,5,95\n3,15,30\n4,25,40\n5,35,50\n"
    value = 'columns = ["A", "B"]\nunit = "J"\nwraps_at = 100.0'
    assert joules(series(tmp_path, rows, value=value)) == [0, 55, 100, 145, 165, 185]
    found = series(tmp_path, rows, value='columns = ["A", "B"]\nunit = "J"')
    reading = found.between(0, 3 * 10**9)
    assert (reading.status, reading.joules) == (Status.UNKNOWN, None)
    assert "fell" in (reading.reason or "")
    assert found.between(3 * 10**9, 5 * 10**9).joules == 40


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("", "wall.csv: is empty"),
        ("# nothing\n\n", "wall.csv: is empty"),
        ("t,P\n", "wall.csv: no sample; a meter needs two"),
        ("t,P\n0,100\n", "wall.csv: one sample; a meter needs two"),
        ("time,P\n0,100\n", ':1: the header has no column "t", only "time", "P"'),
        ("t,P,P\n0,1,2\n", ':1: two columns "P"'),
        ("t,P\n0,100\n1\n", ":3: 1 columns, and 2 are needed"),
        ("t,P\n0,100\n1,nan\n", ":3: 'nan' is no power or energy"),
        ("t,P\n0,100\n1,\n", ":3: '' is no power or energy"),
        ("t,P\n0,100\n1,-inf\n", ":3: '-inf' is no power or energy"),
        ("t,P\n0,100\n1,1e999\n", ":3: '1e999' is no power or energy"),
        ("t,P\n0,100\n1,watts\n", ":3: 'watts' is no power or energy"),
        ("t,P\n1,100\n2,1\n1.5,1\n", ":4: time goes back by 0.5 s"),
        ("t,P\n-1,100\n2,1\n", ":2: '-1' is no time"),
        ("t,P\n1e3,100\n2,1\n", ":2: '1e3' is no time"),
        ("t,P\n1750000000000,1\n1750000000001,1\n", "is later than the year 2096: is the unit"),
        ("t,P\n" + "9" * 200_000, ":2: a line of more than 100000 characters"),
        (b"\xff\xfet\x00", "not UTF-8 text"),
    ],
)
def test_an_error_is_one_line_with_its_position(
    tmp_path: Path, content: str | bytes, error: str
) -> None:
    with pytest.raises(BadUsageError) as raised:
        series(tmp_path, content)
    message = raised.value.format_message()
    assert error in message and "\n" not in message
    assert len(message) < 400
    assert raised.value.exit_code == 2


def test_a_point_beside_decimal_commas_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadUsageError, match=r"wall\.csv:3: '1\.012' is no power or energy"):
        series(tmp_path, "t;P\n0;987,5\n1;1.012\n", top="decimal = ','")


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    series(tmp_path, PLAIN)
    (tmp_path / "wall.csv").unlink()
    with pytest.raises(BadUsageError, match=r"cannot read .*wall\.csv \(No such file"):
        read_series(read_meter(tmp_path / "wall.toml"))


def test_time_that_goes_back_is_found_between_parts_of_a_file_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pollux.energy.meters.table.PART", 2)
    assert joules(series(tmp_path, PLAIN)) == [0, 100, 250, 450]
    with pytest.raises(BadUsageError, match=r"wall\.csv:4: time goes back by 1 s"):
        series(tmp_path, "t,P\n0,1\n3,1\n2,1\n")


def test_of_a_long_file_only_the_samples_around_the_runs_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = "".join(f"{t},100\n" for t in range(20_000))
    series(tmp_path, "t,P\n" + rows)
    monkeypatch.setattr("pollux.energy.meters.table.PART", 1000)
    monkeypatch.setattr(samples, "SAMPLES_MAX", 100)
    meter = read_meter(tmp_path / "wall.toml")
    found = read_series(meter, (5000 * 10**9, 5050 * 10**9))
    assert found.times[[0, -1]].tolist() == [5000 * 10**9, 5049 * 10**9]
    with pytest.raises(BadUsageError, match="more than 100 samples around the runs"):
        read_series(meter)


@pytest.mark.parametrize(
    ("form", "zone", "cells", "ns"),
    [
        ("unix-ns", "", "1750000000000000001 1750000001000000003", 1750000000000000001),
        ("unix-ms", "", "1750000000123 1750000001123", 1750000000123000000),
        ("unix-s", "", "1750000000.123456789 1750000001", 1750000000123456789),
        ("iso", "", "2025-06-15T15:06:40Z 2025-06-15T15:06:41Z", 1750000000000000000),
        ("iso", "", "2025-06-15T17:06:40+02:00 2025-06-15T15:06:41Z", 1750000000000000000),
        ("iso", "Europe/Paris", "2025-06-15T17:06:40 2025-06-15T17:06:41", 1750000000000000000),
        ("iso", "UTC", "2025-06-15T15:06:40.5 2025-06-15T15:06:41", 1750000000500000000),
        (
            "%d.%m.%Y_%H:%M:%S",
            "Europe/Paris",
            "15.06.2025_17:06:40 15.06.2025_17:06:41",
            1750000000000000000,
        ),
    ],
)
def test_times_have_formats_and_zones(
    tmp_path: Path, form: str, zone: str, cells: str, ns: int
) -> None:
    time = f'column = "t"\nformat = "{form}"' + (f'\nzone = "{zone}"' if zone else "")
    rows = "".join(f"{cell},100\n" for cell in cells.split())
    assert series(tmp_path, "t,P\n" + rows, time=time).times[0] == ns


LOCAL = 'column = "t"\nformat = "iso"\nzone = "Europe/Paris"'


def local(tmp_path: Path, *times: str) -> Series:
    rows = "".join(f"2025-10-26T{t},100\n" for t in times)
    return series(tmp_path, "t,P\n" + rows, time=LOCAL)


def test_times_go_on_where_clocks_are_put_back(tmp_path: Path) -> None:
    found = local(tmp_path, "01:30:00", "02:30:00", "02:00:00", "02:30:00", "03:00:00")
    assert np.diff(found.times).tolist() == [HOUR, HOUR // 2, HOUR // 2, HOUR // 2]


def test_a_file_that_begins_where_clocks_are_put_back_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadUsageError, match=r":2: .* is twice in Europe/Paris"):
        local(tmp_path, "02:30:00", "02:31:00")


def test_times_that_clocks_skip_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadUsageError, match=r":3: .* does not exist in Europe/Paris"):
        rows = "t,P\n2025-03-30T01:59:59,1\n2025-03-30T02:30:00,1\n"
        series(tmp_path, rows, time=LOCAL)


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00", "9999-12-31T23:59:59-05:00"])
def test_times_beyond_all_calendars_are_refused(tmp_path: Path, time: str) -> None:
    with pytest.raises(BadUsageError, match=r":2: .* is not between 1970 and 2096"):
        series(tmp_path, f"t,P\n{time},1\n{time},1\n", time=LOCAL)


def test_local_times_need_a_zone(tmp_path: Path) -> None:
    with pytest.raises(BadUsageError, match=r"has no offset from UTC: state zone in \[time\]"):
        series(tmp_path, "t,P\n2025-03-30T01:59:59,1\n", time='column = "t"\nformat = "iso"')
    with pytest.raises(BadUsageError, match="is no time in the format ISO 8601"):
        series(tmp_path, "t,P\nyesterday,1\n", time=LOCAL)
