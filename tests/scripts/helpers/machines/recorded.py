# SPDX-License-Identifier: BSD-3-Clause
"""Lays out a recorded machine as files.

A line `@ PATH = TEXT` is a file of one line, `@ PATH` begins one that goes on to the next `@`.
`{0-3}` in a path stands for each of these numbers. `later/PATH` is what a file says a moment later,
`$ COMMAND` what a program prints, and `allowed` the processors that the process may use.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypedDict, Unpack

from pollux.core.executables.process import Ended
from pollux.core.kernel_files import parse_list
from pollux.core.system_files import System
from pollux.machine.doctor.checkup import CHECKS, examine
from pollux.machine.doctor.finding import Finding
from pollux.machine.doctor.machine import Limits, Machine

FOLDER = Path(__file__).parent
NAMES = ("container", "here", "laptop", "raspberry", "server")
OWN_PROCESS = 999
GIB = 2**30


class Facts(TypedDict, total=False):
    """What is not in files, where it is to differ from a plain shell with room on its disk."""

    environment: Mapping[str, str]
    run: Callable[..., Ended | None]
    limits: Limits
    free_bytes: Callable[[Path], int]
    runtime_files: Callable[[], Sequence[Path]]
    superuser: bool


def read_machine(name: str) -> dict[str, str]:
    """The files, commands and facts of a recorded machine."""
    entries: dict[str, str] = {}
    for section in re.split(r"^@ ", (FOLDER / f"{name}.txt").read_text(), flags=re.M)[1:]:
        head, _, rest = section.partition("\n")
        path, equals, text = head.partition(" =")
        for full in expand(path.strip()):
            entries[full] = text.removeprefix(" ") + "\n" if equals else rest
    return entries


def expand(path: str) -> list[str]:
    match = re.search(r"\{([\d,-]+)\}", path)
    if not match:
        return [path]
    begin, end = path[: match.start()], path[match.end() :]
    return [f for n in sorted(parse_list(match[1])) for f in expand(f"{begin}{n}{end}")]


def lay_out(root: Path, entries: Mapping[str, str | None]) -> None:
    for path, text in entries.items():
        if text is not None:
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)


def recorded(
    name: str | None,
    folder: Path,
    files: Mapping[str, str | None] | None = None,
    **facts: Unpack[Facts],
) -> Machine:
    """A recorded machine, or one that reports nothing; with other files (None: none) or facts."""
    entries: dict[str, str | None] = {**(read_machine(name) if name else {})}
    for path, text in (files or {}).items():
        entries.update(dict.fromkeys(expand(path), text))
    allowed = parse_list(entries.pop("allowed", None) or "0-1")
    commands = {p.removeprefix("$ "): t for p, t in entries.items() if p.startswith("$ ")}
    root = folder / "root"
    root.mkdir()
    later = {p: t for p, t in entries.items() if p.startswith("later/")}
    lay_out(root, {p: t for p, t in entries.items() if p not in later and not p.startswith("$ ")})
    lay_out(folder, later)
    machine = Machine(
        root=root,
        environment={},
        run=runner(commands),
        allowed=allowed,
        limits=Limits(None, 8 * 2**20),
        project=folder / "project",
        build_root=folder / "project" / "build",
        later=lambda: folder / "later",
        free_bytes=lambda _: 100 * GIB,
        runtime_files=list,
        own_process=OWN_PROCESS,
        superuser=False,
        system=System(root),
    )
    return replace(machine, **facts)


def runner(commands: Mapping[str, str | None]) -> Callable[..., Ended | None]:
    def run(*words: str) -> Ended | None:
        text = commands.get(" ".join(words))
        return None if text is None else Ended(0, text, "")

    return run


def finding(machine: Machine, name: str) -> Finding:
    """What one check finds on a machine."""
    check = next(check for check in CHECKS if check.name == name)
    return examine(machine, (check,))[0].finding
