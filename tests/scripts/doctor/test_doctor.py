# SPDX-License-Identifier: BSD-3-Clause
"""What the checks come to together, and those of the shell, which are in no file."""

import os
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from machines.recorded import GIB, NAMES, finding, recorded
from pollux.core.kernel_files import format_list, natural_order, parse_list
from pollux.machine.doctor.checkup import (
    CHECKS,
    MACHINE,
    Fitness,
    Row,
    examine,
    fitness,
    summarise,
    summary_for_campaign,
)
from pollux.machine.doctor.finding import Verdict
from pollux.machine.doctor.machine import Limits

CPU = "sys/devices/system/cpu"
GOOD, CARE, BAD, UNKNOWN = Verdict.GOOD, Verdict.CAUTION, Verdict.BAD, Verdict.UNKNOWN


@pytest.mark.parametrize("name", [*NAMES, None])
def test_no_machine_makes_a_check_fail(tmp_path: Path, name: str | None) -> None:
    rows = examine(recorded(name, tmp_path))
    assert [row.check for row in rows] == list(CHECKS)
    assert not [row for row in rows if "cannot be determined" in row.finding.found]
    for row in rows:
        assert bool(row.finding.brief) == (row.verdict in (CARE, BAD)), row


def test_a_machine_that_reports_nothing_is_not_called_good(tmp_path: Path) -> None:
    rows = {row.check.name: row.verdict for row in examine(recorded(None, tmp_path))}
    for name in ("governor", "idle states", "temperature", "clock source", "other programs"):
        assert rows[name] == UNKNOWN, name
    for name in ("free memory", "swapping", "load average", "hardware threads", "throttling"):
        assert rows[name] == UNKNOWN, name


def test_a_file_of_nonsense_is_unknown(tmp_path: Path) -> None:
    files: dict[str, str | None] = {"proc/loadavg": "busy", "proc/stat": "cpu0 much"}
    machine = recorded("server", tmp_path, files)
    for name in ("load average", "other programs"):
        assert finding(machine, name).verdict == UNKNOWN


@pytest.mark.parametrize(
    ("variables", "verdict", "fix"),
    [
        ({}, GOOD, ""),
        ({"HOME": "/", "OMP_PROC_BIND": "close", "OMP_PLACES": "cores"}, GOOD, ""),
        ({"LD_LIBRARY_PATH": "/opt/lib", "OMP_NUM_THREADS": "8"}, GOOD, ""),
        ({"OPENBLAS_NUM_THREADS": "1", "BLIS_NUM_THREADS": "1"}, GOOD, ""),
        ({"OMP_PROC_BIND": "Spread,primary"}, GOOD, ""),
        ({"OMP_PROC_BIND": "primary"}, BAD, "unset OMP_PROC_BIND"),
        ({"OMP_PROC_BIND": " MASTER ,spread"}, BAD, "unset OMP_PROC_BIND"),
        ({"OPENBLAS_NUM_THREADS": "2"}, CARE, "unset OPENBLAS_NUM_THREADS"),
        ({"OMP_PROC_BIND": "false"}, CARE, "unset OMP_PROC_BIND"),
        ({"OMP_WAIT_POLICY": "active", "KMP_BLOCKTIME": "0"}, CARE, "KMP_BLOCKTIME OMP_WAIT"),
        ({"LD_PRELOAD": "x.so"}, CARE, "unset LD_PRELOAD"),
        ({"OMP_NUM_THREADS": "4"}, CARE, "unset OMP_NUM_THREADS"),
        ({"OMP_NUM_THREADS": "16"}, BAD, "unset OMP_NUM_THREADS"),
    ],
)
def test_variables_that_disturb_are_named(
    tmp_path: Path, variables: dict[str, str], verdict: Verdict, fix: str
) -> None:
    result = finding(recorded("server", tmp_path, environment=variables), "variables")
    assert result.verdict == verdict
    assert fix in result.fix
    assert all(f"{n}={v}" in result.found for n, v in variables.items() if n != "HOME")


@pytest.mark.parametrize(
    ("quota", "threads", "verdict", "brief"),
    [
        *(("250000", "2", GOOD, ""), ("50000", "1", GOOD, ""), ("max", "8", GOOD, "")),
        *(("250000", "1", CARE, "OMP_NUM_THREADS"), ("250000", "8", BAD, "8 for 2 processors")),
        *(("50000", "2", BAD, "2 for 1 processor"),),
    ],
)
def test_threads_are_as_many_as_the_quota_has_time_for(
    tmp_path: Path, quota: str, threads: str, verdict: Verdict, brief: str
) -> None:
    files: dict[str, str | None] = {"sys/fs/cgroup/cpu.max": f"{quota} 100000"}
    machine = recorded("container", tmp_path, files, environment={"OMP_NUM_THREADS": threads})
    result = finding(machine, "variables")
    assert (result.verdict, brief in result.brief) == (verdict, True), result


def test_unbound_threads_on_isolated_processors_are_found(tmp_path: Path) -> None:
    files: dict[str, str | None] = {f"{CPU}/isolated": "4-7"}
    machine = recorded("server", tmp_path, files, environment={"OMP_PROC_BIND": "false"})
    result = finding(machine, "isolated processors")
    assert (result.verdict, "OMP_PROC_BIND=close" in result.fix) == (CARE, True)


@pytest.mark.parametrize(
    ("limits", "verdict", "fix"),
    [
        (Limits(None, None), GOOD, ""),
        (Limits(None, 8 * 2**20), GOOD, ""),
        (Limits(4 * GIB, 2**20), CARE, "ulimit -v unlimited; ulimit -s 8192"),
        (Limits(4 * GIB, 2**20, 4 * GIB), CARE, "ulimit -s 8192"),
        (Limits(None, 2**20, None, 2**20), CARE, ""),
    ],
)
def test_limits_of_the_shell_are_lifted_by_ulimit(
    tmp_path: Path, limits: Limits, verdict: Verdict, fix: str
) -> None:
    result = finding(recorded("server", tmp_path, limits=limits), "shell limits")
    assert (result.verdict, result.fix) == (verdict, fix)


@pytest.mark.parametrize(("free", "verdict"), [(GIB * 50, GOOD), (GIB // 2, CARE), (2**20, BAD)])
def test_a_full_disk_is_found(tmp_path: Path, free: int, verdict: Verdict) -> None:
    machine = recorded("server", tmp_path, free_bytes=lambda _: free)
    assert finding(machine, "disk").verdict == verdict


@pytest.mark.parametrize(
    ("scope", "rights", "verdict"),
    [
        *(("1", "00000000a80425fb", GOOD), ("2", None, GOOD), ("2", "000001ffffffffff", GOOD)),
        *(("2", "00000000a80425fb", CARE), ("3", None, CARE), ("3", "000001ffffffffff", CARE)),
    ],
)
def test_administrators_may_attach_to_processes_as_far_as_their_rights_go(
    tmp_path: Path, scope: str, rights: str | None, verdict: Verdict
) -> None:
    """Those of a container are usually 00000000a80425fb."""
    status = None if rights is None else f"Name:\tpollux\nCapEff:\t{rights}\n"
    files = {"proc/sys/kernel/yama/ptrace_scope": scope, "proc/self/status": status}
    machine = recorded("server", tmp_path, files, superuser=True)
    assert finding(machine, "debugger").verdict == verdict


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("server", Fitness.FIT),
        ("here", Fitness.RATIOS),
        ("raspberry", Fitness.RATIOS),
        ("laptop", Fitness.UNFIT),
        ("container", Fitness.UNFIT),
    ],
)
def test_machines_are_as_fit_as_their_worst_check(
    tmp_path: Path, name: str, expected: Fitness
) -> None:
    rows = examine(recorded(name, tmp_path), MACHINE)
    assert fitness(rows) == expected, summarise(rows)
    assert summarise(rows).startswith(expected)


def test_what_cannot_be_seen_is_stated_in_the_summary(tmp_path: Path) -> None:
    files: dict[str, str | None] = {f"{CPU}/cpu{{0-7}}/cpufreq/scaling_governor": None}
    rows = examine(recorded("server", tmp_path, files), MACHINE)
    assert summarise(rows) == "fit to measure: not known: governor"


def test_lacking_comfort_does_not_make_a_machine_less_fit(tmp_path: Path) -> None:
    machine = recorded("server", tmp_path, {"$ gdb --version": None})
    rows: list[Row] = [r for r in examine(machine) if r.check.name not in ("builds", "BLAS")]
    assert CARE in {row.verdict for row in rows}
    assert summarise(rows) == "fit to measure"


def test_a_campaign_is_warned_in_few_words_the_worst_first(tmp_path: Path) -> None:
    warnings = summary_for_campaign(recorded("container", tmp_path))
    assert warnings[0] == "CPU quota 1.5 of 8"
    assert "virtual machine kvm" in warnings
    assert all(len(warning) < 60 for warning in warnings)


def test_a_campaign_on_a_machine_that_is_fit_is_not_warned(tmp_path: Path) -> None:
    assert summary_for_campaign(recorded("server", tmp_path)) == []


def test_a_laptop_s_governor_and_turbo_are_warned_of(tmp_path: Path) -> None:
    warnings = summary_for_campaign(recorded("laptop", tmp_path))
    assert {"governor powersave", "turbo on"} <= set(warnings)


def test_a_process_that_ends_while_it_is_looked_at_has_used_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between reading that it exists and listing its threads."""

    def gone(folder: str | Path, true: Callable[[str | Path], object]) -> object:
        if Path(folder).name == "task":
            raise FileNotFoundError(folder)
        return true(folder)

    files = dict.fromkeys(("proc/7/stat", "proc/7/task/7/stat"), f"7 (sh) S {'0 ' * 40}")
    machine = recorded("server", tmp_path, files)
    for name in ("listdir", "scandir"):
        monkeypatch.setattr(os, name, partial(gone, true=getattr(os, name)))
    assert finding(machine, "other programs").verdict == GOOD


@pytest.mark.parametrize("name", NAMES)
def test_commands_are_words_that_a_shell_understands(tmp_path: Path, name: str) -> None:
    commands = [r.finding.fix for r in examine(recorded(name, tmp_path)) if r.finding.fix]
    assert commands
    for command in commands:
        subprocess.run(["bash", "-n", "-c", command], check=True)


@pytest.mark.parametrize("text", ["0", "0-3", "0-3,8", "1,3,5-6"])
def test_lists_of_processors_are_written_as_they_are_read(text: str) -> None:
    assert format_list(parse_list(text)) == text


def test_names_are_in_order_of_their_numbers() -> None:
    names = ["cpu10/x", "cpu2/x", "cpu1/x"]
    assert sorted(names, key=natural_order) == ["cpu1/x", "cpu2/x", "cpu10/x"]
