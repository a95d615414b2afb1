# SPDX-License-Identifier: BSD-3-Clause
"""What pollux knows about benchmarks comes from their executables alone."""

import sys
from pathlib import Path

import pytest
from listings import BENCHMARKS, write_names
from pollux.core.errors import BadUsageError, MachineError
from pollux.core.executables.benchmarks import benchmarks_of
from pollux.core.tiles import Tile
from project import FAKE, write_script


@pytest.fixture(autouse=True)
def variants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_VARIANTS", "seq,depend")
    monkeypatch.setenv("FAKE_VARIANTS_LU_CW", "cw")


def test_properties_are_those_that_the_executables_state(build_root: Path) -> None:
    known = benchmarks_of(build_root)
    assert known.names == ["cholesky", "lu", "lu-cw", "qr"]
    assert known.having("rows", known.names) == ["lu", "lu-cw", "qr"]
    assert known.having("inner", known.names) == ["qr"]
    assert known.listing("lu-cw").default_variant == "cw"


def test_a_new_benchmark_is_known_as_soon_as_a_build_lists_it(build_root: Path) -> None:
    folder = build_root / "libomp" / "bin"
    write_names(folder, [*BENCHMARKS, "gauss"])
    write_script(folder / "gauss", f'exec "{sys.executable}" "{FAKE}" gauss libomp "$@"')
    known = benchmarks_of(build_root)
    assert "gauss" in known.names
    assert known.listing("gauss").algorithm == "gauss"


def test_a_variant_is_looked_for_in_all_benchmarks_of_an_algorithm(build_root: Path) -> None:
    known = benchmarks_of(build_root)
    assert known.holder("lu", "cw") == "lu-cw"
    assert known.holder("lu", "depend") == "lu"
    assert known.holder("lu-cw", "cw") == "lu-cw"
    assert known.holder("qr", "cw") == "qr"


def test_a_build_that_does_not_start_gives_way_to_the_next(build_root: Path) -> None:
    write_script(build_root / "libgomp" / "bin" / "lu", "exit 3")
    assert benchmarks_of(build_root).listing("lu").algorithm == "lu"
    write_script(build_root / "libomp" / "bin" / "lu", "exit 3")
    with pytest.raises(MachineError, match="exit status 3"):
        benchmarks_of(build_root).listing("lu")


def test_unknown_names_are_answered_with_the_known_ones(build_root: Path, tmp_path: Path) -> None:
    with pytest.raises(BadUsageError, match="unknown benchmark 'svd'; choose from cholesky, lu"):
        benchmarks_of(build_root).check(["svd"])
    with pytest.raises(BadUsageError, match="nothing is built in"):
        benchmarks_of(tmp_path / "none").check(["lu"])


def test_the_fastest_tile_is_that_of_the_executable_s_table(build_root: Path) -> None:
    known = benchmarks_of(build_root)
    assert known.tile("fastest", "lu", 512, 512, "openblas") == Tile(256, 64)
    assert known.tile(Tile.square(96), "lu", 512, 512, "openblas") == Tile.square(96)
