# SPDX-License-Identifier: BSD-3-Clause
"""What faults of campaigns and of executables share: processes that are struck, and full disks."""

import contextlib
import os
import random
import resource
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from killed_campaign import DEATH_SECONDS, MARK
from pollux.core.interruption import SIGNALS
from pollux.core.paths import ROOT

sys.path.insert(0, str(ROOT / "tests/scripts/helpers"))
from marks import left_behind
from surroundings import environment

WAIT_SECONDS = 300.0  # for a process that must end; it takes a few at most
PAGE = 4096
# Signals that ask a program to end, and others that end it at once.
STRIKES = (
    *SIGNALS,
    signal.SIGKILL,
    signal.SIGQUIT,
    signal.SIGABRT,
    signal.SIGSEGV,
    signal.SIGBUS,
    signal.SIGALRM,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGXCPU,
)
# A command on a file system of its own that has room for little more than the file it writes to.
TINY = """\
mount -t tmpfs -o size="$1" pollux "$2" || exit 99
cp "$3" "$2" 2>/dev/null
keep=$2/${3##*/} back=$3
shift 3
"$@"
status=$?
cp "$keep" "$back" 2>/dev/null
exit $status
"""


class MissedError(Exception):
    """The process had ended before the fault could strike."""


@dataclass
class Started:
    """A process that a fault strikes."""

    process: "subprocess.Popen[bytes]"
    mark: str  # in the environment of it and its children
    out: Path
    err: Path

    def ends_within(self, seconds: float) -> bool:
        try:
            self.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def kill(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)

    def wait(self) -> int:
        try:
            return self.process.wait(timeout=WAIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return -1000  # no status that anything expects

    def left_behind(self) -> list[str]:
        """Processes that outlive it by more than a moment; they are killed."""
        return left_behind(self.mark, DEATH_SECONDS)


def start(  # noqa: PLR0913 (the ways in which descriptors and limits go wrong)
    command: Sequence[str],
    folder: Path,
    *,
    name: str = "struck",
    file_bytes: int | None = None,
    descriptors: int | None = None,
    closed: Sequence[int] = (),
    out: int | None = None,
) -> Started:
    """Start a command with limits and closed descriptors; `out` replaces its standard output."""
    mark = str(uuid.uuid4())
    files = folder / f"{name}.out", folder / f"{name}.err"

    def prepare() -> None:
        for number in STRIKES:
            with contextlib.suppress(OSError):
                signal.signal(number, signal.SIG_DFL)
        if file_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
        if descriptors is not None:
            resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))
        for descriptor in closed:
            os.close(descriptor)

    with files[0].open("wb") as stdout, files[1].open("wb") as stderr:
        process = subprocess.Popen(
            command,
            env=environment(**{MARK: mark}),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=stdout if out is None else out,
            stderr=stderr,
            preexec_fn=prepare,
        )
    return Started(process, mark, *files)


def has_namespaces() -> bool:
    """Whether a user may mount a file system of their own here."""
    command = ["unshare", "-Urm", "mount", "-t", "tmpfs", "none", "/tmp"]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def on_tiny_disk(command: Sequence[str], file: Path, folder: Path, pages: int) -> list[str]:
    """The command that runs another in a file system with room for some pages more than `file`.

    `command` writes to the file of the same name in `folder`, which is copied back afterwards.
    """
    folder.mkdir(exist_ok=True)
    size = file.stat().st_size if file.exists() else 0
    room = (size // PAGE + 1 + pages) * PAGE
    return ["unshare", "-Urm", "sh", "-c", TINY, "sh", str(room), str(folder), str(file), *command]


@contextlib.contextmanager
def unwritable_output(rng: random.Random) -> Iterator[int]:
    """A standard output that takes nothing: a full device, or a pipe that nobody reads."""
    if rng.random() < 0.5:
        descriptor = os.open("/dev/full", os.O_WRONLY)
    else:
        reader, descriptor = os.pipe()
        os.close(reader)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def wait_until(condition: Callable[[], bool], started: Started) -> None:
    """Wait for a condition; MissedError if the process ends before it holds."""
    while not condition():
        if started.ends_within(0.001):
            raise MissedError
