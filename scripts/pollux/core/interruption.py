# SPDX-License-Identifier: BSD-3-Clause
"""Signals that end a command as Ctrl-C does, and what must not be interrupted by them."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

from pollux.core.statuses import INTERRUPTED

# Ctrl-C, the system or a batch scheduler, the end of a terminal.
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass
class State:
    """Of the process, as its signal handlers are."""

    held: bool = False  # signals are noted, and raised later
    pending: bool = False  # one was noted


state = State()


@contextmanager
def interruptible() -> Iterator[None]:
    """Signals raise KeyboardInterrupt; those that were ignored, as under nohup, still are."""
    heeded = [number for number in SIGNALS if signal.getsignal(number) != signal.SIG_IGN]
    before = [signal.signal(number, interrupt) for number in heeded]
    try:
        yield
    finally:
        for number, handler in zip(heeded, before, strict=True):
            signal.signal(number, handler)


def sleep_until_interrupted() -> NoReturn:
    """Raise KeyboardInterrupt at the next signal, whichever thread gets it.

    It leaves a byte to be read: signal.pause() sleeps on after one that comes just before it.
    """
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    before = signal.set_wakeup_fd(writing)
    try:
        while True:
            os.read(reading, 1)
    finally:
        signal.set_wakeup_fd(before)
        os.close(reading)
        os.close(writing)


def run_app(app: Callable[..., Any]) -> Any:  # noqa: ANN401 (typer's own)
    """The status of an app of typer's; signals raise KeyboardInterrupt."""
    with interruptible():
        status = app(standalone_mode=False)
    if status == INTERRUPTED:  # what typer makes of KeyboardInterrupt
        raise KeyboardInterrupt
    return status


def interrupt(_number: int, _frame: object) -> None:
    if state.held:
        state.pending = True
    else:
        raise KeyboardInterrupt


@contextmanager
def held() -> Iterator[None]:
    """Signals wait until the end of this block, or of the one that it is in.

    What such a block does is done completely or not begun.
    """
    was_held, state.held = state.held, True
    try:
        yield
    finally:
        state.held = was_held
        if state.pending and not was_held:
            state.pending = False
            raise KeyboardInterrupt


@contextmanager
def released() -> Iterator[None]:
    """Within a block that holds signals: those that wait, and others, interrupt this part."""
    was_held, state.held = state.held, False
    try:
        if state.pending:
            raise KeyboardInterrupt
        yield
    finally:
        state.held = was_held


def comes_within(seconds: float) -> bool:
    """Whether a signal waits, or does so within this time."""
    deadline = time.monotonic() + seconds
    while not state.pending and time.monotonic() < deadline:
        time.sleep(1e-3)
    return state.pending


def postpone() -> bool:
    """Let a signal that has interrupted `released` wait after all; false outside of `held`."""
    state.pending = state.held
    return state.held


@dataclass
class Limit:
    """Of the time that a block of statements may take."""

    reached: bool = False


@contextmanager
def limited(seconds: float) -> Iterator[Limit]:
    """After so many seconds this block is interrupted, as by a signal from outside."""
    limit = Limit()

    def reach(number: int, frame: object) -> None:
        limit.reached = True
        interrupt(number, frame)

    before = signal.signal(signal.SIGALRM, reach)
    signal.setitimer(signal.ITIMER_REAL, max(1e-3, seconds))
    try:
        yield limit
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
