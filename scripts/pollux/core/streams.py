# SPDX-License-Identifier: BSD-3-Clause
"""Standard output and error of a command.

Standard output that cannot be written ends the command with one line and a status; a command that
measures goes on instead, and its messages continue on standard error. Standard error that cannot
be written is given up silently: there is nowhere left to report it. Characters that the encoding
lacks are replaced.
"""

import contextlib
import errno
import io
import os
import select
import sys
from typing import TYPE_CHECKING, TextIO

import typer

from pollux.core.text import ENCODING_ERRORS

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))  # by descriptor: 0, 1, 2
MACHINE_STATUS = 3
PIPE_STATUS = 141  # 128 + SIGPIPE, as shells report a program that its reader's end stopped


class OutputError(typer.TyperException):
    """Standard output cannot be written."""

    def __init__(self, error: OSError) -> None:
        is_pipe = error.errno == errno.EPIPE
        super().__init__(
            "standard output was closed by its reader; the rest is not written"
            if is_pipe
            else f"cannot write to standard output ({error.strerror})"
        )
        self.exit_code = PIPE_STATUS if is_pipe else MACHINE_STATUS


class Sink(io.RawIOBase):
    """A descriptor that is written to until that fails once; what follows is discarded.

    With `fallback`, standard output raises no error: what follows goes there, after `notice`.
    """

    def __init__(self, descriptor: int, *, raises: bool) -> None:
        super().__init__()
        self.descriptor = descriptor
        self.raises = raises
        self.failed = False
        self.fallback: Sink | None = None
        self.notice = ""

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.descriptor

    def isatty(self) -> bool:
        return os.isatty(self.descriptor)

    def write(self, data: "ReadableBuffer") -> int:
        if not self.failed:
            try:
                return write_some(self.descriptor, data)
            except OSError as error:
                self.failed = True
                self.report(error)
        return self.fallback.write(data) if self.fallback else memoryview(data).nbytes

    def report(self, error: OSError) -> None:
        if self.fallback is not None:
            text = f"pollux: cannot write to standard output ({error.strerror}); {self.notice}\n"
            self.fallback.write(text.encode())
        elif self.raises:
            raise OutputError(error)


def write_some(descriptor: int, data: "ReadableBuffer") -> int:
    """Write what the descriptor takes; waits where it is full for now and does not block."""
    while True:
        try:
            return os.write(descriptor, data)
        except BlockingIOError:
            select.select([], [descriptor], [])


def open_closed_streams() -> None:
    """Open the null device for each of the descriptors 0, 1 and 2 that is closed.

    Otherwise a file of records could become standard output, of the command and of the programs
    that it starts.
    """
    for descriptor, (name, mode) in enumerate(STREAMS):
        if not is_open(descriptor):
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # the lowest free number
        if getattr(sys, name) is None:
            setattr(sys, name, open(descriptor, mode, closefd=False))  # noqa: SIM115


def is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def install() -> None:
    """Replace `sys.stdout` and `sys.stderr`, before any file is opened.

    Those that a test or another program put in place of the interpreter's own stay.
    """
    own = sys.stdout is sys.__stdout__, sys.stderr is sys.__stderr__
    open_closed_streams()
    if own[0]:
        sys.stdout = text_stream(Sink(1, raises=True), sys.stdout)
    if own[1]:
        sys.stderr = text_stream(Sink(2, raises=False), sys.stderr)


def text_stream(sink: Sink, older: TextIO) -> io.TextIOWrapper:
    """A stream in the encoding of the one that it replaces; standard error is not buffered."""
    return io.TextIOWrapper(
        io.BufferedWriter(sink),
        encoding=older.encoding,
        errors=ENCODING_ERRORS,
        line_buffering=sink.isatty() or not sink.raises,
    )


def carry_on(what: str) -> None:
    """From now on a standard output that fails ends nothing; `what` says what goes on."""
    out, error = sink_of(sys.stdout), sink_of(sys.stderr)
    if out is not None and error is not None:
        out.fallback, out.notice = error, f"{what}, and its messages continue here"


def sink_of(stream: object) -> Sink | None:
    """The last layer of a stream, if it is one of ours."""
    raw = getattr(getattr(stream, "buffer", None), "raw", None)
    return raw if isinstance(raw, Sink) else None


def finish() -> None:
    """Write what is still in buffers; raises OutputError."""
    sys.stdout.flush()


def finish_quietly(status: int) -> int:
    """The same after an error, whose status and message matter more."""
    with contextlib.suppress(OutputError):
        finish()
    return status
