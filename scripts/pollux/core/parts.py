# SPDX-License-Identifier: BSD-3-Clause
"""The add-ons: what each gives to the command line and to the others, whether it is there or not.

A part is a folder beside `core` with a module `part` that holds its `Part`. No module of one part
names a module of another that may be missing: it asks here for a service by name.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

from pollux.core.errors import MachineError

ADD_ONS = ("output", "insight", "energy", "machine", "nights")  # in the order of the help


@dataclass(frozen=True)
class Part:
    """What an add-on gives."""

    title: str  # of its commands in the help
    commands: tuple[Callable[..., Any], ...]
    needs: tuple[str, ...] = ()  # parts without which it is not there either
    services: Mapping[str, str] = field(default_factory=dict)  # by name: "module:attribute"


@cache
def parts() -> dict[str, Part]:
    """The add-ons that are installed, with all that they need."""
    found = {name: part for name in ADD_ONS if (part := load(name)) is not None}
    return {name: part for name, part in found.items() if {*part.needs} <= {*found}}


def load(name: str) -> Part | None:
    """An add-on; None where its folder is missing, or empty."""
    module = f"pollux.{name}.part"
    try:
        part: Part = import_module(module).part
    except ModuleNotFoundError as error:
        if error.name not in (f"pollux.{name}", module):
            raise
        return None
    return part


def service(name: str) -> Any:  # noqa: ANN401 (whatever the part gives)
    """What an add-on gives by that name; None where none does."""
    return next(services(name), None)


def services(name: str) -> Iterator[Any]:
    """What each of the add-ons gives by that name."""
    for part in parts().values():
        if name in part.services:
            module, _, attribute = part.services[name].partition(":")
            yield getattr(import_module(module), attribute)


def required(name: str, part: str, what: str) -> Any:  # noqa: ANN401
    """A service that a user asked for; MachineError where its part is missing."""
    found = service(name)
    if found is None:
        raise MachineError(f"{what} needs the part '{part}' of pollux, which is not installed")
    return found
