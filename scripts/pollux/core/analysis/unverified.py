# SPDX-License-Identifier: BSD-3-Clause
"""Results that nothing shows to be right: not verified, or with no digests to compare.

They are not known to be wrong, so they have a speed; but no gate passes them unasked.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from pollux.core.analysis.axes import plural
from pollux.core.analysis.dataset import Dataset
from pollux.core.analysis.digests import Digests
from pollux.core.analysis.result import Result, Row

ADVICE = {
    "no seed in common": "run all sides with the same --seed",
    "not verified": "run without --check none",
}


class Doubts:
    """What is doubtful about each row of a comparison."""

    def __init__(self, dataset: Dataset, digests: Digests, by: str) -> None:
        columns, counting = dataset.columns, dataset.counting
        timed = counting[np.isfinite(columns.speed[counting])]
        self.timed = columns.counts(timed)
        self.loose = columns.counts(timed[~columns.verified[timed]])
        self.digests = digests
        self.by = by

    def about(self, row: Row, reference: Row | None) -> tuple[str, ...]:
        """About a row's own samples, then about the pair that it is compared in."""
        if not row.values:
            return ()
        found = list(self.own(row))
        if reference is not None and reference is not row and reference.values:
            found += [f"{reference.level}: {text}" for text in self.own(reference)]
            found += self.between(row, reference)
        return tuple(found)

    def own(self, row: Row) -> Iterator[str]:
        loose, timed = self.loose.get(row.key, 0), self.timed.get(row.key, 0)
        if loose == timed:
            yield "not verified (check none)"
        elif loose:
            yield f"not verified: {loose} of {timed} samples (check none)"

    def between(self, row: Row, reference: Row) -> Iterator[str]:
        """Why a pair that factors the same has no digests in common."""
        known = self.digests
        a, b = row.key, reference.key
        if known.unverified & {a, b} or not known.work(a) & known.work(b):
            return
        if known.places[a] & known.places[b] or self.must_differ(a, b):
            return
        yield f"digests: nothing to compare across {plural(self.by)} ({self.why(a, b)})"

    def must_differ(self, a: str, b: str) -> bool:
        """Whether it is the kernel sets that are compared: each has digests of its own."""
        own, other = ({k.arithmetic for k in self.digests.kinds[key]} for key in (a, b))
        return self.by == "kernels" and not own & other

    def why(self, a: str, b: str) -> str:
        if {a, b} & self.digests.unchecked:
            return "sizes or kernels changed between samples"
        (one,), (other,) = self.digests.kinds[a], self.digests.kinds[b]
        if one.arithmetic == other.arithmetic:
            return "no seed in common"
        return (
            "other BLAS kernels" if one.arithmetic[:2] != other.arithmetic[:2] else "other kernels"
        )


def cautions(result: Result) -> list[str]:
    """A line for each kind of doubt, to be read before any ratio."""
    rows: dict[str, list[Row]] = {}
    for row in result.rows:
        for text in row.doubts:
            if not text.startswith(f"{result.reference}: "):
                rows.setdefault(text, []).append(row)
    return [line(text, found) for text, found in rows.items()]


def line(text: str, rows: Sequence[Row]) -> str:
    names = list(dict.fromkeys(row.name for row in rows))
    more = f" and {len(names) - 2} more" if len(names) > 2 else ""
    advice = "".join(f"; {then}" for words, then in ADVICE.items() if words in text)
    return f"{text}: {', '.join(names[:2])}{more}{advice}"
