# SPDX-License-Identifier: BSD-3-Clause
"""Tests comparisons by energy: known ratios, what is not measured, and sources that differ."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from energy_records import UNAVAILABLE, Record, energy, give_energy, spread_in_time, unknown, zone
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.core.analysis.metrics import METRICS, Measure
from pollux.core.analysis.result import Result, Row, Verdict
from pollux.core.campaign.lines import Outcome
from pollux.core.errors import BadUsageError
from pollux.energy.analysis.sources import choose, processes_of, sources_for
from pollux.energy.commands.measures import measure_for
from pollux.energy.meters.timeline import read_timeline
from run_record import record
from simulated_meter import write_meter
from synthetic import append, write_campaign

TWO = {"libgomp": 1.0, "libomp": 1.1}
WATTS = {"libgomp": 100.0, "libomp": 120.0}


def by_watts(name: str, record: Record) -> Record:
    joules = WATTS[name] * record["seconds"]
    return energy(0.75 * joules, 0.25 * joules)


def made(tmp_path: Path, of: Any = by_watts, **options: Any) -> Path:  # noqa: ANN401
    path = tmp_path / "campaign.jsonl"
    write_campaign(path, TWO, noise=0.01, **options)
    give_energy(path, of)
    return path


def result_of(
    path: Path, metric: str, source: str | None = None, meters: tuple[Path, ...] = ()
) -> Result:
    dataset = load([path])
    sources = sources_for(dataset, meters)
    return compare(dataset, measure=Measure(METRICS[metric], choose(sources, source)))


def row_of(result: Result, level: str = "libomp") -> Row:
    return next(row for row in result.rows if row.level == level)


@pytest.mark.parametrize(
    ("metric", "ratio", "better", "words"),
    [
        ("energy", 1.2 / 1.1, False, "more energy by"),
        ("power", 1.2, False, "more power by"),
        ("edp", 1.2 / 1.1**2, True, "lower EDP by"),
        ("gflops-per-watt", 1.1 / 1.2, False, "less efficient by"),
    ],
)
def test_metrics_have_their_known_ratios_and_their_own_direction(
    tmp_path: Path, metric: str, ratio: float, better: bool, words: str
) -> None:
    result = result_of(made(tmp_path), metric)
    row = row_of(result)
    assert row.comparison.ratio is not None
    assert row.comparison.ratio.estimate == pytest.approx(ratio, rel=0.02)
    assert row.comparison.verdict is (Verdict.BETTER if better else Verdict.WORSE)
    assert row.comparison.words.startswith(words)
    assert words.rpartition(" ")[0].split()[-1] in result.headline or "EDP" in words
    assert row.gflops is not None and row.gflops.estimate == pytest.approx(50, rel=0.2)


def test_figures_are_those_of_the_records(tmp_path: Path) -> None:
    path = tmp_path / "plain.jsonl"
    cell = ("cholesky", "depend", 2048, 192)
    for seed in range(6):
        own = record(cell, "libgomp", seed, 50.0)
        append(path, own | {"energy": energy(30.0, 10.0)})
    seconds = 2048**3 / 3e9 / 50
    expected = {
        "energy": 40.0,
        "power": 40 / seconds,
        "edp": 40 * seconds,
        "gflops-per-watt": 2048**3 / 3 / 40 / 1e9,
    }
    for metric, value in expected.items():
        (row,) = result_of(path, metric).rows
        assert row.figure is not None and row.figure.estimate == pytest.approx(value)
    for source, value in {"package": 30.0, "memory": 10.0}.items():
        (row,) = result_of(path, "energy", source).rows
        assert row.figure is not None and row.figure.estimate == pytest.approx(value)
        assert row.sources == (f"1 {source} (powercap)",)


@pytest.mark.parametrize(
    ("zones", "source", "there"),
    [
        ([zone("package-0", 30.0)], "memory", "powercap:package-0"),
        ([zone("dram", 10.0)], "package", "powercap:dram"),
    ],
)
def test_a_source_that_no_counter_is_of_says_what_the_total_is_of(
    tmp_path: Path, zones: list[Record], source: str, there: str
) -> None:
    path = tmp_path / "plain.jsonl"
    parts = [f"powercap:{own['name']}" for own in zones]
    found = energy(30.0) | {"zones": zones, "parts": parts}
    append(path, record(("cholesky", "depend", 2048, 192), "libgomp", 1, 50.0) | {"energy": found})
    (row,) = result_of(path, "energy", source).rows
    assert row.unmeasured == {f"unavailable: no counter of {source}: the total is of {there}": 1}


def test_a_sample_without_energy_is_named_and_never_zero(tmp_path: Path) -> None:
    def of(name: str, record: Record) -> Record:
        return unknown() if record["seed"] < 103 and name == "libomp" else by_watts(name, record)

    result = result_of(made(tmp_path, of), "energy")
    row = row_of(result)
    assert len(row.values) == 12 and min(value for _, value in row.values) > 0
    assert row.unmeasured == {"unknown: the counter may have wrapped more than once": 3}
    assert any("energy not measured in 3 of 15 samples of" in text for text in result.cautions)
    assert row.comparison.ratio is not None and row.comparison.paired


@pytest.mark.parametrize(
    "nothing",
    [
        UNAVAILABLE,
        unknown(),
        energy(5.0, status="too-short", reason="shorter than 50 steps of the counter"),
        energy(5.0, parts=[], joules=None, status="unknown", reason="one part is not known"),
    ],
)
def test_without_energy_nothing_is_compared(tmp_path: Path, nothing: Record) -> None:
    result = result_of(made(tmp_path, lambda name, record: nothing), "energy")
    assert all(row.figure is None and row.values == [] for row in result.rows)
    assert {row.comparison.verdict for row in result.rows} == {Verdict.NONE}
    assert all("energy not measured" in row.comparison.words for row in result.rows)


def test_different_sources_are_not_compared(tmp_path: Path) -> None:
    def of(name: str, record: Record) -> Record:
        return energy(5.0) if name == "libomp" else by_watts(name, record)

    path = made(tmp_path, of)
    row = row_of(result_of(path, "energy"))
    assert row.comparison.verdict is Verdict.NONE
    words = "other sources: 1 package (powercap) against 1 package + 1 memory (powercap)"
    assert row.comparison.words == words
    assert row_of(result_of(path, "energy", "package")).comparison.ratio is not None


def test_sources_that_change_between_samples_are_not_mixed(tmp_path: Path) -> None:
    def of(name: str, record: Record) -> Record:
        return energy(5.0) if record["seed"] == 104 else by_watts(name, record)

    row = row_of(result_of(made(tmp_path, of), "energy"))
    assert row.comparison.words.startswith("its samples have different sources of energy")


def test_sources_name_how_many_counters_they_add_up(tmp_path: Path) -> None:
    two: Record = {
        "parts": ["powercap:package-0", "powercap:package-1", "powercap:package-1/dram"],
        "zones": [zone("package-0", 3.0), zone("package-1", 4.0), zone("package-1/dram", 1.0)],
        "joules": 8.0,
    }
    path = made(tmp_path, lambda name, record: energy(1.0, **two))
    assert row_of(result_of(path, "energy")).sources == ("2 packages + 1 memory (powercap)",)
    package = row_of(result_of(path, "energy", "package")).figure
    assert package is not None and package.estimate == 7.0


def meter_of(folder: Path, path: Path, *, offset: float = 0.0, more: str = "") -> Path:
    """A wall meter beside a campaign: 60 W idle, and 200 W or what else a runtime takes."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    spans = [
        (r["start_unix_ns"], r["end_unix_ns"], 2 * WATTS[r["runtime"]["name"]])
        for line in lines
        if line["event"] == "sample"
        for r in line["records"]
    ]
    base = 1_750_000_000 * 10**9
    times = np.arange(-30.0, (spans[-1][1] - base) / 1e9 + 30, 1.0)
    watts = np.full(len(times), 60.0)
    for begin, end, power in spans:
        watts[(times >= (begin - base) / 1e9) & (times < (end - base) / 1e9)] = power
    return write_meter(folder, times, watts, offset=offset, more=more)


def test_a_meter_is_joined_by_time_and_stands_beside_the_counters(tmp_path: Path) -> None:
    path = made(tmp_path)
    spread_in_time(path, 20)
    give_energy(path, by_watts)
    meter = meter_of(tmp_path, path)
    wall = row_of(result_of(path, "power", "wall", (meter,)))
    assert wall.figure is not None and wall.figure.estimate == pytest.approx(240, rel=1e-3)
    assert wall.sources == ("wall",)
    counters = row_of(result_of(path, "power", None, (meter,)))
    assert counters.figure is not None and counters.figure.estimate == pytest.approx(120, rel=1e-3)
    assert wall.comparison.verdict is counters.comparison.verdict is Verdict.WORSE


def test_a_meter_of_one_machine_is_not_joined_to_runs_of_another(tmp_path: Path) -> None:
    path = made(tmp_path)
    spread_in_time(path, 20)
    meter = meter_of(tmp_path, path)
    text = meter.read_text()
    meter.write_text('host = "node"\n' + text)
    assert row_of(result_of(path, "power", "wall", (meter,))).figure is not None
    meter.write_text('host = "other"\n' + text)
    with pytest.raises(BadUsageError, match="there are no runs on other to join a meter with"):
        result_of(path, "power", "wall", (meter,))
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        if line["event"] == "sample" and line["round"] == 3:
            line["records"][0]["host"]["hostname"] = "other"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    row = row_of(result_of(path, "power", "wall", (meter,)))
    assert row.unmeasured == {"not-covered: wall measures other, not the machine of this run": 14}


def test_an_estimated_offset_is_stated(tmp_path: Path) -> None:
    path = made(tmp_path, rounds=8)
    spread_in_time(path, 10, pause=3.37)
    meter = meter_of(tmp_path, path, offset=-2.0, more='[clock]\noffset = "estimate"\n')
    result = result_of(path, "power", "wall", (meter,))
    assert any("the clock of wall is estimated to be" in text for text in result.cautions)
    assert any(" s ahead (±" in text for text in result.cautions)
    figure = row_of(result).figure
    assert figure is not None and figure.estimate == pytest.approx(240, rel=0.02)


def test_a_run_whose_clock_was_set_is_not_joined(tmp_path: Path) -> None:
    path = made(tmp_path)
    spread_in_time(path, 20)
    meter = meter_of(tmp_path, path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        if line["event"] == "sample" and line["round"] == 3:
            line["records"][0]["end_unix_ns"] += 5 * 10**9
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    row = row_of(result_of(path, "energy", "wall", (meter,)))
    assert row.unmeasured == {"unknown: the machine's clock was set during the run": 1}


def write_timeline(
    path: Path, begin: int, seconds: int, *, gap: int | None = None, cpus: int = 0
) -> None:
    """100 W of package and 20 W of memory, sampled once a second; of processors nothing is read."""
    zones = ["powercap:package-0", "powercap:package-0/dram"]
    columns = [{"name": f"{z} {u}", "unit": u, "zone": z} for z in zones for u in ("J", "W")]
    columns += [{"name": f"cpu{cpu} MHz", "unit": "MHz"} for cpu in range(cpus)]
    header = {
        **{"host": "node", "virtual": False, "parts": zones},
        "columns": [{"name": "unix_ns", "unit": "ns"}, *columns],
    }
    names = ",".join(["unix_ns", *(column["name"] for column in columns)])
    lines = [f"# pollux-power/1 {json.dumps(header)}", names]
    for k in range(seconds):
        cells = ["", "", "", ""] if k == gap else [f"{100 * k}.0", "100", f"{20 * k}.0", "20"]
        lines.append(",".join([str(begin + k * 10**9), *cells, *[""] * cpus]))
    path.write_text("\n".join(lines) + "\n99")


def test_a_timeline_fills_in_what_the_counters_do_not_know(tmp_path: Path) -> None:
    path = made(tmp_path)
    spread_in_time(path, 20)
    give_energy(
        path,
        lambda name, record: unknown() if record["seed"] < 103 else by_watts(name, record),
    )
    begin = 1_750_000_000 * 10**9 - 10**9
    timeline = path.with_suffix(".power.csv")
    write_timeline(timeline, begin, 2000)
    result = result_of(path, "power", None, (timeline,))
    row = row_of(result)
    assert len(row.values) == 15
    assert row.sources == ("1 package + 1 memory (powercap)",)
    assert sorted(value for _, value in row.values)[0] == pytest.approx(120)
    assert any("energy of 6 runs is that of the timeline campaign.power.csv" in text
               for text in result.cautions)  # fmt: skip
    timeline.write_text(timeline.read_text().replace('"host": "node"', '"host": "other"'))
    assert len(row_of(result_of(path, "power", None, (timeline,))).values) == 12
    write_timeline(timeline, begin, 2000, gap=10)
    row = row_of(result_of(path, "power", None, (timeline,)), "libgomp")
    assert row.unmeasured == {"unknown: the counter may have wrapped more than once": 1}


def test_a_timeline_of_thousands_of_processors_is_read(tmp_path: Path) -> None:
    path = tmp_path / "power.csv"
    write_timeline(path, 10**18, 10, cpus=4096)
    assert len(path.read_text().partition("\n")[0]) > 100_000
    assert len(read_timeline(path).times) == 10


WITHOUT_SAMPLES = '# pollux-power/1 {"host": "node", "columns": []}\n'


@pytest.mark.parametrize(
    "left", ["", "# poll", '# pollux-power/1 {"host": "no', WITHOUT_SAMPLES, "one sample"]
)
def test_a_timeline_of_a_sampler_that_was_killed_at_once_covers_no_run(
    tmp_path: Path, left: str
) -> None:
    path = made(tmp_path, lambda name, record: unknown() if name == "libomp" else energy(5.0))
    timeline = path.with_suffix(".power.csv")
    write_timeline(timeline, 1_750_000_000 * 10**9, 1)
    if left != "one sample":
        timeline.write_text(left)
    dataset = load([path])
    measure = measure_for(dataset, "energy", None, [])
    result = compare(dataset, measure=measure)
    assert "the timeline campaign.power.csv has fewer than two samples: it covers no run" in result.cautions  # noqa: E501  # fmt: skip
    assert row_of(result).unmeasured == {"unknown: the counter may have wrapped more than once": 15}
    assert len(row_of(result, "libgomp").values) == 15


def test_counters_of_a_virtual_machine_are_another_source(tmp_path: Path) -> None:
    def of(name: str, record: Record) -> Record:
        return by_watts(name, record) | {"virtual": name == "libomp"}

    row = row_of(result_of(made(tmp_path, of), "energy"))
    words = "other sources: 1 package + 1 memory (powercap) of a virtual machine against"
    assert row.comparison.words.startswith(words)


MPI = {
    **{"library": "Open MPI", "version": "4.1.4", "thread_level": "multiple"},
    **{"thread_level_requested": "multiple", "ranks": 4, "grid": "2x2", "messages": 1, "bytes": 1},
}


@pytest.mark.parametrize("hosts", [1, 4])
def test_counters_of_one_machine_are_not_those_of_a_run_on_several(
    tmp_path: Path, hosts: int
) -> None:
    def of(name: str, record: Record) -> Record:
        record["mpi"] = MPI | {"hosts": hosts}
        return by_watts(name, record)

    path = made(tmp_path, of)
    timeline = path.with_suffix(".power.csv")
    write_timeline(timeline, 1_750_000_000 * 10**9 - 10**9, 2000)
    row = row_of(result_of(path, "energy", None, (timeline,)))
    if hosts == 1:
        assert len(row.values) == 15
    else:
        assert row.unmeasured == {"not-covered: it shows one of the 4 machines of the run": 15}


def test_sources_that_do_not_exist_are_refused(tmp_path: Path) -> None:
    path = made(tmp_path)
    with pytest.raises(BadUsageError, match="--source wall: unknown; choose from"):
        result_of(path, "energy", "wall")
    with pytest.raises(BadUsageError, match="cannot read"):
        result_of(path, "energy", "wall", (tmp_path / "none.toml",))
    twice = meter_of(tmp_path, path)
    with pytest.raises(BadUsageError, match="another source is called 'wall' too"):
        result_of(path, "energy", "wall", (twice, twice))


def test_processes_that_failed_are_of_the_host_of_their_file(tmp_path: Path) -> None:
    crash = {("libomp", "depend"): Outcome.CRASH}
    paths = [tmp_path / "node.jsonl", tmp_path / "other.jsonl"]
    for path, rounds in zip(paths, (4, 3), strict=True):
        write_campaign(path, TWO, rounds=rounds, outcomes=crash)
    paths[1].write_text(paths[1].read_text().replace('"hostname":"node"', '"hostname":"other"'))
    dataset = load(paths)
    assert len(dataset.samples) == 14
    assert [len(processes_of(dataset, host)) for host in ("node", "other", None)] == [8, 6, 14]
