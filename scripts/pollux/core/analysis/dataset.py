# SPDX-License-Identifier: BSD-3-Clause
"""What files of records contain, as samples to compare."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import log
from pathlib import Path
from typing import Any

import numpy as np

from pollux.core.analysis.sample_columns import SampleColumns, Samples
from pollux.core.campaign.axes import RUNTIME
from pollux.core.campaign.lines import BlockEnd, BlockStart, Configuration, PartOf, Start, Stopped
from pollux.core.campaign.logarithms import Logarithms, Rows
from pollux.core.campaign.reading import Unreadable
from pollux.core.campaign.samples import Flags, Ints, Sample, places_that_count
from pollux.core.parameters import Parameters
from pollux.core.tiles import Tile


@dataclass(frozen=True)
class Block:
    """A block of samples, with what was observed of the machine."""

    start: BlockStart
    end: BlockEnd | None  # None: killed within it

    @property
    def disturbed(self) -> bool:
        return self.end is not None and self.end.disturbed

    @property
    def in_force(self) -> bool:
        """Whether its levers were, as far as is known."""
        return self.end is None or self.end.in_force


@dataclass(frozen=True)
class Identity:
    """What a configuration really ran: the objects of a record that describe it."""

    runtime: dict[str, Any]
    compiler: dict[str, Any]
    blas: dict[str, Any] | None  # None: none is loaded
    host: dict[str, Any]
    size: int | None  # what the benchmark calls so
    m: int | None  # None, as the next: it computed on no matrix
    n: int | None
    tile: Tile | None
    ib: int | None
    parameters: Parameters
    threads: int
    bindings: tuple[str, ...]
    placement: str | None
    check: str
    kernels: str | None  # the kernel set; None: not recorded
    kernels_isa: str | None  # the instruction set of its code, where it has several; FFTW's build
    priorities: bool  # switched on
    priorities_in_force: bool | None  # respected by the runtime; None: not known
    concurrent_write: dict[str, Any] | None

    @property
    def blas_in_words(self) -> str | None:
        """Library, version and the processor that its kernels are for; None: none is loaded."""
        if self.blas is None:
            return None
        version = self.blas["version"] or "of unknown version"
        return f"{self.blas['library']} {version} {self.blas['core']}"


@dataclass
class Dataset:
    """The contents of some files. Keys of configurations are unique over all files.

    Once it is loaded, nothing is added to it.
    """

    paths: list[Path]
    starts: list[Start] = field(default_factory=list)
    configurations: dict[str, Configuration] = field(default_factory=dict)
    unavailable: dict[str, str] = field(default_factory=dict)
    blocks: dict[tuple[int, int], Block] = field(default_factory=dict)
    samples: Samples = field(default_factory=Samples)
    identities: dict[str, list[Identity]] = field(default_factory=lambda: defaultdict(list))
    parts: dict[int, PartOf] = field(default_factory=dict)  # by file: that of its last job
    planned: dict[int, int] = field(default_factory=dict)  # by file: samples, of fixed plans
    # By file of a campaign: whether its last run completed.
    complete: dict[int, bool] = field(default_factory=dict)
    ended: dict[int, Stopped] = field(default_factory=dict)  # by file: why, unless by a kill
    unreadable: list[Unreadable] = field(default_factory=list)
    traced: list[str] = field(default_factory=list)  # "FILE:LINE" of records of traced runs
    # Configurations with quantities that no sample of them has, and the reason.
    unknown: dict[tuple[str, str], str] = field(default_factory=dict)
    whole: "Dataset | None" = None  # of which this is a part: digests are judged over all of it

    def add(self, file: "Dataset") -> None:
        """Add what another file contains."""
        self.starts += file.starts
        self.configurations |= file.configurations
        self.unavailable |= file.unavailable
        self.blocks |= file.blocks
        self.samples = self.samples + file.samples if self.samples else file.samples
        self.identities |= file.identities
        self.parts |= file.parts
        self.planned |= file.planned
        self.complete |= file.complete
        self.ended |= file.ended
        self.unreadable += file.unreadable
        self.traced += file.traced

    def note_start(self, number: int, start: Start) -> None:
        """Add a start of a file; what the last of them says of the file counts."""
        self.starts.append(start)
        if start.part is not None:
            self.parts[number] = start.part
        if start.until_decided is None:
            self.planned[number] = start.processes
        else:
            self.planned.pop(number, None)

    @property
    def axis(self) -> str:
        """What the campaigns compare."""
        axes = {start.by for start in self.starts}
        return axes.pop() if len(axes) == 1 else RUNTIME

    @property
    def reference(self) -> str | None:
        """The level of that axis which the campaigns name as their reference."""
        return self.starts[-1].reference if self.starts else None

    @property
    def any_until_decided(self) -> bool:
        """Whether any campaign here took samples until its comparisons were decided."""
        return any(start.until_decided is not None for start in self.starts)

    @property
    def until_decided(self) -> float | None:
        """The relevant difference that the one campaign here was to decide; None: fixed plans."""
        return self.starts[-1].until_decided if self.is_one_campaign else None

    @property
    def is_one_campaign(self) -> bool:
        """Whether all but plain records is of one campaign, be it in the files of its parts.

        What the last job of each file was part of counts: it went on with what is there.
        """
        parts = map(self.parts.get, self.complete)
        names = {part and part.campaign for part in parts}
        return len(self.complete) == 1 or (len(names) == 1 and names != {None})

    @property
    def stopped(self) -> Stopped | None:
        """Why the campaign did, of its parts the one with most to do; None: it was killed."""
        found = {self.ended.get(file) for file in self.complete}
        order = (Stopped.BUDGET, None, Stopped.INTERRUPTED, Stopped.COMPLETE)
        return next((why for why in order if why in found), Stopped.DECIDED)

    @property
    def decide(self) -> list[str]:
        """The further quantities that the same campaign was to decide."""
        return self.starts[-1].decide if self.until_decided is not None else []

    @property
    def columns(self) -> SampleColumns:
        return self.samples.columns

    def processes(self) -> Sequence[Sample]:
        """All samples, once: where several quantities are compared, there is one for each."""
        terms = {key for key, c in self.configurations.items() if c.is_term}
        return [s for s in self.samples if s.configuration not in terms] if terms else self.samples

    @cached_property
    def counting(self) -> Ints:
        """Where the samples are that count: those of the attempts that do."""
        own = self.columns
        codes = own.configuration.codes
        return places_that_count(codes, own.round, own.attempt, self.disturbed)

    @cached_property
    def valid(self) -> dict[str, Ints]:
        """Where those of them with a speed are, by configuration, in the order of their rounds."""
        own = self.columns
        valid = self.counting[own.is_valid[self.counting]]
        return own.by_configuration(valid[np.argsort(own.round[valid], kind="stable")])

    @cached_property
    def logarithms(self) -> Logarithms:
        """Of all samples that have a speed."""
        own = self.columns
        speeds = np.where(own.is_valid, own.speed, 1.0).tolist()
        turns = Rows(own.speeds.counts, np.log(own.speeds.values))
        return Logarithms(np.array(list(map(log, speeds))), turns, own.rota, own.start)

    @cached_property
    def used(self) -> list[Sample]:
        """One sample for each configuration and round, of the attempt that counts."""
        return self.samples.at(self.counting)

    @cached_property
    def used_by(self) -> dict[str, list[Sample]]:
        """These of each configuration, in the order of their rounds."""
        return by_configuration(self.used)

    @cached_property
    def samples_by(self) -> dict[str, list[Sample]]:
        """All samples of each configuration, in the order of their rounds."""
        return by_configuration(self.samples)

    @cached_property
    def disturbed(self) -> Flags:
        """Which samples are of a disturbed block."""
        disturbed = {at for at, block in self.blocks.items() if block.disturbed}
        return self.columns.block.among(disturbed)

    def is_disturbed(self, sample: Sample) -> bool:
        return sample.block is not None and self.blocks[sample.block].disturbed


def names_of_files(paths: Sequence[Path]) -> list[str]:
    """The files' names without suffixes; with their folders, then suffixes, where not unique."""
    stems = [path.stem for path in paths]
    if len(set(stems)) == len(stems):
        return stems
    folders = [str(path.with_suffix("")) for path in paths]
    return folders if len(set(folders)) == len(folders) else [str(path) for path in paths]


def by_configuration(samples: Iterable[Sample]) -> dict[str, list[Sample]]:
    """The samples of each configuration, in the order of their rounds."""
    gathered: dict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        gathered[sample.configuration].append(sample)
    return gathered
