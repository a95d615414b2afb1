# SPDX-License-Identifier: BSD-3-Clause
"""Pearson's correlation of levers with speed and energy, and its significance.

Levers of two values count as +1 and -1, as in Lima et al., IJHPCA 33(3), 2019, section 5.2; those
whose values are numbers count as these. In a full design such levers are orthogonal, and the
squares of their r add up to the share of the variance that they explain together.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, sqrt

import numpy as np
from numpy.typing import NDArray

from pollux.core.grouping import grouped
from pollux.energy.analysis.points import (
    FIGURES,
    Observation,
    Point,
    figure,
    in_groups,
    label_of,
    varied,
)

Floats = NDArray[np.float64]
SIGNIFICANT = 0.05  # the papers' level
FEWEST = 3  # observations: with two, r is 1 or -1
HIGH = {"turbo": "on", "cstates": "all", "governor": "performance"}  # the papers' +1
FIGURE_NAMES = ("performance", "package", "memory", "energy")
NUMBER = re.compile(r"([0-9]+(?:\.[0-9]+)?)(GHz)?")


@dataclass(frozen=True)
class Coding:
    """The number that stands for each value of a lever."""

    lever: str
    values: dict[str, float]

    @property
    def words(self) -> str:
        listed = ", ".join(
            f"{name} {number:+g}" if abs(number) == 1 else f"{name} {number:g}"
            for name, number in sorted(self.values.items(), key=lambda pair: -pair[1])
        )
        return f"{self.lever}: {listed}"


@dataclass(frozen=True)
class Correlation:
    """r of two variables over n observations; NaN where one of them does not vary."""

    first: str
    second: str
    r: float
    p: float
    n: int

    @property
    def is_significant(self) -> bool:
        return self.p < SIGNIFICANT


@dataclass(frozen=True)
class Correlations:
    """All pairs of the levers and figures of one group of configurations."""

    group: str
    label: str  # what they share: runtime, variant …
    codings: list[Coding]
    left_out: list[str]  # levers that cannot be coded, with the reason
    variables: list[str]
    pairs: dict[tuple[str, str], Correlation]
    n: int
    configurations: int
    of_runs: bool
    orthogonal: bool

    def pair(self, first: str, second: str) -> Correlation:
        return self.pairs[first, second]

    @property
    def levers(self) -> list[str]:
        return [coding.lever for coding in self.codings]

    @property
    def figures(self) -> list[str]:
        return [name for name in self.variables if name in FIGURES]

    @property
    def remarks(self) -> list[str]:
        """What a reader of them should know, a sentence each."""
        mixed = "The levers were not varied independently of each other."
        return [*(f"Left out: {text}." for text in self.left_out), *[mixed] * (not self.orthogonal)]


def code(lever: str, values: Sequence[str]) -> Coding | None:
    """How values are coded; None for words of which there are more than two."""
    found = sorted(set(values))
    numbers = [NUMBER.fullmatch(value) for value in found]
    if len(found) == 2 and (lever in HIGH or None in numbers):
        high = HIGH.get(lever)
        high = high if high in found else found[1]
        return Coding(lever, {value: 1.0 if value == high else -1.0 for value in reversed(found)})
    if None in numbers:
        return None
    return Coding(lever, {m[0]: float(m[1]) for m in numbers if m is not None})


def correlate(
    group: str, label: str, points: Sequence[Point], *, of_runs: bool = False
) -> Correlations | None:
    """The correlations of configurations that differ in levers alone; None with too few.

    The observations are the means of configurations or, with `of_runs`, all runs.
    """
    levers = varied(points, lambda point: point.levers)
    codings, left_out = [], []
    for lever in levers:
        values = [point.levers.get(lever, "") for point in points]
        coding = code(lever, values)
        if "" in values:
            left_out.append(f"{lever} is not set in some configurations")
        elif coding is None:
            left_out.append(f"{lever} ({', '.join(sorted(set(values)))}) has no numbers")
        else:
            codings.append(coding)
    rows = [
        (point, observation)
        for point in points
        for observation in (point.observations if of_runs else [point.mean])
    ]
    if not codings or len(rows) < FEWEST:
        return None
    columns: dict[str, Floats] = {
        coding.lever: np.array([coding.values[point.levers[coding.lever]] for point, _ in rows])
        for coding in codings
    }
    orthogonal = all(
        abs(pearson(columns[a.lever], columns[b.lever])) < 1e-9
        for k, a in enumerate(codings)
        for b in codings[:k]
    )
    columns |= figures_of([observation for _, observation in rows])
    pairs = {(a, b): correlation(a, b, columns[a], columns[b]) for a in columns for b in columns}
    return Correlations(
        group=group,
        label=label,
        codings=codings,
        left_out=left_out,
        variables=[*columns],
        pairs=pairs,
        n=len(rows),
        configurations=len(points),
        of_runs=of_runs,
        orthogonal=orthogonal,
    )


def all_correlations(points: Sequence[Point], *, of_runs: bool = False) -> list[Correlations]:
    """Of each group the correlations of all sets of configurations that differ in levers alone.

    The set with the point of best performance comes first, as the papers show it.
    """
    found = []
    for group, own in in_groups(points).items():
        fastest_first = sorted(own, key=lambda p: -p.mean.gflops)
        for alike in grouped(fastest_first, lambda p: tuple(p.choices.items())).values():
            label = label_of(alike[0], own, levers=False)
            made = correlate(group, label, alike, of_runs=of_runs)
            found += [made] if made is not None else []
    return found


def of_best_performance(found: Sequence[Correlations]) -> list[Correlations]:
    """The first of each group."""
    return [own[0] for own in grouped(found, lambda one: one.group).values()]


def figures_of(observations: Sequence[Observation]) -> dict[str, Floats]:
    """The figures that all observations have."""
    found = {}
    for name in FIGURE_NAMES:
        values = [figure(name, observation) for observation in observations]
        known = [value for value in values if value is not None]
        if len(known) == len(values):
            found[name] = np.array(known)
    return found


def correlation(first: str, second: str, x: Floats, y: Floats) -> Correlation:
    r = pearson(x, y)
    return Correlation(first, second, r, p_of(r, len(x)), len(x))


def pearson(x: Floats, y: Floats) -> float:
    """Pearson's r; NaN where one of the two is constant, but for rounding."""
    dx, dy = x - x.mean(), y - y.mean()
    sx, sy = sqrt(float(dx @ dx)), sqrt(float(dy @ dy))
    scale = sqrt(len(x)) * 1e-12
    if sx <= scale * float(np.abs(x).max()) or sy <= scale * float(np.abs(y).max()):
        return float("nan")
    return float(np.clip((dx @ dy) / (sx * sy), -1, 1))


def p_of(r: float, n: int) -> float:
    """Two-sided p of no correlation: t = r sqrt((n - 2) / (1 - r²)) with n - 2 degrees of freedom.

    Student's distribution is the incomplete beta function: p = I(1 - r², (n - 2) / 2, 1 / 2).
    """
    from scipy.special import betainc  # type: ignore[import-untyped]  # slow to load

    if isnan(r) or n < FEWEST:
        return float("nan")
    return float(betainc((n - 2) / 2, 0.5, 1 - r * r))


def critical(n: int, level: float = SIGNIFICANT) -> float:
    """The least |r| that is significant with n observations."""
    from scipy.special import betaincinv  # slow to load

    return sqrt(1 - float(betaincinv((n - 2) / 2, 0.5, level)))
