# SPDX-License-Identifier: BSD-3-Clause
"""From nights to series: the values of each label over all nights."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pollux.core.text import counted
from pollux.nights.history.base_line import Accepted, BaseLine
from pollux.nights.history.night import JOULES, Night, Value
from pollux.nights.watching.tracks import Track

FORGOTTEN = 14  # nights: what did not run in any of the last ones is no longer watched


@dataclass(frozen=True)
class Results:
    """What a series' results are compared by; of energy they are those of its speed."""

    values: list[Value | None]
    right_from: list[int]  # each first night whose results count as right

    def differing_seed(self, at: int) -> int | None:
        """A seed whose factors differ from those of the base line that a night has."""
        value, first = self.values[at], max((n for n in self.right_from if n <= at), default=0)
        return None if value is None else differing_seed(value, self.values[first:at])


@dataclass(frozen=True)
class Series:
    """One label over all nights; a night without it has None."""

    label: str
    values: list[Value | None]
    accepted: list[Accepted]  # of its level and of its results, the last of each
    base: int  # the first night that counts
    results: Results
    reference: str | None  # to which the values of its track are ratios
    track: Track
    notes: list[str] = field(default_factory=list)

    @property
    def last(self) -> Value | None:
        return self.values[-1]

    @property
    def shown(self) -> Value:
        """The last value that there is, for its unit."""
        return next(v for v in reversed(self.values) if v is not None)


def all_series(nights: Sequence[Night], base_line: BaseLine) -> tuple[list[Series], int]:
    """Every label that ran lately, in the order of the nights; how many others ran before."""
    names = [night.name for night in nights]
    found: dict[str, list[Value | None]] = {}
    for at, night in enumerate(nights):
        for value in night.values:
            found.setdefault(value.label, [None] * len(nights))[at] = value
    ever = {label: values for label, values in found.items() if has_run(values)}
    lately = {label: values for label, values in ever.items() if has_run(values[-FORGOTTEN:])}
    machines = Machines()
    ran = {label: values for label, values in lately.items() if any(map(has_value, values))}
    never = [label for label in lately if label not in ran]
    series = [make_series(label, found, names, base_line, machines) for label in (*ran, *never)]
    return series, len(ever) - len(lately)


def has_run(values: Iterable[Value | None]) -> bool:
    return any(value is not None and value.samples for value in values)


def results_of(
    label: str,
    found: Mapping[str, list[Value | None]],
    names: Sequence[str],
    base_line: BaseLine,
) -> Results:
    """The results of a series, which may be those of another one."""
    own = next((v.results_of for v in found[label] if v is not None and v.results_of), label)
    return Results(found[own], [first_night(names, a) for a in base_line.all_of_results(own)])


class Machines:
    """Numbers of machines, by what they are called."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def number(self, value: Value | None) -> int:
        name = value.ran.machine if value is not None and value.ran is not None else ""
        return self.numbers.setdefault(name, len(self.numbers))


def has_value(value: Value | None) -> bool:
    return value is not None and value.value is not None


def make_series(
    label: str,
    found: Mapping[str, list[Value | None]],
    names: Sequence[str],
    base_line: BaseLine,
    machines: Machines,
) -> Series:
    moved = base_line.of_level(label), base_line.of_results(label)
    base, values = first_night(names, moved[0]), found[label]
    results = results_of(label, found, names, base_line)
    usable, notes = comparable(right_values(values, results), base)
    reference = reference_of(usable)
    track = Track(
        values=np.array([np.nan if v is None else number_of(v, reference) for v in usable]),
        machines=np.array([machines.number(v) for v in values], dtype=np.int64),
        paired=reference is not None,
        is_energy=any(value is not None and value.unit == JOULES for value in values),
        base=base,
    )
    accepted = [entry for entry in moved if entry is not None]
    return Series(label, values, accepted, base, results, reference, track, notes)


def first_night(names: Sequence[str], accepted: Accepted | None) -> int:
    """Where the base line begins; a file that is gone since then has no place of its own."""
    if accepted is None:
        return 0
    return sum(name < accepted.first for name in names)


def right_values(values: Sequence[Value | None], results: Results) -> list[Value | None]:
    """The values of nights whose results are right, by themselves and by those of the base line."""
    return [
        v
        if v is not None
        and v.value is not None
        and v.wrong is None
        and results.differing_seed(at) is None
        else None
        for at, v in enumerate(values)
    ]


def differing_seed(value: Value, earlier: Iterable[Value | None]) -> int | None:
    """A seed whose factors differ from those of the first night that has comparable ones."""
    if value.kind is None:
        return None
    for other in earlier:
        if other is not None and other.kind == value.kind:
            shared = value.digests.keys() & other.digests.keys()
            if shared:
                return next(
                    (s for s in sorted(shared) if value.digests[s] != other.digests[s]), None
                )
    return None


def comparable(values: Sequence[Value | None], base: int) -> tuple[list[Value | None], list[str]]:
    """Of right values those of the runtime that ran last, and what was left out."""
    right = list(values)
    runtimes = [v.ran.runtime for v in right if v is not None and v.ran is not None]
    notes = []
    if runtimes:
        last = runtimes[-1]
        others = [
            at for at, v in enumerate(right) if v is not None and v.ran and v.ran.runtime != last
        ]
        if left_out := sum(at >= base for at in others):
            what = right[next(at for at in others if at >= base)]
            name = what.ran.runtime if what is not None and what.ran is not None else ""
            nights = counted(left_out, "night")
            notes.append(f"{nights} left out: the runtime was {name}, and is {last} now")
        for at in others:
            right[at] = None
    return right, notes


def reference_of(values: Sequence[Value | None]) -> str | None:
    """The reference that ran in the same rounds in most nights, the last one that did."""
    known = [v for v in values if v is not None]
    last = next((v.reference for v in reversed(known) if v.ratio is not None), None)
    same = [v for v in known if v.ratio is not None and v.reference == last]
    return last if 2 * len(same) > len(known) else None


def number_of(value: Value, reference: str | None) -> float:
    """The ratio to the reference, or the value where there is none; NaN where it is not known."""
    if reference is not None and value.reference != reference:
        return float("nan")
    found = value.value if reference is None else value.ratio
    return float("nan") if found is None else found
