# SPDX-License-Identifier: BSD-3-Clause
"""What `pollux explain` writes fits terminals of 80 and of 120 columns."""

from pathlib import Path

import pytest
from explain_runs import Files
from pollux.insight.explaining.explanation import Explanation, explain_sides
from pollux.insight.explaining.show import write
from pollux.insight.explaining.sides import read_sides
from pollux.insight.graphs.file import read_graph
from terminals import WIDTHS, assert_readable

LONG = 2e5  # hours of thread-time rather than milliseconds


def explained(folder: Path, names: list[str], factor: float, gap: int) -> Explanation:
    files = Files(folder)
    paths = [
        files.write(name, [factor * (1 + 0.01 * k) for k in range(2 + n)], gap=gap)
        for n, name in enumerate(names)
    ]
    sides = read_sides(paths, [], None)
    return explain_sides(sides, [read_graph(files.graph)] * len(sides))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    "names",
    [
        ["libgomp"],
        ["libgomp", "libomp"],
        ["gcc+libompss2-2024.11-nosv-release", "clang+libomp19-nightly-20260714"],
    ],
    ids=["one side", "short names", "long names"],
)
@pytest.mark.parametrize(("factor", "gap"), [(1.1, 500), (LONG, 10**9)], ids=["short", "long"])
def test_every_number_can_be_read(
    tmp_path: Path, width: int, names: list[str], factor: float, gap: int
) -> None:
    found = explained(tmp_path, names, factor, gap)
    text = assert_readable(lambda console: write(console, found), width)
    table = text[text.index("thread-time, ms") :]
    for side in found.sides:
        total = side.split.terms.total / 1e6
        assert f"{total:.0f}" in table or f"{total:.2f}" in table or f"{total:.3f}" in table


def test_sides_with_long_names_are_headed_by_letters(tmp_path: Path) -> None:
    names = ["gcc+libompss2-2024.11-nosv-release", "clang+libomp19-nightly-20260714"]
    found = explained(tmp_path, names, 1.1, 500)
    text = assert_readable(lambda console: write(console, found), 80)
    lines = text.splitlines()
    for letter, side in zip("AB", found.sides, strict=True):
        assert f"{letter}: {side.name}" in lines
    head = next(line for line in lines if line.startswith("thread-time, ms"))
    assert head.split() == ["thread-time,", "ms", "A", "%", "B", "%", "difference"]
