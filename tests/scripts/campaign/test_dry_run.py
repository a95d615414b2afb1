# SPDX-License-Identifier: BSD-3-Clause
"""`pollux run --dry-run`: what the plan shows, and when it refuses."""

import io
from pathlib import Path

import pytest
from campaign_files import plan
from pollux.core.campaign import dry_run
from pollux.core.campaign.dry_run import show_plan
from pollux.core.campaign.plan import Plan
from pollux.core.campaign.repetitions import FIRST
from pollux.core.errors import MachineError
from rich.console import Console


@pytest.fixture(autouse=True)
def variants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_VARIANTS", "seq,depend,unavailable")


def shown(made: Plan) -> str:
    console = Console(file=io.StringIO(), width=160)
    assert show_plan(console, made, 40.0) == 0
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_few_configurations_are_shown_one_by_one(tmp_path: Path, build_root: Path) -> None:
    text = shown(plan(tmp_path, build_root, "processes = 5\n[grid]\nsize = 512\n"))
    rows = [line for line in text.splitlines() if line.startswith(("cholesky ", "lu", "qr "))]
    assert len(rows) == 16
    assert "16 configurations in 8 cells × 5 processes: 80 runs\n" in text
    assert "time: about " in text
    assert "estimated from 40 GFlop/s of one core's dgemm" in text
    assert "not run: lu unavailable on libgomp: needs a newer compiler\n" in text


def test_many_configurations_are_shown_by_axis(tmp_path: Path, build_root: Path) -> None:
    text = shown(plan(tmp_path, build_root, 'processes = 12\n[grid]\nsize = "64:512:64"\n'))
    rows = [line for line in text.splitlines() if line.startswith(("cholesky ", "lu", "qr "))]
    assert [row.split()[:3] for row in rows[:2]] == [
        ["cholesky", "seq", "16"],
        ["cholesky", "depend", "16"],
    ]
    assert "N: 64, 128, 192, 256, 320, 384, 448, 512\n" in text
    assert "128 configurations in 64 cells × 12 processes: 1536 runs" in text


def test_where_repetitions_are_chosen_a_round_is_forecast_with_those_of_the_first(
    tmp_path: Path, build_root: Path
) -> None:
    decided = 'until_decided = "3%"\nwarmup = 1\n{}[grid]\nbenchmark = "lu"\nsize = 512\n'

    def seconds(stated: str) -> list[float]:
        return dry_run.estimates(plan(tmp_path, build_root, decided.format(stated)), 40.0)

    assert seconds("") == seconds(f"repetitions = {FIRST}\n") != seconds("repetitions = 1\n")
    decided = decided.replace("512", "4096")  # whose repetitions are long
    assert seconds("") == seconds("repetitions = 1\n")


@pytest.mark.parametrize(("budget", "is_short"), [("1us", True), ("1h", False)])
def test_a_budget_that_is_shorter_than_a_round_is_told(
    budget: str, is_short: bool, tmp_path: Path, build_root: Path
) -> None:
    text = f'until_decided = "3%"\nbudget = "{budget}"\n[grid]\nsize = 512\n'
    short = ", too long for a sample of each configuration; the longest run"
    assert (short in shown(plan(tmp_path, build_root, text))) is is_short


@pytest.mark.parametrize(
    ("by", "end"), [("runtime", "runs\n"), ("tile", "runs; nothing is compared\n")]
)
def test_a_plan_that_compares_nothing_says_so(
    by: str, end: str, tmp_path: Path, build_root: Path
) -> None:
    text = f'by = "{by}"\nprocesses = 5\n[grid]\nsize = 512\ntile = 64\n'
    assert f" × 5 processes: 80 {end}" in shown(plan(tmp_path, build_root, text))


def test_the_largest_order_is_refused_in_a_line(tmp_path: Path, build_root: Path) -> None:
    text = '[grid]\nbenchmark = "lu"\nsize = 2147483647\ntile = 1\n'
    console = Console(file=io.StringIO())
    with pytest.raises(MachineError, match=r"are needed by lu .*; a smaller --size or") as caught:
        show_plan(console, plan(tmp_path, build_root, text), 10.0)
    assert "\n" not in caught.value.format_message()
    assert isinstance(console.file, io.StringIO) and console.file.getvalue() == ""


def test_what_does_not_fit_into_memory_is_named_with_what_would(
    tmp_path: Path, build_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dry_run, "memory_available", lambda: 2**30)
    text = '[grid]\nbenchmark = "lu"\nruntime = "libgomp"\nsize = [512, 1024, 16384]\n'
    with pytest.raises(MachineError) as caught:
        shown(plan(tmp_path, build_root, text))
    message = caught.value.format_message()
    assert caught.value.exit_code == 3
    assert "\n" not in message
    assert message.startswith("1 GiB of memory are available, up to ")
    assert "lu seq on libgomp, N = 16384; lu depend on libgomp, N = 16384; " in message
    assert message.endswith("--size 512,1024 leaves those that fit")


def test_a_graph_that_may_not_fit_is_a_warning(
    tmp_path: Path, build_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dry_run, "memory_available", lambda: 2**31)
    text = '[grid]\nbenchmark = "lu"\nvariant = "depend"\nsize = 4096\ntile = 32\n'
    lines = shown(plan(tmp_path, build_root, text)).splitlines()
    warnings = [line for line in lines if line.startswith("warning: ")]
    assert len(warnings) == 1
    assert "lu depend on libomp, N = 4096, NB = 32; larger tiles make fewer tasks" in warnings[0]
    assert "libgomp" not in warnings[0]


def test_where_tables_pair_sizes_with_tiles_an_exclude_is_the_remedy(
    tmp_path: Path, build_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dry_run, "memory_available", lambda: 2**30)
    text = (
        '[grid]\nbenchmark = "lu"\nsize = 512\ntile = 64\n[[include]]\nsize = 16384\ntile = 128\n'
    )
    with pytest.raises(MachineError, match=r"an \[\[exclude\]\] with size = \[16384\] in the file"):
        shown(plan(tmp_path, build_root, text))
