# SPDX-License-Identifier: BSD-3-Clause
"""Processes that take turns: executables of the suite, and scripts that do what a test needs."""

import json
import os
import random
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pollux.core.executables.process import CannotStartError
from pollux.core.executables.turns import Arrival, Entrant, run_in_turns
from project import ROOT

LONG = 60.0  # seconds
REPETITIONS = 4
PYTHON = (sys.executable, "-I", "-S", "-c")
# What comes first in a script that takes turns: `repeat` runs and verifies like an executable,
# `hang` says so before.
PROTOCOL = """
import json, os, signal, socket, subprocess, time
turns = socket.socket(fileno=int(os.environ["POLLUX_TURNS"].split(":")[0]))

def announce(what):
    turns.send(what)
    if not turns.recv(1):
        raise SystemExit("no turn")

def repeat(count, run=lambda repetition: None, verify=lambda repetition: None):
    for repetition in range(count):
        announce(b"r")
        run(repetition)
        announce(b"e")
        verify(repetition)

def stop():
    os.kill(os.getpid(), signal.SIGSTOP)

def hang(how=signal.pause):
    open(os.environ["HANGS"], "w").close()
    how()
"""


def executable(
    name: str,
    runtime: str = "libgomp",
    *,
    repetitions: int = REPETITIONS,
    size: int = 64,
    variant: str = "depend",
) -> list[str]:
    """A benchmark's command line."""
    path = ROOT / "build" / runtime / "bin" / name
    options = {"size": size, "threads": 2, "repeat": repetitions, "seed": 5}
    words = [f"--{key}={value}" for key, value in options.items()]
    return [str(path), f"--variant={variant}", "--format=json", *words]


def script(text: str) -> list[str]:
    """A program that takes turns as the text says."""
    return [*PYTHON, PROTOCOL + text]


def entrant(command: Sequence[str], limit: float = LONG, **variables: str) -> Entrant:
    return Entrant(command, {"OMP_WAIT_POLICY": "passive"} | variables, limit, lambda _: "stacks")


def late_once_it_hangs(command: Sequence[str], pipe: Path, **variables: str) -> Entrant:
    """One whose time is over when it hangs, however long it took until then."""
    os.mkfifo(pipe)
    side = entrant(command, LONG, HANGS=str(pipe), **variables)

    def end_its_time() -> None:
        pipe.read_bytes()
        object.__setattr__(side, "seconds_limit", 0.0)  # frozen but for this

    threading.Thread(target=end_its_time, daemon=True).start()
    return side


def take_turns(
    *entrants: Entrant | Sequence[str], repetitions: int = REPETITIONS, seed: int = 1
) -> list[Arrival]:
    """How they end, if all can be started."""
    sides = [one if isinstance(one, Entrant) else entrant(one) for one in entrants]
    found = run_in_turns(sides, repetitions, random.Random(seed))
    arrivals = [one for one in found if not isinstance(one, CannotStartError)]
    assert len(arrivals) == len(found)
    return arrivals


def records_of(arrival: Arrival) -> list[dict[str, Any]]:
    return [json.loads(line) for line in arrival.ended.stdout.splitlines()]


def is_whole(arrival: Arrival, repetitions: int = REPETITIONS, *, in_turns: bool = True) -> bool:
    """Whether an executable did all that was requested, and passed its checks."""
    printed = records_of(arrival)
    assert arrival.ended.status == 0, arrival.ended.stderr
    assert arrival.turns == (repetitions if in_turns else 0)
    return len(printed) == repetitions and all(line["passed"] for line in printed)


def states_of(process: int) -> list[str]:
    """The states of its threads, such as T: stopped; none where it has gone."""
    found = []
    with suppress(OSError):
        for thread in Path(f"/proc/{process}/task").iterdir():
            with suppress(OSError):
                text = (thread / "stat").read_text()
                found.append(text.rpartition(")")[2].split()[0])
    return found
