# SPDX-License-Identifier: BSD-3-Clause
"""How values of a campaign's file are spelled: one or many, ranges, shares, words for a default."""

import math
import re
from collections.abc import Callable
from typing import Annotated, Any, TypeGuard, TypeVar

from pydantic import BeforeValidator, Field

from pollux.core.levers import PARSERS
from pollux.core.limits import NUMBER_MAX
from pollux.core.shares import parse_share, shown
from pollux.core.spans import parse_span
from pollux.core.text import is_one_line
from pollux.core.tiles import TALL_PATTERN, Tile

T = TypeVar("T")
NUMBERS_MAX = 256  # values of one range: as many as an executable takes (common/base/number_list.h)
VALUES_MAX = 10_000  # of an axis
TEXT_MAX = 4096  # characters of a value

NUMBER_SCHEMA: list[dict[str, Any]] = [
    {"type": "integer", "minimum": 1},
    {"type": "string", "pattern": r"^\d+:\d+:\d+$"},
]
NAME_PATTERN = r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$"
GRID_PATTERN = r"^[1-9]\d{0,5}x[1-9]\d{0,5}$"
TILE_SCHEMA = [*NUMBER_SCHEMA, {"type": "string", "pattern": TALL_PATTERN}]


def as_list(value: object) -> list[object]:
    """A scalar stands for a list of one."""
    return value if isinstance(value, list) else [value]


def parse_range(text: str, what: str) -> list[int]:
    """START:STOP:STEP, both ends included, as the executables take it."""
    parts = text.split(":")
    if len(parts) != 3 or not all(p.isascii() and p.isdigit() and len(p) < 11 for p in parts):
        raise ValueError(f"{text!r} is not {what}; a range is START:STOP:STEP, three numbers")
    start, stop, step = map(int, parts)
    if min(start, step) < 1 or stop > NUMBER_MAX or start > stop:
        raise ValueError(f"{text!r} is an empty range; START is from 1 up to STOP, STEP at least 1")
    values = range(start, stop + 1, step)
    if len(values) > NUMBERS_MAX:
        raise ValueError(f"{text!r} has {len(values)} values; at most {NUMBERS_MAX} are allowed")
    return list(values)


def numbers(
    what: str, words: tuple[str, ...] = (), *, tall: bool = False, most: int = NUMBER_MAX
) -> Callable[[object], list[int | str]]:
    """A validator for numbers from 1 up, ranges of them, and the words that stand for a default.

    With `tall`, for MBxNB too.
    """
    more = ['"MBxNB"'] * tall + [f'"{word}"' for word in words]
    allowed = ", ".join(["numbers from 1 up", "START:STOP:STEP", *more])

    def validate(value: object) -> list[int | str]:
        found: list[int | str] = []
        for item in as_list(value):
            if isinstance(item, str) and item in words:
                found.append(item)
            elif isinstance(item, str) and ":" in item:
                found += parse_range(item, what)
            elif tall and isinstance(item, str) and "x" in item:
                found.append(Tile.parse(item).brief())
            elif type(item) is int and 1 <= item <= NUMBER_MAX:
                found.append(item)
            else:
                raise ValueError(f"{shown(item)} is not {what}; allowed are {allowed}")
            if isinstance(found[-1], int) and found[-1] > most:
                raise ValueError(f"{found[-1]} is more than the {most} that are allowed")
            if len(found) > VALUES_MAX:
                raise ValueError(f"more than {VALUES_MAX} values; an axis has at most so many")
        return not_empty(found)

    return validate


def own_axes(value: object) -> dict[str, list[int | str]]:
    """Values of parameters by name: numbers from 0 up, ranges of them, words."""
    if not isinstance(value, dict) or not value:
        raise ValueError(
            f"{shown(value)} has no names; parameters are a table: {{sweeps = [4, 8]}}"
        )
    return {name: parameter_values(name, found) for name, found in value.items()}


def parameter_values(name: str, value: object) -> list[int | str]:
    what = f"a value of {name}"
    found: list[int | str] = []
    for item in as_list(value):
        if isinstance(item, str) and ":" in item:
            found += parse_range(item, what)
        elif is_parameter_value(item):
            found.append(item)
        else:
            raise ValueError(
                f"{shown(item)} is not {what}; allowed are numbers from 0 up, START:STOP:STEP and "
                "words"
            )
        if len(found) > VALUES_MAX:
            raise ValueError(f"more than {VALUES_MAX} values; an axis has at most so many")
    return not_empty(found)


def is_parameter_value(item: object) -> TypeGuard[int | str]:
    if isinstance(item, str):
        return re.fullmatch(NAME_PATTERN, item) is not None
    return type(item) is int and 0 <= item <= NUMBER_MAX


def settings(lever: str) -> Callable[[object], list[str]]:
    """A validator for values of a lever."""

    def validate(value: object) -> list[str]:
        return not_empty([PARSERS[lever](item) for item in as_list(value)])

    return validate


def names(what: str, known: tuple[str, ...] = ()) -> Callable[[object], list[str]]:
    """A validator for names; where `known` are given, no others are allowed."""

    def validate(value: object) -> list[str]:
        found: list[str] = []
        for item in as_list(value):
            if not isinstance(item, str) or not item:
                raise ValueError(f"{shown(item)} is not {what}; a name is a text")
            if known and item not in known:
                raise ValueError(f"{shown(item)} is not {what}; choose from {', '.join(known)}")
            found.append(item)
        if "all" in found and len(found) > 1:
            raise ValueError('"all" stands alone, or names without it')
        return not_empty(found)

    return validate


def grids(value: object) -> list[str]:
    """A validator for grids of ranks."""
    found: list[str] = []
    for item in as_list(value):
        if not isinstance(item, str) or re.fullmatch(GRID_PATTERN, item) is None:
            raise ValueError(f'{shown(item)} is not a grid of ranks; one is PxQ, such as "2x2"')
        found.append(item)
    return not_empty(found)


def ranks_in(grid: str | None) -> int:
    """The ranks of a grid; without one there is one process."""
    return math.prod(map(int, grid.split("x"))) if grid is not None else 1


def not_empty(found: list[T]) -> list[T]:
    """The same without repetitions."""
    if not found:
        raise ValueError("an empty list leaves nothing to run")
    return list(dict.fromkeys(found))


def parse_variable(value: object) -> str:
    """An environment variable's value: numbers and truth values may stand without quotes."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    if not isinstance(value, str) or not (value.isprintable() and len(value) <= TEXT_MAX):
        raise ValueError(
            f"{shown(value)} is not the value of a variable; a text of printable characters is, "
            f"of at most {TEXT_MAX}"
        )
    return value


def parse_text(value: object) -> object:
    """A label or another text that is shown: one line of printable characters."""
    if isinstance(value, str) and value and not is_one_line(value):
        raise ValueError(
            f"{shown(value)} is not possible; a text is one line of printable characters, without "
            "blanks around it"
        )
    return value


def one_or_many(*alternatives: dict[str, Any]) -> Any:  # noqa: ANN401 (pydantic's own type)
    """The JSON schema of a list of these, or of one."""
    item = {"anyOf": list(alternatives)} if len(alternatives) > 1 else alternatives[0]
    return {"anyOf": [*alternatives, {"type": "array", "items": item, "minItems": 1}]}


PARAMETERS_SCHEMA = {
    "type": "object",
    "minProperties": 1,
    "propertyNames": {"pattern": NAME_PATTERN},
    "additionalProperties": one_or_many(
        {"type": "integer", "minimum": 0},
        {"type": "string", "pattern": r"^(\d+:\d+:\d+|[a-z][a-z0-9]*(-[a-z0-9]+)*)$"},
    ),
}


def words(*texts: str) -> dict[str, Any]:
    return {"enum": list(texts)}


def axis(
    validate: Callable[[object], Any], description: str, *alternatives: dict[str, Any]
) -> tuple[object, ...]:
    """What annotates an axis of the grid: its validator, its schema, its description."""
    schema = one_or_many(*alternatives)
    return (
        BeforeValidator(validate),
        Field(description=description, json_schema_extra=lambda s: replace(s, schema)),
    )


def replace(schema: dict[str, Any], other: dict[str, Any]) -> None:
    """Say what the file may hold where pydantic would say what it is turned into."""
    kept = {key: schema[key] for key in ("description", "title", "default") if key in schema}
    schema.clear()
    schema.update(other | kept)


Line = Annotated[str, BeforeValidator(parse_text), Field(max_length=TEXT_MAX)]
Label = Annotated[str, BeforeValidator(parse_text), Field(min_length=1, max_length=60)]
SHARE_SCHEMA = {"anyOf": [{"type": "number", "minimum": 0}, {"pattern": "%$", "type": "string"}]}
Share = Annotated[
    float,
    BeforeValidator(parse_share),
    Field(json_schema_extra=lambda s: replace(s, SHARE_SCHEMA)),
]
SPAN_SCHEMA = {"type": "string", "pattern": r"^[0-9.e]+ ?(us|ms|s|min|m|h)$"}
Span = Annotated[
    float,
    BeforeValidator(parse_span),
    Field(json_schema_extra=lambda s: replace(s, SPAN_SCHEMA)),
]
Variables = dict[
    Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")],
    Annotated[
        str,
        BeforeValidator(parse_variable),
        Field(json_schema_extra=lambda s: replace(s, {"type": ["string", "number", "boolean"]})),
    ],
]
