# SPDX-License-Identifier: BSD-3-Clause
"""`pollux runtimes`: the OpenMP runtimes of this machine, and what can be run under each."""

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pollux.core.advice import GET_RUNTIME, makes
from pollux.core.commands.options import check_build_root
from pollux.core.commands.shared import BuildRootAsGiven, TableOrJson
from pollux.core.errors import BadUsageError
from pollux.core.paths import BUILDS, ROOT, from_home, possible
from pollux.core.text import cut, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import Console

    from pollux.core.runtimes.found import Found, Library
    from pollux.core.tables import Column


WIDTH = 240  # of the table in a file or pipe
OMPT = {True: "yes", False: "no", None: "?"}
ADD, REMOVE = "add", "remove"  # what can be done with the user's own libraries
# The folder of a package of LLVM.
PACKAGE = re.compile(r"^/.*/llvm-(\d+)/lib$")
SPAN = re.compile(r"(\d+)-(\d+)")  # versions that a library's entry points do not tell apart
What = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[add PATH|remove NAME]", help="Name a library, or forget it; default: list all."
    ),
]
Name = Annotated[
    str | None,
    typer.Option("--as", metavar="NEW-LABEL", help="What the library that is added is called."),
]


def runtimes(
    what: What = None,
    *,
    name: Name = None,
    format_: TableOrJson = "table",
    build_root: BuildRootAsGiven = None,
) -> int:
    """List the OpenMP runtimes of this machine, and what can be run under each.

    Each row is a library; identical copies share a row. Labels are for `pollux run --runtime` and
    campaigns: a build's name, or a compiler with a library, such as gcc+libomp19. Libraries in the
    folder for runtimes, which pollux-get-runtime --help names, are found in addition to the
    system's; pollux-get-runtime puts packaged ones there.

    "add PATH --as NAME" gives any build of a library a label of its own: it runs as clang+NAME or
    gcc+NAME from then on, also after it was built again. PATH is the library, or the folder of its
    build or installation. "remove NAME" forgets it.

    Example: pollux runtimes add ~/llvm/build --as patched
    """
    from pollux.core.console import echo, make_console
    from pollux.core.runtimes.found import look

    action, operand = parse(what or [], name)
    if action is not None and format_ == "json":
        raise BadUsageError(f"--format is for the list of runtimes, not for {action}")
    if build_root is not None:
        check_build_root(build_root)
    builds = (build_root or BUILDS).resolve()
    if action == ADD:
        for line in add_library(Path(operand), name or "", builds):
            echo(line)
        return 0
    if action == REMOVE:
        echo(remove_library(operand))
        return 0
    found = look(ROOT, builds)
    if format_ == "json":
        echo(json.dumps(as_data(found), indent=2))
    else:
        show(found, make_console(plain_width=WIDTH))
    return 0


def parse(what: list[str], name: str | None) -> tuple[str | None, str]:
    """What is to be done, and with what."""
    if not what:
        if name is not None:
            raise BadUsageError("--as is for: pollux runtimes add PATH --as NAME")
        return None, ""
    if (action := what[0]) not in (ADD, REMOVE):
        raise BadUsageError(f"{cut(one_line(action))} is unknown; choose add or remove")
    operand = "PATH --as NAME" if action == ADD else "NAME"
    if len(what) != 2 or (action == ADD) != (name is not None):
        raise BadUsageError(f"usage: pollux runtimes {action} {operand}")
    return action, what[1]


def add_library(path: Path, name: str, builds: Path) -> "Iterator[str]":
    """Name a library; what it is, and what runs under it."""
    from pollux.core.runtimes.added import add, added, check_name, library_in
    from pollux.core.runtimes.found import look
    from pollux.core.runtimes.places import runtimes_folder

    check_name(name)
    library = library_in(possible(from_home(path)))
    folder = runtimes_folder(ROOT)
    before = look(ROOT, builds)
    is_new = name not in added(folder)
    if is_new and name in {
        *before.presets(),
        *(x.label for x in before.libraries if not x.problem),
    }:
        raise BadUsageError(f"--as {name}: that is the label of another runtime; choose a new one")
    add(folder, name, library)
    found = look(ROOT, builds)
    made = next(x for x in found.libraries if x.label == name)
    if made.problem and builds_identify(found):
        if is_new:
            remove_library(name)
        raise BadUsageError(f"{library}: {made.problem}")
    yield f"{name}: {in_words(made)}, {library}"
    own = [c for c in found.possible if c.library.label == name]
    runs = [c.label for c in own if c.problem is None]
    yield f"runs as {' and '.join(runs)}" if runs else "nothing that is built runs under it"
    yield from (f"does not run: {c.label}: {c.problem}" for c in own if c.problem)


def builds_identify(found: "Found") -> bool:
    """Whether some library could be identified, so that one that could not is at fault."""
    return any(library.problem is None for library in found.libraries)


def remove_library(name: str) -> str:
    from pollux.core.runtimes.added import remove
    from pollux.core.runtimes.places import runtimes_folder

    return f"{name} is forgotten; {remove(runtimes_folder(ROOT), name)} stays as it is"


def in_words(library: "Library") -> str:
    """A runtime with its version and build-id."""
    if library.problem:
        return f"not identified ({library.problem})"
    version = f" {library.version}" if library.version else ""
    return f"{library.name}{version}, build-id {(library.build_id or 'none')[:12]}"


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
        *notes(found.libraries),
        f"built: {', '.join(built) or nothing}",
        f"combinations: {', '.join(labels) or f'none; {GET_RUNTIME} gets more libraries'}",
        *broken,
    ]


def notes(libraries: "Sequence[Library]") -> "Iterator[str]":
    """What a label does not show: why some end in digits, and packages of another number."""
    from pollux.core.runtimes.names import library_label

    for library in libraries:
        if library.problem:
            continue
        if span := SPAN.fullmatch(library.version or ""):
            yield (
                f"{library.label}: {library.name} {span[1]} to {span[2]}, which have the same "
                "entry points, so that the file does not tell which it is"
            )
        if any(way.startswith("added as ") for way in library.found):
            continue
        plain = library_label(library.name, library.version, library.path)
        if library.label.startswith(f"{plain}-"):
            yield (
                f"{library.label}: there is another {plain}, so that the first digits of its "
                f"{digits_of(library)} follow; pollux runtimes add PATH --as NAME gives it a name "
                "of its own"
            )
        for number in map(PACKAGE.search, library.found):
            if number and library.version and number[1] != library.version.partition(".")[0]:
                yield (
                    f"{library.label} is also that of LLVM {number[1]} here ({number[0]}): a "
                    "package's number is not always its library's version"
                )


def digits_of(library: "Library") -> str:
    """What the digits at a label's end are of."""
    start = library.label.rpartition("-")[2]
    return "build-id" if (library.build_id or "").startswith(start) else "SHA-256"


def paths_with(found: "Found", problem: str) -> str:
    same = [str(library.path) for library in found.libraries if library.problem == problem]
    return ", ".join(same) if len(same) < len(found.libraries) else "all"
