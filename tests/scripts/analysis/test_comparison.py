# SPDX-License-Identifier: BSD-3-Clause
"""Tests comparisons of synthetic campaigns: who is compared with whom, and the warnings."""

import json
import re
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.core.analysis.result import Result, Row, Verdict
from pollux.core.analysis.stopping import Standings
from pollux.core.campaign.lines import Outcome
from pollux.core.campaign.samples import Logs
from pollux.core.commands.compare_grid import columns, overall_title
from pollux.core.errors import BadUsageError
from run_record import Cell, record, with_speed
from synthetic import append, write_campaign

CELLS: list[Cell] = [("cholesky", "depend", 2048, 192), ("cholesky", "forkjoin", 2048, 192)]
TWO = {"libgomp": 1.0, "libomp": 1.1}


def made(tmp_path: Path, *args: Any, **options: Any) -> Path:  # noqa: ANN401
    path = tmp_path / "campaign.jsonl"
    write_campaign(path, *args, **options)
    return path


def rows_of(result: Result, level: str) -> list[Row]:
    return [row for row in result.rows if row.level == level]


def change_samples(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Rewrite the samples of a file."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        if line["event"] == "sample":
            change(line)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_pairs_see_through_drift(tmp_path: Path) -> None:
    path = made(tmp_path, {"libgomp": 1, "libomp": 1.05}, CELLS, noise=0.01)
    result = compare(load([path]))
    for row in rows_of(result, "libomp"):
        assert row.comparison.verdict is Verdict.BETTER
        assert row.comparison.paired
        assert row.comparison.ratio is not None
        assert row.comparison.ratio.low < 1.05 < row.comparison.ratio.high
        own = row.gflops
        assert own is not None and own.high - own.low > 0.05 * own.estimate  # drift is in there
    assert result.sound
    assert result.headline.startswith("libomp is faster than libgomp by")


def test_overall_is_the_geometric_mean(tmp_path: Path) -> None:
    result = compare(load([made(tmp_path, TWO, CELLS, noise=1e-6)]))
    (overall,) = result.overall
    assert (overall.cells, overall.left_out) == (2, 0)
    assert overall.comparison.ratio is not None
    assert overall.comparison.ratio.estimate == pytest.approx(1.1, rel=1e-4)


def test_one_cell_has_no_overall(tmp_path: Path) -> None:
    result = compare(load([made(tmp_path, TWO)]))
    assert result.overall == []
    assert "in cholesky depend" in result.headline


def test_a_mean_over_one_cell_is_that_cell_in_the_headline(tmp_path: Path) -> None:
    result = compare(load([made(tmp_path, TWO, [LU[0], LU[2]])]))
    assert [item.cells for item in result.overall] == [1]
    assert "in lu depend N=2048" in result.headline
    assert "1 cell" not in result.headline
    assert result.overall[0].comparison == rows_of(result, "libomp")[0].comparison


def test_a_mean_over_one_cell_is_no_further_test(tmp_path: Path) -> None:
    rows = compare(load([made(tmp_path, TWO, [LU[0], LU[2]])])).rows
    p = [row.comparison.p for row in rows if row.level == "libomp"]
    least = min(value for value in p if value is not None)
    corrected = [row.comparison.p_corrected for row in rows if row.comparison.p == least]
    assert corrected[0] == pytest.approx(2 * least)


def test_failing_cells_are_left_out_and_reported_first(tmp_path: Path) -> None:
    outcomes = {("libomp", "depend"): Outcome.HANG}
    result = compare(load([made(tmp_path, TWO, CELLS, outcomes=outcomes)]))
    assert not result.sound
    assert result.headline.startswith("1 configuration failed; of the rest: ")
    (failure,) = result.failures
    assert (failure.outcome, failure.count, failure.rounds) == ("hang", 15, list(range(15)))
    assert failure.detail == "the stacks"
    assert (result.overall[0].cells, result.overall[0].left_out) == (1, 1)
    assert " over 1 of 2 cells (" in result.headline
    assert rows_of(result, "libomp")[0].comparison.words == "no valid sample"


def test_where_all_cells_fail_the_answer_has_no_rest_and_says_so_once(tmp_path: Path) -> None:
    outcomes = {("libomp", variant): Outcome.HANG for variant in ("depend", "forkjoin")}
    result = compare(load([made(tmp_path, TWO, CELLS, outcomes=outcomes)]))
    assert result.headline == (
        "2 configurations failed; libomp is not compared with libgomp (no cell in which both have "
        "valid samples)."
    )
    assert overall_title(result) == "geometric mean over all cells"


def test_a_broken_reference_is_not_compared_with(tmp_path: Path) -> None:
    outcomes = {("libgomp", "depend"): Outcome.CRASH}
    result = compare(load([made(tmp_path, TWO, CELLS, outcomes=outcomes)]))
    row = rows_of(result, "libomp")[0]
    assert row.comparison.verdict is Verdict.NONE
    assert row.comparison.words == "libgomp: no valid sample"


def test_a_failed_check_voids_the_speed(tmp_path: Path) -> None:
    path = made(tmp_path, TWO, CELLS)
    seen: list[int] = []

    def fail_once(line: dict[str, Any]) -> None:
        if line["records"] and line["records"][0]["runtime"]["name"] == "libomp" and not seen:
            seen.append(1)
            line["outcome"] = "failed check"
            line["records"][0]["residuals"][0] |= {"value": None, "passed": False}
            line["records"][0]["passed"] = False

    change_samples(path, fail_once)
    row = rows_of(compare(load([path])), "libomp")[0]
    assert row.comparison.verdict is Verdict.NONE
    assert row.worst_residual is not None and row.worst_residual != row.worst_residual
    assert (row.values, row.gflops) == ([], None)


def test_other_axes_are_compared_within_a_runtime(tmp_path: Path) -> None:
    result = compare(load([made(tmp_path, TWO, CELLS)]), by="variant", reference="forkjoin")
    assert [row.level for row in result.rows] == ["forkjoin", "depend"] * 2
    assert {row.cell for row in result.rows} == {
        f"{runtime} cholesky N=2048 NB=192 2 threads" for runtime in TWO
    }


LU: list[Cell] = [
    *(("lu", variant, 2048, 192) for variant in ("depend", "late", "nopiv")),
    ("lu-cw", "cw", 2048, 192),
]


def test_variants_of_one_algorithm_stand_side_by_side_below_the_default_one(
    tmp_path: Path,
) -> None:
    result = compare(load([made(tmp_path, TWO, LU, noise=0.001)]), by="variant")
    assert result.reference == "depend"
    assert [row.level for row in result.rows] == ["depend", "cw", "late", "nopiv"] * 2
    assert {row.cell for row in result.rows} == {
        f"{runtime} lu N=2048 NB=192 2 threads" for runtime in TWO
    }
    assert all(row.comparison.paired for row in rows_of(result, "cw"))


def test_cells_of_one_round_are_paired_though_others_ran_between_them(tmp_path: Path) -> None:
    path, ticks = made(tmp_path, TWO, LU), count(1)
    change_samples(path, lambda line: line.update(start_unix_ns=next(ticks)))
    result = compare(load([path]), by="variant")
    assert all(row.comparison.paired for row in rows_of(result, "cw"))


@pytest.mark.parametrize("rounds", [8, 20])
def test_rounds_that_ran_apart_are_no_pairs_for_a_campaign_until_decided_either(
    tmp_path: Path, rounds: int
) -> None:
    """A runtime that is added to a fixed plan runs in its rounds, perhaps on a changed machine."""
    path = made(tmp_path, {"libgomp": 1, "libomp": 0.8}, rounds=20, until_decided=0.03)

    def delay(line: dict[str, Any]) -> None:
        is_other = line["records"][0]["runtime"]["name"] == "libomp"
        if line["round"] < rounds:
            line["start_unix_ns"] += is_other * 10**12

    change_samples(path, delay)
    result = compare(load([path]))
    (row,) = rows_of(result, "libomp")
    if rounds == 20:
        assert row.comparison.words == "no round in which libgomp succeeded next to it"
    else:
        assert row.comparison.samples == 12
        assert any("libomp ran apart from libgomp in up to 8 rounds" in w for w in result.warnings)
    standings = Standings(0.03, [["libomp"]])
    standings.update(0, [logs_of(row) for row in result.rows])
    assert len(standings.pairs[0][0]) == row.comparison.samples


def logs_of(row: Row) -> dict[int, Logs]:
    own = row.logs
    both = zip(own.rounds, own.middles.tolist(), own.starts.tolist(), strict=True)
    return {round_: Logs(middle, start=start) for round_, middle, start in both}


@pytest.mark.parametrize("runtimes", [TWO, {"libgomp": 1.0}])
def test_another_kind_of_input_is_in_no_mean_and_no_headline(
    tmp_path: Path, runtimes: dict[str, float]
) -> None:
    dataset = load([made(tmp_path, runtimes, LU)])
    by_variant = compare(dataset, by="variant")
    assert "nopiv" not in {item.level for item in by_variant.overall}
    assert "cw" in by_variant.headline and "nopiv" not in by_variant.headline
    assert all(item.cells == 3 for item in compare(dataset).overall)


def test_a_headline_without_a_mean_counts_the_verdicts_of_all_cells(tmp_path: Path) -> None:
    cells: list[Cell] = [("lu", v, n, 192) for v in ("depend", "nopiv") for n in (1024, 2048)]
    result = compare(load([made(tmp_path, {"libgomp": 1.0}, cells)]), by="variant")
    assert result.overall == []
    assert result.headline == "nopiv vs. depend over 2 cells: no difference shown in 2."


def test_a_campaign_of_another_input_alone_has_its_mean(tmp_path: Path) -> None:
    cells: list[Cell] = [("lu", "nopiv", size, 192) for size in (1024, 2048)]
    assert compare(load([made(tmp_path, TWO, cells)])).overall[0].cells == 2


def test_tiles_are_compared(tmp_path: Path) -> None:
    cells: list[Cell] = [("cholesky", "depend", 2048, tile) for tile in (1024, 64, "512x64")]
    result = compare(load([made(tmp_path, {"libgomp": 1}, cells)]), by="tile")
    assert result.reference == "64"
    assert [row.level for row in result.rows] == ["64", "512x64", "1024"]
    assert "tile 512x64 " in result.headline and "tile 1024 " in result.headline


def test_unknown_axis_and_level_are_named(tmp_path: Path) -> None:
    dataset = load([made(tmp_path, TWO)])
    with pytest.raises(BadUsageError, match="no such axis; choose one of runtime, variant"):
        compare(dataset, by="colour")
    with pytest.raises(BadUsageError, match="no such runtime; available: libgomp, libomp"):
        compare(dataset, reference="bolt")


def test_a_single_runtime_has_nothing_to_be_compared_with(tmp_path: Path) -> None:
    result = compare(load([made(tmp_path, {"libgomp": 1})]))
    assert result.rows[0].gflops is not None
    assert result.headline == (
        "all runs have runtime libgomp: there is nothing to compare it with."
    )


def test_files_are_compared_without_pairs_and_with_a_warning(tmp_path: Path) -> None:
    before, after = tmp_path / "before.jsonl", tmp_path / "after.jsonl"
    write_campaign(before, {"libgomp": 1}, CELLS)
    write_campaign(after, {"libgomp": 1.5}, CELLS, seed=2)
    result = compare(load([before, after]))
    assert result.reference == "libgomp (before)"
    rows = rows_of(result, "libgomp (after)")
    assert {row.comparison.verdict for row in rows} == {Verdict.BETTER}
    assert not any(row.comparison.paired for row in rows)
    assert result.overall[0].comparison.verdict is Verdict.BETTER
    assert any("were not interleaved" in warning for warning in result.warnings)


def test_plain_records_are_not_paired(tmp_path: Path) -> None:
    path = tmp_path / "plain.jsonl"
    for i in range(8):
        for runtime, speed in TWO.items():
            append(path, record(CELLS[0], runtime, i, 50 * speed + i / 100))
    (row,) = rows_of(compare(load([path])), "libomp")
    assert not row.comparison.paired
    assert row.comparison.verdict is Verdict.BETTER


def test_traced_runs_are_never_compared(tmp_path: Path) -> None:
    path = tmp_path / "plain.jsonl"
    for runtime in TWO:
        append(path, record(CELLS[0], runtime, 0, 50.0))
        append(path, record(CELLS[0], runtime, 0, 1.0) | {"traced": True})
    result = compare(load([path]))
    assert [sample.speed for sample in result.dataset.samples] == [50.0] * 2
    assert any("2 records of traced runs left out" in warning for warning in result.warnings)


def test_five_rounds_give_a_ratio_but_no_verdict(tmp_path: Path) -> None:
    (row,) = rows_of(compare(load([made(tmp_path, TWO, rounds=5)])), "libomp")
    assert row.comparison.verdict is Verdict.TOO_FEW
    assert row.comparison.ratio is not None and not row.comparison.ratio.bounded
    assert row.comparison.needed == 7  # 2^(1-7) < 0.025


def test_disturbed_blocks_are_reported(tmp_path: Path) -> None:
    result = compare(load([made(tmp_path, TWO, disturbed_rounds=[1, 2])]))
    (warning,) = [w for w in result.warnings if "were disturbed" in w]
    assert warning.startswith("2 of 15 blocks were disturbed (foreign CPU use in 2)")
    assert "4 of their samples are used" in warning


def test_what_needs_a_warning_gets_one(tmp_path: Path) -> None:
    path = made(tmp_path, TWO, CELLS[:1], rounds=3)

    def change(line: dict[str, Any]) -> None:
        line["records"][0] |= {
            "bindings": ["0-3", "0-3"],
            "concurrent_write": {"clause": "depend(in)", "native": False, "observed": "x"},
        }

    change_samples(path, change)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:-1], '{"schema": "poll']) + "\n")
    warning = " ".join(compare(load([path])).warnings)
    for text in (
        "1 line cannot be read",
        "compilers differ: libgomp gcc, libomp clang",
        "1 block did not end",
        "as few as 3 samples",
        "threads may move between processors",
        "governor powersave",
        "turbo is on",
        "depend(in) took the place of concurrent write",
    ):
        assert text in warning


def test_levers_that_a_campaign_sets_itself_need_no_warning(tmp_path: Path) -> None:
    dataset = load([made(tmp_path, TWO, CELLS[:1])])
    keys = list(dataset.configurations)
    for key, setting in zip(keys, ("on", "off"), strict=True):
        own = dataset.configurations[key]
        dataset.configurations[key] = own.model_copy(update={"turbo": setting})
    result = compare(dataset, by="turbo")
    assert result.headline.startswith("turbo on ")
    warning = " ".join(result.warnings)
    assert "turbo" not in warning and "governor powersave" in warning
    dataset.configurations[keys[0]] = dataset.configurations[keys[0]].model_copy(
        update={"turbo": None}
    )
    assert "turbo is on" in " ".join(compare(dataset).warnings)


@pytest.mark.parametrize(("samples", "too_few"), [(3, True), (4, False)])
def test_few_samples_that_are_no_pairs_may_suffice(
    tmp_path: Path, samples: int, *, too_few: bool
) -> None:
    """Of two sets of four, one order in 35 keeps them apart."""
    paths = [tmp_path / f"{name}.jsonl" for name in ("libgomp", "libomp")]
    for path, speed in zip(paths, (50.0, 60.0), strict=True):
        for seed in range(samples):
            append(path, record(LU[0], path.stem, seed, speed + seed))
    result = compare(load(paths))
    (ratio,) = (row.comparison.ratio for row in result.rows if row.comparison.ratio)
    (warning,) = [w for w in result.warnings if w.startswith(f"as few as {samples} samples")]
    assert ("too few for an interval" in warning) == too_few == (not ratio.bounded)


def test_two_builds_in_one_campaign_are_distinguished(tmp_path: Path) -> None:
    path = made(tmp_path, TWO)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    (old,) = [
        line
        for line in lines
        if line["event"] == "configuration" and line["configuration"]["runtime"] == "libomp"
    ]
    new = {**old, "hash": "0" * 16}
    for line in lines:
        if (
            line["event"] == "sample"
            and line["round"] >= 8
            and line["configuration"] == old["hash"]
        ):
            line["configuration"] = new["hash"]
    lines.insert(lines.index(old), new)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    result = compare(load([path]))
    assert [row.level for row in result.rows] == ["libgomp", "libomp", "libomp #2"]
    assert any(warning.startswith("libomp #2: ") for warning in result.warnings)


def test_seq_is_a_control_and_no_part_of_the_mean(tmp_path: Path) -> None:
    cells = [*CELLS, ("cholesky", "seq", 2048, 192)]
    result = compare(load([made(tmp_path, TWO, cells, noise=0.001)]))
    assert (result.overall[0].cells, result.overall[0].left_out) == (2, 0)
    assert "faster in 2" in result.headline
    assert any(w.startswith("seq, which uses no OpenMP, differs too") for w in result.warnings)


def test_an_interrupted_campaign_is_reported(tmp_path: Path) -> None:
    path = made(tmp_path, TWO, rounds=8)
    path.write_text(path.read_text().replace('"processes":8', '"processes":30'))
    warnings = compare(load([path])).warnings
    assert any("fewer than the 30 samples planned; pollux run resumes" in w for w in warnings)


@pytest.mark.parametrize(
    ("changed", "goal", "said"),
    [
        ({"processes": 30}, None, "was to take 15, then 30 samples"),
        ({"processes": 3}, None, None),  # of which no verdict can come
        ({"until_decided": 0.01}, 0.03, "of this campaign was 3 %, then 1 %"),
        ({"until_decided": 0.03}, None, None),  # such verdicts hold for what there is, too
        ({"processes": 30}, 0.03, None),
        ({}, None, None),
    ],
)
def test_a_plan_that_was_changed_when_verdicts_could_be_known_is_reported(
    tmp_path: Path, changed: dict[str, Any], goal: float | None, said: str | None
) -> None:
    path = made(tmp_path, TWO, until_decided=goal)
    append(path, json.loads(path.read_text().splitlines()[0]) | changed)
    found = [line for line in compare(load([path])).warnings if "chosen by them" in line]
    assert len(found) == (said is not None)
    assert all((said or "") in line for line in found)


def test_a_disturbed_sample_gives_way_to_its_repeat(tmp_path: Path) -> None:
    path = made(tmp_path, TWO, disturbed_rounds=[3])
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    again = [line for line in lines if line.get("block") == 3]
    for line in again:
        line = {**line, "block": 99}
        if line["event"] == "sample":
            slow = with_speed({**line["records"][0], "gflops": 1.0})
            line = {**line, "attempt": 1, "records": [slow]}
        append(path, line | ({"disturbed": False} if line["event"] == "block-end" else {}))
    row = compare(load([path])).rows[0]
    assert (row.samples, len(row.values)) == (16, 15)
    assert dict(row.values)[3] == 1.0


def test_the_headline_names_the_fastest_of_many_levels(tmp_path: Path) -> None:
    many = {"base": 1.0, **{f"r{number}": 1 + number / 50 for number in range(1, 8)}}
    text = compare(load([made(tmp_path, many)])).headline
    assert [name for name in many if f"{name} is faster" in text] == ["r4", "r5", "r6", "r7"]
    assert text.startswith("r7 is faster than base by 14")
    assert text.endswith("; 3 more are in the table.")


def test_a_slow_kernel_is_shown_with_a_speed(tmp_path: Path) -> None:
    path = made(tmp_path, {"libgomp": 0.0008, "libomp": 1.0}, LU[:1], noise=0.001)
    slow, fast = (result := compare(load([path]))).rows
    (text,) = (column.text for column in columns(result) if column.name == "GFlop/s [95 %]")
    assert re.fullmatch(r"0\.03\d+ \[0\.03\d+, 0\.03\d+\]", text(slow))
    assert re.fullmatch(r"\d\d\.\d \[\d\d\.\d, \d\d\.\d\]", text(fast))
