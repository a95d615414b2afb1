# SPDX-License-Identifier: BSD-3-Clause
"""The sampler beside a campaign: started and stopped with it, missed by nobody when it dies."""

import json
import os
import signal
import sys
from pathlib import Path

import pytest
from forked import Ended, pollux
from pollux.core.campaign.older import put_aside
from pollux.core.campaign.sampler import Sampler, next_timeline, timelines
from pollux.core.executables.process import Beside
from pollux.core.spans import parse_span
from project import Campaign, write_script

CAMPAIGN = """name = "trial"
processes = 2
power = "20ms"
runtimes.libgomp.preset = "libgomp"
[grid]
benchmark = "lu"
size = 512
[blocks]
foreign_cpu = 9.0
"""
# Writes its arguments and waits to be stopped, then writes a last line.
WAITING = """trap 'echo stopped >>"$4"; exit 0' TERM
echo "$*" >"$4"
while :; do sleep 0.01; done"""


def run(build_root: Path, folder: Path, *options: str) -> Ended:
    (folder / "trial.toml").write_text(CAMPAIGN)
    return pollux(
        *("run", folder / "trial.toml", "--build-root", build_root),
        *("--output", folder / "records.jsonl", *options),
        folder=folder,
    )


@pytest.fixture
def sampler(build_root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FAKE_VARIANTS", "good")
    path = build_root / "libgomp/bin/power-sampler"
    write_script(path, WAITING)
    return path


def test_the_sampler_runs_beside_the_campaign_and_is_stopped_with_it(
    build_root: Path, sampler: Path, tmp_path: Path
) -> None:
    assert sampler.is_file()
    done = run(build_root, tmp_path)
    assert (done.status, done.stderr) == (0, "")
    timeline = tmp_path / "records.power.csv"
    assert timeline.read_text() == f"--interval 20 --output {timeline}\nstopped\n"
    done = run(build_root, tmp_path, "--set", "processes=3", "--power", "1s")
    assert done.status == 0
    second = tmp_path / "records.power-2.csv"
    assert second.read_text() == f"--interval 1000 --output {second}\nstopped\n"
    assert timelines(tmp_path / "records.jsonl") == [timeline, second]


def test_a_campaign_that_starts_over_puts_its_timelines_aside(
    build_root: Path, sampler: Path, tmp_path: Path
) -> None:
    assert sampler.is_file()
    assert run(build_root, tmp_path).status == 0
    assert run(build_root, tmp_path, "--fresh").status == 0
    older = next(tmp_path.glob("records-*.jsonl"))
    assert timelines(older) == [older.with_suffix(".power.csv")]
    assert len(timelines(tmp_path / "records.jsonl")) == 1


def test_a_sampler_that_dies_is_reported_and_the_campaign_goes_on(
    build_root: Path, sampler: Path, tmp_path: Path
) -> None:
    write_script(sampler, "echo 'power-sampler: nothing to sample here' >&2; exit 3")
    done = run(build_root, tmp_path)
    assert done.status == 0
    assert done.stderr == (
        "pollux: power-sampler ended (exit status 3: power-sampler: nothing to sample here); the "
        "campaign goes on without it\n"
    )
    lines = map(json.loads, (tmp_path / "records.jsonl").read_text().splitlines())
    assert sum(line["event"] == "sample" for line in lines) == 2


def test_without_the_program_nothing_begins(
    build_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_VARIANTS", "good")
    done = run(build_root, tmp_path)
    assert done.status == 2
    assert done.stderr == (f"pollux: no power-sampler in {build_root}; scripts/build makes it\n")
    assert not (tmp_path / "records.jsonl").exists()


def test_a_signal_to_the_campaign_stops_the_sampler(
    campaign: Campaign, sampler: Path, tmp_path: Path
) -> None:
    timeline = tmp_path / "records.power.csv"
    text = CAMPAIGN.partition("\n")[2]
    process = campaign.start("hang", text, "--plain")
    assert sampler.is_file()
    while not (timeline.exists() and timeline.read_text()):
        assert process.poll() is None
        os.sched_yield()
    process.send_signal(signal.SIGTERM)
    process.communicate()
    assert process.returncode == 130
    assert timeline.read_text().endswith("\nstopped\n")


def test_an_end_is_reported_once() -> None:
    said: list[str] = []
    sampler = Sampler(Beside([sys.executable, "-c", "import os; os._exit(7)"]), said.append)
    assert sampler.process is not None
    sampler.process.process.wait()
    for _ in range(3):
        sampler.look()
    sampler.stop()
    assert said == ["power-sampler ended (exit status 7); the campaign goes on without it"]


def test_a_sampler_that_does_not_stop_is_killed() -> None:
    beside = Beside(["/bin/sh", "-c", "trap '' TERM; kill -STOP $$; sleep 600"])
    os.waitid(os.P_PID, beside.process.pid, os.WSTOPPED)
    assert beside.stop(0.0).status is None
    assert beside.process.returncode == -signal.SIGKILL


def test_timelines_are_numbered_from_the_second(tmp_path: Path) -> None:
    records = tmp_path / "night.v2.jsonl"
    assert timelines(records) == []
    assert next_timeline(records).name == "night.v2.power.csv"
    next_timeline(records).touch()
    assert next_timeline(records).name == "night.v2.power-2.csv"


def test_a_timeline_is_of_its_records_where_earlier_ones_were_removed(tmp_path: Path) -> None:
    records = tmp_path / "night.jsonl"
    late, other = tmp_path / "night.power-10.csv", tmp_path / "night-2.power-3.csv"
    second = tmp_path / "night.power-2.csv"
    for path in (records, late, other, second):
        path.touch()
    assert timelines(records) == [second, late]
    assert next_timeline(records).name == "night.power-11.csv"
    put_aside(records)
    older = tmp_path.glob("night-*-*.power-*.csv")
    assert sorted(path.name.rpartition(".power")[2] for path in older) == ["-10.csv", "-2.csv"]
    assert timelines(records) == []
    assert other.exists()


def test_timelines_whose_records_are_gone_are_put_aside(tmp_path: Path) -> None:
    records = tmp_path / "night.jsonl"
    for _ in range(2):
        next_timeline(records).write_text("older")
    put_aside(records)
    assert timelines(records) == []
    assert [path.read_text() for path in tmp_path.glob("night-*.power*.csv")] == ["older"] * 2


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("10ms", 0.01), ("1.5 s", 1.5), ("2min", 120.0), ("500us", 0.0005), ("1h", 3600.0)],
)
def test_spans_of_time_have_units(text: str, seconds: float) -> None:
    assert parse_span(text) == pytest.approx(seconds)


@pytest.mark.parametrize("value", [10, "10", "ms", "-1s", "10 weeks", True, None, "1s2ms"])
def test_other_spans_are_refused(value: object) -> None:
    with pytest.raises(ValueError, match='is not a span of time; write "10ms"'):
        parse_span(value)
