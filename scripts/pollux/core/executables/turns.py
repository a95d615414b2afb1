# SPDX-License-Identifier: BSD-3-Clause
"""Processes that take turns: their repetitions are timed alternately, one process at a time.

What is compared is then as close in time as it can be, since the speed of a shared machine changes
from one second to the next (L. Bulej et al., Duet Benchmarking, ICPE 2020). A process announces
over a socket when a repetition is ready and when it has ended (common/base/turns.h). It then waits,
and all of its threads are stopped, so that none spins beside the process whose turn it is.
"""

import contextlib
import os
import random
import select
import signal
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from math import inf

from pollux.core.executables.process import (
    OUTPUT_BYTES,
    CannotStartError,
    Clock,
    Ended,
    Running,
    has_ended,
    open_end,
)
from pollux.core.interruption import released

VARIABLE = "POLLUX_TURNS"  # as common/base/turns.h has it
READY = b"r"  # announced: the next repetition may be timed; anything else: it has ended
GO_ON = b"g"
PATIENCE = 5e-5  # seconds between looks at a process that is to stop


@dataclass(frozen=True)
class Entrant:
    """A process to start: its command, what is added to its environment, and its time limit."""

    command: Sequence[str]
    variables: Mapping[str, str]
    seconds_limit: float  # of its own time: while it is stopped, none passes
    read_stacks: Callable[[int], str]  # of a process that reaches the limit
    file_bytes: int = OUTPUT_BYTES  # no file that it writes is longer


@dataclass
class Allowance:
    """The time that processes have together: the sum of their own."""

    seconds: float = inf
    clocks: list[Clock] = field(default_factory=list)

    @property
    def left(self) -> float:
        return self.seconds - sum(clock.seconds for clock in self.clocks)


@dataclass(frozen=True)
class Arrival:
    """How a process ended, and how many turns it had."""

    ended: Ended
    turns: int
    ready_seconds: float  # of its own time, until its first repetition was ready
    is_cut: bool = False  # it was ended as the time of all was over, not its own


class Side:
    """One of the processes; it is stopped but between `advance` and what it announces next."""

    def __init__(self, entrant: Entrant, allowance: Allowance, stack: ExitStack) -> None:
        """Start it, to be ended with the stack; raises CannotStartError."""
        self.entrant = entrant
        self.allowance = allowance
        self.clock = Clock()
        allowance.clocks.append(self.clock)
        self.ready_seconds = 0.0
        self.turns = 0
        self.is_over = self.is_late = self.is_cut = self.is_stopped = False
        self.stacks: str | None = None
        try:
            self.socket, theirs = socket.socketpair()
            stack.enter_context(self.socket)
            with theirs:
                place = f"{theirs.fileno()}:{os.fstat(theirs.fileno()).st_ino}:{os.getpid()}"
                variables = {**entrant.variables, VARIABLE: place}
                self.running = stack.enter_context(
                    Running(
                        entrant.command,
                        variables,
                        file_bytes=entrant.file_bytes,
                        descriptors=[theirs.fileno()],
                    )
                )
            self.process = self.running.process
            self.end = open_end(self.process)
            stack.callback(os.close, self.end)
        except OSError as error:
            raise CannotStartError(entrant.command[0], error) from error
        self.poll = select.poll()
        self.poll.register(self.end, select.POLLIN)
        self.poll.register(self.socket, select.POLLIN)

    def advance(self) -> None:
        """Let it go on until it announces something or ends, and stop it then."""
        if self.is_over:
            return
        if self.is_stopped:
            self.go_on()
        announced = self.wait()
        if not announced:
            self.leave()
            return
        if announced != READY:
            self.turns += 1
        elif self.turns == 0:
            self.ready_seconds = self.clock.seconds
        self.stop()
        if self.is_late:
            self.leave()

    def go_on(self) -> None:
        signal.pidfd_send_signal(self.end, signal.SIGCONT)
        self.is_stopped = False
        with contextlib.suppress(OSError):  # it was killed, or does not read what it is told
            self.socket.send(GO_ON, socket.MSG_DONTWAIT)

    def wait(self) -> bytes:
        """What it announces; nothing where it ends, or is late."""
        with released():
            while self.clock.has_news(self.poll, self.limit):
                try:
                    announced = self.socket.recv(1, socket.MSG_DONTWAIT)
                except BlockingIOError:  # it has ended, and a child of it has the socket
                    return b""
                except OSError:  # it was killed before it was told to go on
                    announced = b""
                if announced or has_ended(self.process):
                    return announced
                self.poll.unregister(self.socket)  # it has closed the socket, and takes no turns
        self.note_late()
        return b""

    def limit(self) -> float:
        """The own time that it may have by now."""
        return min(self.entrant.seconds_limit, self.clock.seconds + self.allowance.left)

    def note_late(self) -> None:
        self.is_late = True
        self.is_cut = self.clock.seconds < self.entrant.seconds_limit

    def stop(self) -> None:
        """Stop all of its threads, and wait until they are; a signal of others may continue it.

        One that cannot be stopped, such as under a debugger, is late in the end.
        """
        changes = os.WSTOPPED | os.WEXITED | os.WNOWAIT | os.WNOHANG
        signal.pidfd_send_signal(self.end, signal.SIGSTOP)
        with released():
            while os.waitid(os.P_PID, self.process.pid, changes) is None and not self.is_late:
                time.sleep(PATIENCE)
                self.clock.seconds += PATIENCE
                if self.clock.seconds >= self.limit():
                    self.note_late()
                signal.pidfd_send_signal(self.end, signal.SIGSTOP)
        self.is_stopped = True

    def leave(self) -> None:
        """It takes no further turn; if it hangs, it is ended at once, as it disturbs the others."""
        self.is_over = True
        if self.is_late and not self.is_cut:
            self.stacks = self.entrant.read_stacks(self.process.pid)
        self.running.kill()

    def give_up(self) -> None:
        """End it where it goes on after the repetitions that it was asked for."""
        if not self.is_over:
            self.is_late = True
            self.leave()

    def arrival(self) -> Arrival:
        ended = self.running.ended(
            in_time=not self.is_late, seconds=self.clock.seconds, stacks=self.stacks
        )
        return Arrival(ended, self.turns, self.ready_seconds, self.is_cut)


def run_in_turns(
    entrants: Sequence[Entrant], repetitions: int, rng: random.Random, seconds_in_all: float = inf
) -> list[Arrival | CannotStartError]:
    """Run processes to their ends, their repetitions in turns; the order of turns is random.

    A process that ends early, or takes no turns, leaves the others theirs. Those that are not over
    after `seconds_in_all` are ended. Raises CannotStartError where the machine lacks something now.
    """
    allowance = Allowance(seconds_in_all)
    found: dict[int, Arrival | CannotStartError] = {}
    sides: dict[int, Side] = {}
    with ExitStack() as stack:
        for at in rng.sample(range(len(entrants)), len(entrants)):
            try:
                sides[at] = Side(entrants[at], allowance, stack)
            except CannotStartError as error:
                if error.is_shortage:
                    raise
                found[at] = error
                continue
            sides[at].advance()  # to its first repetition
        drawn = list(sides.values())
        for order in orders(len(drawn), repetitions):
            for at in order:
                drawn[at].advance()  # what is timed
            for at in order:
                drawn[at].advance()  # verification, and the end of the process or all else before
        for side in drawn:
            side.give_up()
    found |= {at: side.arrival() for at, side in sides.items()}
    return [found[at] for at in range(len(entrants))]


def orders(sides: int, repetitions: int) -> Iterator[list[int]]:
    """The order of each repetition: of any two sides, each begins half of an even number."""
    for repetition in range(repetitions):
        shift = repetition // 2
        order = [(at + shift) % sides for at in range(sides)]
        yield order[::-1] if repetition % 2 else order
