# SPDX-License-Identifier: BSD-3-Clause
"""Locks on open files, which end with the last process that has them open."""

import errno
import fcntl

# Errors of flock(2) where a file system has no locks.
NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)


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
