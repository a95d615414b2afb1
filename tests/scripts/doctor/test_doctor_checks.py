# SPDX-License-Identifier: BSD-3-Clause
"""The verdict of each check on recorded machines, good and bad, and on changes to them."""

import re
from pathlib import Path

import pytest
from machines.cases import (
    BAD,
    CARE,
    CASES,
    GOOD,
    HYPERVISOR,
    NOT_APPLICABLE,
    Case,
    busy_on,
)
from machines.recorded import OWN_PROCESS, finding, recorded
from pollux.core.hypervisor import NAMES, hypervisor
from pollux.machine.doctor.checkup import CHECKS
from pollux.machine.doctor.machine import this_machine
from project import ROOT


@pytest.mark.parametrize(
    "case", CASES, ids=[f"{case.check}-{case.machine}-{n}" for n, case in enumerate(CASES)]
)
def test_a_check_distinguishes_good_machines_from_bad_ones(tmp_path: Path, case: Case) -> None:
    result = finding(recorded(case.machine, tmp_path, case.files), case.check)
    assert result.verdict == case.verdict, result
    assert case.text in f"{result.found} {result.brief}"
    assert case.fix in result.fix
    assert bool(case.fix) == bool(result.fix), result.fix


def test_programs_know_the_same_hypervisors() -> None:
    source = (ROOT / "common/energy/hypervisor.c").read_text()
    array = re.search(r"\bnames\[\] = \{(.*?)\}", source, re.DOTALL)
    assert array
    names = re.findall(r'"(.+?)"', array[1])
    assert len(names) == NAMES.pattern.count("|") + 1
    assert all(NAMES.fullmatch(name) for name in names)


def test_of_a_list_of_hypervisors_the_first_is_told() -> None:
    """The device tree ends each by NUL, the most exact one first."""
    assert hypervisor({HYPERVISOR: "xen,xen-4.17\0xen,xen"}.get) == "xen,xen-4.17"


def test_every_check_of_the_machine_is_tried_on_good_and_on_bad_ones() -> None:
    elsewhere = {"builds", "BLAS", "other runtimes", "shell limits", "variables", "disk"}
    for check in CHECKS:
        if check.name in elsewhere:
            continue
        verdicts = {case.verdict for case in CASES if case.check == check.name}
        assert verdicts & {GOOD, NOT_APPLICABLE}, check.name
        if check.name not in ("isolated processors", "energy counters", "levers"):
            assert verdicts & {CARE, BAD}, check.name


def test_gdb_is_installed_inside_of_a_container(tmp_path: Path) -> None:
    machine = recorded("container", tmp_path, {"usr/bin/apt-get": ""})
    assert finding(machine, "debugger").fix == "apt-get install gdb"


def test_what_was_not_measured_is_not_told_as_seen(tmp_path: Path) -> None:
    """Without pressure nothing is known of waiting, and without time of moved pages."""
    machine = recorded("laptop", tmp_path, {"proc/pressure/memory": None})
    assert finding(machine, "swapping").found == "no page moved"


def test_what_is_started_while_the_machine_is_watched_is_no_other_program(tmp_path: Path) -> None:
    later = f"later/proc/{OWN_PROCESS}/stat"
    own = {
        path: f"{OWN_PROCESS} (pollux) R 1 1 1 0 -1 0 0 0 0 0 5 5 {children} 0 20 0 1 0"
        for path, children in ((later.removeprefix("later/"), 30), (later, 40))
    }
    machine = recorded("server", tmp_path, {**busy_on(200), **own})
    assert finding(machine, "other programs").verdict == GOOD


def test_a_machine_is_watched_while_its_user_does_something_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    slept: list[float] = []
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setattr("time.sleep", slept.append)
    machine = this_machine(tmp_path, tmp_path, seconds=0.5)
    assert machine.before is not None and not slept
    for now[0] in (100.25, 101.0):
        machine.later()
    assert slept == [0.25, 0.0]
