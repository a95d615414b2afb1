# SPDX-License-Identifier: BSD-3-Clause
"""What commands print, but for tables: no text is read as markup, none acts on the terminal."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import IO, TYPE_CHECKING

from pollux.core.text import one_line, several_lines, utf8
from pollux.core.writing import write_output

if TYPE_CHECKING:
    from rich.console import Console

PLAIN_WIDTH = 160  # of text that goes to a file or pipe


def make_console(
    *,
    to_stderr: bool = False,
    plain_width: int = PLAIN_WIDTH,
    file: IO[str] | None = None,
    quiet: bool = False,
    plain: bool = False,
) -> "Console":
    """Standard output, error where a program reads the results from standard output, or a file.

    It is as wide as the terminal, or else as `plain_width`; a quiet one shows nothing, and a plain
    one takes a terminal for a file.
    """
    from rich.console import Console

    console = Console(
        stderr=to_stderr,
        file=file,
        quiet=quiet,
        force_terminal=False if plain else None,
        markup=False,
        emoji=False,
        highlight=False,
    )
    if not console.is_terminal:
        console.width = plain_width
    elif console.width < 1:  # COLUMNS=0
        console.width = PLAIN_WIDTH
    return console


def say(console: "Console", text: str) -> None:
    """Sentences, each a line however wide it is."""
    console.print(several_lines(text), soft_wrap=True)


def say_all(console: "Console", lines: Iterable[str]) -> None:
    for line in lines:
        say(console, line)


@contextmanager
def stage_line(console: "Console") -> Iterator[Callable[[str], None]]:
    """On a terminal a line that says what is going on; gives the function that sets its text."""
    from rich.text import Text

    with console.status("") as status:
        yield lambda text: status.update(Text(one_line(text)))


def deliver(
    made: str | Callable[["Console"], None], output: Path | None, plain_width: int = PLAIN_WIDTH
) -> None:
    """Write a text, or what a function shows on a console, to a file, else standard output."""
    if not isinstance(made, str):
        if output is None:
            made(make_console(plain_width=plain_width))
            return
        file = StringIO()
        made(make_console(file=file, plain_width=plain_width))
        made = file.getvalue()
    if output is None:
        echo(made, end="")
    else:
        write_output(output, utf8(made))


def echo(text: object, *, to_stderr: bool = False, end: str = "\n") -> None:
    """Results for programs and files, and messages; text of others in them is several lines."""
    stream = sys.stderr if to_stderr else sys.stdout
    stream.write(several_lines(str(text)) + end)
    stream.flush()
