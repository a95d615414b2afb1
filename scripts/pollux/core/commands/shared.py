# SPDX-License-Identifier: BSD-3-Clause
"""Options that several commands have, each with its type and its help."""

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from pollux.core.commands.options import NARROWEST, WIDEST, Undecided, files, option, options, share
from pollux.core.paths import real_path

BUILD_ROOT = partial(
    option,
    "--build-root",
    "A prefix, or a folder of builds; default: the places that pollux builds lists.",
    show_default=False,
)

By = Annotated[
    str | None,
    option(
        "--by",
        "What to compare: runtime, variant, kernels, environment, threads, tile, or another axis "
        "of campaigns such as turbo; default: what the campaign compares.",
    ),
]
Reference = Annotated[
    str | None,
    option("--reference", "Reference level; default: the campaign's."),
]
SourceOption = Annotated[
    str | None,
    option(
        "--source",
        "Energy of: counters (default), package, memory, or the name of a meter.",
    ),
]
Meters = Annotated[
    list[Path] | None,
    files("--meter", "A meter's description (TOML), or a timeline of pollux power."),
]
Gate = Annotated[
    float | None,
    typer.Option(
        "--fail-if-slower",
        parser=share,
        metavar="SHARE",
        help="End with PASSED, FAILED (status 1: slower by more than this) or UNDECIDED (4).",
    ),
]
UndecidedOption = Annotated[
    Undecided | None,
    typer.Option("--undecided", help="What an undecided gate counts as, instead of status 4."),
]
UnverifiedOption = Annotated[
    Undecided | None,
    typer.Option(
        "--unverified",
        help="What the gate makes of results that were not verified, or whose digests were not "
        "compared, instead of status 4.",
    ),
]
BuildRoot = Annotated[Path, BUILD_ROOT(callback=real_path)]
BuildRootAsGiven = Annotated[Path | None, BUILD_ROOT()]
GraphVariants = Annotated[
    list[str] | None,
    options(
        "--variant",
        "Task graphs, or all; default: the benchmark's, or its first with a task graph.",
    ),
]
Size = Annotated[int, option("--size", "Matrix order N.")]
SizeOfRun = Annotated[
    int | None, option("--size", "Matrix order N; default: the benchmark's own, mostly 2048.")
]
Rows = Annotated[int | None, option("--rows", "Rows M, else N.")]
TileOfRun = Annotated[
    str, option("--tile", "Tile size NB, MBxNB, fastest, or default: that of a run of this size.")
]
Inner = Annotated[int, option("--inner", "Inner block IB, for qr.")]
Parameters = Annotated[
    list[str] | None,
    options("--parameters", "Of the benchmark, such as sweeps=8; default: its standard values."),
]
Width = Annotated[
    float, option("--width", "7 for a page, 3.4 for one of two columns.", min=NARROWEST, max=WIDEST)
]
TableOrJson = Annotated[
    Literal["table", "json"], typer.Option("--format", help="Format on standard output.")
]
AtomicOutput = Annotated[Path | None, option("--output", "Output file, written atomically.")]
