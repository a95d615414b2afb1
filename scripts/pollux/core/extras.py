# SPDX-License-Identifier: BSD-3-Clause
"""Packages that only some commands need: extras, such as `pollux[report]` for pip.

A command needs the extra of its own name, or that of its part; pyproject.toml lists them.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec

from pollux.core.errors import MachineError
from pollux.core.parts import parts

REQUIREMENT = re.compile(r"""([A-Za-z0-9_.-]+)[^;]*;\s*extra == ["']([a-z]+)["']""")
ALL = "all"  # the extra of everything


@cache
def extras() -> dict[str, list[str]]:
    """The packages of each extra, as the metadata of the installed package list them."""
    from importlib.metadata import requires

    found: dict[str, list[str]] = {}
    for text in requires("pollux") or ():
        if match := REQUIREMENT.fullmatch(text):
            found.setdefault(match[2], []).append(match[1])
    return found


def names_for(command: str) -> Iterator[str]:
    """The extras that a command may need."""
    if command in extras():
        yield command
    for name, part in parts().items():
        if name in extras() and command in (c.__name__ for c in part.commands):
            yield name


def check(command: str) -> None:
    """Refuse a command before it begins where a package of its extra is missing."""
    for name in names_for(command):
        check_extra(name, f"pollux {command}")


def check_extra(name: str, what: str, instead: str = "") -> None:
    """Refuse what needs an extra where a package of it is missing; `instead`: what does not."""
    for package in extras().get(name, ()):
        if find_spec(package) is None:
            raise MachineError(lack(package, name, what) + instead)


def lack(package: str, extra: str, what: str) -> str:
    return (
        f"{what} needs the package {package}, which is not installed: pip install 'pollux[{extra}]'"
    )


def explained(error: ModuleNotFoundError, command: str) -> MachineError | None:
    """What to tell of a missing package of some extra; None for any other module."""
    package = (error.name or "").partition(".")[0]
    having = [name for name, packages in extras().items() if package in packages]
    if not having:
        return None
    wanted = [name for name in (*names_for(command), *having, ALL) if name in having]
    return MachineError(lack(package, wanted[0], f"pollux {command}".rstrip()))
