# SPDX-License-Identifier: BSD-3-Clause
"""Writes files atomically: a reader sees the whole new file or the old one."""

import errno
import os
import tempfile
from pathlib import Path

from pollux.errors import BadUsageError, MachineError

# Errors that no other path in the same file system would avoid.
MACHINE = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS)


def replace_file(path: Path, content: bytes) -> None:
    """Write next to `path`, then rename: on one file system this is a single step."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    draft = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
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


def write_output(path: Path, content: bytes, option: str = "--output") -> None:
    """Write the file that an option requests.

    Anything but a regular file, such as /dev/stdout or a pipe, is written to directly.
    """
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)
        else:
            replace_file(path.resolve(), content)
    except OSError as error:
        raise refusal(path, error, "a file in a folder that exists", option) from error


def refusal(
    path: Path, error: OSError, wanted: str, option: str = "--output"
) -> BadUsageError | MachineError:
    """The error to raise where `path` cannot be written; the option takes what is `wanted`."""
    if error.errno in MACHINE:
        return MachineError(f"cannot write {path} ({error.strerror}); {option} takes another place")
    return BadUsageError(
        f"cannot write {path} ({error.strerror}); {option} takes {wanted} and can be written"
    )
