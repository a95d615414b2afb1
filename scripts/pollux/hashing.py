# SPDX-License-Identifier: BSD-3-Clause
"""SHA-256 of files, computed once for a file that does not change."""

import hashlib
from functools import lru_cache
from pathlib import Path

from pollux.errors import MachineError


def digest(path: Path) -> str:
    """SHA-256 of a file in hexadecimal digits."""
    try:
        status = path.stat()
        return file_digest(path, status.st_mtime_ns, status.st_size)
    except OSError as error:
        raise MachineError(f"cannot read {path} ({error.strerror})") from error


@lru_cache(maxsize=256)
def file_digest(path: Path, mtime_ns: int, size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
