# SPDX-License-Identifier: BSD-3-Clause
"""The levers of a campaign: set before a block, checked after it, restored at the end."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from pollux.core.campaign.lines import Configuration
from pollux.core.campaign.switch import Switch, settings_of
from pollux.core.errors import MachineError
from pollux.core.levers import in_words
from pollux.core.system_files import System, this_system
from pollux.energy.levers.effect import Usage, clock_above_limit
from pollux.energy.levers.session import Session
from pollux.energy.levers.state import (
    has_state,
    locked,
    others_lines,
    others_states,
    present_state,
    restoring,
)


class LeverSwitch(Switch):
    """Sets the levers of a session."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.usage: Usage | None = None

    def set(self, setting: Mapping[str, str]) -> None:
        if self.usage is not None and setting == self.session.setting:
            return
        self.session.apply(setting)
        self.usage = Usage.read(self.session.system)
        if (problem := clock_above_limit(self.session.system, setting)) is not None:
            raise MachineError(f"{in_words(setting)} has no effect: {problem}")

    def problems(self) -> list[str]:
        if self.usage is None:
            return []
        return [*self.session.changed(), *self.usage.risen(self.session.system)]


def check_levers(configurations: list[Configuration]) -> None:
    """Refuse a plan with settings that this machine cannot have; MachineError."""
    check_all(Session(this_system()), configurations)


def check_all(session: Session, configurations: list[Configuration]) -> None:
    for setting in settings_of(configurations):
        session.check(setting)


@contextmanager
def switching(configurations: list[Configuration], say: Callable[[str], None]) -> Iterator[Switch]:
    """Levers for these configurations; in the end, all are as before.

    What a process that was killed has left is restored first, also where no configuration sets any.
    """
    system = this_system()
    if not any(c.levers for c in configurations):
        restore_leftovers(system, say)
        yield Switch()
        return
    with locked(system):
        session = Session(system)
        for line in session.take_over():
            say(line)
        if session.kept:
            raise MachineError(
                f"levers are set by pollux levers set ({session.describe()}), and this campaign "
                "sets its own; pollux levers restore first"
            )
        if others := others_states(system):
            path, user = next(iter(others.items()))
            raise MachineError(
                f"levers are set by another user ({path}), and this campaign sets its own; "
                f"{restoring(user)} first"
            )
        check_all(session, configurations)
        switch = LeverSwitch(session)
        try:
            yield switch
        finally:
            switch.unrestored = session.restore()
            for line in switch.unrestored:
                say(line)


def restore_leftovers(system: System, say: Callable[[str], None]) -> None:
    """Restore what a killed process has left; say what is set on purpose."""
    for line in others_lines(system):
        say(line)
    if not has_state(system):
        return
    state = present_state(system)
    if state is not None and state.kept:
        say(f"levers are set by pollux levers set: {in_words(state.setting)}")
        return
    with locked(system):
        for line in Session(system).take_over():
            say(line)
