# SPDX-License-Identifier: BSD-3-Clause
"""Tests of what `pollux tune` says of the tile that it has found."""

import dataclasses
import json
import math
from pathlib import Path

import pytest
from pollux.core.analysis.loading import load
from pollux.core.campaign.lines import Configuration
from pollux.core.campaign.sampling import Taken
from pollux.core.campaign.tuned import read
from pollux.machine.tuning.candidates import WHOLE
from pollux.machine.tuning.session import tune_all
from tuning_runs import Simulate, found_in, good, journal_of, plan, speed


def test_the_best_at_an_end_of_the_range_is_reported(
    simulate: Simulate, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    simulate(good)
    tune_all(plan(tiles=[192, 256]), tmp_path / "tuned.json", None, as_json=False)
    assert "NB=192 is the smallest that was tried" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("ranges", "note"),
    [
        (
            ([192], [16, 64, 96]),
            "IB=96 is the largest that was tried: widen the range with --inner",
        ),
        (([192], [96, 384]), "IB=96 is the smallest that was tried"),
        (([192], [64, 96, 256]), ""),
        (([96], [32, 96]), ""),
        (([192], [96]), ""),
    ],
)
def test_the_best_inner_block_at_an_end_of_those_tried_is_reported(
    simulate: Simulate,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    ranges: tuple[list[int], list[int]],
    note: str,
) -> None:
    def take(c: Configuration, seed: int) -> Taken:
        assert c.inner is not None
        return good(c, seed, gflops=50.0 - abs(math.log(c.inner / 96)))

    simulate(take)
    (one,) = plan("libgomp").targets
    targets = [dataclasses.replace(one, benchmark="qr", inner_block=True)]
    how = plan(targets=targets, tiles=ranges[0], inner=ranges[1])
    tune_all(how, tmp_path / "tuned.json", None, as_json=False)
    out = capsys.readouterr().out
    assert "IB=96 is best" in out
    assert note in out
    assert ("with --inner" in out) == bool(note)


def test_a_smaller_tile_that_is_as_good_is_named(
    simulate: Simulate, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def take(c: Configuration, seed: int) -> Taken:
        assert c.tile is not None
        factor = 1 + 0.01 * ((seed + c.tile.nb // 32) % 3 - 1)
        return good(c, seed, gflops=50 * factor)

    simulate(take)
    path = tmp_path / "tuned.json"
    tune_all(plan("libgomp", tiles=[64, 96], rounds=12), path, None, as_json=False)
    entry = read(path).entries[0]
    smaller = "NB=64 is not distinguishable from NB=96"
    assert (smaller in capsys.readouterr().out) == (entry.nb == 96)
    (other,) = [p for p in entry.points if p.nb != entry.nb]
    assert (other.low or 2) <= 1 <= (other.high or 0)


def test_json_and_the_file_agree(
    simulate: Simulate, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    simulate(good)
    path = tmp_path / "tuned.json"
    tune_all(plan(), path, None, as_json=True)
    printed = json.loads(capsys.readouterr().out)
    assert [t["entry"] for t in printed] == [e.model_dump() for e in read(path).entries]


def test_tall_tiles_are_tried_stored_and_reported(
    simulate: Simulate, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def take(c: Configuration, seed: int) -> Taken:
        assert c.tile is not None
        assert c.arguments[c.arguments.index("--tile") + 1] == c.tile_asked == str(c.tile)
        return good(c, seed, gflops=speed(c) * (1.2 if c.tile.mb >= 2048 else 1.0))

    simulate(take)
    path = tmp_path / "tuned.json"
    heights = [1, 4, WHOLE]
    assert tune_all(plan(heights=heights), path, None, as_json=False) == 0
    assert found_in(path, "libgomp") == ("2112x192", None)
    assert "2112x192" in capsys.readouterr().out
    dataset = load([journal_of(tmp_path)])
    asked = {c.tile_asked for c in dataset.configurations.values()}
    assert {"128", "2112x192"} <= asked
    assert {str(i.tile) for own in dataset.identities.values() for i in own} == asked


def test_the_greatest_height_is_reported(
    simulate: Simulate, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    simulate(lambda c, seed: good(c, seed, gflops=float(c.tile.mb if c.tile else 0)))
    options = {"tiles": [64, 128], "heights": [1, 4]}
    tune_all(plan(**options), tmp_path / "tuned.json", None, as_json=False)
    out = capsys.readouterr().out
    assert "NB=512x128 has the greatest height tried: --heights takes greater ones" in out


def test_a_speed_below_one_keeps_its_digits(
    simulate: Simulate, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    simulate(lambda c, seed: good(c, seed, gflops=0.0123))
    tune_all(plan(tiles=[192]), tmp_path / "tuned.json", None, as_json=False)
    assert "NB=192 is best, 0.012" in capsys.readouterr().out
