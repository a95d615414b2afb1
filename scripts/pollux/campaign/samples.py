# SPDX-License-Identifier: BSD-3-Clause
"""A sample in the form that all code uses, from the campaign that takes it to the verdict."""

import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from pollux.campaign.lines import Outcome, SampleLine
from pollux.micro_records import CurvePoint, curve_of, first_of, is_micro, medians, reasons
from pollux.readings import Run, run_of
from pollux.records import ResidualValue, failed_check, median_gflops, residuals_of


@dataclass(frozen=True, slots=True)
class Sample:
    """One process; `gflops` is the median of its repetitions, None if anything went wrong."""

    configuration: str
    round: int | None  # None: not from an interleaved campaign, nothing to pair it with
    attempt: int
    block: tuple[int, int] | None  # file, block
    outcome: Outcome
    problem: str | None
    detail: str | None
    warnings: tuple[str, ...]
    gflops: float | None
    start_unix_ns: int
    process_seconds: float | None
    residuals: tuple[ResidualValue, ...]
    digests: tuple[tuple[int, str], ...]  # seed and digest of each repetition that has one
    verified: bool = False  # every repetition was checked, and passed
    runs: tuple[Run, ...] = ()  # the timed regions
    figures: tuple[tuple[str, float], ...] = ()  # of the benchmark: medians over repetitions
    seed: int | None = None  # of the first repetition of a micro-benchmark
    headline: str | None = None  # the first quantity of a micro-benchmark
    quantities: tuple[tuple[str, float], ...] = ()  # of it: medians in ns of those that are known
    unknown: tuple[tuple[str, str], ...] = ()  # of those that are not known: why
    curve: tuple[CurvePoint, ...] = ()  # of efficiency over granularity


def read_sample(line: SampleLine, configuration: str, file: int = 0) -> Sample:
    """The sample of a campaign's line; `configuration` is the reader's key for it."""
    if line.records and is_micro(line.records[0]):
        return read_micro_sample(line, configuration, file)
    return Sample(
        **shared_fields(line, configuration, file),
        gflops=median_gflops(line.records) if line.outcome is Outcome.OK else None,
        residuals=residuals_of(line.records),
        digests=digests_of(line.records),
        verified=line.outcome is Outcome.OK and are_verified(line.records),
        runs=tuple(map(run_of, line.records)),
        figures=figures_of(line.records),
    )


def shared_fields(line: SampleLine, configuration: str, file: int) -> dict[str, Any]:
    """What a sample knows of its process, whatever the benchmark."""
    return {
        "configuration": configuration,
        "round": line.round,
        "attempt": line.attempt,
        "block": (file, line.block),
        "outcome": line.outcome,
        "problem": line.problem,
        "detail": line.detail,
        "warnings": tuple(line.warnings),
        "start_unix_ns": line.start_unix_ns,
        "process_seconds": line.process_seconds,
    }


def read_micro_sample(line: SampleLine, configuration: str, file: int) -> Sample:
    """The same of a micro-benchmark: its speed is the inverse of its first quantity."""
    is_ok = line.outcome is Outcome.OK
    known = medians(line.records) if is_ok else {}
    name = first_of(line.records)
    headline = known.get(name or "")
    return Sample(
        **shared_fields(line, configuration, file),
        gflops=1 / headline if headline is not None and headline > 0 else None,
        residuals=(),
        digests=(),
        verified=is_ok,
        seed=line.records[0]["seed"],
        headline=name,
        quantities=tuple(known.items()),
        unknown=tuple(reasons(line.records).items()),
        curve=curve_of(line.records) if is_ok else (),
    )


def micro_sample(record: dict[str, Any], configuration: str) -> Sample:
    """A record that a micro-benchmark wrote outside of a campaign: paired with nothing."""
    passed = bool(record["passed"])
    line = SampleLine(
        configuration=configuration,
        round=0,
        attempt=0,
        block=0,
        outcome=Outcome.OK if passed else Outcome.FAILED_CHECK,
        problem=None if passed else why_not_passed(record),
        start_unix_ns=record["start_unix_ns"],
        process_seconds=0.0,
        overhead_seconds=0.0,
        records=[record],
    )
    sample = read_micro_sample(line, configuration, 0)
    return replace(sample, round=None, block=None, process_seconds=None)


def why_not_passed(record: dict[str, Any]) -> str:
    """Why a record has not passed, in one line."""
    if is_micro(record):
        return f"check failed: {record['fault']}"
    return failed_check(record)


def figures_of(records: Iterable[dict[str, Any]]) -> tuple[tuple[str, float], ...]:
    """The median of each of the benchmark's own figures, if all repetitions have it."""
    found = [record.get("figures") or {} for record in records]
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
    return bool(known) and all(r["passed"] and r["residuals"] for r in known)


def that_count(samples: Iterable[Sample], is_disturbed: Callable[[Sample], bool]) -> list[Sample]:
    """One sample for each configuration and round: that of the first undisturbed attempt.

    If no attempt was undisturbed, the first one counts. Samples without a round all count.
    """
    chosen: dict[tuple[str, int], Sample] = {}
    unpaired = []
    for sample in sorted(samples, key=lambda s: s.attempt):
        if sample.round is None:
            unpaired.append(sample)
            continue
        key = sample.configuration, sample.round
        if key not in chosen or (is_disturbed(chosen[key]) and not is_disturbed(sample)):
            chosen[key] = sample
    return [*chosen.values(), *unpaired]
