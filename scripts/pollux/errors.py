# SPDX-License-Identifier: BSD-3-Clause
"""The errors that end a command, each with its exit status and one line for the user."""

import typer


class BadUsageError(typer.TyperException):
    """The request makes no sense, or something that it names cannot be found."""

    exit_code = 2


class MachineError(typer.TyperException):
    """This machine cannot do what was requested."""

    exit_code = 3


class InterruptedByUserError(typer.TyperException):
    """Ctrl-C, or a signal that asks the process to end."""

    exit_code = 130  # 128 + SIGINT, as shells report it
