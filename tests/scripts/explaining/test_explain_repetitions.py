# SPDX-License-Identifier: BSD-3-Clause
"""Rounds of several traced repetitions, and kernels that both sides call."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from explain_runs import Files, explain_json, times
from pollux.insight.explaining import session
from pollux.insight.explaining.deciding import log_ratio, shares_of
from pollux.insight.explaining.model import Round, Split, Terms
from pollux.insight.explaining.session import TRACED, traced_after
from pollux.insight.explaining.sides import Side
from pollux.insight.explaining.spread import shift
from pollux.insight.traces.file import read_traces
from pollux.insight.traces.model import Trace
from traces import trace_lines, write_lines

THREADS = 2
NOTHING = Terms(*[0] * 8)


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def round_of(*creating: int) -> Round:
    """Repetitions of 1000 ns of work, and so much creation."""
    terms = [replace(NOTHING, work=1000, creating=more) for more in creating]
    return [
        cast(Split, SimpleNamespace(threads=THREADS, region=own.total // THREADS, terms=own))
        for own in terms
    ]


def process(files: Files, runtime: str, threads: int, *factors: float, **more: Any) -> list[str]:  # noqa: ANN401
    """The traces of one process: a repetition for each factor by which kernels are slower."""
    found: list[str] = []
    for number, factor in enumerate(factors):
        own = {"runtime": runtime, "repetition": number, **more}
        found += trace_lines(files.lines, threads=threads, duration=times(factor), **own)
    return found


def test_adjacent_repetitions_are_compared_and_a_disturbed_one_does_not_count() -> None:
    """All repetitions drift, and one of the second side took ten times as long."""
    first, second = round_of(0, 200, 400), round_of(100, 300, 10_000)
    (share,) = shares_of([first], [second], lambda terms: terms.creating)
    assert share == pytest.approx(0.1)  # of 0.1, 0.083 and 6.9
    assert log_ratio(first, second) < 0.11
    own, other = ([[s.terms.creating for s in side]] * 6 for side in (first, second))
    assert shift(own, other).median == 100


def test_repetitions_of_a_process_are_one_round(
    files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    rounds = [process(files, "libomp", 4, 1.1, 1.2, 1.3) for _ in range(6)]
    alone = [process(files, "libomp", 1, 1.0, 1.0, 5.0)] * 6
    lines = [part for pair in zip(rounds, alone, strict=True) for part in pair]
    path = write_lines(files.folder / "libomp.jsonl", *lines)
    (side,) = explain_json(capsys, path, graph=[files.graph])["sides"]
    assert [len(own) for own in side["rounds"]] == [3] * 6
    assert (side["round"], side["repetition"]) == (2, 1)  # a middle one of 18
    slower = [run["slowdown"] / run["work"] for own in side["rounds"] for run in own]
    assert slower == pytest.approx([0.1, 0.2, 0.3] * 6, abs=0.01)  # not by what was disturbed alone
    assert side["ranges"]["work"]["rounds"] == 6


def test_short_runs_have_several_repetitions_and_long_ones_one() -> None:
    def taken(*regions: float) -> list[Side]:
        runs = [cast(Trace, SimpleNamespace(region=region * 1e6)) for region in regions]
        return [Side(cast(Any, None), "", Path(), [run]) for run in runs]

    assert [traced_after(taken(ms, ms / 2)) for ms in (0.01, 20, 100, 200, 9000)] == [
        *(TRACED, TRACED, 2, 1, 1)
    ]


@pytest.mark.parametrize(
    ("changes", "is_shared"),
    [
        ({}, True),
        ({"kernels": "tuned"}, False),  # which each compiler compiles
        ({"kernels": "tuned", "compiler": {"name": "gcc", "version": "14"}}, True),
        ({"blas": {"name": "another"}}, False),
    ],
)
def test_kernels_that_both_sides_call_take_the_same_time_alone(
    changes: dict[str, Any],
    is_shared: bool,
    files: Files,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Alone, they were a tenth slower on the second side: the machine was, in that second."""
    usual = {"kernels": "openblas", "compiler": {"name": "clang", "version": "19"}}
    paths = []
    for number, runtime, alone, own in (
        (1, "libgomp", 1.0, usual | {"compiler": {"name": "gcc", "version": "14"}} | changes),
        (2, "libomp", 1.1, usual | {key: changes[key] for key in changes if key != "blas"}),
    ):
        lines = [
            process(files, runtime, threads, factor, **own)
            for _ in range(6)
            for threads, factor in ((4, 1.3), (1, alone))
        ]
        paths.append(write_lines(files.folder / f"{number}-{runtime}.jsonl", *lines))
    found = explain_json(capsys, *paths, graph=[files.graph])
    difference = found["difference"]
    assert difference["work_shared"] is is_shared
    assert (difference["terms"]["work"]["median"] == 0) is is_shared
    assert difference["verdicts"]["work"] == ("same" if is_shared else "more")
    works = [side["terms"]["work"] for side in found["sides"]]
    assert (works[0] == works[1]) is is_shared
    apart = [paths[0], paths[1].rename(files.folder / "of another machine.jsonl")]
    assert not explain_json(capsys, *apart, graph=[files.graph])["difference"]["work_shared"]


def test_a_measurement_takes_as_many_repetitions_as_the_round_before_was_short(
    tmp_path: Path, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of kernels that both sides call, the times alone are in both sides' traces: one suffices."""
    asked: list[list[tuple[int, int]]] = []

    def taken(wishes: Sequence[Any], *_: object, **__: object) -> list[list[Trace]]:
        asked.append([(wish.threads, wish.traced) for wish in wishes])
        return [
            read_traces(
                write_lines(
                    tmp_path / "made.jsonl",
                    process(files, wish.target, wish.threads, *[1.0] * wish.traced),
                )
            )
            for wish in wishes
        ]

    monkeypatch.setattr(session, "take_in_turns", taken)
    instance = read_traces(write_lines(tmp_path / "one.jsonl", process(files, "libomp", 2, 1.0)))[
        0
    ].instance
    runs = [session.Run(instance, target) for target in ("libgomp", "libomp")]
    plan = session.Plan(runs, 2, 2, 1, ompt=False, build_root=tmp_path)
    paths = [tmp_path / f"{number}-x.jsonl" for number in (1, 2)]
    first = session.take_round(plan, 0, paths, traced=1, in_turns=True)
    session.take_round(plan, 1, paths, traced=traced_after(first), in_turns=True)
    assert asked == [[(2, 1)] * 2, [(1, 1)] * 2, [(2, TRACED)] * 2, [(1, 1)] * 2]
