# SPDX-License-Identifier: BSD-3-Clause
"""Samples as columns of numbers: read back, they are equal, and much faster.

Words are numbers too, of the entries of a table: there are few different ones. What few questions
need is read when it is asked for.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, islice
from typing import Any, Protocol, overload

import numpy as np
import numpy.typing as npt

from pollux.core.campaign.lines import Outcome
from pollux.core.campaign.samples import Sample
from pollux.core.quantities import CurvePoint, Quantity
from pollux.core.readings import Reading, Run, Status
from pollux.core.records import ResidualValue

Array = npt.NDArray[Any]


@dataclass
class Store:
    """Columns by name: numbers, and the tables of those that stand for words."""

    arrays: Mapping[str, Array]  # may read each when it is asked for
    tables: dict[str, list[Any]]  # as JSON has them


@dataclass
class Filling(Store):
    """Columns that are being written."""

    arrays: dict[str, Array]


class Kind(Protocol):
    """What a column holds."""

    def write(self, store: Filling, name: str, values: Sequence[Any]) -> None:
        """Enter the values of all samples."""

    def read(self, store: Store, name: str) -> Iterable[Any]:
        """Those that were entered."""


@dataclass(frozen=True)
class Numbers:
    """Numbers that are all known."""

    type: str

    def write(self, store: Filling, name: str, values: Sequence[Any]) -> None:
        store.arrays[name] = np.array(values, dtype=self.type)

    def read(self, store: Store, name: str) -> list[Any]:
        found: list[Any] = as_type(store.arrays[name], self.type).tolist()
        return found


@dataclass(frozen=True)
class Optional:
    """Numbers of which some are None; none is NaN."""

    type: str

    def write(self, store: Filling, name: str, values: Sequence[Any]) -> None:
        known = [value is not None for value in values]
        store.arrays[name] = np.array([value or 0 for value in values], dtype=self.type)
        store.arrays[f"{name}?"] = np.array(known, dtype="?")

    def read(self, store: Store, name: str) -> list[Any]:
        values: list[Any] = as_type(store.arrays[name], self.type).tolist()
        for place in np.flatnonzero(~as_type(store.arrays[f"{name}?"], "?")).tolist():
            values[place] = None
        return values


@dataclass(frozen=True)
class Words:
    """Values of which few differ; `made` makes one of what JSON has for it."""

    made: Callable[[Any], Any] = lambda value: value

    def write(self, store: Filling, name: str, values: Sequence[Any]) -> None:
        codes: dict[Any, int] = {}
        store.arrays[name] = np.array(
            [codes.setdefault(value, len(codes)) for value in values], dtype="i4"
        )
        store.tables[name] = list(codes)

    def read(self, store: Store, name: str) -> Iterator[Any]:
        table = self.table(store, name)
        return map(table.__getitem__, as_type(store.arrays[name], "i4").tolist())

    def table(self, store: Store, name: str) -> list[Any]:
        return [None if value is None else self.made(value) for value in store.tables[name]]


@dataclass(frozen=True)
class Hexadecimal:
    """Words, as numbers if all are such in 16 hexadecimal digits: most of these differ."""

    words: Words = Words()

    def write(self, store: Filling, name: str, values: Sequence[Any]) -> None:
        if all(map(re.compile("[0-9a-f]{16}").fullmatch, values)):
            store.arrays[f"{name}0x"] = np.array([int(value, 16) for value in values], dtype="u8")
        else:
            self.words.write(store, name, values)

    def read(self, store: Store, name: str) -> Iterator[Any]:
        if f"{name}0x" not in store.arrays:
            return self.words.read(store, name)
        digits = as_type(store.arrays[f"{name}0x"], "u8").astype(">u8").tobytes().hex()
        return (digits[at : at + 16] for at in range(0, len(digits), 16))


@dataclass(frozen=True)
class Several:
    """A tuple of equal things in each sample, however many."""

    of: Kind

    def write(self, store: Filling, name: str, values: Sequence[Any]) -> None:
        store.arrays[f"{name}#"] = np.array([len(value) for value in values], dtype="i4")
        self.of.write(store, name, list(chain.from_iterable(values)))

    def read(self, store: Store, name: str) -> Iterable[Any]:
        counts = as_type(store.arrays[f"{name}#"], "i4")
        flat = iter(self.of.read(store, name))
        count = int(counts[0]) if len(counts) else 0
        if not counts.any():
            return [()] * len(counts)
        if count > 0 and bool((counts == count).all()):
            return zip(*[flat] * count, strict=True)
        return [tuple(islice(flat, each)) for each in counts.tolist()]


@dataclass(frozen=True)
class Shared:
    """Values of which many are equal: each is there once, and one object when it is read."""

    of: Kind

    def write(self, store: Filling, name: str, values: Sequence[Any]) -> None:
        codes: dict[Any, int] = {}
        store.arrays[f"{name}="] = np.array(
            [codes.setdefault(value, len(codes)) for value in values], dtype="i4"
        )
        self.of.write(store, name, list(codes))

    def read(self, store: Store, name: str) -> Iterator[Any]:
        table = self.table(store, name)
        return map(table.__getitem__, as_type(store.arrays[f"{name}="], "i4").tolist())

    def table(self, store: Store, name: str) -> list[Any]:
        return list(self.of.read(store, name))


@dataclass(frozen=True)
class Later:
    """Tuples that few questions need: the column is read when one of them is looked into."""

    of: Kind

    def write(self, store: Filling, name: str, values: Sequence[Any]) -> None:
        store.arrays[f"{name}+"] = np.array([len(values), any(values)])
        self.of.write(store, name, values)

    def read(self, store: Store, name: str) -> Iterable[Any]:
        count, has_any = store.arrays[f"{name}+"].tolist()
        if not has_any:
            return [()] * count
        return map(partial(Delayed, Column(self.of, store, name)), range(count))


@dataclass(frozen=True)
class Column:
    """A column that is read once, when it is asked for."""

    kind: Kind
    store: Store
    name: str

    @cached_property
    def values(self) -> list[Any]:
        return list(self.kind.read(self.store, self.name))


class Delayed(Sequence[object]):
    """One tuple of a column that is read later; equal to the tuple."""

    __slots__ = ("at", "column")

    def __init__(self, column: Column, at: int) -> None:
        self.column, self.at = column, at

    @overload
    def __getitem__(self, place: int) -> object: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[object, ...]: ...

    def __getitem__(self, place: int | slice) -> object:
        return self.column.values[self.at][place]

    def __len__(self) -> int:
        return len(self.column.values[self.at])

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, Sequence) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


@dataclass(frozen=True)
class Fields:
    """Tuples of several fields, of a class of named ones unless that is `tuple`."""

    type: type
    of: Mapping[str, Kind]

    def write(self, store: Filling, name: str, values: Sequence[Any]) -> None:
        columns = list(zip(*values, strict=True)) or [()] * len(self.of)
        for (field, kind), column in zip(self.of.items(), columns, strict=True):
            kind.write(store, f"{name}.{field}", column)

    def read(self, store: Store, name: str) -> Iterator[Any]:
        columns = (kind.read(store, f"{name}.{field}") for field, kind in self.of.items())
        rows = zip(*columns, strict=True)
        return rows if self.type is tuple else map(partial(tuple.__new__, self.type), rows)


@dataclass(frozen=True)
class Counters:
    """What counters showed of a run: joules apart, few of them differ."""

    frames: Words = Words(tuple)
    joules: Several = Several(Optional("f8"))

    def write(self, store: Filling, name: str, values: Sequence[Any]) -> None:
        frames = [
            tuple((kind, str(r.status), r.reason, r.source) for kind, r in value.items())
            for value in values
        ]
        self.frames.write(store, name, frames)
        joules = [tuple(r.joules for r in value.values()) for value in values]
        self.joules.write(store, f"{name}.joules", joules)

    def read(self, store: Store, name: str) -> Iterator[Any]:
        if not store.arrays[f"{name}.joules?"].any():
            return Words(without_joules).read(store, name)
        frames, joules = self.frames.read(store, name), self.joules.read(store, f"{name}.joules")
        return map(readings, frames, joules)


def readings(frame: Iterable[Sequence[Any]], joules: Iterable[float | None]) -> dict[str, Reading]:
    return {
        kind: Reading(Status(status), value, reason, source)
        for (kind, status, reason, source), value in zip(frame, joules, strict=True)
    }


def without_joules(frame: Sequence[Sequence[Any]]) -> dict[str, Reading]:
    return readings(frame, [None] * len(frame))


def as_type(array: Array, type_: str) -> Array:
    """The array; ValueError where it has another type."""
    if array.dtype != np.dtype(type_) or array.ndim != 1:
        raise ValueError(f"an array of {array.dtype}, not {type_}")
    return array


def pairs(value: Iterable[Iterable[Any]]) -> tuple[tuple[Any, ...], ...]:
    return tuple(map(tuple, value))


WHOLE, REAL, SEED, FLAG = Numbers("i8"), Numbers("f8"), Numbers("u8"), Numbers("?")
PERHAPS_WHOLE, PERHAPS_REAL = Optional("i8"), Optional("f8")

RESIDUAL = Fields(
    ResidualValue, {"name": Words(), "value": REAL, "threshold": REAL, "passed": FLAG}
)
RUN = Fields(
    Run,
    {
        "begin": WHOLE,
        "end": WHOLE,
        "seconds": REAL,
        "flops": REAL,
        "host": Words(),
        "counters": Counters(),
        "machines": WHOLE,
    },
)
QUANTITY = Fields(
    Quantity,
    {"name": Words(), "value": REAL, "unit": Words(), "better": Words(), "each": Several(REAL)},
)
CURVE = Fields(CurvePoint, {"grain": WHOLE, "granularity_ns": REAL, "efficiency": REAL})

# All fields of a sample, in their order.
SAMPLE = Fields(
    Sample,
    {
        "configuration": Words(),
        "round": PERHAPS_WHOLE,
        "attempt": WHOLE,
        "block": Words(tuple),
        "outcome": Words(Outcome),
        "problem": Words(),
        "detail": Words(),
        "warnings": Words(tuple),
        "speed": PERHAPS_REAL,
        "start_unix_ns": WHOLE,
        "process_seconds": PERHAPS_REAL,
        "residuals": Shared(Several(RESIDUAL)),
        "digests": Shared(Several(Fields(tuple, {"seed": SEED, "digest": Hexadecimal()}))),
        "verified": FLAG,
        "runs": Later(Several(RUN)),
        "figures": Several(Fields(tuple, {"name": Words(), "value": REAL})),
        "seed": Optional("u8"),
        "headline": Words(),
        "listed": Words(tuple),
        "quantities": Later(Several(QUANTITY)),
        "unknown": Words(pairs),
        "curve": Later(Several(CURVE)),
        "rota": PERHAPS_WHOLE,
        "repetitions": WHOLE,
        "speeds": Several(REAL),
        "ready_seconds": PERHAPS_REAL,
        "preemptions": PERHAPS_REAL,
    },
)
assert tuple(SAMPLE.of) == Sample._fields
