# SPDX-License-Identifier: BSD-3-Clause
"""Says in a phrase why data from a file do not fit their model."""

from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import from_json, to_json

from pollux.core.errors import BadUsageError
from pollux.core.shares import shown
from pollux.core.text import cut, one_line, several_lines

# Fields with standard error, stacks, or a campaign's file.
SEVERAL_LINES = ("detail", "stacks", "stderr", "text")
WINDOWS_ENDS = "carriage returns at the ends of lines, as on Windows; dos2unix converts the file"
LONGEST = 160  # characters of a phrase; what is wrong may be thousands of digits


def first_problem(error: ValidationError, *, unless: str = "the contents") -> str:
    """The first problem with its place, such as "records.0.gflops should be a valid number".

    `unless` names what has no place: the data as a whole.
    """
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"])) or unless
    message = first["msg"].removeprefix("Value error, ").removeprefix("Invalid JSON: ")
    if first["type"] == "missing":
        return printable(f"{place} is missing")
    if first["type"] == "extra_forbidden":
        return printable(f"{place} is not known")
    if message.startswith("Input should "):
        return printable(f"{place} {message.removeprefix('Input ')}")
    return printable(f"{place}: {message}")


def must_be(message: str, value: object) -> str:
    """What pydantic's message asks of a value, such as "must be at least 1, not 0"."""
    wanted = message.removeprefix("Input should ")
    wanted = wanted.replace("less than or equal to", "at most")
    return f"must {wanted.replace('greater than or equal to', 'at least')}, not {shown(value)}"


def has_windows_ends(text: bytes) -> bool:
    """Whether lines end in CR LF: what was converted was not written by Pollux as it stands."""
    return b"\r\n" in text


def refuse_windows_ends(path: Path, text: bytes) -> bytes:
    """The contents of a file of JSON lines that count as a whole, else BadUsageError.

    What does not begin with an object is of another kind, and its lines end as they please.
    """
    if text.startswith(b"{") and has_windows_ends(text):
        line = text.count(b"\n", 0, text.find(b"\r\n")) + 1
        raise BadUsageError(f"{path}, line {line}: {WINDOWS_ENDS}")
    return text


def printable_json(text: bytes) -> bytes:
    """JSON whose strings, names of fields included, are printable; what is no JSON is unchanged.

    Files come from others too: no label in them can act on a terminal, or pretend to be several
    lines. Readers call this before they validate anything.
    """
    if text.isascii() and b"\\" not in text and b"\x7f" not in text:
        return text
    try:
        found = from_json(text, allow_inf_nan=False)
    except ValueError:
        return text
    return to_json(printable_value(found))


def printable_value(value: Any, name: str = "") -> Any:  # noqa: ANN401 (any JSON)
    """The same for a value of the field `name`."""
    if isinstance(value, str):
        return several_lines(value) if name in SEVERAL_LINES else one_line(value)
    if isinstance(value, list):
        return [printable_value(item, name) for item in value]
    if isinstance(value, dict):
        return {one_line(key): printable_value(item, key) for key, item in value.items()}
    return value


def printable(text: str) -> str:
    """A text of others on one line, cut where it is long."""
    return one_line(cut(text, LONGEST))
