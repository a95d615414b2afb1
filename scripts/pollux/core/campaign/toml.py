# SPDX-License-Identifier: BSD-3-Clause
"""TOML within limits, and the line of each key.

tomllib reads the values but reports no positions; tree-sitter's syntax tree has them. The tree is
also that of a text with errors, so that limits apply before tomllib works on the text.
"""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tree_sitter_toml
from tree_sitter import Language, Node, Parser

from pollux.core.campaign.source import Key
from pollux.core.errors import BadUsageError
from pollux.core.paths import no_device

FILE_BYTES = 1 << 18  # of a file
NESTING = 16  # tables and arrays within each other; the format needs 5
INTEGER_BITS = 64  # of TOML's whole numbers
TOO_DEEP = f"values are nested more than {NESTING} deep"
PARSER = Parser(Language(tree_sitter_toml.language()))


class BeyondLimitsError(ValueError):
    """A text that may be TOML, but has more of something than is read."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


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


def load(text: str) -> tuple[dict[str, Any], dict[Key, int]]:
    """The contents, and the line of each key; BeyondLimitsError, or tomllib.TOMLDecodeError."""
    check_tokens(text)
    return tomllib.loads(text), locate(text)


def syntax(text: str) -> Node:
    """The root of the syntax tree."""
    return PARSER.parse(text.encode(errors="replace")).root_node


def line(node: Node) -> int:
    return node.start_point.row + 1


def check_tokens(text: str) -> None:
    """Refuse numbers that do not fit, and what tomllib would need too much time or stack for."""
    brackets = dots = row = 0
    for token in tokens(syntax(text)):
        brackets += (token.type in ("[", "{")) - (token.type in ("]", "}"))
        ends_key = token.type == "=" or token.start_point.row > row
        row, dots = token.start_point.row, 0 if ends_key else dots + (token.type == ".")
        if max(brackets, dots) > NESTING:
            raise BeyondLimitsError(TOO_DEEP, line(token))
        if token.type == "integer" and token.text and too_large(token.text):
            raise BeyondLimitsError(f"a number does not fit in {INTEGER_BITS} bits", line(token))


def tokens(root: Node) -> Iterator[Node]:
    """The leaves of a tree, in the order of the text."""
    left = [root]
    while left:
        node = left.pop()
        left += reversed(node.children)
        if node.child_count == 0:
            yield node


def too_large(integer: bytes) -> bool:
    try:
        return int(integer, 0).bit_length() >= INTEGER_BITS
    except ValueError:  # more digits than Python converts
        return True


def locate(text: str) -> dict[Key, int]:
    """The line of every key and table in a text that tomllib takes."""
    found: dict[Key, int] = {}
    counts: dict[Key, int] = {}  # the last element of each array of tables
    for node in syntax(text).children:
        if node.type == "pair":
            note_pair(found, (), node)
        elif node.type in ("table", "table_array_element"):
            note(found, header(node, counts), node)
    return found


def header(node: Node, counts: dict[Key, int]) -> Key:
    """The key of a [table], or of the next element of an [[array of tables]]."""
    names = names_of(node.children[1])
    key: Key = ()
    for place, name in enumerate(names, 1):
        key += (name,)
        if place == len(names) and node.type == "table_array_element":
            counts[key] = counts.get(key, -1) + 1
        if key in counts:
            key += (counts[key],)
    return key


def note(found: dict[Key, int], key: Key, node: Node) -> None:
    """Record the line of a key by its table or value, and of those in it."""
    if len(key) > NESTING:
        raise BeyondLimitsError(TOO_DEEP, line(node))
    if isinstance(key[-1], str) or "table" in node.type:
        found.setdefault(key, line(node))
    if node.type == "array":
        items = (child for child in node.named_children if not child.is_extra)
        for index, item in enumerate(items):
            note(found, (*key, index), item)
    for child in node.children:
        if child.type == "pair":
            note_pair(found, key, child)


def note_pair(found: dict[Key, int], key: Key, pair: Node) -> None:
    """The same for a key and its value, and the tables that a dotted key implies."""
    name, _, value = (child for child in pair.children if not child.is_extra)
    for part in names_of(name):
        key += (part,)
        found.setdefault(key, line(pair))
    note(found, key, value)


def names_of(key: Node) -> tuple[str, ...]:
    """The names of a dotted key."""
    return only_key(tomllib.loads(f"{(key.text or b'').decode()} = 0"))


def only_key(contents: Any) -> tuple[str, ...]:  # noqa: ANN401 (any TOML value)
    """The names of the key that alone is set."""
    names: tuple[str, ...] = ()
    while isinstance(contents, dict):
        name, contents = next(iter(contents.items()))
        names += (name,)
    return names
