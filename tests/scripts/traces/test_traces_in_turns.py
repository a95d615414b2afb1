# SPDX-License-Identifier: BSD-3-Clause
"""Traces of processes in turns: of the suite's builds, whose traced repetitions are adjacent."""

import json
import random
from itertools import pairwise
from pathlib import Path

import pytest
from pollux.core.campaign import taking
from pollux.core.errors import BadUsageError
from pollux.core.tiles import Tile
from pollux.insight.graphs.model import Instance
from pollux.insight.traces.in_turns import lacking_at_once, take_in_turns
from pollux.insight.traces.obtain import RunRequest
from project import ROOT
from turn_takers import executable, records_of, take_turns

BUILDS = ROOT / "build"
LU = Instance("lu", "depend", 128, 128, Tile.square(32), None)
LARGE = Instance("lu", "depend", 4096, 4096, Tile.square(128), None)


def span(record: dict[str, int]) -> tuple[int, int]:
    return record["start_unix_ns"], record["end_unix_ns"]


def test_the_traced_repetition_has_a_turn_as_the_measured_ones_have(tmp_path: Path) -> None:
    files = [tmp_path / "a", tmp_path / "b"]
    variants = ("depend", "seq")
    sides = [
        [*executable("lu", repetitions=2, variant=variant), f"--trace={file}"]
        for variant, file in zip(variants, files, strict=True)
    ]
    arrivals = take_turns(*sides, repetitions=3)
    assert [arrival.turns for arrival in arrivals] == [3, 3]
    measured = [span(record) for arrival in arrivals for record in records_of(arrival)]
    traced = [span(json.loads(file.read_text().splitlines()[0])["record"]) for file in files]
    assert min(traced) > max(measured)
    spans = sorted(measured) + sorted(traced)
    assert all(end <= begin for (_, end), (begin, _) in pairwise(spans))


def test_each_trace_is_of_its_request() -> None:
    requests = [RunRequest(LU, threads, "libgomp") for threads in (2, 1)]
    (two,), (one,) = take_in_turns(requests, random.Random(1), ompt=False, build_root=BUILDS)
    assert (two.threads, one.threads) == (2, 1)
    assert two.instance == one.instance == LU
    assert two.label == "libgomp"


def test_a_side_that_goes_wrong_is_named() -> None:
    wrong = RunRequest(LU, 2, "libgomp", extra=("--digest=nonsense",))
    requests = [RunRequest(LU, 2, "libgomp"), wrong]
    with pytest.raises(BadUsageError, match=r"^libgomp: lu: '--digest=nonsense' is unknown"):
        take_in_turns(requests, random.Random(1), ompt=False, build_root=BUILDS)


@pytest.mark.parametrize(
    ("left", "words"),
    [(1 << 40, None), (1 << 28, "memory does not hold all processes")],
)
def test_what_two_processes_lack_is_known_before_they_run(
    monkeypatch: pytest.MonkeyPatch, left: int, words: str | None
) -> None:
    monkeypatch.setattr(taking, "memory_available", lambda: left)
    assert lacking_at_once([RunRequest(LARGE, 2, "libgomp")] * 2, BUILDS) == words
