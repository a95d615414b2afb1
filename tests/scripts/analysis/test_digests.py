# SPDX-License-Identifier: BSD-3-Clause
"""Tests who is trusted where digests differ: whoever failed a check has no vote, and nobody is
right by majority."""

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.digests import DISPUTED, ERRATIC, WRONG
from pollux.core.analysis.loading import load
from pollux.core.analysis.result import Agreement, Result, Row
from pollux.core.analysis.right_factors import OUTPUT, deciding_lines
from pollux.core.commands.compare_grid import problem_lines
from run_record import Cell, record
from synthetic import append
from test_comparison import change_samples, made, rows_of

DEPEND: Cell = ("lu", "depend", 1024, 128)
SEQ: Cell = ("lu", "seq", 1024, 128)
THREE = {"right": 1.0, "first": 1.1, "second": 1.2}
Change = Callable[[dict[str, Any]], None]


def same(_: dict[str, Any]) -> None:
    """No change."""


def changed(folder: Path, changes: Mapping[str, Change], *cells: Cell, rounds: int = 8) -> Result:
    """A campaign in which the records of some runtimes, all but those of seq, are changed."""
    path = made(folder, THREE, cells or (DEPEND,), rounds=rounds)

    def change(line: dict[str, Any]) -> None:
        (own,) = line["records"]
        if own["variant"] != "seq":
            changes.get(own["runtime"]["name"], same)(line)

    change_samples(path, change)
    return compare(load([path]))


def other_digest(digest: str = "dead") -> Change:
    return lambda line: line["records"][0].update(digest=f"{digest}{line['round']:012}")


def failed(line: dict[str, Any]) -> None:
    other_digest()(line)
    line["outcome"], line["problem"] = "failed check", "check failed: PA-LU 2.5e+15, limit 30"
    line["records"][0]["passed"] = False
    line["records"][0]["residuals"][0] |= {"value": 2.5e15, "passed": False}


def unchecked(line: dict[str, Any]) -> None:
    line["records"][0] |= {"check": "none", "residuals": []}


def is_first(line: dict[str, Any]) -> bool:
    return bool(line["records"][0]["runtime"]["name"] == "first")


def row(result: Result, level: str, variant: str = "depend") -> Row:
    (found,) = (r for r in rows_of(result, level) if r.configuration.variant == variant)
    return found


def states(result: Result) -> dict[str, tuple[Agreement, str | None]]:
    """Of each runtime: what its digests show, and why it has no speed."""
    rows = [r for r in result.rows if r.configuration.variant == "depend"]
    return {r.level: (r.digests, None if r.values else r.comparison.words) for r in rows}


def test_samples_that_failed_their_check_have_no_vote(tmp_path: Path) -> None:
    result = changed(tmp_path, {"first": failed, "second": failed})
    why = "failed checks: its speed means nothing"
    assert states(result) == {
        "right": (Agreement.NOTHING, None),
        "first": (Agreement.NOTHING, why),
        "second": (Agreement.NOTHING, why),
    }
    assert result.disagreements == []


def test_one_failed_check_takes_the_vote_of_all_samples_of_a_configuration(tmp_path: Path) -> None:
    """Those that passed may be wrong in the same way, by less than the check allows."""

    def once(line: dict[str, Any]) -> None:
        (failed if line["round"] == 3 else other_digest())(line)

    result = changed(tmp_path, {"second": once})
    assert states(result)["first"] == (Agreement.AGREE, None)
    assert result.disagreements == []


def test_a_majority_decides_nothing(tmp_path: Path) -> None:
    result = changed(tmp_path, {"first": other_digest(), "second": other_digest()})
    assert set(states(result).values()) == {(Agreement.DIFFER, DISPUTED)}
    assert not any(r.gflops or r.values or r.comparison.ratio for r in result.rows)
    assert {d.right for d in result.disagreements} == {None}
    (line,) = (text for text in problem_lines(result) if text.startswith("digests of lu"))
    cell = "lu depend N=1024 NB=128 2 threads on"
    assert f"differ: {cell} first, {cell} second against {cell} right; 8 seeds: 100" in line


def test_a_sequential_run_decides_against_any_majority(tmp_path: Path) -> None:
    result = changed(tmp_path, {"first": other_digest(), "second": other_digest()}, DEPEND, SEQ)
    assert states(result) == {
        "right": (Agreement.AGREE, None),
        "first": (Agreement.DIFFER, WRONG),
        "second": (Agreement.DIFFER, WRONG),
    }
    assert {d.by for d in result.disagreements} == {"the sequential run"}
    assert not any("none of them is trusted" in line for line in problem_lines(result))


def test_sequential_runs_that_disagree_decide_nothing(tmp_path: Path) -> None:
    path = made(tmp_path, THREE, [DEPEND, SEQ], rounds=8)

    def change(line: dict[str, Any]) -> None:
        if line["records"][0]["runtime"]["name"] == "second":
            other_digest()(line)

    change_samples(path, change)
    assert {digests for digests, _ in states(compare(load([path]))).values()} == {Agreement.DIFFER}


def test_who_differs_from_a_sequential_run_once_has_no_vote_elsewhere(tmp_path: Path) -> None:
    """There is a sequential run of the first round alone."""
    path = made(tmp_path, THREE, [DEPEND, SEQ], rounds=8)

    def change(line: dict[str, Any]) -> None:
        own = line["records"][0]
        if own["runtime"]["name"] == "second" and own["variant"] != "seq":
            other_digest()(line)

    change_samples(path, change)
    lines = [json.loads(text) for text in path.read_text().splitlines()]
    kept = [
        line
        for line in lines
        if line["event"] != "sample" or line["records"][0]["variant"] != "seq" or line["round"] == 0
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in kept))
    result = compare(load([path]))
    assert states(result)["right"] == states(result)["first"] == (Agreement.AGREE, None)
    assert states(result)["second"] == (Agreement.DIFFER, WRONG)
    assert {d.by for d in result.disagreements} == {"the sequential run", "the verified runs"}


def test_who_differs_from_itself_is_wrong_and_nobody_else_is_doubted(tmp_path: Path) -> None:
    path = tmp_path / "plain.jsonl"
    for seed in range(8):
        for runtime in THREE:
            append(path, record(DEPEND, runtime, seed, 50.0))
    append(path, record(DEPEND, "second", 3, 50.0, digest="dead"))
    result = compare(load([path]))
    assert states(result)["second"] == (Agreement.DIFFER, ERRATIC)
    assert states(result)["first"] == states(result)["right"] == (Agreement.AGREE, None)
    assert not result.sound


def test_what_was_not_verified_has_no_vote_against_what_was(tmp_path: Path) -> None:
    def wrong(line: dict[str, Any]) -> None:
        unchecked(line)
        other_digest()(line)

    result = changed(tmp_path, {"first": wrong, "second": wrong})
    assert states(result) == {
        "right": (Agreement.NOTHING, None),
        "first": (Agreement.DIFFER, WRONG),
        "second": (Agreement.DIFFER, WRONG),
    }
    assert {d.by for d in result.disagreements} == {"the verified runs"}


def test_what_was_not_verified_and_differs_is_trusted_nowhere(tmp_path: Path) -> None:
    def wrong(line: dict[str, Any]) -> None:
        unchecked(line)
        other_digest()(line)

    result = changed(tmp_path, {"right": unchecked, "first": unchecked, "second": wrong})
    assert set(states(result).values()) == {(Agreement.DIFFER, DISPUTED)}


def repeated(line: dict[str, Any]) -> None:
    """Two repetitions in each process, whose seeds no other round has."""
    (own,) = line["records"]
    seeds = 2 * line["round"], 2 * line["round"] + 1
    line["records"] = [{**own, "seed": seed, "digest": f"{seed:016x}"} for seed in seeds]


def split(line: dict[str, Any]) -> None:
    """One repetition in each process: the same seeds, in other rounds."""
    line["records"][0] |= {"seed": line["round"], "digest": f"{line['round']:016x}"}


def wrong_once(line: dict[str, Any]) -> None:
    repeated(line)
    if line["round"] == 3:
        line["records"][1]["digest"] = "dead"


def test_digests_are_compared_by_seed_however_processes_group_seeds(tmp_path: Path) -> None:
    result = changed(tmp_path, {"right": repeated, "first": split, "second": repeated})
    assert {row.digests for row in result.rows} == {Agreement.AGREE}
    assert not any(row.doubts for row in result.rows)


def test_one_wrong_digest_among_many_seeds_is_named(tmp_path: Path) -> None:
    result = changed(tmp_path, {"right": repeated, "first": wrong_once, "second": split})
    assert [(d.seed, set(d.holders)) for d in result.disagreements] == [
        (7, {"dead", f"{7:016x}"}),
    ]
    assert {row.digests for row in result.rows} == {Agreement.DIFFER}


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("kernels", {"kernels": "tuned"}),
        ("instruction set", {"kernels_isa": "avx2"}),
        ("BLAS kernels", {"blas": {"library": "OpenBLAS", "version": "0.3.21", "core": "Haswell"}}),
        ("BLAS", {"blas": {"library": "OpenBLAS", "version": "0.3.26", "core": "SkylakeX"}}),
    ],
)
def test_digests_of_other_kernels_are_not_compared(
    tmp_path: Path, field: str, change: dict[str, Any]
) -> None:
    def other(line: dict[str, Any]) -> None:
        other_digest()(line)
        line["records"][0] |= change

    result = changed(tmp_path, {"first": other})
    assert result.sound, field
    assert row(result, "first").digests is Agreement.NOTHING
    assert row(result, "first").comparison.ratio is not None
    (doubt,) = row(result, "first").doubts
    assert doubt.startswith("digests: nothing to compare across runtimes (other ")
    assert row(result, "second").digests is Agreement.AGREE
    assert row(result, "second").doubts == ()


def test_what_decides_is_offered_as_a_command_that_does(tmp_path: Path) -> None:
    """The records that the command would write, read beside the campaign, decide."""
    result = changed(tmp_path, {"first": other_digest(), "second": other_digest()})
    lines = list(deciding_lines(result.dataset, result.disagreements))
    assert lines[0].startswith("none of them is trusted until a sequential run decides")
    command = shlex.split(lines[1])
    options = dict(zip(command[1::2], command[2::2], strict=True))
    assert command[0] == "build/right/bin/lu"
    assert options == {
        **{"--variant": "seq", "--size": "1024", "--tile": "128", "--seed": "100"},
        **{"--repeat": "8", "--warmup": "0", "--check": "full", "--output": OUTPUT},
        "--kernels": "openblas",
    }
    (campaign,) = result.dataset.paths
    assert shlex.split(lines[2]) == ["pollux", "compare", str(campaign), OUTPUT]
    sequential = tmp_path / OUTPUT
    for seed in range(100, 108):
        append(sequential, record(SEQ, "right", seed, 5.0, check="full"))
    decided = compare(load([campaign, sequential]))
    assert states(decided)["first"] == (Agreement.DIFFER, WRONG)
    assert states(decided)["right"] == (Agreement.AGREE, None)


def test_a_command_runs_no_matrices_between_seeds_far_apart(tmp_path: Path) -> None:
    result = changed(tmp_path, {"first": other_digest(), "second": other_digest()})
    found = [replace(d, seed=10**6 if d.seed == 107 else d.seed) for d in result.disagreements]
    _, *commands, _ = map(shlex.split, deciding_lines(result.dataset, found))
    runs = [dict(zip(words[1::2], words[2::2], strict=True)) for words in commands]
    assert [(own["--seed"], own["--repeat"]) for own in runs] == [("100", "7"), ("1000000", "1")]


def test_where_no_variant_is_sequential_the_full_check_is_offered(tmp_path: Path) -> None:
    path = made(tmp_path, THREE, [("lu", "nopiv", 1024, 128)], rounds=2)
    text = path.read_text().replace('"digest_group":"lu"', '"digest_group":"lu-nopiv"')
    path.write_text(text)
    change_samples(
        path,
        lambda line: (other_digest() if is_first(line) else same)(line),
    )
    result = compare(load([path]))
    (line,) = deciding_lines(result.dataset, result.disagreements)
    assert "no variant of lu-nopiv is known to run without OpenMP" in line
    assert "--set check=full" in line


def test_no_sequential_run_has_the_parameters_of_one_variant_alone(tmp_path: Path) -> None:
    cells: list[Cell] = [("jacobi", "depend", 1024, 128), ("jacobi", "wavefront", 1024, 128)]
    path = made(tmp_path, THREE, cells, rounds=2)

    def change(line: dict[str, Any]) -> None:
        (own,) = line["records"]
        own["parameters"] = {"sweeps": 4}
        if own["variant"] == "wavefront":
            own["parameters"]["time-tile"] = 2
        if is_first(line):
            other_digest()(line)

    change_samples(path, change)
    result = compare(load([path]))
    full, *commands = deciding_lines(result.dataset, result.disagreements)
    assert "no variant of jacobi with time-tile is known to run without OpenMP" in full
    (sequential,) = (c for c in commands if "--variant seq" in c)
    assert "--sweeps 4" in sequential
    assert "time-tile" not in sequential


def test_parameters_of_the_only_variant_are_not_taken_for_those_of_seq(tmp_path: Path) -> None:
    path = made(tmp_path, THREE, [("jacobi", "wavefront", 1024, 128)], rounds=2)

    def change(line: dict[str, Any]) -> None:
        line["records"][0]["parameters"] = {"time-tile": 2}
        if is_first(line):
            other_digest()(line)

    change_samples(path, change)
    result = compare(load([path]))
    (full,) = deciding_lines(result.dataset, result.disagreements)
    assert "jacobi with time-tile" in full and "--check full" in full
