# SPDX-License-Identifier: BSD-3-Clause
"""Which folder includes which, and what the links of the targets allow (layers.json of a build)."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
ROW = re.compile(r"^\| (`[^|]*`) \|", re.MULTILINE)
SUFFIXES = (".c", ".h", ".cpp")


@dataclass(frozen=True)
class Target:
    name: str
    kind: str
    folder: str
    sources: tuple[str, ...]
    uses: tuple[str, ...]  # what it links
    shows: tuple[str, ...]  # what those who link it get: PUBLIC and INTERFACE


def read_targets(path: Path) -> dict[str, Target]:
    return {
        t["target"]: Target(
            t["target"],
            t["kind"],
            t["folder"],
            tuple(t["sources"]),
            tuple(t["uses"]),
            tuple(t["shows"]),
        )
        for t in json.loads(path.read_text())
    }


class Layers:
    """The targets of a build over the folders of `root`."""

    def __init__(self, targets: dict[str, Target], root: Path) -> None:
        self.targets = targets
        self.root = root
        self.folders = {t.folder for t in targets.values() if t.folder}

    def folder_of(self, file: str) -> str | None:
        """The innermost folder around a file that has a target."""
        parents = [str(p) for p in Path(file).parents]
        return next((p for p in parents if p in self.folders), None)

    def seen_through(self, names: tuple[str, ...]) -> set[str]:
        """The folders of these targets and of all that they show."""
        found: set[str] = set()
        left = [n for n in names if n in self.targets]
        while left:
            name = left.pop()
            if name not in found:
                found.add(name)
                left += [n for n in self.targets[name].shows if n in self.targets]
        return {self.targets[name].folder for name in found}

    def allowed(self, file: str) -> set[str]:
        """The folders whose headers a file may include.

        A source may include what its target links, a header only what the target shows: whoever
        includes the header needs that too.
        """
        folder = self.folder_of(file)
        here = [t for t in self.targets.values() if t.folder == folder]
        if file.endswith(".h"):
            linked = [n for t in here for n in (*t.shows, t.name) if t.kind != "EXECUTABLE"]
        else:
            relative = str(Path(file).relative_to(folder or "."))
            owners = [t for t in here if relative in t.sources] or here
            linked = [n for t in owners for n in (*t.uses, t.name)]
        return self.seen_through(tuple(linked))

    def files(self) -> Iterator[str]:
        for folder in sorted(self.folders):
            for path in sorted((self.root / folder).rglob("*")):
                file = str(path.relative_to(self.root))
                if path.suffix in SUFFIXES and self.folder_of(file) == folder:
                    yield file

    def includes(self, file: str) -> Iterator[str]:
        """What a file includes of the project, by the path from its root."""
        for name in INCLUDE.findall((self.root / file).read_text()):
            if (self.root / name).is_file():
                yield name

    def violations(self) -> list[str]:
        """Includes of folders that the links do not allow."""
        found = []
        for file in self.files():
            allowed = self.allowed(file)
            for name in self.includes(file):
                folder = self.folder_of(name)
                if folder not in (None, self.folder_of(file)) and folder not in allowed:
                    found.append(f"{file} includes {name}, which no link of its target allows")
        return found

    def links(self) -> Iterator[tuple[str, str]]:
        """Pairs of folders of which the first links the second."""
        for target in self.targets.values():
            for name in (*target.uses, *target.shows):
                linked = self.targets[name].folder if name in self.targets else ""
                if target.folder and linked not in ("", target.folder):
                    yield target.folder, linked


def order_of(table: str) -> list[str]:
    """The folders of a table in Markdown, in its order; a row may name several."""
    return [name.rstrip("/") for row in ROW.findall(table) for name in re.findall("`([^`]+)`", row)]


def row_of(folder: str, order: list[str]) -> int | None:
    """The place of a folder, or of the innermost one around it."""
    names = [folder, *(str(p) for p in Path(folder).parents)]
    return next((order.index(n) for n in names if n in order), None)
