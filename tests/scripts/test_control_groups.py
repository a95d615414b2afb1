# SPDX-License-Identifier: BSD-3-Clause
"""Limits of control groups on made-up systems, those of the C tests, and the teams that fit."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from forked import completed
from pollux.core.commands.team import say_quota
from pollux.core.control_groups import memory_limits, processors_of_quota, tasks_left
from pollux.core.errors import BadUsageError
from pollux.core.executables.variables import default_threads, quota_notes
from project import ROOT, Campaign

LIMITS = ROOT / "tests/common/base/group_limits.json"
SYSTEMS: list[dict[str, Any]] = json.loads(LIMITS.read_text())
PROCESSORS = 8


@pytest.fixture(autouse=True)
def eight_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(PROCESSORS)))
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)


def plant(root: Path, files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "sys").mkdir()
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    monkeypatch.setenv("POLLUX_SYSTEM_ROOT", str(root))


def plant_quota(root: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": text}
    plant(root, files, monkeypatch)


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system["name"])
def test_the_quota_is_the_least_of_all_groups_of_both_versions(
    system: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(tmp_path, system["files"], monkeypatch)
    quota: float | None = system["quota"]
    assert processors_of_quota() == quota
    fitting = PROCESSORS if quota is None else min(PROCESSORS, max(1, int(quota)))
    assert default_threads() == fitting
    assert bool(quota_notes([(4, {}), (None, {})])) == (fitting < PROCESSORS)
    assert default_threads({"OMP_NUM_THREADS": "7"}) == 7


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system["name"])
def test_memory_is_the_least_that_a_group_leaves(system: dict[str, Any]) -> None:
    limits = memory_limits(system["files"].get)
    assert min((limit.left for limit in limits), default=None) == system.get("memory")


@pytest.mark.parametrize("group", ["0::/job/step", "8:pids:/job/step"])
def test_threads_are_the_least_that_a_group_leaves(group: str) -> None:
    mount = "sys/fs/cgroup/pids" if "pids" in group else "sys/fs/cgroup"
    files = {"proc/self/cgroup": group}
    assert tasks_left(files.get) is None
    files |= {f"{mount}/job/step/pids.max": "max", f"{mount}/job/step/pids.current": "9"}
    assert tasks_left(files.get) is None
    files |= {f"{mount}/job/pids.max": "100", f"{mount}/job/pids.current": "30"}
    assert tasks_left(files.get) == 70


def test_a_team_that_a_quota_makes_smaller_is_announced_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plant_quota(tmp_path, "250000 100000", monkeypatch)
    say_quota(None)
    said = "pollux: 2 threads, not 8, because of a CPU quota of 2.5 processors; --threads overrides"
    assert capsys.readouterr() == ("", f"{said} it\n")
    say_quota(4)
    monkeypatch.setenv("OMP_NUM_THREADS", "4")
    say_quota(None)
    assert capsys.readouterr() == ("", "")


def test_a_wrong_root_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLLUX_SYSTEM_ROOT", str(tmp_path))
    with pytest.raises(BadUsageError, match=r"POLLUX_SYSTEM_ROOT=.*: no folder with sys/ in it"):
        default_threads()


@pytest.mark.parametrize("given", [None, ""])
def test_a_machine_without_sys_has_all_its_processors(
    monkeypatch: pytest.MonkeyPatch, given: str | None
) -> None:
    monkeypatch.delenv("POLLUX_SYSTEM_ROOT", raising=False)
    if given is not None:
        monkeypatch.setenv("POLLUX_SYSTEM_ROOT", given)
    monkeypatch.setattr(Path, "is_dir", lambda _: False)
    monkeypatch.setattr(Path, "read_text", no_file)
    assert default_threads() == PROCESSORS


def no_file(path: Path, **_: str) -> str:
    raise FileNotFoundError(path)


def test_a_campaign_that_names_no_threads_says_that_its_teams_are_smaller(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "root").mkdir()
    plant_quota(tmp_path / "root", "50000 100000", monkeypatch)
    grid = '[grid]\nsize = 512\nbenchmark = "lu"\n[blocks]\nforeign_cpu = 9.0\n'
    said = "1 thread, not 8, because of a CPU quota of 0.5 processors; --threads overrides it\n"
    four = '[environments.default]\nOMP_NUM_THREADS = "4"\n'
    options = ("--set", "processes=1")
    assert said in campaign.run("good", grid, *options).stdout
    for text, more in ((grid, ("--threads", "1")), (grid + four, ())):
        done = campaign.run("good", text, *options, *more, "--fresh")
        assert "records: " in done.stdout, done.stderr
        assert said not in done.stdout


def test_tuning_that_names_no_threads_says_that_its_teams_are_smaller(
    build_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "root").mkdir()
    plant_quota(tmp_path / "root", "50000 100000", monkeypatch)
    said = "because of a CPU quota of 0.5 processors; --threads overrides it\n"
    command = ["tune", "--build-root", build_root, "--benchmark", "lu", "--runtime", "libgomp"]
    command += ["--output", tmp_path / "tuned.json"]
    for threads, expected in (([], True), (["--threads", "1"], False)):
        done = completed(*command, *threads, folder=tmp_path, FAKE_VARIANTS="unavailable")
        assert (said in done.stdout) == expected
