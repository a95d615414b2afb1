# SPDX-License-Identifier: BSD-3-Clause
"""The command `pollux`: its subcommands, and where errors become a line and a status.

No module of a command imports at its top what only running it needs, so that help is quick.
"""

import re
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Annotated, Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

from pollux.core import extras, streams
from pollux.core.commands.builds import builds
from pollux.core.commands.compare import compare
from pollux.core.commands.run import run
from pollux.core.console import echo
from pollux.core.errors import (
    BadUsageError,
    InterruptedByUserError,
    MachineError,
    report_internal_error,
)
from pollux.core.interruption import run_app
from pollux.core.parts import parts
from pollux.core.paths import DOCS, IN_SOURCE
from pollux.core.text import cut_values, encodable


class Argument(TyperArgument):
    """An argument whose name in the help says what it is; its type in Python is left out."""

    def display_type_rich(self, ctx: object) -> str | None:
        return None


class Help:
    """Help in the characters that standard output has: typer would ignore its encoding."""

    def get_help(self, ctx: object) -> str:
        text: str = super().get_help(ctx)  # type: ignore[misc]
        return encodable(text, sys.stdout.encoding)


class Group(Help, TyperGroup):
    """The command `pollux` itself; its help shows the commands of each part below a title."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 (click's own)
        """Refuse an empty argument: no command takes one, and a variable without value makes it."""
        refuse_empty(args)
        rest: list[str] = super().parse_args(ctx, args)
        return rest

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 (click's own)
        texts = {
            name: command.get_short_help_str(2 * formatter.width)
            for name in self.list_commands(ctx)
            if (command := self.get_command(ctx, name)) is not None
        }
        for title, commands in PARTS.items():
            with formatter.section(title):
                names = [command.__name__ for command in commands]
                formatter.write_dl([(name, texts[name]) for name in names])

    def format_epilog(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 (click's own)
        """Where the pages are that the help names, which are at hand in a source tree."""
        if not IN_SOURCE:
            formatter.write_paragraph()
            formatter.write_text(f"The folder docs/ is {DOCS}; others of its pages are in the")
            formatter.write_text("folder share/pollux/docs of a prefix with programs.")


class Command(Help, TyperCommand):
    """A command with such arguments."""

    def __init__(self, *arguments: object, **more: object) -> None:
        super().__init__(*arguments, **more)  # type: ignore[arg-type]
        for parameter in self.params:
            if isinstance(parameter, TyperArgument):
                parameter.__class__ = Argument

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 (click's own)
        """Run the command, if the packages of its extra are there."""
        extras.check(self.name or "")
        return super().invoke(ctx)


EMPTY_OPTION = re.compile(r"--[\w-]+=")
RANGE_MISSED = re.compile(r"Invalid value for '(--[\w-]+)'[^:]*: (Input should .*)")


def reworded(message: str, args: Sequence[str]) -> str:
    """What typer has found wrong, in words like those of all other messages."""
    found = RANGE_MISSED.fullmatch(message)
    if found is None:
        return message.replace(": Value error, ", ": ")
    from pollux.core.validation import must_be  # loads pydantic

    option, wanted = found.groups()
    given = [text.removeprefix(f"{option}=") for text in args if text.startswith(f"{option}=")]
    given += [after for text, after in pairwise(args) if text == option]
    return f"{option}: {must_be(wanted.partition(', unable')[0], ' '.join(given[-1:]))}"


app = typer.Typer(cls=Group, rich_markup_mode=None, pretty_exceptions_enable=False)
PARTS: dict[str, tuple[Callable[..., Any], ...]] = {  # in the order of the help
    "Run and compare": (run, compare, builds),
    **{part.title: part.commands for part in parts().values()},
}
for command in (command for commands in PARTS.values() for command in commands):
    app.command(cls=Command, short_help=(command.__doc__ or "").partition("\n")[0])(command)


def show_version(*, asked: bool) -> None:
    if asked:
        from pollux.core.executables.version import version_text

        echo(version_text())
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

    docs/campaigns.md describes campaigns, docs/verdicts.md the method. Where the value of an option
    ends in ",…", it is a list with commas, or the option is repeated.

    Exit status: 0 success; 1 a run or a check failed; 2 bad usage; 3 the machine cannot do it; 4 a
    gate is undecided; 70 a bug of Pollux (POLLUX_TRACEBACK=1 in the environment shows where); 130
    interrupted; 141 the reader of standard output closed it.
    """
    if context.invoked_subcommand is None:
        echo(context.get_help())


def refuse_empty(args: Sequence[str]) -> None:
    for at, text in enumerate(args):
        if text == "" or EMPTY_OPTION.fullmatch(text):
            before = text or (args[at - 1] if at else "")
            after = f" after {before}" if before.startswith("--") else ""
            raise BadUsageError(f"an argument{after} is empty; is a variable of the shell not set?")


def report_missing(error: ModuleNotFoundError) -> int:
    """Write one line on a package that is missing; its exit status."""
    command = next((word for word in sys.argv[1:] if not word.startswith("-")), "")
    explained = extras.explained(error, command)
    if explained is None:
        return report_internal_error(error)
    echo(f"pollux: {explained.format_message()}", to_stderr=True)
    return explained.exit_code


def main() -> None:
    """Run the command line; never returns."""
    streams.install()
    try:
        status = run_app(app)
        streams.finish()
    except typer.TyperException as error:
        message = reworded(error.format_message(), sys.argv[1:])
        echo(f"pollux: {cut_values(message, sys.argv[1:])}", to_stderr=True)
        status = error.exit_code
    except (typer.Abort, KeyboardInterrupt):
        echo("pollux: interrupted", to_stderr=True)
        status = InterruptedByUserError.exit_code
    except ModuleNotFoundError as error:
        status = report_missing(error)
    except MemoryError:
        echo("pollux: there is not enough memory for this", to_stderr=True)
        status = MachineError.exit_code
    except Exception as error:
        status = report_internal_error(error)
    sys.exit(streams.finish_quietly(status))
