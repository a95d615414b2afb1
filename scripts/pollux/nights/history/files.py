# SPDX-License-Identifier: BSD-3-Clause
"""The files of a folder of nights, in the order of their names."""

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from pollux.core.errors import BadUsageError
from pollux.core.paths import possible
from pollux.core.text import cut, one_line

RECORDS = ".jsonl"
NOTE = ".note"  # beside a night's records: a line of the user's, such as a commit
ASIDE = re.compile(r"-[0-9]{8}-[0-9]{6}(-[0-9]+)?\.jsonl$")
TAIL = 4096  # bytes that a fingerprint reads
NOTE_BYTES = 4096


@dataclass(frozen=True)
class Fingerprint:
    """What shows that a file has not changed since it was read."""

    size: int
    mtime_ns: int
    tail: str  # hash of its last bytes


def night_files(folder: Path) -> list[Path]:
    """The record files of a folder."""
    try:
        if not possible(folder).is_dir():
            what = "is not a folder" if folder.exists() else "does not exist"
            raise BadUsageError(
                f"{folder} {what}; pollux watch takes a folder with a file of records per night"
            )
        with os.scandir(folder) as entries:
            names = {e.name for e in entries if e.name.endswith(RECORDS) and e.is_file()}
    except OSError as error:
        raise BadUsageError(f"cannot read {folder} ({error.strerror})") from error
    for name in names:
        if not name.isprintable():  # nor is one that is not UTF-8
            raise BadUsageError(f"{folder} contains {cut(name)!a}: rename it in plain text")
    return [folder / name for name in sorted(names) if aside_of(name) not in names]


def aside_of(name: str) -> str:
    """The file whose earlier records `--fresh` has put aside under this name."""
    return ASIDE.sub(RECORDS, name) if ASIDE.search(name) else ""


def fingerprint(path: Path) -> Fingerprint:
    """Raises OSError."""
    with path.open("rb") as file:
        status = os.fstat(file.fileno())
        file.seek(max(0, status.st_size - TAIL))
        tail = hashlib.sha256(file.read(TAIL)).hexdigest()
    return Fingerprint(status.st_size, status.st_mtime_ns, tail)


def note_of(path: Path) -> str | None:
    """The line that the user has written about a night, if there is one."""
    try:
        with path.with_suffix(NOTE).open("rb") as file:
            text = file.read(NOTE_BYTES).decode(errors="replace").strip()
    except OSError:
        return None
    return cut(one_line(text.partition("\n")[0]), 100) if text else None
