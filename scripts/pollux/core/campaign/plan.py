# SPDX-License-Identifier: BSD-3-Clause
"""A campaign's plan: its configurations, ready to run, and those that cannot run."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from pollux.core.campaign.compared import RELEVANT, cell_of, level_names
from pollux.core.campaign.labels import settle
from pollux.core.campaign.lines import Configuration
from pollux.core.campaign.model import Campaign
from pollux.core.campaign.planner import Planner
from pollux.core.campaign.variants import default_variant
from pollux.core.errors import MachineError
from pollux.core.executables.listing import Executables


@dataclass(frozen=True)
class Plan:
    """A campaign's configurations in the order of the file."""

    campaign: Campaign
    configurations: list[Configuration]
    unavailable: list[tuple[Configuration, str]]  # with the executable's reason
    calibration: Path | None  # program that measures the machine's speed
    left_out: list[str] = field(default_factory=list)  # messages about deviations from the file
    # Further quantities of each benchmark that are to be decided, where that is what it runs for.
    terms: dict[str, list[str]] = field(default_factory=dict)
    every: list[Configuration] = field(default_factory=list)  # in order, also unavailable ones

    def cells(self) -> list[list[Configuration]]:
        """Configurations that differ in nothing but what is compared."""
        return cells_of(self.configurations, self.campaign.by)

    @cached_property
    def levels(self) -> dict[str, str]:
        """By the hash of a configuration, that of the compared axis."""
        by_hash = {c.hash(): c for c in self.configurations}
        return level_names(by_hash, self.campaign.by)

    def level(self, configuration: Configuration) -> str:
        return self.levels[configuration.hash()]

    @cached_property
    def reference(self) -> str:
        """The level that others are compared with."""
        campaign = self.campaign
        if campaign.compares_runtimes:
            return campaign.reference_runtime()
        usual = default_variant(self.configurations) if campaign.by == "variant" else None
        return campaign.reference or usual or next(iter(self.levels.values()))

    def is_reference(self, configuration: Configuration) -> bool:
        return self.level(configuration) == self.reference

    def dealt(self, number: int, of: int) -> "Plan":
        """The part that the `number`th of so many jobs runs: what is compared stays together.

        Cells that cannot run are dealt too, since on another job's node they may.
        """
        cells = cells_of(self.every, self.campaign.by)
        own = {c.hash() for cell in cells[number - 1 :: of] for c in cell}
        chosen = [c for c in self.configurations if c.hash() in own]
        unavailable = [(c, reason) for c, reason in self.unavailable if c.hash() in own]
        campaign = self.campaign.model_copy(update={"reference": self.reference})  # the same in all
        return replace(self, campaign=campaign, configurations=chosen, unavailable=unavailable)

    def compares(self) -> bool:
        """Whether some cell has the reference and another level."""
        return any(len(cell) > 1 and any(map(self.is_reference, cell)) for cell in self.cells())

    def not_run(self) -> list[str]:
        """What cannot be run, with the reasons; sizes and the like make no difference."""
        lines = (
            f"not run: {c.benchmark} {c.variant} on {c.runtime}: {reason}"
            for c, reason in self.unavailable
        )
        return list(dict.fromkeys(lines))


def cells_of(configurations: Sequence[Configuration], by: str) -> list[list[Configuration]]:
    found: dict[tuple[object, ...], list[Configuration]] = defaultdict(list)
    for configuration in configurations:
        found[cell_of(configuration, by)].append(configuration)
    return list(found.values())


def make_plan(campaign: Campaign, build_root: Path, state: Path) -> Plan:
    """Expand a campaign's grid; `state` is the folder for results and the files kept with them."""
    campaign, left_out = settle(campaign, build_root)
    planner = Planner(campaign, Executables(build_root), state)
    expanded = planner.expand()
    configurations, unavailable = planner.complete(expanded)
    if not configurations:
        reasons = "; ".join(dict.fromkeys(reason for _, reason in unavailable))
        raise MachineError(f"none of the configurations can run here: {reasons}")
    if planner.lacking:
        labels = ", ".join(planner.lacking)
        left_out = [*left_out, f"priorities are off on all runtimes: not in force on {labels}"]
    completed = {c.name(): c for c in (*configurations, *(c for c, _ in unavailable))}
    every = [completed[c.name()] for c in expanded]
    calibration = planner.calibration()
    plan = Plan(campaign, configurations, unavailable, calibration, left_out, every=every)
    check_reference(plan, expanded)
    if not campaign.states_length and plan.compares():
        campaign = campaign.model_copy(update={"until_decided": RELEVANT})
    return replace(plan, campaign=campaign, terms=planner.terms(campaign))


def check_reference(plan: Plan, expanded: Sequence[Configuration]) -> None:
    """Several levels are compared with one of them, though it may be unavailable here."""
    numbered = {str(i): c for i, c in enumerate(expanded)}
    names = level_names(numbered, plan.campaign.by)
    planned = list(dict.fromkeys(names.values()))
    is_asked = ("reference",) in plan.campaign.source.overrides
    if plan.reference not in planned and (len(planned) > 1 or is_asked):
        raise plan.campaign.source.problem(
            ("reference",),
            f"{plan.reference} is not in the grid; choose one of {', '.join(planned)}",
        )
