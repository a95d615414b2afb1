# SPDX-License-Identifier: BSD-3-Clause
"""`pollux watch`: what last night shows of each series, beside the accepted base line."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pollux.core.commands.options import share
from pollux.core.commands.shared import AtomicOutput
from pollux.core.console import deliver, echo
from pollux.core.errors import BadUsageError
from pollux.core.text import cut, one_line

if TYPE_CHECKING:
    from pollux.nights.watching.findings import Watch

ACCEPT = "accept"
REASON_MOST = 1000  # characters


Format = Literal["table", "json", "junit", "markdown", "html"]
Words = Annotated[
    list[Path],
    typer.Argument(
        metavar="[accept] DIR", help="A folder with a file of records per night (*.jsonl)."
    ),
]
FormatOption = Annotated[Format, typer.Option("--format", help="How the result is written.")]
Relevant = Annotated[
    float,
    typer.Option(
        parser=share, metavar="SHARE", help="Changes of level below this are not reported."
    ),
]
Chosen = Annotated[
    list[str] | None,
    typer.Option(
        "--series", metavar="LABEL", help="Accept those whose label contains this. Repeatable."
    ),
]
Reason = Annotated[
    str | None, typer.Option("--reason", metavar="REASON", help="Why the base line is moved.")
]


def watch(  # noqa: PLR0913 (one parameter per option)
    words: Words,
    *,
    format_: FormatOption = "table",
    output: AtomicOutput = None,
    relevant: Relevant = 0.01,
    series: Chosen = None,
    reason: Reason = None,
) -> int:
    """Compare last night with the accepted base line, and find the night of a change.

    DIR contains the records of one campaign per night, in order of the files' names. Each benchmark
    and quantity is a series: steady, slower, faster, too-noisy, not-run or wrong. Night by night
    it is compared on the same machine, with the reference in the same rounds where there is one.
    `pollux watch accept DIR --reason TEXT` moves the base line to the levels of now, and keeps the
    reason in DIR.

    Exit status: 0 success; 1 if a series is slower or wrong; 2 bad usage; 3 the machine cannot do
    it.

    Example: pollux watch nights
    """
    is_accept = len(words) == 2 and str(words[0]) == ACCEPT
    if not is_accept and len(words) != 1:
        raise BadUsageError(f"watch takes one folder, or accept and one; {len(words)} were given")
    if is_accept:
        if format_ != "table" or output is not None:
            raise BadUsageError("--format and --output are not for watch accept")
        return accept(words[1], relevant, series, reason)
    if series or reason is not None:
        raise BadUsageError("--series and --reason are for watch accept DIR")
    return look(words[0], format_, output, relevant)


def look(folder: Path, format_: Format, output: Path | None, relevant: float) -> int:
    """Write what the nights show."""
    from pollux.core.writing import check_outputs
    from pollux.nights.history import base_line, index
    from pollux.nights.history.files import NOTE, night_files
    from pollux.nights.showing import document
    from pollux.nights.showing.text import show
    from pollux.nights.showing.words import answer

    nights = night_files(folder)
    notes = (night.with_suffix(NOTE) for night in nights)
    kept = folder / base_line.NAME, folder / index.NAME, *folder.glob("*/*.json")
    check_outputs({"--output": output}, [*nights, *notes, *kept])
    found = watched(folder, relevant)
    match format_:
        case "table":
            deliver(partial(show, watch=found), output)
        case "json":
            deliver(document.json_text(found), output)
        case "junit":
            deliver(document.junit(found), output)
        case "markdown":
            deliver(document.markdown(found), output)
        case "html":
            from pollux.nights.showing.page import make_page

            deliver(make_page(found), output)
    if output is not None:
        echo(answer(found), to_stderr=True)
    return int(bool(found.alarms))


def watched(folder: Path, relevant: float) -> "Watch":
    """What a folder shows; BadUsageError where it has nothing to show."""
    from pollux.nights.watching.findings import watch_folder

    found = watch_folder(folder, relevant)
    if not found.nights:
        raise BadUsageError(
            f"{folder} contains no records yet (no *.jsonl); pollux run CAMPAIGN --output "
            f"{folder}/DATE.jsonl writes a night's"
        )
    if not found.findings:
        why = next((night.problems[0] for night in found.nights if night.problems), "all empty")
        count = len(found.nights)
        raise BadUsageError(f"none of the {count} files in {folder} has records: {why}")
    return found


def accept(folder: Path, relevant: float, chosen: list[str] | None, reason: str | None) -> int:
    """Move the base line of series to their levels of now."""
    from pollux.nights.history.base_line import add
    from pollux.nights.watching.accepting import to_accept

    text = one_line((reason or "").strip())
    if not text:
        raise BadUsageError("watch accept needs --reason TEXT, which is kept with the base line")
    if len(text) > REASON_MOST:
        raise BadUsageError(f"--reason takes {REASON_MOST} characters at most: {cut(text)}")
    found = watched(folder, relevant)
    accepted = to_accept(found, chosen or [], text)
    if not accepted:
        which = "none of these" if chosen else "no"
        echo(f"nothing to accept: {which} series has left its base line")
        return 0
    add(folder, accepted)
    for entry in accepted:
        echo(f"accepted: {entry.series} ({entry.state}), base line from {entry.first}")
    return 0
