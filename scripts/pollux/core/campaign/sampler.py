# SPDX-License-Identifier: BSD-3-Clause
"""The sampler of power that runs beside a campaign, and where its timeline goes."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pollux.core.advice import makes
from pollux.core.errors import BadUsageError
from pollux.core.executables.builds import built_presets, find_tool
from pollux.core.executables.process import Beside, CannotStartError
from pollux.core.executables.trees import where
from pollux.core.interruption import held

PROGRAM = "power-sampler"
STOP_SECONDS = 5.0  # within which it writes its last line


def find_sampler(build_root: Path) -> Path:
    program = find_tool(build_root, built_presets(build_root), PROGRAM)
    if program is None:
        raise BadUsageError(f"no {PROGRAM} in {where(build_root)}; {makes('it')}")
    return program


def numbered(records: Path) -> dict[int, Path]:
    """Beside the records: NAME.power.csv, and NAME.power-2.csv and so on for resumptions."""
    name = re.compile(rf"{re.escape(records.stem)}\.power(?:-(\d+))?\.csv")
    beside = ((name.fullmatch(path.name), path) for path in records.parent.glob("*.csv"))
    return {int(match[1] or 1): path for match, path in beside if match}


def next_timeline(records: Path) -> Path:
    number = 1 + max(numbered(records), default=0)
    return records.with_name(f"{records.stem}.power{f'-{number}' if number > 1 else ''}.csv")


def timelines(records: Path) -> list[Path]:
    """The timelines beside a file of records, in the order in which they were written."""
    return [path for _, path in sorted(numbered(records).items())]


@dataclass
class Sampler:
    """A sampler beside a campaign; one that ends early is reported once, and not missed."""

    process: Beside | None
    say: Callable[[str], None]

    def look(self) -> None:
        """Report an end that nobody asked for; called between blocks."""
        ended = None if self.process is None else self.process.ended()
        if ended is not None:
            self.process = None
            self.say(f"{PROGRAM} ended ({ended.how_and_why}); the campaign goes on without it")

    def stop(self) -> None:
        """Let it write its last line."""
        self.look()
        if self.process is not None:
            ended = self.process.stop(STOP_SECONDS)
            self.process = None
            if ended.status != 0:
                self.say(f"{PROGRAM}: {ended.how_and_why}")


@contextmanager
def sampling(
    program: Path | None, seconds: float | None, timeline: Path, say: Callable[[str], None]
) -> Iterator[Sampler]:
    """The sampler beside what is done meanwhile; none where no time between samples is given."""
    sampler = Sampler(None, say)
    try:
        if program is not None and seconds is not None:
            with held():
                sampler.process = start(program, seconds, timeline, say)
        yield sampler
    finally:
        with held():
            sampler.stop()


def start(
    program: Path, seconds: float, timeline: Path, say: Callable[[str], None]
) -> Beside | None:
    """The sampler's process; None, with a line, where the system does not start it."""
    try:
        interval = f"{1000 * seconds:.9g}"
        return Beside([str(program), "--interval", interval, "--output", str(timeline)])
    except CannotStartError as error:
        say(f"{error.format_message()}; the campaign goes on without it")
        return None
