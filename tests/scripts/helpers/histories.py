# SPDX-License-Identifier: BSD-3-Clause
"""Makes folders of nights whose truth is known, and watches them."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pollux.core.cli import app
from pollux.nights.watching.changes import Floats
from run_record import Cell
from synthetic import write_campaign
from typer.testing import CliRunner, Result

CELLS = (("cholesky", "depend", 2048, 192), ("lu", "depend", 2048, 192))
Speeds = Mapping[str, float]


def write_nights(
    folder: Path,
    nights: int,
    speeds: Callable[[int], Speeds],
    cells: Sequence[Cell] = CELLS,
    noise: float = 0.01,
) -> Path:
    """A file for each night; `speeds` has those of the runtimes by night."""
    folder.mkdir(exist_ok=True)
    for night in range(nights):
        path = folder / name_of(night)
        write_campaign(path, speeds(night), cells, rounds=8, noise=noise, seed=night + 1)
    return folder


def name_of(night: int) -> str:
    return f"2026-{1 + night // 28:02}-{1 + night % 28:02}.jsonl"


def replace_in(path: Path, old: str, new: str) -> None:
    """Change a night's file; what is replaced is there."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def watch(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["watch", *map(str, arguments)], standalone_mode=False)


def series(folder: Path) -> dict[str, Any]:
    """What is found of each series, by its label."""
    result = watch(folder, "--format", "json")
    assert result.exception is None, result.exception
    return {own["label"]: own for own in json.loads(result.stdout)["series"]}


def quiet(nights: int, series: int, seed: int, deviation: float = 0.01) -> Floats:
    """Values of series, by night, without any change."""
    return np.random.default_rng(seed).normal(0, deviation, (series, nights))
