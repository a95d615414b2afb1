# SPDX-License-Identifier: BSD-3-Clause
"""TOML within limits, and the line of each key.

tomllib reports no positions. A TOML text is a sequence of statements that begin on lines of their
own; each is parsed by itself, and the keys it sets are recorded with its first line.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pollux.campaign.source import Key
from pollux.errors import BadUsageError
from pollux.paths import no_device

FILE_BYTES = 1 << 18  # of a file
NESTING = 16  # tables and arrays within each other; the format needs 5
INTEGER_BITS = 64  # of TOML's whole numbers
# What may contain brackets or line breaks that end no statement; then brackets and line breaks.
TOKEN = re.compile(
    r'"""(?:[^\\"]++|\\.|"{1,2}(?!"))*+"{3,5}'
    r"|'''(?:[^']++|'{1,2}(?!'))*+'{3,5}"
    r'|"(?:[^"\\\n]++|\\.)*+"'
    r"|'[^'\n]*+'"
    r"|\#[^\n]*+"
    r"|[\[{]|[\]}]|\n",
    re.DOTALL,
)


class BeyondLimitsError(ValueError):
    """A text that may be TOML, but has more of something than is read."""


def read_text(path: Path, what: str) -> str:
    """The text of a file; `what` it is stands in the message on one that is too long."""
    try:
        with no_device(path).open(encoding="utf-8") as file:
            text = file.read(FILE_BYTES + 1)
    except OSError as error:
        raise BadUsageError(f"cannot read {path} ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise BadUsageError(f"{path}: not UTF-8 text, which TOML files are") from error
    if len(text) > FILE_BYTES:
        raise BadUsageError(f"{path}: {what} has at most {FILE_BYTES >> 10} KiB")
    return text


def load(text: str) -> dict[str, Any]:
    """The contents; raises BeyondLimitsError, or tomllib.TOMLDecodeError."""
    if depth_of_brackets(text) > NESTING:
        raise BeyondLimitsError(f"values are nested more than {NESTING} deep")
    try:
        contents = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except (ValueError, RecursionError) as error:  # of int(), which limits the digits
        raise BeyondLimitsError(f"a number does not fit in {INTEGER_BITS} bits") from error
    check(contents)
    return contents


def depth_of_brackets(text: str) -> int:
    """How deep brackets are within each other, those in strings and comments left out."""
    deepest = depth = 0
    for token in TOKEN.finditer(text):
        depth += change(token[0])
        deepest = max(deepest, depth)
    return deepest


def change(token: str) -> int:
    """Of the depth, by a bracket."""
    return (token in ("[", "{")) - (token in ("]", "}"))


def check(contents: dict[str, Any]) -> None:
    """Refuse what no campaign needs and what other code would fail on."""
    left: list[tuple[Any, int]] = [(contents, 0)]
    while left:
        value, depth = left.pop()
        if depth > NESTING:
            raise BeyondLimitsError(f"values are nested more than {NESTING} deep")
        if isinstance(value, dict | list):
            items = value.values() if isinstance(value, dict) else value
            left += [(item, depth + 1) for item in items]
        elif isinstance(value, int) and value.bit_length() >= INTEGER_BITS:
            raise BeyondLimitsError(f"a number does not fit in {INTEGER_BITS} bits")


def statements(text: str) -> Iterator[tuple[int, str]]:
    """Each statement of a text, with the number of its first line."""
    begin, line, lines, depth = 0, 1, 1, 0
    for token in TOKEN.finditer(text + "\n"):
        depth += change(token[0])
        lines += token[0].count("\n")
        if token[0] == "\n" and depth <= 0:
            statement = text[begin : token.start()].strip()
            if statement and not statement.startswith("#"):
                yield line, statement
            begin, line, depth = token.end(), lines, 0
    if text[begin:].strip():  # brackets that are never closed
        yield line, text[begin:]


def line_beyond_limits(text: str) -> int:
    """The line of the first statement that `load` refuses; 1 where none does by itself."""
    for line, statement in statements(text):
        try:
            load(statement)
        except BeyondLimitsError:
            return line
        except tomllib.TOMLDecodeError:
            continue
    return 1


def locate(text: str) -> dict[Key, int]:
    """The line of every key and table of a text that `load` takes."""
    found: dict[Key, int] = {}
    counts: dict[Key, int] = {}
    table: Key = ()
    for line, statement in statements(text):
        contents = tomllib.loads(statement)
        if statement.startswith("["):
            table = header(contents, counts)
            found.setdefault(table, line)
        else:
            note(found, table, contents, line)
    return found


def header(contents: Any, counts: dict[Key, int]) -> Key:  # noqa: ANN401 (any TOML value)
    """The key of a [table], or of the next element of an [[array of tables]]."""
    key: Key = ()
    while contents:
        name, contents = next(iter(contents.items()))
        key += (name,)
        if isinstance(contents, list):
            counts[key] = counts.get(key, -1) + 1
            return (*key, counts[key])
    return key


def note(found: dict[Key, int], table: Key, contents: dict[str, Any], number: int) -> None:
    """Record the line of each key that a statement sets, those of inline tables included."""
    for name, value in contents.items():
        key = (*table, name)
        found.setdefault(key, number)
        if isinstance(value, dict):
            note(found, key, value, number)
