# SPDX-License-Identifier: BSD-3-Clause
"""Differences between the nodes that a campaign ran on."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations
from math import hypot, log
from statistics import NormalDist

from pollux.core.analysis.result import Interval, Row
from pollux.core.analysis.statistics import ALPHA

HALF = NormalDist().inv_cdf(1 - ALPHA / 2)  # of an interval of 95 %, in standard errors


def between_nodes(rows: Iterable[Row]) -> Iterator[str]:
    """A line for each comparison whose ratio differs between nodes, with the extreme ones.

    Nodes are independent of each other: the difference of the logarithms of two ratios is compared
    with its standard error, by the lengths of their intervals, corrected for the number of pairs.
    """
    alike: dict[tuple[str, str], dict[str, Interval]] = defaultdict(dict)
    for row in rows:
        ratio, node = row.comparison.ratio, row.configuration.node
        if node is not None and ratio is not None and ratio.bounded:
            cell = row.configuration.model_copy(update={"node": None}).label()
            alike[cell, row.level][node] = ratio
    pairs = sum(len(own) * (len(own) - 1) // 2 for own in alike.values())
    for (cell, level), own in alike.items():
        if any(differ(a, b, pairs) for a, b in combinations(own.values(), 2)):
            ratios = ", ".join(f"{r.estimate:.3f} on {node}" for node, r in by_ratio(own))
            yield f"nodes differ: the ratio of {level} in {cell} is {ratios}"


def differ(a: Interval, b: Interval, pairs: int) -> bool:
    """Whether two ratios are different, of so many pairs that are looked at."""
    errors = [log(each.high / each.low) / (2 * HALF) for each in (a, b)]
    needed = NormalDist().inv_cdf(1 - ALPHA / 2 / pairs)
    return abs(log(a.estimate / b.estimate)) > needed * hypot(*errors)


def by_ratio(own: dict[str, Interval]) -> list[tuple[str, Interval]]:
    """The nodes with the lowest and the highest ratio."""
    order = sorted(own.items(), key=lambda item: item[1].estimate)
    return [order[0], order[-1]]
