# SPDX-License-Identifier: BSD-3-Clause
"""From the outcomes of a campaign to the rows of its table: medians, ratios, digests."""

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pollux.executables import Configuration, Outcome, finite
from pollux.records import Record


@dataclass(frozen=True)
class Spread:
    """A median with the range it comes from."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread | None":
        return cls(statistics.median(values), min(values), max(values)) if values else None


@dataclass(frozen=True)
class DigestGroup:
    """Runs whose factors must be the same bit for bit, by the digest they gave."""

    name: str
    seed: int
    runs: dict[str, list[Configuration]]

    @property
    def agrees(self) -> bool:
        return len(self.runs) == 1

    @property
    def size(self) -> int:
        return sum(len(configurations) for configurations in self.runs.values())


@dataclass(frozen=True)
class Row:
    """One configuration over all rounds."""

    configuration: Configuration
    record: Record | None  # any of its records: sizes and runtime are the same in all
    gflops: Spread | None
    ratio: Spread | None  # to the same variant on the baseline
    worst_residual: float | None
    digests_agree: bool | None  # None: nothing to compare with
    problems: list[str]


def summarise(
    configurations: Iterable[Configuration], outcomes: Sequence[Outcome], baseline: str
) -> list[Row]:
    """One row per configuration, in the order given."""
    by_configuration: dict[Configuration, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        by_configuration[outcome.configuration].append(outcome)
    base = {
        base_key(configuration): gflops_by_round(own)
        for configuration, own in by_configuration.items()
        if configuration.preset == baseline
    }
    groups = digest_groups(outcomes)
    return [
        summarise_one(c, by_configuration[c], base.get(base_key(c), {}), groups)
        for c in configurations
    ]


def summarise_one(
    configuration: Configuration,
    outcomes: Sequence[Outcome],
    base: dict[int, float],
    groups: Sequence[DigestGroup],
) -> Row:
    records = [o.record for o in outcomes if o.record is not None]
    gflops = gflops_by_round(outcomes)
    ratios = [gflops[r] / base[r] for r in gflops if r in base]
    return Row(
        configuration,
        record=records[0] if records else None,
        gflops=Spread.of(list(gflops.values())),
        ratio=Spread.of(ratios),
        worst_residual=worst_residual(records),
        digests_agree=digests_agree(configuration, groups),
        problems=[o.problem for o in outcomes if o.problem],
    )


def base_key(configuration: Configuration) -> tuple[str, str]:
    return configuration.variant.benchmark, configuration.variant.variant


def gflops_by_round(outcomes: Sequence[Outcome]) -> dict[int, float]:
    """The speed in each round that went well: a wrong result has no speed."""
    return {
        o.round: o.record.gflops
        for o in outcomes
        if o.record is not None and o.record.gflops is not None and not o.problem
    }


def worst_residual(records: Iterable[Record]) -> float | None:
    """The largest residual; one that is not a number is worse than any."""
    values = [finite(residual.value) for record in records for residual in record.residuals]
    return max(values, key=lambda value: (math.isnan(value), value), default=None)


def digest_groups(outcomes: Iterable[Outcome]) -> list[DigestGroup]:
    """Gather what must agree: equal digest group, input, tiling and BLAS kernels."""
    groups: dict[tuple[object, ...], DigestGroup] = {}
    for outcome in outcomes:
        record, name = outcome.record, outcome.configuration.variant.digest_group
        if record is None or record.digest is None or name is None:
            continue
        tiling = (record.m, record.n, record.nb, record.ib)
        key = (name, *tiling, record.seed, record.blas.core, record.blas.version)
        group = groups.setdefault(key, DigestGroup(name, record.seed, {}))
        group.runs.setdefault(record.digest, []).append(outcome.configuration)
    return list(groups.values())


def digests_agree(configuration: Configuration, groups: Iterable[DigestGroup]) -> bool | None:
    """Whether all that this configuration computed agrees with the others of its groups."""
    own = [
        group
        for group in groups
        if group.size > 1 and any(configuration in runs for runs in group.runs.values())
    ]
    return all(group.agrees for group in own) if own else None


def has_failed(rows: Iterable[Row]) -> bool:
    return any(row.problems or row.digests_agree is False for row in rows)
