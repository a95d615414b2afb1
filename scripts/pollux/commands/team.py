# SPDX-License-Identifier: BSD-3-Clause
"""The number of threads where none is asked for, and a word on one that is smaller than usual."""

from pollux.console import echo
from pollux.executables.variables import default_threads, quota_note


def say_quota() -> None:
    """A line where programs start fewer threads than there are processors."""
    if note := quota_note():
        echo(f"pollux: {note}; --threads overrides it", to_stderr=True)


def usual_threads() -> int:
    """The programs' default number of threads."""
    say_quota()
    return default_threads()
