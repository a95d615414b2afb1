# SPDX-License-Identifier: BSD-3-Clause
"""Asks `identify`, a program of the builds, what libraries are."""

import contextlib
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from pollux.core.executables.builds import built_presets, find_tool
from pollux.core.executables.listing import query
from pollux.core.executables.process import Ended
from pollux.core.models import Lenient
from pollux.core.text import is_utf8


class Identity(Lenient):
    """What `identify` reports about a library, one line each."""

    path: str
    soname: str | None = None
    name: str | None
    version: str | None
    build_id: str | None
    abi: tuple[str, ...]
    ompt: bool | None


def find_identify(builds: Path) -> Path | None:
    """The program `identify` of some build; any does, since it is linked with no runtime."""
    presets = sorted(built_presets(builds), key=lambda name: ("-" in name, name))
    return find_tool(builds, presets, "identify")


def identify(program: Path, libraries: Sequence[Path]) -> dict[Path, Identity | str]:
    """What each library is, or why it cannot be identified."""
    together = identities(query([str(program), *map(str, libraries)]))
    return {path: together.get(str(path)) or alone(program, path) for path in libraries}


def alone(program: Path, library: Path) -> Identity | str:
    """Ask about one library alone, so that output on standard error is about it."""
    if not is_utf8(str(library)):
        return "its path is not UTF-8"
    answer = query([str(program), str(library)])
    identity = identities(answer).get(str(library))
    if identity is not None:
        return identity
    if answer.status == 0:
        return f"{program} reports nothing about it: built from another version of the source"
    return answer.failure


def identities(answer: Ended) -> dict[str, Identity]:
    """The well-formed lines, by the path that was asked about."""
    found = {}
    for line in answer.stdout.splitlines():
        with contextlib.suppress(ValidationError):
            identity = Identity.model_validate_json(line)
            found[identity.path] = identity
    return found
