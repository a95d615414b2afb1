# SPDX-License-Identifier: BSD-3-Clause
"""The result of a comparison: rows, verdicts, and everything that qualifies them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import isnan

from pollux.core.analysis.dataset import Dataset, Identity
from pollux.core.analysis.metrics import METRICS, SPEED, Metric
from pollux.core.campaign.lines import Configuration
from pollux.core.campaign.logarithms import Series

OPEN = "open"  # what a comparison is that is not decided


class Verdict(StrEnum):
    """What the samples show about a configuration relative to its reference."""

    REFERENCE = "reference"
    BETTER = "better"  # by the metric: faster, less energy …
    WORSE = "worse"
    NO_DIFFERENCE = (
        "no difference"  # none is shown, and the interval lies within the relevant margin
    )
    TOO_NOISY = OPEN  # neither shown, nor excluded within the margin
    TOO_FEW = "too few"  # samples: no outcome could have been significant
    NONE = "not compared"  # it or its reference has no valid sample, or wrong digests


@dataclass(frozen=True)
class Interval:
    """An estimate with its 95 % confidence interval.

    `low` and `high` are NaN where the samples are too few for an interval of 95 %.
    """

    estimate: float
    low: float
    high: float

    @property
    def bounded(self) -> bool:
        return not isnan(self.low)


@dataclass(frozen=True)
class Comparison:
    """A ratio of the metric to the reference and what it is worth."""

    ratio: Interval | None
    paired: bool  # within rounds of one campaign; else two independent sets of samples
    samples: int  # pairs, or the smaller set
    p: float | None
    p_corrected: float | None  # over all comparisons of the result
    verdict: Verdict
    needed: int | None  # samples that would decide, where it is not decided
    words: str  # such as "faster by 3.1 %", "open: ~40 samples for 3 %"


def not_compared(reason: str) -> Comparison:
    return Comparison(None, False, 0, None, None, Verdict.NONE, None, reason)


PENDING = not_compared("")


class Agreement(StrEnum):
    """What the digests of a configuration show about its factors."""

    AGREE = "agree"  # with those of another side, bit for bit
    DIFFER = "DIFFER"  # its speed means nothing
    UNVERIFIED = "not verified"  # no check was made: its digests prove nothing
    NOTHING = "–"  # nobody else has computed the same


@dataclass
class Row:
    """One configuration over all its samples; what compares it with others comes last."""

    key: str
    configuration: Configuration
    cell: str  # label of the axes that all compared configurations share
    level: str  # its value on the compared axis, by default the runtime's label
    identity: Identity | None  # what it ran as; None: it never started
    gflops: Interval | None  # median, bootstrap interval
    figure: Interval | None  # the same of the metric
    values: list[tuple[int | None, float]]  # round and metric of each valid sample; none if wrong
    samples: int  # processes, whatever their outcome
    problems: dict[str, int]  # what went wrong, how often
    worst_residual: float | None
    digests: Agreement
    unavailable: str | None  # why it cannot run
    is_plain: bool  # all of its samples are plain records: it is of no campaign
    logs: Series  # of the values: what it is compared by
    reason: str | None = None  # why it cannot be compared
    sources: tuple[str, ...] = ()  # of energy, as they were added up
    unmeasured: dict[str, int] = field(default_factory=dict)  # valid samples without, by reason
    figures: dict[str, float] = field(default_factory=dict)  # of the benchmark: medians
    differences: Mapping[int, float] | None = None  # from the reference, by round, where paired
    deviations: Mapping[int, float | None] = field(default_factory=dict)  # of their repetitions
    apart: int = 0  # rounds in which it ran apart from the reference: they are no pairs
    comparison: Comparison = PENDING
    doubts: tuple[str, ...] = ()  # why its factors are not shown to be right; no gate passes it
    remarks: tuple[str, ...] = ()  # what else differs from the reference, one sentence each

    @property
    def name(self) -> str:
        return f"{self.cell} on {self.level}"

    @property
    def notes(self) -> tuple[str, ...]:
        """All that qualifies the verdict."""
        return self.doubts + self.remarks


@dataclass(frozen=True)
class Overall:
    """A level relative to the reference over all cells: the geometric mean of the ratios."""

    level: str
    cells: int
    left_out: int  # cells without a valid sample on either side
    comparison: Comparison
    quantity: str | None = None  # of several; None: the first


@dataclass(frozen=True)
class Disagreement:
    """Samples whose factors must agree bit for bit and do not."""

    group: str
    seed: int
    tiling: str  # "N=…, NB=…"
    right: str | None  # the digest that is right; None: not decided, and no holder is trusted
    by: str | None  # what decided
    holders: dict[str, list[str]]  # digest -> "cell on level", without repeats
    keys: list[str]  # of the configurations that hold them


@dataclass(frozen=True)
class Failure:
    """One way in which one configuration went wrong."""

    row: Row
    outcome: str
    problem: str
    count: int
    rounds: list[int]
    detail: str | None  # stacks, last lines of standard error


@dataclass(frozen=True)
class Result:
    """The whole comparison."""

    dataset: Dataset
    by: str  # the axis compared, by default "runtime"
    reference: str  # its level that all others are compared with
    relevant: float  # the margin below which a difference does not matter, 0.03 for 3 %
    rows: list[Row]
    overall: list[Overall]  # empty where there is but one cell
    disagreements: list[Disagreement]
    failures: list[Failure]
    cautions: list[str]  # to be read before any ratio: what was not verified or not compared
    warnings: list[str]  # about the method: few samples, disturbed blocks, unbound threads …
    headline: str  # the answer in a sentence
    metric: Metric = METRICS[SPEED]
    source: str | None = None  # of energy, in words
    terms: Sequence[Overall] = ()  # the same as `overall` of further quantities
    is_sequential: bool = False  # its campaign ran until all was decided: so are the verdicts

    def is_apart(self, row: Row) -> bool:
        """Whether it is not of the campaign, or its verdict is none that this ran to decide."""
        is_loose = bool(row.comparison.ratio) and not row.comparison.paired
        return self.is_sequential and (row.is_plain or is_loose)

    def groups(self) -> list["Result"]:
        """The same in parts whose rows have one unit, such as GFlop/s or ns."""
        units = dict.fromkeys(
            (row.configuration.unit, row.configuration.better) for row in self.rows
        )
        return [
            replace(
                self,
                rows=[
                    r for r in self.rows if (r.configuration.unit, r.configuration.better) == own
                ],
                metric=self.metric.in_unit(*own),
            )
            for own in sorted(units, key=lambda own: own[1] == "less")
        ]

    @property
    def sound(self) -> bool:
        """No failure and no disagreement."""
        return not self.failures and not self.disagreements
