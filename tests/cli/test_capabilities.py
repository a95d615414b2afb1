# SPDX-License-Identifier: BSD-3-Clause
"""What the loaded runtime lacks leaves variants out, with the reason, instead of crashing."""

from pathlib import Path

import pytest
from executable import BIN, RUNTIME, SANITIZED, Settings, run, small_run, variants
from libraries import SMALL, listed, stand_in_for_xkomp
from pollux.executables.listing import ask

pytestmark = pytest.mark.skipif(
    SANITIZED or RUNTIME not in ("libgomp", "libomp"), reason="for plain builds that take a drop-in"
)

MANY = "more than four depend items on a task"


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
    assert here["multidep"]["reason"] == f"needs {MANY}, which xkaapi lacks"
    table = run("lu", "--list", settings=limited).out
    assert f"(not run: needs {MANY}, which xkaapi lacks)" in table


def test_all_leaves_out_what_the_runtime_lacks_and_runs_the_rest(limited: Settings) -> None:
    result = small_run("lu", "-t", 2, settings=limited)
    expected = {entry["variant"] for entry in variants("lu")} - {"multidep"}
    assert {record["variant"] for record in result.records} == expected
    assert {record["runtime"]["name"] for record in result.records} == {"xkaapi"}
    assert f"warning: variant multidep: not run, needs {MANY}" in result.err


def test_what_the_runtime_lacks_is_refused_by_name(limited: Settings) -> None:
    result = run("lu", *SMALL, "-v", "multidep", settings=limited)
    assert (result.status, result.out) == (3, "")
    assert result.errors[-1] == f"lu: variant multidep: not run, needs {MANY}, which xkaapi lacks"


@pytest.mark.parametrize("benchmark", ["cholesky", "lu-cw", "qr"])
def test_the_base_needs_nothing(benchmark: str, limited: Settings) -> None:
    here, usual = listed(benchmark, limited), listed(benchmark, {})
    assert all(entry["available"] for entry in here.values() if not entry["nested"])
    assert all(entry["needs"] is None for entry in usual.values() if not entry["nested"])


def test_patterns_and_items_that_the_runtime_lacks_are_left_out(limited: Settings) -> None:
    options = ("-n", 8, "-t", 2, "-r", 1, "-w", 0, "-f", "json")
    refused = run("task-overhead", *options, "-p", "stencil-2d", settings=limited)
    assert (refused.status, refused.out) == (3, "")
    assert f"pattern stencil-2d: not run, needs {MANY}" in refused.errors[-1]
    result = run("task-overhead", *options, "--items", "1,8", settings=limited)
    assert result.status == 0, result.err
    assert f"pattern independent, 8 tasks, items 8: not run, needs {MANY}" in result.err
    run_here = {(record["pattern"], record["items"]) for record in result.records}
    assert ("independent", 1) in run_here
    assert not run_here & {("independent", 8), ("iterator", 1), ("stencil-2d", None)}


def test_a_campaign_learns_what_the_loaded_runtime_lacks(limited: Settings) -> None:
    asked = ask(BIN / "lu", limited)
    reasons = {v.variant: v.reason for v in asked.variants if not v.available}
    assert reasons == {"multidep": f"needs {MANY}, which xkaapi lacks"}
