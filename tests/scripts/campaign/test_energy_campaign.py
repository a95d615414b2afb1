# SPDX-License-Identifier: BSD-3-Clause
"""A campaign over levers with the sampler beside it, on a written machine with rising counters."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from forked import Ended, pollux
from lever_trees import contents, write_levers_here
from pollux.core.analysis.loading import load
from pollux.core.campaign.sampler import timelines
from pollux.core.readings import TOTAL
from pollux.core.system_files import System
from pollux.energy.levers.state import has_state
from pollux.energy.meters.timeline import read_timeline
from project import ROOT
from system_tree import MACHINES, write_description

BUILDS = ROOT / "build"
BUILT = [BUILDS / "libgomp/bin" / name for name in ("cholesky", "power-sampler")]
LATE_JOULES = 4 * 100 * 0.03  # of four counters whose steps come 30 ms late
CAMPAIGN = """name = "energy"
processes = 2
repetitions = 1
warmup = 0
power = "10ms"
runtimes.libgomp.preset = "libgomp"
[grid]
benchmark = "cholesky"
variant = "seq"
size = 3840
turbo = [true, false]
[blocks]
foreign_cpu = 9.0
calibration_margin = 9.0
"""
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not all(map(Path.exists, BUILT)), reason="needs libgomp's build"),
]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Two sockets with memory, each counter at 100 W, and all levers of intel_pstate."""
    # The range leaves no doubt about wraps, however long a run takes on a busy machine.
    root = tmp_path / "machine"
    write_description(root, {"powercap": MACHINES["two-sockets"]["powercap"]})
    write_levers_here(root)
    monkeypatch.setenv("POLLUX_SYSTEM_ROOT", str(root))
    command = [sys.executable, str(ROOT / "docs/evaluation/power_writer.py"), str(root)]
    writer = subprocess.Popen([*command, "--range-joules", "262143"], stdout=subprocess.PIPE)
    assert writer.stdout is not None and writer.stdout.readline()
    yield root
    writer.kill()
    writer.communicate()


def of_levers(root: Path) -> dict[str, bytes]:
    return {name: text for name, text in contents(root).items() if "powercap" not in name}


def test_levers_records_timeline_and_analysis_belong_together(root: Path, tmp_path: Path) -> None:
    before, records = of_levers(root), tmp_path / "records.jsonl"
    (tmp_path / "trial.toml").write_text(CAMPAIGN)

    def run(*arguments: object) -> Ended:
        done = pollux(*arguments, folder=tmp_path)
        assert done.status == 0, done.stderr
        return done

    run("run", tmp_path / "trial.toml", "--build-root", BUILDS, "--output", records, "--quiet")
    assert of_levers(root) == before
    assert not has_state(System(root))
    (path,) = timelines(records)
    timeline = read_timeline(path)
    series = timeline.series(TOTAL)
    assert series is not None and len(timeline.parts) == 4
    samples = load([records]).samples
    assert len(samples) == 4
    for sample in samples:
        counters = sample.runs[0].counters[TOTAL]
        begin, end = sample.runs[0].begin, sample.runs[0].end
        assert counters.measured, counters.reason
        assert series.times[0] < begin < end < series.times[-1]
        expected = pytest.approx(counters.joules, abs=LATE_JOULES)
        assert series.interpolated(begin, end) == expected
        assert series.name == counters.source == "2 packages + 2 memory (powercap)"
    compared = run("compare", records, "--metric", "energy", "--by", "turbo", "--format", "json")
    rows = json.loads(compared.stdout)["rows"]
    assert [row["sources"] for row in rows] == [["2 packages + 2 memory (powercap)"]] * 2
    assert all(row["figure"] > 0 for row in rows)
    points = json.loads(run("energy", records, "--format", "json").stdout)
    assert {point["turbo"] for point in points["points"]} == {"on", "off"}
    page = tmp_path / "page.html"
    run("report", records, "--output", page)
    assert "Joules by the counters of packages and memory" in page.read_text()
