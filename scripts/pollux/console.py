# SPDX-License-Identifier: BSD-3-Clause
"""The console that commands write to: as wide as the terminal, or as text in a file needs."""

from rich.console import Console

PLAIN_WIDTH = 160  # of text that goes to a file or pipe


def make_console(*, to_stderr: bool = False, plain_width: int = PLAIN_WIDTH) -> Console:
    """Standard output, or error where a program reads the results from standard output."""
    console = Console(stderr=to_stderr)
    return console if console.is_terminal else Console(stderr=to_stderr, width=plain_width)
