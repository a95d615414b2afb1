# SPDX-License-Identifier: BSD-3-Clause
"""`pollux tune`: finds good tile sizes with few runs and keeps them for campaigns."""

from pathlib import Path
from typing import Annotated

import typer

from pollux.core.commands.options import (
    items,
    numbers,
    option,
    options,
    parameters_of,
    refuse_beside,
    refuse_inner,
)
from pollux.core.commands.shared import BuildRoot, GraphVariants, TableOrJson
from pollux.core.paths import BUILDS, RESULTS

FEWEST_ROUNDS = 6  # below that a median has no 95 % interval

Benchmarks = Annotated[
    list[str] | None, options("--benchmark", "Benchmarks to tune; default: all.")
]
KernelSets = Annotated[list[str], options("--kernels", "Kernel sets: openblas, tuned.")]
Sizes = Annotated[
    list[str] | None,
    options("--size", "Matrix orders N; default: each benchmark's own, mostly 2048."),
]
Threads = Annotated[
    int | None,
    option(
        "--threads",
        "Threads; default: OMP_NUM_THREADS, else as processors and CPU quota allow.",
        min=1,
    ),
]
Runtimes = Annotated[list[str], options("--runtime", "Builds to tune.")]
Tiles = Annotated[
    list[str],
    options("--tile", "Candidate NB (columns of tiles), at most N; fastest adds the table's."),
]
Heights = Annotated[
    str,
    typer.Option(
        metavar="HEIGHT,…",
        help="Candidate heights MB / NB of tiles: 1 is square, all is a whole column.",
    ),
]
Inner = Annotated[list[str], options("--inner", "Candidate inner blocks IB, for qr.")]
Own = Annotated[
    list[str] | None,
    options("--parameters", "Of a benchmark, such as sweeps=8: each combination is a search."),
]
Rounds = Annotated[int, option("--rounds", "Runs of each finalist.", min=FEWEST_ROUNDS)]
Seed = Annotated[int, option("--seed", "Seed of the order of runs and of the matrices.")]
Limit = Annotated[float, option("--time-limit", "Time limit of a run.")]
Output = Annotated[
    Path,
    option(
        "--output",
        "File of tuned tiles; default: results/tuned.json of the project.",
        show_default=False,
    ),
]
Resume = Annotated[
    Path | None,
    option(
        "--resume",
        "Records of an interrupted search with the same options, which is resumed.",
        metavar="FILE",
    ),
]
Table = Annotated[
    str | None,
    typer.Option(
        metavar="FAMILY",
        help="Only print --output's contents, as rows of common/matrix/default_tile.c for this "
        "family of processors.",
    ),
]


def tune(  # noqa: PLR0913 (one parameter per option)
    context: typer.Context,
    *,
    benchmark: Benchmarks = None,
    variant: GraphVariants = None,
    kernels: KernelSets = ["openblas"],  # noqa: B006 (typer copies it)
    size: Sizes = None,
    threads: Threads = None,
    runtime: Runtimes = ["libgomp", "libomp"],  # noqa: B006
    tile: Tiles = ["32:768:32"],  # noqa: B006
    heights: Heights = "1,4,8,16,all",
    inner: Inner = ["16,32,64"],  # noqa: B006
    parameters: Own = None,
    rounds: Rounds = 12,
    seed: Seed = 20261,
    time_limit: Limit = 300.0,
    output: Output = RESULTS / "tuned.json",
    resume: Resume = None,
    format_: TableOrJson = "table",
    table: Table = None,
    build_root: BuildRoot = BUILDS,
) -> int:
    """Find the tile (for qr also the inner block) that is fastest here, with few runs.

    Candidates run in fresh processes and in random order, round after round; the worse half
    is dropped, neighbours of the best join, and the few that remain are finalists. Campaigns use
    the result where their file says tile = "tuned"; --table turns it into defaults of the
    programs. docs/tuning.md has the method.

    Exit status: 0 success, 1 a run failed, 2 bad usage, 3 the machine cannot do it.

    Example: pollux tune --benchmark cholesky --size 2048,4096 --runtime libomp
    """
    from pollux.core.console import echo
    from pollux.core.executables.variables import threads_of_environment
    from pollux.machine.tuning.candidates import parse_heights, parse_widths
    from pollux.machine.tuning.session import Plan, check_memory, tune_all
    from pollux.machine.tuning.table import table_text
    from pollux.machine.tuning.targets import find_targets

    if table is not None:
        refuse_beside("--table", context, but=("table", "output"))
        echo(table_text(output, table), end="")
        return 0
    refuse_inner(context, items(benchmark), build_root)
    widths, fastest = parse_widths(",".join(tile))
    targets = find_targets(
        build_root,
        benchmarks=items(benchmark),
        variants=items(variant),
        kernels=items(kernels),
        sizes=numbers(size, "--size"),
        threads=threads or threads_of_environment(),
        presets=items(runtime),
        parameters=parameters_of(parameters),
        fastest=fastest,
    )
    plan = Plan(
        targets=targets,
        tiles=widths,
        heights=parse_heights(heights),
        inner=numbers(inner, "--inner"),
        rounds=rounds,
        seed=seed,
        time_limit=time_limit,
    )
    check_memory(plan)
    return tune_all(plan, output.resolve(), resume, as_json=format_ == "json")
