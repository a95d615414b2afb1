# SPDX-License-Identifier: BSD-3-Clause
"""Writes files atomically: a reader sees the whole new file or the old one."""

import errno
import os
import stat
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from pollux.core.errors import BadUsageError, MachineError

STDOUT = 1
Identity = tuple[int, int] | str | None
# Errors that no other path in the same file system would avoid.
MACHINE = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EPIPE)


def replace_file(
    path: Path, content: bytes, *, mode: int | None = None, durable: bool = False
) -> None:
    """Write next to `path`, then rename: on one file system this is a single step.

    `mode`: its permissions; None: as before, or as usual. `durable`: no crash loses it then.
    """
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    draft = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(handle)
        draft.chmod(usual_mode(path) if mode is None else mode)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    if durable:
        sync_folder(path.parent)


def usual_mode(path: Path) -> int:
    return path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~current_umask()


def sync_folder(folder: Path) -> None:
    """Wait until what was renamed or removed in a folder is on the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_folder(folder: Path, remedy: str = "") -> None:
    """Make a folder, and those above it, unless it is there; MachineError with the remedy."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = f"cannot make {folder} ({error.strerror})"
        raise MachineError(f"{what}; {remedy}" if remedy else what) from error


def current_umask() -> int:
    """The process's umask, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def check_outputs(
    outputs: Mapping[str, Path | None], inputs: Iterable[Path] = (), *, appends: bool = False
) -> None:
    """Refuse, before any work is done, files that cannot be written or that the command reads.

    `outputs` are by the options that name them, None where one was not given. Links, symbolic and
    hard, are followed. Standard output is one of the outputs. Files are replaced, which takes
    another file beside them, unless the command `appends` to them.
    """
    known = {identity(path): f"{path}, which is read" for path in inputs}
    known.pop(None, None)
    if (where := known.get(identity_of(os.fstat(STDOUT)))) is not None:
        raise BadUsageError(f"standard output is {where}; redirect it to another file")
    for option, path in outputs.items():
        if path is None:
            continue
        check_place(path, option, appends=appends)
        own = identity(path)
        if own in known:
            raise BadUsageError(f"{option} {path} is {known[own]}; name another file")
        known |= {own: f"also that of {option}"} if own is not None else {}


def check_place(path: Path, option: str, *, appends: bool) -> None:
    """Refuse what cannot be the name of a file, or takes a new one in a folder that takes none."""
    try:
        number = errno.EISDIR if path.is_dir() else None
        folder = path.resolve().parent
        takes_new = not path.exists() or (path.is_file() and not appends)
        if number is None and not folder.is_dir():
            number = errno.ENOTDIR if folder.exists() else errno.ENOENT
        elif number is None and takes_new and not os.access(folder, os.W_OK | os.X_OK):
            is_fixed = os.statvfs(folder).f_flag & os.ST_RDONLY
            number = errno.EROFS if is_fixed else errno.EACCES
    except RuntimeError:
        number = errno.ELOOP
    except OSError as error:
        number = error.errno
    if number is not None:
        reason = OSError(number, os.strerror(number))
        raise refusal(path, reason, "a file in a folder that exists", option)


def identity(path: Path) -> Identity:
    """What all names of one file have in common; None for what is not a regular file."""
    try:
        return identity_of(path.stat())
    except FileNotFoundError:
        return str(path.resolve())
    except OSError:
        return None


def identity_of(status: os.stat_result) -> Identity:
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


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
