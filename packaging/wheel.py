# SPDX-License-Identifier: BSD-3-Clause
"""Adds to the wheel what the package needs where there is no source: campaigns, schemas, pages."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

DATA = "pollux/data"
PATTERNS = {  # of files below the project's folder, with their folder in the wheel
    "campaigns/*.toml": "campaigns",
    "campaigns/data/*": "campaigns/data",
    "docs/*.md": "docs",
    "docs/*.schema.json": "docs",
    "docs/runtimes/*.md": "docs/runtimes",
    "common/identity/runtimes.json": "",
    "scripts/runtimes.toml": "",
    "packaging/udev/*": "packaging/udev",
    "packaging/tmpfiles.d/*": "packaging/tmpfiles.d",
}
FOR_DEVELOPERS = {"design.md", "extending.md", "race.md"}  # of the pages in docs/
COMMIT = re.compile(r"[0-9a-f]{40}")


class WheelHook(BuildHookInterface):  # type: ignore[type-arg]
    """Called by hatchling, which reads pyproject.toml."""

    drafts: str | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files; an editable installation finds them in the source."""
        if version == "editable":
            return
        root = Path(self.root)
        build_data["force_include"] |= dict(data_files(root))
        if commit := commit_of(root):
            self.drafts = tempfile.mkdtemp()
            file = Path(self.drafts) / "commit.txt"
            file.write_text(f"{commit}\n", encoding="utf-8")
            build_data["force_include"][str(file)] = f"{DATA}/commit.txt"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was written for the wheel alone."""
        if self.drafts is not None:
            shutil.rmtree(self.drafts)


def data_files(root: Path) -> Iterator[tuple[str, str]]:
    """Each file of the source, and its path in the wheel."""
    for pattern, folder in PATTERNS.items():
        for path in sorted(root.glob(pattern)):
            if path.is_file() and path.name not in FOR_DEVELOPERS:
                yield str(path), "/".join(filter(None, (DATA, folder, path.name)))


def commit_of(root: Path) -> str | None:
    """The commit of the source: of an archive its file, else what git says; None: not known."""
    written = COMMIT.match((root / "cmake/commit.txt").read_text(encoding="utf-8"))
    if written or not (root / ".git").exists():
        return written[0] if written else None
    try:
        asked = subprocess.run(
            ["git", "-C", str(root), "rev-parse", "HEAD"],
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return None
    found = COMMIT.fullmatch(asked.stdout.strip())
    return found[0] if found else None
