# SPDX-License-Identifier: BSD-3-Clause
"""`pollux levers`: shows, sets and restores turbo, idle states, governors and frequency limits."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pollux.core.commands.shared import TableOrJson
from pollux.core.errors import BadUsageError, MachineError

if TYPE_CHECKING:
    from pollux.core.system_files import System
    from pollux.energy.levers.session import Session


Action = Annotated[
    Literal["show", "set", "restore"],
    typer.Argument(metavar="show|set|restore", help="What to do.", show_default=True),
]
Settings = Annotated[
    list[str] | None,
    typer.Argument(metavar="LEVER=VALUE", help="For set, such as turbo=off cstates=none."),
]
Cpus = Annotated[
    str | None,
    typer.Option("--cpu", metavar="LIST", help="Set only these processors, such as 0-3,8."),
]
Hold = Annotated[
    bool, typer.Option("--hold", help="Keep the levers set until Ctrl-C, then restore them.")
]


def levers(
    action: Action = "show",
    settings: Settings = None,
    *,
    cpu: Cpus = None,
    hold: Hold = False,
    format_: TableOrJson = "table",
) -> int:
    """Show, set or restore the processor's levers: turbo, C-states, governors, frequency limits.

    Levers and their values: turbo on, off; cstates all, none, or the deepest state to allow;
    governor and epp (energy-performance preference) by name; frequency_min and frequency_max such
    as 2.4GHz, or hardware; dma_latency in µs, only with --hold.

    The former state is on the disk before anything is written. What set has done lasts until
    restore; what a killed process has left is restored by the next command that uses levers.
    Setting levers needs root, or the rules in packaging/. docs/energy.md describes them.

    Exit status: 0 success; 2 bad usage; 3 this machine lacks a lever, or refuses a value: then
    everything is as before.

    Example: sudo pollux levers set turbo=off cstates=none
    """
    from pollux.core.system_files import this_system

    if action != "set" and (settings or cpu is not None or hold):
        raise BadUsageError(f"LEVER=VALUE, --cpu and --hold are for set, not for {action}")
    system = this_system()
    if action == "show":
        return show(system, format_)
    if format_ != "table":
        raise BadUsageError(f"--format is for show, not for {action}")
    if action == "restore":
        return restore(system)
    return set_levers(system, settings or [], cpu, hold=hold)


def show(system: "System", format_: str) -> int:
    from pollux.core.console import echo, make_console
    from pollux.energy.levers.available import inspect_all
    from pollux.energy.levers.show import as_json, show_levers
    from pollux.energy.levers.state import others_lines, present_state

    state = present_state(system)
    found = inspect_all(system)
    if format_ == "json":
        echo(as_json(system, found, state))
    else:
        show_levers(make_console(), system, found, state)
    for line in others_lines(system):
        echo(line, to_stderr=format_ == "json")
    return 0


def restore(system: "System") -> int:
    from pollux.energy.levers.session import Session
    from pollux.energy.levers.state import has_state, locked, others_lines

    if not has_state(system):
        report([*others_lines(system), "nothing to restore"])
        return 0
    with locked(system):
        session = Session(system)
        said = session.take_over()
        if session.kept:
            said = session.restore() or ["all levers are as they were"]
        if session.former:
            raise MachineError("; ".join(said))
    report(said)
    return 0


def set_levers(system: "System", texts: list[str], cpu: str | None, *, hold: bool) -> int:
    from pollux.core.levers import in_words
    from pollux.energy.levers.session import Session
    from pollux.energy.levers.state import locked, others_lines

    setting = parse_setting(texts)
    cpus = parse_cpus(cpu, system)
    if "dma_latency" in setting and not hold:
        raise BadUsageError(
            "dma_latency lasts only while a process holds the device open: add --hold, or name it "
            "in a campaign"
        )
    with locked(system):
        session = Session(system)
        report([*others_lines(system), *session.take_over()])
        if hold and session.kept:
            what = f"levers are set by pollux levers set ({session.describe()})"
            raise MachineError(f"{what}; pollux levers restore first")
        with restored_if_interrupted(session):
            session.apply(setting, cpus, adding=True)
            report(also_set(system, setting, cpus))
            if hold:
                return wait(session)
            session.keep()
        report([f"set: {in_words(setting)}; pollux levers restore undoes it"])
        return 0


def also_set(system: "System", setting: dict[str, str], cpus: frozenset[int] | None) -> list[str]:
    """A line on processors that are not of --cpu, but have a frequency in common with some."""
    from pollux.core.kernel_files import format_list
    from pollux.energy.levers.files import FAMILIES, FREQUENCY, policies_of

    names = ", ".join(lever for lever in setting if FAMILIES.get(lever) == FREQUENCY)
    if cpus is None or not names:
        return []
    others = frozenset[int]().union(*policies_of(system, cpus).values()) - cpus
    what = f"{names} of processors {format_list(others)} too"
    return [f"{what}: they share a frequency with those of --cpu"] if others else []


@contextmanager
def restored_if_interrupted(session: "Session") -> Iterator[None]:
    """Whatever ends this block early, levers that are not kept are as before."""
    try:
        yield
    except BaseException as error:
        left = [] if session.kept else session.undo()
        if left and not isinstance(error, MachineError):  # which says so itself
            raise MachineError("; ".join(left)) from error
        raise


def wait(session: "Session") -> int:
    """Keep the levers until a signal, then restore them."""
    from pollux.core.interruption import held, sleep_until_interrupted

    try:
        with held():  # an interrupted write could put the line out twice
            report([f"set: {session.describe()}; Ctrl-C restores the levers"])
        sleep_until_interrupted()
    except KeyboardInterrupt:
        pass
    finally:
        left = session.restore()
    if left:
        raise MachineError("; ".join(left))
    report(["all levers are as they were"])
    return 0


def parse_setting(texts: list[str]) -> dict[str, str]:
    """LEVER=VALUE of the command line; BadUsageError says what is wrong with one."""
    from pollux.core.campaign.file import suggestion
    from pollux.core.levers import LEVERS, PARSERS
    from pollux.core.shares import shown

    if not texts:
        raise BadUsageError(f"set needs LEVER=VALUE; levers are {', '.join(LEVERS)}")
    setting: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise BadUsageError(f"{shown(text)}: must be LEVER=VALUE, such as turbo=off")
        if name not in PARSERS:
            raise BadUsageError(f"{shown(name)} is not a lever{suggestion(name, list(LEVERS))}")
        if name in setting:
            raise BadUsageError(f"{name} is given twice; give it once")
        try:
            setting[name] = PARSERS[name](value)
        except ValueError as error:
            raise BadUsageError(f"{name}={value}: {error}") from error
    return setting


def parse_cpus(text: str | None, system: "System") -> frozenset[int] | None:
    """The processors of --cpu, all of which must be there and online."""
    import re

    from pollux.core.kernel_files import format_list, parse_list
    from pollux.core.shares import shown

    if text is None:
        return None
    if not re.fullmatch(r"\d{1,5}(-\d{1,5})?(,\d{1,5}(-\d{1,5})?)*", text):
        raise BadUsageError(f"--cpu {shown(text)}: must be a list of processors, such as 0-3,8")
    for part in text.split(","):
        first, _, last = part.partition("-")
        if last and int(first) > int(last):
            raise BadUsageError(f"--cpu {text}: {part} goes backwards; write {last}-{first}")
    cpus = parse_list(text)
    if unknown := cpus - system.present():
        raise BadUsageError(
            f"--cpu {text}: there is no processor {format_list(unknown)}; this machine has "
            f"{format_list(system.present())}"
        )
    if offline := cpus - system.processors():
        raise MachineError(f"--cpu {text}: processor {format_list(offline)} is offline")
    return cpus


def report(lines: list[str]) -> None:
    from pollux.core.console import echo

    for line in lines:
        echo(line)
