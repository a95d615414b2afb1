# SPDX-License-Identifier: BSD-3-Clause
"""`pollux power`: energy, power, temperatures and clock frequencies over time."""

from pathlib import Path
from typing import Annotated

import typer

from pollux.core.commands.options import option
from pollux.core.commands.shared import BuildRoot
from pollux.core.errors import BadUsageError
from pollux.core.paths import BUILDS
from pollux.core.spans import parse_span

SHORTEST, LONGEST = 1e-3, 3600.0  # seconds between samples
LONGEST_DURATION = 1e9


def time_span(text: object) -> float:
    """`10ms`, `1.5 s`, `2min` and `1h` in seconds; a number alone is seconds."""
    written = str(text).strip()
    try:
        seconds = parse_span(f"{written}s" if written[-1:].isdigit() else written)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= LONGEST_DURATION:
        raise typer.BadParameter(f"{text!r} is not a span of time; write 10ms, 60s, 5min or 2h")
    return seconds


Output = Annotated[Path | None, option("--output", "A new file; default: standard output.")]
Interval = Annotated[
    float,
    typer.Option("--interval", parser=time_span, metavar="TIME", help="Time between samples."),
]
Duration = Annotated[
    float | None,
    typer.Option(
        "--duration", parser=time_span, metavar="TIME", help="When to end; default: at Ctrl-C."
    ),
]


def power(
    *,
    output: Output = None,
    interval: Interval = "10ms",  # type: ignore[assignment]  # parsed like what users write
    duration: Duration = None,
    build_root: BuildRoot = BUILDS,
) -> None:
    """Write energy, power, temperatures and clock frequencies over time, as CSV.

    Every counter and meter of the machine has a column for joules and one for watts. It needs less
    than 1 % of a processor core at 10 ms, and sees wraps of counters that long runs cannot see. An
    interrupted or killed one leaves whole lines. docs/meters.md describes the file.

    Exit status: 0 success, Ctrl-C and SIGTERM included; 2 bad usage; 3 nothing can be sampled here,
    or the disk is full.

    Example: pollux power -o power.csv --interval 10ms --duration 60s
    """
    from pollux.core.campaign.sampler import find_sampler
    from pollux.core.executables.process import become

    if not SHORTEST <= interval <= LONGEST:
        raise BadUsageError(f"--interval: {interval:g} s is not between 1ms and 1h")
    command = [str(find_sampler(build_root)), "--interval", f"{1000 * interval:.9g}"]
    if duration is not None:
        command += ["--duration", f"{duration:.9g}"]
    if output is not None:
        command += ["--output", str(output)]
    become(command)
