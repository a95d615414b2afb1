# SPDX-License-Identifier: BSD-3-Clause
"""Keeps the records of an earlier start under another name."""

from datetime import datetime
from itertools import count
from pathlib import Path

from pollux.core.campaign.journal import Journal
from pollux.core.campaign.sampler import timelines


def put_aside(path: Path) -> None:
    """Rename a file of records after the time it was last written; none is replaced."""
    if not path.exists():
        return
    journal = Journal(path)  # refuses where another process is writing it
    stamp = free_stamp(path)
    for timeline in timelines(path):
        timeline.rename(timeline.with_name(timeline.name.replace(path.stem, path.stem + stamp, 1)))
    path.rename(stamped(path, stamp))
    journal.close()


def free_stamp(path: Path) -> str:
    """The time, and a number where that of another file is the same to the second."""
    written = datetime.fromtimestamp(path.stat().st_mtime)
    stamps = (f"-{written:%Y%m%d-%H%M%S}{f'-{n}' if n > 1 else ''}" for n in count(1))
    return next(stamp for stamp in stamps if not stamped(path, stamp).exists())


def stamped(path: Path, stamp: str) -> Path:
    return path.with_name(f"{path.stem}{stamp}{path.suffix}")
