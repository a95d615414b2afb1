# SPDX-License-Identifier: BSD-3-Clause
"""How the process of a run is started: by itself, or by a program that is put before it."""

import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from typing import Any

from pollux.core.shares import shown

FIELDS = ("threads", "ranks")  # what words may contain in braces
# These have a process of the system start the tasks, which are then no descendants of theirs.
ELSEWHERE = frozenset({"aprun", "flux", "jsrun", "lrun", "prun", "srun"})


@dataclass(frozen=True)
class Launcher:
    """The words before an executable's own, such as `taskset --cpu-list 0-3`; none: it alone."""

    words: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "Launcher":
        """A launcher as a shell would read it; ValueError says what is wrong."""
        try:
            words = tuple(shlex.split(text))
        except ValueError as error:
            raise ValueError(f"{shown(text)} cannot be split into words ({error})") from error
        if not words or not words[0]:
            raise ValueError(f"{shown(text)} names no program, such as: taskset --cpu-list 0-3")
        for field in (field for word in words for field in fields_of(word)):
            if field not in FIELDS:
                known = ", ".join(f"{{{name}}}" for name in FIELDS)
                raise ValueError(f"{{{field}}} is unknown; choose from {known}")
        return cls(words)

    def missing(self) -> str | None:
        """The program, where it cannot be found."""
        return self.words[0] if self.words and shutil.which(self.words[0]) is None else None

    def starts(self, field: str) -> bool:
        """Whether a word contains this field."""
        return any(field in fields_of(word) for word in self.words)

    def before(self, values: Mapping[str, Any]) -> list[str]:
        """The words for one configuration."""
        return [word.format_map(values) for word in self.words]


def starts_elsewhere(words: Sequence[str]) -> bool:
    """Whether what these words start is no descendant of the process that runs them."""
    return any(Path(word).name in ELSEWHERE for word in words)


def fields_of(word: str) -> Sequence[str]:
    """What stands in braces in a word; ValueError where that is not a name alone."""
    try:
        found = [rest for _, *rest in Formatter().parse(word) if rest[0] is not None]
    except ValueError as error:
        raise ValueError(f"{shown(word)}: {error}; a brace itself is doubled") from error
    if any(form or conversion for _, form, conversion in found):
        raise ValueError(f"{shown(word)}: braces contain a name alone, such as {{{FIELDS[0]}}}")
    return [str(name) for name, _, _ in found]
