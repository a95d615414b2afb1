# SPDX-License-Identifier: BSD-3-Clause
"""Lets signals that ask a process to end do the same as Ctrl-C."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interruptible() -> Iterator[None]:
    """End as by Ctrl-C when the system or a batch scheduler asks the process to end."""

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    signals = (signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, interrupt) for number in signals]
    try:
        yield
    finally:
        for number, handler in zip(signals, before, strict=True):
            signal.signal(number, handler)
