# SPDX-License-Identifier: BSD-3-Clause
"""Samples as columns say the same as the samples."""

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.filters import narrow
from pollux.core.analysis.loading import load
from pollux.core.analysis.sample_columns import Coded, SampleColumns, Samples, columns_of
from pollux.core.campaign.logarithms import Rows
from pollux.core.campaign.samples import NONE, Flags, Ints, Sample, places_that_count
from synthetic import write_campaign

RUNTIMES = {"libgomp": 1.0, "libomp": 1.2}
CELLS = [("cholesky", "depend", 512, 32), ("lu", "depend", 512, 64)]


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.setattr("pollux.core.analysis.index.SMALLEST", 1)
    monkeypatch.setattr("pollux.core.analysis.index.SETTLED_SECONDS", -1.0)
    found = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for path in found:
        write_campaign(path, RUNTIMES, CELLS, rounds=8)
        load([path])
    return found


def entries(columns: SampleColumns) -> list[tuple[object, ...]]:
    """What the columns hold of each sample."""
    return list(zip(*(of_each(getattr(columns, f.name)) for f in fields(columns)), strict=True))


def of_each(column: object) -> Iterator[object]:
    match column:
        case Coded():
            yield from (column.table[code] for code in column.codes.tolist())
        case Rows():
            for at, count in enumerate(column.counts.tolist()):
                yield tuple(column.table(np.array([at]), count)[0].tolist())
        case np.ndarray():
            yield from map(str, column.tolist())


def test_columns_of_an_index_and_of_its_samples_are_equal(paths: list[Path]) -> None:
    samples = load(paths).samples
    assert entries(samples.columns) == entries(columns_of(samples))


def test_some_of_the_columns_are_those_of_the_samples(paths: list[Path]) -> None:
    part = narrow(load(paths), {"runtime": ["libomp (b)"], "benchmark": ["lu"]})
    assert len(part.samples) == 8
    assert entries(part.columns) == entries(columns_of(part.samples))


def test_comparing_speeds_makes_no_sample(
    paths: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = compare(load(paths))
    monkeypatch.setattr(Samples, "made", property(refuse))
    found = compare(load(paths))
    assert found.headline == expected.headline
    assert [row.comparison for row in found.rows] == [row.comparison for row in expected.rows]
    with pytest.raises(AssertionError, match="made"):
        _ = found.dataset.samples[0]


def refuse(samples: Samples) -> list[Sample]:
    """All but the empty list that files are added to."""
    assert samples.read_columns is None, "samples are made"
    return []


@pytest.mark.parametrize("seed", range(20))
def test_the_first_undisturbed_attempt_counts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rounds = rng.integers(-1, 4, 60)
    keys, attempts, disturbed = rng.integers(0, 3, 60), rng.integers(0, 4, 60), rng.random(60) < 0.5
    found = places_that_count(keys, rounds, attempts, disturbed).tolist()
    assert sorted(found) == sorted(
        [
            *np.flatnonzero(rounds == NONE).tolist(),
            *(
                best(np.flatnonzero((keys == key) & (rounds == r)), attempts, disturbed)
                for key, r in {*zip(keys.tolist(), rounds.tolist(), strict=True)}
                if r != NONE
            ),
        ]
    )


def best(places: Ints, attempts: Ints, disturbed: Flags) -> int:
    """The first of the earliest attempts, undisturbed if any is."""
    given: list[int] = places.tolist()
    calm = [place for place in given if not disturbed[place]]
    return min(calm or given, key=lambda place: (attempts[place], place))
