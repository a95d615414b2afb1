# SPDX-License-Identifier: BSD-3-Clause
"""`pollux bisect`: finds the commit of a library's repository that made it slower."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pollux.core.commands.options import items, option, options, share, span
from pollux.core.commands.shared import BuildRoot, Size
from pollux.core.console import echo
from pollux.core.errors import BadUsageError, MachineError
from pollux.core.limits import NUMBER_MAX
from pollux.core.paths import BUILDS, RESULTS
from pollux.core.spans import parse_span
from pollux.core.text import counted

if TYPE_CHECKING:
    from pollux.nights.bisecting.repository import Commit
    from pollux.nights.bisecting.session import Outcome, Session

Good = Annotated[str, typer.Option("--good", metavar="REV", help="A commit that is fast.")]
Bad = Annotated[str, typer.Option("--bad", metavar="REV", help="A later one that is slow.")]
RepositoryOption = Annotated[
    Path, typer.Option("--repository", metavar="DIR", help="The git repository; not changed.")
]
Build = Annotated[
    str,
    typer.Option(
        "--build", metavar="COMMAND", help="What builds a commit, run by sh in a copy of it."
    ),
]
LibraryOption = Annotated[
    str,
    typer.Option(
        "--library", metavar="PATH", help="What it builds: the OpenMP runtime, in the repository."
    ),
]
Preload = Annotated[
    bool,
    typer.Option(
        "--preload",
        help="The library is no runtime, but is preloaded (LD_PRELOAD) between it and programs.",
    ),
]
Preset = Annotated[
    str, typer.Option("--preset", metavar="PRESET", help="Build whose executables are run.")
]
Benchmarks = Annotated[list[str] | None, options("--benchmark", "Default: cholesky, lu.")]
Variants = Annotated[list[str] | None, options("--variant", "Default: depend.")]
Tile = Annotated[int, option("--tile", "Tile size NB.", min=1, max=NUMBER_MAX)]
Threads = Annotated[int | None, option("--threads", "Default: all allowed processors.")]
Relevant = Annotated[
    float,
    typer.Option(parser=share, metavar="SHARE", help="The bad commit must be slower by this."),
]
Budget = Annotated[
    str, option("--budget", "Time to decide on a commit.", parser=span, metavar="TIME")
]
BuildLimit = Annotated[
    str, option("--build-limit", "Time that a build may take.", parser=span, metavar="TIME")
]
Explain = Annotated[
    str,
    option(
        "--explain",
        "Time to measure what has changed at the end; 0s: none.",
        parser=span,
        metavar="TIME",
    ),
]
State = Annotated[
    Path | None,
    typer.Option(
        "--state", metavar="FOLDER", help="Where it works; default: in results/ of the project."
    ),
]


def bisect(  # noqa: PLR0913 (one parameter per option)
    *,
    good: Good,
    bad: Bad,
    repository: RepositoryOption,
    build: Build,
    library: LibraryOption,
    preload: Preload = False,
    preset: Preset = "libomp",
    benchmark: Benchmarks = None,
    variant: Variants = None,
    size: Size = 1024,
    tile: Tile = 128,
    threads: Threads = None,
    relevant: Relevant = 0.03,
    budget: Budget = "2m",
    build_limit: BuildLimit = "1h",
    explain: Explain = "1m",
    state: State = None,
    build_root: BuildRoot = BUILDS,
) -> int:
    """Find the commit that made a library slower, as git bisect does.

    Commits are built in a copy of the repository. A campaign compares each with the good one
    until it is decided: good, bad, or skip where a commit does not build or run, has wrong results
    or stays undecided. Every step is on the disk: run the same command again to resume.
    At the end, what tasks cost and where the threads' time went show what has changed.

    Exit status: 0 the commit is found; 1 the bad commit is not slower; 2 bad usage; 3 the
    machine cannot do it; 4 undecided, or several commits are left, since some were skipped.

    Example: pollux bisect --good v21 --bad main --repository llvm --build 'ninja -C b omp'
    --library b/lib/libomp.so
    """
    from pollux.core.extras import check_extra
    from pollux.core.hashing import short_hash
    from pollux.core.parts import parts
    from pollux.core.writing import make_folder
    from pollux.nights.bisecting.alone import alone
    from pollux.nights.bisecting.building import check_inside
    from pollux.nights.bisecting.measuring import Effort, check_options
    from pollux.nights.bisecting.repository import Repository
    from pollux.nights.bisecting.session import Session
    from pollux.nights.bisecting.state import REMEDY, Plan

    original = Repository(repository, repository)
    original.forget_others()
    first, last = original.commit(good, "--good"), original.commit(bad, "--bad")
    if first.id == last.id:
        raise BadUsageError(f"--good and --bad are the same commit, {first.words}")
    count = original.between(first.id, last.id)
    if count == 0:
        raise BadUsageError(f"--good {first.words} comes after --bad {last.words}")
    plan = Plan(
        good=first.id,
        bad=last.id,
        repository=str(repository.resolve()),
        build=build,
        library=check_inside(library),
        preload=preload,
        preset=preset,
        benchmark=items(benchmark) or ["cholesky", "lu"],
        variant=items(variant) or ["depend"],
        size=size,
        tile=tile,
        threads=threads,
    )
    if parse_span(explain) > 0 and "insight" in parts():  # before anything is built and measured
        check_extra("insight", "what shows the change at the end", "; --explain 0s leaves it out")
    folder = state or RESULTS / f"bisection-{short_hash(plan.model_dump_json())[:8]}"
    make_folder(folder, REMEDY)
    effort = Effort(relevant, budget, build_root, parse_span(build_limit))
    with alone(folder) as lock:
        check_options(folder.resolve(), plan, effort)
        echo(f"{counted(count, 'commit')} from {first.words} to {last.words}; works in {folder}")
        return search(Session(folder.resolve(), plan, effort, echo, [lock]), folder, explain)


def search(session: "Session", folder: Path, explain: str) -> int:
    """Run the bisection, and write what it finds; the exit status."""
    found = session.run()
    if found is None and session.is_open:
        echo("undecided: run the same command again with a larger --budget to resume")
        return 4
    if found is None:
        echo("the bad commit is not shown to be slower than the good one: nothing to bisect")
        return 1
    status = conclude(found, folder)
    if status == 0 and parse_span(explain) > 0:
        tell_changes(session, found.commits[0], explain)
    return status


def tell_changes(session: "Session", commit: "Commit", budget: str) -> None:
    """Measure and write what the first bad commit has changed, or why that is not known."""
    from pollux.nights.bisecting.building import NotBuiltError

    try:
        found = session.changed(commit, budget)
    except (BadUsageError, MachineError, NotBuiltError) as error:
        echo(f"what has changed is not known: {error}")
        return
    if found is None:
        return
    before, changed = found
    echo(f"since {before.words}, in what a task costs (task-overhead):")
    for line in changed.costs or ["nothing was measured"]:
        echo(f"  {line}")
    if changed.unsplit is not None:
        echo(f"where the threads' time went is not known: {changed.unsplit}")
        return
    echo("in the threads' time, as shares of that before (pollux explain):")
    for line in changed.split:
        echo(f"  {line}")


def conclude(found: "Outcome", folder: Path) -> int:
    """Write what was found; the exit status."""
    symptom = found.bisection.symptom
    cell = symptom.cell if symptom else ""
    if len(found.commits) > 1:
        echo(f"{cell}: one of these {len(found.commits)} is the first bad commit:")
        for commit in found.commits:
            known = found.bisection.commits.get(commit.id)
            echo(f"  {commit.words}: {known.reason if known else 'not tried'}")
        return 4
    (commit,) = found.commits
    known = found.bisection.commits[commit.id]
    interval = "" if known.low is None else f" ({known.low:.3f} to {known.high:.3f})"
    ratio = "" if known.ratio is None else f"; its speed is {known.ratio:.3f}{interval} of good's"
    echo(f"first bad commit: {commit.words} of {commit.date}: {cell}: {known.reason}{ratio}")
    builds = counted(found.builds, "build")
    echo(f"{builds}; the records of each commit are in {folder / 'commits'}")
    return 0
