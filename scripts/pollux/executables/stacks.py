# SPDX-License-Identifier: BSD-3-Clause
"""What the threads of a process that hangs are doing: by gdb, else as far as the kernel tells."""

import os
import shutil
import subprocess
from pathlib import Path

GDB_SECONDS = 30.0
FRAMES = 32  # of each thread; a task graph's frames are at the bottom of the stack
CHARACTERS = 20_000  # of the text that is kept


def read_stacks(pid: int) -> str:
    """The stacks of all threads of a process."""
    told = ask_gdb(pid) or ""
    text = told if "#0" in told else "\n".join(filter(None, [told, ask_kernel(pid)]))
    return text[:CHARACTERS]


def ask_gdb(pid: int) -> str | None:
    """gdb's backtraces, or a line that says why there are none."""
    gdb = shutil.which("gdb")
    if gdb is None:
        return "no gdb here, so no stacks; what the kernel tells of each thread:"
    command = [gdb, "-nx", "-batch", "-p", str(pid), "-ex", f"thread apply all backtrace {FRAMES}"]
    try:
        done = subprocess.run(
            command,
            env={**os.environ, "DEBUGINFOD_URLS": "", "LD_PRELOAD": ""},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=GDB_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return f"gdb gave no stacks within {GDB_SECONDS:g} s"
    start = done.stdout.find("\nThread ")
    if start >= 0:
        return done.stdout[start:].strip()
    reason = done.stderr.strip().splitlines()
    return f"gdb: {reason[-1]}" if reason else None


def ask_kernel(pid: int) -> str:
    """State and wait channel of each thread, from /proc."""
    return "\n".join(map(describe_thread, sorted(Path(f"/proc/{pid}/task").glob("*"))))


def describe_thread(folder: Path) -> str:
    try:
        state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
        channel = (folder / "wchan").read_text().strip("0") or "running"
        call = (folder / "syscall").read_text().split()[0]
    except OSError:
        return f"thread {folder.name}: gone"
    return f"thread {folder.name}: state {state}, in {channel}, system call {call}"
