# SPDX-License-Identifier: BSD-3-Clause
"""Draws the figures of docs/gallery.md with the commands that the page shows."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/gallery.md"
FOLDER = "gallery"  # of the figures in the site
COMMAND = re.compile(r"^```sh\n(pollux .*?)\n```$", re.MULTILINE | re.DOTALL)
START = "from pollux.core.start import main; main()"
ENVIRONMENT = {"NUMBA_DISABLE_JIT": "1"}  # compiling takes longer than all that is computed


def commands(page: str) -> list[list[str]]:
    """The commands of the page, in its order."""
    return [shlex.split(command.replace("\\\n", "")) for command in COMMAND.findall(page)]


def draw(folder: Path) -> list[list[Path]]:
    """Run all commands in a folder that has the shipped campaigns; the figures of each."""
    (folder / "campaigns").symlink_to(ROOT / "campaigns")
    listed = commands(PAGE.read_text(encoding="utf-8"))
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda command: drawn(command, folder), listed))


def drawn(command: list[str], folder: Path) -> list[Path]:
    """The figures of one command, whose last word is a file, or a folder for them."""
    words = [sys.executable, "-c", START, *command[1:]]
    environment = {**os.environ, **ENVIRONMENT}
    done = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    path = folder / command[-1]
    found = sorted(path.glob("*.svg")) if path.is_dir() else [path]
    if done.returncode or not found or not found[0].is_file():
        raise RuntimeError(f"{shlex.join(command)}: drew nothing: {done.stderr.strip()}")
    return found


def with_figures(page: str, figures: Iterable[list[str]]) -> str:
    """The page with the figures of each command below it, named by their files."""
    left = iter(figures)

    def add(found: re.Match[str]) -> str:
        shown = [f"![{name}]({FOLDER}/{name})" for name in next(left)]
        return "\n\n".join((found[0], *shown))

    return COMMAND.sub(add, page)
