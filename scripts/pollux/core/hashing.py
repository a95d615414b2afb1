# SPDX-License-Identifier: BSD-3-Clause
"""SHA-256 of files, computed once for a file that does not change, and of texts."""

import hashlib
from functools import lru_cache
from pathlib import Path

from pollux.core.errors import MachineError


def digest(path: Path) -> str:
    """SHA-256 of a file in hexadecimal digits."""
    try:
        status = path.stat()
        inode = status.st_dev, status.st_ino
        return file_digest(path, inode, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    except OSError as error:
        raise MachineError(f"cannot read {path} ({error.strerror})") from error


@lru_cache(maxsize=4096)
def file_digest(path: Path, *_identity: object) -> str:
    """SHA-256 of a file that has this inode, this size and these times."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def short_hash(text: str) -> str:
    """16 hexadecimal digits that tell texts apart."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]
