# SPDX-License-Identifier: BSD-3-Clause
"""Reads the timeline that `pollux power` writes (docs/meters.md): the counters beside runs."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field, ValidationError
from pydantic_core import from_json

from pollux.core.errors import BadUsageError
from pollux.core.models import Lenient
from pollux.core.paths import no_device
from pollux.core.readings import parts_of_kind, source_of
from pollux.core.validation import first_problem, printable, printable_json
from pollux.energy.meters.samples import numbers
from pollux.energy.meters.series import COUNTER_STEPS, Flags, Floats, Series, widest_gap
from pollux.energy.meters.table import FIRST, Part, Splitter, data_lines, gather
from pollux.energy.meters.times import BadCellError, Ints
from pollux.energy.meters.times import numbers as times_of

MARK = "# pollux-power/"
SCHEMA = "# pollux-power/1 "
TIME = "unix_ns"
STEP = 1e-3  # seconds between two updates of a counter whose header does not state it
STEPS = {"cray": 0.1}  # of other sources


class Column(Lenient):
    """A column after the time."""

    name: str = Field(min_length=1, max_length=200)
    unit: str = Field(max_length=10)
    zone: str | None = None


class Zone(Lenient):
    """A counter, or a meter of power."""

    id: str = ""
    path: str = ""
    step_seconds: float | None = Field(default=None, gt=0, allow_inf_nan=False)

    @property
    def step(self) -> float:
        """Seconds between two updates of the counter."""
        return self.step_seconds or STEPS.get(self.id.partition(":")[0], STEP)

    @property
    def is_power(self) -> bool:
        """As hwmon calls its meters of power: `power1_average`, beside `energy1_input`."""
        return Path(self.path).name.startswith("power")


class Header(Lenient):
    """The first line: what was sampled, and which zones are packages and memory."""

    host: str
    virtual: bool = False
    zones: list[Zone] = Field(default=[])
    parts: list[str] = Field(default=[])
    columns: list[Column]


@dataclass(frozen=True)
class Timeline:
    """The energy of zones over time; an interval is broken where a zone's energy is not known."""

    path: Path
    host: str
    virtual: bool
    parts: list[str]
    times: Ints
    joules: dict[str, Floats]  # by zone, NaN where not known
    zones: dict[str, Zone] = field(default_factory=dict)  # by identifier

    def series(self, kind: str) -> Series | None:
        """The parts of a kind together; None where there are none, or one has no column."""
        zones = parts_of_kind(self.parts, kind)
        if not zones or not set(zones) <= self.joules.keys():
            return None
        return self.total(zones, source_of(zones, kind, virtual=self.virtual))

    def total(self, zones: Sequence[str], name: str) -> Series:
        """The energy of some zones where all of them are known."""
        table = np.stack([self.joules[zone] for zone in zones])
        known = np.flatnonzero(np.isfinite(table).all(axis=0))
        times, joules = self.times[known], table[:, known].sum(axis=0)
        broken: Flags = np.diff(known) > 1
        gap = widest_gap(self.times, None)
        measures = f"counters sampled by pollux power on {self.host}"
        fault = "fell, stood still or was not readable"
        found = Series(name, measures, times, joules, None, broken, gap, fault=fault)
        own = [self.zones.get(zone, Zone(id=zone)) for zone in zones]
        if any(zone.is_power for zone in own):  # an integral of samples
            return found
        shortest = COUNTER_STEPS * max(zone.step for zone in own)
        return replace(found, is_counter=True, shortest=shortest)


def is_timeline(path: Path) -> bool:
    """Whether a file begins as timelines do, of any version."""
    try:
        with no_device(path).open(encoding="utf-8", errors="replace") as file:
            return file.read(len(MARK)) == MARK
    except OSError as error:
        raise BadUsageError(f"cannot read {path} ({error.strerror})") from error


def read_timeline(path: Path) -> Timeline:
    """All samples of the energy of each zone; none if the sampler was killed before the first."""
    header = read_header(path)
    rows = data_lines(path, only_whole=True)
    first = next(rows, None)
    if header is None or first is None:
        return Timeline(path, header.host if header else "", False, [], np.zeros(0, np.int64), {})
    splitter = Splitter(",")
    names = splitter.split(first[1])
    wanted = {column.zone: column.name for column in header.columns if is_energy(column)}
    lacking = [name for name in (TIME, *wanted.values()) if name not in names]
    if lacking:
        raise BadUsageError(f"{path}:{first[0]}: no column {printable(lacking[0])}")
    places = [names.index(name) for name in (TIME, *wanted.values())]
    times: list[Ints] = []
    tables: list[Floats] = []
    for part in gather(path, rows, splitter, places):
        read, table = parse(path, part, int(times[-1][-1]) if times else None)
        times.append(read)
        tables.append(table)
    columns = np.concatenate(tables, axis=1) if tables else np.zeros((len(wanted), 0))
    joules = {str(zone): columns[k] for k, zone in enumerate(wanted)}
    found = np.concatenate(times) if times else np.zeros(0, np.int64)
    zones = {zone.id: zone for zone in header.zones}
    return Timeline(path, header.host, header.virtual, header.parts, found, joules, zones)


def is_energy(column: Column) -> bool:
    return column.unit == "J" and column.zone is not None


def read_header(path: Path) -> Header | None:
    """What the first line states; None where the sampler was killed before its end."""
    try:
        with no_device(path).open(encoding="utf-8") as file:
            line = file.readline(FIRST)
    except OSError as error:
        raise BadUsageError(f"cannot read {path} ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise BadUsageError(f"{path}: not UTF-8 text, which timelines are") from error
    if line[-1:] != "\n" and len(line) < FIRST and SCHEMA.startswith(line[: len(SCHEMA)]):
        return None
    if not line.startswith(SCHEMA):
        version = printable(line[2:].partition(" ")[0].strip())
        raise BadUsageError(f"{path}:1: {version}; this version of Pollux knows pollux-power/1")
    try:
        found: Any = from_json(printable_json(line[len(SCHEMA) :].encode()))
        return Header.model_validate(found)
    except ValidationError as error:
        raise BadUsageError(f"{path}:1: {first_problem(error)}") from error
    except ValueError as error:
        raise BadUsageError(f"{path}:1: the first line is not JSON") from error


def parse(path: Path, part: Part, last: int | None) -> tuple[Ints, Floats]:
    """The times, and a row for each zone; empty cells are NaN."""
    try:
        times = times_of(part.columns[0], 1)
        table = np.stack([known(texts) for texts in part.columns[1:]] or [np.zeros(len(times))])
    except BadCellError as error:
        line = part.lines[error.row]
        raise BadUsageError(f"{path}:{line}: {printable(error.reason)}") from error
    before = np.concatenate([[times[0] if last is None else last], times[:-1]])
    if len(wrong := np.flatnonzero(times < before)):
        line = part.lines[int(wrong[0])]
        raise BadUsageError(f"{path}:{line}: time goes back; was the clock set while sampling?")
    return times, table


def known(texts: Sequence[str]) -> Floats:
    """The numbers of a column, NaN where a cell is empty."""
    empty = np.array([text == "" for text in texts])
    found = numbers([text or "0" for text in texts], ".")
    found[empty] = np.nan
    return found
