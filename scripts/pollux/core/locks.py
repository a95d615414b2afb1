# SPDX-License-Identifier: BSD-3-Clause
"""Locks on open files, which end with the last process that has them open."""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Errors of flock(2) where a file system has no locks; NFS has none of what is open to be read only.
NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EBADF)


def lock_file(descriptor: int) -> bool:
    """Lock an open file, if nobody else has; true also where its file system has no locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise
    return True


def wait_for_lock(descriptor: int) -> None:
    """Lock an open file as soon as nobody else has; at once where its file system has no locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, which is waited for."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        wait_for_lock(descriptor)
        yield
    finally:
        os.close(descriptor)
