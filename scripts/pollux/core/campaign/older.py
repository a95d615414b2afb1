# SPDX-License-Identifier: BSD-3-Clause
"""Keeps the records of an earlier start under another name."""

from datetime import datetime
from pathlib import Path

from pollux.core.campaign.journal import Journal
from pollux.core.campaign.sampler import timelines
from pollux.core.errors import BadUsageError


def put_aside(path: Path) -> None:
    """Rename a file of records after the time it was last written."""
    if not path.exists():
        return
    journal = Journal(path)  # refuses where another process is writing it
    written = datetime.fromtimestamp(path.stat().st_mtime)
    stamp = f"-{written:%Y%m%d-%H%M%S}"
    older = path.with_name(f"{path.stem}{stamp}{path.suffix}")
    if older.exists():
        raise BadUsageError(f"cannot rename {path}: {older} exists; move it elsewhere")
    for timeline in timelines(path):
        timeline.rename(timeline.with_name(timeline.name.replace(path.stem, path.stem + stamp, 1)))
    path.rename(older)
    journal.close()
