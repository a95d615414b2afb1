# SPDX-License-Identifier: BSD-3-Clause
"""Campaigns of programs that are spread over ranks: a launcher starts as many as the grid has."""

from pathlib import Path

import pytest
from campaign_files import plan
from pollux.core.campaign.dry_run import show_plan
from pollux.core.campaign.sampling import is_asked_for
from pollux.core.campaign.values import ranks_in
from pollux.core.console import make_console
from pollux.core.errors import BadUsageError

LAUNCHER = 'launcher = "env -n {ranks}"\n'
GRID = '[grid]\nvariant = "depend"\nsize = 64\nthreads = 1\nbenchmark = "lu"\n'


@pytest.fixture(autouse=True)
def spread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_VARIANTS", "seq,depend")
    monkeypatch.setenv("FAKE_SPREAD", "lu")


def test_each_grid_is_a_configuration_of_as_many_ranks(tmp_path: Path, build_root: Path) -> None:
    made = plan(tmp_path, build_root, f'{LAUNCHER}{GRID}grid = ["1x1", "2x3"]\n').configurations
    assert {tuple(c.launcher[-2:]) for c in made} == {("-n", "1"), ("-n", "6")}
    for c in made:
        at = c.arguments.index("--grid")
        assert ranks_in(c.arguments[at + 1]) == int(c.launcher[-1])


def test_without_a_grid_there_is_one_rank(tmp_path: Path, build_root: Path) -> None:
    made = plan(tmp_path, build_root, LAUNCHER + GRID).configurations
    assert {c.launcher[-1] for c in made} == {"1"}
    assert all("--grid" not in c.arguments for c in made)


def test_benchmarks_of_one_process_run_without_it(tmp_path: Path, build_root: Path) -> None:
    text = LAUNCHER + GRID.replace('"lu"', '["lu", "qr"]') + 'grid = ["1x2", "2x1"]\n'
    made = plan(tmp_path, build_root, text).configurations
    assert {(c.benchmark, c.settings.get("grid")) for c in made} == {
        *(("lu", "1x2"), ("lu", "2x1"), ("qr", None))
    }


def test_a_dry_run_shows_no_grid_of_benchmarks_of_one_process(
    tmp_path: Path, build_root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = LAUNCHER + GRID.replace('"lu"', '["lu", "qr"]') + 'grid = ["1x2", "2x1"]\n'
    show_plan(make_console(), plan(tmp_path, build_root, text), 40.0)
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows[0][:3] == ["benchmark", "runtime", "grid"]
    grids = [row[2] for row in rows if row and row[0] in ("lu", "qr")]
    assert sorted(grids) == ["1x2", "1x2", "2x1", "2x1", "–", "–"]


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        (f'{GRID}grid = "2x1"\n', 7, "2x1 are 2 ranks, which a launcher has to start"),
        (f'launcher = "nice"\n{GRID}grid = "2x1"\n', 8, "2 ranks, which a launcher has to start"),
        (f'{LAUNCHER}{GRID}grid = "2y1"\n', 8, '"2y1" is not a grid of ranks; one is PxQ'),
        (f'{LAUNCHER}{GRID}grid = "0x1"\n', 8, '"0x1" is not a grid of ranks'),
        (f"{LAUNCHER}{GRID}grid = 4\n", 8, "4 is not a grid of ranks"),
        (f"{LAUNCHER}{GRID}grid = []\n", 8, "an empty list leaves nothing to run"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    tmp_path: Path, build_root: Path, text: str, line: int, why: str
) -> None:
    with pytest.raises(BadUsageError) as caught:
        plan(tmp_path, build_root, text)
    (message,) = caught.value.format_message().splitlines()
    assert f"trial.toml:{line}: " in message and why in message


def test_a_record_of_another_grid_is_not_of_the_run(tmp_path: Path, build_root: Path) -> None:
    (c, *_) = plan(tmp_path, build_root, f'{LAUNCHER}{GRID}grid = "1x2"\n').configurations
    record = {
        **{"benchmark": c.benchmark, "variant": c.variant, "kernels": c.kernels, "threads": 1},
        **{"size": {"name": c.size_name, "value": 64}, "m": 64, "n": 64, "parameters": {}},
        **{"quantities": {"gflops": {"value": 1.0}}, "unknown": {}},
    }
    assert is_asked_for(record | {"mpi": {"grid": "1x2"}}, c)
    assert not is_asked_for(record | {"mpi": {"grid": "2x1"}}, c)
    assert not is_asked_for(record, c)


def test_a_grid_of_benchmarks_without_ranks_is_refused(tmp_path: Path, build_root: Path) -> None:
    text = LAUNCHER + GRID.replace('"lu"', '"qr"') + 'grid = "1x2"\n'
    with pytest.raises(BadUsageError, match="qr is one process; leave it out"):
        plan(tmp_path, build_root, text)
