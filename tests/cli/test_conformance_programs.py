# SPDX-License-Identifier: BSD-3-Clause
"""The conformance programs: each finds a runtime that misreads the depend items it is about."""

import json
from typing import Any

import pytest
from executable import BIN, RUNTIME, SANITIZED, STAND_INS, Result, Settings, refused, run

PROGRAMS = BIN / "conformance"
FORGETFUL = STAND_INS / "doubles/forgetful.so"

# A rule, how the runtime misreads items ("kind read:as what"), and of how many it does not.
BREAKING = [
    ("depend-order", "any:nothing", 0),
    ("depend-order", "in:nothing", 0),
    ("depend-order", "inout:in", 0),
    ("readers-concurrent", "any:nothing", 0),
    ("depend-4", "any:nothing", 3),
    ("depend-many", "any:nothing", 4),
    ("depend-many", "any:nothing", 31),
    ("same-address-twice", "twice:nothing", 0),
    ("inoutset-order", "inoutset:nothing", 0),
    ("inoutset-order", "inoutset:in", 0),
    ("inoutset-concurrent", "inoutset:in", 0),
    ("mutexinoutset-order", "mutexinoutset:nothing", 0),
    ("mutexinoutset-order", "mutexinoutset:in", 0),
    ("mutexinoutset-exclusive", "mutexinoutset:nothing", 0),
    ("mutexinoutset-exclusive", "mutexinoutset:in", 0),
    ("mutexinoutset-many", "mutexinoutset:nothing", 4),
    ("all-memory", "all-memory:nothing", 0),
    ("depobj", "any:nothing", 0),
    ("iterator", "any:nothing", 4),
    ("iterator-1000", "any:nothing", 999),
    ("iterator-capture", "any:nothing", 0),
    ("nested-domains", "any:nothing", 0),
    ("outstanding", "any:nothing", 0),
    ("if0-depend", "any:nothing", 0),
    ("taskwait-depend", "any:nothing", 0),
    ("taskwait-depend-nowait", "any:nothing", 0),
    ("untied", "any:nothing", 0),
    ("affinity", "any:nothing", 0),
    ("priority-order", "any:nothing", 0),
    ("mergeable", "any:nothing", 0),
    ("final", "any:nothing", 0),
    ("detach", "any:nothing", 0),
]

# Programs that need not come to an end: libgomp 12 crashes in this one, libomp 19 hangs.
FATAL = {"priority-nested"}

SERIALISING = [
    ("readers-concurrent", "in:inout"),
    ("inoutset-concurrent", "inoutset:inout"),
    ("mutexinoutset-free-order", "mutexinoutset:inout"),
]


def built() -> list[str]:
    """The rules that this build has a program for."""
    rules: list[dict[str, str]] = json.loads((PROGRAMS / "rules.json").read_text())
    found = [entry["rule"] for entry in rules if not entry["lacks"]]
    assert found
    return found


def forgetting(turn: str, keep: int = 0, every: int = 1) -> Settings:
    """A runtime that misreads items so."""
    if SANITIZED:
        pytest.skip("the address sanitizer must be the first library")
    if RUNTIME == "ompss":
        pytest.skip("it stands for runtimes with GCC's or LLVM's entry points")
    return {
        "LD_PRELOAD": str(FORGETFUL),
        "POLLUX_DOUBLE_TURN": turn,
        "POLLUX_DOUBLE_KEEP": str(keep),
        "POLLUX_DOUBLE_EVERY": str(every),
    }


def attempt(rule: str, *options: object, settings: Settings | None = None) -> Result:
    if rule not in built():
        pytest.skip(f"this compiler cannot build {rule}")
    return run(rule, *options, folder=PROGRAMS, settings=settings)


def trials(result: Result) -> list[dict[str, Any]]:
    return [record for record in result.records if "verdict" in record]


@pytest.mark.any_runtime  # those that a runtime keeps, ctest runs on each
@pytest.mark.parametrize("rule", sorted(set(built()) - FATAL))
def test_every_program_tries_its_rule_to_the_end(rule: str) -> None:
    result = attempt(rule, "--trials", 2, "--threads", 2)
    assert result.status in (0, 1), result.err
    process, *lines = result.records
    assert (process["schema"], process["rule"]) == ("pollux-conformance/1", rule)
    assert process["source"].startswith("OpenMP ")
    assert [sorted(line) for line in lines[:2]] == [["begin"], ["detail", "seed", "verdict"]]


@pytest.mark.parametrize(("rule", "turn", "keep"), BREAKING)
def test_a_runtime_that_misreads_items_breaks_the_rule(rule: str, turn: str, keep: int) -> None:
    settings = forgetting(turn, keep)
    result = attempt(rule, "--trials", 20000, "--seconds", 20, settings=settings)
    assert result.status == 1, result.out[-400:] + result.err
    assert trials(result)[-1]["verdict"] == "broken"
    assert trials(result)[-1]["detail"] != ""


@pytest.mark.parametrize(("only", "status"), [(f"/{RUNTIME}", 1), ("/patched/", 0)])
def test_a_double_changes_that_runtime_alone_whose_path_is_meant(only: str, status: int) -> None:
    settings = forgetting("any:nothing") | {"POLLUX_DOUBLE_ONLY": only}
    options = ("--trials", 20 if status == 0 else 20000, "--seconds", 20)
    assert attempt("depend-order", *options, settings=settings).status == status


@pytest.mark.parametrize(("rule", "turn"), SERIALISING)
def test_a_runtime_that_orders_too_much_is_reported_as_serialised(rule: str, turn: str) -> None:
    result = attempt(rule, "--trials", 8, settings=forgetting(turn))
    assert result.status == 0, result.out
    assert {trial["verdict"] for trial in trials(result)} == {"serialised"}


def test_a_rare_flaw_is_found() -> None:
    settings = forgetting("any:nothing", every=500)
    result = attempt("depend-order", "--trials", 500, "--seconds", 20, settings=settings)
    assert result.status == 1, result.out[-400:]


def planned(*options: object) -> dict[int, str]:
    """The graph that is planned from each seed (planning.c)."""
    result = run("planning", *options, "--seconds", 600, folder=STAND_INS)
    assert result.status == 0, result.err
    return {trial["seed"]: trial["detail"] for trial in trials(result)}


def test_a_trial_follows_from_its_seed_and_not_from_its_place_in_the_row() -> None:
    row = planned("--seed", 5, "--trials", 3)
    assert [*row] == [5, 6, 7]
    assert len({*row.values()}) == 3
    assert planned("--seed", 6, "--trials", 1) == {6: row[6]}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--trials", "0"), ("--trials 0: must be an integer from 1",)),
        (("--seed", "1.9"), ("--seed 1.9: must be an integer from 0",)),
        (("--seed", "1000000000000001"), ("--seed", "to 1000000000000000")),
        (("--seconds", "1e10"), ("--seconds takes a number from 0 to 1e+09",)),
        (("--threads", "many"), ("--threads many: must be an integer from 1",)),
        (("--seed",), ("--seed",)),
        (("--speed", "1"), ("'--speed' is not an option", "--help")),
    ],
)
def test_bad_usage_is_one_line(arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    refused(attempt("depend-order", *arguments), 2, *words)


@pytest.mark.parametrize(("rule", "words"), [("depend-order", ""), ("priority-order", " times 4")])
def test_the_help_tells_how_long_trials_may_take(rule: str, words: str) -> None:
    assert f"seconds (default 0.6){words}, and stops" in attempt(rule, "--help").out


def test_a_smaller_team_than_was_asked_for_is_refused_by_a_program_that_says_what_it_is() -> None:
    settings = {"OMP_THREAD_LIMIT": "2", "KMP_WARNINGS": "0"}
    result = attempt("all-threads-complete", "--threads", 4, settings=settings)
    assert result.status == 3
    (process,) = map(json.loads, result.out.splitlines())
    assert (process["rule"], process["threads"]) == ("all-threads-complete", 4)
    assert process["runtime"]["name"] == RUNTIME
    assert "the runtime gave a team of 2 where 4 threads were asked for" in result.err


def test_another_runtime_than_the_expected_one_is_refused() -> None:
    result = attempt("depend-order", settings={"POLLUX_EXPECT_RUNTIME": "bolt"})
    refused(result, 3, "bolt")
