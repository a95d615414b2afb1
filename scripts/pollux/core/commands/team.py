# SPDX-License-Identifier: BSD-3-Clause
"""A word on a team that is smaller than usual, where no number of threads is asked for."""

from pollux.core.console import echo
from pollux.core.executables.variables import quota_notes


def say_quota(threads: object) -> None:
    """A line where programs that are given no threads start fewer than there are processors."""
    for note in quota_notes([(threads, {})]):
        echo(f"pollux: {note}", to_stderr=True)
