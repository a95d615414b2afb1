# SPDX-License-Identifier: BSD-3-Clause
"""Processes under a campaign's care: what they say, how they end, and that nothing is left."""

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import pytest
from pollux.core.errors import MachineError
from pollux.core.executables import process
from pollux.core.executables.process import (
    Beside,
    CannotStartError,
    Ended,
    Running,
    run_process,
    wait,
)
from pollux.core.executables.stacks import ask_kernel, describe_thread, read_stacks
from project import ROOT

PYTHON = sys.executable
LU = ROOT / "build/libgomp/bin/lu"
LONG = 60.0


def script(text: str) -> list[str]:
    return [PYTHON, "-c", text]


def is_alive(pid: int) -> bool:
    """Whether a process runs: neither gone nor waiting to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until_gone(pid: int) -> bool:
    deadline = time.monotonic() + LONG
    while is_alive(pid) and time.monotonic() < deadline:
        os.sched_yield()
    return not is_alive(pid)


def test_the_output_and_status_of_a_process_are_kept() -> None:
    text = "import os, sys; print(os.environ['A'] * 3); print('no', file=sys.stderr); sys.exit(7)"
    ended = run_process(script(text), {"A": "x"}, LONG)
    assert (ended.status, ended.stdout, ended.stderr) == (7, "xxx\n", "no\n")
    assert ended.stacks is None


def test_a_signal_is_a_negative_status() -> None:
    ended = run_process(["sh", "-c", "kill -SEGV $$"], {}, LONG)
    assert ended.status == -signal.SIGSEGV


def stacks_once_it_pauses(pid: int) -> str:
    """On a slow machine it may still be on its way there."""
    deadline = time.monotonic() + LONG
    while "pause" not in (stacks := read_stacks(pid)) and time.monotonic() < deadline:
        pass
    return stacks


def test_a_process_that_hangs_is_killed_with_its_children_and_leaves_its_stacks() -> None:
    text = (
        "import signal, subprocess; "
        "child = subprocess.Popen(['tail', '-f', '/dev/null']); "
        "print(child.pid, flush=True); signal.pause()"
    )
    ended = run_process(script(text), {}, 1.0, read_stacks=stacks_once_it_pauses)
    assert ended.status is None
    assert ended.stacks
    assert "pause" in ended.stacks
    assert wait_until_gone(int(ended.stdout))


def test_what_is_in_a_group_of_its_own_is_killed_with_the_process_that_started_it() -> None:
    """As mpirun starts the processes of its ranks."""
    text = (
        "import signal, subprocess; "
        "child = subprocess.Popen(['tail', '-f', '/dev/null'], process_group=0); "
        "print(child.pid, flush=True); signal.pause()"
    )
    with Running(script(text), {}) as running:
        child = number_printed_by(running)
        assert is_alive(child)
    assert wait_until_gone(child)


def number_printed_by(running: Running) -> int:
    deadline = time.monotonic() + LONG
    while time.monotonic() < deadline:
        if (text := os.pread(running.files[0].fileno(), 100, 0)).endswith(b"\n"):
            return int(text)
        os.sched_yield()
    raise TimeoutError("it prints no number")


def children_of(pid: int) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended
            if int(path.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(path.parent.name))
    return found


def test_an_executable_dies_with_the_campaign_that_started_it() -> None:
    endless = [str(LU), "-n", "64", "-r", "1000000", "-f", "json"]
    parent = (
        "from pollux.core.executables import process; "
        "process.output_file = lambda name: open('/dev/stderr', 'wb'); "
        f"process.run_process({endless!r}, {{}}, 60.0)"
    )
    campaign = subprocess.Popen(script(parent), stderr=subprocess.PIPE, text=True)
    assert campaign.stderr is not None
    assert any(line.startswith("{") for line in campaign.stderr)  # a record, or its end
    (pid,) = children_of(campaign.pid)
    assert is_alive(pid)
    campaign.kill()
    campaign.wait()
    campaign.stderr.close()
    assert wait_until_gone(pid)


def test_a_launcher_dies_with_the_campaign_that_started_it() -> None:
    words = ["sh", "-c", "echo $$ >&2; exec tail -f /dev/null"]
    parent = (
        "from pollux.core.executables import process; "
        "process.output_file = lambda name: open('/dev/stderr', 'wb'); "
        f"process.run_process(process.dying_with_this({words!r}), {{}}, 60.0)"
    )
    with subprocess.Popen(script(parent), stderr=subprocess.PIPE, text=True) as campaign:
        assert campaign.stderr is not None
        pid = int(campaign.stderr.readline())
        assert is_alive(pid)
        campaign.kill()
        campaign.wait()
        assert wait_until_gone(pid)


def test_without_setpriv_a_launcher_runs_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "SETPRIV", ("no-such-program",))
    process.has_setpriv.cache_clear()
    assert process.dying_with_this(["taskset", "1"]) == ["taskset", "1"]
    process.has_setpriv.cache_clear()


@pytest.mark.parametrize("has_ended", [False, True])
def test_an_hour_in_which_all_is_stopped_is_no_time_of_a_process(
    monkeypatch: pytest.MonkeyPatch, has_ended: bool
) -> None:
    """As by Ctrl-Z, or in a job that is frozen; it may end before this process goes on."""
    clock, poll, stopped = time.monotonic, select.poll, [0.0]

    class Stopped:
        """A poll that begins with the hour."""

        def __init__(self) -> None:
            self.own = poll()
            self.register = self.own.register

        def poll(self, milliseconds: float) -> list[tuple[int, int]]:
            if stopped == [0.0]:
                stopped[0] = 3600.0
                return self.own.poll(LONG * 1000) if has_ended else []
            return self.own.poll(milliseconds)

    monkeypatch.setattr(time, "monotonic", lambda: clock() + stopped[0])
    monkeypatch.setattr(select, "poll", Stopped)
    ended = run_process(["true"], {}, LONG)
    assert ended.status == 0
    assert ended.seconds < 2 * process.SLICE


def test_a_number_that_is_free_again_is_not_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    killed: list[int] = []
    with Running(["true"], {}) as running:
        assert wait(running.process, LONG)
        running.kill()
        monkeypatch.setattr(os, "killpg", lambda pid, signal: killed.append(pid))
    assert killed == []


def test_a_process_of_another_user_that_does_not_end_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As one that a launcher such as sudo has started."""

    def refused(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(process, "LAST_WAIT", 0.05)
    with Running(["tail", "-f", "/dev/null"], {}) as running, monkeypatch.context() as patch:
        patch.setattr(os, "killpg", refused)
        with pytest.raises(MachineError, match="belongs to another user; end it"):
            running.kill()


def test_a_process_that_has_ended_by_itself_can_be_stopped() -> None:
    beside = Beside(["sh", "-c", "echo last words >&2; exit 3"])
    while beside.process.poll() is None:
        os.sched_yield()
    ended = beside.stop(LONG)
    assert (ended.status, ended.stderr) == (3, "last words\n")


def parent(number: int) -> str:
    return f"POLLUX_PARENT={process.parent_text(number)}"


def test_an_executable_whose_campaign_died_before_it_began_does_not_run() -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    command = ["env", parent(gone.pid), str(LU), "--version"]
    late = subprocess.run(command, capture_output=True, text=True, check=False)
    line = f"pollux: process {gone.pid}, which this one is not to outlive, has ended\n"
    assert (late.returncode, late.stdout, late.stderr) == (3, "", line)


@pytest.mark.parametrize("part", [1, 2])
def test_an_executable_runs_on_another_node_or_in_a_container(part: int) -> None:
    """There the number of its campaign's process is another's, or none's."""
    gone = subprocess.Popen(["true"])
    gone.wait()
    words = parent(gone.pid).split(":")
    words[part] += "0"
    command = ["env", ":".join(words), str(LU), "--version"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_a_campaign_that_has_ended_unnoticed_counts_as_dead() -> None:
    ended = subprocess.Popen(["true"])
    os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)  # it is a zombie
    command = ["env", parent(ended.pid), str(LU), "--version"]
    late = subprocess.run(command, capture_output=True, text=True, check=False)
    ended.wait()
    assert (late.returncode, late.stdout) == (3, "")


LOSES_ITS_FIRST_THREAD = """
import ctypes, threading, time
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
ctypes.CDLL(None).pthread_exit(None)
"""


def test_a_campaign_that_is_about_to_end_counts_as_dead() -> None:
    dying = subprocess.Popen([sys.executable, "-c", LOSES_ITS_FIRST_THREAD])
    deadline = time.monotonic() + LONG
    while is_alive(dying.pid) and time.monotonic() < deadline:
        os.sched_yield()
    command = ["env", parent(dying.pid), str(LU), "--version"]
    late = subprocess.run(command, capture_output=True, text=True, check=False)
    assert dying.poll() is None
    dying.kill()
    dying.wait()
    assert (late.returncode, late.stdout) == (3, "")


def test_a_script_may_stand_between_a_campaign_and_its_executable() -> None:
    ended = run_process(["sh", "-c", f"'{LU}' --version; true"], {}, LONG)
    assert ended.stdout.startswith("pollux lu ")


def test_a_process_that_writes_without_end_is_ended() -> None:
    ended = run_process(["yes"], {}, LONG)
    assert ended.status == -signal.SIGXFSZ


def test_output_is_kept_where_no_folder_has_room_for_temporary_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nonexistent")
    assert run_process(["echo", "kept"], {}, LONG).stdout == "kept\n"


def test_output_that_the_shells_limit_of_files_cuts_short_is_known_to_be_unwritten() -> None:
    text = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)); "
        "from pollux.core.executables.process import run_process; "
        "print(run_process(['yes'], {}, 60.0).unwritten); "
        "print(run_process(['yes'], {}, 60.0, file_bytes=1024).unwritten)"
    )
    ended = run_process(script(text), {}, LONG)
    assert ended.stdout == "File too large for the limit of ulimit -f\nNone\n", ended.stderr


@pytest.mark.skipif(not LU.exists(), reason="needs libgomp's build")
def test_an_executable_that_cannot_print_its_records_is_known_to_have_lost_them() -> None:
    ended = run_process(["sh", "-c", f"'{LU}' -n 16 -b 8 -r 1 -f json >/dev/full"], {}, LONG)
    assert ended.unwritten == "No space left on device"


def test_a_signal_is_reported_with_what_usually_sends_it() -> None:
    crashed = Ended(-signal.SIGSEGV, "", "a warning\nits last words\n")
    assert crashed.how_and_why.startswith("killed by SIGSEGV: its last words (")
    assert "OMP_STACKSIZE" in crashed.how_and_why
    assert Ended(-40, "", "").how_and_why == "killed by signal 40"
    assert Ended(3, "", "no memory").how_and_why == "exit status 3: no memory"


def test_a_missing_program_is_an_error() -> None:
    with pytest.raises(CannotStartError, match=r"cannot start /nonexistent/program \(No"):
        run_process(["/nonexistent/program"], {}, LONG)


def test_the_kernel_reports_each_thread_where_gdb_cannot() -> None:
    answer = ask_kernel(os.getpid())
    assert f"thread {os.getpid()}: state R" in answer


def test_a_thread_is_not_gone_where_not_all_of_it_may_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "7"
    folder.mkdir()
    assert describe_thread(folder) == "thread 7: gone"
    (folder / "stat").write_bytes(b"7 (a) \xe9) S 1 7")
    (folder / "wchan").write_text("0")
    assert describe_thread(folder) == "thread 7: state S"
    (folder / "wchan").write_text("futex_wait_queue")
    assert describe_thread(folder) == "thread 7: state S, in futex_wait_queue"
