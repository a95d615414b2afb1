# SPDX-License-Identifier: BSD-3-Clause
"""Campaigns that the tests of figures draw, and `pollux plot` on them."""

from collections.abc import Sequence
from pathlib import Path

import typer
from matplotlib.figure import Figure
from pollux.core.analysis.result import Result
from pollux.output.commands.plot import plot
from pollux.output.figures.bars import plan_runtimes
from pollux.output.figures.curves import SIZE, TILE, plan_curves
from pollux.output.figures.efficiency import plan_threads
from pollux.output.figures.selection import Request
from pollux.output.figures.style import PAGE_WIDTH
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


def runtimes_figures(result: Result, width: float = PAGE_WIDTH) -> list[Figure]:
    """Bars of GFlop/s by runtime, grouped by variant; labelled with names as for files."""
    return list(plan_runtimes(Request(result, width=width)).figures())


def tile_figures(result: Result, width: float = PAGE_WIDTH) -> list[Figure]:
    """GFlop/s over NB; none if there is only one NB."""
    return list(plan_curves(TILE, Request(result, width=width)).figures())


def size_figures(result: Result, width: float = PAGE_WIDTH) -> list[Figure]:
    """GFlop/s over N; none if there is only one N."""
    return list(plan_curves(SIZE, Request(result, width=width)).figures())


def threads_figures(result: Result, width: float = PAGE_WIDTH) -> list[Figure]:
    """GFlop/s and efficiency over threads; none if there is only one number of threads."""
    return list(plan_threads(Request(result, width=width)).figures())


def caption(figure: Figure) -> str:
    """The lines below the panels, as one."""
    return " ".join(figure.texts[-1].get_text().replace("\N{NO-BREAK SPACE}", " ").split())
