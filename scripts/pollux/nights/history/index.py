# SPDX-License-Identifier: BSD-3-Clause
"""An index of a folder of nights: what is kept of each file, so that only new ones are read.

It is made from the files and may be deleted. An entry counts only while the size, the time and the
last bytes of its file are those that it was made from; files with problems have none. Where it
cannot be read or written, as in a folder that is read-only, all files are read.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from pydantic import ValidationError

from pollux.nights.history.files import Fingerprint, fingerprint
from pollux.nights.history.night import Night, read_night

NAME = ".pollux-nights.sqlite"
VERSION = 6  # of what is kept of a night; another one is not read
TABLE = """\
CREATE TABLE IF NOT EXISTS nights (
    name TEXT PRIMARY KEY, size INTEGER, mtime_ns INTEGER, tail TEXT, night TEXT
)
"""


def read_nights(folder: Path, paths: Iterable[Path]) -> list[Night]:
    """All nights, in the order of the paths."""
    known = read_index(folder / NAME)
    nights, new = [], {}
    listed = list(paths)
    for path in listed:
        try:
            now = fingerprint(path)
        except OSError as error:
            reason = f"cannot read {path} ({error.strerror})"
            nights.append(Night(name=path.name, problems=[reason], complete=False))
            continue
        before, text = known.get(path.name, (None, ""))
        night = parsed(text) if before == now else None
        if night is None:
            night = read_night(path)
            if not night.problems:  # which another time, or another version, may not have
                new[path.name] = now, night
        nights.append(night)
    gone = known.keys() - {path.name for path in listed}
    if new or gone:
        write_index(folder / NAME, new, gone)
    return nights


def parsed(text: str) -> Night | None:
    """An entry; None where it is not what this version writes."""
    try:
        return Night.model_validate_json(text)
    except ValidationError:
        return None


@contextmanager
def opened(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    """The index; another process that writes it is waited for, but not for long."""
    address = f"{path.absolute().as_uri()}?mode={mode}"
    with closing(sqlite3.connect(address, uri=True, timeout=1.0)) as connection, connection:
        yield connection


def read_index(path: Path) -> dict[str, tuple[Fingerprint, str]]:
    """The entries by name; nothing where there is no index, or none that can be read."""
    if not path.is_file():
        return {}
    with suppress(sqlite3.Error, TypeError), opened(path, "ro") as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version != VERSION:
            return {}
        rows = connection.execute("SELECT name, size, mtime_ns, tail, night FROM nights")
        return {
            str(name): (Fingerprint(size, mtime_ns, tail), str(night))
            for name, size, mtime_ns, tail, night in rows
        }
    return {}


def write_index(
    path: Path, new: Mapping[str, tuple[Fingerprint, Night]], gone: Iterable[str]
) -> None:
    """Enter nights, and remove those whose files are gone; what is damaged is made anew."""
    rows = [
        (name, seen.size, seen.mtime_ns, seen.tail, night.model_dump_json())
        for name, (seen, night) in new.items()
    ]
    try:
        with opened(path, "rwc") as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version != VERSION:
                connection.execute("DROP TABLE IF EXISTS nights")
                connection.execute(f"PRAGMA user_version = {VERSION}")
            connection.execute(TABLE)
            connection.executemany("INSERT OR REPLACE INTO nights VALUES (?, ?, ?, ?, ?)", rows)
            connection.executemany("DELETE FROM nights WHERE name = ?", [(n,) for n in gone])
    except sqlite3.DatabaseError as error:
        if not isinstance(error, sqlite3.OperationalError):  # it is no database
            with suppress(OSError):
                path.unlink()
