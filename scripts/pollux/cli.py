# SPDX-License-Identifier: BSD-3-Clause
"""The command `pollux`: its subcommands, and where errors become a line and a status."""

import sys

import typer

from pollux.commands.compare import compare
from pollux.commands.conform import conform
from pollux.commands.doctor import doctor
from pollux.commands.explain import explain
from pollux.commands.gantt import gantt
from pollux.commands.graph import graph
from pollux.commands.plot import plot
from pollux.commands.report import report
from pollux.commands.run import run
from pollux.commands.runtimes import runtimes
from pollux.commands.simulate import simulate
from pollux.commands.tune import tune
from pollux.errors import InterruptedByUserError

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
MEASURING = (doctor, runtimes, run, conform, compare, plot, report, tune)
EXPLAINING = (explain, gantt, graph, simulate)
for command in (*MEASURING, *EXPLAINING):
    app.command()(command)


@app.callback()
def pollux() -> None:
    """Run and compare the Pollux benchmarks for OpenMP task dependences.

    docs/campaigns.md describes campaigns and the method.
    """


def main() -> None:
    """Run the command line; never returns."""
    try:
        status = app(standalone_mode=False)
    except typer.TyperException as error:
        print(f"pollux: {error.format_message()}", file=sys.stderr)
        status = error.exit_code
    except (typer.Abort, KeyboardInterrupt):
        print("pollux: interrupted", file=sys.stderr)
        status = InterruptedByUserError.exit_code
    except BrokenPipeError:  # the reader of standard output, such as head, has gone
        sys.stderr.close()
        status = 1
    sys.exit(status)
