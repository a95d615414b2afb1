# SPDX-License-Identifier: BSD-3-Clause
"""Says in a phrase why data from a file do not fit their model."""

from pydantic import ValidationError

from pollux.text import cut, one_line

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


def printable(text: str) -> str:
    """A text of others on one line, cut where it is long."""
    return one_line(cut(text, LONGEST))
