# SPDX-License-Identifier: BSD-3-Clause
"""The records of a campaign on disk: one writer, whole lines only, append only."""

import errno
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pollux.core.advice import SAME_COMMAND
from pollux.core.campaign.lines import (
    BlockEnd,
    BlockStart,
    Calibration,
    Configuration,
    ConfigurationLine,
    Line,
    Outcome,
    SampleLine,
    Start,
    Unavailable,
)
from pollux.core.campaign.reading import Cause, Unreadable, read_lines
from pollux.core.campaign.record_file import RecordFile
from pollux.core.campaign.samples import Logs, Sample, read_sample, that_count, with_speeds
from pollux.core.errors import BadUsageError, MachineError
from pollux.core.interruption import held
from pollux.core.quantities import NOT_ABOVE_ZERO
from pollux.core.schemas import kind_of

BEGINNING = b'{"schema":"pollux-campaign/'  # of every line


Levers = tuple[tuple[str, str], ...]  # a setting, as a key


def key_of(setting: Mapping[str, str]) -> Levers:
    return tuple(sorted(setting.items()))


def begins_line(text: bytes) -> bool:
    """Whether a text can be what is left of a line."""
    return text.startswith(BEGINNING) or BEGINNING.startswith(text)


@dataclass
class Known:
    """What the lines written so far contain, as far as resuming needs it."""

    configurations: dict[str, Configuration] = field(default_factory=dict)
    unavailable: set[str] = field(default_factory=set)
    samples: dict[str, list[Sample]] = field(default_factory=lambda: defaultdict(list))
    blocks: dict[int, BlockStart] = field(default_factory=dict)
    ends: dict[int, BlockEnd] = field(default_factory=dict)
    unreadable: list[Unreadable] = field(default_factory=list)
    name: str | None = None  # of the campaign that started last
    by: str | None = None  # the axis that it compares
    lines: int = 0  # that were read or written
    seconds: float = 0.0  # that processes, what was done between them, and calibrations took
    process_seconds: float = 0.0  # of these
    next_rota: int = 0  # a number that no rota has
    next_block: int = 0  # nor block, not even one whose own lines cannot be read

    @property
    def longer(self) -> float:
        """The factor by which the campaign takes longer than its processes."""
        return self.seconds / self.process_seconds if self.process_seconds else 1.0

    def add(self, line: Line) -> None:
        self.lines += 1
        match line:
            case Start():
                self.name, self.by = line.name, line.by
            case ConfigurationLine():
                self.configurations[line.hash] = line.configuration
            case Unavailable():
                self.unavailable.add(line.hash)
            case BlockStart():
                self.blocks[line.block] = line
                self.next_block = max(self.next_block, line.block + 1)
            case BlockEnd():
                self.ends[line.block] = line
                self.seconds += line.calibration.seconds if line.calibration else 0.0
                self.next_block = max(self.next_block, line.block + 1)
                if not line.in_force:
                    self.drop_block(line.block)
            case SampleLine():
                self.add_sample(read_sample(line, line.configuration))
                self.seconds += line.process_seconds + line.overhead_seconds
                self.process_seconds += line.process_seconds
            case _:
                pass

    def add_sample(self, sample: Sample) -> None:
        self.samples[sample.configuration].append(sample)
        if sample.block is not None:
            self.next_block = max(self.next_block, sample.block[1] + 1)
        if sample.rota is not None:
            self.next_rota = max(self.next_rota, sample.rota + 1)

    def drop_block(self, block: int) -> None:
        """Forget its samples, which are missing as if they had never been taken."""
        for configuration, own in self.samples.items():
            kept = [s for s in own if s.block is None or s.block[1] != block]
            self.samples[configuration] = kept

    def calibrations(self) -> dict[Levers, list[Calibration]]:
        """All of each setting of levers, oldest first; what adjacent blocks share, once."""
        found: dict[Levers, list[Calibration]] = defaultdict(list)
        for block, start in self.blocks.items():
            own, end = found[key_of(start.levers)], self.ends.get(block)
            if start.calibration is not None and start.calibration not in own[-1:]:
                own.append(start.calibration)
            if end is not None and end.calibration is not None and end.in_force:
                own.append(end.calibration)
        return found

    def is_disturbed(self, sample: Sample) -> bool:
        end = self.ends.get(sample.block[1]) if sample.block else None
        return end is not None and end.disturbed

    def rounds(self, configuration: str) -> dict[int, Sample]:
        """The samples with a speed by round, of the attempts that count in verdicts too."""
        counting = that_count(self.samples[configuration], self.is_disturbed)
        return {s.round or 0: s for s in counting if s.speed is not None}

    def headline(self, configuration: str) -> str | None:
        """The name of what is compared of it by default, once a sample knows that."""
        return next((s.headline for s in self.samples[configuration] if s.headline), None)

    def logs(self, configuration: str, quantity: str | None) -> dict[int, Logs]:
        """The logarithms of a configuration's speed by round, as that quantity shows it."""
        if quantity is None or self.has_lost(configuration, quantity):
            return {}
        counting = that_count(self.samples[configuration], self.is_disturbed)
        speeds = with_speeds(counting, configuration, quantity)
        return {s.round or 0: s.logs for s in speeds if s.speed is not None}

    def has_lost(self, configuration: str, quantity: str | None) -> bool:
        """Whether it is compared no more: a check failed, or a difference was not above zero."""
        return any(
            s.outcome is Outcome.FAILED_CHECK or (quantity, NOT_ABOVE_ZERO) in s.unknown
            for s in self.samples[configuration]
        )

    def rounds_taken(self, configuration: str) -> set[int]:
        """The rounds that it has a sample of, whatever its outcome."""
        return {s.round for s in self.samples[configuration] if s.round is not None}

    def count(self) -> int:
        return sum(map(len, self.samples.values()))


class Journal:
    """A campaign's file, open for appending and locked against a second writer.

    A line is on the disk before the next run begins. A line that a kill left unfinished is ended by
    a line break and skipped when read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known = Known()
        self.file = RecordFile(path)
        try:
            self.read()
        except BaseException:
            self.file.close()
            raise

    def read(self) -> None:
        for number, line in read_lines(self.path):
            if isinstance(line, Unreadable):
                self.known.unreadable.append(line)
                if line.cause is Cause.LATER:
                    raise self.another(number, line.reason)
                if line.cause is Cause.WINDOWS:
                    raise BadUsageError(f"{self.path}, line {number}: {line.cause}")
            elif isinstance(line, dict):
                raise self.another(number, f"this is {kind_of(line['schema'])}")
            else:
                self.known.add(line)
        with self.path.open("rb") as file:
            first = next(filter(bytes.strip, file), b"")
            if self.known.unreadable and not self.known.lines and not begins_line(first):
                place, reason = self.known.unreadable[0].place, self.known.unreadable[0].reason
                raise self.another(int(place.rpartition(":")[2]), reason)
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 1))
            if file.read() not in (b"", b"\n"):
                self.write(b"\n")

    def another(self, number: int, reason: str) -> BadUsageError:
        """The file is not one to append to."""
        return BadUsageError(
            f"{self.path} contains something other than records of a campaign (line {number}: "
            f"{reason}); --output takes a new file or that of an earlier pollux run"
        )

    @held()
    def append(self, *lines: Line) -> None:
        """Write lines, all of them or none; they are on the disk when this returns.

        They are in the file that the path leads to.
        """
        shortened = self.file.is_shortened()
        text = b"".join(line.model_dump_json(by_alias=True).encode() + b"\n" for line in lines)
        self.write(b"\n" * shortened + text)
        for line in lines:
            self.known.add(line)
        if shortened:
            raise MachineError(
                f"{self.path} was shortened by another program while this run was writing it; "
                f"{SAME_COMMAND} takes the samples that it has lost"
            )
        if not self.file.is_in_place():
            raise self.misplaced()

    def write(self, text: bytes) -> None:
        """Append all of the text or, where the disk is full, nothing."""
        try:
            self.file.append(text)
        except OSError as error:
            too_large = error.errno == errno.EFBIG
            remedy = "raise the limit of ulimit -f" if too_large else "free some space"
            raise MachineError(
                f"cannot write {self.path} ({error.strerror}); {self.known.count()} samples "
                f"are safe in it: {remedy}, then {SAME_COMMAND} resumes from there"
            ) from error

    def misplaced(self) -> MachineError:
        """What happened to a file that is no longer in its place, and where its samples are."""
        samples = f"{self.known.count()} samples"
        moved = self.file.new_path()
        what = f"renamed to {moved}" if moved else "replaced" if self.path.exists() else "removed"
        happened = f"{self.path} was {what} while this run was writing it"
        safe = moved or self.file.save()
        if safe is None:
            return MachineError(f"{happened}; its {samples} are lost, since no copy can be written")
        return MachineError(
            f"{happened}; its {samples} are safe in {safe}: move that back to {self.path}, then "
            f"{SAME_COMMAND} resumes from there"
        )

    @contextmanager
    def kept_in_place(self) -> Iterator[None]:
        """For what reads the file by its path: where that fails as it is elsewhere, says so."""
        try:
            yield
        except BadUsageError as error:
            if not self.file.is_in_place():
                raise self.misplaced() from error
            raise
        finally:
            self.close()

    def close(self) -> None:
        self.file.close()
