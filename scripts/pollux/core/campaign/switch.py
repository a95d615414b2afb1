# SPDX-License-Identifier: BSD-3-Clause
"""The levers of a campaign, which the part `energy` sets; without it, or without levers, none."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from pollux.core.campaign.lines import Configuration
from pollux.core.parts import required, service

PART = "energy"


class Switch:
    """Sets levers for blocks of runs; this one, of campaigns without levers, none."""

    def __init__(self) -> None:
        self.unrestored: list[str] = []  # lines on what could not be put back

    def set(self, setting: Mapping[str, str]) -> None:
        """Set these levers, all others as they were; MachineError where they have no effect."""

    def problems(self) -> list[str]:
        """What contradicts the setting since it was made: then it was not in force."""
        return []


def settings_of(configurations: list[Configuration]) -> list[dict[str, str]]:
    """The different settings of levers, in the order of the plan."""
    found = {tuple(c.levers.items()): c.levers for c in configurations}
    return list(found.values())


def check_levers(configurations: list[Configuration]) -> None:
    """Refuse a plan with settings that this machine cannot have; MachineError."""
    if any(c.levers for c in configurations):
        required("check_levers", PART, "a campaign with levers")(configurations)


@contextmanager
def switching(configurations: list[Configuration], say: Callable[[str], None]) -> Iterator[Switch]:
    """Levers for these configurations; in the end, all are as before."""
    if any(c.levers for c in configurations):
        required("switching", PART, "a campaign with levers")
    provided = service("switching")
    if provided is None:
        yield Switch()
        return
    with provided(configurations, say) as switch:
        yield switch
