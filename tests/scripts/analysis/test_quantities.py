# SPDX-License-Identifier: BSD-3-Clause
"""The times of micro-benchmarks in a comparison: one verdict each, on speeds, shown in ns."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from micro_campaigns import clomp, configuration, overhead, write_micro_campaign
from micro_runs import REASON, micro_record
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.dataset import Dataset
from pollux.core.analysis.filters import narrow
from pollux.core.analysis.loading import load
from pollux.core.analysis.quantities import unknown_line
from pollux.core.analysis.result import Result, Row, Verdict
from pollux.core.campaign.lines import Configuration
from pollux.core.commands import compare_gate
from pollux.core.commands.compare import compare as command
from pollux.core.commands.compare_grid import ns_interval, overall_lines, overall_title
from pollux.core.commands.compare_output import csv_text, json_text, markdown
from pollux.core.commands.options import GateOptions
from pollux.core.errors import BadUsageError
from synthetic import write_campaign

GOMP, OMP = configuration("libgomp", "chain"), configuration("libomp", "chain")
GOMP_FAN, OMP_FAN = configuration("libgomp", "fan-in"), configuration("libomp", "fan-in")
TIMES = [(GOMP, 400.0), (OMP, 300.0), (GOMP_FAN, 200.0), (OMP_FAN, 250.0)]


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    write_micro_campaign(tmp_path / "t.jsonl", TIMES)
    return load([tmp_path / "t.jsonl"])


def row_of(result: Result, variant: str, quantity: str, level: str = "libomp") -> Row:
    """The only one of these."""
    (found,) = (
        row
        for row in result.rows
        if (row.configuration.variant, row.configuration.quantity, row.level)
        == (variant, quantity, level)
    )
    return found


def test_each_time_has_a_verdict_and_above_one_is_faster(dataset: Dataset) -> None:
    result = compare(dataset)
    chain, fan = (row_of(result, name, "ns_per_task") for name in ("chain", "fan-in"))
    for row, ratio, verdict in ((chain, 4 / 3, Verdict.BETTER), (fan, 0.8, Verdict.WORSE)):
        assert row.comparison.ratio is not None
        assert row.comparison.ratio.estimate == pytest.approx(ratio, rel=0.01)
        assert row.comparison.verdict is verdict
    assert chain.gflops is None and chain.figure is not None
    assert 300 < chain.figure.low <= chain.figure.estimate <= chain.figure.high < 370
    release = row_of(result, "chain", "release")
    assert release.figure is not None
    assert release.figure.estimate == pytest.approx(2 * chain.figure.estimate)


def test_the_first_quantity_stands_first_and_alone_counts_in_means(dataset: Dataset) -> None:
    result = compare(dataset)
    names = [r.configuration.quantity for r in result.rows if r.configuration.variant == "chain"]
    assert names == ["ns_per_task"] * 2 + ["creation"] * 2 + ["release"] * 2
    (overall,) = result.overall
    assert overall.cells == 2
    assert overall.comparison.ratio is not None
    assert overall.comparison.ratio.estimate == pytest.approx((4 / 3 * 0.8) ** 0.5, rel=0.01)


def test_what_no_sample_knows_is_left_out_with_one_note(dataset: Dataset) -> None:
    result = compare(dataset)
    assert not any(
        r.configuration.quantity == "release" and r.configuration.variant == "fan-in"
        for r in result.rows
    )
    line = unknown_line(dataset)
    assert line is not None and f"release of 2 configurations ({REASON})" in line


def test_chosen_quantities_are_compared_alone(dataset: Dataset) -> None:
    chosen = narrow(dataset, {"quantity": ["release"]})
    result = compare(chosen)
    assert {row.configuration.quantity for row in result.rows} == {"release"}
    assert "creation" not in (unknown_line(chosen) or "")
    with pytest.raises(BadUsageError, match="available: creation, ns_per_task, release"):
        narrow(dataset, {"quantity": ["relase"]})


def test_a_failed_check_is_one_failure_and_leaves_no_time(tmp_path: Path) -> None:
    write_micro_campaign(tmp_path / "t.jsonl", TIMES, failing=[OMP])
    result = compare(load([tmp_path / "t.jsonl"]))
    assert [(f.problem, f.count) for f in result.failures] == [
        ("check failed: task 3 ran too early", 5)
    ]
    row = row_of(result, "chain", "ns_per_task")
    assert row.comparison.verdict is Verdict.NONE and not row.values


def test_what_some_samples_do_not_know_is_pointed_out(tmp_path: Path) -> None:
    lacking = [3]

    def make(c: Configuration, ns: float) -> dict[str, Any]:
        made = overhead(c, ns)
        if c.runtime == "libomp" and lacking[0]:
            lacking[0] -= 1
            made["quantities"]["creation"]["value"] = None
        return made

    write_micro_campaign(tmp_path / "t.jsonl", TIMES[:2], make=make)
    result = compare(load([tmp_path / "t.jsonl"]))
    assert len(row_of(result, "chain", "creation").values) == 17
    (line,) = (text for text in result.warnings if "not known in all samples" in text)
    assert line.startswith("creation is not known in all samples of task-overhead chain")
    assert line.endswith("on libomp: the others may be those in which it is large")


def test_a_difference_that_is_not_above_zero_has_no_ratio(tmp_path: Path) -> None:
    """Without the samples below zero, the others would show a cost that is too large."""
    own = {"benchmark": "clomp", "size": 64, "size_name": "partitions"}
    sides = [(configuration(name, "static", **own), 480.0) for name in ("libgomp", "libomp")]
    low = [0]

    def make(c: Configuration, ns: float) -> dict[str, Any]:
        low[0] += c.runtime == "libomp"
        made = clomp(c, ns)
        if low[0] == 7 and c.runtime == "libomp":
            made["quantities"]["overhead_ns"]["value"] = -2.0
        return made

    write_micro_campaign(tmp_path / "t.jsonl", sides, make=make)
    result = compare(load([tmp_path / "t.jsonl"]))
    row = row_of(result, "static", "overhead_ns")
    assert row.comparison.words == "not above zero"
    assert row_of(result, "static", "loop").comparison.ratio is not None


def test_a_gate_holds_for_times(dataset: Dataset) -> None:
    gate = compare_gate.check(compare(dataset), GateOptions(0.03, None, None))
    assert gate is not None and gate.status == 1
    assert gate.lines[-1].startswith("FAILED: slower by more than 3 % in 2 of 5 cells")
    fine = compare(narrow(dataset, {"variant": ["chain"]}))
    gate = compare_gate.check(fine, GateOptions(0.03, None, None))
    assert gate is not None and gate.lines[-1].startswith("PASSED")


def test_a_term_that_the_reference_lacks_is_not_compared_and_leaves_a_gate_decided(
    tmp_path: Path,
) -> None:
    def make(c: Configuration, ns: float) -> dict[str, Any]:
        made = overhead(c, ns)
        if c.runtime == "libgomp":
            made["quantities"]["creation"]["value"] = None
        return made

    write_micro_campaign(tmp_path / "t.jsonl", TIMES[:2], make=make)
    result = compare(load([tmp_path / "t.jsonl"]))
    assert row_of(result, "chain", "creation").comparison.words == "not known on libgomp"
    gate = compare_gate.check(result, GateOptions(0.03, None, None))
    assert gate is not None and gate.lines[-1].startswith("PASSED")


def test_only_first_quantities_are_of_the_family_that_stops_a_campaign(tmp_path: Path) -> None:
    """Else compare would take back what the campaign decided by fewer comparisons."""
    path = tmp_path / "t.jsonl"
    write_micro_campaign(path, TIMES[:2], rounds=12, until_decided=0.03)
    result = compare(load([path]))
    headline = row_of(result, "chain", "ns_per_task").comparison
    assert headline.p == pytest.approx(headline.p_corrected)
    assert row_of(result, "chain", "release").comparison.p_corrected is not None


def test_what_is_known_in_a_single_cell_is_no_mean_over_cells(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    write_micro_campaign(path, TIMES[:2], until_decided=0.03)
    result = compare(load([path]))
    title, *lines = overall_title(result), *overall_lines(result)
    assert title.startswith("ratio in the only cell")
    assert all(line.endswith("(1 cell)") for line in lines)
    write_micro_campaign(path, TIMES, until_decided=0.03)
    assert overall_title(compare(load([path]))).startswith("geometric mean over all cells")


def test_one_quantity_of_several_is_answered_over_all_cells(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    write_micro_campaign(path, TIMES, until_decided=0.03)
    dataset = load([path])
    whole = compare(dataset)
    (of_all,) = (term for term in whole.terms if term.quantity == "creation")
    result = compare(narrow(dataset, {"quantity": ["creation"]}))
    assert [item.comparison.ratio for item in result.overall] == [of_all.comparison.ratio]
    assert not result.terms and " over 2 cells" in result.headline


def test_what_has_another_unit_is_no_gflops(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    write_campaign(path, {"libgomp": 1.0})
    path.write_text(path.read_text().replace('"unit":"GFlop/s"', '"unit":"1/s"'))
    (row,) = json.loads(json_text(compare(load([path])), None))["rows"]
    assert (row["unit"], row["gflops"]) == ("1/s", None)
    assert 30 < row["figure"] < 60


def test_a_mean_over_speeds_and_quantities_names_both(tmp_path: Path) -> None:
    micro, speeds = tmp_path / "t.jsonl", tmp_path / "s.jsonl"
    write_micro_campaign(micro, TIMES)
    write_campaign(speeds, {"libgomp": 1.0, "libomp": 1.0})
    title = overall_title(compare(load([micro, speeds])))
    assert title.startswith("geometric mean over all cells of speed and ns_per_task")


def test_outputs_name_quantity_and_unit(dataset: Dataset) -> None:
    result = compare(dataset)
    document = json.loads(json_text(result, None))
    found = {row["quantity"]: row["unit"] for row in document["rows"]}
    assert found == dict.fromkeys(("ns_per_task", "creation", "release"), "ns")
    row = next(r for r in document["rows"] if r["quantity"] == "release")
    assert row["gflops"] is None and 600 < row["figure"] < 1000 and row["nb"] is None
    assert "release,ns," in csv_text(result)
    assert "| ns \\[95 %\\] |" in markdown(result, [], long=True)


def test_rates_and_times_are_two_groups(tmp_path: Path) -> None:
    write_micro_campaign(tmp_path / "t.jsonl", TIMES)
    write_campaign(tmp_path / "r.jsonl", {"libgomp": 1.0, "libomp": 1.2})
    result = compare(load([tmp_path / "r.jsonl", tmp_path / "t.jsonl"]))
    rates, times = result.groups()
    assert {r.configuration.benchmark for r in rates.rows} == {"cholesky"}
    assert (rates.metric.unit, times.metric.unit) == ("GFlop/s", "ns")
    assert len(rates.rows) + len(times.rows) == len(result.rows)
    text = markdown(result, [])
    assert "GFlop/s" in text and "ns \\[95 %\\]" in text
    assert not any("BLAS differ" in warning for warning in result.warnings)


def test_records_of_an_executable_are_compared_too(tmp_path: Path) -> None:
    for runtime, ns in (("libgomp", 400.0), ("libomp", 300.0)):
        lines = [micro_record("chain", runtime, ns + at, repetition=at) for at in range(20)]
        (tmp_path / f"{runtime}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    result = compare(load([tmp_path / "libgomp.jsonl", tmp_path / "libomp.jsonl"]))
    row = row_of(result, "chain", "ns_per_task")
    assert row.comparison.verdict is Verdict.BETTER and not row.comparison.paired
    assert row.configuration.parameters == {"distance": 64}


def test_micro_benchmarks_have_no_energy_to_compare(tmp_path: Path) -> None:
    write_micro_campaign(tmp_path / "t.jsonl", TIMES)
    with pytest.raises(BadUsageError, match="--metric edp: micro-benchmarks have times alone"):
        command([tmp_path / "t.jsonl"], metric="edp")


@pytest.mark.parametrize(
    ("ns", "text"),
    [(0.01234, "0.0123"), (3.456, "3.46"), (45.67, "45.7"), (123.4, "123"), (98765.4, "98765")],
)
def test_times_have_three_digits_or_more(dataset: Dataset, ns: float, text: str) -> None:
    figure = row_of(compare(dataset), "chain", "creation").figure
    assert figure is not None
    assert ns_interval(replace(figure, estimate=ns)).startswith(f"{text} [")


def test_what_is_no_time_and_no_gflops_has_its_own_unit(tmp_path: Path) -> None:
    def share(c: Configuration, ns: float) -> dict[str, Any]:
        own = {"overlap": {"value": ns, "unit": "%", "better": "more"}}
        return overhead(c, ns) | {"quantities": own, "unknown": {}}

    sides = [
        (configuration(name, "chain", unit="%", better="more"), value)
        for name, value in (("libgomp", 80.0), ("libomp", 90.0))
    ]
    write_micro_campaign(tmp_path / "t.jsonl", sides, make=share)
    text = markdown(compare(load([tmp_path / "t.jsonl"])), [])
    assert "| % \\[95 %\\] |" in text
    assert "| GFlop" not in text
