# SPDX-License-Identifier: BSD-3-Clause
"""`pollux runtimes`: the OpenMP runtimes of this machine, and what can be run under each."""

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pollux.core.advice import GET_RUNTIME, makes
from pollux.core.commands.options import BUILD_ROOT, check_build_root
from pollux.core.paths import BUILDS, ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from pollux.core.runtimes.found import Found, Library
    from pollux.core.tables import Column


WIDTH = 240  # of the table in a file or pipe
OMPT = {True: "yes", False: "no", None: "?"}


class Format(StrEnum):
    TABLE = "table"
    JSON = "json"


FormatOption = Annotated[Format, typer.Option("--format", help="How to print.")]
BuildRoot = Annotated[Path | None, BUILD_ROOT]


def runtimes(*, format_: FormatOption = Format.TABLE, build_root: BuildRoot = None) -> int:
    """List the OpenMP runtimes of this machine, and what can be run under each.

    Each row is a library; identical copies share a row. Labels are for `pollux run --runtime` and
    campaigns: a build's name, or a compiler with a library, such as gcc+libomp19. Libraries in
    runtimes/ (POLLUX_RUNTIMES names another folder) are found in addition to the system's;
    pollux-get-runtime puts packaged ones there.

    Example: pollux runtimes --format json | jq -r '.libraries[].label'
    """
    from pollux.core.console import echo, make_console
    from pollux.core.runtimes.found import look

    if build_root is not None:
        check_build_root(build_root)
    found = look(ROOT, (build_root or BUILDS).resolve())
    if format_ is Format.JSON:
        echo(json.dumps(as_data(found), indent=2))
    else:
        show(found, make_console(plain_width=WIDTH))
    return 0


def as_data(found: "Found") -> dict[str, Any]:
    """All that is known, for other programs."""
    return {
        "libraries": [library_data(library) for library in found.libraries],
        "builds": [
            {"label": b.preset, "runtime": str(b.runtime) if b.runtime else None}
            for b in found.builds
        ],
        "combinations": [
            {"label": c.label, "preset": c.preset, "library": c.library.label, "problem": c.problem}
            for c in found.possible
        ],
    }


def library_data(library: "Library") -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(library) | {"path": str(library.path)}


def show(found: "Found", console: "Console") -> None:
    """A table of libraries, then what is built and what can be combined."""
    from pollux.core.tables import fits, put, put_table

    if found.libraries:
        short, places = columns(found.libraries)
        if fits([*short, *places], console.width):
            put_table(console, [*short, *places])
        else:
            put_table(console, short)
            put(console, "")
            for library in found.libraries:
                name = "" if library.problem else f"{library.label}: "
                put(console, f"{name}{library.path}")
                put(console, f"    found by {', '.join(library.found)}")
        put(console, "")
    for line in lines(found):
        put(console, line)


def columns(libraries: "list[Library]") -> "tuple[list[Column], list[Column]]":
    """What a library is, and where it is."""
    from pollux.core.tables import Column

    def known(cell: "Callable[[Library], str]") -> list[str]:
        return ["" if library.problem else cell(library) for library in libraries]

    labels = ["-" if library.problem else library.label for library in libraries]
    return [
        Column("label", labels, is_left=True),
        Column("runtime", known(lambda x: x.name), is_left=True),
        Column("version", known(lambda x: x.version or "?"), is_left=True),
        Column("calls", known(lambda x: ", ".join(x.abi)), is_left=True),
        Column("OMPT", known(lambda x: OMPT[x.ompt]), is_left=True),
        Column("build-id", known(lambda x: (x.build_id or "none")[:12]), is_left=True, spare=1),
    ], [
        Column("found by", [", ".join(library.found) for library in libraries], is_left=True),
        Column("path", [str(library.path) for library in libraries], is_left=True),
    ]


def lines(found: "Found") -> list[str]:
    """What no table shows: problems, builds and combinations, one line each."""
    problems = list(dict.fromkeys(x.problem for x in found.libraries if x.problem))
    unidentified = [
        f"not identified: {problem}: {paths_with(found, problem)}" for problem in problems
    ]
    built = [b.preset if b.runtime else f"{b.preset} (does not run)" for b in found.builds]
    labels = [c.label for c in found.combinations()]
    broken = [f"does not run: {c.label}: {c.problem}" for c in found.possible if c.problem]
    nothing = f"nothing; {makes('libgomp and libomp')}"
    return [
        *([] if found.libraries else ["no OpenMP runtime was found"]),
        *unidentified,
        f"built: {', '.join(built) or nothing}",
        f"combinations: {', '.join(labels) or f'none; {GET_RUNTIME} gets more libraries'}",
        *broken,
    ]


def paths_with(found: "Found", problem: str) -> str:
    same = [str(library.path) for library in found.libraries if library.problem == problem]
    return ", ".join(same) if len(same) < len(found.libraries) else "all"
