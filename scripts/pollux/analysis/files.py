# SPDX-License-Identifier: BSD-3-Clause
"""Which files of records a command reads, and how one that it writes appears in one piece."""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from pollux.errors import BadUsageError
from pollux.paths import RESULTS


def files_or_last(files: Sequence[Path] | None, results: Path = RESULTS) -> list[Path]:
    """The files that the user named, without repeats, else the last campaign of this checkout."""
    if not files:
        return [last_campaign(results)]
    for path in files:
        if path.is_dir():
            raise BadUsageError(f"{path} is a directory; name the *.jsonl files in it")
        if not path.exists():
            raise BadUsageError(f"{path} does not exist; pollux run writes files of records")
    return list({path.resolve(): path for path in files}.values())


def last_campaign(results: Path) -> Path:
    """The file of records that was written to last."""
    found = [path for path in results.glob("*.jsonl") if path.is_file()]
    if not found:
        raise BadUsageError(
            f"no campaign in {results.name}/ yet; start one with pollux run, or name a file"
        )
    return max(found, key=lambda path: path.stat().st_mtime_ns)


def write_text(path: Path, text: str) -> None:
    """Write a file so that a reader sees all of it or what was there before.

    What is no regular file, such as /dev/stdout or a pipe, is written to directly.
    """
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")
        else:
            replace_text(path.resolve(), text)
    except OSError as error:
        raise BadUsageError(
            f"cannot write {path} ({error.strerror}); it takes a file in a folder that exists "
            "and can be written"
        ) from error


def replace_text(path: Path, text: str) -> None:
    """Write next to `path`, then rename: on one file system this is a single step."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    draft = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        draft.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~current_umask())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def current_umask() -> int:
    """The process's umask, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
