# SPDX-License-Identifier: BSD-3-Clause
"""What the loaded runtime lacks leaves variants out, with the reason, instead of crashing."""

from pathlib import Path

import pytest
from executable import BIN, RUNTIME, SANITIZED, STAND_INS, Settings, run, small_run, variants
from libraries import SMALL, listed, stand_in_for_xkomp

pytestmark = pytest.mark.skipif(
    SANITIZED or RUNTIME not in ("libgomp", "libomp"), reason="for plain builds that take a drop-in"
)

MANY = "more than four depend items on a task"
INOUTSET = (
    "inoutset dependences (OpenMP 5.1)"  # what concurrent write needs where compilers have it
)


@pytest.fixture
def limited(tmp_path: Path) -> Settings:
    """Settings that load a runtime with at most four depend items per task."""
    folder = stand_in_for_xkomp(tmp_path / "drop-in")
    return {"LD_LIBRARY_PATH": str(folder), "POLLUX_EXPECT_RUNTIME": "xkaapi"}


def test_the_list_shows_what_the_loaded_runtime_lacks(limited: Settings) -> None:
    own, here = listed("lu", {}), listed("lu", limited)
    assert own["multidep"]["available"] is True
    assert MANY in own["multidep"]["needs"]
    assert here["multidep"]["available"] is False
    assert here["multidep"]["reason"].startswith(f"needs {MANY}, which xkaapi lacks: it aborts ")
    table = run("lu", "--list", settings=limited).out
    assert f"(not run: needs {MANY}, which xkaapi lacks: " in table


def test_all_leaves_out_what_the_runtime_lacks_and_runs_the_rest(limited: Settings) -> None:
    result = small_run("lu", "-t", 2, settings=limited)
    expected = {entry["variant"] for entry in variants("lu")} - {"multidep"}
    assert {record["variant"] for record in result.records} == expected
    assert {record["runtime"]["name"] for record in result.records} == {"xkaapi"}
    assert f"warning: variant multidep: not run, needs {MANY}" in result.err


def test_what_the_runtime_lacks_is_refused_by_name(limited: Settings) -> None:
    result = run("lu", *SMALL, "-v", "multidep", settings=limited)
    assert (result.status, result.out) == (3, "")
    (line,) = [line for line in result.errors if "not run" in line]
    assert line.startswith(f"lu: variant multidep: not run, needs {MANY}, which xkaapi lacks: ")


@pytest.mark.parametrize("benchmark", ["cholesky", "lu-cw", "qr"])
def test_the_base_needs_nothing_but_inoutset(benchmark: str, limited: Settings) -> None:
    here, usual = listed(benchmark, limited), listed(benchmark, {})
    assert all(
        entry["needs"] in (None, INOUTSET) for entry in usual.values() if not entry["nested"]
    )
    assert all(
        entry["available"]
        for entry in here.values()
        if not entry["nested"] and (entry["needs"] is None or RUNTIME == "libomp")
    )


def test_patterns_and_items_that_the_runtime_lacks_are_left_out(limited: Settings) -> None:
    options = ("-n", 8, "-t", 2, "-r", 1, "-w", 0, "-f", "json")
    refused = run("task-overhead", *options, "-p", "stencil-2d", settings=limited)
    assert (refused.status, refused.out) == (3, "")
    assert f"pattern stencil-2d: not run, needs {MANY}" in refused.errors[-1]
    result = run("task-overhead", *options, "--items", "1,8", settings=limited)
    assert result.status == 0, result.err
    assert f"pattern independent, 8 tasks, items 8: not run, needs {MANY}" in result.err
    run_here = {(record["variant"], record["parameters"].get("items")) for record in result.records}
    assert ("independent", 1) in run_here
    assert not run_here & {("independent", 8), ("iterator", 1), ("stencil-2d", None)}


def clause_of_cw() -> tuple[str, str]:
    """How this build's compiler writes concurrently: the clause, and the kind of its items."""
    clause = next(
        line.split()[1].rstrip(",")
        for line in run("lu-cw", "--version").out.splitlines()
        if line.startswith("cw ")
    )
    return clause, clause.removeprefix("depend(").removesuffix(")")


def misreading(turn: str) -> Settings:
    library = STAND_INS / "doubles/forgetful.so"
    return {"LD_PRELOAD": str(library), "POLLUX_DOUBLE_TURN": turn}


@pytest.mark.parametrize(
    ("turn", "reason"),
    [
        (
            "{kind}:crash",
            '{runtime} ends the process at {clause}: "forgetful: unknown kind of item"',
        ),
        ("inout:early", "{runtime} does not order a later writer after {clause}"),
    ],
)
def test_what_the_runtime_does_to_concurrent_write_leaves_out_its_variants_alone(
    turn: str, reason: str
) -> None:
    clause, kind = clause_of_cw()
    settings = misreading(turn.format(kind=kind))
    why = reason.format(runtime=RUNTIME, clause=clause)
    version = run("lu-cw", "--version", settings=settings)
    assert version.status == 0, version.err
    assert f"cw        {clause}" in version.out
    assert why in version.out
    entries = listed("lu-cw", settings)
    assert not entries["cw"]["available"]
    assert entries["cw"]["reason"].startswith(why)
    remains = kind != "in" and "crash" in turn
    assert entries["readers"]["available"] == remains
    by_name = run("lu-cw", "-n", 64, "-t", 2, "-v", "cw", settings=settings)
    assert (by_name.status, by_name.out) == (3, "")
    assert f"variant cw: not run, {why}" in by_name.err
    if not remains:
        return
    result = small_run("lu-cw", "-t", 2, settings=settings)
    assert {r["variant"] for r in result.records} == {
        n for n, e in entries.items() if e["available"]
    }


def test_a_refusal_of_the_program_is_not_told_as_the_runtimes_end() -> None:
    """Every byte of its reason is listed, also one that is no UTF-8."""
    entry = listed("lu-cw", {"POLLUX_EXPECT_RUNTIME": "bolt\udcff"})["cw"]
    assert not entry["available"]
    assert entry["reason"].startswith(f'{clause_of_cw()[0]} could not be tried: "lu-cw: ')
    assert f"loaded is {RUNTIME} (" in entry["reason"]
    assert "but bolt\ufffd is expected" in entry["reason"]


def test_a_team_of_one_thread_shows_nothing_of_concurrent_write() -> None:
    lines = run("lu-cw", "--version", settings={"OMP_THREAD_LIMIT": "1"}).out.splitlines()
    for name in ("cw ", "readers "):
        assert next(x for x in lines if x.startswith(name)).endswith(" not shown")


def test_a_campaign_learns_what_the_loaded_runtime_lacks(limited: Settings) -> None:
    from pollux.core.executables.listing import ask  # which takes longer to load than most tests

    asked = ask(BIN / "lu", limited)
    reasons = {v.variant: v.reason for v in asked.variants if not v.available}
    assert reasons.keys() == {"multidep"}
    assert str(reasons["multidep"]).startswith(f"needs {MANY}, which xkaapi lacks: ")
