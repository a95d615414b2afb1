# SPDX-License-Identifier: BSD-3-Clause
"""Makes folders of nights whose truth is known."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from pollux.nights.watching.changes import Floats
from run_record import Cell
from synthetic import write_campaign

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


def quiet(nights: int, series: int, seed: int, deviation: float = 0.01) -> Floats:
    """Values of series, by night, without any change."""
    return np.random.default_rng(seed).normal(0, deviation, (series, nights))
