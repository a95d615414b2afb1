# SPDX-License-Identifier: BSD-3-Clause
"""All checks of the machine in one table, and their summary."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path

from pollux.core.parts import parts
from pollux.core.paths import RESULTS
from pollux.machine.doctor import (
    frequency,
    memory,
    processors,
    software,
    surroundings,
)
from pollux.machine.doctor.finding import Affects, Check, Finding, Verdict, unknown
from pollux.machine.doctor.machine import Machine, this_machine

SOFTWARE = (
    Check("builds", "what a campaign can run", software.builds, Affects.WORK),
    Check("BLAS", "most of the time is spent in it", software.blas),
    Check(
        "other runtimes",
        "builds run under them too",
        software.other_runtimes,
        Affects.WORK,
    ),
)
MACHINE = (
    Check("governor", "the clock follows the load", frequency.governor),
    Check("energy preference", "power saving costs speed", frequency.preference),
    Check("turbo", "the clock follows heat and load", frequency.turbo),
    Check("frequency limit", "speed below the machine's own", frequency.frequency_limits),
    Check("kinds of cores", "a task's time varies by core", frequency.core_kinds),
    Check("idle states", "waiting threads wake late", frequency.idle_states),
    Check("temperature", "hot processors slow down", frequency.temperature),
    Check("throttling", "speed was, or is, held back", frequency.throttling),
    Check("processors", "what tasks can run on", processors.allowance),
    Check("CPU quota", "used up, all threads stop", processors.quota),
    Check("hardware threads", "two threads share one core", processors.hardware_threads),
    Check("NUMA", "moving pages takes time", processors.nodes),
    Check("isolated processors", "no balancing on them", processors.isolation),
    Check("clock source", "runtimes read the clock often", processors.clock_source),
    Check("virtualisation", "neighbours cannot be seen", processors.virtualisation),
    Check("steal", "time kept by the hypervisor", processors.steal),
    Check("other programs", "they slow some runs only", processors.other_programs),
    Check("load average", "something has been running", processors.load_average),
    Check("free memory", "page faults slow down", memory.free_memory),
    Check("swapping", "memory at disk speed", memory.swapping),
    Check("memory limit", "large matrices are refused", memory.memory_limit, Affects.WORK),
    Check("huge pages", "may differ from run to run", memory.huge_pages),
    Check("shell limits", "stacks and matrices need room", memory.shell_limits),
    Check("variables", "they change runtimes and BLAS", surroundings.variables),
)


def energy_checks() -> tuple[Check, ...]:
    """Those of counters and levers, where the part `energy` reads them."""
    if "energy" not in parts():
        return ()
    from pollux.machine.doctor import energy

    return (
        Check("energy counters", "energy as well as times", energy.counters, Affects.WORK),
        Check("levers", "campaigns over turbo and C-states", energy.levers, Affects.WORK),
    )


SURROUNDINGS = (
    Check("debugger", "stacks of hanging runs", surroundings.debugger, Affects.WORK),
    *energy_checks(),
    Check("disk", "records of campaigns", surroundings.room, Affects.WORK),
)
CHECKS = SOFTWARE + MACHINE + SURROUNDINGS


class Fitness(StrEnum):
    FIT = "fit to measure"
    RATIOS = "fit for ratios, not for absolute figures"
    UNFIT = "not fit"


@dataclass(frozen=True)
class Row:
    """A check with its finding."""

    check: Check
    finding: Finding

    @property
    def verdict(self) -> Verdict:
        return self.finding.verdict


def examine(machine: Machine, checks: tuple[Check, ...] = CHECKS) -> list[Row]:
    return [Row(check, examine_one(machine, check)) for check in checks]


def examine_one(machine: Machine, check: Check) -> Finding:
    """One check; a file with unexpected contents is a finding, not a failure."""
    try:
        return check.examine(machine)
    except (OSError, ValueError, IndexError, KeyError) as error:
        return unknown(f"cannot be determined: {error}")


def fitness(rows: list[Row]) -> Fitness:
    if problems(rows, Verdict.BAD):
        return Fitness.UNFIT
    return Fitness.RATIOS if problems(rows, Verdict.CAUTION) else Fitness.FIT


def problems(rows: list[Row], verdict: Verdict) -> list[str]:
    """In a few words each; of cautions, those about figures."""
    is_any = verdict is Verdict.BAD
    found = (row for row in rows if row.verdict is verdict and (is_any or affects_figures(row)))
    return [row.finding.brief for row in found]


def affects_figures(row: Row) -> bool:
    return row.check.affects is Affects.FIGURES


def summarise(rows: list[Row]) -> str:
    """One line: how fit the machine is, and what is wrong with it."""
    level = fitness(rows)
    parts = problems(rows, Verdict.BAD if level is Fitness.UNFIT else Verdict.CAUTION)
    dark = [r.check.name for r in rows if r.verdict is Verdict.UNKNOWN and affects_figures(r)]
    if dark:
        parts.append(f"not known: {', '.join(dark)}")
    return ": ".join([level, "; ".join(parts)]) if parts else str(level)


def summary_for_campaign(machine: Machine) -> list[str]:
    """Problems for measuring, in a few words each, the worst first."""
    rows = examine(machine, MACHINE)
    return [*problems(rows, Verdict.BAD), *problems(rows, Verdict.CAUTION)]


def watch_for_campaign(build_root: Path) -> Callable[[], list[str]]:
    """What harms measurements on this machine, one line each, once the caller has time for it.

    The machine is watched from now on, while the caller prepares what is to be measured.
    """
    return partial(summary_for_campaign, this_machine(RESULTS.parent, build_root))
