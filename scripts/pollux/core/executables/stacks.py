# SPDX-License-Identifier: BSD-3-Clause
"""What the threads of a hanging process are doing: by gdb, else as far as /proc shows it."""

import shutil
from pathlib import Path

from pollux.core.executables.process import CannotStartError, run_process

GDB_SECONDS = 30.0
FRAMES = 32  # of each thread; a task graph's frames are at the bottom of the stack
CHARACTERS = 20_000  # of the text that is kept


def read_stacks(pid: int) -> str:
    """The stacks of all threads of a process."""
    by_gdb = ask_gdb(pid) or ""
    text = by_gdb if "#0" in by_gdb else "\n".join(filter(None, [by_gdb, ask_kernel(pid)]))
    return text[:CHARACTERS]


def ask_gdb(pid: int) -> str | None:
    """gdb's backtraces, or a line that says why there are none."""
    gdb = shutil.which("gdb")
    if gdb is None:
        return "no gdb here, so no stacks; what the kernel shows of each thread:"
    command = [gdb, "-nx", "-batch", "-p", str(pid), "-ex", f"thread apply all backtrace {FRAMES}"]
    try:
        ended = run_process(command, {"DEBUGINFOD_URLS": "", "LD_PRELOAD": ""}, GDB_SECONDS)
    except CannotStartError as error:
        return error.format_message()
    if ended.status is None:
        return f"gdb gave no stacks within {GDB_SECONDS:g} s"
    start = ended.stdout.find("\nThread ")
    if start >= 0:
        return ended.stdout[start:].strip()
    return f"gdb: {ended.last_line}" if ended.last_line else None


def ask_kernel(pid: int) -> str:
    """State and wait channel of each thread, from /proc."""
    return "\n".join(map(describe_thread, sorted(Path(f"/proc/{pid}/task").glob("*"))))


def describe_thread(folder: Path) -> str:
    """What may be read of a thread: not all is, where no process may be traced."""
    state, channel, call = (first_word(folder / name) for name in ("stat", "wchan", "syscall"))
    if not state:
        return f"thread {folder.name}: gone"
    where = channel.strip("0") or ("running" if state == "R" else "")
    known = [f"in {where}"] * bool(where) + [f"system call {call}"] * bool(call)
    return ", ".join([f"thread {folder.name}: state {state}", *known])


def first_word(path: Path) -> str:
    """The first word of a file, after a name in parentheses; "" where it cannot be read."""
    try:
        words = path.read_bytes().rpartition(b")")[2].decode(errors="replace").split()
    except OSError:
        return ""
    return words[0] if words else ""
