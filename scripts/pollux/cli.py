# SPDX-License-Identifier: BSD-3-Clause
"""The command `pollux`: its subcommands, and where errors become a line and a status."""

import sys

import typer

from pollux.bench import bench

INTERRUPTED = 130  # 128 + SIGINT, as shells report it

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
app.command()(bench)


@app.callback()
def pollux() -> None:
    """Run and compare the Pollux benchmarks for OpenMP task dependences."""


def main() -> None:
    """Run the command line; never returns."""
    try:
        status = app(standalone_mode=False)
    except typer.TyperException as error:
        print(f"pollux: {error.format_message()}", file=sys.stderr)
        status = error.exit_code
    except (typer.Abort, KeyboardInterrupt):
        print("pollux: interrupted", file=sys.stderr)
        status = INTERRUPTED
    sys.exit(status)
