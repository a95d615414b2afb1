# SPDX-License-Identifier: BSD-3-Clause
"""The former state of levers on disk, and the lock that lets one process at a time set them.

The state is in /var/tmp, a file for each user: written completely before the first lever is, and
removed when all of them are as before. What is found there later was left by a process that was
killed. The lock is on the kernel's own folder of processors, so that it holds for all users and
copies of Pollux and ends with the process.
"""

import contextlib
import errno
import hashlib
import json
import os
import platform
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from pollux.core.errors import MachineError
from pollux.core.kernel_files import PROCESSORS as CPU
from pollux.core.kernel_files import as_number, read_file
from pollux.core.locks import lock_file
from pollux.core.system_files import System
from pollux.core.text import cut
from pollux.core.validation import first_problem
from pollux.core.writing import replace_file, sync_folder
from pollux.energy.levers.files import Contents, is_lever_file

FOLDER = "var/tmp"
BOOT = "proc/sys/kernel/random/boot_id"
LONGEST = 4096  # characters of a file of sysfs
NO_NUMBER = re.compile(r"[0-9]{13}")  # more kHz or microseconds than any lever has
NUMBER = re.compile(r"[0-9]{1,10}")  # of a user
STATE_BYTES = 1 << 24  # thousands of processors with ten states each


class State(BaseModel):
    """What the levers' files said before they were first written."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    schema_name: Literal["pollux-levers/1"] = Field(default="pollux-levers/1", alias="schema")
    host: str
    boot: str | None  # the kernel's identifier of this start of the machine
    process: int  # that wrote it
    kept: bool = False  # by `pollux levers set`, until `pollux levers restore`
    setting: dict[str, str] = {}  # that is kept
    files: dict[str, str]
    sum: str  # SHA-256 of the files and what they said: what is restored must be what was there

    @field_validator("files")
    @classmethod
    def check_files(cls, files: dict[str, str]) -> dict[str, str]:
        for path, text in files.items():
            if not is_lever_file(path):
                raise ValueError(f"{path} is not the file of a lever")
            if NO_NUMBER.search(text) or len(text) > LONGEST:
                raise ValueError(f"{path} cannot have said {cut(text)}")
        return files

    @model_validator(mode="after")
    def check_sum(self) -> Self:
        if self.sum != sum_of(self.files):
            raise ValueError("its sum is not that of its files")
        return self

    def contents(self) -> Contents:
        return {path: text.encode(errors="surrogateescape") for path, text in self.files.items()}


def sum_of(files: Mapping[str, str]) -> str:
    text = json.dumps(files, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def state_of(system: System, contents: Contents, setting: dict[str, str], *, kept: bool) -> State:
    files = {path: text.decode(errors="surrogateescape") for path, text in contents.items()}
    return State(
        host=platform.node(),
        boot=system.text(BOOT),
        process=os.getpid(),
        kept=kept,
        setting=setting,
        files=files,
        sum=sum_of(files),
    )


def state_path(system: System) -> Path:
    return system.root / FOLDER / f"pollux-levers-{os.geteuid()}.json"


def write_state(system: System, state: State) -> None:
    """Put the state on disk, completely or not at all; MachineError."""
    path = state_path(system)
    try:
        if system.root != Path("/"):
            path.parent.mkdir(parents=True, exist_ok=True)
        text = state.model_dump_json(by_alias=True).encode() + b"\n"
        replace_file(path, text, mode=0o600, durable=True)
    except OSError as error:
        raise MachineError(
            f"cannot save the levers' former state in {path} ({error.strerror})"
        ) from error


def remove_state(system: System) -> None:
    path = state_path(system)
    path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        sync_folder(path.parent)


def has_state(system: System) -> bool:
    """Whether this user has a state on disk, or a link there."""
    path = state_path(system)
    return os.path.lexists(path) and owner(path) == os.geteuid()


def read_state(system: System) -> State | None:
    """The state on disk, None without one; MachineError if it is not to be trusted."""
    path = state_path(system)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        reason = "it is a link" if error.errno == errno.ELOOP else error.strerror
        raise distrusted(path, str(reason)) from error
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid():
            raise distrusted(path, "it is not a file of this user")
        if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise distrusted(path, "other users may write it")
        text = file.read(STATE_BYTES)
    try:
        return State.model_validate_json(text)
    except ValidationError as error:
        raise distrusted(path, f"it is damaged: {first_problem(error)}") from error


def present_state(system: System) -> State | None:
    """The same, but None where the machine was restarted since, which has reset its levers.

    A file that somebody else has put there is nothing of this user's: `in_the_way` names it.
    """
    state = read_state(system) if has_state(system) else None
    if state is None or (state.boot != system.text(BOOT) and state.host == platform.node()):
        return None
    return state


def distrusted(path: Path, reason: str) -> MachineError:
    return MachineError(
        f"{path} does not hold the levers' former state ({reason}); no lever was changed: set the "
        "levers as they should be, then remove the file"
    )


def others_states(system: System) -> dict[Path, int]:
    """States of other users, with their numbers, who must restore their levers themselves.

    Those from before the machine was started are left out: the restart has reset the levers. So are
    files of somebody else than they say.
    """
    own = state_path(system)
    found = {}
    for path in sorted(own.parent.glob("pollux-levers-*.json")):
        user = path.stem.rpartition("-")[2]
        with contextlib.suppress(OSError):
            is_theirs = NUMBER.fullmatch(user) and owner(path) == int(user)
            if path != own and is_theirs and path.lstat().st_mtime >= started(system):
                found[path] = int(user)
    return found


def owner(path: Path) -> int | None:
    """The user whose file this is; None where it is gone."""
    try:
        return path.lstat().st_uid
    except OSError:
        return None


def started(system: System) -> int:
    """When the machine was started, in seconds since 1970; 0 where it does not say so."""
    for line in (read_file(system.root / "proc/stat") or "").splitlines():
        name, _, value = line.partition(" ")
        if name == "btime":
            return as_number(value) or 0
    return 0


def restoring(user: int) -> str:
    """The command that restores another user's levers."""
    by = f"-u '#{user}' " if user else ""
    return f"sudo {by}pollux levers restore"


def others_lines(system: System) -> list[str]:
    """What other users have set, and what they have put where this user's state would be."""
    lines = [
        f"levers are set by another user ({path}); {restoring(user)} restores them"
        for path, user in others_states(system).items()
    ]
    return [*lines, *filter(None, [in_the_way(system)])]


def in_the_way(system: System) -> str:
    """A line on what somebody else has put where this user's state would be; "" without."""
    path = state_path(system)
    if owner(path) in (None, os.geteuid()):
        return ""
    return f"{path} is not a file of this user, who cannot set levers until it is removed"


@contextmanager
def locked(system: System) -> Iterator[None]:
    """Hold the lock of the levers; MachineError where another process does."""
    try:
        descriptor = os.open(system.root / CPU, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise MachineError(
            f"cannot open {system.root / CPU} ({error.strerror}); without it there are no levers"
        ) from error
    try:
        if not lock_file(descriptor):
            raise MachineError(
                "another process of Pollux holds this machine's levers; wait until it has ended"
            )
        yield
    finally:
        os.close(descriptor)
