# SPDX-License-Identifier: BSD-3-Clause
"""Damages files as editors, transfers, other programs and killed processes do; a seed decides how.

Mutator(7).json_object(line) changes one field of an object, .text(contents) some bytes or numbers
of any file, .lines(contents) the lines of a file, or what is in one of them.
"""

import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Json = Any
Path = tuple[str | int, ...]  # the keys and positions that lead to a value

ODD_VALUES: tuple[Json, ...] = (
    *(None, True, False, [], [None], {}, {"a": 1}, [[[[[1]]]]]),
    *(0, 1, -1, 2, 3, 7, 128, 2**31 - 1, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 2**64, 10**30),
    *(0.0, -0.0, 0.5, -1.5, 1e-320, 1e-9, 1e17, 1e308),
    *(float("nan"), float("inf"), float("-inf")),
    *("", " ", "x", "128", "-1", "1e3", "NaN", "null", "pollux-run/9", "pollux-campaign/9"),
    *("pollux-trace/9", "a\nb", "a\tb", "\0", "\x1b[31m", "[red]", "[/]", "{}", "%s", "../x"),
    *("\ud800", "\u202e", "ä" * 40, "x" * 5000, "</script>", "$1_2^3$"),
)
# What json.dumps does not write.
ODD_NUMBERS = (
    "1e999",
    "-1e999",
    "9" * 5000,
    "01",
    "1.",
    "+1",
    "0x10",
    "Infinity",
    "1_000",
    "1e5.5",
)
ODD_TOKENS = (
    *(b"", b"0", b"-1", b"1", b"2147483648", b"9223372036854775808", b"99999999999999999999"),
    *(b"1e999", b"nan", b"NaN", b"inf", b"1.0D+05", b"4,5", b"0x1p3", b"1_000", b"--1", b"1e"),
    *(b"true", b"null", b'""', b'"x"', b"'x'", b"[]", b"{}", b"9" * 5000, "½".encode()),
)
ODD_BYTES = (b"\0", b"\xff", b"\xef\xbb\xbf", b"\r", b"\n", b"\n\n", b"\x1b[31m", b"{", b"[", b'"')
NUMBER = re.compile(rb"-?\d+(\.\d+)?([eEdD][-+]?\d+)?")
MARK = "a place for a number that json cannot write"
DEPTH = 3000


@dataclass(frozen=True)
class Mutation:
    """A damaged text, and what was done to it."""

    what: str
    text: bytes


class Mutator:
    """The same seed gives the same mutations of the same texts."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def json_object(self, text: bytes) -> Mutation:
        """One field of an object changed, or the object put into something else."""
        value = json.loads(text)
        if self.rng.random() < 0.04:
            return self.wrapped(text.strip())
        path = self.rng.choice(list(paths(value))[1:])
        changes = (
            *(self.remove, self.replace, self.replace, self.replace, self.retype, self.number),
            *(self.scale, self.rename, self.add, self.double, self.exchange),
        )
        what, changed = self.rng.choice(changes)(value, path)
        return Mutation(f"{'.'.join(map(str, path))}: {what}", changed + ending(text))

    def text(self, text: bytes) -> Mutation:
        """Some bytes or a number changed, or the whole text encoded otherwise."""
        changes: Sequence[Callable[[bytes], Mutation]] = (
            *(self.other_number, self.other_number, self.other_number, self.cut, self.lack),
            *(self.insert, self.flip, self.repeat, self.recode),
        )
        return self.rng.choice(changes)(text)

    def lines(self, text: bytes) -> Mutation:
        """Lines lost, doubled, exchanged or changed."""
        lines = text.splitlines(keepends=True)
        if not lines:
            return self.insert(text)
        place = self.rng.randrange(len(lines))
        line = lines[place]
        kind = self.rng.randrange(10)
        if kind == 0:
            del lines[place]
            what = "removed"
        elif kind == 1:
            lines.insert(self.rng.randrange(len(lines) + 1), line)
            what = "doubled"
        elif kind == 2:
            other = self.rng.randrange(len(lines))
            lines[place], lines[other] = lines[other], lines[place]
            what = f"exchanged with line {other + 1}"
        else:
            mutation = self.json_object(line) if is_object(line) and kind < 8 else self.text(line)
            lines[place], what = mutation.text, mutation.what
        return Mutation(f"line {place + 1}: {what}", b"".join(lines))

    # Changes of an object: each returns what it did, and the new text.

    def remove(self, value: Json, path: Path) -> tuple[str, bytes]:
        owner = at(value, path[:-1])
        del owner[path[-1]]
        return "removed", dumped(value)

    def replace(self, value: Json, path: Path) -> tuple[str, bytes]:
        odd = self.rng.choice(ODD_VALUES)
        at(value, path[:-1])[path[-1]] = odd
        return f"now {json.dumps(odd)[:40]}", dumped(value)

    def retype(self, value: Json, path: Path) -> tuple[str, bytes]:
        """The same in another type: 8 as "8", "a" as ["a"]."""
        owner, old = at(value, path[:-1]), at(value, path)
        plain = isinstance(old, int | float)
        owner[path[-1]] = new = self.rng.choice(
            (str(old), [old], {"value": old}, *((float(old), bool(old)) if plain else ()))
        )
        return f"now {json.dumps(new)[:40]}", dumped(value)

    def number(self, value: Json, path: Path) -> tuple[str, bytes]:
        """A number as JSON does not allow, or as no machine number can hold."""
        odd = self.rng.choice(ODD_NUMBERS)
        at(value, path[:-1])[path[-1]] = MARK
        return f"now {odd[:40]}", dumped(value).replace(json.dumps(MARK).encode(), odd.encode())

    def scale(self, value: Json, path: Path) -> tuple[str, bytes]:
        old = at(value, path)
        if isinstance(old, bool) or not isinstance(old, int | float):
            return self.replace(value, path)
        factor = self.rng.choice((-1, 2, 10, 1000, 10**6, 10**12, 1e-3, 1e-9, 1e-30, 0.5))
        at(value, path[:-1])[path[-1]] = old * factor
        return f"times {factor}", dumped(value)

    def rename(self, value: Json, path: Path) -> tuple[str, bytes]:
        owner, key = at(value, path[:-1]), path[-1]
        if not isinstance(owner, dict):
            return self.replace(value, path)
        new = self.rng.choice((str(key).upper(), f"{key} ", f"{key}s", ""))
        owner[new] = owner.pop(key)
        return f"renamed to {new!r}", dumped(value)

    def add(self, value: Json, path: Path) -> tuple[str, bytes]:
        """A field or element that should not be there."""
        owner = at(value, path[:-1])
        odd = self.rng.choice(ODD_VALUES)
        if isinstance(owner, dict):
            owner["unknown"] = odd
        else:
            owner.insert(int(path[-1]), odd)
        return f"besides, {json.dumps(odd)[:40]}", dumped(value)

    def double(self, value: Json, path: Path) -> tuple[str, bytes]:
        """A key twice, with unequal values."""
        owner, key = at(value, path[:-1]), path[-1]
        if not isinstance(owner, dict):
            return self.replace(value, path)
        odd = self.rng.choice(ODD_VALUES)
        owner[MARK] = odd
        return "twice", dumped(value).replace(json.dumps(MARK).encode(), json.dumps(key).encode())

    def exchange(self, value: Json, path: Path) -> tuple[str, bytes]:
        """Two values in each other's place, unless one contains the other."""
        other = self.rng.choice(list(paths(value))[1:])
        if path[: len(other)] == other[: len(path)]:
            return self.replace(value, path)
        here, there = at(value, path), at(value, other)
        at(value, path[:-1])[path[-1]] = there
        at(value, other[:-1])[other[-1]] = here
        return f"exchanged with {'.'.join(map(str, other))}", dumped(value)

    def wrapped(self, text: bytes) -> Mutation:
        deep = b"[" * DEPTH + b"]" * DEPTH
        new = self.rng.choice(
            (b"[" + text + b"]", b"null", b"[]", b"{}", b"1", b'"x"', deep, text * 2)
        )
        return Mutation(f"now {new[:40]!r}", new + b"\n")

    # Changes of any text.

    def other_number(self, text: bytes) -> Mutation:
        found = list(NUMBER.finditer(text))
        if not found:
            return self.insert(text)
        number = self.rng.choice(found)
        odd = self.rng.choice(ODD_TOKENS)
        what = f"{number[0].decode()} at {number.start()} is now {odd[:40]!r}"
        return Mutation(what, text[: number.start()] + odd + text[number.end() :])

    def cut(self, text: bytes) -> Mutation:
        end = self.rng.randrange(len(text) + 1)
        return Mutation(f"cut at {end}", text[:end])

    def lack(self, text: bytes) -> Mutation:
        begin = self.rng.randrange(len(text) + 1)
        end = min(len(text), begin + self.rng.choice((1, 2, 10, 100)))
        return Mutation(f"without {begin} to {end}", text[:begin] + text[end:])

    def insert(self, text: bytes) -> Mutation:
        place = self.rng.choice((0, self.rng.randrange(len(text) + 1), len(text)))
        odd = self.rng.choice(ODD_BYTES)
        return Mutation(f"{odd!r} at {place}", text[:place] + odd + text[place:])

    def flip(self, text: bytes) -> Mutation:
        if not text:
            return self.insert(text)
        place = self.rng.randrange(len(text))
        new = bytes((text[place] ^ (1 << self.rng.randrange(8)),))
        return Mutation(f"{new!r} at {place}", text[:place] + new + text[place + 1 :])

    def repeat(self, text: bytes) -> Mutation:
        begin = self.rng.randrange(len(text) + 1)
        part = text[begin : begin + self.rng.choice((1, 5, 50, 500))]
        return Mutation(f"{part[:20]!r} twice at {begin}", text[:begin] + part + text[begin:])

    def recode(self, text: bytes) -> Mutation:
        letters = text.decode(errors="replace")
        ways = {
            "CRLF": text.replace(b"\n", b"\r\n"),
            "BOM": b"\xef\xbb\xbf" + text,
            "UTF-16": letters.encode("utf-16"),
            "empty": b"",
            "blank": b" \n\n",
            "no line feed at the end": text.rstrip(b"\n"),
        }
        what = self.rng.choice(list(ways))
        return Mutation(what, ways[what])


def paths(value: Json, before: Path = ()) -> Iterator[Path]:
    """Those to every value in it, itself first."""
    yield before
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths(inner, (*before, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from paths(inner, (*before, place))


def at(value: Json, path: Path) -> Json:
    for key in path:
        value = value[key]
    return value


def dumped(value: Json) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def ending(text: bytes) -> bytes:
    return text[len(text.rstrip(b"\r\n")) :]


def is_object(line: bytes) -> bool:
    """Whether it is a JSON object with a field to change."""
    try:
        value = json.loads(line)
    except ValueError:
        return False
    return isinstance(value, dict) and bool(value)
