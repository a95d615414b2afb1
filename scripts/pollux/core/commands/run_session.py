# SPDX-License-Identifier: BSD-3-Clause
"""Does the work of `pollux run`, from a campaign's file to the last record."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from importlib.metadata import version
from itertools import chain
from pathlib import Path

from rich.console import Console

from pollux.core.advice import SAME_COMMAND
from pollux.core.batch.jobs import Part
from pollux.core.campaign.calibration import calibrate
from pollux.core.campaign.dry_run import check_memory, show_plan
from pollux.core.campaign.engine import ASSUMED_GFLOPS, Engine
from pollux.core.campaign.file import LoadedCampaign, load_campaign
from pollux.core.campaign.journal import Journal
from pollux.core.campaign.lines import (
    Configuration,
    End,
    Outcome,
    PartOf,
    Start,
    Stopped,
)
from pollux.core.campaign.model import Campaign
from pollux.core.campaign.older import put_aside
from pollux.core.campaign.plan import Plan, make_plan
from pollux.core.campaign.progress import Plain, Quiet, Terminal
from pollux.core.campaign.pursuit import (
    BUDGET,
    Goal,
    Pursuit,
)
from pollux.core.campaign.reading import sentences
from pollux.core.campaign.record_file import refuse_irregular
from pollux.core.campaign.sampler import find_sampler, next_timeline, sampling
from pollux.core.campaign.series import comparisons_of
from pollux.core.campaign.switch import Switch, switching
from pollux.core.commands import run_jobs
from pollux.core.commands.options import GateOptions
from pollux.core.commands.run_results import show_answer, show_comparison
from pollux.core.commands.run_summary import planned_samples, summary
from pollux.core.commands.run_warnings import verdict_warnings, warnings_before, watch_machine
from pollux.core.console import echo, make_console, say_all
from pollux.core.errors import BadUsageError, InterruptedByUserError, MachineError
from pollux.core.executables.variables import relevant
from pollux.core.extras import check_extra
from pollux.core.parts import required
from pollux.core.paths import RESULTS
from pollux.core.streams import carry_on
from pollux.core.writing import check_outputs, refusal


@dataclass(frozen=True)
class Wanted:
    """The arguments of `pollux run`."""

    campaign: str  # a file, or the name of a shipped one
    build_root: Path
    gate: GateOptions
    output: Path | None = None
    overrides: list[str] = field(default_factory=list)  # KEY=VALUE
    axes: dict[str, list[str]] = field(default_factory=dict)  # values given by options of their own
    keys: dict[str, str] = field(default_factory=dict)  # the same of other keys, as TOML has them
    fresh: bool = False
    dry_run: bool = False
    report: bool = False
    quiet: bool = False
    plain: bool = False
    attach: bool = False  # to jobs that were submitted
    job: Path | None = None  # that this process is, as pollux run described it
    # where a file holds samples of another campaign
    remedy: str = "--fresh renames it and starts over, --output names another file"


@dataclass(frozen=True)
class Here:
    """What is measured here: all of a campaign, or the part of a job."""

    records: Path
    part: PartOf | None = None
    deals: bool = False
    progress: Quiet | None = None  # the job's


def run_campaign(wanted: Wanted) -> int:
    """Run the campaign, or show its plan; the exit status."""
    console = make_console()
    loaded = load_campaign(wanted.campaign, wanted.overrides, wanted.axes, wanted.keys)
    check_outputs({"--output": wanted.output}, [loaded.path], appends=True)
    if wanted.output is not None and wanted.output.exists():
        refuse_irregular(wanted.output)
    if loaded.campaign.power is not None:
        find_sampler(wanted.build_root)
    if wanted.report:  # what it needs is there before anything is measured
        required("write_report", "output", "--report")
        check_extra("report", "--report")
    submit = loaded.campaign.submit
    if wanted.attach and submit is None:
        raise BadUsageError("--attach is for campaigns with [submit]; this one runs here")
    if wanted.attach and wanted.fresh:
        raise BadUsageError("--attach shows jobs, --fresh starts over: give one of them")
    if wanted.dry_run:
        plan = make_plan(loaded.campaign, wanted.build_root, RESULTS)
        status = show_plan(console, plan, core_gflops(plan))
        jobs = 1 if submit is None else submit.jobs
        dealt = submit is not None and submit.cells == "dealt"
        part = plan.dealt(1, jobs) if dealt else plan  # the first has the most cells
        say_all(console, verdict_warnings(part, wanted.build_root, jobs))
        say_all(console, [] if submit is None else [run_jobs.describe(submit)])
        return status
    carry_on("the campaign goes on")
    with resumed_without_fresh(wanted):
        return run_to_end(console, wanted, loaded)


@contextmanager
def resumed_without_fresh(wanted: Wanted) -> Iterator[None]:
    """What says that the same command goes on says that it must not start over."""
    try:
        yield
    except (MachineError, InterruptedByUserError) as error:
        if wanted.fresh:
            error.message = error.message.replace(SAME_COMMAND, f"{SAME_COMMAND} (without --fresh)")
        raise


def run_to_end(console: Console, wanted: Wanted, loaded: LoadedCampaign) -> int:
    """Take what is missing, here or in jobs, and show the answer; the exit status."""
    submit = loaded.campaign.submit
    path = choose_output(wanted.output, loaded.campaign.name)
    if wanted.job is not None:
        return run_jobs.run_in_job(console, wanted.job, partial(measure_part, wanted, loaded))
    if submit is not None and (wanted.attach or not run_jobs.is_inside(submit)):
        if not wanted.attach and not submit.setup:  # which the nodes may need to run anything
            refuse_impossible(loaded.campaign, wanted.build_root)
        paths, status = run_jobs.submit_and_follow(
            make_console(quiet=wanted.quiet, plain=wanted.plain),
            *(loaded.campaign, path),
            fresh=wanted.fresh,
            attach=wanted.attach,
        )
        return max(status, finish(console, wanted, paths, status == 0))
    measured = measure(wanted, loaded, Here(path))
    with measured.journal.kept_in_place():
        status = finish(console, wanted, [path], not measured.exit_status(wanted.gate))
    return MachineError.exit_code if measured.unrestored else status


def refuse_impossible(campaign: Campaign, build_root: Path) -> None:
    """BadUsageError where no node could run it; what machines lack is left to the nodes."""
    with suppress(MachineError):
        make_plan(campaign, build_root, RESULTS)


def finish(console: Console, wanted: Wanted, paths: list[Path], good: bool) -> int:
    """Show the answer that files of records give; the exit status."""
    if wanted.report:
        required("write_report", "output", "--report")(paths)
    if wanted.report and not wanted.quiet:
        shown = show_comparison(paths, wanted.gate)
    else:
        shown = show_answer(console, paths, wanted.gate, quiet=wanted.quiet)
    return int(not good) or shown


def measure_part(
    wanted: Wanted,
    loaded: LoadedCampaign,
    part: Part,
    node: str,
    progress: Quiet,
) -> int:
    """Measure what a job has to; the exit status."""
    same = part.model_dump(include={"campaign", "number", "of", "deals", "cells"})
    own = PartOf(**same, node=node)
    here = Here(Path(part.records), own, part.deals, progress)
    measured = measure(wanted, loaded, here)
    measured.journal.close()
    return MachineError.exit_code if measured.unrestored else measured.exit_status(wanted.gate)


@dataclass(frozen=True)
class Measured:
    """What a campaign has once it has run."""

    journal: Journal
    plan: Plan
    cut: set[str]  # configurations of which a process was ended with the budget
    unrestored: bool  # whether levers could not be restored

    def exit_status(self, gate: GateOptions) -> int:
        """1 if a run failed, or nothing is known of what was ended; a gate judges that itself."""
        failed = any(d.outcome is not Outcome.OK for d in planned_samples(self.journal, self.plan))
        unknown = any(not self.journal.known.samples.get(hash_) for hash_ in self.cut)
        return int(failed or (unknown and gate.fail_if_slower is None))


def measure(wanted: Wanted, loaded: LoadedCampaign, here: Here) -> Measured:
    """Take what a file lacks of the samples."""
    machine_warnings = list if wanted.quiet else watch_machine(wanted.build_root)
    plan = make_plan(loaded.campaign, wanted.build_root, RESULTS)
    load_slow_modules(plan)
    if here.part is not None and here.deals:
        plan = plan.dealt(here.part.number, here.part.of)
    check_memory(plan)
    with switching(plan.configurations, warn) as switch:
        if wanted.fresh and here.part is None:
            put_aside(here.records)
        journal = open_journal(here, loaded, plan, wanted.remedy)
        if not wanted.quiet:
            parts = 1 if here.part is None else here.part.of
            lines = warnings_before(plan, wanted.build_root, parts, machine_warnings)
            unreadable = sentences(journal.known.unreadable)
            say_all(make_console(plain=wanted.plain), [*unreadable, *lines])
        engine, seconds = take_samples(wanted, here, plan, journal, switch)
    if not wanted.quiet:
        say_all(make_console(), summary(journal, plan, engine, seconds))
    return Measured(journal, plan, engine.cut, bool(switch.unrestored))


def load_slow_modules(plan: Plan) -> None:
    """Load now, while the machine is watched, what would be loaded while time counts."""
    if plan.campaign.until_decided is not None:
        import_module("scipy.special")  # which forecasts need


def warn(line: str) -> None:
    echo(f"pollux: {line}", to_stderr=True)


def open_journal(here: Here, loaded: LoadedCampaign, plan: Plan, remedy: str) -> Journal:
    """The file of records, with a line on this start."""
    journal = Journal(here.records)
    refuse_changes(plan, journal, remedy)
    journal.append(describe_start(loaded, plan, here.part))
    return journal


def take_samples(
    wanted: Wanted, here: Here, plan: Plan, journal: Journal, switch: Switch
) -> tuple[Engine, float]:
    """Run the campaign to its end; how that went, and the seconds that it took."""
    console = make_console(plain=wanted.plain)
    progress = here.progress or choose_progress(console, quiet=wanted.quiet)
    began = time.monotonic()
    program = None if plan.campaign.power is None else find_sampler(wanted.build_root)
    engine = choose_engine(plan, journal, progress, switch, here.part)
    with (
        sampling(program, plan.campaign.power, next_timeline(journal.path), warn) as sampler,
        ended(journal, engine),
        closing(progress),
    ):
        engine.between = sampler.look
        engine.run()
    return engine, time.monotonic() - began


def choose_engine(
    plan: Plan, journal: Journal, progress: Quiet, switch: Switch, part: PartOf | None
) -> Engine:
    """That of a fixed plan, or of one that runs until it is decided."""
    campaign = plan.campaign
    if campaign.until_decided is None:
        return Engine(plan, journal, progress, switch)
    from pollux.core.analysis.axes import in_means
    from pollux.core.analysis.stopping import Standings, chance_of  # loads numpy

    comparisons = comparisons_of(plan)
    standings = Standings(campaign.until_decided, comparisons.levels, chance_of(part))
    if any(map(in_means, plan.configurations)):
        for number, series in enumerate(comparisons.series):
            for at, other in enumerate(comparisons.cells[series.cell][1:]):
                if not in_means(other):
                    standings.set_apart(number, at)
    goal = Goal(comparisons, standings, campaign.budget or BUDGET)
    return Pursuit(plan, journal, progress, goal, switch)


def core_gflops(plan: Plan) -> float:
    calibration = calibrate(plan.calibration)
    return max(calibration.gflops) if calibration else ASSUMED_GFLOPS


def choose_output(output: Path | None, name: str) -> Path:
    """The record file; only the project's own folder for them is created."""
    if output is not None:
        return output.absolute()
    try:
        RESULTS.mkdir(exist_ok=True)
    except OSError as error:
        raise refusal(RESULTS, error, "a file in a folder that exists") from error
    return RESULTS / f"{name}.jsonl"


def refuse_changes(plan: Plan, journal: Journal, remedy: str) -> None:
    """Stop if the file contains samples of configurations that have changed, or other rotas.

    Where its lines on starts cannot be read, the configurations tell.
    """
    known, by = journal.known, plan.campaign.by
    if known.count() and known.name not in (plan.campaign.name, None):
        difference = f"its name was {known.name} and is now {plan.campaign.name}"
        raise of_another(journal.path, difference, remedy)
    if known.count() and known.by not in (by, None):
        raise of_another(journal.path, f"`by` was {known.by} and is now {by}", remedy)
    names = {c.name(): c for h, c in known.configurations.items() if known.samples.get(h)}
    for configuration in plan.configurations:
        earlier = names.get(configuration.name())
        if earlier is not None and configuration.hash() not in known.samples:
            raise of_another(journal.path, first_difference(earlier, configuration), remedy)


def of_another(path: Path, difference: str, remedy: str) -> BadUsageError:
    return BadUsageError(f"{path} holds samples of another campaign: {difference}; {remedy}")


def first_difference(earlier: Configuration, now: Configuration) -> str:
    """What changed about a configuration, in a phrase."""
    old, new = earlier.model_dump(), now.model_dump()
    changed = [name for name in old if old[name] != new[name]]
    where = f"{now.benchmark} {now.variant} on {now.runtime}"
    if not changed:
        return f"{where} was described by another version of pollux"
    field = "builds" if "builds" in changed else changed[0]
    if field == "builds":
        both = old[field] | new[field]
        files = [name for name in both if old[field].get(name) != new[field].get(name)]
        return f"the {' and the '.join(files)} of {where} was rebuilt or replaced"
    return f"{field} of {where} was {old[field]} and is now {new[field]}"


def describe_start(loaded: LoadedCampaign, plan: Plan, part: PartOf | None = None) -> Start:
    campaign = plan.campaign
    return Start(
        unix_ns=time.time_ns(),
        pollux=version("pollux"),
        name=campaign.name,
        summary=campaign.summary,
        by=campaign.by,
        reference=plan.reference,
        processes=campaign.processes,
        configurations=len(plan.configurations),
        file=str(loaded.path),
        text=loaded.text,
        until_decided=campaign.until_decided,
        budget=None if campaign.until_decided is None else campaign.budget or BUDGET,
        decide=list(dict.fromkeys(chain.from_iterable(plan.terms.values()))),
        overrides=loaded.overrides,
        environment=relevant(os.environ),
        part=part,
    )


def choose_progress(console: Console, *, quiet: bool) -> Quiet:
    if quiet:
        return Quiet(make_console(to_stderr=True))
    return Terminal(console) if console.is_terminal else Plain(console)


@contextmanager
def ended(journal: Journal, engine: Engine) -> Iterator[None]:
    """Note in the journal how the campaign stopped."""
    try:
        yield
    except KeyboardInterrupt as error:
        journal.append(End(unix_ns=time.time_ns(), complete=False, stopped=Stopped.INTERRUPTED))
        raise InterruptedByUserError(
            f"interrupted; {journal.known.count()} samples are safe in {journal.path}, "
            f"{SAME_COMMAND} resumes from there"
        ) from error
    journal.append(End(unix_ns=time.time_ns(), complete=True, stopped=engine.stopped))


@contextmanager
def closing(progress: Quiet) -> Iterator[None]:
    try:
        yield
    finally:
        progress.close()
