# SPDX-License-Identifier: BSD-3-Clause
"""Writes the manual page of `pollux` from its commands' help: packaging/manual.py VERSION."""

import re
import sys
from collections.abc import Iterator
from typing import Any

import typer
from pollux.core.cli import app

WIDTH = 76  # of a terminal with 80 columns, less the indentation of man


def escaped(text: str) -> str:
    """Text that roff shows as it is."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.MULTILINE)


def help_of(command: Any, name: str) -> str:  # noqa: ANN401 (typer's)
    """What `--help` shows on a terminal of that width."""
    context = typer.Context(command, info_name=name, terminal_width=WIDTH, max_content_width=WIDTH)
    text: str = command.get_help(context)
    return text


def sections() -> Iterator[tuple[str, str]]:
    """The help of `pollux` itself, then that of each command."""
    root: Any = typer.main.get_command(app)
    yield "DESCRIPTION", help_of(root, "pollux")
    for name, command in root.commands.items():
        yield f"POLLUX {name.upper()}", help_of(command, f"pollux {name}")


def manual(version: str) -> str:
    """The page, in the format of man."""
    root: Any = typer.main.get_command(app)
    summary = (root.help or "").partition("\n")[0].rstrip(".")
    lines = [
        f'.TH "POLLUX" 1 "" "Pollux {version}"',
        ".SH NAME",
        f"pollux \\- {escaped(summary[0].lower() + summary[1:])}",
    ]
    for title, text in sections():
        lines += [f'.SH "{title}"', ".nf", escaped(text.rstrip()), ".fi"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(manual(sys.argv[1]))
