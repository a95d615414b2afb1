# SPDX-License-Identifier: BSD-3-Clause
"""`pollux builds`: which builds there are, where they were found, and why one is not used."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pollux.core.commands.options import check_build_root
from pollux.core.commands.shared import BuildRootAsGiven, TableOrJson
from pollux.core.paths import IN_SOURCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from pollux.core.executables.trees import Place

WIDTH = 240  # of the table in a file or pipe
REMEDY = (
    "scripts/build makes builds"
    if IN_SOURCE
    else "name the prefix of an installed one, POLLUX_BUILDS=DIR"
)


@dataclass(frozen=True)
class Row:
    """A build in a place."""

    label: str
    path: str
    place: str
    runtime: str | None
    build_type: str | None
    version: str | None
    used: bool
    note: str  # why it is not used, or only where it is named


def builds(*, format_: TableOrJson = "table", build_root: BuildRootAsGiven = None) -> int:
    """List the builds that are found, the places searched, and why a build is not used.

    Builds are searched for in this order, and the first with a label is used: each folder that
    POLLUX_BUILDS names, separated by colons; build/ of the source tree that this pollux is in, else
    the prefix that it is installed in; the prefixes of folders on PATH. A folder may be a prefix of
    cmake --install, a folder of builds, or one build. --build-root DIR is searched alone.

    Exit status: 0 builds can be used, 2 bad usage, such as a folder in POLLUX_BUILDS that has no
    builds, which other commands refuse, 3 none can be used.

    Example: POLLUX_BUILDS=/opt/pollux pollux builds
    """
    from pollux.core.console import echo, make_console
    from pollux.core.errors import MachineError
    from pollux.core.executables.trees import VARIABLE, Place, places, trees_of
    from pollux.core.statuses import BAD_USAGE

    if build_root is None:
        searched = list(places())
    else:
        check_build_root(build_root)
        searched = [Place(build_root.absolute(), "given by --build-root")]
    rows = list(rows_of(searched))
    if format_ == "json":
        echo(json.dumps(as_data(searched, rows), indent=2))
    else:
        show(searched, rows, make_console(plain_width=WIDTH))
    if any(place.why == VARIABLE and not trees_of(place) for place in searched):
        return BAD_USAGE
    return 0 if any(row.used for row in rows) else MachineError.exit_code


def rows_of(searched: "list[Place]") -> "Iterator[Row]":
    """Every build of every place, in the order of the search."""
    from pollux.core.executables.trees import trees_of

    first: dict[str, Path] = {}
    for place in searched:
        for label, tree in trees_of(place).items():
            hidden = first.setdefault(label, tree)
            yield row_of(label, tree, place, None if hidden is tree else hidden)


def row_of(label: str, tree: Path, place: "Place", hidden_by: Path | None) -> Row:
    from pollux.core.executables.arguments import arguments
    from pollux.core.executables.builds import MEASURING, build_type, executables_in
    from pollux.core.executables.listing import query, runtime_named
    from pollux.core.executables.trees import NAMES, manifest_of

    manifest = manifest_of(tree)
    programs = executables_in(tree)
    runtime, problem = None, f"no complete build: bin/{NAMES} is missing, or names no program"
    if hidden_by is not None:
        problem = f"not used: {hidden_by} comes first"
    elif programs:
        answer = query([str(programs[0]), *arguments(version=True)])
        runtime = runtime_named(answer.stdout)
        why = answer.failure.removeprefix(f"{programs[0]}: ")
        failure = f"{programs[0].name} does not run: {why}"
        problem = why_refused(programs[0]) if answer.status == 0 else failure
    kind = build_type(tree)
    named_only = "" if kind in (None, MEASURING) else f"{kind}: used only where it is named"
    return Row(
        label=label,
        path=str(tree),
        place=str(place.path),
        runtime=runtime,
        build_type=kind,
        version=manifest.version if manifest else None,
        used=not problem,
        note=problem or named_only,
    )


def why_refused(program: Path) -> str:
    """What other commands say of a build whose program runs; "" where they take it."""
    from pollux.core.errors import BadUsageError, MachineError
    from pollux.core.executables.listing import describe

    try:
        describe(program, {})
    except (BadUsageError, MachineError) as error:
        return f"refused: {error.format_message()}"
    return ""


def as_data(searched: "list[Place]", rows: list[Row]) -> dict[str, Any]:
    """All that is known, for other programs."""
    return {
        "places": [
            {"path": str(place.path), "from": place.why, "problem": state(place, rows)[1]}
            for place in searched
        ],
        "builds": [asdict(row) for row in rows],
    }


def state(place: "Place", rows: list[Row]) -> tuple[int, str | None]:
    """How many builds a place has, and why it has none."""
    from pollux.core.executables.trees import problem

    count = sum(row.place == str(place.path) for row in rows)
    return count, None if count else problem(place)


def number(count: int) -> str:
    return "1 build" if count == 1 else f"{count} builds"


def show(searched: "list[Place]", rows: list[Row], console: "Console") -> None:
    """A table of builds, then the places in the order of the search."""
    from pollux.core.tables import Column, put, put_table

    if rows:
        put_table(
            console,
            [
                Column("build", [row.label for row in rows], is_left=True),
                Column("runtime", [row.runtime or "" for row in rows], is_left=True),
                Column("type", [row.build_type or "?" for row in rows], is_left=True),
                Column("version", [row.version or "?" for row in rows], is_left=True),
                Column("path", [row.path for row in rows], is_left=True),
            ],
        )
        put(console, "")
    for row in rows:
        if row.note:
            put(console, f"{row.label} in {row.place}: {row.note}")
    put(console, "searched, in this order:" if searched else "searched: nothing")
    for place in searched:
        count, problem = state(place, rows)
        put(console, f"  {place.path} ({place.why}): {problem or number(count)}")
    if not any(row.used for row in rows):
        put(console, f"no build can be used: {REMEDY}")
