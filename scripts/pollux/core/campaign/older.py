# SPDX-License-Identifier: BSD-3-Clause
"""Keeps the records of an earlier start under another name."""

from collections.abc import Sequence
from datetime import datetime
from itertools import count
from pathlib import Path

from pollux.core.campaign.journal import Journal
from pollux.core.campaign.sampler import timelines


def put_aside(path: Path) -> None:
    """Rename records and timelines after the time they were last written; none is replaced."""
    # which refuses where another process is writing the records
    journal = Journal(path) if path.exists() else None
    if files := [*timelines(path), *([path] if journal else [])]:
        stamp = free_stamp(path.stem, files)
        for file in files:
            file.rename(stamped(file, path.stem, stamp))
    if journal:
        journal.close()


def free_stamp(stem: str, files: Sequence[Path]) -> str:
    """The time, and a number where that of another file is the same to the second."""
    written = datetime.fromtimestamp(files[-1].stat().st_mtime)
    stamps = (f"-{written:%Y%m%d-%H%M%S}{f'-{n}' if n > 1 else ''}" for n in count(1))
    return next(s for s in stamps if not any(stamped(file, stem, s).exists() for file in files))


def stamped(file: Path, stem: str, stamp: str) -> Path:
    return file.with_name(stem + stamp + file.name.removeprefix(stem))
