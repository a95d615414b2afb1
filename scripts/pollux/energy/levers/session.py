# SPDX-License-Identifier: BSD-3-Clause
"""Sets levers, and puts everything back as it was.

The former contents of all files that a setting may change are on disk before the first is written
(state.py). A setting is always put on top of that former state, so that it does not depend on what
was set before it.
"""

import contextlib
import errno
import os
import struct
from collections.abc import Mapping
from typing import NamedTuple

from pollux.core.errors import MachineError
from pollux.core.interruption import held
from pollux.core.levers import OFF, Setting, in_words
from pollux.core.system_files import LATENCY_DEVICE, RefusedError, System
from pollux.core.text import some
from pollux.energy.levers.available import problems
from pollux.energy.levers.files import (
    FAMILIES,
    PREFERENCE,
    Contents,
    Wanted,
    in_order,
    snapshot,
    wanted_by,
)
from pollux.energy.levers.state import read_state, remove_state, state_of, write_state

BUS_KHZ = 100_000  # frequencies are multiples of the bus clock: limits may be rounded to one
NAMED = 3  # files that a message names
EXTREMES = (b"0\n", b"255\n")  # preferences that read differently
OFFLINE = (errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.EIO)


class Kept(NamedTuple):
    """What `pollux levers set` has left: the state before it, its setting, and what files say."""

    former: Contents
    setting: dict[str, str]
    asked: Contents
    contents: Contents


class Session:
    """Levers as one process sets them, under the lock of state.py; `restore` puts them back."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.former: Contents = {}
        self.setting: dict[str, str] = {}
        self.asked: Contents = {}  # what the setting has to read back
        self.moved: dict[str, bytes | None] = {}  # limits, as the kernel has moved them with turbo
        self.kept = False
        self.before: Kept | None = None  # what was kept when this process began to set levers
        self.possible: set[tuple[str, frozenset[int] | None]] = set()  # settings that were checked
        self.latency: int | None = None  # descriptor of the device that is held open

    def take_over(self) -> list[str]:
        """Restore what a process that was killed has left; what there is to say about it.

        A state that `pollux levers set` keeps is taken over as it is.
        """
        state = read_state(self.system)
        if state is None:
            return []
        now = state_of(self.system, {}, {}, kept=False)
        if state.boot != now.boot and state.host != now.host:
            raise MachineError(
                f"the levers' former state on disk is of the machine {state.host}, not of "
                f"{now.host}; no lever was changed: `pollux levers restore` on {state.host} uses it"
            )
        if state.boot != now.boot:
            remove_state(self.system)
            return ["levers set before this machine was restarted: the restart has reset them"]
        self.former, self.setting, self.kept = state.contents(), state.setting, state.kept
        if self.kept:
            return []
        left = self.restore()
        return left or [
            f"{len(state.files)} files of levers, which process {state.process} had not restored "
            "when it ended: restored now"
        ]

    def check(self, setting: Setting, cpus: frozenset[int] | None = None) -> None:
        """MachineError where this machine cannot have a setting; nothing is written."""
        if (key := (in_words(setting), cpus)) in self.possible:
            return
        found = list(problems(self.system, setting, cpus))
        if found:
            raise MachineError("; ".join(found))
        self.possible.add(key)

    def apply(
        self, setting: Setting, cpus: frozenset[int] | None = None, *, adding: bool = False
    ) -> None:
        """Set these levers, and put others back as they were unless `adding`.

        A setting that the kernel refuses or changes is a MachineError, and everything is restored:
        to what was kept before, if anything was.
        """
        self.check(setting, cpus)
        wanted = wanted_by(self.system, setting, cpus)
        with held():
            if self.kept or not {*wanted.asked, *wanted.along} <= self.former.keys():
                self.save({FAMILIES[lever] for lever in setting if lever in FAMILIES})
            try:
                self.check_saved(wanted)
                self.bring(setting, wanted, adding=adding)
                self.hold_latency(setting.get("dma_latency", OFF))
            except MachineError as error:
                raise self.undone(error) from error
            self.setting = {**(self.setting if adding else {}), **setting}

    def save(self, families: set[str]) -> None:
        """Put on disk what the files of these families say, as they were when first seen."""
        now = snapshot(self.system, families)
        former = now | self.former
        try:
            write_state(self.system, state_of(self.system, former, {}, kept=False))
        except MachineError as error:
            raise MachineError(f"{error.format_message()}; no lever was changed") from error
        if self.kept:
            read = {path: self.system.read(path) for path in self.former}
            present = {path: content for path, content in read.items() if content is not None}
            self.before = Kept(self.former, self.setting, self.asked, present)
        if self.before is not None:
            self.before = self.before._replace(contents=now | self.before.contents)
        self.former, self.kept = former, False

    def check_saved(self, wanted: Wanted) -> None:
        """MachineError for a file that could not be read: it could not be restored either."""
        for path in {**wanted.asked, **wanted.along}:
            if path not in self.former:
                raise MachineError(f"/{path} cannot be read, so it could not be restored")

    def bring(self, setting: Setting, wanted: Wanted, *, adding: bool) -> None:
        """Write what a setting asks for over the former state or the present one; read it back."""
        target = ({} if adding else self.former) | wanted.along | wanted.asked
        if setting.get("governor") == "performance" and "epp" not in setting:
            # The driver may then set the preference itself, and refuse others.
            target = {p: c for p, c in target.items() if not p.endswith(PREFERENCE)}
        left = self.left_to_turbo(target, wanted) if "turbo" in setting else []
        target = {p: c for p, c in target.items() if p not in left}
        before: dict[str, bytes | None] = {}  # what files said that were then written
        for path in in_order(self.system, target):
            present, content = self.system.read(path), self.content_now(path, target, wanted)
            if is_same(present, content):
                continue
            before[path] = present
            if path in wanted.asked:
                self.write_wanted(path, content)
            else:
                with contextlib.suppress(RefusedError):
                    self.system.write(path, content)
        self.moved = {path: self.system.read(path) for path in left}
        self.asked = (self.asked if adding else {}) | {
            path: self.taken(path, content, before.get(path))
            for path, content in wanted.asked.items()
        }
        for line in self.changed():
            raise MachineError(f"{line}: the kernel did not take it")

    def left_to_turbo(self, target: Contents, wanted: Wanted) -> list[str]:
        """The limits that nobody has written: the kernel moves them when turbo is switched.

        What they said before is what the other position of turbo allowed, and would undo it.
        """
        others = target.keys() - wanted.asked.keys() - wanted.along.keys()
        return [
            path
            for path in others
            if path.endswith("_freq")
            and self.system.read(path) in (self.former[path], self.moved.get(path, b""))
        ]

    def content_now(self, path: str, target: Contents, wanted: Wanted) -> bytes:
        """What to write when it is a file's turn: turbo may have moved the processor's limits."""
        if path in wanted.along and path.endswith("_freq"):
            own = self.system.read(path.replace("/scaling_", "/cpuinfo_"))
            return target[path] if own is None else own
        return target[path]

    def taken(self, path: str, content: bytes, before: bytes | None) -> bytes:
        """What a file has to say from now on: the kernel names preferences that it was not told.

        It reads back what `default` stands for, and a name for some numbers, which depend on the
        processor. A name that the file had before the write is that of the number only if it
        comes back after another one.
        """
        read, text = self.system.read(path), content.strip()
        if read is None or not path.endswith(PREFERENCE):
            return content
        is_named = text.isdigit() and not read.strip().isdigit()
        if text == b"default" or (is_named and (read != before or self.comes_back(path, content))):
            return read
        return content

    def comes_back(self, path: str, content: bytes) -> bool:
        """Whether a preference reads the same after another was written, and then it again."""
        name = self.system.read(path)
        for other in EXTREMES:
            try:
                self.system.write(path, other)
            except RefusedError as error:
                if error.errno == errno.EBUSY:  # the governor fixes what was asked for
                    return True
                continue
            if self.system.read(path) != name:
                self.write_wanted(path, content)
                return self.system.read(path) == name
        return False

    def write_wanted(self, path: str, content: bytes) -> None:
        """Write what a setting needs; MachineError, in words of levers, where it is refused."""
        try:
            self.system.write(path, content)
        except RefusedError as error:
            raise MachineError(self.why_refused(error, content)) from error

    def changed(self) -> list[str]:
        """The files that do not say what they were set to, a phrase each."""
        read = {path: self.system.read(path) for path in self.asked}
        return [
            f"/{path} was set to {shown(content)} and reads {shown(read[path])}"
            for path, content in self.asked.items()
            if not is_in_force(path, content, read[path])
        ]

    def why_refused(self, error: RefusedError, content: bytes) -> str:
        """A line on a write that the kernel does not take."""
        name = error.path.rpartition("/")[2]
        what = f"/{error.path} does not take {shown(content)} ({error.reason})"
        if error.opening and error.errno in (errno.EACCES, errno.EPERM):
            return f"{what}: run as root, or give your group the right to write it"
        if name in ("no_turbo", "boost") and error.errno in (errno.EPERM, errno.EINVAL):
            return f"{what}: turbo is disabled by the firmware (BIOS)"
        if name == PREFERENCE and error.errno == errno.EBUSY:
            return f"{what}: the governor performance fixes it; set governor=powersave too"
        if error.errno == errno.EROFS:
            return f"{what}: /sys is mounted read-only, as in containers"
        if error.errno in OFFLINE:
            return f"{what}: its processor went offline"
        return what

    def hold_latency(self, value: str) -> None:
        """Hold the device open with a limit on wake-up latency, which ends with this process."""
        if self.latency is not None:
            os.close(self.latency)
            self.latency = None
        if value == OFF:
            return
        try:
            self.latency = os.open(self.system.root / LATENCY_DEVICE, os.O_RDWR | os.O_CLOEXEC)
            os.write(self.latency, struct.pack("=i", int(value)))
            content = os.pread(self.latency, 4, 0)
        except OSError as error:
            raise MachineError(
                f"/{LATENCY_DEVICE} does not take {value} ({error.strerror})"
            ) from error
        effective = struct.unpack("=i", content)[0] if len(content) == 4 else None
        if effective is None or effective > int(value):
            raise MachineError(f"/{LATENCY_DEVICE} was set to {value} and reads {effective}")

    def keep(self) -> None:
        """Leave the levers as they are set, and their former state on disk, until a restore."""
        if not self.former:
            return
        try:
            write_state(self.system, state_of(self.system, self.former, self.setting, kept=True))
        except MachineError as error:
            raise self.undone(error) from error
        self.kept, self.before = True, None

    def undo(self) -> list[str]:
        """Put levers back as they were before this process set any; what could not be."""
        with held():
            return self.restore() if self.before is None else self.back_to(self.before)

    def back_to(self, before: Kept) -> list[str]:
        """Put levers back as they had been set and kept; what could not be."""
        self.hold_latency(OFF)
        self.former = before.contents
        left, refused = self.put_back()
        self.former, self.setting, self.asked = before.former, before.setting, before.asked
        with contextlib.suppress(MachineError):  # then the former state is on disk
            write_state(self.system, state_of(self.system, self.former, self.setting, kept=True))
        self.kept, self.before = True, None
        return [unrestored(left, refused)] if left else []

    def undone(self, error: MachineError) -> MachineError:
        """What to raise for an error after which everything is restored."""
        left = self.undo()
        what = "; ".join(left) if left else "all levers are as before"
        return MachineError(f"{error.format_message()}; {what}")

    def restore(self) -> list[str]:
        """Put every file back as it was; what could not be stays on disk for the next time."""
        with held():
            self.hold_latency(OFF)
            left, refused = self.put_back()
            self.former, self.setting, self.asked, self.moved = dict(left), {}, {}, {}
            self.kept, self.before = False, None
            if not left:
                remove_state(self.system)
                return []
            with contextlib.suppress(MachineError):  # then all of them are still on disk
                write_state(self.system, state_of(self.system, left, {}, kept=False))
            return [unrestored(left, refused)]

    def put_back(self) -> tuple[Contents, dict[str, str]]:
        """Write files as they were, twice where needed: those of one family change each other.

        What is still not as it was, and why some were refused.
        """
        refused: dict[str, str] = {}
        for _ in range(2):
            if left := self.differing():
                refused = self.write_back(left)
        return self.differing(), refused

    def differing(self) -> Contents:
        return {p: c for p, c in self.former.items() if self.system.read(p) != c}

    def write_back(self, contents: Mapping[str, bytes]) -> dict[str, str]:
        """Write these files in order, but what others have put right; why some were refused."""
        refused = {}
        for path in in_order(self.system, contents):
            if self.system.read(path) == contents[path]:
                continue
            try:
                self.system.write(path, contents[path])
            except RefusedError as error:
                gone = error.errno in OFFLINE or self.system.read(path) is None
                refused[path] = "its processor is offline" if gone else error.reason
        return refused

    def describe(self) -> str:
        return in_words(self.setting)


def is_same(actual: bytes | None, wanted: bytes) -> bool:
    return actual is not None and actual.strip() == wanted.strip()


def is_in_force(path: str, wanted: bytes, actual: bytes | None) -> bool:
    """Whether a file says what was asked for; frequencies may be rounded to a step."""
    if actual is None:
        return False
    if path.endswith("_freq") and actual.strip().isdigit():
        return abs(int(actual) - int(wanted)) <= BUS_KHZ
    return is_same(actual, wanted)


def shown(content: bytes | None) -> str:
    return "nothing" if content is None else content.decode(errors="replace").strip()[:80]


def unrestored(left: Contents, refused: Mapping[str, str]) -> str:
    """A line on files that could not be put back."""
    named = (
        f"/{path} should be {shown(content)} ({refused.get(path, 'the kernel changed it')})"
        for path, content in left.items()
    )
    return (
        f"not restored: {some(named, NAMED)}; `pollux levers restore` tries again, and any later "
        "use of levers"
    )
