# SPDX-License-Identifier: BSD-3-Clause
"""Where each value of a campaign was written: a line of its file, or an override."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pollux.core.errors import BadUsageError
from pollux.core.text import cut, one_line

Key = tuple[str | int, ...]
T = TypeVar("T")


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
            return cut(one_line(override))
        shown = str(self.path) if self.path else "campaign"
        line = nearest(self.lines, key)
        return shown if line is None else f"{shown}:{line}"

    def line_number(self, key: Key) -> int:
        """The line of a key, for sorting; 0 where it has none."""
        return nearest(self.lines, key) or 0

    def override(self, key: Key) -> str | None:
        """The override that set a key, or a part of it."""
        return nearest(self.overrides, key)

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


def nearest(known: Mapping[Key, T], key: Key) -> T | None:
    """What is known of a key, or of the nearest table around it."""
    prefixes = (key[:length] for length in range(len(key), 0, -1))
    return next((known[p] for p in prefixes if p in known), None)


def quoted(part: str | int) -> str:
    """A part of a dotted key as TOML spells it."""
    text = str(part)
    bare = text.isascii() and all(c.isalnum() or c in "-_" for c in text)
    return cut(text if bare and text else f'"{one_line(text)}"')
