# SPDX-License-Identifier: BSD-3-Clause
"""Processes in turns: one runs at a time, and whatever one of them does, the others do their work.

The executables are those of the suite's builds; what goes wrong is done by scripts beside them.
"""

import json
import os
import random
import select
import signal
import socket
import subprocess
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from types import FrameType, MethodType
from typing import Any, ClassVar, cast

import pytest
from marks import left_behind, marked
from pollux.core.executables import turns
from pollux.core.executables.process import CannotStartError, Clock, run_process
from pollux.core.executables.turns import Entrant, orders, run_in_turns
from pollux.core.interruption import held
from project import ROOT
from turn_takers import (
    LONG,
    REPETITIONS,
    entrant,
    executable,
    is_whole,
    late_once_it_hangs,
    records_of,
    script,
    states_of,
    take_turns,
)

DOUBLES = ROOT / "build/libgomp/tests/doubles"
LU = executable("lu")
SIDES = [LU, executable("lu", "libomp"), executable("cholesky")]
KILLS = 16  # kills of a controller
LOOKS = 20  # before it, at most: these make its moment random


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail where it takes longer, rather than wait for ever."""

    def give_up(number: int, frame: FrameType | None) -> None:
        pytest.fail(f"not finished after {seconds:g} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("count", [2, 3])
def test_repetitions_of_all_sides_alternate_and_never_overlap(count: int) -> None:
    arrivals = take_turns(*SIDES[:count])
    spans = [[(r["start_unix_ns"], r["end_unix_ns"]) for r in records_of(a)] for a in arrivals]
    assert {len(own) for own in spans} == {REPETITIONS}
    rows = [sorted(own[r] for own in spans) for r in range(REPETITIONS)]
    one_after_the_other = [span for row in rows for span in row]
    for (_, end), (begin, _) in pairwise(one_after_the_other):
        assert end <= begin


def test_results_are_those_of_runs_without_turns() -> None:
    sides = [*SIDES, executable("qr"), executable("task-overhead", variant="chain")]
    alone = [run_process(side, {"OMP_WAIT_POLICY": "passive"}, LONG) for side in sides]
    for arrival, ended in zip(take_turns(*sides), alone, strict=True):
        assert is_whole(arrival)
        expected = [json.loads(line) for line in ended.stdout.splitlines()]
        assert list(map(results, records_of(arrival))) == list(map(results, expected))


def results(record: dict[str, Any]) -> dict[str, Any]:
    """What a record says but for times and places."""
    timed = {"seconds", "gflops", "quantities", "details", "bindings", "figures", "energy"}
    clock = {"start_unix_ns", "end_unix_ns", "preemptions"}
    return {name: value for name, value in record.items() if name not in timed | clock}


LOOKS = 20  # in a repetition
LOOK = """
def look(count):
    states = {}
    for _ in range(count):
        for path in os.listdir("/proc"):
            if path.isdigit() and path != str(os.getpid()) and parent(path) == os.getppid():
                own = states.setdefault(path, [])
                own += [stat(f"{path}/task/{t}")[0] for t in os.listdir(f"/proc/{path}/task")]
    print(json.dumps(states), flush=True)

def stat(path):
    return open(f"/proc/{path}/stat").read().rpartition(")")[2].split()

def parent(path):
    try:
        return int(stat(path)[1])
    except OSError:
        return None

"""


def test_while_one_side_runs_all_threads_of_the_others_are_stopped() -> None:
    watch = script(f"{LOOK}repeat({REPETITIONS}, lambda _: look({LOOKS}))")
    spinning = [
        entrant(LU, OMP_WAIT_POLICY="active"),
        entrant(SIDES[1], OMP_WAIT_POLICY="active", KMP_BLOCKTIME="infinite"),
    ]
    looks = records_of(take_turns(watch, *spinning)[0])
    assert len(looks) == REPETITIONS
    for states in looks:
        assert len(states) == len(spinning)
        for own in states.values():
            assert len(own) >= 2 * LOOKS  # of two threads or more, each time
            assert set(own) == {"T"}


KILL_ITSELF = "os.kill(os.getpid(), signal.SIGKILL)"
IN_TURN = "repeat(9, lambda r: {} if r == 2 else None)"
AFTER_TURN = "repeat(9, verify=lambda r: {} if r == 2 else None)"
# Name: what the side does, the status that it ends with, and how many turns it has.
DEPARTURES: dict[str, tuple[list[str], int | None, int]] = {
    "killed in its turn": (script(IN_TURN.format(KILL_ITSELF)), -9, 2),
    "killed in its verification": (script(AFTER_TURN.format(KILL_ITSELF)), -9, 3),
    "exits in its turn": (script(IN_TURN.format("os._exit(7)")), 7, 2),
    "has fewer repetitions": (script("repeat(1)"), 0, 1),
    "has more repetitions": (script(f"repeat({REPETITIONS + 5})"), None, REPETITIONS),
    "never announces": (["sh", "-c", "true"], 0, 0),
    "never begins": (["sh", "-c", "exit 3"], 3, 0),
    "closes its socket": (script("turns.close(); os.system('true')"), 0, 0),
    "announces and closes": (script("turns.send(b'r'); turns.close(); os.system('true')"), 0, 0),
    "announces and exits": (script('turns.send(b"r"); raise SystemExit(5)'), 5, 0),
    "writes nonsense": (
        script('turns.send(bytes(20) + b"rer"); signal.pause()'),
        None,
        2 * REPETITIONS + 1,
    ),
    "leaves a child with the socket": (
        script("import sys\nif os.fork() == 0: signal.pause()\nrepeat(1)"),
        0,
        1,
    ),
    "hangs before its turn": (script("hang()"), None, 0),
    "hangs in its turn": (script(IN_TURN.format("hang()")), None, 2),
    "hangs in its verification": (script(AFTER_TURN.format("hang()")), None, 3),
    "stops itself": (script(IN_TURN.format("hang(stop)")), None, 2),
}


@pytest.mark.parametrize("how", DEPARTURES)
def test_however_a_side_ends_its_partners_have_all_their_repetitions(
    how: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    command, status, count = DEPARTURES[how]
    mark = str(uuid.uuid4())
    # Within this a hang is noticed.
    monkeypatch.setattr("pollux.core.executables.process.SLICE", 0.05)
    with within(LONG):
        side = late_once_it_hangs(command, tmp_path / "pipe", MARK=mark)
        first, gone, last = take_turns(LU, side, SIDES[2])
    assert (gone.ended.status, gone.turns) == (status, count)
    assert gone.ended.stacks == ("stacks" if status is None else None)
    assert is_whole(first) and is_whole(last)
    refuse_survivors(mark)


@pytest.mark.parametrize(("double", "status"), [("crashing", -signal.SIGSEGV), ("hanging", None)])
def test_an_executable_that_fails_in_its_turn_leaves_its_partner_all_of_its_own(
    double: str, status: int | None
) -> None:
    command = executable("lu", size=256)
    (alone,) = take_turns(command)
    tasks = records_of(alone)[0]["tasks"]
    planted = {
        "LD_PRELOAD": str(DOUBLES / f"{double}.so"),
        "POLLUX_DOUBLE_TASK": str(2 * tasks + tasks // 2),  # after the warm-up and a repetition
    }
    limit = 10.0 if status is None else LONG
    failed, good = take_turns(entrant(command, limit, **planted), LU)
    assert (failed.ended.status, failed.turns, len(records_of(failed))) == (status, 1, 1)
    assert is_whole(good)


def test_a_side_that_is_killed_while_it_is_stopped_ends_its_sample_alone(tmp_path: Path) -> None:
    number = tmp_path / "pid"
    victim = script(f"open({str(number)!r}, 'w').write(str(os.getpid())); repeat(9)")
    kill = f"os.kill(int(open({str(number)!r}).read()), signal.SIGKILL)"
    killed, killer, good = take_turns(victim, script(f"repeat(4, lambda r: r == 1 and {kill})"), LU)
    assert killed.ended.status == -signal.SIGKILL
    assert 1 <= killed.turns <= 2
    assert (killer.ended.status, killer.turns) == (0, 4)
    assert is_whole(good)


def test_a_side_that_announces_without_end_and_reads_nothing_is_ended() -> None:
    flood = script('while True: turns.send(b"r" * 100)')
    with within(LONG / 4):
        late, good = take_turns(entrant(flood, 1.0), LU)
    assert late.ended.status is None
    assert is_whole(good)


def test_a_side_that_cannot_be_started_leaves_the_others_theirs(tmp_path: Path) -> None:
    missing = entrant([str(tmp_path / "missing")])
    sides = [missing, entrant(LU), entrant(SIDES[1])]
    refused, *others = run_in_turns(sides, REPETITIONS, random.Random(1))
    assert isinstance(refused, CannotStartError)
    for other in others:
        assert not isinstance(other, CannotStartError)
        assert is_whole(other)


def test_a_time_limit_counts_the_own_time_of_a_side(monkeypatch: pytest.MonkeyPatch) -> None:
    limit, step = LONG / 3, LONG / 20  # there are nine waits for each side
    slow, quick = script("repeat(4) # slow"), script("repeat(4)")

    class Ticking(Clock):
        """A clock by which each wait for a slow side takes it a step more."""

        def has_news(self, poll: select.poll, limit: Callable[[], float]) -> bool:
            side = cast(turns.Side, cast(MethodType, limit).__self__)
            if side.entrant.command is slow:
                self.seconds += step
            return super().has_news(poll, limit)

    monkeypatch.setattr(turns, "Clock", Ticking)
    late, patient, in_time = take_turns(entrant(slow, limit), slow, entrant(quick, limit))
    assert (in_time.ended.status, in_time.turns) == (0, 4)
    assert in_time.ended.seconds < limit
    assert (patient.ended.status, patient.turns) == (0, 4)
    assert patient.ended.seconds >= 9 * step
    assert (late.ended.status, late.ended.seconds >= limit) == (None, True)
    assert late.turns <= 3


def test_a_side_that_cannot_be_stopped_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    side = entrant(script("repeat(9)"))

    def never_stops() -> None:
        object.__setattr__(side, "seconds_limit", 0.0)  # frozen but for this

    replace_stops(monkeypatch, never_stops)
    with within(LONG / 4):
        (late,) = take_turns(side)
    assert (late.ended.status, late.ended.stacks, late.turns) == (None, "stacks", 0)


@pytest.mark.usefixtures("_signals_interrupt")
def test_the_wait_for_a_side_to_stop_can_be_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    replace_stops(monkeypatch, lambda: os.kill(os.getpid(), signal.SIGTERM))
    with within(LONG / 4), pytest.raises(KeyboardInterrupt), held():
        take_turns(script("repeat(9)"))


def replace_stops(monkeypatch: pytest.MonkeyPatch, do: Callable[[], None]) -> None:
    """Let no process ever be seen to be stopped, and this be done where one should be."""
    waitid = os.waitid

    def unstopped(kind: int, number: int, options: int) -> os.waitid_result | None:
        if not options & os.WSTOPPED:
            return waitid(kind, number, options)
        do()
        return None

    monkeypatch.setattr(os, "waitid", unstopped)


def test_the_time_until_the_first_repetition_is_told() -> None:
    arrival, none = take_turns(script("repeat(2, lambda r: None)"), ["true"], repetitions=2)
    assert 0 < arrival.ready_seconds < arrival.ended.seconds
    assert none.ready_seconds == 0


@pytest.mark.parametrize(
    ("launcher", "in_turns"),
    [(["nice", "-n", "1"], True), (["sh", "-c", '"$@"; true', "sh"], False)],
)
def test_behind_a_launcher_that_forks_a_program_runs_to_its_end_without_turns(
    launcher: list[str], in_turns: bool
) -> None:
    launched, good = take_turns([*launcher, *LU], SIDES[2])
    assert is_whole(launched, in_turns=in_turns)
    assert is_whole(good)


def test_a_variable_that_names_no_socket_of_turns_is_ignored() -> None:
    ours, theirs = socket.socketpair()
    reading, writing = os.pipe()
    with ours, theirs, os.fdopen(reading), os.fdopen(writing, "w"):
        right, me = theirs.fileno(), os.getpid()
        inode, of_pipe = (os.fstat(number).st_ino for number in (right, reading))
        wrong = [
            *("", "x", "3", f"{right}", f"{right}:{inode}", f"{right}:{inode}:{me}:", "::"),
            *(f"{right}:{inode + 1}:{me}", f"{right}:{inode}:1", f"{right}:{inode}:{me} x"),
            *(f"{reading}:{of_pipe}:{me}", f"{ours.fileno()}:{inode}:{me}", f"-1:{inode}:{me}"),
            f"{2**64}:{2**65}:{2**66}",
        ]
        for text in wrong:
            assert run_with(text, right, reading) == REPETITIONS
        ours.setblocking(False)
        with pytest.raises(BlockingIOError):
            ours.recv(1)
        ours.send(bytes(2 * REPETITIONS))
        assert run_with(f"{right}:{inode}:{me}", right) == REPETITIONS
        assert ours.recv(100) == b"re" * REPETITIONS


def run_with(text: str, *descriptors: int) -> int:
    """How many records a run prints that is given this as the socket of its turns."""
    done = subprocess.run(
        LU,
        env={**os.environ, "OMP_WAIT_POLICY": "passive", turns.VARIABLE: text},
        pass_fds=descriptors,
        capture_output=True,
        timeout=LONG,
        check=True,
    )
    return len(done.stdout.splitlines())


def test_an_executable_whose_giver_of_turns_has_gone_says_so_and_ends() -> None:
    ours, theirs = socket.socketpair()
    with theirs:
        place = f"{theirs.fileno()}:{os.fstat(theirs.fileno()).st_ino}:{os.getpid()}"
        ours.close()
        environment = {**os.environ, turns.VARIABLE: place}
        descriptors = [theirs.fileno()]
        done = subprocess.run(LU, env=environment, pass_fds=descriptors, capture_output=True)
    assert (done.returncode, done.stdout) == (3, b"")
    assert done.stderr.endswith(b"lu: the program that gave this one its turns has gone\n")


def test_a_controller_that_is_killed_at_any_moment_leaves_no_process_running_or_stopped() -> None:
    rng = random.Random(4)
    endless = [executable("lu", name, repetitions=10**6) for name in ("libgomp", "libomp")]
    met = set()
    for kill in range(KILLS):
        mark = str(uuid.uuid4())
        sides = [entrant(command, MARK=mark) for command in endless]
        controller = fork(sides, random.Random(kill))
        if kill % 2:
            wait_for_two(mark)
        for _ in range(rng.randrange(LOOKS)):
            met |= {state for process in marked(mark) for state in states_of(process)}
        os.kill(controller, signal.SIGKILL)
        os.waitpid(controller, 0)
        refuse_survivors(mark)
    assert "T" in met


def fork(sides: list[Entrant], rng: random.Random) -> int:
    """A process that gives turns for ever."""
    controller = os.fork()
    if controller == 0:
        with suppress(BaseException):
            run_in_turns(sides, 10**6, rng)
        os._exit(1)
    return controller


def wait_for_two(mark: str) -> None:
    """Until both sides run, one of them stopped."""
    deadline = time.monotonic() + LONG
    while time.monotonic() < deadline:
        states = [set(states_of(process)) for process in marked(mark)]
        if len(states) == 2 and {"T"} in states:
            return
    raise TimeoutError("they take no turns")


def refuse_survivors(mark: str) -> None:
    assert left_behind(mark, LONG / 6) == []


@pytest.mark.parametrize("sides", [2, 3, 4, 5])
def test_orders_are_balanced_within_a_rota(sides: int) -> None:
    rows = list(orders(sides, 4 * sides))
    assert all(sorted(order) == list(range(sides)) for order in rows)
    for place in range(sides):
        assert Counter(order[place] for order in rows) == dict.fromkeys(range(sides), 4)
    half = rows[: 2 * sides]
    assert all(Counter(o[p] for o in half)[s] == 2 for p in range(sides) for s in range(sides))
    for order, opposite in zip(rows[::2], rows[1::2], strict=True):
        assert order == opposite[::-1]


def test_orders_of_rotas_are_random_and_a_function_of_the_generator(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(turns, "Side", Imagined)
    seen = Counter(order_of_first_turns(seed) for seed in range(600))
    assert len(seen) == 6
    assert min(seen.values()) > 60
    assert order_of_first_turns(7) == order_of_first_turns(7)


def order_of_first_turns(seed: int) -> tuple[str, ...]:
    Imagined.advanced.clear()
    sides = [entrant([name]) for name in "abc"]
    arrivals = run_in_turns(sides, 3, random.Random(seed))
    assert list(map(str, arrivals)) == ["a", "b", "c"]  # each at its place, whatever the order was
    begun = Imagined.advanced
    stages = [begun[at : at + 3] for at in range(0, len(begun), 3)]  # what is timed, then the rest
    assert [sorted(stage) for stage in stages] == [["a", "b", "c"]] * (1 + 2 * 3)
    return tuple(begun[3:6])


class Imagined:
    """Instead of a side: a list of those that went on."""

    advanced: ClassVar[list[str]] = []

    def __init__(self, own: Entrant, *_: object) -> None:
        self.name = own.command[0]

    def advance(self) -> None:
        self.advanced.append(self.name)

    def give_up(self) -> None:
        assert self.advanced.count(self.name) == 1 + 2 * 3

    def arrival(self) -> str:
        return self.name
