# SPDX-License-Identifier: BSD-3-Clause
"""Kernel sets in comparisons: cells of their own, an axis and a column."""

from pathlib import Path

import pytest
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.dataset import Dataset
from pollux.core.analysis.filters import narrow
from pollux.core.analysis.loading import load
from pollux.core.commands.compare_grid import make_grid
from pollux.core.errors import BadUsageError
from run_record import Cell, record, with_speed
from synthetic import append

CELL: Cell = ("cholesky", "depend", 2048, 192)


@pytest.fixture
def both(tmp_path: Path) -> Dataset:
    """Records of two runtimes with both sets, whose factors differ."""
    path = tmp_path / "both.jsonl"
    for seed in range(8):
        for runtime, speed in {"libgomp": 50.0, "libomp": 60.0}.items():
            plain = record(CELL, runtime, seed, speed + seed / 100)
            changes = {"kernels": "tuned", "digest": plain["digest"][::-1], "gflops": 2 * speed}
            append(path, plain)
            append(path, with_speed(plain | changes))
    return load([path])


def test_runtimes_are_compared_within_a_set(both: Dataset) -> None:
    result = compare(both)
    assert {(row.configuration.kernels, row.level) for row in result.rows} == {
        (kernels, runtime) for kernels in ("openblas", "tuned") for runtime in ("libgomp", "libomp")
    }
    assert len({row.cell for row in result.rows}) == 2
    ratios = [row.comparison.ratio for row in result.rows if row.level == "libomp"]
    assert [round(ratio.estimate, 2) for ratio in ratios if ratio] == [1.2, 1.2]
    assert result.disagreements == []
    assert not any("kernels" in remark for row in result.rows for remark in row.remarks)


def test_sets_can_be_compared_with_each_other(both: Dataset) -> None:
    result = compare(both, by="kernels")
    assert result.reference == "openblas"
    ratios = [row.comparison.ratio for row in result.rows if row.level == "tuned"]
    assert [round(ratio.estimate, 1) for ratio in ratios if ratio] == [2.0, 2.0]
    assert result.disagreements == []


def test_a_table_has_a_column_of_them_where_there_are_several(both: Dataset) -> None:
    grid = make_grid(compare(both))
    column = grid.head.index("kernels")
    assert [row[column] for row in grid.body] == ["openblas", "openblas", "tuned", "tuned"]
    one = make_grid(compare(narrow(both, {"kernels": ["tuned"]})))
    assert "kernels" not in one.head
    assert "tuned kernels" in one.caption


def test_a_set_that_no_record_has_is_named(both: Dataset) -> None:
    with pytest.raises(BadUsageError, match=r"--kernels mine: .*: openblas, tuned"):
        narrow(both, {"kernels": ["mine"]})
