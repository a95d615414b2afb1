# SPDX-License-Identifier: BSD-3-Clause
"""Runs commands of `pollux` within this process: its modules are loaded once."""

import contextlib
import io
import traceback
from collections.abc import Callable
from dataclasses import dataclass

import typer
from pollux.core.cli import app

INTERNAL = 70  # the status of an error that nobody expected


@dataclass(frozen=True)
class Ended:
    """How a command ended, and all that it printed."""

    status: int
    text: str


def attempt(call: Callable[[], object]) -> Ended:
    """Run a command within this process; its status is what `main` would make of it."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            status = int(call() or 0)  # type: ignore[call-overload]
        except typer.TyperException as error:
            status = error.exit_code
            printed.write(error.format_message())
        except SystemExit as error:
            status = int(error.code or 0)
        except MemoryError:
            status = 3
        except Exception:
            status = INTERNAL
            printed.write(traceback.format_exc())
    return Ended(status, printed.getvalue())


def command(*arguments: object) -> Ended:
    return attempt(lambda: app([str(a) for a in arguments], standalone_mode=False))
