# SPDX-License-Identifier: BSD-3-Clause
"""The errors that end a command, each with its exit status and one line for the user."""

import errno
import os
import sys
import traceback
from pathlib import Path

import typer

from pollux.core.statuses import INTERRUPTED
from pollux.core.text import cut, is_utf8, one_line

INTERNAL = 70  # EX_SOFTWARE of sysexits.h
# What any look at a name may say, and what that means.
NAMES_REFUSED = {
    errno.ENAMETOOLONG: "no file",
    errno.ELOOP: "no file",
    errno.EACCES: "cannot be used",
}
SHOW_TRACEBACK = "POLLUX_TRACEBACK"  # an environment variable


class BadUsageError(typer.TyperException):
    """The request makes no sense, or something that it names cannot be found."""

    exit_code = 2


class MachineError(typer.TyperException):
    """This machine cannot do what was requested."""

    exit_code = 3


class InterruptedByUserError(typer.TyperException):
    """Ctrl-C, or a signal that asks the process to end."""

    exit_code = INTERRUPTED


def report_internal_error(error: Exception) -> int:
    """Write one line on an error that nobody foresaw; its exit status, which means nothing else.

    A name that no file can have, that only others may look at, or that what is written cannot
    hold, is bad usage instead.
    """
    shows = bool(os.environ.get(SHOW_TRACEBACK))
    if "surrogates not allowed" in str(error) and (name := no_text()) and not shows:
        print(f"pollux: {one_line(name)}: a name in UTF-8 is needed here", file=sys.stderr)
        return BadUsageError.exit_code
    if isinstance(error, OSError) and error.errno in NAMES_REFUSED and error.filename and not shows:
        name = cut(one_line(str(error.filename)))
        what = NAMES_REFUSED[error.errno]
        print(f"pollux: {name}: {what} ({error.strerror})", file=sys.stderr)
        return BadUsageError.exit_code
    if shows:
        traceback.print_exception(error, file=sys.stderr)
    what = one_line(" ".join(f"{type(error).__name__}: {error}".split())[:200])
    print(
        f"pollux: internal error ({what}): this is a bug of Pollux; please report it with what "
        f"{SHOW_TRACEBACK}=1 in the environment shows",
        file=sys.stderr,
    )
    return INTERNAL


def no_text() -> str | None:
    """An argument, or the folder in which the command was given, whose name is not UTF-8."""
    try:
        folder = Path.cwd()
    except OSError:
        folder = Path()
    return next((text for text in (*sys.argv[1:], str(folder)) if not is_utf8(text)), None)
