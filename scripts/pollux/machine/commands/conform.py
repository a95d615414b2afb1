# SPDX-License-Identifier: BSD-3-Clause
"""`pollux conform`: which rules of OpenMP each runtime keeps, and which it breaks."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pollux.core.commands.options import items, numbers, option, options, refuse_beside
from pollux.core.commands.shared import BuildRoot
from pollux.core.errors import BadUsageError
from pollux.core.paths import BUILDS, DOCS, IN_SOURCE, RESULTS
from pollux.machine.conformance.settings import SEED_MAX, Settings

if TYPE_CHECKING:
    from pollux.machine.conformance.against import Terms
    from pollux.machine.conformance.results import TargetResult

THREADS_MAX = 1024
THREADS = [str(count) for count in Settings.threads]
STORED = ("output", "conformance")  # options that matter to stored results
SHOWN = ("targets", "show", *STORED, "format_", "against", "expect", "junit")  # to those shown

Targets = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="TARGET", help="Labels such as libgomp or gcc+libomp19; default: all found."
    ),
]
Rules = Annotated[list[str] | None, options("--rule", "Only these.", metavar="RULE")]
Threads = Annotated[list[str], options("--threads", "Numbers of threads.")]
Seed = Annotated[int, option("--seed", "Seed of each program's first trial.", max=SEED_MAX)]
Seconds = Annotated[
    float, option("--seconds", "Time for the trials of each program.", metavar="SECONDS")
]
Limit = Annotated[
    float,
    option(
        "--time-limit",
        "Time after which a program counts as hung; what --seconds adds to the trials is added.",
    ),
]
Format = Annotated[
    Literal["table", "markdown", "json"], typer.Option("--format", help="How to show the results.")
]
Output = Annotated[Path | None, option("--output", "Output file; default: standard output.")]
Show = Annotated[bool, typer.Option("--show", help="Run nothing; show the stored results.")]
Document = Annotated[
    bool,
    typer.Option(
        "--document", help="Run nothing; write the stored results as docs/conformance.md."
    ),
]
Folder = Annotated[
    Path,
    option(
        "--conformance",
        "Folder of the results; default: results/conformance of the project.",
        show_default=False,
    ),
]
Against = Annotated[
    str | None,
    typer.Option(
        "--against",
        metavar="TARGET|FILE",
        help="Fail only on what is new against this target, which runs too, or a stored result.",
    ),
]
Expect = Annotated[
    Path | None,
    typer.Option("--expect", metavar="FILE", help="Expected failures, with reasons (TOML)."),
]
Junit = Annotated[
    Path | None, typer.Option("--junit", metavar="FILE", help="Also write JUnit XML to FILE.")
]


def refuse_kept(path: Path | None, conformance: Path) -> None:
    """Refuse a file that would be taken for a result, or replaced by one."""
    kept = conformance.resolve()
    if path is not None and path.suffix == ".json" and path.resolve().parent == kept:
        raise BadUsageError(f"{path}: {conformance} is for kept results; choose another folder")


def conform(  # noqa: PLR0913 (one parameter per option)
    context: typer.Context,
    targets: Targets = None,
    *,
    rule: Rules = None,
    threads: Threads = THREADS,
    seed: Seed = Settings.seed,
    seconds: Seconds = Settings.seconds,
    time_limit: Limit = Settings.limit,
    format_: Format = "table",
    output: Output = None,
    show: Show = False,
    document: Document = False,
    against: Against = None,
    expect: Expect = None,
    junit: Junit = None,
    conformance: Folder = RESULTS / "conformance",
    build_root: BuildRoot = BUILDS,
) -> int:
    """Test every rule of OpenMP's task dependences on each runtime, and show which it keeps.

    Each rule is a small program that runs many trials on several numbers of threads, in its
    own processes: a hang or a crash is a result like any other. A trial in which a rule was broken
    is identified by its seed, with a command that repeats it. A target takes a minute or two;
    each result is stored at once. docs/conformance.md describes the rules and what was found.

    With --against or --expect, the first line says whether anything is new, and only that fails.

    Exit status: 0 nothing broken, 1 something broke, hung or crashed, 2 bad usage, 3 the machine
    cannot do it, or, with --against or --expect, a rule could not be judged (UNDECIDED). --show
    judges with these two alone; else its status is 0.

    Example: pollux conform clang+mine --against libomp --expect expected.toml
    """
    from pollux.core.console import make_console
    from pollux.core.writing import check_outputs
    from pollux.machine.commands.conform_output import write, write_junit
    from pollux.machine.conformance.against import read_terms
    from pollux.machine.conformance.session import exit_status

    if document:
        if output is None and not IN_SOURCE:
            raise BadUsageError(
                "--document writes a page of the source tree; --output names a file"
            )
        output = output or DOCS / "conformance.md"
        refuse_beside("--document", context, but=("targets", "document", *STORED))
    elif show:
        refuse_beside("--show", context, but=(*SHOWN, "build_root"))
        if expect is None:  # whose rules are looked up in a build
            refuse_beside("--show without --expect", context, but=SHOWN)
    terms = read_terms(against, expect)
    read = [path for path in (terms.path, expect) if path is not None]
    check_outputs({"--output": output, "--junit": junit}, [*conformance.glob("*.json"), *read])
    for path in (output, junit):
        refuse_kept(path, conformance)
    if document:
        write(kept_results(conformance, targets or []), "page", output)
        return 0
    if show:
        found = stored(conformance, targets or [], terms)
        terms.check_stored(found, build_root)
    else:
        how = settings_of(rule, threads, seed, seconds, time_limit)
        console = make_console(to_stderr=True)
        found = terms.run(targets or [], build_root, conformance, how, console)
    gate = terms.check(found)
    write(found, format_, output, gate, terms.baseline.beside(found) if terms.baseline else ())
    write_junit(junit, found, gate)
    if gate is not None:
        return gate.status
    return 0 if show else exit_status(found)


def stored(folder: Path, labels: list[str], terms: "Terms") -> "list[TargetResult]":
    """The stored results of these targets, or of all but that which others are compared with."""
    from pollux.machine.conformance.baseline import Baseline

    results = kept_results(folder, labels)
    if terms.label is not None:
        terms.baseline = Baseline(terms.label, kept_results(folder, [terms.label]))
        results = [r for r in results if r.label != terms.label]
        if not results or terms.label in labels:
            raise BadUsageError(f"--against {terms.label}: name another target to compare with it")
    return results


def settings_of(
    rules: list[str] | None, threads: list[str], seed: int, seconds: float, limit: float
) -> Settings:
    counts = numbers(threads, "--threads")
    if counts[-1] > THREADS_MAX:
        raise BadUsageError(f"--threads: {counts[-1]} is more than {THREADS_MAX}")
    return Settings(tuple(counts), seed, seconds, limit, tuple(items(rules)) or None)


def kept_results(folder: Path, labels: list[str]) -> "list[TargetResult]":
    """The stored results of these targets, or of all."""
    from pollux.machine.conformance.kept import read_all

    known = {result.label: result for result in read_all(folder)}
    if not known:
        raise BadUsageError(f"no results in {folder}; pollux conform runs the rules")
    for label in labels:
        if label not in known:
            raise BadUsageError(f"no results for {label}; available: {', '.join(known)}")
    return [known[label] for label in dict.fromkeys(labels) or known]
