# SPDX-License-Identifier: BSD-3-Clause
"""The command `pollux`: its subcommands, and where errors become a line and a status.

No module of a command imports at its top what only running it needs, so that help is quick.
"""

import sys
from typing import Annotated

import typer
from typer.core import TyperArgument, TyperCommand

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
from pollux.errors import InterruptedByUserError, MachineError, report_internal_error
from pollux.streams import open_closed_streams


class Argument(TyperArgument):
    """An argument whose name in the help says what it is; its type in Python is left out."""

    def display_type_rich(self, ctx: object) -> str | None:
        return None


class Command(TyperCommand):
    """A command with such arguments."""

    def __init__(self, *arguments: object, **more: object) -> None:
        super().__init__(*arguments, **more)  # type: ignore[arg-type]
        for parameter in self.params:
            if isinstance(parameter, TyperArgument):
                parameter.__class__ = Argument


app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
COMMANDS = (  # in the order of the help
    doctor,
    runtimes,
    run,
    conform,
    compare,
    plot,
    report,
    tune,
    explain,
    gantt,
    graph,
    simulate,
)
for command in COMMANDS:
    app.command(cls=Command, short_help=(command.__doc__ or "").partition("\n")[0])(command)


def show_version(*, asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"pollux {version('pollux')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def pollux(
    context: typer.Context,
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Run and compare the Pollux benchmarks for OpenMP task dependences.

    docs/campaigns.md describes campaigns and the method. Where the value of an option ends in
    ",…", it is a list with commas, or the option is repeated.

    Exit status: 0 success; 1 a run or a check failed; 2 bad usage; 3 the machine cannot do it; 4 a
    gate is undecided; 70 a bug of Pollux (POLLUX_TRACEBACK=1 in the environment shows where); 130
    interrupted.
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main() -> None:
    """Run the command line; never returns."""
    open_closed_streams()
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
    except MemoryError:
        print("pollux: there is not enough memory for this", file=sys.stderr)
        status = MachineError.exit_code
    except Exception as error:
        status = report_internal_error(error)
    sys.exit(status)
