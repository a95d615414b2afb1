# SPDX-License-Identifier: BSD-3-Clause
"""Which files of records a command reads."""

from collections.abc import Sequence
from pathlib import Path

from pollux.core.campaign.parts import files_of_campaign
from pollux.core.errors import BadUsageError
from pollux.core.paths import RESULTS, possible


def files_or_last(files: Sequence[Path] | None, results: Path = RESULTS) -> list[Path]:
    """The files that the user named, without repeats, else the last campaign of this checkout."""
    if not files:
        return files_of_campaign(last_records(results))
    for path in map(possible, files):
        if path.is_dir():
            raise BadUsageError(f"{path} is a folder; name the *.jsonl files in it")
        if not path.exists():
            raise BadUsageError(f"{path} does not exist; pollux run writes files of records")
    return list({path.resolve(): path for path in files}.values())


def last_records(results: Path) -> Path:
    """The file of records that was written to last."""
    found = [path for path in results.glob("*.jsonl") if path.is_file()]
    if not found:
        raise BadUsageError(
            f"no campaign in {results.name}/ yet; start one with pollux run, or name a file"
        )
    return max(found, key=lambda path: path.stat().st_mtime_ns)
