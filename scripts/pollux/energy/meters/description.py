# SPDX-License-Identifier: BSD-3-Clause
"""A meter as its TOML file describes it: where its samples are, their columns, units and clock."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, PrivateAttr, ValidationError, model_validator

from pollux.core.campaign.file import PLAIN_TYPES, parse, suggestion
from pollux.core.campaign.source import Key, Source
from pollux.core.campaign.toml import read_text
from pollux.core.errors import BadUsageError
from pollux.core.models import Table
from pollux.core.shares import shown
from pollux.core.text import is_one_line
from pollux.core.validation import must_be

UNITS = {  # what one of each is in W or J
    **{"W": 1.0, "mW": 1e-3, "uW": 1e-6, "kW": 1e3},
    **{"J": 1.0, "mJ": 1e-3, "uJ": 1e-6, "kJ": 1e3, "Wh": 3600.0, "kWh": 3.6e6},
}
NUMBERS = {"unix-s": 10**9, "unix-ms": 10**6, "unix-us": 10**3, "unix-ns": 1}  # in ns
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
OFFSET_MAX = 86_400.0  # seconds: more is another day's file
WITHIN_MAX = 3600.0

Word = Annotated[str, Field(min_length=1, max_length=60)]
Column = Annotated[int, Field(ge=1, le=10_000)] | Word
Unit = Literal["W", "mW", "uW", "kW", "J", "mJ", "uJ", "kJ", "Wh", "kWh"]


class Time(Table):
    """The times of the samples."""

    column: Column = Field(description="Name in the header, or a number from 1 without a header.")
    format: Word = Field(
        description="unix-s, unix-ms, unix-us or unix-ns (since 1970, in UTC), iso (ISO 8601), or "
        "a pattern of strptime such as %d.%m.%Y %H:%M:%S."
    )
    zone: Word | None = Field(
        default=None,
        description="Time zone of times that have no offset of their own, such as UTC or "
        "Europe/Paris.",
    )

    @model_validator(mode="after")
    def check_format(self) -> Self:
        if self.format in NUMBERS:
            if self.zone is not None:
                raise ValueError(f"{self.format} counts in UTC; leave zone out")
        elif self.format != "iso" and "%" not in self.format:
            known = ", ".join([*NUMBERS, "iso"])
            raise ValueError(f"{shown(self.format)} is no format; choose from {known} and patterns")
        elif self.format != "iso":
            try:
                datetime.strptime(EPOCH.strftime(self.format), self.format)
            except (ValueError, re.error) as error:  # the second: a directive that is there twice
                problem = f"{shown(self.format)} is no pattern that strptime can read"
                raise ValueError(problem) from error
        return self

    def time_zone(self) -> ZoneInfo | None:
        return None if self.zone is None else ZoneInfo(self.zone)


class Value(Table):
    """The power or energy of the samples."""

    columns: list[Column] = Field(
        min_length=1,
        max_length=100,
        description="Columns that are added up, such as the three phases, or one alone; as for "
        "the time.",
    )
    unit: Unit = Field(
        description="W, mW, uW or kW for power; J, mJ, uJ, kJ, Wh or kWh for "
        "energy, which is counted up."
    )
    power: Literal["instant", "average"] = Field(
        default="instant",
        description="Of a power: at its time, or the mean since the sample before.",
    )
    wraps_at: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description="Of an energy: where the counter starts again from 0, in its unit. Without "
        "it, nothing is known across a counter's fall.",
    )

    edges: Literal["inside", "interpolate"] = Field(
        default="inside",
        description="Power from a run's begin to its first sample, and from its last to its end: "
        "that of these samples, or interpolated to those outside of the run.",
    )

    @model_validator(mode="after")
    def check_kind(self) -> Self:
        if self.is_power and self.wraps_at is not None:
            raise ValueError(f"wraps_at is for energy, and {self.unit} is power")
        if not self.is_power and "power" in self.model_fields_set:
            raise ValueError(f"power is for power, and {self.unit} is energy")
        return self

    @property
    def is_power(self) -> bool:
        return self.unit.endswith("W")


class Clock(Table):
    """How the meter's clock differs from that of the machine that ran."""

    offset: Annotated[float, Field(ge=-OFFSET_MAX, le=OFFSET_MAX)] | Literal["estimate"] = Field(
        default=0.0,
        description='Seconds to add to the meter\'s times, or "estimate": from the edges between '
        "idle and busy.",
    )
    within: Annotated[float, Field(gt=0, le=WITHIN_MAX)] = Field(
        default=10.0, description="An estimated offset is at most so many seconds."
    )


class Meter(Table):
    """A meter, and the file of its samples."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,40}$")] = Field(
        description="What outputs and --source call it: letters, digits, '.', '_' and '-'."
    )
    measures: Annotated[str, Field(min_length=1, max_length=200)] = Field(
        description="What it measures, in words, such as the whole node at the wall."
    )
    file: Annotated[str, Field(min_length=1, max_length=4000)] = Field(
        description="Its CSV file; a relative path is relative to this file's folder."
    )
    host: Annotated[str, Field(min_length=1, max_length=200)] | None = Field(
        default=None,
        description="The machine that it measures, as records name it; default: all of them.",
    )
    separator: Literal[",", ";", "\t", "|", " "] | None = Field(
        default=None,
        description='Between columns; default: deduced from the header. " " is any blanks.',
    )
    decimal: Literal[".", ","] = Field(default=".", description="The mark in decimal numbers.")
    max_gap: Annotated[float, Field(gt=0, le=1e6)] | None = Field(
        default=None,
        description="Seconds between samples beyond which nothing is interpolated; default: "
        "three times the median.",
    )
    time: Time
    value: Value
    clock: Clock = Clock()
    _path: Path = PrivateAttr(default=Path("meter.toml"))

    @model_validator(mode="after")
    def check_meter(self) -> Self:
        columns = [self.time.column, *self.value.columns]
        if len({isinstance(column, int) for column in columns}) > 1:
            raise ValueError("columns are all named, or all numbered where there is no header")
        if len(set(columns)) < len(columns):
            raise ValueError("a column is named twice")
        if self.decimal == "," and self.separator == ",":
            raise ValueError("separator and decimal cannot both be a comma")
        if not is_one_line(self.measures):
            raise ValueError("measures is one line of printable text")
        return self

    @property
    def path(self) -> Path:
        """The file of samples."""
        return self._path.parent / self.file


def read_meter(path: Path) -> Meter:
    """The description in a TOML file; every error is a line with its position."""
    text = read_text(path, "the description of a meter")
    if text.startswith("{"):
        raise BadUsageError(
            f"{path}: this is JSON, but no timeline of pollux power; a meter's description is TOML"
        )
    contents, lines = parse(path, text)
    source = Source(path, lines)
    try:
        meter = Meter.model_validate(contents)
    except ValidationError as error:
        raise BadUsageError(first_problem(error, source)) from error
    try:
        meter.time.time_zone()
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        problem = f"{shown(meter.time.zone)} is no time zone that this machine knows"
        raise source.problem(("time", "zone"), problem) from error
    meter._path = path
    return meter


def first_problem(error: ValidationError, source: Source) -> str:
    """The error nearest to the file's beginning."""
    found = []
    for detail in error.errors():
        unknown = detail["type"] == "extra_forbidden"
        key = detail["loc"] if unknown else own_key(detail["loc"])
        found.append((source.line_number(key), source.line(key, describe(detail, key))))
    return min(found, key=lambda item: item[0])[1]


def own_key(location: tuple[int | str, ...]) -> Key:
    """The key without what pydantic adds for the branches of a union."""
    known = {*Meter.model_fields, *Time.model_fields, *Value.model_fields, *Clock.model_fields}
    return location[:1] + tuple(part for part in location[1:2] if part in known)


def describe(detail: Any, key: Key) -> str:  # noqa: ANN401 (pydantic's ErrorDetails)
    """What is wrong, in terms of this format."""
    kind, value, name = detail["type"], detail["input"], str(key[-1]) if key else ""
    if kind in PLAIN_TYPES:
        return f"must be {PLAIN_TYPES[kind]}, not {shown(value)}"
    messages = {
        "extra_forbidden": f"unknown key{suggestion(name, keys_beside(key))}",
        "missing": "is missing",
        "value_error": str(detail.get("ctx", {}).get("error")),
        "literal_error": f"{shown(value)} is unknown; choose from "
        f"{detail.get('ctx', {}).get('expected')}",
        "string_pattern_mismatch": f"{shown(value)} is no name: letters, digits, '.', '_' and "
        "'-', 40 at most",
        "too_short": "is empty",
    }
    return messages.get(kind, must_be(detail["msg"], value))


def keys_beside(key: Key) -> list[str]:
    """The keys of the table that a key is in."""
    tables: dict[str, type[Table]] = {"time": Time, "value": Value, "clock": Clock}
    table = tables.get(str(key[0])) if len(key) > 1 else None
    return [*(table or Meter).model_fields]
