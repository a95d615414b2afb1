# SPDX-License-Identifier: BSD-3-Clause
"""Reads the lines of campaigns, or plain records of the executables, into samples to compare."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import from_json

from pollux.campaign.lines import (
    SCHEMA,
    BlockEnd,
    BlockStart,
    Configuration,
    ConfigurationLine,
    Outcome,
    Start,
    Unavailable,
)
from pollux.campaign.samples import Sample, are_verified, digests_of, read_sample, that_count
from pollux.errors import BadUsageError
from pollux.records import RUN_SCHEMAS, failed_check, kernels_of, priorities_in_force, residuals_of
from pollux.runtimes.names import label_of_ompss
from pollux.tiles import Tile, tile_of

IDENTITY = ("runtime", "compiler", "blas", "host")
RUN = ("m", "n", "ib", "threads", "placement", "priorities", "check")


@dataclass(frozen=True)
class Block:
    """A block of samples, with what was observed of the machine."""

    start: BlockStart
    end: BlockEnd | None  # None: killed within it

    @property
    def disturbed(self) -> bool:
        return self.end is not None and self.end.disturbed


@dataclass(frozen=True)
class Identity:
    """What a configuration really ran: the objects of a record that describe it."""

    runtime: dict[str, Any]
    compiler: dict[str, Any]
    blas: dict[str, Any]
    host: dict[str, Any]
    m: int
    n: int
    tile: Tile
    ib: int | None
    threads: int
    bindings: tuple[str, ...]
    placement: str
    check: str
    kernels: str | None  # the kernel set; None: not recorded
    priorities: bool  # switched on
    priorities_in_force: bool | None  # respected by the runtime; None: not known
    concurrent_write: dict[str, Any] | None


@dataclass
class Dataset:
    """The contents of some files. Keys of configurations are unique over all files."""

    paths: list[Path]
    starts: list[Start] = field(default_factory=list)
    configurations: dict[str, Configuration] = field(default_factory=dict)
    unavailable: dict[str, str] = field(default_factory=dict)
    blocks: dict[tuple[int, int], Block] = field(default_factory=dict)
    samples: list[Sample] = field(default_factory=list)
    identities: dict[str, list[Identity]] = field(default_factory=lambda: defaultdict(list))
    complete: dict[int, bool] = field(
        default_factory=dict
    )  # by file: whether its last run completed
    torn: list[str] = field(default_factory=list)  # "FILE:LINE" of lines that cannot be read
    traced: list[str] = field(default_factory=list)  # "FILE:LINE" of records of traced runs
    whole: "Dataset | None" = None  # of which this is a part: digests are judged over all of it

    @property
    def reference(self) -> str | None:
        """The runtime that the campaigns name as their reference."""
        return self.starts[-1].reference if self.starts else None

    @property
    def planned(self) -> int | None:
        """Samples per configuration that the last start requested."""
        return self.starts[-1].processes if self.starts else None

    def used(self) -> list[Sample]:
        """One sample for each configuration and round, of the attempt that counts."""
        return that_count(self.samples, self.is_disturbed)

    def is_disturbed(self, sample: Sample) -> bool:
        return sample.block is not None and self.blocks[sample.block].disturbed


def load(paths: Sequence[Path]) -> Dataset:
    """Read files; if several of them use a runtime's label, the files' names are added to it."""
    dataset = Dataset(list(paths))
    for number, path in enumerate(paths):
        read_file(dataset, number, path)
    if not dataset.configurations:
        only = " except those of traced runs, which are never compared" if dataset.traced else ""
        raise BadUsageError(f"{join(paths)}: contains no records{only}; pollux run writes them")
    name_kernels(dataset)
    if len(paths) > 1:
        distinguish_files(dataset)
    return dataset


def join(paths: Iterable[Path]) -> str:
    return ", ".join(map(str, paths))


def read_file(dataset: Dataset, number: int, path: Path) -> None:
    try:
        with path.open("rb") as file:
            for count, line in enumerate(file, start=1):
                if line.strip():
                    read_line(dataset, number, f"{path}:{count}", line)
    except OSError as error:
        raise BadUsageError(f"cannot read {path} ({error.strerror})") from error


def read_line(dataset: Dataset, number: int, place: str, line: bytes) -> None:
    """Read one line; one that is unreadable is recorded, since a killed process may leave it."""
    try:
        parsed = from_json(line, cache_strings="keys")
        if parsed["schema"] == SCHEMA:
            read_event(dataset, number, parsed)
        elif parsed["schema"] in RUN_SCHEMAS and parsed.get("traced"):
            dataset.traced.append(place)
        elif parsed["schema"] in RUN_SCHEMAS:
            read_plain(dataset, number, parsed)
        else:
            dataset.torn.append(place)
    except (ValueError, TypeError, KeyError, ValidationError):
        dataset.torn.append(place)


def read_event(dataset: Dataset, number: int, parsed: dict[str, Any]) -> None:
    event = parsed["event"]
    if event == "sample":
        add_sample(dataset, number, parsed)
    elif event == "configuration":
        line = ConfigurationLine.model_validate(parsed)
        dataset.configurations[f"{number}:{line.hash}"] = line.configuration
    elif event == "unavailable":
        unavailable = Unavailable.model_validate(parsed)
        dataset.unavailable[f"{number}:{unavailable.hash}"] = unavailable.reason
    elif event == "block":
        start = BlockStart.model_validate(parsed)
        dataset.blocks[number, start.block] = Block(start, None)
    elif event == "block-end":
        end = BlockEnd.model_validate(parsed)
        dataset.blocks[number, end.block] = replace(dataset.blocks[number, end.block], end=end)
    elif event == "start":
        dataset.starts.append(Start.model_validate(parsed))
        dataset.complete[number] = False
    elif event == "end":
        dataset.complete[number] = bool(parsed["complete"])


def add_sample(dataset: Dataset, number: int, parsed: dict[str, Any]) -> None:
    key = f"{number}:{parsed['configuration']}"
    dataset.configurations[key]  # a sample without its configuration cannot be read
    dataset.blocks[number, parsed["block"]]
    dataset.samples.append(read_sample(parsed, key, number))
    for record in parsed["records"]:
        note_identity(dataset, key, record)


def read_plain(dataset: Dataset, number: int, record: dict[str, Any]) -> None:
    """A record that an executable wrote outside of a campaign: a sample, paired with nothing."""
    configuration = Configuration(
        runtime=runtime_label(record["runtime"]),
        benchmark=record["benchmark"],
        variant=record["variant"],
        kernels=kernels_of(record),
        size=record["n"],
        rows=None if record["m"] == record["n"] else record["m"],
        tile_asked=str(tile_of(record)),
        tile=tile_of(record),
        inner=record["ib"],
        threads=record["threads"],
        environment="as run",
        digest_group=record["digest_group"],
        arguments=[] if record["matrix"] == "random" else ["--matrix", record["matrix"]],
    )
    key = f"{number}:{configuration.hash()}"
    passed = bool(record["passed"])
    sample = Sample(
        configuration=key,
        round=None,
        attempt=0,
        block=None,
        outcome=Outcome.OK if passed else Outcome.FAILED_CHECK,
        problem=None if passed else failed_check(record),
        detail=None,
        warnings=(),
        gflops=record["gflops"] if passed else None,
        start_unix_ns=record["start_unix_ns"],
        process_seconds=None,
        residuals=residuals_of([record]),
        digests=digests_of([record]),
        verified=are_verified([record]),
    )
    dataset.configurations[key] = configuration
    dataset.samples.append(sample)
    note_identity(dataset, key, record)


def runtime_label(runtime: dict[str, Any]) -> str:
    """What to call the runtime of a record that no campaign gave a label."""
    if runtime["name"] == "ompss":
        return label_of_ompss(Path(runtime["path"]))
    return str(runtime["name"])


def note_identity(dataset: Dataset, key: str, record: dict[str, Any]) -> None:
    """Keep each different identity that a configuration ran as."""
    known = dataset.identities[key]
    if not any(is_of(identity, record) for identity in known):
        known.append(
            Identity(
                **{name: record[name] for name in (*IDENTITY, *RUN)},
                kernels=kernels_of(record),
                tile=tile_of(record),
                bindings=tuple(record["bindings"]),
                concurrent_write=record["concurrent_write"],
                priorities_in_force=priorities_in_force(record),
            )
        )


def is_of(identity: Identity, record: dict[str, Any]) -> bool:
    same = all(getattr(identity, name) == record[name] for name in (*RUN, *IDENTITY))
    in_force = identity.priorities_in_force == priorities_in_force(record)
    same_kernels = identity.kernels == kernels_of(record)
    return same and in_force and same_kernels and identity.tile == tile_of(record)


def name_kernels(dataset: Dataset) -> None:
    """Campaigns older than their axis of kernel sets leave them to the records."""
    for key, configuration in dataset.configurations.items():
        ran = {identity.kernels for identity in dataset.identities.get(key, ())}
        if configuration.kernels is None and len(ran) == 1:
            dataset.configurations[key] = configuration.model_copy(update={"kernels": ran.pop()})


def distinguish_files(dataset: Dataset) -> None:
    """Add the file's name to the label of a runtime that occurs in more than one file."""
    files_of: dict[str, set[str]] = defaultdict(set)
    for key, configuration in dataset.configurations.items():
        files_of[configuration.runtime].add(key.partition(":")[0])
    stems = names_of_files(dataset.paths)
    for key, configuration in dataset.configurations.items():
        if len(files_of[configuration.runtime]) > 1:
            label = f"{configuration.runtime} ({stems[int(key.partition(':')[0])]})"
            dataset.configurations[key] = configuration.model_copy(update={"runtime": label})


def names_of_files(paths: Sequence[Path]) -> list[str]:
    """The files' names without suffixes; with their folders where these are not unique."""
    stems = [path.stem for path in paths]
    if len(set(stems)) == len(stems):
        return stems
    return [str(path.with_suffix("")) for path in paths]


def by_configuration(samples: Iterable[Sample]) -> dict[str, list[Sample]]:
    """The samples of each configuration, in the order of their rounds."""
    gathered: dict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        gathered[sample.configuration].append(sample)
    return gathered
