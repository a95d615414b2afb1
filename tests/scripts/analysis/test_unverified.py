# SPDX-License-Identifier: BSD-3-Clause
"""Tests that results which nothing shows to be right say so, and that no gate passes them."""

from pathlib import Path
from typing import Any

import pytest
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.core.analysis.result import Agreement, Result
from pollux.core.commands.compare_gate import Decision, check
from pollux.core.commands.options import GateOptions, Undecided
from run_record import Cell, record
from synthetic import append
from test_comparison import change_samples, made, rows_of

CELL: Cell = ("lu", "depend", 1024, 128)
TWO = {"libgomp": 1.0, "libomp": 1.1}
UNCHECKED: dict[str, Any] = {"check": "none", "residuals": []}
NO_SEED = "digests: nothing to compare across runtimes (no seed in common)"


def plain(
    path: Path, seeds: dict[str, range], cells: tuple[Cell, ...] = (CELL,), **changes: object
) -> Result:
    """Records of some runtimes with different seeds, all equally fast."""
    for runtime, own in seeds.items():
        for seed in own:
            for cell in cells:
                speed = 50.0 + 0.01 * (seed % 10)
                append(path, record(cell, runtime, seed, speed, **changes))
    return compare(load([path]))


ALIKE = {"libgomp": range(20), "libomp": range(20)}
APART = {"libgomp": range(20), "libomp": range(100, 120)}


def status(result: Result, **options: Undecided) -> int:
    gate = check(result, GateOptions(0.03, options.get("undecided"), options.get("unverified")))
    assert gate is not None
    return gate.status


def test_verified_records_of_the_same_seeds_pass_the_gate(tmp_path: Path) -> None:
    result = plain(tmp_path / "plain.jsonl", ALIKE)
    assert {row.digests for row in result.rows} == {Agreement.AGREE}
    assert result.cautions == []
    assert status(result) == 0


@pytest.mark.parametrize(
    ("seeds", "changes", "digests", "doubt"),
    [
        (ALIKE, UNCHECKED, Agreement.UNVERIFIED, "not verified (check none)"),
        (APART, {}, Agreement.NOTHING, NO_SEED),
    ],
)
def test_what_was_not_verified_or_compared_says_so_and_passes_no_gate(
    tmp_path: Path,
    seeds: dict[str, range],
    changes: dict[str, Any],
    digests: Agreement,
    doubt: str,
) -> None:
    result = plain(tmp_path / "plain.jsonl", seeds, **changes)
    assert {row.digests for row in result.rows} == {digests}
    (row,) = rows_of(result, "libomp")
    assert row.comparison.ratio is not None
    assert doubt in row.doubts
    (caution,) = result.cautions
    assert caution.startswith(doubt)
    gate = check(result, GateOptions(0.03, None))
    assert gate is not None and gate.decision is Decision.UNDECIDED
    advice = "--unverified pass accepts these results"
    assert advice in gate.lines
    accepted = check(result, GateOptions(0.03, None, Undecided.PASS))
    assert accepted is not None and advice not in accepted.lines
    assert [
        status(result),
        status(result, undecided=Undecided.PASS),
        status(result, unverified=Undecided.PASS),
        status(result, unverified=Undecided.FAIL),
    ] == [4, 4, 0, 1]


def test_variants_of_one_side_do_not_stand_in_for_the_other_side(tmp_path: Path) -> None:
    """Digests agree among the variants of each runtime, but across runtimes none was compared."""
    result = plain(tmp_path / "plain.jsonl", APART, (CELL, ("lu", "forkjoin", 1024, 128)))
    assert {row.digests for row in result.rows} == {Agreement.NOTHING}
    assert all(NO_SEED in row.doubts for row in rows_of(result, "libomp"))


def test_runs_of_one_file_have_no_seed(tmp_path: Path) -> None:
    result = plain(tmp_path / "plain.jsonl", APART, matrix="a.mtx", digest="same")
    assert {row.digests for row in result.rows} == {Agreement.AGREE}
    assert status(result) == 0


def test_one_unverified_side_is_in_the_row_of_the_other(tmp_path: Path) -> None:
    path = made(tmp_path, TWO, [CELL], noise=0.001)

    def change(line: dict[str, Any]) -> None:
        if line["records"][0]["runtime"]["name"] == "libgomp":
            line["records"][0] |= UNCHECKED

    change_samples(path, change)
    (row,) = rows_of(compare(load([path])), "libomp")
    assert row.doubts == ("libgomp: not verified (check none)",)
    assert row.remarks[-1] == "check fast here, none on libgomp"


def test_other_axes_need_no_digests_in_common(tmp_path: Path) -> None:
    """Factors of two tile sizes are never equal: nothing is missing where they are compared."""
    path = made(tmp_path, {"libgomp": 1.0}, [CELL, ("lu", "depend", 1024, 64)], noise=0.001)
    result = compare(load([path]), by="tile")
    assert not any(row.doubts for row in result.rows)


def test_kernel_sets_have_digests_of_their_own(tmp_path: Path) -> None:
    """That these are not equal is a doubt where runtimes are compared, not where the sets are."""
    path = tmp_path / "plain.jsonl"
    for seed in range(8):
        for kernels in ("openblas", "tuned"):
            append(path, record(CELL, "libgomp", seed, 50.0, kernels=kernels, digest=kernels))
    result = compare(load([path]), by="kernels")
    assert [row.level for row in result.rows] == ["openblas", "tuned"]
    assert result.sound
    assert not any(row.doubts for row in result.rows)


@pytest.mark.parametrize(
    ("cells", "runtimes"),
    [
        ({"libgomp": (CELL,), "libomp": (("lu", "depend", 2048, 128),)}, "different sizes"),
        ({"libgomp": (CELL,)}, "one runtime alone"),
        ({"libgomp": (CELL,), "libomp": (("lu", "seq", 1024, 128),)}, "sequential code alone"),
    ],
)
def test_a_gate_that_compared_nothing_is_never_passed(
    tmp_path: Path, cells: dict[str, tuple[Cell, ...]], runtimes: str
) -> None:
    path = tmp_path / "plain.jsonl"
    for runtime, own in cells.items():
        for seed in range(8):
            for cell in own:
                append(path, record(cell, runtime, seed, 50.0))
    result = compare(load([path]))
    accepted = status(result, undecided=Undecided.PASS, unverified=Undecided.PASS)
    assert (status(result), accepted) == (4, 4), runtimes
    assert status(result, undecided=Undecided.FAIL) == 1


def test_a_cell_that_one_side_lacks_is_not_passed(tmp_path: Path) -> None:
    """Whichever side lacks it."""
    for lacking, other in (("libgomp", "libomp"), ("libomp", "libgomp")):
        path = tmp_path / f"{lacking}.jsonl"
        for seed in range(20):
            append(path, record(CELL, lacking, seed, 50.0 + seed / 1000))
            append(path, record(CELL, other, seed, 50.0 + seed / 1000))
            append(path, record(("qr", "depend", 1024, 128), other, seed, 50.0))
        result = compare(load([path]))
        assert status(result) == 4
        assert status(result, undecided=Undecided.PASS) == 0
