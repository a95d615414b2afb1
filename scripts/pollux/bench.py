# SPDX-License-Identifier: BSD-3-Clause
"""`pollux bench`: every variant on every runtime, in rounds, and the table that compares them."""

import random
import time
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from pollux import summary, table
from pollux.errors import BadUsageError
from pollux.executables import Configuration, Outcome, Settings, discover, run

ROOT = Path(__file__).resolve().parents[2]
BASELINE = "libgomp"
FIRST_SEED = 20261  # round r uses FIRST_SEED + r for every configuration
PLAIN_WIDTH = 160  # of tables that go to a file or pipe

Size = Annotated[int, typer.Option(min=1, help="Matrix order N.")]
Tile = Annotated[int | None, typer.Option(min=1, help="Tile size NB; else each benchmark's own.")]
Threads = Annotated[
    int | None,
    typer.Option(min=1, help="Threads; else OMP_NUM_THREADS or the allowed cores."),
]
Rounds = Annotated[int, typer.Option(min=1, help="Rounds; each runs every configuration once.")]
Presets = Annotated[list[str], typer.Option("--preset", help="Build to run; repeatable.")]
Output = Annotated[
    Path | None,
    typer.Option(help="JSON lines file for the records; else results/quick-TIME.jsonl."),
]
Limit = Annotated[float, typer.Option(min=0.1, help="Seconds after which a process is killed.")]
BuildRoot = Annotated[Path, typer.Option(help="Folder with one build tree per preset.")]


def bench(  # noqa: PLR0913 (one parameter per option)
    *,
    size: Size = 2560,
    tile: Tile = None,
    threads: Threads = None,
    rounds: Rounds = 5,
    preset: Presets = ["libgomp", "libomp"],  # noqa: B006 (typer copies it)
    output: Output = None,
    time_limit: Limit = 300.0,
    build_root: BuildRoot = ROOT / "build",
) -> int:
    """Run every variant on every runtime and compare them.

    In each round every configuration runs once, in a fresh process and in random order, on the
    same input: a machine that drifts drifts for all alike, and ratios are taken within rounds.
    """
    presets = list(dict.fromkeys(preset))
    found = [configuration for name in presets for configuration in discover(name, build_root)]
    runnable = [c for c in by_variant(found) if c.variant.available]
    settings = Settings(size, tile, threads, time_limit, prepare_output(output))
    console = make_console()
    outcomes = run_rounds(console, runnable, settings, rounds)

    baseline = BASELINE if BASELINE in presets else presets[0]
    rows = summary.summarise(runnable, outcomes, baseline)
    table.show(console, rows, baseline)
    notes = table.disagreements(summary.digest_groups(outcomes)) + table.unavailable(found)
    for line in (*notes, f"records: {settings.output}"):
        console.print(line, soft_wrap=True, highlight=False, markup=False)
    return int(summary.has_failed(rows))


def by_variant(configurations: list[Configuration]) -> list[Configuration]:
    """The same, with the runtimes of each variant next to each other."""
    variants = list(dict.fromkeys(map(summary.base_key, configurations)))
    return sorted(configurations, key=lambda c: variants.index(summary.base_key(c)))


def make_console() -> Console:
    console = Console()
    return console if console.is_terminal else Console(width=PLAIN_WIDTH)


def prepare_output(path: Path | None) -> Path:
    """Make sure that records can be appended before anything is run."""
    if path is None:
        path = ROOT / "results" / f"quick-{datetime.now():%Y%m%d-%H%M%S}.jsonl"
        path.parent.mkdir(exist_ok=True)
    try:
        path.open("ab").close()
    except OSError as error:
        raise BadUsageError(
            f"cannot write {path} ({error.strerror}); --output takes a file in a folder that "
            "exists and can be written"
        ) from error
    if not path.is_file():
        raise BadUsageError(f"{path} is not a regular file; records are read back from --output")
    return path.resolve()


def run_rounds(
    console: Console, configurations: list[Configuration], settings: Settings, rounds: int
) -> list[Outcome]:
    """Run all rounds, with a bar on a terminal, else with one line per round."""
    outcomes: list[Outcome] = []
    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeElapsedColumn())
    bar = Progress(
        *columns,
        TextColumn("{task.fields[now]}"),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    with bar:
        task = bar.add_task("running", total=rounds * len(configurations), now="")
        for round_ in range(rounds):
            start = time.monotonic()
            for configuration in shuffled(configurations, round_):
                bar.update(task, now=configuration.label)
                outcomes.append(run(configuration, settings, round_, FIRST_SEED + round_))
                bar.advance(task)
            if not console.is_terminal:
                seconds = time.monotonic() - start
                failed = sum(o.problem is not None for o in outcomes if o.round == round_)
                text = f"{len(configurations)} runs, {failed} failed, {seconds:.1f} s"
                console.print(f"round {round_ + 1} of {rounds}: {text}", highlight=False)
    return outcomes


def shuffled(configurations: list[Configuration], round_: int) -> list[Configuration]:
    """A random order of its own for each round, the same whenever the campaign is repeated."""
    order = random.Random(FIRST_SEED + round_)
    return order.sample(configurations, len(configurations))
