# SPDX-License-Identifier: BSD-3-Clause
"""Which variables of the environment count, and what the environment asks of threads."""

import os
import re
from pathlib import Path

import pytest
from pollux.core.executables.variables import (
    RECORDED,
    as_restarted,
    binding,
    default_threads,
    relevant,
    threads_of_environment,
)
from project import ROOT


def test_the_package_looks_for_the_variables_that_executables_record() -> None:
    (source,) = (ROOT / "common").rglob("environment.c")
    array = re.search(r"\bprefixes\[\] = \{(.*?)\}", source.read_text(), re.DOTALL)
    assert array
    assert sorted(re.findall(r'"(\w+)"', array[1])) == sorted(RECORDED)


def test_variables_of_runtimes_and_libraries_are_relevant_and_others_are_not() -> None:
    mine = {"OMP_NUM_THREADS": "2", "LD_PRELOAD": "x.so", "POLLUX_EXPECT_RUNTIME": "libomp"}
    assert relevant({"HOME": "/", **mine, "LD_DEBUG": "all", "MY_OMP_": ""}) == mine
    assert list(relevant({"OMP_PLACES": "", "KMP_AFFINITY": ""})) == ["KMP_AFFINITY", "OMP_PLACES"]


def test_a_value_that_is_not_utf8_is_told_as_executables_record_it() -> None:
    folder = os.fsdecode(b"/caf\xe9")
    assert relevant({"LD_LIBRARY_PATH": folder}) == {
        "LD_LIBRARY_PATH": "/caf\N{REPLACEMENT CHARACTER}"
    }


def test_a_binding_set_in_the_shell_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_PLACES", "threads")
    monkeypatch.delenv("OMP_PROC_BIND", raising=False)
    assert binding() == {"OMP_PROC_BIND": "close"}


def test_a_process_that_need_not_restart_is_given_what_was_found_beside_what_is_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "4")
    monkeypatch.delenv("NX_ARGS", raising=False)
    settings = {"OPENBLAS_NUM_THREADS": "1", "OMP_MAX_TASK_PRIORITY": "34", "NX_ARGS": "--x"}
    own = {"OMP_MAX_TASK_PRIORITY": "7", "OMP_PLACES": "cores"}
    assert as_restarted(settings, own) == {
        **settings,
        "OMP_PLACES": "cores",
        "POLLUX_RESTARTED": "OPENBLAS_NUM_THREADS,OMP_MAX_TASK_PRIORITY,NX_ARGS",
        "POLLUX_FOUND_OPENBLAS_NUM_THREADS": "4",
        "POLLUX_FOUND_OMP_MAX_TASK_PRIORITY": "7",
    }
    assert as_restarted({}, own) == own


@pytest.mark.parametrize(
    ("text", "threads"),
    [("3", 3), (" 4 ,2", 4), ("", None), ("0", None), ("many", None), ("-2", None)],
)
def test_the_outermost_level_of_omp_num_threads_counts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, threads: int | None
) -> None:
    (tmp_path / "sys").mkdir()  # without quotas
    monkeypatch.setenv("POLLUX_SYSTEM_ROOT", str(tmp_path))
    monkeypatch.setenv("OMP_NUM_THREADS", text)
    assert threads_of_environment() == threads
    assert default_threads() == (threads or len(os.sched_getaffinity(0)))
    assert threads_of_environment({"OMP_NUM_THREADS": "7"}) == 7
