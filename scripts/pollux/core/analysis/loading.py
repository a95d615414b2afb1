# SPDX-License-Identifier: BSD-3-Clause
"""Reads the lines of campaigns, or plain records of the executables, into samples to compare."""

import gc
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any

from pollux.core.analysis.dataset import Block, Dataset, Identity, names_of_files
from pollux.core.analysis.index import fingerprint, read_index, write_index
from pollux.core.analysis.quantities import split_quantities
from pollux.core.analysis.sample_columns import Samples
from pollux.core.campaign.lines import (
    BlockEnd,
    BlockStart,
    Configuration,
    ConfigurationLine,
    End,
    Line,
    PartOf,
    SampleLine,
    Start,
    Unavailable,
)
from pollux.core.campaign.reading import Cause, Unreadable, read_lines, sentences
from pollux.core.campaign.samples import plain_sample, read_sample
from pollux.core.errors import BadUsageError
from pollux.core.parameters import frozen
from pollux.core.runtimes.names import label_of_ompss
from pollux.core.tiles import tile_of

IDENTITY = ("runtime", "compiler", "blas", "host")
RUN = (
    *("m", "n", "ib", "threads", "placement", "check", "kernels", "kernels_isa"),
    *("priorities", "priorities_in_force"),
)
OF_IDENTITY, OF_RECORD = attrgetter(*RUN, *IDENTITY), itemgetter(*RUN, *IDENTITY)


def load(paths: Sequence[Path], *, indexed: bool = True) -> Dataset:
    """Read files; if several of them use a runtime's label, the files' names are added to it.

    With `indexed`, large files are read from their indexes, which are made where there are none.
    """
    dataset = Dataset(list(paths))
    with no_collection():
        for number, path in enumerate(paths):
            dataset.add(read_indexed(number, path) if indexed else read_file(number, path))
    if not dataset.configurations:
        only = " except those of traced runs, which are never compared" if dataset.traced else ""
        why = "".join(f"; {sentence}" for sentence in sentences(dataset.unreadable))
        remedy = why or "; pollux run writes them"
        raise BadUsageError(f"{join(paths)}: contains no records{only}{remedy}")
    split_quantities(dataset)
    if len(paths) > 1:
        name_nodes(dataset)
        distinguish_files(dataset)
    return dataset


@contextmanager
def no_collection() -> Iterator[None]:
    """Keep Python from looking for garbage again and again among samples that all stay."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.freeze()  # nor later
            gc.enable()


def join(paths: Iterable[Path]) -> str:
    return ", ".join(map(str, paths))


def read_indexed(number: int, path: Path) -> Dataset:
    """A file, from its index if that is of the file as it is."""
    now = fingerprint(path)
    if now is None:
        return read_file(number, path)
    if (known := read_index(path, now, number)) is not None:
        return known
    found = read_file(number, path)
    write_index(path, now, number, found)
    return found


def read_file(number: int, path: Path) -> Dataset:
    """Read all lines; a sample may come before the line of its configuration."""
    dataset = Dataset([path])
    early: list[tuple[int, SampleLine]] = []
    for count, line in read_lines(path):
        if isinstance(line, SampleLine):
            if not add_sample(dataset, number, line):
                early.append((count, line))
        elif isinstance(line, Unreadable):
            dataset.unreadable.append(line)
        elif isinstance(line, dict):
            if line.get("traced"):
                dataset.traced.append(f"{path}:{count}")
            else:
                read_plain(dataset, number, line)
        else:
            read_event(dataset, number, line)
    for count, sample in early:
        if not add_sample(dataset, number, sample):
            reason = "no line describes the configuration of this sample"
            dataset.unreadable.append(Unreadable(f"{path}:{count}", Cause.OTHER, reason))
    drop_samples_not_in_force(dataset)
    drop_replaced(dataset)
    return dataset


def drop_samples_not_in_force(dataset: Dataset) -> None:
    """Leave out the samples of blocks under other levers than those that were set for them."""
    blocks = {at for at, block in dataset.blocks.items() if not block.in_force}
    if blocks:
        kept = [sample for sample in dataset.samples if sample.block not in blocks]
        dataset.samples = Samples(lambda: kept)


def drop_replaced(dataset: Dataset) -> None:
    """Leave out what was planned and, before any sample, built anew; what ran is available."""
    sampled = {sample.configuration for sample in dataset.samples}
    named = [(c.name(), key) for key, c in dataset.configurations.items()]
    standing = dict(named)  # the last of each name, unless another has samples
    standing |= {name: key for name, key in named if key in sampled}
    dataset.configurations = {
        key: c
        for key, c in dataset.configurations.items()
        if key in sampled or standing[c.name()] == key
    }
    dataset.unavailable = {
        key: why
        for key, why in dataset.unavailable.items()
        if key in dataset.configurations and key not in sampled
    }


def read_event(dataset: Dataset, number: int, line: Line) -> None:
    match line:
        case ConfigurationLine():
            dataset.configurations[f"{number}:{line.hash}"] = line.configuration
        case Unavailable():
            dataset.unavailable[f"{number}:{line.hash}"] = line.reason
        case BlockStart():
            known = block_of(dataset, number, line.block)
            dataset.blocks[number, line.block] = replace(known, start=line)
        case BlockEnd():
            known = block_of(dataset, number, line.block)
            dataset.blocks[number, line.block] = replace(known, end=line)
        case Start():
            dataset.note_start(number, line)
            dataset.complete[number] = False
            dataset.ended.pop(number, None)
        case End():
            dataset.complete[number] = line.complete
            dataset.ended[number] = line.stopped


def block_of(dataset: Dataset, number: int, block: int) -> Block:
    """A block; one whose first line cannot be read began at an unknown time."""
    unknown = BlockStart(block=block, unix_ns=0, calibration=None)
    return dataset.blocks.setdefault((number, block), Block(unknown, None))


def add_sample(dataset: Dataset, number: int, line: SampleLine) -> bool:
    """Add a sample, if its configuration is known."""
    key = f"{number}:{line.configuration}"
    if key not in dataset.configurations:
        return False
    if (number, line.block) not in dataset.blocks:
        block_of(dataset, number, line.block)
    dataset.samples.append(read_sample(line, key, number))
    for record in line.records:
        note_identity(dataset, key, record)
    return True


def read_plain(dataset: Dataset, number: int, record: dict[str, Any]) -> None:
    """A record that an executable wrote outside of a campaign: a sample, paired with nothing."""
    size, headline = record["size"], next(iter(record["quantities"].values()))
    tile = tile_of(record)
    configuration = Configuration(
        runtime=runtime_label(record["runtime"]),
        benchmark=record["benchmark"],
        variant=record["variant"],
        kernels=record["kernels"],
        size=1 if size is None else size["value"],
        size_name=None if size is None else size["name"],
        rows=None if record["m"] == record["n"] else record["m"],
        tile_asked=None if tile is None else str(tile),
        tile=tile,
        inner=record["ib"],
        parameters=record["parameters"],
        threads=record["threads"],
        environment="as run",
        digest_group=record["digest_group"],
        arguments=[] if record["matrix"] in (None, "random") else ["--matrix", record["matrix"]],
        unit=headline["unit"],
        better=headline["better"],
    )
    key = f"{number}:{configuration.hash()}"
    dataset.configurations[key] = configuration
    dataset.samples.append(plain_sample(record, key))
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
                size=None if record["size"] is None else record["size"]["value"],
                tile=tile_of(record),
                parameters=frozen(record["parameters"]),
                bindings=tuple(record["bindings"]),
                concurrent_write=record["concurrent_write"],
            )
        )


def is_of(identity: Identity, record: dict[str, Any]) -> bool:
    return (
        OF_IDENTITY(identity) == OF_RECORD(record)
        and identity.tile == tile_of(record)
        and identity.parameters == frozen(record["parameters"])
    )


def name_nodes(dataset: Dataset) -> None:
    """Add its node to each configuration of a campaign that ran on several, or twice on one.

    What ran on different nodes, or in different parts, is never in one cell.
    """
    nodes: dict[str, set[str]] = defaultdict(set)
    parts: dict[tuple[str, str, str], int] = defaultdict(int)  # with a configuration, by node
    for part in dataset.parts.values():
        nodes[part.campaign].add(part.node)
    found = [(key, own) for key in dataset.configurations if (own := part_of(dataset, key))]
    for key, own in found:
        parts[own.campaign, own.node, key.partition(":")[2]] += 1
    for key, own in found:
        several = parts[own.campaign, own.node, key.partition(":")[2]] > 1
        if several or len(nodes[own.campaign]) > 1:
            node = f"{own.node} (part {own.number})" if several else own.node
            named = dataset.configurations[key].model_copy(update={"node": node})
            dataset.configurations[key] = named


def part_of(dataset: Dataset, key: str) -> PartOf | None:
    """Of a campaign in jobs: the part that a configuration is in."""
    return dataset.parts.get(int(key.partition(":")[0]))


def distinguish_files(dataset: Dataset) -> None:
    """Add the file's name to the label of a runtime that occurs in more than one campaign.

    A campaign keeps its labels if there is no other, but for plain records.
    """
    kept = dataset.complete if dataset.is_one_campaign else {}
    campaigns_of: dict[str, set[str]] = defaultdict(set)
    for key, configuration in dataset.configurations.items():
        campaigns_of[configuration.runtime].add(campaign_of(dataset, key))
    stems = names_of_files(dataset.paths)
    first: dict[str, str] = {}  # the name that stands for a campaign
    for key, configuration in dataset.configurations.items():
        file = int(key.partition(":")[0])
        if len(campaigns_of[configuration.runtime]) > 1 and file not in kept:
            stem = first.setdefault(campaign_of(dataset, key), stems[file])
            label = f"{configuration.runtime} ({stem})"
            dataset.configurations[key] = configuration.model_copy(update={"runtime": label})


def campaign_of(dataset: Dataset, key: str) -> str:
    """What the configurations of one campaign have in common: its name, or its file's number."""
    part = part_of(dataset, key)
    return key.partition(":")[0] if part is None else part.campaign
