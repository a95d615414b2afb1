# SPDX-License-Identifier: BSD-3-Clause
"""Tests `pollux energy`: the papers' table, points of campaigns, and errors in tables."""

import csv
import io
import json
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path

import pytest
from energy_records import UNAVAILABLE, Record, energy, give_energy, unknown
from micro_campaigns import configuration, write_micro_campaign
from pollux.core.analysis.loading import load
from pollux.core.campaign.lines import PartOf
from pollux.core.cli import app
from pollux.core.console import make_console
from pollux.core.errors import BadUsageError
from pollux.energy.analysis.correlation import all_correlations
from pollux.energy.analysis.points import Point, Points, figure, label_of, points_of
from pollux.energy.analysis.results_table import read_results
from pollux.energy.analysis.sources import choose, sources_for
from pollux.energy.analysis.tradeoff import Best, best_table, criteria_of, front
from pollux.energy.commands import energy_output
from pollux.energy.commands.energy import energy as energy_command
from pollux.energy.commands.energy import points_from
from pollux.energy.commands.energy_output import csv_text, json_text
from pollux.energy.commands.energy_text import figure_columns, write_energy
from project import ROOT
from synthetic import write_campaign
from typer.testing import CliRunner

PAPER = ROOT / "campaigns/data" / "lima-2019-table-2.csv"


def best(criterion: str, benchmark: str) -> Best:
    table = best_table(read_results(PAPER).groups())
    return next(b for b in table if b.criterion == criterion and b.group.startswith(benchmark))


@pytest.mark.parametrize(
    ("benchmark", "lost", "saved"),
    [("cholesky", 5.12, 8.51), ("lu", 1.76, 10.88), ("qr", 9.31, 11.71)],
)
def test_the_papers_percentages_follow_from_their_table(
    benchmark: str, lost: float, saved: float
) -> None:
    found = best("energy", benchmark)
    assert round(100 * found.speed_lost, 2) == lost
    assert round(100 * found.energy_saved, 2) == saved


@pytest.mark.parametrize(
    ("criterion", "benchmark", "expected"),
    [  # seconds, W, kJ s, GFlop/J
        ("performance", "cholesky", (16.0, 946, 242.6, 0.774)),
        ("performance", "lu", (61.2, 831, 3108, 0.462)),
        ("performance", "qr", (108.2, 912, 10671, 0.475)),
        ("energy", "cholesky", (16.9, 821, 233.9, 0.846)),
        ("energy", "lu", (62.3, 727, 2820, 0.518)),
        ("energy", "qr", (119.2, 731, 10389, 0.538)),
    ],
)
def test_times_powers_and_products_follow_from_the_papers_table(
    criterion: str, benchmark: str, expected: tuple[float, float, float, float]
) -> None:
    mean = best(criterion, benchmark).point.mean
    seconds, watts, product, efficiency = expected
    assert figure("time", mean) == pytest.approx(seconds, abs=0.05)
    assert figure("power", mean) == pytest.approx(watts, abs=0.6)
    assert mean.joules * mean.seconds / 1e3 == pytest.approx(product, rel=3e-4)
    assert figure("efficiency", mean) == pytest.approx(efficiency, abs=6e-4)


def test_the_best_of_each_criterion_are_those_of_the_papers() -> None:
    lines = [line for line in PAPER.read_text().splitlines() if not line.startswith("#")]
    rows = list(csv.DictReader(lines))
    names = {"performance": "performance", "pkg+dram": "energy", "pkg": "package", "dram": "memory"}
    for row in rows:
        found = best(names[row["criterion"]], row["benchmark"]).point
        assert found.choices["runtime"] == row["runtime"]
        assert found.mean.gflops == float(row["gflops"])
        assert found.levers["governor"] == row["governor"]
    assert len(rows) == 12 and len(read_results(PAPER).points) == 9


def test_the_front_has_what_nothing_beats_in_both() -> None:
    for points in read_results(PAPER).groups().values():
        on_it = front(points)
        for point in points:
            beaten = any(
                o.mean.gflops >= point.mean.gflops and o.mean.joules <= point.mean.joules
                for o in points
                if o is not point
            )
            assert (point in on_it) is not beaten


def text_of(points: Points, *, runs: bool = False, width: int = 130) -> str:
    file = io.StringIO()
    write_energy(make_console(file=file, plain_width=width), points, of_runs=runs)
    return file.getvalue()


def test_best_of_packages_alone_is_said_to_mislead() -> None:
    text = text_of(read_results(PAPER))
    assert "lu N=32768: least energy of package alone misleads; the whole is 8.5 %" in text
    assert "5.12 %" in text and "11.71 %" in text


def test_tables_fit_80_columns() -> None:
    lines = text_of(read_results(PAPER), width=80).splitlines()
    tables = [line for line in lines if line.startswith(("cholesky N", "lu N", "qr N", "──"))]
    assert len(tables) > 20
    assert all(len(line) <= 80 for line in tables if ":" not in line)


FULL = "benchmark,runtime,turbo,cstates,governor,gflops,seconds,joules\n" + "".join(
    f"lu,libgomp,{t},{c},{g},{100 + 10 * i + 3 * j + k},1,{500 - i - 5 * j + k}\n"
    for i, t in enumerate(("off", "on"))
    for j, c in enumerate(("all", "none"))
    for k, g in enumerate(("performance", "powersave"))
)

COUNTED = "benchmark,runtime,gflops,seconds,joules,samples\n"


def test_correlations_are_printed_with_n_and_what_is_not_significant_is_marked(
    tmp_path: Path,
) -> None:
    path = tmp_path / "results.csv"
    path.write_text(FULL)
    text = text_of(read_results(path))
    assert "Pearson's r, lu on libgomp: n = 8 configurations" in text
    assert "significant from |r| = 0.707" in text
    (turbo,) = (line for line in text.splitlines() if line.startswith("turbo  "))
    assert "+0.95 (p <0.001)" in turbo and "×" in turbo
    assert "turbo: on +1, off -1; cstates: all +1, none -1" in text
    document = json.loads(json_text(read_results(path), of_runs=False))
    assert document["schema"] == "pollux-energy/1"
    (own,) = document["correlations"]
    assert own["n"] == 8 and own["orthogonal"]
    r = {(p["first"], p["second"]): p["r"] for p in own["pairs"]}
    assert sum(r[lever, "performance"] ** 2 for lever in own["codings"]) == pytest.approx(1)


def test_frequencies_of_a_table_are_numbers_and_words_are_of_any_case(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    rows = [
        f"lu,libgomp,{turbo},{limit},{100 * ghz + 5 * k},1,{200 + 50 * ghz - k}\n"
        for k, turbo in enumerate(("OFF", "Enabled"))
        for ghz, limit in ((0.8, "800MHz"), (2, "2GHz"), (2.4, "2.4 GHz"))
    ]
    path.write_text("benchmark,runtime,turbo,frequency_max,gflops,seconds,joules\n" + "".join(rows))
    (found,) = all_correlations(read_results(path).points)
    assert (found.n, found.levers) == (6, ["turbo", "frequency_max"])
    assert found.pair("frequency_max", "performance").r > 0.9


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        (FULL, "", ": is empty"),
        (FULL, "# nothing\n", ": is empty"),
        (FULL, FULL.partition("\n")[0] + "\n", "without a line of results"),
        ("gflops", "speed", ':1: the header has no column "gflops", only "benchmark"'),
        ("seconds", "time", ':1: the header has no column "seconds" or "flops", only'),
        ("joules", "energy", ':1: the header has no column "joules" or "package_joules", only'),
        ("cstates", "turbo", ":1: a column is named twice"),
        (",500\n", ",500,1\n", ":2: 9 columns, and the header 8"),
        (",500\n", ",nan\n", ':2: "nan" is no joules: from 1e-30'),
        (",500\n", ",0\n", ':2: "0" is no joules: from 1e-30'),
        (",500\n", ",1e300\n", ':2: "1e300" is no joules: from 1e-30 to 1e30'),
        ("governor", "samples", ':2: "performance" is no samples'),
        (FULL, f"{COUNTED}lu,libgomp,1,1,1,0.5\n", ":2: 0.5 is no number of samples"),
        (",500\n", ",\n", ":2: neither an energy nor one of packages"),
        ("governor", "frequency_max", ':2: frequency_max: "performance" is not a frequency'),
        ("libgomp,off,all,powersave", "libgomp,off,all,performance", ":3: another line has the"),
    ],
)
def test_an_error_in_a_table_is_one_line_with_its_position(
    tmp_path: Path, old: str, new: str, error: str
) -> None:
    assert old in FULL
    path = tmp_path / "results.csv"
    path.write_text(FULL.replace(old, new, 1))
    with pytest.raises(BadUsageError) as raised:
        read_results(path)
    message = raised.value.format_message()
    assert error in message and "\n" not in message


def campaign(tmp_path: Path) -> Path:
    path = tmp_path / "campaign.jsonl"
    write_campaign(path, {"libgomp": 1.0, "libomp": 1.1}, noise=0.01)

    def of(name: str, record: Record) -> Record:
        if record["seed"] == 101:
            return unknown()
        joules = {"libgomp": 100, "libomp": 120}[name] * record["seconds"]
        return energy(0.75 * joules, 0.25 * joules)

    give_energy(path, of)
    return path


def test_points_of_a_campaign_are_means_of_samples_with_energy(tmp_path: Path) -> None:
    dataset = load([campaign(tmp_path)])
    sources = sources_for(dataset, [])
    found = points_of(dataset, sources, choose(sources, None))
    assert [point.samples for point in found.points] == [14, 14]
    for point, watts in zip(found.points, (100, 120), strict=True):
        mean = point.mean
        assert mean.joules / mean.seconds == pytest.approx(watts, rel=2e-3)
        assert mean.package is not None and mean.memory is not None
        parts = (mean.package / mean.joules, mean.memory / mean.joules)
        assert parts == pytest.approx((0.75, 0.25))
    assert any("energy not measured in 1 of 15" in text for text in found.cautions)


def test_machines_are_not_ranked_against_one_another(tmp_path: Path) -> None:
    files = [tmp_path / f"n.{number}.jsonl" for number in (1, 2)]
    for number, path in enumerate(files, 1):
        part = PartOf(campaign="n", number=number, of=2, node=f"n{number}")
        write_campaign(path, {"libgomp": 1.0, "libomp": 1.1}, seed=number, part=part)
        give_energy(path, lambda name, record: energy(100 * record["seconds"], 10.0))
    groups = points_from(files, None, None, [], []).groups()
    of = "cholesky N=2048 on node"
    assert {name: len(own) for name, own in groups.items()} == {f"{of} n1": 2, f"{of} n2": 2}
    everything = [point for own in groups.values() for point in own]
    assert len({label_of(point, everything) for point in everything}) == 4


@pytest.mark.parametrize(("memory", "total"), [(10.0, "package + memory"), (None, "package")])
def test_the_whole_is_called_after_what_was_measured(
    tmp_path: Path, memory: float | None, total: str
) -> None:
    path = campaign(tmp_path)
    give_energy(path, lambda name, record: energy(100 * record["seconds"], memory))
    found = points_from([path], None, None, [], [])
    assert found.total == total
    titles = [line for line in text_of(found).splitlines() if line.startswith("best by")]
    assert len(set(titles)) == len(titles) and f"best by {total}" in titles


@pytest.mark.parametrize(
    ("lacking", "helps"),
    [
        (UNAVAILABLE, "; pollux doctor says what would make it readable"),
        (unknown(), ""),
    ],
)
def test_without_energy_there_is_a_sentence_and_no_table(
    tmp_path: Path, lacking: Record, helps: str
) -> None:
    path = campaign(tmp_path)
    give_energy(path, lambda name, record: lacking)
    found = points_from([path], None, None, [], [])
    assert found.points == []
    assert found.cautions[0].startswith("no sample has its energy")  # before the reasons
    said = [line for line in text_of(found).splitlines() if line.startswith("no sample has its")]
    assert said == [f"no sample has its energy measured{helps}"]
    assert csv_text(found).startswith("group,samples,performance,energy,")


def test_micro_benchmarks_have_no_energy_to_miss(tmp_path: Path) -> None:
    path = tmp_path / "micro.jsonl"
    write_micro_campaign(path, [(configuration("libgomp", "depend"), 100.0)])
    found = points_from([path], None, None, [], [])
    assert (found.points, found.cautions) == ([], [])
    for own in (found, replace(found, cautions=["something else"])):
        lines = text_of(own).splitlines()
        assert lines[-1] == "no sample has its energy measured"
        assert set(own.cautions) <= set(lines)


def test_configurations_with_two_sources_of_energy_are_named(tmp_path: Path) -> None:
    path = campaign(tmp_path)

    def of(names: tuple[str, ...], name: str, record: Record) -> Record:
        found = energy(100 * record["seconds"])
        if name in names and record["seed"] % 2:
            found["zones"][0]["source"], found["parts"] = "perf", ["perf:package-0"]
        return found

    give_energy(path, partial(of, ("libomp",)))
    found = points_from([path], None, None, [], [])
    assert [point.choices["runtime"] for point in found.points] == ["libgomp"]
    words = "libomp is left out: its samples have different sources of energy: "
    (line,) = (line for line in found.cautions if "left out" in line)
    assert words in line and "1 package (powercap)" in line and "1 package (perf)" in line
    give_energy(path, partial(of, ("libgomp", "libomp")))
    found = points_from([path], None, None, [], [])
    assert found.points == []
    assert "no sample has its energy" not in text_of(found) and "libgomp is left" in text_of(found)


def test_no_output_replaces_the_timeline_of_a_campaign(tmp_path: Path) -> None:
    path = campaign(tmp_path)
    timeline = path.with_suffix(".power.csv")
    timeline.write_text("# kept\n")
    for arguments in (
        ["energy", path, "--format", "csv", "--output", timeline],
        ["compare", path, "--format", "csv", "--output", timeline],
    ):
        ran = CliRunner().invoke(app, list(map(str, arguments)), standalone_mode=False)
        assert "which is read" in str(getattr(ran.exception, "message", ""))
    assert timeline.read_text() == "# kept\n"


def test_runs_are_for_correlations(tmp_path: Path) -> None:
    arguments = ["energy", str(campaign(tmp_path)), "--format", "csv", "--runs"]
    ran = CliRunner().invoke(app, arguments, standalone_mode=False)
    assert "--runs is for correlations" in str(getattr(ran.exception, "message", ""))


def test_csv_has_a_line_for_each_configuration() -> None:
    rows = list(csv.DictReader(io.StringIO(csv_text(read_results(PAPER)))))
    assert len(rows) == 9
    assert {row["runtime"] for row in rows} == {"libKOMP", "libKOMP+CW", "libGOMP", "PLASMA", "XKaapi"}  # fmt: skip  # noqa: E501
    assert sum(int(row["pareto"]) for row in rows) == 7


def test_the_front_of_a_group_is_sought_once_for_all_its_points(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []

    def counted(points: list[Point]) -> list[Point]:
        asked.append(len(points))
        return front(points)

    monkeypatch.setattr(energy_output, "front", counted)
    points = read_results(PAPER)
    groups = [len(own) for own in points.groups().values()]
    csv_text(points)
    assert asked == groups
    json_text(points, of_runs=False)
    assert asked == groups * 2


def test_a_table_of_results_stands_alone(tmp_path: Path) -> None:
    with pytest.raises(BadUsageError, match="no other file goes with it"):
        points_from([PAPER, PAPER], None, None, [], [])
    with pytest.raises(BadUsageError, match="--source is for records"):
        points_from([PAPER], "wall", None, [], [])
    with pytest.raises(BadUsageError, match="--meter is for records"):
        points_from([PAPER], None, [tmp_path / "wall.toml"], [], [])
    with pytest.raises(BadUsageError, match="no line has all"):
        points_from([PAPER], None, None, ["jacobi"], [])
    assert energy_command([PAPER], output=tmp_path / "table.txt") == 0
    assert "best by performance" in (tmp_path / "table.txt").read_text()


def test_levers_of_a_campaign_are_correlated(tmp_path: Path) -> None:
    path = tmp_path / "campaign.jsonl"
    tiles = range(64, 64 * 9, 64)  # stand for the eight settings
    write_campaign(path, {"libgomp": 1.0}, [("lu", "depend", 2048, nb) for nb in tiles], noise=1e-3)
    settings = list(product(("on", "off"), ("all", "none"), ("performance", "powersave")))

    def of(name: str, record: Record) -> Record:
        turbo = settings[record["nb"] // 64 - 1][0]
        joules = (130 if turbo == "on" else 100) * record["seconds"]
        return energy(0.8 * joules, 0.2 * joules)

    give_energy(path, of)
    dataset = load([path])
    for setting, (key, c) in zip(settings, list(dataset.configurations.items()), strict=True):
        levers = dict(zip(("turbo", "cstates", "governor"), setting, strict=True))
        update = {"tile_asked": "default", "tile": None, **levers}
        dataset.configurations[key] = c.model_copy(update=update)
    sources = sources_for(dataset, [])
    points = points_of(dataset, sources, choose(sources, None))
    (found,) = all_correlations(points.points)
    assert (found.n, found.levers) == (8, ["turbo", "cstates", "governor"])
    assert found.pair("turbo", "package").r == pytest.approx(1, abs=0.01)
    assert found.pair("turbo", "package").is_significant
    (runs,) = all_correlations(points.points, of_runs=True)
    assert runs.n == 8 * 15
    text = text_of(points, runs=True)
    assert "runs of one configuration are no independent observations" in text


@pytest.mark.parametrize(
    ("names", "values", "total"),
    [
        ("package_joules", "50", "package"),
        ("package_joules,memory_joules", "50,8", "package + memory"),
        ("package_joules,memory_joules,joules", "50,8,80", "energy"),
        ("joules", "80", "energy"),
    ],
)
def test_a_total_is_called_what_it_is_the_sum_of(
    tmp_path: Path, names: str, values: str, total: str
) -> None:
    path = tmp_path / "results.csv"
    path.write_text(f"benchmark,runtime,gflops,seconds,{names}\nlu,libgomp,10,1,{values}\n")
    assert read_results(path).total == total


def test_the_memory_of_a_line_is_not_0_where_others_know_it(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    names = "benchmark,runtime,gflops,seconds,package_joules,memory_joules"
    path.write_text(f"{names}\nlu,libgomp,10,1,50,8\nlu,libomp,10,1,55,\n")
    with pytest.raises(BadUsageError, match=":3: no energy of memory, which other lines have"):
        read_results(path)
    path.write_text(f"{names},joules\nlu,libgomp,10,1,50,8,58\nlu,libomp,10,1,55,,62\n")
    assert [point.mean.joules for point in read_results(path).points] == [58, 62]


def test_benchmarks_of_a_table_are_chosen_by_their_whole_names(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text("benchmark,runtime,gflops,seconds,joules\nLU,a,10,1,9\nLU CW,a,11,1,9\n")
    for name in ("LU", "LU CW"):
        (found,) = points_from([path], None, None, [name], []).points
        assert found.group == name


@pytest.mark.parametrize("name", ["power", "time", "edp", "efficiency", "performance"])
def test_a_meter_of_any_name_hides_no_figure(name: str) -> None:
    table = best_table(read_results(PAPER).groups())
    means = [best.point.mean for best in table]
    assert len(figure_columns(means, name)) == len(figure_columns(means, "wall")) == 8
    assert criteria_of(table, name) == criteria_of(table, "wall")


def test_a_lever_that_some_configurations_leave_alone_is_named(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    rows = "lu,libgomp,off,0,10,1,9\nlu,libgomp,off,10,11,1,8\nlu,libgomp,,20,12,1,7\n"
    path.write_text(f"benchmark,runtime,turbo,dma_latency,gflops,seconds,joules\n{rows}")
    (found,) = all_correlations(read_results(path).points)
    assert found.left_out == ["turbo is not set in some configurations"]


def test_lines_without_a_runtime_are_of_none_that_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text("benchmark,runtime,gflops,seconds,joules\nlu,libgomp,10,1,9\nlu,,11,1,9\n")
    points = points_from([path], None, None, [], ["libgomp"]).points
    assert [point.choices for point in points] == [{"runtime": "libgomp"}]
