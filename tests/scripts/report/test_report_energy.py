# SPDX-License-Identifier: BSD-3-Clause
"""The report's section on energy: sources side by side, the best, correlations, and figures."""

import base64
import xml.etree.ElementTree as ET
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from energy_records import energy, give_energy, spread_in_time, unknown
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.energy.analysis.points import Observation, Point, Points
from pollux.energy.figures import energy as bars
from pollux.energy.report import energy as section
from pollux.output.commands.report import report
from pollux.output.report.page import make_page
from simulated_meter import write_meter
from synthetic import write_campaign

TWO = {"libgomp": 1.0, "libomp": 1.1}


@pytest.fixture
def records(tmp_path: Path) -> Path:
    path = tmp_path / "campaign.jsonl"
    write_campaign(path, TWO, rounds=8)
    spread_in_time(path, 10)
    give_energy(path, lambda name, r: energy(80 * r["seconds"], 20 * r["seconds"]))
    return path


def test_counters_and_meter_stand_side_by_side(records: Path, tmp_path: Path) -> None:
    meter = write_meter(tmp_path, np.arange(0.0, 400.0), np.full(400, 250.0))
    target = tmp_path / "page.html"
    assert report([records], output=target, meter=[meter]) == 0
    html = target.read_text()
    assert "Joules by the counters of packages and memory" in html
    assert "Joules by the whole node at the wall" in html
    assert "Best by package + memory" in html
    images = [part.partition('"')[0] for part in html.split('src="data:image/svg+xml;base64,')[1:]]
    assert len(images) == 4
    for image in images:
        assert ET.fromstring(base64.b64decode(image)).tag.endswith("svg")


def test_what_figures_leave_out_is_told(
    records: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bars, "MOST", 1)
    assert report([records], output=tmp_path / "page.html") == 0
    html = (tmp_path / "page.html").read_text()
    assert "energy: the 1 configurations of least energy of 2 in" in html


def test_energy_is_compared_by_the_axis_that_is_asked_for(records: Path, tmp_path: Path) -> None:
    meter = write_meter(tmp_path, np.arange(0.0, 400.0), np.full(400, 250.0))
    target = tmp_path / "page.html"
    ended = report([records], output=target, by="variant", reference="depend", meter=[meter])
    assert ended == 0
    assert 'id="energy"' in target.read_text()


def test_without_energy_there_is_no_section(records: Path, tmp_path: Path) -> None:
    give_energy(records, lambda name, r: unknown())
    target = tmp_path / "page.html"
    assert report([records], output=target) == 0
    assert 'id="energy"' not in target.read_text()


def test_tables_of_the_best_have_a_column_for_each_lever(records: Path) -> None:
    points = [
        Point(
            "lu N=2048",
            {"runtime": "libomp"},
            {"turbo": turbo, "cstates": "all"},
            [Observation(gflops, 1, joules)],
        )
        for turbo, gflops, joules in (("on", 110, 500), ("off", 100, 400))
    ]
    found = section(compare(load([records])), Points(points, "test", "energy", []))
    assert found is not None
    table = next(own for own in found.best if own.caption == "Best by energy")
    assert [cell.text for cell in table.headings[:3]] == ["benchmark", "configuration", "turbo"]
    assert [cell.text for cell in table.rows[0][:3]] == ["lu N=2048", "libomp", "off"]


def test_correlations_state_their_n_and_mark_what_is_chance(records: Path) -> None:
    settings = product(("on", "off"), ("all", "none"), ("performance", "powersave"))
    epp = ["power", "balance_power", "performance"]
    points = [
        Point(
            "lu N=2048",
            {"runtime": "<b>libgomp</b>"},
            dict(zip(("turbo", "cstates", "governor"), values, strict=True)) | {"epp": epp[k % 3]},
            [Observation(100 + 10 * (values[0] == "on") + k % 3, 1, 500 + k, 400 + k, 100)],
        )
        for k, values in enumerate(settings)
    ]
    result = compare(load([records]))
    data = Points(points, "test", "package + memory", [])
    found = section(result, data)
    assert found is not None
    ((table, note),) = found.correlations
    assert "n = 8 configurations" in table.caption
    assert "below 0.707" in note
    assert "Left out: epp (balance_power, performance, power) has no numbers." in note
    turbo = next(row for row in table.rows if row[0].text == "turbo")
    assert not turbo[1].text.endswith("×") and turbo[1].text.startswith("+0.9")
    governor = next(row for row in table.rows if row[0].text == "governor")
    assert governor[1].text.endswith("×")
    assert "<b>libgomp</b>" not in make_page(result, points=data)
