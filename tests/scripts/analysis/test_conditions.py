# SPDX-License-Identifier: BSD-3-Clause
"""What a comparison says where its two sides did not run on like terms."""

import json
from pathlib import Path
from typing import Any

import pytest
from pollux.core.analysis.comparison import compare
from pollux.core.analysis.conditions import remarks
from pollux.core.analysis.loading import load
from pollux.core.analysis.result import Result
from run_record import Cell, record
from synthetic import append, write_campaign

CELLS: list[Cell] = [("lu", "depend", 1024, 128), ("lu", "seq", 1024, 128)]


def compared(folder: Path, changes: dict[str, dict[str, Any]]) -> Result:
    """A campaign in which the records of some runtimes differ."""
    path = folder / "campaign.jsonl"
    write_campaign(path, {"libomp19": 1.0, "other": 1.1}, CELLS)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        for own in line.get("records", []):
            own |= changes.get(own["runtime"]["name"], {})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return compare(load([path]))


OFF = {"priorities": False, "priorities_in_force": False}
IGNORED = {"priorities": True, "priorities_in_force": False}


@pytest.mark.parametrize(
    ("changes", "remark"),
    [
        ({"other": OFF}, "priorities off here, in force on libomp19"),
        ({"other": IGNORED}, "priorities ignored here, in force on libomp19"),
        ({"libomp19": IGNORED}, "priorities in force here, ignored on libomp19"),
    ],
)
def test_priorities_in_force_on_one_side_alone_are_reported_in_the_row(
    tmp_path: Path, changes: dict[str, Any], remark: str
) -> None:
    result = compared(tmp_path, changes)
    remarks = {(r.configuration.variant, r.level): r.remarks for r in result.rows if r.remarks}
    assert remarks == {("depend", "other"): (remark,)}
    (warning,) = [w for w in result.warnings if w.startswith("priorities of tasks are not")]
    assert 'priorities = "equal"' in warning


def nested(name: str, **fields: object) -> dict[str, Any]:
    return {name: record(CELLS[0], "other", 1, 1.0)[name] | fields}


@pytest.mark.parametrize(
    ("change", "remark"),
    [
        ({"kernels": "tuned"}, "kernels tuned here, openblas on libomp19"),
        (
            {"kernels_isa": "avx2"},
            "instruction set or build of kernels avx2 here, none on libomp19",
        ),
        (nested("host", cpu="a faster one"), "processor a faster one here, a processor on"),
        (nested("blas", library="BLIS"), "BLAS BLIS 0.3.21 SkylakeX here, OpenBLAS 0.3.21 Sky"),
        (nested("blas", version="0.3.26"), "BLAS OpenBLAS 0.3.26 SkylakeX here, OpenBLAS 0.3.21"),
        (nested("blas", core="Haswell"), "BLAS OpenBLAS 0.3.21 Haswell here, OpenBLAS 0.3.21 Sky"),
        (nested("compiler", build_type="Debug"), "build type Debug here, Release on libomp19"),
        (nested("compiler", flags="-O0"), "compiler flags -O0 here, -O3 -DNDEBUG on libomp19"),
        ({"check": "full"}, "check full here, fast on libomp19"),
        (
            nested("runtime", env={"OMP_PROC_BIND": "spread"}),
            "OMP_PROC_BIND=spread here, OMP_PROC_BIND=close on libomp19",
        ),
        (
            nested("runtime", env={"OMP_PROC_BIND": "close", "KMP_BLOCKTIME": "0"}),
            "KMP_BLOCKTIME=0 here, no KMP_BLOCKTIME on libomp19",
        ),
    ],
)
def test_whatever_else_differs_is_in_the_row_whichever_side_it_is(
    tmp_path: Path, change: dict[str, Any], remark: str
) -> None:
    result = compared(tmp_path, {"other": change})
    (row,) = (r for r in result.rows if r.level == "other" and r.configuration.variant == "depend")
    assert any(text.startswith(remark) for text in row.remarks), row.remarks
    what = remark.split("=")[0].split(" here")[0].split()[0]
    back = compare(load(result.dataset.paths), reference="other")
    (row,) = (r for r in back.rows if r.level == "libomp19" and r.configuration.variant == "depend")
    assert any(what in text and text.endswith("on other") for text in row.remarks), row.remarks


def test_the_environment_is_no_remark_where_environments_are_compared(tmp_path: Path) -> None:
    change = nested("runtime", env={"OMP_WAIT_POLICY": "passive"}) | {"kernels": "tuned"}
    result = compared(tmp_path, {"other": change})
    other, reference = (
        next(r for r in result.rows if r.level == level) for level in ("other", "libomp19")
    )
    known = result.dataset.identities
    assert len(remarks(other, reference, known, "runtime")) == 3
    (remark,) = remarks(other, reference, known, "environment")
    assert remark == "kernels tuned here, openblas on libomp19"
    assert remark not in remarks(other, reference, known, "kernels")


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"libomp19": OFF, "other": IGNORED},
        {"other": {"priorities_in_force": None}},
    ],
)
def test_sides_that_are_alike_or_not_known_to_differ_have_no_remark(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    result = compared(tmp_path, changes)
    assert not any(row.remarks for row in result.rows)
    assert not any(w.startswith("priorities") for w in result.warnings)


def test_records_of_both_models_of_ompss_are_distinguished(tmp_path: Path) -> None:
    path = tmp_path / "plain.jsonl"
    for library in ("libnanox-ompss.so.1", "libnanox-omp.so.1"):
        made = record(CELLS[0], "ompss", 1, 50.0)
        made["runtime"]["path"] = f"/opt/ompss/lib/performance/{library}"
        append(path, made)
    assert {row.level for row in compare(load([path])).rows} == {"ompss", "ompss-openmp"}


def warnings_of(
    path: Path, bindings: list[str], env: dict[str, str], threads_of_core: int = 2
) -> list[str]:
    """What is said of threads that may move, of runs with these bindings."""
    write_campaign(path, {"bolt": 1.0}, CELLS[:1])
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        for own in line.get("records", []):
            own["bindings"] = bindings
            own["runtime"]["env"] = env
            own["host"] |= {"cores": 64, "processors": 64 * threads_of_core}
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return [w for w in compare(load([path])).warnings if "threads may move" in w]


@pytest.mark.parametrize(
    ("binding", "advice"),
    [
        ({}, "bind them with OMP_PROC_BIND=close"),
        ({"OMP_PROC_BIND": "close"}, "OMP_PROC_BIND is set, but this runtime ignores it"),
    ],
)
def test_nobody_is_advised_to_set_what_is_set(
    tmp_path: Path, binding: dict[str, str], advice: str
) -> None:
    (warning,) = warnings_of(tmp_path / "campaign.jsonl", ["0-3", "0-3"], binding)
    assert warning.endswith(advice)


@pytest.mark.parametrize(
    ("bindings", "may_move"),
    [
        (["0,64", "1,65"], False),  # both hardware threads of a core
        (["0-1", "2-3"], False),
        (["0-1", "0-1", "2-3", "2-3"], False),  # two threads on each core
        (["0-15,32-47", "16-31,48-63"], False),  # a socket each
        (["0", "0"], False),  # they take turns
        (["0-63", "0-63"], True),
        (["0,64", "0,64"], True),
        (["0-15"] * 16 + ["16-31"] * 16, True),  # within a socket
        (["0-15", "16-31", "16-31"], True),
        (["0", "0-3", "0-3"], True),  # only the first is bound
        (["0-2", "1-3"], True),
        ([""], False),
    ],
)
def test_threads_bound_to_different_cores_are_bound(
    tmp_path: Path, bindings: list[str], *, may_move: bool
) -> None:
    found = warnings_of(tmp_path / "campaign.jsonl", bindings, {"OMP_PROC_BIND": "close"})
    assert bool(found) == may_move


@pytest.mark.parametrize(("threads_of_core", "may_move"), [(1, True), (2, True), (4, False)])
def test_threads_may_share_a_core_as_wide_as_the_machine_has_them(
    tmp_path: Path, threads_of_core: int, *, may_move: bool
) -> None:
    bindings = ["0-3", "0-3", "4-7", "4-7"]
    path = tmp_path / "campaign.jsonl"
    found = warnings_of(path, bindings, {"OMP_PROC_BIND": "close"}, threads_of_core)
    assert bool(found) == may_move
