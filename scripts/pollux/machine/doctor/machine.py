# SPDX-License-Identifier: BSD-3-Clause
"""The machine as checks see it: files under a root, commands, environment and limits.

Nothing else of the system is asked, so that tests can put recorded machines in its place.
"""

import os
import resource
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from pollux.core.executables.process import CannotStartError, Ended, run_process
from pollux.core.hypervisor import hypervisor
from pollux.core.kernel_files import PROCESSORS, as_number, parse_list, read_file
from pollux.core.paths import ROOT, real_path
from pollux.core.runtimes.added import added
from pollux.core.runtimes.library import is_library
from pollux.core.runtimes.places import find_files, runtimes_folder
from pollux.core.system_files import System, this_system
from pollux.machine.doctor.load import Load, Snapshot, between, take

COMMAND_SECONDS = 30.0  # asking versions and a factorization of order 64 take well below one


Runner = Callable[..., Ended | None]  # takes the words of a command


@dataclass(frozen=True)
class Limits:
    """Soft limits of the shell in bytes, and what they may be raised to; None: unlimited."""

    address_space: int | None
    stack: int | None
    hard_address_space: int | None = None
    hard_stack: int | None = None


@dataclass(frozen=True)
class Machine:
    """A machine to be checked."""

    root: Path
    environment: Mapping[str, str]
    run: Runner  # None: there is no such program, or it did not end in time
    allowed: frozenset[int]  # logical processors that this process may use
    limits: Limits
    project: Path
    build_root: Path
    later: Callable[[], Path]  # waits, then names a root with the files as they are now
    free_bytes: Callable[[Path], int]
    runtime_files: Callable[[], Sequence[Path]]  # libraries that builds could be run under
    own_process: int
    superuser: bool
    system: System  # the files of energy counters and levers, which may have another root
    before: Snapshot | None = None  # of when it began to be watched; None: when first asked

    def read(self, path: str) -> str | None:
        """The stripped contents of a file, or None where it is missing or cannot be read."""
        return read_file(self.root / path)

    def number(self, path: str) -> int | None:
        """The integer that a file holds."""
        return as_number(self.read(path))

    def exists(self, path: str) -> bool:
        return (self.root / path).exists()

    def may(self, capability: int) -> bool:
        """Whether this process has a right of the superuser (capabilities(7)).

        In a container the superuser lacks many.
        """
        for line in (self.read("proc/self/status") or "").splitlines():
            if line.startswith("CapEff:"):
                return bool(int(line.removeprefix("CapEff:"), 16) >> capability & 1)
        return self.superuser

    def find(self, pattern: str) -> list[str]:
        """Paths that match a pattern, relative to the root, in order of the numbers in them."""
        return System(self.root).find(pattern)

    def of_processors(self, name: str) -> dict[int, str]:
        """What a file in the folder of each allowed processor says, where there is one."""
        texts = {cpu: self.read(f"{PROCESSORS}/cpu{cpu}/{name}") for cpu in sorted(self.allowed)}
        return {cpu: text for cpu, text in texts.items() if text is not None}

    def lifting(self, file: str, unlimited: str) -> str:
        """The command that lifts a limit of a control group; a container's is elsewhere outside."""
        return "" if self.container else f"echo {unlimited} | sudo tee /{file}"

    def inside(self, command: str) -> str:
        """A command for where pollux runs, the container perhaps, which rarely has a sudo."""
        return command.removeprefix("sudo ") if self.container else command

    @cached_property
    def online(self) -> frozenset[int]:
        """Logical processors that are on; the allowed ones if the system does not report those."""
        text = self.read(f"{PROCESSORS}/online")
        return parse_list(text) if text else self.allowed

    @cached_property
    def flags(self) -> frozenset[str]:
        """Features of the first processor (x86: flags; aarch64: Features)."""
        for line in (self.read("proc/cpuinfo") or "").splitlines():
            name, _, value = line.partition(":")
            if name.strip() in ("flags", "Features"):
                return frozenset(value.split())
        return frozenset()

    @cached_property
    def load(self) -> Load:
        """What others do while the machine is watched; found once."""
        before = self.before or take(self.root)
        return between(before, take(self.later()), self.allowed, self.own_process)

    @cached_property
    def virtual(self) -> str | None:
        """What kind of virtual machine this is, None for none."""
        ran = self.run("systemd-detect-virt", "--vm")
        name = ran.stdout.strip() if ran else ""
        if name:
            return None if name == "none" else name
        return hypervisor(self.read)

    @cached_property
    def container(self) -> str | None:
        """What kind of container this process is in, None for none."""
        ran = self.run("systemd-detect-virt", "--container")
        name = ran.stdout.strip() if ran else ""
        if name:
            return None if name == "none" else name
        marks = {".dockerenv": "docker", "run/.containerenv": "podman"}
        found = (kind for path, kind in marks.items() if self.exists(path))
        return next(found, self.read("run/systemd/container"))


def this_machine(project: Path, build_root: Path, seconds: float = 0.5) -> Machine:
    """The machine that this process runs on; its load is watched from now, for so long or more."""
    end = time.monotonic() + seconds

    def later() -> Path:
        time.sleep(max(0.0, end - time.monotonic()))
        return Path("/")

    return Machine(
        root=Path("/"),
        environment=os.environ,
        run=cache(run_command),  # several checks ask the same
        allowed=frozenset(os.sched_getaffinity(0)),
        limits=limits_now(),
        project=project,
        build_root=build_root,
        later=later,
        free_bytes=lambda folder: shutil.disk_usage(folder).free,
        runtime_files=find_runtimes,
        own_process=os.getpid(),
        superuser=os.geteuid() == 0,
        system=this_system(),
        before=take(Path("/")),
    )


def find_runtimes() -> list[Path]:
    """The libraries of `pollux runtimes`, but those that builds load."""
    named = map(real_path, added(runtimes_folder(ROOT)).values())
    return list(dict.fromkeys([*find_files(ROOT, []), *filter(is_library, named)]))


def run_command(*command: str) -> Ended | None:
    """Run a program to its end; messages in English."""
    try:
        ended = run_process(command, {"LC_ALL": "C"}, COMMAND_SECONDS)
    except CannotStartError:
        return None
    return None if ended.status is None else ended


def limits_now() -> Limits:
    space, stack = map(resource.getrlimit, (resource.RLIMIT_AS, resource.RLIMIT_STACK))
    values = (space[0], stack[0], space[1], stack[1])
    return Limits(*(None if value == resource.RLIM_INFINITY else value for value in values))
