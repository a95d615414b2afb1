# SPDX-License-Identifier: BSD-3-Clause
"""The file that a campaign's records are appended to: whole lines, one writer, always in its place.

Two locks keep a second writer away. The one on the file itself is seen by other hosts too, where
the file system supports that. The one on its folder and name stays when the file is moved away:
a second run would otherwise start a new file under the same name.
"""

import errno
import hashlib
import os
import shutil
import socket
import tempfile
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from pollux.core.errors import BadUsageError
from pollux.core.locks import lock_file
from pollux.core.writing import refusal


def refuse_irregular(path: Path) -> None:
    if not path.is_file():
        raise BadUsageError(f"{path} is not a regular file; records are read back from it")


class RecordFile:
    """An open file of records. Lines are written in one piece and synced to disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name_lock = lock_name(path)
        try:
            self.descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
        except OSError as error:
            raise refusal(path, error, "a file in a folder that exists") from error
        refuse_irregular(path)
        if not lock_file(self.descriptor):
            raise in_use(path)
        self.size = os.fstat(self.descriptor).st_size

    def append(self, text: bytes) -> None:
        """Write all of the text, or raise OSError and leave the file as it was."""
        size = os.fstat(self.descriptor).st_size
        try:
            written = os.write(self.descriptor, text)
            while written < len(text):
                written += os.write(self.descriptor, text[written:])
            os.fsync(self.descriptor)
        except OSError:
            os.ftruncate(self.descriptor, size)
            raise
        self.size = size + len(text)

    def is_shortened(self) -> bool:
        """Whether another program removed something that was written."""
        return os.fstat(self.descriptor).st_size < self.size

    def is_in_place(self) -> bool:
        """Whether the path still leads to this file."""
        return self.is_at(self.path)

    def is_at(self, path: Path) -> bool:
        try:
            return os.path.samestat(path.stat(), os.fstat(self.descriptor))
        except OSError:
            return False

    def new_path(self) -> Path | None:
        """Where a file that was renamed is now; None if it was removed.

        NFS renames a file that is removed while it is open, until it is closed.
        """
        with suppress(OSError):
            path = Path(f"/proc/self/fd/{self.descriptor}").readlink()
            if self.is_at(path) and not path.name.startswith(".nfs"):
                return path
        return None

    def save(self) -> Path | None:
        """Copy a file that was removed to one next to its place; None if it cannot be saved."""
        name = f"{self.path.stem}-{datetime.now():%Y%m%d-%H%M%S}{self.path.suffix}"
        for folder in (self.path.parent, Path(tempfile.gettempdir())):
            with suppress(OSError), os.fdopen(os.dup(self.descriptor), "rb") as source:
                source.seek(0)
                with (folder / name).open("xb") as copy:
                    shutil.copyfileobj(source, copy)
                return folder / name
        return None

    def close(self) -> None:
        os.close(self.descriptor)
        if self.name_lock is not None:
            self.name_lock.close()


def lock_name(path: Path) -> socket.socket | None:
    """Lock a file's name in its folder; None where the folder is missing or sockets are refused.

    The lock is a socket in Linux' abstract namespace: it leaves no file behind, and ends with its
    process whatever ends that.
    """
    try:
        real = path.resolve()
        folder = real.parent.stat()
        place = f"{folder.st_dev} {folder.st_ino} {real.name}".encode(errors="surrogateescape")
        lock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    except (OSError, RuntimeError):
        return None
    try:
        lock.bind(b"\0pollux-run-" + hashlib.sha256(place).hexdigest().encode())
    except OSError as error:
        lock.close()
        if error.errno == errno.EADDRINUSE:
            raise in_use(path) from error
        return None
    return lock


def in_use(path: Path) -> BadUsageError:
    return BadUsageError(f"another pollux run is writing {path}")
