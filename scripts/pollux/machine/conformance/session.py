# SPDX-License-Identifier: BSD-3-Clause
"""A run over several targets: which there are, how it goes on, what is kept of it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.text import Text

from pollux.core.advice import makes
from pollux.core.console import make_console, say
from pollux.core.errors import BadUsageError, InterruptedByUserError, MachineError
from pollux.core.executables.trees import tree_of, where
from pollux.core.paths import ROOT
from pollux.core.runtimes.found import Target, all_targets, look, resolve_target
from pollux.core.text import one_line
from pollux.machine.conformance.engine import Progress, chosen, conform
from pollux.machine.conformance.kept import file_of, keep, read_known
from pollux.machine.conformance.program import LISTING, list_programs
from pollux.machine.conformance.results import TargetResult, Verdict
from pollux.machine.conformance.settings import Settings
from pollux.machine.conformance.show import tally


def run_prepared(work: Sequence[Progress], kept: Path, console: Console) -> list[TargetResult]:
    """Test the rules on each prepared target; results are stored after each rule."""
    results = []
    with keeping(kept):
        for number, progress in enumerate(work, 1):
            with reporting(console, progress, f"{number}/{len(work)}") as report:
                results.append(run_one(progress, kept, report))
    return results


def targets(labels: Sequence[str], build_root: Path, kept: Path) -> list[Target]:
    """The targets of these labels, or all that are found and have rules to run.

    What leads to their libraries is kept with the results: nothing else need be writable.
    """
    found = look(ROOT, build_root)
    try:
        if labels:
            return [resolve_target(label, found, kept) for label in dict.fromkeys(labels)]
        every = all_targets(found, kept)
    except ValueError as error:
        raise BadUsageError(str(error)) from error
    able = [t for t in every if (folder_of(t, build_root) / LISTING).exists()]
    if not able:
        raise MachineError(f"no build in {where(build_root)} has rules to run; {makes('them')}")
    return able


def folder_of(target: Target | TargetResult, build_root: Path) -> Path:
    """Where the programs of a target are."""
    return tree_of(build_root, target.preset) / "bin" / "conformance"


def prepare(target: Target, build_root: Path, settings: Settings) -> Progress:
    """What is to be done for a target; bad usage shows before the first program runs."""
    folder = folder_of(target, build_root)
    programs = list_programs(folder)
    return Progress(target, folder, settings, programs, chosen(programs, settings.rules))


def untried(target: Target, build_root: Path, kept: Path) -> tuple[str, ...]:
    """The rules of a target that did not run, such as those that an interruption has left."""
    known = read_known(file_of(target.label, kept))
    found = {} if known is None else {rule.rule: rule.verdict for rule in known.rules}
    rules = [program.rule for program in list_programs(folder_of(target, build_root))]
    return tuple(r for r in rules if found.get(r, Verdict.NOT_RUN) is Verdict.NOT_RUN)


def try_untried(label: str, build_root: Path, kept: Path, seconds: float | None = None) -> None:
    """Test the rules of a target that did not run, each for the given or the usual time."""
    (target,) = targets([label], build_root, kept)
    if rules := untried(target, build_root, kept):
        how = Settings(rules=rules, seconds=Settings.seconds if seconds is None else seconds)
        run_prepared([prepare(target, build_root, how)], kept, make_console(to_stderr=True))


def run_one(progress: Progress, kept: Path, report: Callable[[], None]) -> TargetResult:
    path = file_of(progress.target.label, kept)
    known = read_known(path)
    rules = [program.rule for program in progress.all_programs]

    def rule_done() -> None:
        keep(progress.result(), known, rules, path)
        report()

    return conform(progress, rule_done)


@contextmanager
def keeping(kept: Path) -> Iterator[None]:
    """Turn Ctrl-C, and signals that ask to end, into a line on what is safe."""
    try:
        yield
    except KeyboardInterrupt as error:
        raise InterruptedByUserError(
            f"interrupted; what was done is kept in {kept}, and pollux conform --show shows it"
        ) from error


@contextmanager
def reporting(console: Console, progress: Progress, place: str) -> Iterator[Callable[[], None]]:
    """A line for each target when it is done; on a terminal also how far it has come."""
    # No thread may redraw: processes are started from this one (executables/process.py).
    live = Live(console=console, auto_refresh=False, transient=True)

    def text() -> str:
        return f"{place} {state(progress)}"

    def report() -> None:
        if console.is_terminal:
            live.update(Text(one_line(text())), refresh=True)

    with live:
        report()
        yield report
    say(console, text())


def state(progress: Progress) -> str:
    """How far a target has come."""
    result = progress.result()
    done = f"{len(result.rules)} of {len(progress.programs)} rules"
    counts = ", ".join(f"{count} {verdict}" for verdict, count in tally(result))
    return f"{result.label}: {done}; {counts or 'beginning'}; {result.seconds():.0f} s"


def exit_status(results: Sequence[TargetResult]) -> int:
    """1 if something broke, hung or crashed, else 3 if a target could not start, else 0."""
    if any(result.failed() for result in results):
        return 1
    rules = (rule for result in results for rule in result.rules)
    return 3 if any(rule.verdict is Verdict.NOT_RUN for rule in rules) else 0
