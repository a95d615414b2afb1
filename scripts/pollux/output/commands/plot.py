# SPDX-License-Identifier: BSD-3-Clause
"""`pollux plot`: figures for papers from the records of campaigns."""

import gc
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from pollux.core.commands.compare import name_unreadable
from pollux.core.commands.options import items, numbers, option, options
from pollux.core.commands.shared import Meters, SourceOption, Width
from pollux.core.errors import BadUsageError


class Format(StrEnum):
    """A format of figures."""

    SVG = "svg"
    PDF = "pdf"
    PNG = "png"


class Kind(StrEnum):
    """A kind of figure."""

    RATIOS = "ratios"
    RUNTIMES = "runtimes"
    TILE = "tile"
    SIZE = "size"
    THREADS = "threads"
    ENERGY = "energy"
    PARETO = "pareto"
    JOULES = "joules"
    CORRELATION = "correlation"
    POWER = "power"
    TERMS = "terms"
    OVERHEADS = "overheads"
    COSTS = "costs"
    GRANULARITY = "granularity"
    CLOMP = "clomp"
    REGIONS = "regions"
    ALL = "all"


Files = Annotated[
    list[Path] | None,
    typer.Argument(metavar="FILE", help="Records of campaigns; default: the last campaign."),
]
Kinds = Annotated[
    list[Kind] | None,
    option(
        "--kind",
        "Figure to draw; repeatable; all: each that there is data for; default: ratios and terms.",
        metavar="|".join(Kind),
    ),
]
Formats = Annotated[
    list[Format] | None,
    typer.Option("--format", metavar="|".join(Format), help="Repeatable; default: svg."),
]
Output = Annotated[
    Path | None,
    option("--output", "Folder; default: NAME-plots next to the records.", metavar="FOLDER"),
]
Reference = Annotated[
    str | None, option("--reference", "Runtime to compare with; default: the campaign's.")
]
Benchmarks = Annotated[list[str] | None, options("--benchmark", "Draw only these.")]
Variants = Annotated[list[str] | None, options("--variant", "Draw only these.")]
KernelSets = Annotated[list[str] | None, options("--kernels", "Draw only these.")]
Runtimes = Annotated[list[str] | None, options("--runtime", "Draw only these.")]
Orders = Annotated[list[str] | None, options("--size", "Draw only these.")]
Tiles = Annotated[list[str] | None, options("--tile", "Draw only these, NB or MBxNB.")]
Threads = Annotated[list[str] | None, options("--threads", "Draw only these.")]


def plot(  # noqa: PLR0913 (one parameter per option)
    files: Files = None,
    *,
    kind: Kinds = None,
    format_: Formats = None,
    output: Output = None,
    reference: Reference = None,
    source: SourceOption = None,
    meter: Meters = None,
    width: Width = 7.0,
    benchmark: Benchmarks = None,
    variant: Variants = None,
    kernels: KernelSets = None,
    runtime: Runtimes = None,
    size: Orders = None,
    tile: Tiles = None,
    threads: Threads = None,
) -> int:
    """Draw the records of campaigns: speed by runtime, and over NB, N and threads; energy.

    By default: the ratio to the reference of each configuration, with the interval and verdict of
    pollux compare, and the mean over all of them (ratios). Of speeds, by runtime (runtimes), and
    over NB, N and threads (tile, size, threads).
    Bars and curves are medians with their 95 % bootstrap intervals; each sample is a point. The
    options that choose what is drawn do not affect the statistics, which use all records.
    Where energy is known: bars of packages and memory (energy), energy over speed (pareto), joules
    relative to the reference (joules), correlations with levers (correlation), and the runs over
    time with the machine's power below (power). Of micro-benchmarks: each quantity by runtime or
    version (terms), also by default; times over threads, items and other numbers (overheads), and
    by variant (costs); efficiency over the granularity of tasks
    (granularity); the speed-up of CLOMP's schedules (clomp); nested regions over their inner
    threads, and maps of outer by inner ones (regions).

    Example: pollux plot results/nightly.jsonl --kind tile --benchmark lu --format pdf
    """
    from pollux.core.analysis.comparison import compare
    from pollux.core.analysis.files import files_or_last
    from pollux.core.analysis.loading import load
    from pollux.core.campaign.number_lists import parse_tiles
    from pollux.core.commands.measure import energy_points, inputs
    from pollux.core.console import echo
    from pollux.output.figures.entries import Filter
    from pollux.output.figures.kinds import drawable, plans_for
    from pollux.output.figures.save import check_files, free_name, make_folder, save
    from pollux.output.figures.selection import Request

    paths = files_or_last(files)
    folder = folder_of(output, paths)
    read = inputs(paths, meter)
    dataset = load(paths)
    result = compare(dataset, reference=reference)
    points = energy_points(dataset, source, meter or [], reference=reference)
    name_unreadable(result.dataset)
    gc.freeze()  # else each collection while drawing goes through all samples again
    wanted = Filter(
        items(benchmark),
        items(variant),
        numbers(size, "--size"),
        [one for text in tile or [] for one in parse_tiles(text, "--tile")],
        numbers(threads, "--threads"),
        items(runtime),
        items(kernels),
    )
    request = Request(result, wanted, width, points)
    plans = plans_for(request, [str(k) for k in kind or ()])
    make_folder(folder)
    formats = list(dict.fromkeys(str(f) for f in format_ or (Format.SVG,)))
    names: set[str] = set()
    places = [[folder / free_name(name, names) for name, _ in plan.pages] for plan in plans]
    check_files(chain(*places), formats, read)
    for plan, own in zip(plans, places, strict=True):
        for figure, place in zip(plan.figures(), own, strict=True):
            for path in save(figure, place, formats):
                echo(path)
    for line in points.cautions if points else ():
        echo(f"pollux: warning: {line}", to_stderr=True)
    for plan in plans:
        if plan.left_out:
            echo(plan.left_out, to_stderr=True)
    if not kind:
        kinds = drawable(request)
        echo(f"--kind draws what there is data for: {', '.join(kinds)}; or all", to_stderr=True)
    return 0


def folder_of(output: Path | None, paths: list[Path]) -> Path:
    """Where the figures go: there are several, so that a picture's name is a mistake."""
    if output is None:
        return beside(paths)
    if output.suffix[1:] in set(Format) and not output.is_dir():
        raise BadUsageError(
            f"--output {output}: figures are written into a folder, each under its own name; "
            f"--output {output.with_suffix('')} --format {output.suffix[1:]} does so"
        )
    return output


def beside(paths: list[Path]) -> Path:
    """The folder for figures of these records."""
    first = paths[0]
    more = f"-and-{len(paths) - 1}-more" if len(paths) > 1 else ""
    return first.parent / f"{first.stem}{more}-plots"
