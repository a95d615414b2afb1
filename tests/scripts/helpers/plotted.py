# SPDX-License-Identifier: BSD-3-Clause
"""Campaigns that the tests of figures draw, and `pollux plot` on them."""

from collections.abc import Sequence
from pathlib import Path

import typer
from pollux.output.commands.plot import plot
from synthetic import write_campaign

RUNTIMES = {"libgomp": 1.0, "libomp": 1.2, "libx": 1.001}


def grid(
    variants: str = "depend", sizes: Sequence[int] = (2048,), tiles: Sequence[int] = (192,)
) -> list[tuple[str, str, int, int]]:
    return [("lu", variant, n, nb) for variant in variants.split() for n in sizes for nb in tiles]


def write_small(path: Path) -> Path:
    """Three runtimes, two variants, one size, one tile."""
    write_campaign(path, RUNTIMES, grid("seq depend"), rounds=12)
    return path


def write_tiles(path: Path) -> Path:
    """Two runtimes, two variants, two sizes, three tiles."""
    cells = grid("seq depend", (1024, 2048), (64, 128, 192))
    write_campaign(path, {"libgomp": 1.0, "libomp": 1.2}, cells, rounds=8)
    return path


def run_plot(*arguments: object) -> int:
    """`pollux plot` as the command line calls it."""
    app = typer.Typer(rich_markup_mode=None)
    app.command()(plot)
    return int(app([str(argument) for argument in arguments], standalone_mode=False))
