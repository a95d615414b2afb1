# SPDX-License-Identifier: BSD-3-Clause
"""The tiles among the objects of a graph."""

import re

import numpy as np

from pollux.insight.graphs.model import Ints

NO_TILE = -1
TILE = re.compile(r"A\((\d+),(\d+)\)")


def coordinates(objects: tuple[str, ...]) -> tuple[Ints, Ints]:
    """Row and column of objects that are tiles; NO_TILE for others."""
    found = [TILE.fullmatch(name) for name in objects]
    pairs = [(int(f[1]), int(f[2])) if f else (NO_TILE, NO_TILE) for f in found]
    both = np.array(pairs, np.int64).reshape(-1, 2)
    return both[:, 0].copy(), both[:, 1].copy()
