# SPDX-License-Identifier: BSD-3-Clause
"""Tests that tiles of equal NB and another MB are distinguished wherever records are compared."""

from pathlib import Path
from typing import Any

import pytest
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.loading import load
from pollux.core.commands.compare_grid import make_grid
from pollux.core.commands.compare_output import row_fields
from run_record import Cell, record
from synthetic import append, write_campaign
from test_comparison import TWO, change_samples, made


@pytest.mark.parametrize("plain", [False, True])
def test_tiles_of_equal_nb_are_never_pooled(tmp_path: Path, plain: bool) -> None:
    """Whoever wrote the records, each tile has its own row, digests and figures."""
    tiles: tuple[int | str, ...] = (128, "512x128", "1024x128")
    cells: list[Cell] = [("lu", "depend", 2048, tile) for tile in tiles]
    path = tmp_path / "campaign.jsonl"
    if plain:
        for seed in range(6):
            for cell in cells:
                append(path, record(cell, "libgomp", seed, 50.0 + seed))
    else:
        write_campaign(path, TWO, cells)
    result = compare(load([path]))
    assert len({row.cell for row in result.rows}) == 3
    assert not result.disagreements
    pairs = [(row_fields(row, result)["mb"], row_fields(row, result)["nb"]) for row in result.rows]
    assert set(pairs) == {(128, 128), (512, 128), (1024, 128)}
    grid = make_grid(result)
    shown = {line[grid.head.index("tile")] for line in grid.body}
    assert shown == {"128", "512x128", "1024x128"}
    assert "NB" not in grid.head


def test_digests_of_one_tall_tile_are_compared(tmp_path: Path) -> None:
    path = made(tmp_path, TWO, [("lu", "depend", 2048, "512x128")])
    change_samples(path, lambda line: line["records"][0].update(digest=line["configuration"]))
    (disagreement, *_) = compare(load([path])).disagreements
    assert disagreement.tiling == "N=2048, NB=512x128"


def test_a_configuration_that_ran_with_two_heights_is_known_to_have(tmp_path: Path) -> None:
    path = made(tmp_path, TWO, [("lu", "depend", 2048, 128)], tile_asked="default")

    def heighten(line: dict[str, Any]) -> None:
        if line["round"] % 2:
            line["records"][0]["mb"] = 1024

    change_samples(path, heighten)
    identities = load([path]).identities.values()
    assert [{str(i.tile) for i in own} for own in identities] == [{"128", "1024x128"}] * 2
