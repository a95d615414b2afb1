# SPDX-License-Identifier: BSD-3-Clause
"""`pollux energy`: the best configurations by speed and energy, and what the levers do to both."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pollux.core.commands.options import items, options
from pollux.core.commands.shared import AtomicOutput, Meters, SourceOption
from pollux.core.console import deliver, echo
from pollux.core.errors import BadUsageError

if TYPE_CHECKING:
    from pollux.energy.analysis.points import Points


Files = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="FILE",
        help="Records of campaigns, or a table of results (CSV); default: the last campaign.",
    ),
]
Runs = Annotated[
    bool,
    typer.Option("--runs", help="Correlate all runs instead of the means of configurations."),
]
Format = Annotated[Literal["table", "csv", "json"], typer.Option("--format", help="Output format.")]
Benchmarks = Annotated[list[str] | None, options("--benchmark", "Only these.")]
Runtimes = Annotated[list[str] | None, options("--runtime", "Only these.")]


def energy(  # noqa: PLR0913 (one parameter per option)
    files: Files = None,
    *,
    source: SourceOption = None,
    meter: Meters = None,
    runs: Runs = False,
    format_: Format = "table",
    output: AtomicOutput = None,
    benchmark: Benchmarks = None,
    runtime: Runtimes = None,
) -> int:
    """Show the best configurations by speed and by energy, and how levers correlate with both.

    First the best by performance, by packages and memory together, and by each of them, with the
    speed lost and the energy saved; then the Pareto front; then Pearson's r of each lever with
    speed and energy. Figures are means, and not tested: compare --metric energy does that.
    docs/energy.md describes all of it.

    Example: pollux energy campaigns/data/lima-2019-table-2.csv
    """
    from pollux.core.analysis.files import files_or_last
    from pollux.core.writing import check_outputs
    from pollux.energy.commands.energy_output import csv_text, json_text
    from pollux.energy.commands.energy_text import write_energy
    from pollux.energy.commands.measures import inputs

    if runs and format_ == "csv":
        raise BadUsageError("--runs is for correlations, which --format csv lacks")
    paths = files_or_last(files)
    check_outputs({"--output": output}, inputs(paths, meter))
    points = points_from(paths, source, meter, items(benchmark), items(runtime))
    if format_ == "table":
        deliver(partial(write_energy, points=points, of_runs=runs), output, PLAIN_WIDTH)
        return 0
    for line in points.cautions:
        echo(line, to_stderr=True)
    deliver(csv_text(points) if format_ == "csv" else json_text(points, of_runs=runs), output)
    return 0


PLAIN_WIDTH = 130


def points_from(
    files: list[Path],
    source: str | None,
    meters: list[Path] | None,
    benchmarks: list[str],
    runtimes: list[str],
) -> "Points":
    """The points of a table of results, or else of campaigns."""
    from dataclasses import replace

    from pollux.energy.analysis.results_table import read_results

    tables = [path for path in files if path.suffix.lower() == ".csv"]
    if not tables:
        return points_of_records(files, source, meters, benchmarks, runtimes)
    if len(files) > 1:
        raise BadUsageError(f"{tables[0]} is a table of results: no other file goes with it")
    if source is not None or meters:
        option = "--source" if source is not None else "--meter"
        raise BadUsageError(f"{tables[0]} is a table of results: {option} is for records")
    found = read_results(tables[0])
    kept = [
        point
        for point in found.points
        if (not benchmarks or point.benchmark in benchmarks)
        and (not runtimes or point.choices.get("runtime") in runtimes)
    ]
    if not kept:
        raise BadUsageError(f"{tables[0]}: no line has all of what was asked for")
    return replace(found, points=kept)


def points_of_records(
    files: list[Path],
    source: str | None,
    meters: list[Path] | None,
    benchmarks: list[str],
    runtimes: list[str],
) -> "Points":
    from pollux.core.analysis.filters import narrow
    from pollux.core.analysis.loading import load
    from pollux.energy.analysis.points import points_of
    from pollux.energy.analysis.sources import choose, sources_for
    from pollux.energy.commands.measures import beside

    dataset = load(files)
    sources = sources_for(dataset, meters or [], beside(dataset))
    chosen = choose(sources, source)
    dataset = narrow(dataset, {"benchmark": benchmarks, "runtime": runtimes})
    return points_of(dataset, sources, chosen)
