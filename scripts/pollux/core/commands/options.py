# SPDX-License-Identifier: BSD-3-Clause
"""Options of the commands: one name for each thing, and one way to write lists of values."""

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from pollux.core.errors import BadUsageError
from pollux.core.limits import NUMBER_MAX, SECONDS_MAX, SEED_MAX, THREADS_MAX
from pollux.core.paths import possible
from pollux.core.shares import number_or_text, parse_share
from pollux.core.spans import parse_span
from pollux.core.text import cut, one_line

if TYPE_CHECKING:
    from pollux.core.executables.parameters import Wanted

# Metavars of options that several commands take.
METAVARS = {
    "--benchmark": "BENCHMARK",
    "--variant": "VARIANT",
    "--kernels": "SET",
    "--runtime": "RUNTIME",
    "--size": "N",
    "--rows": "M",
    "--tile": "TILE",
    "--inner": "IB",
    "--parameters": "NAME=VALUE",
    "--threads": "T",
    "--turbo": "SWITCH",
    "--cstates": "STATES",
    "--governor": "GOVERNOR",
    "--epp": "PREFERENCE",
    "--seed": "SEED",
    "--rounds": "COUNT",
    "--time-limit": "SECONDS",
    "--reference": "LEVEL",
    "--by": "AXIS",
    "--metric": "METRIC",
    "--quantity": "NAME",
    "--source": "SOURCE",
    "--width": "INCHES",
    "--conformance": "FOLDER",
    "--build-root": "FOLDER",
    "--output": "FILE",
}
# The numbers that options with one value take, in all commands.
RANGES: dict[str, dict[str, Any]] = {
    "--size": {"min": 1, "max": NUMBER_MAX},
    "--rows": {"min": 1, "max": NUMBER_MAX},
    "--inner": {"min": 1, "max": NUMBER_MAX},
    "--threads": {"min": 1, "max": THREADS_MAX},
    "--seed": {"min": 0, "max": SEED_MAX},
    "--time-limit": {"min": 0.1, "max": SECONDS_MAX},
    "--seconds": {"min": 0.01, "max": SECONDS_MAX},
}
SHORT = {"--output": ("-o",)}
NARROWEST, WIDEST = 3.0, 40.0  # inches of a figure


def option(name: str, text: str, **more: Any) -> Any:  # noqa: ANN401 (typer's own types)
    """An option with one value; `text` is its help."""
    more = {"metavar": METAVARS.get(name), "callback": finite, **RANGES.get(name, {}), **more}
    return typer.Option(name, *SHORT.get(name, ()), help=text, **more)


def options(name: str, text: str, **more: Any) -> Any:  # noqa: ANN401
    """An option with several values: it may be repeated, and its values may be lists."""
    metavar = more.pop("metavar", None) or METAVARS[name]
    more = {"metavar": f"{metavar},…", "callback": filled, **more}
    return typer.Option(name, *SHORT.get(name, ()), help=text, **more)


def files(name: str, text: str) -> Any:  # noqa: ANN401
    """An option with several files, one each time: names of files may hold commas."""
    return typer.Option(name, metavar="FILE", help=f"{text} Repeatable.")


def filled(texts: list[str] | None) -> list[str] | None:
    """Values none of which is an empty list."""
    for text in texts or ():
        if not items([text]):
            raise typer.BadParameter(f"{text!r} has no value; a list is written A,B")
    return texts


def finite(value: Any) -> Any:  # noqa: ANN401
    """Any value but "nan" and "inf", which no option means."""
    if isinstance(value, float) and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is not a finite number")
    return value


def share(value: object) -> float:
    """`3%`, `3 %` and `0.03` are the same."""
    try:
        found = parse_share(number_or_text(str(value)))
    except ValueError:
        found = 0
    if not 0 < found < 1:
        raise typer.BadParameter(f"{value!r} is not a share between 0 and 1, such as 3% or 0.03")
    return found


def span(text: object) -> str:
    """A span of time such as `10ms`, as it was written."""
    try:
        parse_span(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    return str(text)


def check_build_root(build_root: Path) -> None:
    """Refuse what is no folder."""
    if not possible(build_root).is_dir():
        raise BadUsageError(
            f"{build_root} is not a folder; --build-root takes a folder such as build/"
        )


def items(texts: Iterable[str] | None) -> list[str]:
    """The values of an option that may be repeated, each a list separated by commas."""
    found = (item.strip() for text in texts or () for item in text.split(","))
    return list(dict.fromkeys(item for item in found if item))


def numbers(texts: Iterable[str] | None, name: str) -> list[int]:
    """The same for numbers and ranges START:STOP:STEP, in ascending order."""
    from pollux.core.campaign.number_lists import parse_numbers

    found = items(texts)
    return parse_numbers(",".join(found), name) if found else []


def parameters_of(texts: Iterable[str] | None) -> "Wanted":
    """Values of benchmarks' own parameters: `sweeps=4,8` has two values of one."""
    from pollux.core.campaign.overrides import parse_value
    from pollux.core.campaign.values import parameter_values

    found: dict[str, list[object]] = {}
    for text in texts or ():
        name = ""
        for item in filter(None, map(str.strip, text.split(","))):
            before, equals, value = map(str.strip, item.rpartition("="))
            name = before if equals else name
            if not name or not value:
                raise BadUsageError(
                    f"--parameters {cut(one_line(item))}: must be NAME=VALUE, such as sweeps=8"
                )
            found.setdefault(one_line(name), []).append(parse_value(value, lists=False))
    try:
        return {name: parameter_values(name, values) for name, values in found.items()}
    except ValueError as error:
        raise BadUsageError(f"--parameters: {error}") from error


def refuse_for_files(texts: Iterable[str] | None) -> None:
    """Parameters are of runs; those in files have theirs."""
    if texts:
        raise BadUsageError("--parameters is for benchmarks that are run: files have their own")


def refuse_inner(context: typer.Context, benchmarks: Collection[str], build_root: Path) -> None:
    """Exit if --inner was given for benchmarks none of which has an inner block."""
    from pollux.core.executables.benchmarks import benchmarks_of

    if not benchmarks or not is_given(context, "inner"):
        return
    if not benchmarks_of(build_root).having("inner", benchmarks):
        have = "has" if len(benchmarks) == 1 else "have"
        raise BadUsageError(f"--inner: {' and '.join(benchmarks)} {have} no inner block")


def refuse_beside(option: str, context: typer.Context, *, but: Collection[str]) -> None:
    """Exit if another option than these parameters of the command was given: it has no effect."""
    for parameter in context.command.params:
        name = str(parameter.name)
        if is_given(context, name) and name not in but:
            raise BadUsageError(f"{parameter.opts[0]} has no effect beside {option}")


def is_given(context: typer.Context, name: str) -> bool:
    """Whether a parameter is on the command line, its default value perhaps."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


class Undecided(StrEnum):
    """What something undecided counts as."""

    PASS = "pass"
    FAIL = "fail"


@dataclass(frozen=True)
class GateOptions:
    """The gate's options; no gate without `fail_if_slower`."""

    fail_if_slower: float | None
    undecided: Undecided | None
    unverified: Undecided | None = None

    def __post_init__(self) -> None:
        for name in ("undecided", "unverified"):
            if getattr(self, name) is not None and self.fail_if_slower is None:
                raise BadUsageError(f"--{name} is for the gate; --fail-if-slower is not given")
