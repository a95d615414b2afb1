# SPDX-License-Identifier: BSD-3-Clause
"""The records of a campaign on disk: one writer, whole lines only, append only."""

import errno
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from pollux.campaign.lines import (
    LINE,
    BlockEnd,
    BlockStart,
    Calibration,
    Configuration,
    ConfigurationLine,
    Line,
    SampleLine,
    Unavailable,
)
from pollux.campaign.record_file import RecordFile
from pollux.campaign.samples import Sample, read_sample, that_count
from pollux.errors import BadUsageError, MachineError

BEGINNING = b'{"schema":"pollux-campaign/1"'  # of every line


@dataclass
class Known:
    """What the lines written so far contain, as far as resuming needs it."""

    configurations: dict[str, Configuration] = field(default_factory=dict)
    unavailable: set[str] = field(default_factory=set)
    samples: dict[str, list[Sample]] = field(default_factory=lambda: defaultdict(list))
    blocks: dict[int, BlockStart] = field(default_factory=dict)
    ends: dict[int, BlockEnd] = field(default_factory=dict)
    torn: int = 0  # lines that a killed process left unfinished

    def add(self, line: Line) -> None:
        match line:
            case ConfigurationLine():
                self.configurations[line.hash] = line.configuration
            case Unavailable():
                self.unavailable.add(line.hash)
            case BlockStart():
                self.blocks[line.block] = line
            case BlockEnd():
                self.ends[line.block] = line
            case SampleLine():
                sample = read_sample(dict(line), line.configuration)
                self.samples[line.configuration].append(sample)
            case _:
                pass

    def calibrations(self) -> list[Calibration]:
        """All of them, oldest first; blocks next to each other share one."""
        lines: list[BlockStart | BlockEnd] = [*self.blocks.values(), *self.ends.values()]
        return [line.calibration for line in lines if line.calibration is not None]

    def is_disturbed(self, sample: Sample) -> bool:
        end = self.ends.get(sample.block[1]) if sample.block else None
        return end is not None and end.disturbed

    def speeds(self, configuration: str) -> dict[int, float]:
        """GFlop/s of a configuration by round, of the attempts that count in verdicts too."""
        counting = that_count(self.samples[configuration], self.is_disturbed)
        return {s.round or 0: s.gflops for s in counting if s.gflops is not None}

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
        self.read()

    def read(self) -> None:
        text = b"\n"
        with self.path.open("rb") as file:
            for text in file:
                if text.strip():
                    self.read_line(text)
        if not text.endswith(b"\n"):
            self.write(b"\n")

    def read_line(self, text: bytes) -> None:
        try:
            self.known.add(LINE.validate_json(text))
        except ValidationError as error:
            if not text.startswith(BEGINNING) and not BEGINNING.startswith(text):
                raise BadUsageError(
                    f"{self.path} contains something other than records of a campaign; "
                    "--output takes a new file or that of an earlier pollux run"
                ) from error
            self.known.torn += 1

    def append(self, line: Line) -> None:
        """Write a line; it is on the disk when this returns, in the file that the path leads to."""
        shortened = self.file.is_shortened()
        text = line.model_dump_json(by_alias=True).encode() + b"\n"
        self.write(b"\n" * shortened + text)
        self.known.add(line)
        if shortened:
            raise MachineError(
                f"{self.path} was shortened by another program while this run was writing it; "
                "the same command takes the samples that it has lost"
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
                f"are safe in it: {remedy}, then the same command resumes from there"
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
            "the same command resumes from there"
        )

    def close(self) -> None:
        self.file.close()
