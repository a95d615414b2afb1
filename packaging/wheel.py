# SPDX-License-Identifier: BSD-3-Clause
"""Adds to the wheel what the package needs where there is no source: campaigns, schemas, pages.

And what an environment has beside it: the command's manual page, and completions for shells.
"""

import os
import re
import shutil
import subprocess
import sys
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
    "common/identity/runtimes.json": "",
    "scripts/runtimes.toml": "",
    "packaging/udev/*": "packaging/udev",
    "packaging/tmpfiles.d/*": "packaging/tmpfiles.d",
}
# Of the pages in docs/, those for developers, on what needs the source, on the machine, of the
# site alone, on benchmarks, and on methods and formats; a prefix has all, and those on runtimes.
LEFT_OUT = {
    *("design.md", "distributed.md", "extending.md", "lu.md", "race.md", "verification.md"),
    *("blas.md", "gallery.md", "index.md", "install.md", "messages.md", "tour.md", "versions.md"),
    *("benchmarks.md", "clomp.md", "constructs.md", "granularity.md", "nested.md", "overheads.md"),
    *("conformance.md", "energy.md", "meters.md", "method.md", "nights.md", "record.md"),
    *("conformance-gate.md", "explaining.md", "traces.md", "tuning.md", "variants.md"),
    *("batch.md", "doctor.md", "installed.md", "nodes.md", "verdicts.md"),
}
COMPLETIONS = {  # in packaging/completions/, with their folder in an environment
    "pollux": "share/bash-completion/completions",
    "_pollux": "share/zsh/site-functions",
    "pollux.fish": "share/fish/vendor_completions.d",
}
COMMIT = re.compile(r"[0-9a-f]{40}")


class WheelHook(BuildHookInterface):  # type: ignore[type-arg]
    """Called by hatchling, which reads pyproject.toml."""

    drafts: str | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files; an editable installation finds them in the source."""
        if version == "editable":
            return
        root = Path(self.root)
        self.drafts = tempfile.mkdtemp()
        build_data["force_include"] |= dict(data_files(root))
        if commit := commit_of(root):
            file = self.draft("commit.txt", f"{commit}\n")
            build_data["force_include"][file] = f"{DATA}/commit.txt"
        page = self.draft("pollux.1", manual_page(root, self.metadata.version))
        shared = {
            str(root / "packaging/completions" / x): f"{y}/{x}" for x, y in COMPLETIONS.items()
        }
        build_data["shared_data"] |= {page: "share/man/man1/pollux.1", **shared}

    def draft(self, name: str, text: str) -> str:
        """The path of a file that is written for the wheel alone."""
        file = Path(self.drafts or "") / name
        file.write_text(text, encoding="utf-8")
        return str(file)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was written for the wheel alone."""
        if self.drafts is not None:
            shutil.rmtree(self.drafts)


def data_files(root: Path) -> Iterator[tuple[str, str]]:
    """Each file of the source, and its path in the wheel."""
    for pattern, folder in PATTERNS.items():
        for path in sorted(root.glob(pattern)):
            if path.is_file() and path.name not in LEFT_OUT:
                yield str(path), "/".join(filter(None, (DATA, folder, path.name)))


def manual_page(root: Path, version: str) -> str:
    """From the help of the commands in this source, which need typer alone."""
    written = subprocess.run(
        [sys.executable, str(root / "packaging/manual.py"), version],
        env={**os.environ, "PYTHONPATH": str(root / "scripts"), "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if written.returncode:
        raise RuntimeError(f"packaging/manual.py failed: {written.stderr}")
    return written.stdout


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
