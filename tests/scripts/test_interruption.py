# SPDX-License-Identifier: BSD-3-Clause
"""Signals end a command, but not between a run's end and its record."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import StringIO
from types import SimpleNamespace

import pytest
from micro_campaigns import configuration
from pollux.core import interruption
from pollux.core.campaign.engine import State
from pollux.core.campaign.progress import Terminal
from pollux.core.executables import process
from pollux.core.executables.process import run_process
from pollux.core.interruption import comes_within, held, interruptible, sleep_until_interrupted
from pollux.core.tiles import Tile
from rich.console import Console

pytestmark = pytest.mark.usefixtures("_no_signal_is_ignored")

LONG = 60.0
HIDE_CURSOR, SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"


def ask_to_end(number: signal.Signals = signal.SIGTERM) -> None:
    os.kill(os.getpid(), number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_waits_until_what_is_held_is_complete(number: signal.Signals) -> None:
    done = []
    with interruptible(), pytest.raises(KeyboardInterrupt):
        with held():
            ask_to_end(number)
            done.append("recorded")
        done.append("next run")
    assert done == ["recorded"]


@pytest.mark.parametrize("before", [True, False])
def test_a_process_is_interrupted_while_it_runs_even_if_signals_are_held(before: bool) -> None:
    child = [sys.executable, "-c", "import os, signal; os.kill(os.getppid(), 15); signal.pause()"]
    done = []
    with interruptible(), pytest.raises(KeyboardInterrupt), held():
        if before:
            ask_to_end()
        run_process(["tail", "-f", "/dev/null"] if before else child, {}, LONG)
        done.append("ended")
    assert done == []


def test_a_signal_that_comes_as_a_process_ends_does_not_lose_its_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @contextmanager
    def interrupted_at_its_end() -> Iterator[None]:
        yield
        raise KeyboardInterrupt

    monkeypatch.setattr(process, "released", interrupted_at_its_end)
    done = []
    with interruptible(), pytest.raises(KeyboardInterrupt), held():
        done.append(run_process(["echo", "result"], {}, LONG).stdout)
    assert done == ["result\n"]


def test_an_error_does_not_lose_a_signal_that_waits() -> None:
    with interruptible(), pytest.raises(KeyboardInterrupt), held():
        ask_to_end()
        raise ValueError("what the block was at")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_no_signal_is_lost_just_before_the_sleep_that_it_is_to_end(
    monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    arrived = []

    def read(descriptor: int, count: int) -> bytes:
        with suppress(KeyboardInterrupt):  # as one that comes after the last look at signals
            signal.pthread_kill(threading.get_ident(), number)
        os.set_blocking(descriptor, False)
        arrived.append(os.read(descriptor, count))
        raise KeyboardInterrupt

    system = {name: getattr(os, name) for name in ("close", "pipe", "set_blocking")}
    monkeypatch.setattr(interruption, "os", SimpleNamespace(read=read, **system))
    with interruptible(), pytest.raises(KeyboardInterrupt):
        sleep_until_interrupted()
    assert arrived == [bytes([number])]


def test_a_signal_that_another_thread_gets_ends_the_sleep() -> None:
    asleep = threading.Event()

    def get_signal() -> None:
        asleep.wait()
        signal.pthread_kill(threading.get_ident(), signal.SIGTERM)

    thread = threading.Thread(target=get_signal)
    thread.start()
    with interruptible(), pytest.raises(KeyboardInterrupt):
        asleep.set()  # or soon
        sleep_until_interrupted()
    thread.join()


def test_a_signal_that_waits_is_known() -> None:
    with interruptible(), pytest.raises(KeyboardInterrupt), held():
        assert not comes_within(0.0)
        ask_to_end()
        assert comes_within(LONG)


def test_signals_that_were_ignored_stay_ignored() -> None:
    text = (
        "import os, signal; from pollux.core.interruption import interruptible\n"
        "with interruptible(): os.kill(os.getpid(), signal.SIGHUP); print('goes on')"
    )
    done = subprocess.run(
        ["nohup", sys.executable, "-c", text], capture_output=True, text=True, check=False
    )
    assert done.stdout == "goes on\n"


def test_a_terminal_keeps_its_cursor_until_progress_is_shown() -> None:
    """An interruption before that leaves it there."""
    written = StringIO()
    shown = Terminal(Console(file=written, force_terminal=True))
    assert written.getvalue() == ""
    shown.running(configuration("libomp", "chain"), State(total=1))
    assert HIDE_CURSOR in written.getvalue()
    shown.close()
    assert SHOW_CURSOR in written.getvalue()


def test_an_interruption_while_a_configuration_is_hashed_is_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def ctrl_c(_: Tile) -> bool:
        raise KeyboardInterrupt

    own = configuration("libomp", "chain", tile=Tile.square(64))
    monkeypatch.setattr(Tile, "is_square", property(ctrl_c))
    with pytest.raises(KeyboardInterrupt):
        own.hash()
