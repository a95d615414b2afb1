# SPDX-License-Identifier: BSD-3-Clause
"""`pollux tune --table`: rows of defaults from tuning results; nothing is run."""

from pathlib import Path
from typing import Any

import pytest
import typer
from pollux.core.campaign.tuned import Entry, Host, Point, store
from pollux.core.errors import BadUsageError
from pollux.machine.commands.tune import tune
from pollux.machine.tuning.table import table_text

HERE = Host(cpu="a processor, cpu family 25", cores=2, processors=4)


def point(tile: tuple[int, int], ratio: float | None, **changes: Any) -> Point:  # noqa: ANN401
    mb, nb = tile
    fields = {"gflops": 50.0, "runs": 6, "low": None, "high": None}
    return Point(mb=mb, nb=nb, ratio=ratio, **({"ib": None} | fields | changes))


def entry(n: int, best: tuple[int, int], *points: Point, **changes: Any) -> Entry:  # noqa: ANN401
    values: dict[str, Any] = {
        "host": HERE,
        **{"benchmark": "lu", "variant": "depend", "n": n, "threads": 2, "threads_asked": None},
        **{"runtime": "libomp", "runtime_name": "libomp", "runtime_version": "19"},
        **{"runtime_build_id": "ab", "blas_version": "0.3.21", "blas_core": "Cooperlake"},
        **{"kernels": "tuned", "parameters": {}},
        **{"mb": best[0], "nb": best[1], "ib": None, "gflops": 50.0, "low": None, "high": None},
        **{"points": [*points], "runs": 100, "seconds": 30.0, "method": "a search"},
        "date": "2026-01-02T03:04:05+00:00",
    }
    return Entry(**(values | changes))


def rows(path: Path) -> list[str]:
    return [line.strip() for line in table_text(path, "zen4").splitlines()]


def test_ranges_meet_between_the_sizes_and_the_last_has_no_end(tmp_path: Path) -> None:
    path = tmp_path / "tuned.json"
    store(path, [entry(1024, (512, 128)), entry(4096, (4096, 256))])
    comment, *found = rows(path)
    assert comment == (
        "/* tuned kernels, a processor, cpu family 25, 2 cores: libomp 19; OpenBLAS for "
        "Cooperlake; 2 threads; 2026-01-02 */"
    )
    assert found == [
        "/* tall_rows */",
        '{"zen4", TUNED, "lu", 2048, 4, 128, 0},',
        '{"zen4", TUNED, "lu", MORE, WHOLE, 256, 0},',
    ]


def test_neighbours_with_the_same_tile_are_one_row(tmp_path: Path) -> None:
    path = tmp_path / "tuned.json"
    same = [entry(n, (n, 128), ib=None) for n in (1024, 2048, 4096)]
    store(path, [*same, entry(8192, (8192, 256))])
    assert rows(path)[2:] == [
        '{"zen4", TUNED, "lu", 5793, WHOLE, 128, 0},',
        '{"zen4", TUNED, "lu", MORE, WHOLE, 256, 0},',
    ]


def test_the_tile_that_loses_least_on_all_runtimes_is_the_default(tmp_path: Path) -> None:
    """Each runtime's own best is bad for the other."""
    path = tmp_path / "tuned.json"
    a, b, both = (2048, 64), (512, 512), (1024, 128)
    failed = point((128, 128), 1.5, problem="crash")
    first = [point(a, 1.0), point(b, 0.7), point(both, 0.95), failed, point((256, 256), 0.99)]
    second = [point(a, 0.7), point(b, 1.0), point(both, 0.96), failed]
    store(path, [entry(2048, a, *first), entry(2048, b, *second, runtime_name="libgomp")])
    assert rows(path)[-1] == '{"zen4", TUNED, "lu", MORE, 8, 128, 0},'


def test_what_was_dropped_early_with_a_lucky_estimate_is_no_default(tmp_path: Path) -> None:
    path = tmp_path / "tuned.json"
    points = [point((64, 64), 1.2, runs=3), point((512, 128), 1.0)]
    store(path, [entry(2048, (512, 128), *points)])
    assert rows(path)[-1] == '{"zen4", TUNED, "lu", MORE, 4, 128, 0},'


def test_inner_blocks_are_part_of_a_row(tmp_path: Path) -> None:
    path = tmp_path / "tuned.json"
    best = point((256, 256), 1.0, ib=64)
    store(path, [entry(2048, (256, 256), best, benchmark="qr", ib=64)])
    assert rows(path)[1:] == ["/* square_rows */", '{"zen4", TUNED, "qr", MORE, 1, 256, 64},']


def test_square_tiles_have_a_table_of_their_own(tmp_path: Path) -> None:
    """The fastest square tile is the default even where a tall one is faster."""
    path = tmp_path / "tuned.json"
    tall, square, slow = (4096, 128), (256, 256), (64, 64)
    points = [point(tall, 1.0), point(square, 0.9), point(slow, 0.5)]
    store(path, [entry(4096, tall, *points, kernels="openblas")])
    assert rows(path)[1:] == [
        "/* square_rows */",
        '{"zen4", OPENBLAS, "lu", MORE, 1, 256, 0},',
        "/* tall_rows */",
        '{"zen4", OPENBLAS, "lu", MORE, WHOLE, 128, 0},',
    ]


def test_a_square_tile_of_the_whole_matrix_stays_square_at_larger_sizes(tmp_path: Path) -> None:
    path = tmp_path / "tuned.json"
    points = [point((4096, 128), 1.0), point((128, 128), 0.9)]
    store(path, [entry(512, (512, 512)), entry(4096, (4096, 128), *points)])
    assert rows(path)[1:] == [
        "/* square_rows */",
        '{"zen4", TUNED, "lu", 1448, 1, 512, 0},',
        '{"zen4", TUNED, "lu", MORE, 1, 128, 0},',
        "/* tall_rows */",
        '{"zen4", TUNED, "lu", 1448, 1, 512, 0},',
        '{"zen4", TUNED, "lu", MORE, WHOLE, 128, 0},',
    ]


def test_tall_rows_cover_every_size_where_one_is_tall(tmp_path: Path) -> None:
    """Else the row of a large N would be taken for the small one too."""
    path = tmp_path / "tuned.json"
    small = entry(1024, (64, 64), point((64, 64), 1.0))
    store(path, [small, entry(4096, (4096, 128), point((4096, 128), 1.0))])
    assert rows(path)[1:] == [
        "/* square_rows */",
        '{"zen4", TUNED, "lu", MORE, 1, 64, 0},',
        "/* tall_rows */",
        '{"zen4", TUNED, "lu", 2048, 1, 64, 0},',
        '{"zen4", TUNED, "lu", MORE, WHOLE, 128, 0},',
    ]


def test_other_processors_are_blocks_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "tuned.json"
    other = Host(cpu="another", cores=8, processors=8)
    store(path, [entry(2048, (64, 64)), entry(2048, (128, 128), host=other)])
    assert [line[:2] for line in rows(path)] == ["/*", "/*", '{"'] * 2


def test_nothing_tuned_is_an_error_of_one_line(tmp_path: Path) -> None:
    with pytest.raises(BadUsageError, match="nothing was tuned yet"):
        table_text(tmp_path / "tuned.json", "zen4")


def test_kernels_without_a_place_in_the_table_are_an_error_of_one_line(tmp_path: Path) -> None:
    path = tmp_path / "tuned.json"
    store(path, [entry(2048, (128, 128)), entry(2048, (64, 64), kernels="blis")])
    with pytest.raises(BadUsageError, match="has tiles for blis kernels"):
        table_text(path, "zen4")


def test_the_command_prints_the_table_and_runs_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "tuned.json"
    store(path, [entry(2048, (64, 64))])
    app = typer.Typer(rich_markup_mode=None)
    app.command()(tune)
    arguments = ["--table", "zen4", "--output", str(path)]
    assert app(arguments, standalone_mode=False) == 0
    assert capsys.readouterr().out == table_text(path, "zen4")
    assert [*tmp_path.iterdir()] == [path, *tmp_path.glob(".tuned.json.lock")]
    for option, value in (("--size", "2048"), ("--build-root", str(tmp_path))):
        with pytest.raises(BadUsageError, match=f"{option} has no effect beside --table"):
            app([*arguments, option, value], standalone_mode=False)
