# SPDX-License-Identifier: BSD-3-Clause
"""`pollux levers`: what it prints, its exit statuses, and that it restores."""

import errno
import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any, Literal

import pytest
from lever_trees import CPU, Kernel, believe_names, contents, write_levers
from pollux.core import system_files
from pollux.core.errors import BadUsageError, MachineError
from pollux.core.system_files import System
from pollux.core.writing import replace_file
from pollux.energy.commands.levers import levers
from pollux.energy.levers import state
from pollux.energy.levers.state import has_state, locked
from project import POLLUX, heed_interrupts
from system_tree import obey_modes


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_levers(tmp_path)
    monkeypatch.setenv("POLLUX_SYSTEM_ROOT", str(tmp_path))
    return tmp_path


def test_processors_that_share_a_frequency_are_named(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / CPU / "cpufreq/policy1/affected_cpus").write_text("1 2\n")
    assert levers("set", ["cstates=none"], cpu="1") == 0
    assert "processors" not in capsys.readouterr().out
    assert levers("set", ["governor=performance", "cstates=all"], cpu="1") == 0
    shown = capsys.readouterr().out
    assert "governor of processors 2 too: they share a frequency with those of --cpu\n" in shown


def pollux(root: Path, *arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [str(POLLUX), "levers", *arguments],
        env={**os.environ, "POLLUX_SYSTEM_ROOT": str(root)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=in_child,
    )


def in_child() -> None:
    heed_interrupts()
    obey_modes()


def test_set_lasts_until_restore(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = contents(root)
    assert levers("set", ["turbo=off", "cstates=none"]) == 0
    assert levers("set", ["governor=performance"], cpu="1") == 0
    assert (root / CPU / "intel_pstate/no_turbo").read_text() == "1\n"
    governors = [(root / CPU / f"cpufreq/policy{n}/scaling_governor").read_text() for n in range(3)]
    assert governors == ["powersave\n", "performance\n", "powersave\n"]
    levers()
    shown = capsys.readouterr().out
    assert "set by pollux levers set: turbo=off cstates=none governor=performance" in shown
    assert levers("restore") == 0
    assert contents(root) == before
    assert capsys.readouterr().out == "all levers are as they were\n"
    assert levers("restore") == 0
    assert capsys.readouterr().out == "nothing to restore\n"


def test_what_was_set_before_a_restart_is_not_shown(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert levers("set", ["turbo=off"]) == 0
    (root / "proc/sys/kernel/random/boot_id").write_text("another\n")
    capsys.readouterr()
    levers()
    assert "levers set" not in capsys.readouterr().out
    assert levers("restore") == 0
    assert "the restart has reset them" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("user", "command"),
    [
        (0, "sudo pollux levers restore"),
        (987, "sudo -u '#987' pollux levers restore"),
    ],
)
def test_what_another_user_has_set_is_shown(
    root: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    user: int,
    command: str,
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 986)
    believe_names(monkeypatch)
    other = root / "var/tmp" / f"pollux-levers-{user}.json"
    other.parent.mkdir(parents=True)
    other.touch()
    line = f"levers are set by another user ({other}); {command} restores them"
    assert levers() == 0
    assert line in capsys.readouterr().out.splitlines()
    assert levers(format_="json") == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["kept"] is None and shown.err == f"{line}\n"
    assert levers("restore") == 0
    assert capsys.readouterr().out == f"{line}\nnothing to restore\n"


def test_what_is_shown_can_be_read_by_programs(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert levers(format_="json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["driver"] == "intel_pstate active"
    assert {lever["name"]: lever["now"] for lever in shown["levers"]}["governor"] == "powersave"
    assert shown["kept"] is None
    assert root.is_dir()


BAD_USAGE = [
    ("set", [], None, "set needs LEVER=VALUE; levers are turbo, cstates"),
    ("set", ["turbo"], None, '"turbo": must be LEVER=VALUE'),
    ("set", ["trubo=on"], None, 'not a lever; did you mean "turbo"?'),
    ("set", ["turbo=high"], None, '"high" is not a value of turbo; it is on or off'),
    ("set", ["turbo=on", "turbo=off"], None, "turbo is given twice"),
    ("set", ["turbo=on"], "9", "there is no processor 9; this machine has 0-3"),
    ("set", ["turbo=on"], "0-", "must be a list of processors"),
    ("set", ["cstates=none"], "3-0", "3-0 goes backwards; write 0-3"),
    ("set", ["cstates=none"], "0,2-1", "2-1 goes backwards; write 1-2"),
    ("set", ["dma_latency=0"], None, "add --hold"),
    ("show", ["turbo=on"], None, "are for set, not for show"),
    ("restore", None, "0", "are for set, not for restore"),
]


@pytest.mark.parametrize(("action", "settings", "cpu", "message"), BAD_USAGE)
def test_wrong_use_is_a_line(
    root: Path,
    action: Literal["show", "set", "restore"],
    settings: list[str] | None,
    cpu: str | None,
    message: str,
) -> None:
    before = contents(root)
    with pytest.raises(BadUsageError) as caught:
        levers(action, settings, cpu=cpu)
    assert message in caught.value.format_message()
    assert contents(root) == before


def test_what_the_machine_lacks_is_a_line(root: Path) -> None:
    (root / CPU / "online").write_text("0-2\n")
    with pytest.raises(MachineError, match="processor 3 is offline"):
        levers("set", ["cstates=none"], cpu="3")
    for setting in ("turbo=off", "dma_latency=0"):
        with pytest.raises(MachineError, match="is for all processors here; leave --cpu out"):
            levers("set", [setting], cpu="0", hold=True)
    with (
        locked(System(root)),
        pytest.raises(MachineError, match="another process of Pollux holds"),
    ):
        levers("set", ["turbo=off"])


def test_without_permission_a_file_is_named_and_nothing_is_written(root: Path) -> None:
    (root / CPU / "intel_pstate/no_turbo").chmod(0o444)
    before = contents(root)
    process = pollux(root, "set", "cstates=none", "turbo=off")
    _, errors = process.communicate()
    assert process.returncode == 3
    assert errors == (
        f"pollux: turbo: no permission to write /{CPU}/intel_pstate/no_turbo; run as root, or "
        "install packaging/tmpfiles.d/pollux-levers.conf\n"
    )
    assert contents(root) == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_held_levers_are_restored_on_signals(root: Path, number: signal.Signals) -> None:
    before = contents(root)
    process = pollux(root, "set", "turbo=off", "cstates=none", "--hold")
    assert process.stdout is not None
    assert process.stdout.readline() == "set: turbo=off cstates=none; Ctrl-C restores the levers\n"
    assert contents(root) != before
    process.send_signal(number)
    out, errors = process.communicate()
    assert (process.returncode, out, errors) == (0, "all levers are as they were\n", "")
    assert contents(root) == before


@pytest.mark.usefixtures("_signals_interrupt")
@pytest.mark.parametrize("hold", [False, True])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_levers_are_written_restores_them(
    root: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals, hold: bool
) -> None:
    before = contents(root)

    def interrupt(path: str, content: bytes) -> None:
        if (path, content) == (f"{CPU}/cpufreq/policy1/scaling_governor", b"performance\n"):
            signal.raise_signal(number)

    system = Kernel(refuse=interrupt).system(root)
    monkeypatch.setattr(system_files, "this_system", lambda: system)
    with pytest.raises(KeyboardInterrupt):
        levers("set", ["governor=performance"], hold=hold)
    assert contents(root) == before
    assert not has_state(system)


def test_levers_that_are_kept_outlast_a_setting_that_is_refused(root: Path) -> None:
    levers("set", ["turbo=off"])
    kept = contents(root)
    with pytest.raises(MachineError, match="this machine knows"):
        levers("set", ["governor=ondemand"])
    assert contents(root) == kept and has_state(System(root))


@pytest.mark.usefixtures("_signals_interrupt")
def test_levers_that_are_kept_outlast_a_signal_while_others_are_written(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(root)
    levers("set", ["turbo=off"])
    kept = contents(root)

    def interrupt(path: str, content: bytes) -> None:
        if (path, content) == (f"{CPU}/cpu1/cpuidle/state1/disable", b"1\n"):
            signal.raise_signal(signal.SIGINT)

    system = Kernel(refuse=interrupt).system(root)
    with monkeypatch.context() as interrupted:
        interrupted.setattr(system_files, "this_system", lambda: system)
        with pytest.raises(KeyboardInterrupt):
            levers("set", ["cstates=none"])
    assert contents(root) == kept
    assert levers("restore") == 0
    assert contents(root) == before


@pytest.mark.parametrize("kept", [[], ["governor=performance"], ["cstates=none"]])
def test_levers_that_cannot_be_kept_are_restored(
    root: Path, monkeypatch: pytest.MonkeyPatch, kept: list[str]
) -> None:
    if kept:
        levers("set", kept)
    before = contents(root)

    def full(path: Path, content: bytes, **how: Any) -> None:  # noqa: ANN401
        if b'"kept":true' in content:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace_file(path, content, **how)

    monkeypatch.setattr(state, "replace_file", full)
    with pytest.raises(MachineError, match=r"left on device\); all levers are as before$"):
        levers("set", ["turbo=off"])
    assert contents(root) == before
    assert has_state(System(root)) is bool(kept)
