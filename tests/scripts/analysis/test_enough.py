# SPDX-License-Identifier: BSD-3-Clause
"""Numbers of processes that no verdict can come of are told from the plan."""

from pathlib import Path

import pytest
from campaign_files import plan
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.enough import too_few
from pollux.core.analysis.loading import load
from pollux.core.analysis.result import Verdict
from project import Campaign
from synthetic import write_campaign

GRID = '[grid]\nbenchmark = ["cholesky", "lu", "qr"]\nvariant = "depend"\nsize = [8, 16]\n'
ONE = '[grid]\nbenchmark = "lu"\nvariant = "depend"\nsize = 8\n'
CELLS = [(b, "depend", size, 8) for b in ("cholesky", "lu", "qr") for size in (8, 16)]


@pytest.fixture(autouse=True)
def variants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_VARIANTS", "depend")


def lines(folder: Path, build_root: Path, text: str, quantities: int = 1) -> list[str]:
    return list(too_few(plan(folder, build_root, text), lambda _: quantities))


def number(line: str) -> int:
    return int(line.partition("processes=")[2].partition(" ")[0])


@pytest.mark.parametrize("grid", [GRID, ONE])
def test_the_number_named_is_the_least_with_which_a_clear_difference_has_a_verdict(
    tmp_path: Path, build_root: Path, grid: str
) -> None:
    """The plan and the comparison of its samples agree, on both sides of the number."""
    (line,) = lines(tmp_path, build_root, f"processes = 1\n{grid}")
    enough = number(line)
    assert lines(tmp_path, build_root, f"processes = {enough}\n{grid}") == []
    assert lines(tmp_path, build_root, f"processes = {enough - 1}\n{grid}") != []
    path = tmp_path / "clear.jsonl"
    cells = CELLS if grid is GRID else [("lu", "depend", 8, 8)]
    for rounds, is_enough in ((enough - 1, False), (enough, True)):
        write_campaign(path, {"libgomp": 1, "libomp": 2}, cells, rounds=rounds, noise=0.001)
        found = compare(load([path]))
        verdicts = {r.comparison.verdict for r in found.rows if r.level == "libomp"}
        assert verdicts == {Verdict.BETTER if is_enough else Verdict.TOO_FEW}
        needed = {r.comparison.needed for r in found.rows if r.level == "libomp"}
        assert is_enough or needed == {enough}


def test_a_mean_over_one_cell_needs_no_more_processes(tmp_path: Path, build_root: Path) -> None:
    alone = f'{ONE}[[include]]\nruntime = "libgomp"\nsize = 16\n'
    found = [lines(tmp_path, build_root, f"processes = 1\n{grid}") for grid in (ONE, alone)]
    assert found[0] == found[1] != []


def test_quantities_that_may_be_unknown_make_it_a_may(tmp_path: Path, build_root: Path) -> None:
    (few,) = lines(tmp_path, build_root, f"processes = 1\n{GRID}", quantities=4)
    (line,) = lines(tmp_path, build_root, f"processes = {number(few) - 1}\n{GRID}", quantities=4)
    assert "cannot give a verdict on any of 24 comparisons" in few
    assert "may not give a verdict on any of 24 comparisons" in line


@pytest.mark.parametrize(
    "text",
    [
        GRID,  # as many as decide
        f'processes = 1\n{ONE}runtime = "libgomp"\n',  # nothing is compared
        f'processes = 100\nuntil_decided = "3%"\n{GRID}',
    ],
)
def test_nothing_is_said_where_there_is_no_limit_or_no_comparison(
    tmp_path: Path, build_root: Path, text: str
) -> None:
    assert lines(tmp_path, build_root, text) == []


def test_a_limit_of_a_campaign_until_decided_counts_too(tmp_path: Path, build_root: Path) -> None:
    (line,) = lines(tmp_path, build_root, f'processes = 3\nuntil_decided = "3%"\n{GRID}')
    assert "3 processes of each configuration cannot give a verdict on any of 6" in line
    text = f'processes = {number(line)}\nuntil_decided = "3%"\n{GRID}'
    assert lines(tmp_path, build_root, text) == []


def test_a_part_needs_more_processes_than_the_whole(tmp_path: Path, build_root: Path) -> None:
    found = plan(tmp_path, build_root, f'processes = 3\nuntil_decided = "3%"\n{GRID}')
    whole, part = (number(next(too_few(found, lambda _: 1, parts))) for parts in (1, 4))
    assert part == whole + 2  # each halves the smallest chance


def test_dry_run_and_start_say_so(campaign: Campaign) -> None:
    text = f"processes = 2\nblocks.repeat_budget = 0\n{ONE}"
    words = "warning: 2 processes of each configuration cannot give a verdict on the comparison;"
    for options in (("--dry-run",), ("--plain",)):
        assert words in campaign.run("depend", text, *options).stdout
