# SPDX-License-Identifier: BSD-3-Clause
"""What a comparison asks of every sample, as columns: of many samples at a time, which is fast."""

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise
from operator import attrgetter
from typing import Any, Self, overload

import numpy as np
import numpy.typing as npt

from pollux.core.analysis.columns import SAMPLE, Filling, Shared, Store, Words
from pollux.core.campaign.lines import Outcome
from pollux.core.campaign.logarithms import Rows
from pollux.core.campaign.samples import NONE, Flags, Ints, Sample

Floats = npt.NDArray[np.float64]

NAME = "s"  # of the columns in a store
FIELDS = (
    *("configuration", "round", "attempt", "block", "outcome", "speed", "start_unix_ns"),
    *("residuals", "digests", "verified", "figures", "listed", "unknown", "rota", "repetitions"),
    *("speeds", "preemptions"),
)


@dataclass(frozen=True)
class Coded:
    """Values of which many are equal: each is in a table, and here is its place there."""

    codes: Ints
    table: Sequence[Any]

    def chosen(self, places: Ints) -> Self:
        return type(self)(self.codes[places], self.table)

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        known: dict[Any, int] = {}
        codes = [
            np.array([known.setdefault(value, len(known)) for value in part.table], int)[part.codes]
            for part in parts
        ]
        return cls(np.concatenate(codes), list(known))

    def among(self, values: Container[Any]) -> Flags:
        """Which samples have one of these values."""
        wanted = np.array([value in values for value in self.table], np.bool_)
        found: Flags = wanted[self.codes]
        return found


@dataclass(frozen=True)
class SampleColumns:
    """One entry for each sample, in the order of the samples."""

    configuration: Coded  # keys
    block: Coded  # file and block, or None
    outcome: Coded
    residuals: Coded  # tuples of ResidualValue
    digests: Coded  # tuples of seed and digest
    round: Ints  # or NONE
    attempt: Ints
    rota: Ints  # or NONE
    start: Ints  # in nanoseconds
    repetitions: Ints
    speed: Floats  # NaN: it has none
    preemptions: Floats  # 0 where they are not known
    verified: Flags
    figured: Flags  # has figures of the benchmark
    several: Flags  # has several quantities, or some that are not known
    speeds: Rows

    def __len__(self) -> int:
        return len(self.round)

    @property
    def is_ok(self) -> Flags:
        return self.outcome.among({Outcome.OK})

    @property
    def is_valid(self) -> Flags:
        """Whether a sample's speed can be compared."""
        found: Flags = np.isfinite(self.speed) & (self.speed > 0)
        return found

    def chosen(self, places: Ints) -> "SampleColumns":
        found: dict[str, Any] = {}
        for name in (f.name for f in fields(self)):
            own = getattr(self, name)
            found[name] = own[places] if isinstance(own, np.ndarray) else own.chosen(places)
        return SampleColumns(**found)

    @classmethod
    def joined(cls, parts: Sequence["SampleColumns"]) -> "SampleColumns":
        found: dict[str, Any] = {}
        for name in (f.name for f in fields(cls)):
            own = [getattr(part, name) for part in parts]
            is_plain = isinstance(own[0], np.ndarray)
            found[name] = np.concatenate(own) if is_plain else own[0].joined(own)
        return cls(**found)

    def by_configuration(self, places: Ints) -> dict[str, Ints]:
        """Of these samples, those of each configuration that has any, in their order."""
        codes = self.configuration.codes[places]
        ordered = places[np.argsort(codes, kind="stable")]
        ends = np.cumsum(np.bincount(codes, minlength=len(self.configuration.table))).tolist()
        found = zip(self.configuration.table, pairwise([0, *ends]), strict=True)
        return {key: ordered[start:end] for key, (start, end) in found if end > start}

    def counts(self, which: Ints | Flags) -> dict[str, int]:
        """How many of these samples each configuration has."""
        codes = self.configuration.codes[which]
        numbers = np.bincount(codes, minlength=len(self.configuration.table)).tolist()
        return dict(zip(self.configuration.table, numbers, strict=True))


def columns_of(samples: Sequence[Sample]) -> SampleColumns:
    store = Filling({}, {})
    for name in FIELDS:
        SAMPLE.of[name].write(store, f"{NAME}.{name}", list(map(attrgetter(name), samples)))
    return read_columns(store)


def read_columns(store: Store) -> SampleColumns:
    """The columns of an index, as they are there."""
    listed, unknown = words(store, "listed"), words(store, "unknown")
    of_several = np.array([len(names) > 1 for names in listed.table], bool)[listed.codes]
    is_unknown = np.array([bool(names) for names in unknown.table], bool)[unknown.codes]
    return SampleColumns(
        configuration=words(store, "configuration"),
        block=words(store, "block"),
        outcome=words(store, "outcome"),
        residuals=shared(store, "residuals"),
        digests=shared(store, "digests"),
        round=whole_or_none(store, "round"),
        attempt=column(store, "attempt"),
        rota=whole_or_none(store, "rota"),
        start=column(store, "start_unix_ns"),
        repetitions=column(store, "repetitions"),
        speed=np.where(column(store, "speed?"), column(store, "speed"), np.nan),
        preemptions=column(store, "preemptions"),  # 0 where there is none
        verified=column(store, "verified"),
        figured=column(store, "figures#") > 0,
        several=of_several | is_unknown,
        speeds=Rows(column(store, "speeds#").astype(int), column(store, "speeds")),
    )


def column(store: Store, name: str) -> npt.NDArray[Any]:
    found: npt.NDArray[Any] = store.arrays[f"{NAME}.{name}"]
    return found


def whole_or_none(store: Store, name: str) -> Ints:
    return np.where(column(store, f"{name}?"), column(store, name), NONE)


def words(store: Store, name: str) -> Coded:
    kind = SAMPLE.of[name]
    assert isinstance(kind, Words)
    return Coded(column(store, name).astype(int), kind.table(store, f"{NAME}.{name}"))


def shared(store: Store, name: str) -> Coded:
    kind = SAMPLE.of[name]
    assert isinstance(kind, Shared)
    return Coded(column(store, f"{name}=").astype(int), kind.table(store, f"{NAME}.{name}"))


class Samples(Sequence[Sample]):
    """Samples and their columns, each made of the other when it is first looked at."""

    def __init__(
        self,
        make: Callable[[], list[Sample]] = list,
        columns: Callable[[], SampleColumns] | None = None,
    ) -> None:
        self.make = make
        self.read_columns = columns

    @cached_property
    def made(self) -> list[Sample]:
        return self.make()

    @cached_property
    def columns(self) -> SampleColumns:
        return self.read_columns() if self.read_columns else columns_of(self.made)

    def append(self, sample: Sample) -> None:
        """Add what a file has, before any column is looked at."""
        self.made.append(sample)

    def __len__(self) -> int:
        return len(self.columns if self.read_columns else self.made)

    def __iter__(self) -> Iterator[Sample]:
        return iter(self.made)

    @overload
    def __getitem__(self, place: int) -> Sample: ...

    @overload
    def __getitem__(self, place: slice) -> list[Sample]: ...

    def __getitem__(self, place: int | slice) -> Sample | list[Sample]:
        return self.made[place]

    def __repr__(self) -> str:
        return repr(self.made)

    def at(self, places: Ints) -> list[Sample]:
        return [self.made[place] for place in places.tolist()]

    def chosen(self, places: Ints) -> "Samples":
        return Samples(lambda: self.at(places), lambda: self.columns.chosen(places))

    def __add__(self, other: "Samples") -> "Samples":
        return Samples(
            lambda: [*self, *other], lambda: SampleColumns.joined([self.columns, other.columns])
        )
