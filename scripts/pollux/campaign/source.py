# SPDX-License-Identifier: BSD-3-Clause
"""Where each value of a campaign was written: a line of its file, or an override.

tomllib reports no positions. A TOML file is a sequence of statements that begin on lines of their
own; each is parsed by itself, and the keys it sets are recorded with its first line.
"""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pollux.errors import BadUsageError

Key = tuple[str | int, ...]
STATEMENT_LINES = 2000  # of one array or string: longer ones are not searched


@dataclass(frozen=True)
class Source:
    """Lines of a campaign's file by key, and the overrides that replace some."""

    path: Path | None = None
    lines: dict[Key, int] = field(default_factory=dict)
    overrides: dict[Key, str] = field(default_factory=dict)

    def place(self, key: Key) -> str:
        """Where a key, or the nearest table around it, was written."""
        override = self.override(key)
        if override is not None:
            return override
        shown = str(self.path) if self.path else "campaign"
        for length in range(len(key), 0, -1):
            line = self.lines.get(key[:length])
            if line is not None:
                return f"{shown}:{line}"
        return shown

    def line_number(self, key: Key) -> int:
        """The line of a key, for sorting; 0 where it has none."""
        prefixes = (key[:length] for length in range(len(key), 0, -1))
        return next((self.lines[p] for p in prefixes if p in self.lines), 0)

    def override(self, key: Key) -> str | None:
        """The override that set a key, or a part of it."""
        prefixes = [key[:length] for length in range(len(key), 0, -1)]
        return next((self.overrides[p] for p in prefixes if p in self.overrides), None)

    def folder(self, key: Key) -> Path:
        """The folder of relative paths in a value."""
        if self.path is None or self.override(key) is not None:
            return Path.cwd()
        return self.path.resolve().parent

    def line(self, key: Key, message: str) -> str:
        """One line that says what is wrong with a key, and where."""
        name = ".".join(quoted(part) for part in key if not isinstance(part, int))
        return ": ".join(part for part in (self.place(key), name, message) if part)

    def problem(self, key: Key, message: str) -> BadUsageError:
        return BadUsageError(self.line(key, message))


def quoted(part: str | int) -> str:
    """A part of a dotted key as TOML spells it."""
    text = str(part)
    bare = text.isascii() and all(c.isalnum() or c in "-_" for c in text)
    return text if bare and text else f'"{text}"'


def locate(text: str) -> dict[Key, int]:
    """The line of every key and table of a well-formed TOML text."""
    found: dict[Key, int] = {}
    counts: dict[Key, int] = {}
    table: Key = ()
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        stripped = lines[at].strip()
        number = at + 1
        if not stripped or stripped.startswith("#"):
            at += 1
        elif stripped.startswith("["):
            table = header(stripped, counts)
            found.setdefault(table, number)
            at += 1
        else:
            length, contents = statement(lines, at)
            note(found, table, contents, number)
            at += length
    return found


def header(line: str, counts: dict[Key, int]) -> Key:
    """The key of a [table], or of the next element of an [[array of tables]]."""
    contents: Any = tomllib.loads(line)
    key: Key = ()
    while contents:
        name, contents = next(iter(contents.items()))
        key += (name,)
        if isinstance(contents, list):
            counts[key] = counts.get(key, -1) + 1
            return (*key, counts[key])
    return key


def statement(lines: list[str], at: int) -> tuple[int, dict[str, Any]]:
    """How many lines `key = value` takes from here, and its contents."""
    for length in range(1, min(STATEMENT_LINES, len(lines) - at) + 1):
        try:
            return length, tomllib.loads("\n".join(lines[at : at + length]))
        except tomllib.TOMLDecodeError:
            continue
    return 1, {}


def note(found: dict[Key, int], table: Key, contents: dict[str, Any], number: int) -> None:
    """Record the line of each key that a statement sets, those of inline tables included."""
    for name, value in contents.items():
        key = (*table, name)
        found.setdefault(key, number)
        if isinstance(value, dict):
            note(found, key, value, number)
