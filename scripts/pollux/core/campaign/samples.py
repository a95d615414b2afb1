# SPDX-License-Identifier: BSD-3-Clause
"""A sample in the form that all code uses, from the campaign that takes it to the verdict."""

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pollux.core.campaign.lines import Outcome, SampleLine
from pollux.core.quantities import (
    NOT_ABOVE_ZERO,
    CurvePoint,
    Quantity,
    above_zero,
    curve_of,
    first_of,
    medians,
    reasons,
)
from pollux.core.readings import Run, run_of
from pollux.core.records import ResidualValue, failed_check, residuals_of

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

NONE = -1  # among numbers that are never negative: there is none


class Sample(NamedTuple):
    """One process; `speed` is that of its headline, None if anything went wrong."""

    configuration: str
    round: int | None  # None: not from an interleaved campaign, nothing to pair it with
    attempt: int
    block: tuple[int, int] | None  # file, block
    outcome: Outcome
    problem: str | None
    detail: str | None
    warnings: tuple[str, ...]
    speed: float | None
    start_unix_ns: int
    process_seconds: float | None
    residuals: tuple[ResidualValue, ...]
    digests: tuple[tuple[int, str], ...]  # seed and digest of each repetition that has one
    verified: bool = False  # every repetition was checked, and passed
    runs: Sequence[Run] = ()  # the timed regions
    figures: tuple[tuple[str, float], ...] = ()  # of the benchmark: medians over repetitions
    seed: int | None = None  # of the first repetition
    headline: str | None = None  # the first quantity
    listed: tuple[str, ...] = ()  # names of all quantities
    quantities: Sequence[Quantity] = ()  # those that are known
    unknown: tuple[tuple[str, str], ...] = ()  # of those that are not: why
    curve: Sequence[CurvePoint] = ()  # of efficiency over granularity
    rota: int | None = None  # of the samples that took turns with this one
    repetitions: int = 1
    speeds: tuple[float, ...] = ()  # of each, where it took turns
    ready_seconds: float | None = None  # until the first of them was ready
    preemptions: float | None = None  # per second of what is timed: median over repetitions

    @property
    def logs(self) -> "Logs":
        assert self.speed is not None
        rota = NONE if self.rota is None else self.rota
        return Logs(log(self.speed), self.speeds, rota, self.start_unix_ns)


class Logs(NamedTuple):
    """The logarithm of a sample's speed or energy, and these of its turns.

    Logarithms of turns are taken when they are compared: of many at a time, which is fast.
    """

    middle: float
    turns: tuple[float, ...] = ()
    rota: int = NONE  # of the samples whose turns were next to these
    start: int = 0  # in nanoseconds


# Of each valid sample; by round, or counted where there are no rounds.
ByRound = Mapping[int, Logs]


def read_sample(line: SampleLine, configuration: str, file: int = 0) -> Sample:
    """The sample of a campaign's line; `configuration` is the reader's key for it."""
    records, is_ok = line.records, line.outcome is Outcome.OK
    middle = medians(records)
    known = above_zero(middle) if is_ok else {}
    headline = first_of(records)
    return Sample(
        configuration=configuration,
        round=line.round,
        attempt=line.attempt,
        block=(file, line.block),
        outcome=line.outcome,
        problem=line.problem,
        detail=line.detail,
        warnings=tuple(line.warnings),
        speed=known[headline].speed if headline in known else None,
        start_unix_ns=line.start_unix_ns,
        process_seconds=line.process_seconds,
        residuals=residuals_of(records),
        digests=digests_of(records),
        verified=is_ok and are_verified(records),
        runs=tuple(run_of(r) for r in records if r["seconds"] is not None),
        figures=figures_of(records),
        seed=records[0]["seed"] if records else None,
        headline=headline,
        listed=tuple(records[0]["quantities"]) if records else (),
        quantities=tuple(known.values()),
        unknown=tuple(reasons(records, middle).items()),
        curve=curve_of(records) if is_ok else (),
        rota=line.rota,
        repetitions=len(records),
        speeds=known[headline].speeds if line.rota is not None and headline in known else (),
        ready_seconds=line.ready_seconds,
        preemptions=preemptions_of(records),
    )


def preemptions_of(records: Iterable[dict[str, Any]]) -> float | None:
    """The median of their rates, per second of the repetition."""
    rates = [
        1e9 * r["preemptions"] / (r["end_unix_ns"] - r["start_unix_ns"])
        for r in records
        if r["end_unix_ns"] > r["start_unix_ns"]
    ]
    return statistics.median(rates) if rates else None


def plain_sample(record: dict[str, Any], configuration: str) -> Sample:
    """A record that an executable wrote outside of a campaign: paired with nothing."""
    passed = bool(record["passed"])
    line = SampleLine.model_construct(
        configuration=configuration,
        round=0,
        attempt=0,
        block=0,
        outcome=Outcome.OK if passed else Outcome.FAILED_CHECK,
        problem=None if passed else failed_check(record),
        start_unix_ns=record["start_unix_ns"],
        process_seconds=0.0,
        overhead_seconds=0.0,
        records=[record],
    )
    sample = read_sample(line, configuration)
    return sample._replace(round=None, block=None, process_seconds=None)


def figures_of(records: Iterable[dict[str, Any]]) -> tuple[tuple[str, float], ...]:
    """The median of each of the benchmark's own figures, if all repetitions have it."""
    found = [record["figures"] for record in records]
    names = found[0] if found else ()
    values = {name: [own.get(name) for own in found] for name in names}
    return tuple(
        (name, statistics.median(known))
        for name, given in values.items()
        if len(known := [value for value in given if value is not None]) == len(found)
    )


def digests_of(records: Iterable[dict[str, Any]]) -> tuple[tuple[int, str], ...]:
    """Seed and digest of each record that has one."""
    return tuple((r["seed"], r["digest"]) for r in records if r["digest"] is not None)


def are_verified(records: Iterable[dict[str, Any]]) -> bool:
    """Whether each record was checked and passed; --check none leaves no residual."""
    known = list(records)
    return bool(known) and all(r["passed"] and r["check"] != "none" for r in known)


def that_count(samples: Iterable[Sample], is_disturbed: Callable[[Sample], bool]) -> list[Sample]:
    """One sample for each configuration and round: see `places_that_count`."""
    given = list(samples)
    numbers = {key: at for at, key in enumerate({s.configuration for s in given})}
    rows = [
        (numbers[s.configuration], NONE if s.round is None else s.round, s.attempt, is_disturbed(s))
        for s in given
    ]
    columns = np.array(rows, int).reshape(-1, 4).T
    return [given[place] for place in places_that_count(*columns).tolist()]


def places_that_count(keys: Ints, rounds: Ints, attempts: Ints, disturbed: Ints | Flags) -> Ints:
    """The place of one sample for each configuration and round: the first undisturbed attempt's.

    If no attempt was undisturbed, the first one counts. Samples without a round all count.
    """
    order = np.argsort(attempts, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    paired, loose = order[rounds[order] != NONE], order[rounds[order] == NONE]
    first, chosen = (
        paired[np.lexsort((*by, rounds[paired], keys[paired]))]
        for by in ((rank[paired],), (rank[paired], disturbed[paired]))
    )
    begins = np.ones(len(first), bool)
    begins[1:] = (np.diff(keys[first]) != 0) | (np.diff(rounds[first]) != 0)
    in_order = np.argsort(rank[first[begins]])
    return np.concatenate([chosen[begins][in_order], loose])


def known_quantities(samples: Iterable[Sample]) -> list[str]:
    """Those that some sample has, in the order of the records.

    A difference that is not above zero in some of them is left out of all: those in which it is
    would show more than there is.
    """
    listed = list(samples)
    lost = {n for sample in listed for n, why in sample.unknown if why == NOT_ABOVE_ZERO}
    found = dict.fromkeys(q.name for sample in listed for q in sample.quantities)
    return [name for name in found if name not in lost]


def with_speeds(samples: Iterable[Sample], key: str, name: str) -> Iterable[Sample]:
    """The samples with the speed of one quantity, where that is known."""
    listed = list(samples)
    is_known = name in known_quantities(listed)
    for sample in listed:
        value = next((q for q in sample.quantities if q.name == name), None)
        if value is None or not is_known:
            yield sample._replace(configuration=key, speed=None, speeds=())
            continue
        speeds = () if sample.rota is None else value.speeds
        yield sample._replace(configuration=key, speed=value.speed, speeds=speeds)
