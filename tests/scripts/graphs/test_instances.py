# SPDX-License-Identifier: BSD-3-Clause
"""From names and sizes to instances."""

from pathlib import Path

import pytest
from listings import listing, variant
from pollux.core.executables.benchmarks import Benchmarks
from pollux.core.executables.listing import Executables
from pollux.core.listings import Listing
from pollux.core.tiles import Tile
from pollux.insight.graphs.instances import instances_of


@pytest.mark.parametrize(
    ("given", "size"),
    [
        ((None, None), (256, 256)),  # its own
        ((None, 512), (512, 512)),
        ((1024, None), (1024, 256)),
        ((1024, 512), (1024, 512)),
    ],
)
def test_without_a_size_it_is_the_benchmarks_own(
    tmp_path: Path, given: tuple[int | None, int | None], size: tuple[int, int]
) -> None:
    described = listing("cells", [variant("depend", "cells")], {})
    described["size"] = {"name": "n", "summary": "order of a cell", "standard": 256}
    known = Benchmarks(Executables(tmp_path), listings={"cells": Listing(**described)})
    (found,) = instances_of(known, "cells", "depend", *given, Tile.square(64), None, "openblas", {})
    assert (found.m, found.n) == size
