# SPDX-License-Identifier: BSD-3-Clause
"""What `pollux run` says before it measures: of the machine, the plan, and too few processes."""

from collections.abc import Callable
from pathlib import Path

from pollux.core.campaign.dry_run import memory_warnings
from pollux.core.campaign.plan import Plan
from pollux.core.campaign.taking import how_taken
from pollux.core.executables.benchmarks import Benchmarks
from pollux.core.executables.listing import Executables
from pollux.core.executables.variables import quota_notes
from pollux.core.parts import service
from pollux.core.text import first_lines


def watch_machine(build_root: Path) -> Callable[[], list[str]]:
    """What harms measurements on this machine, one line each; it is watched from now on."""
    found = service("watch_machine")
    warnings = found(build_root) if found else list
    return lambda: [f"machine: {warning} (see pollux doctor)" for warning in warnings()]


def warnings_before(
    plan: Plan, build_root: Path, parts: int, machine_warnings: Callable[[], list[str]]
) -> list[str]:
    """What a user should know before anything is measured; this is one of so many parts."""
    of_plan = [
        *quota_notes((c.threads, c.variables) for c in plan.configurations),
        *memory_warnings(plan),
        *how_taken(plan),
        *verdict_warnings(plan, build_root, parts),
    ]
    missing = [*plan.left_out, *first_lines(plan.not_run())]
    return [*missing, *machine_warnings(), *of_plan]


def verdict_warnings(plan: Plan, build_root: Path, parts: int) -> list[str]:
    """A line where no verdict can come of so few processes; this is one of so many parts."""
    from pollux.core.analysis.enough import too_few  # loads numpy

    benchmarks = Benchmarks(Executables(build_root))
    return list(too_few(plan, lambda name: len(benchmarks.listing(name).quantities), parts))
