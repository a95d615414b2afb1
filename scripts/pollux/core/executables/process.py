# SPDX-License-Identifier: BSD-3-Clause
"""Runs one process to its end or its time limit, and leaves no process behind.

Nothing else in the package starts processes.
"""

import contextlib
import errno
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, NoReturn, Self, cast

from pollux.core.errors import MachineError
from pollux.core.interruption import held, postpone, released
from pollux.core.text import cut_line

CANNOT_START = 127  # what shells return for a program that cannot be started
OUTPUT_BYTES = 1 << 26  # what a process may write; beyond it, a write fails or SIGXFSZ ends it
MACHINE_CANNOT = 3  # exit status of the executables, as in common/base/message.h
LAST_WAIT = 10.0  # seconds for a process that cannot be killed to end by itself
SLICE = 10.0  # seconds after which a wait is begun anew
LATE = 1.0  # seconds by which a wait that lasts longer was stopped
BOOT = Path("/proc/sys/kernel/random/boot_id")
NAMESPACE = Path("/proc/self/ns/pid")
SETPRIV = ("setpriv", "--pdeathsig", "KILL")
UNWRITTEN = "cannot write to standard output: "  # said by them where that is the reason
# Errors that say that the machine lacks something now, not that a program is wrong.
SHORTAGES = (
    errno.EAGAIN,
    errno.EDQUOT,
    errno.EIO,
    errno.EMFILE,
    errno.ENFILE,
    errno.ENOMEM,
    errno.ENOSPC,
)
# What usually sends a signal to a benchmark that did nothing wrong itself.
HINTS: dict[int, str] = {
    signal.SIGABRT: "the program or its runtime gave up",
    signal.SIGBUS: "memory or a file system may be full",
    signal.SIGHUP: "the terminal or the batch system ended it",
    signal.SIGILL: "the build, its libraries or OPENBLAS_CORETYPE may be for another processor",
    signal.SIGINT: "someone interrupted it",
    signal.SIGKILL: "the system may have run out of memory, or a batch system ended it",
    signal.SIGPIPE: "the reader of its output has gone",
    signal.SIGSEGV: "a fault of the runtime, or too small a stack: see OMP_STACKSIZE, ulimit -s",
    signal.SIGSYS: "a sandbox forbids a system call that it needs",
    signal.SIGTERM: "someone, or the batch system, ended it",
    signal.SIGXCPU: "it exceeded the limit on processor time: see ulimit -t",
    signal.SIGXFSZ: f"it wrote more than ulimit -f or {OUTPUT_BYTES >> 20} MiB allow",
}


class CannotStartError(MachineError):
    """A program that the system does not start."""

    def __init__(self, program: str, error: OSError) -> None:
        self.reason = error.strerror or str(error)
        super().__init__(f"cannot start {program} ({self.reason})")
        self.is_shortage = error.errno in SHORTAGES


@dataclass(frozen=True)
class Ended:
    """How a process ended and what it printed."""

    status: int | None  # as subprocess has it: -N for signal N; None: killed at its time limit
    stdout: str
    stderr: str
    seconds: float = 0.0  # from start to end, less those in which this process was stopped
    stacks: str | None = None  # of its threads, where it was killed at its limit
    unwritten: str | None = None  # why the machine did not take its output, if it did not

    @property
    def last_line(self) -> str:
        """The last line on standard error, where programs report why they fail."""
        return cut_line(self.stderr.strip().rpartition("\n")[2])

    @property
    def how(self) -> str:
        """How it ended, in a few words."""
        if self.status is None:
            return f"not finished after {self.seconds:.3g} s"
        return (
            f"killed by {signal_name(-self.status)}"
            if self.status < 0
            else f"exit status {self.status}"
        )

    @property
    def how_and_why(self) -> str:
        """How it ended, its last line, and what a signal usually means."""
        why = f"{self.how}: {self.last_line}" if self.last_line else self.how
        hint = HINTS.get(-self.status) if self.status is not None else None
        return f"{why} ({hint})" if hint else why

    @property
    def failure(self) -> str:
        """Why it failed: its last line where it ended by itself, else how it ended."""
        exited = self.status is not None and self.status >= 0
        return self.last_line if exited and self.last_line else self.how


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"


def run_process(  # noqa: PLR0913 (the ways in which programs are run)
    command: Sequence[str],
    variables: Mapping[str, str],
    seconds_limit: float,
    *,
    file_bytes: int | None = OUTPUT_BYTES,
    folder: Path | None = None,
    read_stacks: Callable[[int], str] | None = None,
    descriptors: Sequence[int] = (),
) -> Ended:
    """Run a command with `variables` added to the environment, in `folder`, these descriptors open.

    No file that it writes is longer than `file_bytes`, and it writes no core file; None sets no
    limits, for commands that hand theirs on. Where it reaches its time limit,
    `read_stacks` is given its process number before it is killed.

    The process leads a session of its own, of which nothing is left at its end. Where this process
    is killed, executables of the suite end too, so that no run outlives a campaign; other programs
    go on. Raises CannotStartError.
    """
    with held():  # a signal while it starts would leave it running
        running = Running(
            command, variables, file_bytes=file_bytes, folder=folder, descriptors=descriptors
        )
        with running:
            started, clock = time.monotonic() - running.start, Clock()
            in_time = wait(running.process, seconds_limit, clock)
            stacks = None if in_time or read_stacks is None else read_stacks(running.process.pid)
        seconds = started + clock.seconds
        return running.ended(in_time=in_time, seconds=seconds, stacks=stacks)


class Running:
    """A process from its start on; leaving its context ends it and whatever it has started."""

    def __init__(
        self,
        command: Sequence[str],
        variables: Mapping[str, str],
        *,
        file_bytes: int | None = OUTPUT_BYTES,
        folder: Path | None = None,
        descriptors: Sequence[int] = (),
    ) -> None:
        """Start it as `run_process` says, with these descriptors open; raises CannotStartError."""
        self.command = command
        self.file_bytes = sys.maxsize if file_bytes is None else file_bytes
        self.limit = file_limit(self.file_bytes)
        self.files: list[IO[bytes]] = []
        try:
            self.files = [output_file("stdout"), output_file("stderr")]
            self.start = time.monotonic()
            self.process = subprocess.Popen(
                command,
                cwd=folder,
                env={**os.environ, **variables, **follow_parent()},
                stdin=subprocess.DEVNULL,
                stdout=self.files[0],
                stderr=self.files[1],
                start_new_session=True,
                pass_fds=descriptors,
            )
        except OSError as error:
            self.close()
            raise CannotStartError(command[0], error) from error
        if file_bytes is not None:
            limit_files(self.process, self.limit)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            self.kill()
        finally:
            if kind is not None:
                self.close()

    def kill(self) -> None:
        """End whatever is left of it and of what it has started."""
        kill_session(self.process)

    def close(self) -> None:
        for file in self.files:
            file.close()

    def ended(self, *, in_time: bool, seconds: float, stacks: str | None = None) -> Ended:
        """How it ended, after that; called once."""
        stdout, stderr = self.files
        try:
            printed, errors = read_text(stdout), read_text(stderr)
            is_too_long = os.fstat(stdout.fileno()).st_size >= self.file_bytes
        except OSError as error:
            raise CannotStartError(self.command[0], error) from error
        finally:
            self.close()
        status = self.process.returncode if in_time else None
        is_lowered = self.limit < self.file_bytes
        reason = None if is_too_long else why_unwritten(status, errors, is_lowered=is_lowered)
        return Ended(status, printed, errors, seconds, stacks, reason)


def become(command: list[str]) -> NoReturn:
    """Go on as another program, which then gets the signals and has the exit status of this one.

    Raises CannotStartError.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # which Python ignores, and programs inherit
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execv(command[0], command)
    except OSError as error:
        raise CannotStartError(command[0], error) from error


class Beside:
    """A process that runs beside others until it is stopped; it dies with this one."""

    def __init__(self, command: Sequence[str]) -> None:
        """Start a command that prints nothing but errors; raises CannotStartError."""
        self.running = Running(command, {}, file_bytes=sys.maxsize)
        self.process = self.running.process

    def ended(self) -> Ended | None:
        """How it ended, if it has."""
        if self.process.poll() is None:
            return None
        return self.running.ended(in_time=True, seconds=time.monotonic() - self.running.start)

    def stop(self, seconds_limit: float) -> Ended:
        """Ask it to end, and end it after the limit."""
        self.process.terminate()  # which sees whether it has ended
        in_time = False
        try:
            in_time = self.process.returncode is not None or wait(self.process, seconds_limit)
        finally:
            self.running.kill()
        seconds = time.monotonic() - self.running.start
        return self.running.ended(in_time=in_time, seconds=seconds)


def output_file(name: str) -> IO[bytes]:
    """A file in memory for what a process prints, so that no full disk cuts it short."""
    try:
        return os.fdopen(os.memfd_create(f"pollux-{name}"), "w+b")
    except OSError:  # some systems do not allow it
        return tempfile.TemporaryFile()


def file_limit(file_bytes: int) -> int:
    """The longest file that a process may write: `file_bytes`, or less by `ulimit -f`."""
    inherited = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    return file_bytes if inherited == resource.RLIM_INFINITY else min(file_bytes, inherited)


def why_unwritten(status: int | None, errors: str, *, is_lowered: bool) -> str | None:
    """Why a process could not print what it had to, if that is why it ended.

    `is_lowered`: a limit of the user's shell keeps files shorter than processes here may write.
    """
    if is_lowered and status == -signal.SIGXFSZ:
        return "File too large for the limit of ulimit -f"
    if status == MACHINE_CANNOT and UNWRITTEN in errors:
        return errors.rpartition(UNWRITTEN)[2].partition("\n")[0]
    return None


def follow_parent() -> dict[str, str]:
    """What makes an executable of the suite die with this process, as common/base/parent.c has it.

    Nothing has to be called between fork and exec then, so that Python starts a process without
    copying its own memory, which would take longer than many runs.
    """
    return {"POLLUX_PARENT": parent_text(os.getpid())}


def parent_text(process: int) -> str:
    """A process of this machine and PID namespace; elsewhere its number means nothing."""
    boot, namespace = "", 0
    with contextlib.suppress(OSError):
        boot = BOOT.read_text().strip()
    with contextlib.suppress(OSError):
        namespace = NAMESPACE.stat().st_ino
    return f"{process}:{boot}:{namespace}"


def dying_with_this(launcher: Sequence[str]) -> Sequence[str]:
    """The words of a launcher, which is killed when this process dies, where setpriv(1) can.

    The executables that it starts die with it (follow_parent).
    """
    return [*SETPRIV, *launcher] if launcher and has_setpriv() else launcher


@cache
def has_setpriv() -> bool:
    """Whether it is there, and knows the option: that of util-linux 2.33 does."""
    with contextlib.suppress(OSError):
        return subprocess.run([*SETPRIV, "true"], capture_output=True, check=False).returncode == 0
    return False


def limit_files(process: "subprocess.Popen[bytes]", file_bytes: int) -> None:
    """Let a process that has just begun write no core file, and no file longer than this.

    Where others keep this one waiting, it may have ended by now, or have set a lower limit itself.
    """
    with contextlib.suppress(ProcessLookupError, PermissionError):
        resource.prlimit(process.pid, resource.RLIMIT_CORE, (0, 0))
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (file_bytes, file_bytes))


@dataclass
class Clock:
    """The time that a process is given.

    While this one is stopped, by Ctrl-Z or with all of its job, none passes, but for a slice at
    most.
    """

    seconds: float = 0.0  # that have passed

    def has_news(self, poll: select.poll, limit: Callable[[], float]) -> bool:
        """Whether something happens before so many seconds have passed, which may change."""
        while (left := limit() - self.seconds) > 0:
            if self.look(poll, left):
                return True
        return False

    def look(self, poll: select.poll, seconds: float) -> bool:
        """Whether something happens within these, or within a slice of them."""
        span, begun = min(seconds, SLICE), time.monotonic()
        is_there = True  # if this is interrupted
        try:
            is_there = bool(poll.poll(span * 1000))
        finally:
            passed = time.monotonic() - begun
            if is_there or passed < span + LATE:
                self.seconds += min(span, passed)
        return is_there


def wait(
    process: "subprocess.Popen[bytes]", seconds_limit: float, clock: Clock | None = None
) -> bool:
    """Whether the process ended within the limit, by a clock; sleeps until it does.

    Signals interrupt this even where they are held, unless the process has just ended. Raises
    CannotStartError.
    """
    descriptor = open_end(process)
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    try:
        with released():
            return (clock or Clock()).has_news(poll, lambda: seconds_limit)
    except KeyboardInterrupt:
        if poll.poll(0) and postpone():
            return True
        raise
    finally:
        os.close(descriptor)


def open_end(process: "subprocess.Popen[bytes]") -> int:
    """A descriptor of a process, readable once that has ended; raises CannotStartError."""
    try:
        return os.pidfd_open(process.pid)
    except OSError as error:
        raise CannotStartError(cast("Sequence[str]", process.args)[0], error) from error


def has_ended(process: "subprocess.Popen[bytes]") -> bool:
    """Whether a process that is not reaped has ended."""
    ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
    return ended is not None


def kill_session(process: "subprocess.Popen[bytes]") -> None:
    """End whatever is left of the process and its children, and reap it.

    Once it is reaped, its number may be another's. MachineError if all are another user's.
    """
    if process.returncode is not None:
        return
    was_alive = not has_ended(process)
    limit = None
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    except PermissionError:  # as under sudo
        limit = LAST_WAIT
    if was_alive:  # a launcher that ends by itself ends what it has started
        kill_members(process.pid)
    try:
        process.wait(limit)
    except subprocess.TimeoutExpired as error:
        raise MachineError(
            f"process {process.pid} belongs to another user; end it and all of its group by hand: "
            f"kill -KILL -- -{process.pid}"
        ) from error


def kill_members(session: int) -> None:
    """End what is in groups of its own within a session, as what mpirun starts."""
    killed = {session}  # with its group
    while found := members(session) - killed:
        for number in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(number, signal.SIGKILL)
        killed |= found


def members(session: int) -> set[int]:
    """The processes of a session; its leader, which is not reaped, keeps its number from others."""
    found = set()
    for number in (int(folder.name) for folder in Path("/proc").glob("[0-9]*")):
        with contextlib.suppress(ProcessLookupError):
            if os.getsid(number) == session:
                found.add(number)
    return found


def read_text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")
