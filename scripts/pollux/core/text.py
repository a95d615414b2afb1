# SPDX-License-Identifier: BSD-3-Clause
"""Text that others wrote: printable, in one line, and in the characters that an encoding has.

And counts and lists in words.
"""

import codecs
import re
import unicodedata
from collections.abc import Collection, Iterable
from math import floor, log10

SHOWN_MOST = 60  # characters of a value in a message
LINE_MOST = 1000  # characters of a line of a program's output
LINES_MOST = 20  # of errors of one kind
# What stands for characters of this package's own output where an encoding lacks them.
SUBSTITUTES = {
    **{"\N{EN DASH}": "-", "\N{EM DASH}": "-", "\N{MINUS SIGN}": "-"},
    **{"─": "-", "━": "-", "…": "...", "×": "x", "·": ".", "→": "->", "≤": "<=", "≥": ">="},
}
ENCODING_ERRORS = "pollux-substitute"  # the name of `substituted` for codecs


def one_line(text: str) -> str:
    """The text with escapes, such as \\u001b or \\n, for characters that are not printable.

    Nothing that others wrote can act on a terminal then, or pretend to be several lines.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else escaped(c) for c in text)


def is_utf8(name: str) -> bool:
    """Whether a name of a file is text, which JSON can hold; others have stand-ins for bytes."""
    return not any("\udc80" <= c <= "\udcff" for c in name)


def several_lines(text: str) -> str:
    """The same with its line breaks; tabs are spaces, since they have no width of their own."""
    return "\n".join(map(one_line, text.expandtabs(4).split("\n")))


def escaped(character: str) -> str:
    """As JSON writes it, which keeps its meaning where the text is JSON."""
    short = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(character)
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return short or "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))


def cut(text: str, most: int = SHOWN_MOST) -> str:
    """The text, cut where it is long."""
    return text if len(text) <= most else text[: most - 1] + "…"


def cut_line(line: str) -> str:
    """A line of a program's output; of a very long one the beginning, and how long it is."""
    more = len(line) - LINE_MOST
    return line if more <= 0 else f"{line[:LINE_MOST]}… ({more} more characters)"


def cut_middle(text: str, most: int) -> str:
    """The text without its middle where it is long: beginning and end distinguish it."""
    if len(text) <= most:
        return text
    return f"{text[: most - most // 2 - 1]}…{text[len(text) - most // 2 :]}"


def cut_values(message: str, arguments: Iterable[str]) -> str:
    """A message with what it quotes of a command line's arguments cut.

    Paths stay whole: they are needed to find the files.
    """
    values = {v for a in arguments for v in (a, *a.split("=", 1), *re.split("[=,]", a))}
    for value in sorted(values, key=len, reverse=True):
        if len(value) > SHOWN_MOST and "/" not in value:
            message = message.replace(value, cut(value))
    return message


def first_lines(lines: list[str]) -> list[str]:
    """The first few lines of many, and the number of the others."""
    more = len(lines) - LINES_MOST
    return lines if more <= 0 else [*lines[:LINES_MOST], f"… and {more} more like these"]


def in_percent(share: float, digits: int = 0) -> str:
    """A share with so many digits after the point: `3 %`."""
    return f"{100 * share:.{digits}f} %"


def digits(number: float, count: int) -> str:
    """This many significant digits, or all before the point; never an exponent."""
    before = floor(log10(abs(number))) + 1 if number else 1
    return f"{number:.{min(6, max(0, count - before))}f}"


def is_one_line(text: str) -> bool:
    """Whether a text is a label: printable, without blanks around it."""
    return text.isprintable() and text.strip() == text != ""


def substituted(error: UnicodeError) -> tuple[str, int]:
    """For codecs: other characters in place of those that the encoding lacks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(substitute, error.object[error.start : error.end])), error.end


def substitute(character: str) -> str:
    """ASCII that stands for another character: é is e, and what nothing stands for is escaped."""
    if character in SUBSTITUTES:
        return SUBSTITUTES[character]
    alike = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    return alike if alike.isprintable() and alike else escaped(character)


def encodable(text: str, encoding: str) -> str:
    """The text in the characters that an encoding has."""
    return text.encode(encoding, ENCODING_ERRORS).decode(encoding)


def utf8(text: str) -> bytes:
    """The text as a file has it; bytes in names of files that are not UTF-8 are escaped."""
    return text.encode(errors=ENCODING_ERRORS)


codecs.register_error(ENCODING_ERRORS, substituted)


def some(names: Iterable[object], most: int = 3) -> str:
    """The first few of them, and the number of the others."""
    unique = [str(name) for name in dict.fromkeys(names)]
    rest = len(unique) - most
    return ", ".join(unique[:most]) + (f" and {rest} more" if rest > 0 else "")


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def span(numbers: Collection[int]) -> str:
    """The least and the most of them, as in "3 to 5", or what all of them are."""
    return " to ".join(map(str, sorted({min(numbers), max(numbers)})))
