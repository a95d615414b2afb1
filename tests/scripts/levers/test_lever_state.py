# SPDX-License-Identifier: BSD-3-Clause
"""The former state on disk: whose it is, what of it is believed, and one session at a time."""

import errno
import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from lever_trees import CPU, Kernel, believe_names, contents, write_levers
from pollux.core.errors import MachineError
from pollux.core.system_files import System
from pollux.energy.levers import state
from pollux.energy.levers.session import Session
from pollux.energy.levers.state import (
    has_state,
    locked,
    others_states,
    present_state,
    read_state,
    state_path,
)
from pollux.energy.levers.switching import restore_leftovers


@pytest.fixture
def system(tmp_path: Path) -> System:
    write_levers(tmp_path)
    return Kernel().system(tmp_path)


def leave_set(system: System) -> dict[str, Any]:
    """What a process leaves that is killed after setting levers; the state on disk."""
    Session(system).apply({"turbo": "off", "governor": "performance", "cstates": "none"})
    found: dict[str, Any] = json.loads(state_path(system).read_text())
    return found


def test_the_state_is_on_the_disk_and_for_this_user_alone(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders: list[bool] = []
    monkeypatch.setattr(os, "fsync", lambda d: folders.append(stat.S_ISDIR(os.fstat(d).st_mode)))
    before = os.umask(0)
    try:
        leave_set(system)
    finally:
        os.umask(before)
    assert folders[:2] == [False, True]
    assert state_path(system).stat().st_mode & 0o777 == 0o600


def test_the_next_session_restores_what_a_killed_one_has_left(system: System) -> None:
    before = contents(system.root)
    leave_set(system)
    assert contents(system.root) != before
    said = Session(system).take_over()
    assert len(said) == 1
    assert said[0].endswith("had not restored when it ended: restored now")
    assert contents(system.root) == before
    assert not has_state(system)
    assert Session(system).take_over() == []


def test_what_is_kept_stays_until_it_is_restored(system: System) -> None:
    before = contents(system.root)
    first = Session(system)
    first.apply({"turbo": "off"})
    first.keep()
    second = Session(system)
    assert second.take_over() == []
    assert second.kept
    second.apply({"cstates": "none"}, adding=True)
    second.keep()
    third = Session(system)
    third.take_over()
    assert third.setting == {"turbo": "off", "cstates": "none"}
    assert system.text(f"{CPU}/intel_pstate/no_turbo") == "1"
    assert third.restore() == []
    assert contents(system.root) == before


def test_a_setting_that_is_refused_leaves_what_was_kept(system: System) -> None:
    before = contents(system.root)
    first = Session(system)
    first.apply({"governor": "performance", "turbo": "off"})
    first.keep()
    kept = contents(system.root)
    second = Session(system)
    second.take_over()
    with pytest.raises(MachineError, match="all levers are as before"):
        second.apply({"cstates": "none", "epp": "power"}, adding=True)
    assert contents(system.root) == kept
    third = Session(system)
    assert third.take_over() == []
    assert third.setting == {"governor": "performance", "turbo": "off"}
    assert third.restore() == []
    assert contents(system.root) == before


def test_what_a_refused_setting_changed_along_is_as_it_was_kept(system: System) -> None:
    first = Session(system)
    first.apply({"cstates": "none"})
    first.keep()
    kept = contents(system.root)

    def refuse(path: str, content: bytes) -> int | None:
        is_last = path.endswith("policy3/scaling_governor") and content == b"performance\n"
        return errno.EINVAL if is_last else None

    second = Session(Kernel(refuse=refuse).system(system.root))
    second.take_over()
    with pytest.raises(MachineError, match="all levers are as before"):
        second.apply({"governor": "performance"}, adding=True)
    assert contents(system.root) == kept


def test_a_restart_of_the_machine_has_reset_the_levers(system: System) -> None:
    leave_set(system)
    (system.root / "proc/sys/kernel/random/boot_id").write_text("another\n")
    now = contents(system.root)
    assert "restarted" in Session(system).take_over()[0]
    assert contents(system.root) == now
    assert not has_state(system)


def test_what_was_kept_before_a_restart_is_not_said_to_be_set(system: System) -> None:
    session = Session(system)
    session.apply({"cstates": "none"})
    session.keep()
    assert present_state(system) == read_state(system) is not None
    (system.root / "proc/sys/kernel/random/boot_id").write_text("another\n")
    assert present_state(system) is None
    said: list[str] = []
    restore_leftovers(system, said.append)
    assert len(said) == 1 and "the restart has reset them" in said[0]
    assert not has_state(system)


def damage(text: str) -> Any:  # noqa: ANN401 (a parameter of pytest)
    return pytest.param(text, id=text[:20] or "empty")


@pytest.mark.parametrize("text", [damage(""), damage("{}"), damage('{"schema": "pollux-le')])
def test_a_damaged_state_is_refused_and_nothing_is_written(system: System, text: str) -> None:
    state_path(system).parent.mkdir(parents=True)
    state_path(system).write_text(text)
    refused(system, "it is damaged: ")
    assert state_path(system).read_text() == text


def test_a_state_that_names_other_files_is_refused(system: System) -> None:
    found = leave_set(system)
    found["files"]["etc/passwd"] = "x"
    state_path(system).write_text(json.dumps(found))
    refused(system, "etc/passwd is not the file of a lever")


def test_a_state_of_another_machine_is_refused(system: System) -> None:
    found = leave_set(system)
    state_path(system).write_text(json.dumps(found | {"host": "elsewhere", "boot": "other"}))
    refused(system, "is of the machine elsewhere, not of ")


def test_a_state_that_others_may_write_is_refused(system: System) -> None:
    leave_set(system)
    state_path(system).chmod(0o666)
    refused(system, "other users may write it")


def test_a_state_behind_a_link_is_refused(system: System) -> None:
    leave_set(system)
    path = state_path(system)
    path.rename(path.with_name("real"))
    path.symlink_to("real")
    refused(system, "it is a link")


def test_a_state_that_another_user_has_put_there_is_refused(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_set(system)
    path = state_path(system)
    monkeypatch.setattr(state, "state_path", lambda _system: path)
    monkeypatch.setattr(os, "geteuid", lambda: 4321)
    refused(system, "it is not a file of this user")


def refused(system: System, reason: str) -> None:
    before = contents(system.root)
    with pytest.raises(MachineError) as caught:
        Session(system).take_over()
    message = caught.value.format_message()
    assert reason in message
    assert "no lever was changed" in message
    assert "\n" not in message
    assert contents(system.root) == before


def test_on_a_full_disk_nothing_is_written(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(system.root)

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(MachineError, match=r"No space left on device\); no lever was changed"):
        Session(system).apply({"turbo": "off"})
    assert contents(system.root) == before
    assert list(state_path(system).parent.iterdir()) == []


@pytest.fixture
def other(system: System, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The state of the user 987."""
    believe_names(monkeypatch)
    path = state_path(system).with_name("pollux-levers-987.json")
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    return path


def test_another_users_state_is_named_and_left_alone(
    system: System, other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other.with_name("pollux-levers-$(reboot).json").touch()
    assert others_states(system) == {other: 987}
    assert Session(system).take_over() == []
    monkeypatch.setattr(state, "owner", lambda _path: 986)
    assert others_states(system) == {}


def test_another_users_state_from_before_a_restart_is_past(system: System, other: Path) -> None:
    for started, found in ((1_700_000_000, {other: 987}), (1_700_000_001, {})):
        os.utime(other, (1_700_000_000, 1_700_000_000))
        (system.root / "proc/stat").write_text(f"cpu 1 2 3\nbtime {started}\n")
        assert others_states(system) == found


def test_one_session_at_a_time(system: System) -> None:
    with locked(system):
        second = locked(system)
        with pytest.raises(MachineError, match="another process of Pollux holds"):
            second.__enter__()
    with locked(system):
        pass


def test_without_processors_there_is_nothing_to_lock(tmp_path: Path) -> None:
    with pytest.raises(MachineError, match="without it there are no levers"):
        locked(System(tmp_path)).__enter__()
