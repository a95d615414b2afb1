# SPDX-License-Identifier: BSD-3-Clause
"""`pollux plot --kind power` and the report show the power of a campaign's timeline."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from energy_records import energy, give_energy, spread_in_time
from matplotlib.figure import Figure
from matplotlib.patches import StepPatch
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.core.errors import BadUsageError
from pollux.energy.commands.measures import energy_points
from pollux.energy.figures.power import COLUMNS
from pollux.output.commands.plot import Kind, plot
from pollux.output.commands.report import report
from pollux.output.figures.kinds import plans_for
from pollux.output.figures.selection import Request
from simulated_meter import ns, write_meter
from synthetic import write_campaign

PARTS = ["powercap:package-0", "powercap:package-1"]
WATTS = (80.0, 20.0)  # of each
BEGIN, GAP, END = 10.0, (60.0, 75.0), 170.0  # the timeline's, in seconds


def write_timeline(
    records: Path,
    *,
    host: str = "node",
    later: float = 0.0,
    gap: tuple[float, float] = GAP,
) -> None:
    """Two packages every 50 ms; one of them is not known for a while."""
    columns = [{"name": f"{part} J", "unit": "J", "zone": part} for part in PARTS]
    header = {"host": host, "parts": PARTS, "columns": columns}
    rows = ["# pollux-power/1 " + json.dumps(header), "unix_ns," + ",".join(f"{p} J" for p in PARTS)]  # noqa: E501  # fmt: skip
    for t in np.arange(BEGIN, END, 0.05).tolist():
        first = "" if gap[0] < t < gap[1] else f"{WATTS[0] * t:.6f}"
        rows.append(f"{ns(t + later)},{first},{WATTS[1] * t:.6f}")
    records.with_suffix(".power.csv").write_text("\n".join(rows) + "\n")


@pytest.fixture
def records(tmp_path: Path) -> Path:
    path = tmp_path / "campaign.jsonl"
    write_campaign(path, {"libgomp": 1.0, "libomp": 1.1}, rounds=6)
    spread_in_time(path, 10)
    give_energy(path, lambda name, r: energy(80 * r["seconds"], 20 * r["seconds"]))
    return path


def drawn(records: Path, *meters: Path) -> Figure:
    dataset = load([records])
    request = Request(compare(dataset), points=energy_points(dataset, None, list(meters)))
    (plan,) = plans_for(request, ["power"])
    (figure,) = plan.figures()
    assert figure.get_label() == "power-over-time"
    return figure


def curves(figure: Figure) -> list[StepPatch]:
    found = [patch for axes in figure.axes for patch in axes.patches]
    return [p for p in found if isinstance(p, StepPatch) and p.get_gid() == "power"]


def test_zones_are_added_and_what_is_not_known_is_blank(records: Path) -> None:
    write_timeline(records)
    figure = drawn(records)
    (curve,) = curves(figure)
    watts, edges, baseline = curve.get_data()
    assert len(watts) == COLUMNS
    assert baseline is None  # no line falls to 0 at a gap
    assert watts[np.isfinite(watts)] == pytest.approx(100, rel=1e-3)
    seconds = np.asarray(edges)
    assert seconds[0] == pytest.approx(BEGIN, abs=0.3)  # not from the first run on
    blank = np.flatnonzero(np.isnan(watts))
    assert seconds[blank[0]] == pytest.approx(GAP[0], abs=0.5)
    assert seconds[blank[-1] + 1] == pytest.approx(GAP[1], abs=0.5)
    lanes = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert lanes == ["libgomp", "libomp"]
    caption = " ".join(figure.texts[-1].get_text().split())
    assert "2 packages (powercap): counters sampled by pollux power on node" in caption
    assert "samples every 50 ms, means over" in caption and "not known for" in caption


def test_a_meter_is_a_curve_of_its_own(records: Path, tmp_path: Path) -> None:
    write_timeline(records)
    meter = write_meter(tmp_path, np.arange(0.0, 400.0), np.full(400, 250.0))
    (_, wall) = curves(drawn(records, meter))
    watts = np.asarray(wall.get_data()[0])
    assert watts[np.isfinite(watts)] == pytest.approx(250)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (None, "it needs a timeline beside the records .*, and a benchmark with a timed region"),
        ({"later": 1000.0}, "no power is known of campaign on node from .* has no power then"),
        ({"host": "other"}, "campaign.power.csv measures other, not the machine of this run"),
        ({"gap": (0.0, 1000.0)}, "campaign.power.csv has no energy of packages"),
    ],
)
def test_what_does_not_cover_the_runs_is_refused(
    records: Path, tmp_path: Path, options: dict[str, Any] | None, reason: str
) -> None:
    if options is not None:
        write_timeline(records, **options)
    with pytest.raises(BadUsageError, match=reason):
        plot([records], kind=[Kind.POWER], output=tmp_path / "out")


def test_the_report_says_why_there_is_no_figure(records: Path, tmp_path: Path) -> None:
    write_timeline(records, later=1000.0)
    assert report([records], output=tmp_path / "page.html") == 0
    assert "no power is known of campaign on node from" in (tmp_path / "page.html").read_text()


def test_the_report_has_the_figure_where_there_is_a_timeline(records: Path, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    assert report([records], output=target) == 0
    assert 'alt="power-over-time"' not in target.read_text()
    write_timeline(records)
    assert report([records], output=target) == 0
    assert target.read_text().count('alt="power-over-time"') == 1
