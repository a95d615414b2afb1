# SPDX-License-Identifier: BSD-3-Clause
"""`pollux run`: a campaign, from its file to its last record, whatever happens in between."""

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pollux.campaign.calibration import calibrate
from pollux.campaign.dry_run import check_memory, memory_warnings, show_plan
from pollux.campaign.engine import ASSUMED_GFLOPS, Engine
from pollux.campaign.file import LoadedCampaign, load_campaign
from pollux.campaign.journal import Journal
from pollux.campaign.lines import Configuration, End, Outcome, Start
from pollux.campaign.plan import Plan, make_plan
from pollux.campaign.progress import Plain, Quiet, Terminal, duration
from pollux.campaign.samples import Sample
from pollux.commands.options import GateOptions, Undecided, share
from pollux.commands.run_results import show_answer
from pollux.console import PLAIN_WIDTH, make_console
from pollux.errors import BadUsageError, InterruptedByUserError
from pollux.interruption import interruptible
from pollux.paths import BUILDS, RESULTS, ROOT

# Whose variables a record keeps too: docs/record.md.
PREFIXES = (
    *("OMP_", "GOMP_", "KMP_", "LIBOMP_", "OPENBLAS_"),
    *("ABT_", "NX_", "XKAAPI_", "KAAPI_", "XKRT_", "LOGGER_VERBOSE"),
)

CampaignFile = Annotated[
    str, typer.Argument(metavar="CAMPAIGN", help="A campaign's file, or the name of a shipped one.")
]
Output = Annotated[
    Path | None, typer.Option(help="File of records; else results/NAME.jsonl of the project.")
]
Fresh = Annotated[
    bool, typer.Option("--fresh", help="Start anew; older records are kept under another name.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the plan; run nothing.")]
Overrides = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Replace a key of the file; repeatable."),
]
StopWhen = Annotated[
    float | None,
    typer.Option(
        parser=share,
        metavar="WIDTH",
        help="Take no more samples of a cell whose 95 % interval is narrower, such as 2%.",
    ),
]
Report = Annotated[
    bool, typer.Option("--report", help="Then compare, and write the page of pollux report.")
]
Gate = Annotated[
    float | None,
    typer.Option(
        parser=share,
        metavar="SHARE",
        help="End with PASSED, FAILED (status 1: slower by more than this) or UNDECIDED (4).",
    ),
]
UndecidedOption = Annotated[
    Undecided | None, typer.Option(help="What an undecided gate counts as, instead of status 4.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", help="Say only what goes wrong.")]
PlainOption = Annotated[bool, typer.Option("--plain", help="A line per block, for logs and CI.")]
BuildRoot = Annotated[Path, typer.Option(help="Folder with one build tree per preset.")]


def run(  # noqa: PLR0913 (one parameter per option)
    campaign: CampaignFile,
    *,
    output: Output = None,
    fresh: Fresh = False,
    dry_run: DryRun = False,
    overrides: Overrides = None,
    stop_when: StopWhen = None,
    report: Report = False,
    fail_if_slower: Gate = None,
    undecided: UndecidedOption = None,
    quiet: QuietOption = False,
    plain: PlainOption = False,
    build_root: BuildRoot = BUILDS,
) -> int:
    """Run a campaign to its end, or go on with one that was interrupted.

    Every sample is a fresh process and is on the disk before the next one starts. A crash, a hang
    or a wrong result is a sample too. The same command on the same file goes on where it was.

    Exit status: 0 all runs went well, 1 some did not, or the gate of --fail-if-slower failed,
    2 bad usage, 3 the machine cannot do it, 4 that gate is undecided.

    Example: pollux run quick --set size=2048 --set tile=64
    """
    console = make_console()
    loaded = load_campaign(campaign, overrides or [])
    plan = make_plan(loaded.campaign, build_root.resolve(), RESULTS)
    if dry_run:
        return show_plan(console, plan, core_gflops(plan))
    check_memory(plan)
    path = choose_output(output, loaded.campaign.name)
    if fresh:
        put_aside(path)
    journal = Journal(path)
    refuse_changes(plan, journal)
    journal.append(describe_start(loaded, plan, overrides or []))
    if not quiet:
        warnings = [*plan.left_out, *machine_warnings(build_root), *memory_warnings(plan)]
        say(console, [*torn(journal), *warnings])
    progress = choose_progress(console, quiet=quiet, plain=plain)
    began = time.monotonic()
    with interruptible(), ended(journal), closing(progress):
        Engine(plan, journal, progress, settled_by(stop_when or loaded.campaign.stop_when)).run()
    if not quiet:
        say(console, summary(journal, plan, time.monotonic() - began))
    journal.close()
    failed = any(d.outcome is not Outcome.OK for d in planned_samples(journal, plan))
    gate = GateOptions(fail_if_slower, undecided)
    shown = show_results(path, gate) if report else show_answer(console, path, gate, quiet=quiet)
    return int(failed) or shown


def show_results(path: Path, gate: GateOptions) -> int:
    """What `pollux report` and `pollux compare` make of the records."""
    from pollux.commands.compare import RELEVANT, compare
    from pollux.commands.report import report

    allowed, undecided = gate.fail_if_slower, gate.undecided
    return report([path]) or compare(
        [path], relevant=RELEVANT, fail_if_slower=allowed, undecided=undecided
    )


def core_gflops(plan: Plan) -> float:
    calibration = calibrate(plan.calibration)
    return max(calibration.gflops) if calibration else ASSUMED_GFLOPS


def torn(journal: Journal) -> list[str]:
    count = journal.known.torn
    return [f"{journal.path}: {count} lines that a kill left unfinished are skipped"] * bool(count)


def machine_warnings(build_root: Path) -> list[str]:
    """What about this machine harms the measurement, a line each."""
    from pollux.doctor.checkup import summary_for_campaign
    from pollux.doctor.machine import this_machine

    found = summary_for_campaign(this_machine(ROOT, build_root))
    return [f"machine: {warning} (see pollux doctor)" for warning in found]


def settled_by(bound: float | None) -> "partial[bool] | None":
    """The rule of --stop-when; scipy is loaded only where it is asked for."""
    if bound is None:
        return None
    from pollux.analysis.precision import is_settled

    return partial(is_settled, bound=bound)


def choose_output(output: Path | None, name: str) -> Path:
    """The file of records; only the folder that the project itself has for them is made."""
    if output is not None:
        return output.absolute()
    try:
        RESULTS.mkdir(exist_ok=True)
    except OSError as error:
        raise BadUsageError(
            f"cannot make {RESULTS} ({error.strerror}); name a file by --output"
        ) from error
    return RESULTS / f"{name}.jsonl"


def put_aside(path: Path) -> None:
    """Rename a file of records after the time it was last written."""
    if not path.exists():
        return
    Journal(path).close()  # refuses where another process is writing it
    written = datetime.fromtimestamp(path.stat().st_mtime)
    older = path.with_name(f"{path.stem}-{written:%Y%m%d-%H%M%S}{path.suffix}")
    if older.exists():
        raise BadUsageError(f"cannot put {path} aside: {older} exists; move it elsewhere")
    path.rename(older)


def refuse_changes(plan: Plan, journal: Journal) -> None:
    """Stop where the file holds samples of configurations that are not the same any more."""
    known = journal.known
    names = {c.name(): c for h, c in known.configurations.items() if known.samples.get(h)}
    for configuration in plan.configurations:
        earlier = names.get(configuration.name())
        if earlier is not None and configuration.hash() not in known.samples:
            raise BadUsageError(
                f"{journal.path} holds samples of another campaign: "
                f"{first_difference(earlier, configuration)}; --fresh puts it aside and starts "
                "anew, --output names another file"
            )


def first_difference(earlier: Configuration, now: Configuration) -> str:
    """What changed about a configuration, in a phrase."""
    old, new = earlier.model_dump(), now.model_dump()
    field = next(name for name in old if old[name] != new[name])
    where = f"{now.benchmark} {now.variant} on {now.runtime}"
    if field == "builds":
        changed = [name for name in new[field] if old[field].get(name) != new[field][name]]
        return f"the {' and the '.join(changed)} of {where} was built anew or replaced"
    return f"{field} of {where} was {old[field]} and is now {new[field]}"


def describe_start(loaded: LoadedCampaign, plan: Plan, overrides: list[str]) -> Start:
    campaign = plan.campaign
    return Start(
        unix_ns=time.time_ns(),
        pollux=version("pollux"),
        name=campaign.name,
        summary=campaign.summary,
        reference=campaign.reference_label(),
        processes=campaign.processes,
        configurations=len(plan.configurations),
        file=str(loaded.path),
        text=loaded.text,
        overrides=overrides,
        environment={n: v for n, v in sorted(os.environ.items()) if n.startswith(PREFIXES)},
    )


def choose_progress(console: Console, *, quiet: bool, plain: bool) -> Quiet:
    if quiet:
        return Quiet(Console(stderr=True, width=PLAIN_WIDTH))
    return Terminal(console) if console.is_terminal and not plain else Plain(console)


@contextmanager
def ended(journal: Journal) -> Iterator[None]:
    """Note in the journal how the campaign stopped."""
    try:
        yield
    except KeyboardInterrupt as error:
        journal.append(End(unix_ns=time.time_ns(), complete=False))
        raise InterruptedByUserError(
            f"interrupted; {journal.known.count()} samples are safe in {journal.path}, "
            "the same command (without --fresh) goes on from there"
        ) from error
    journal.append(End(unix_ns=time.time_ns(), complete=True))


@contextmanager
def closing(progress: Quiet) -> Iterator[None]:
    try:
        yield
    finally:
        progress.close()


def planned_samples(journal: Journal, plan: Plan) -> list[Sample]:
    """The samples of what is planned now; a file may hold others, of an earlier plan."""
    return [d for c in plan.configurations for d in journal.known.samples.get(c.hash(), [])]


def summary(journal: Journal, plan: Plan, seconds: float) -> list[str]:
    """How the campaign went, and where its records are."""
    known = journal.known
    samples = planned_samples(journal, plan)
    failed = sum(d.outcome is not Outcome.OK for d in samples)
    disturbed = sum(end.disturbed for end in known.ends.values())
    other = known.count() - len(samples)
    return [
        f"{len(samples)} runs, {failed} failed, in {duration(seconds)}; "
        f"{disturbed} of {len(known.blocks)} blocks disturbed",
        *([f"{other} runs of earlier plans are in the file too"] if other else []),
        f"records: {journal.path}",
    ]


def say(console: Console, lines: Iterable[str]) -> None:
    for line in lines:
        console.print(line, soft_wrap=True, highlight=False, markup=False)
