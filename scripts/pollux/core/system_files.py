# SPDX-License-Identifier: BSD-3-Clause
"""The files of the system that are levers: where they are, and how they are read and written."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pollux.core.kernel_files import PROCESSORS as CPU
from pollux.core.kernel_files import natural_order, parse_list, system_root

LATENCY_DEVICE = "dev/cpu_dma_latency"
LONGEST = 4096  # bytes of a file of sysfs: a page


class RefusedError(Exception):
    """The kernel does not take what is written to a file."""

    def __init__(self, path: str, error: OSError, *, opening: bool) -> None:
        super().__init__(f"{path}: {error.strerror}")
        self.path = path
        self.errno = error.errno or 0
        self.reason = error.strerror or str(error)
        self.opening = opening  # the file could not even be opened


def write_file(root: Path, path: str, content: bytes) -> None:
    """Write a file of sysfs: one write, as the kernel takes it; RefusedError."""
    try:
        descriptor = os.open(root / path, os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC)
    except OSError as error:
        raise RefusedError(path, error, opening=True) from error
    try:
        os.write(descriptor, content)
    except OSError as error:
        raise RefusedError(path, error, opening=False) from error
    finally:
        os.close(descriptor)


def is_writable(root: Path, path: str) -> bool:
    return os.access(root / path, os.W_OK)


@dataclass(frozen=True)
class System:
    """The files below a root; paths are relative to it."""

    root: Path
    write_to: Callable[[Path, str, bytes], None] = write_file
    may_write_to: Callable[[Path, str], bool] = is_writable

    def read(self, path: str) -> bytes | None:
        """The contents of a file; None where there is none, or where it cannot be read now."""
        try:
            with (self.root / path).open("rb", buffering=0) as file:
                return file.read(LONGEST)
        except OSError:
            return None

    def text(self, path: str) -> str | None:
        content = self.read(path)
        return None if content is None else content.decode(errors="replace").strip()

    def number(self, path: str) -> int | None:
        text = self.text(path)
        return int(text) if text and text.isascii() and text.isdigit() else None

    def write(self, path: str, content: bytes) -> None:
        """Write a file; RefusedError."""
        self.write_to(self.root, path, content)

    def may_read(self, path: str) -> bool:
        """Whether a file can be opened; sensors that sleep can, and have no contents."""
        try:
            (self.root / path).open("rb", buffering=0).close()
        except OSError:
            return False
        return True

    def may_write(self, path: str) -> bool:
        return self.may_write_to(self.root, path)

    def exists(self, path: str) -> bool:
        return (self.root / path).exists()

    def find(self, pattern: str) -> list[str]:
        """Paths that match a pattern, in the order of the numbers in them."""
        paths = (str(path.relative_to(self.root)) for path in self.root.glob(pattern))
        return sorted(paths, key=natural_order)

    def policies(self) -> dict[str, frozenset[int]]:
        """The folders of CPUFreq that are in use, with their processors that are online."""
        found = {}
        for folder in self.find(f"{CPU}/cpufreq/policy[0-9]*"):
            cpus = cpus_in(self.text(f"{folder}/affected_cpus"))
            if cpus:
                found[folder] = cpus
        return found

    def idle_states(self) -> Iterator[tuple[int, str]]:
        """Each processor with the folder of each of its idle states, the shallowest first."""
        for folder in self.find(f"{CPU}/cpu[0-9]*/cpuidle/state[0-9]*"):
            yield int(folder.split("/")[4].removeprefix("cpu")), folder

    def present(self) -> frozenset[int]:
        """All processors, online or not."""
        return cpus_in(self.text(f"{CPU}/present")) or self.processors()

    def processors(self) -> frozenset[int]:
        """Those that are online."""
        return cpus_in(self.text(f"{CPU}/online"))


def cpus_in(text: str | None) -> frozenset[int]:
    """The processors of a list of the kernel, which separates them by commas or blanks."""
    try:
        return parse_list(",".join((text or "").split()))
    except ValueError:
        return frozenset()


def this_system() -> System:
    """The machine's own files, or those below the folder that POLLUX_SYSTEM_ROOT names."""
    return System(system_root())
