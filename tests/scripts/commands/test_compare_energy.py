# SPDX-License-Identifier: BSD-3-Clause
"""`pollux compare --metric`: what it prints, what it writes for programs, and what it refuses."""

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from energy_records import Record, energy, give_energy, spread_in_time, unknown
from pollux.core.analysis import comparison
from pollux.core.analysis.loading import load
from pollux.core.commands.compare import Format, compare
from pollux.core.commands.compare_text import table_lines
from pollux.core.errors import BadUsageError
from pollux.energy.commands.measures import measure_for
from simulated_meter import write_meter
from synthetic import write_campaign

WATTS = {"libgomp": 100.0, "libomp": 90.0}


@pytest.fixture
def records(tmp_path: Path) -> Path:
    path = tmp_path / "campaign.jsonl"
    write_campaign(path, {"libgomp": 1.0, "libomp": 1.1}, noise=0.01)

    def of(name: str, record: Record) -> Record:
        joules = WATTS[name] * record["seconds"]
        lost = record["seed"] == 104 and name == "libomp"
        return unknown() if lost else energy(0.75 * joules, 0.25 * joules)

    give_energy(path, of)
    return path


def test_the_table_has_joules_beside_speed_and_names_its_source(
    records: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare([records], metric="energy") == 0
    out = capsys.readouterr().out
    assert re.search(r"GFlop/s +reference +J ", out)
    assert "▲ less energy" in out
    source = "energy (J), less is better; source: the counters of packages and memory"
    assert f"{source} [1 package + 1 memory (powercap)]" in out
    answer, _, problem, *_ = out.splitlines()
    assert problem.startswith("energy not measured in 1 of 15 samples of cholesky depend")
    assert answer.startswith("libomp needs less energy than libgomp by 18.")


def test_speed_is_the_default_and_says_nothing_of_energy(
    records: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare([records]) == 0
    assert "energy" not in capsys.readouterr().out.replace("energy-", "")


def test_json_names_metric_source_and_what_is_not_measured(records: Path, tmp_path: Path) -> None:
    target = tmp_path / "result.json"
    compare([records], metric="edp", format=Format.JSON, output=target)
    written = json.loads(target.read_text())
    assert (written["schema"], written["metric"], written["unit"]) == ("pollux-compare/1", "edp", "J s")  # noqa: E501  # fmt: skip
    assert written["source"] == "the counters of packages and memory"
    reference, row = written["rows"]
    assert row["verdict"] == "lower EDP" and reference["verdict"] == "reference"
    assert row["unmeasured"] == {"unknown: the counter may have wrapped more than once": 1}
    assert row["sources"] == ["1 package + 1 memory (powercap)"]
    assert row["figure_low"] < row["figure"] < row["figure_high"]
    assert row["ratio"] == pytest.approx(0.9 / 1.1**2, rel=0.03)


def test_csv_has_the_figure_and_the_speed(records: Path, tmp_path: Path) -> None:
    target = tmp_path / "result.csv"
    compare([records], metric="power", format=Format.CSV, output=target)
    reference, row = csv.DictReader(io.StringIO(target.read_text()))
    assert float(reference["figure"]) == pytest.approx(100)
    assert float(row["figure"]) == pytest.approx(90)
    assert 40 < float(row["gflops"]) < 60
    assert row["verdict"] == "less power"


def test_a_meter_is_chosen_by_its_name(
    records: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spread_in_time(records, 10)
    meter = write_meter(tmp_path, np.arange(0.0, 600.0), np.full(600, 250.0))
    assert compare([records], metric="power", meter=[meter], source="wall") == 0
    out = capsys.readouterr().out
    assert "source: the whole node at the wall [wall]" in out
    assert "= no difference" in out


def test_runs_that_a_meter_does_not_cover_are_named(
    records: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spread_in_time(records, 10)
    meter = write_meter(tmp_path, np.arange(0.0, 100.0), np.full(100, 250.0))
    compare([records], metric="power", meter=[meter], source="wall")
    out = capsys.readouterr().out
    assert "(not-covered: wall has no sample after the run)" in out


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"metric": "joules"}, "--metric joules: unknown; choose from speed, energy, power"),
        ({"metric": "energy", "fail_if_slower": 0.03}, "--fail-if-slower is for --metric speed"),
        ({"source": "package"}, "--source and --meter are for the other metrics than speed"),
        ({"metric": "energy", "source": "wall"}, "choose from counters, package, memory"),
        ({"metric": "energy", "meter": [Path("none.toml")]}, "cannot read none.toml"),
    ],
)
def test_what_makes_no_sense_is_refused(
    records: Path, options: dict[str, object], error: str
) -> None:
    with pytest.raises(BadUsageError) as raised:
        compare([records], **options)  # type: ignore[arg-type]
    message = raised.value.format_message()
    assert error in message and "\n" not in message
    assert raised.value.exit_code == 2


@pytest.mark.parametrize("width", [80, 100, 130])
def test_the_table_fits_the_terminal(records: Path, width: int) -> None:
    dataset = load([records])
    result = comparison.compare(dataset, measure=measure_for(dataset, "energy", None, []))
    lines = [line for line, _ in table_lines(result, width)]
    assert max(map(len, lines)) <= width
    assert "J" in lines[0].split()
