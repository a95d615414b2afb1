# SPDX-License-Identifier: BSD-3-Clause
"""An index beside a large file of records: its samples in a form that is read fast.

It is made from the file and may be deleted. It counts only while the file is as it was, and for
the code that made it; what is damaged is not used. Where none can be written, as in a folder that
is read-only, files are read line by line.
"""

import hashlib
import io
import json
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from pollux.core.analysis.columns import SAMPLE, Filling, Store
from pollux.core.analysis.dataset import Block, Dataset, Identity
from pollux.core.analysis.sample_columns import NAME, Samples, read_columns
from pollux.core.campaign.lines import BlockEnd, BlockStart, Configuration, Start, Stopped
from pollux.core.campaign.reading import Cause, Unreadable
from pollux.core.models import Strict
from pollux.core.paths import PACKAGE
from pollux.core.writing import replace_file

SMALLEST = 1 << 22  # bytes of a file that is worth an index: less is read in a moment
SETTLED_SECONDS = 2.0  # since the last change: times of files are not exact
ENDS = 4096  # bytes of either end that a fingerprint has
SUM_BYTES = 4  # of the checksum behind all else


@dataclass(frozen=True)
class Fingerprint:
    """What shows that a file has not changed since it was read, nor the code that reads it."""

    size: int
    mtime_ns: int
    ctime_ns: int
    ends: str  # hash of its first and last bytes
    code: str

    @property
    def is_settled(self) -> bool:
        """Whether a later change would show in its times."""
        return time.time() - max(self.mtime_ns, self.ctime_ns) / 1e9 >= SETTLED_SECONDS


class Contents(Strict):
    """All of a file but its samples; keys of configurations without the number of the file."""

    starts: list[Start]
    configurations: dict[str, Configuration]
    unavailable: dict[str, str]
    blocks: list[tuple[int, BlockStart, BlockEnd | None]]
    identities: dict[str, list[Identity]]
    complete: bool | None
    ended: Stopped | None
    unreadable: list[tuple[int, Cause, str]]  # line, cause, reason
    traced: list[int]  # lines


def index_of(path: Path) -> Path:
    """Where the index of a file is."""
    real = path.resolve()
    return real.with_name(f".{real.name}.index")


def fingerprint(path: Path) -> Fingerprint | None:
    """Of a file that is worth an index; None of others."""
    try:
        if not path.is_file() or path.stat().st_size < SMALLEST:
            return None
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            ends = file.read(ENDS)
            file.seek(max(0, status.st_size - ENDS))
            ends += file.read(ENDS)
    except OSError:
        return None
    found = hashlib.sha256(ends).hexdigest()
    times = status.st_mtime_ns, status.st_ctime_ns
    return Fingerprint(status.st_size, *times, found, code())


@cache
def code() -> str:
    """A hash of what decides how lines become samples: all of this part of the package."""
    found = hashlib.sha256()
    for path in sorted((PACKAGE / "core").rglob("*.py")):
        found.update(path.read_bytes())
    return found.hexdigest()


def read_index(path: Path, now: Fingerprint, number: int) -> Dataset | None:
    """What a file contains, as file `number`; None where there is no index that is its own."""
    try:
        if not is_intact(index_of(path)):
            return None
        arrays = np.load(index_of(path), allow_pickle=False)
        texts = json.loads(arrays["texts"].tobytes())
        if texts["fingerprint"] != asdict(now):
            return None
        contents = Contents.model_validate(texts["contents"], by_alias=True)
        return dataset_of(path, number, contents, Store(arrays, texts["tables"]))
    except (OSError, ValueError, LookupError, TypeError, EOFError):
        return None  # none, or of another form


def is_intact(path: Path) -> bool:
    """Whether an index ends with the checksum of all before it."""
    with (
        path.open("rb") as file,
        mmap(file.fileno(), 0, access=ACCESS_READ) as content,
        memoryview(content) as whole,
        whole[:-SUM_BYTES] as checked,
    ):
        return checksum(checked) == content[-SUM_BYTES:]


def checksum(content: bytes | memoryview) -> bytes:
    return crc32(content).to_bytes(SUM_BYTES)


def dataset_of(path: Path, number: int, contents: Contents, store: Store) -> Dataset:
    keys = store.tables[f"{NAME}.configuration"]
    blocks = store.tables[f"{NAME}.block"]
    store.tables[f"{NAME}.configuration"] = [f"{number}:{key}" for key in keys]
    store.tables[f"{NAME}.block"] = [block and [number, block[1]] for block in blocks]
    found = Dataset([path])
    for start in contents.starts:
        found.note_start(number, start)
    found.configurations = keyed(contents.configurations, number)
    found.unavailable = keyed(contents.unavailable, number)
    found.blocks = {(number, n): Block(start, end) for n, start, end in contents.blocks}
    found.samples = Samples(lambda: list(SAMPLE.read(store, NAME)), lambda: read_columns(store))
    found.identities.update(keyed(contents.identities, number))
    found.complete = {} if contents.complete is None else {number: contents.complete}
    found.ended = {} if contents.ended is None else {number: contents.ended}
    found.unreadable = [
        Unreadable(f"{path}:{n}", cause, why) for n, cause, why in contents.unreadable
    ]
    found.traced = [f"{path}:{line}" for line in contents.traced]
    return found


def keyed(own: Mapping[str, Any], number: int) -> dict[str, Any]:
    return {f"{number}:{key}": value for key, value in own.items()}


def write_index(path: Path, before: Fingerprint, number: int, dataset: Dataset) -> None:
    """Keep what a file contains, unless it was changed meanwhile or cannot be written."""
    if not before.is_settled or fingerprint(path) != before:
        return
    store = Filling({}, {})
    SAMPLE.write(store, NAME, dataset.samples)
    store.tables[f"{NAME}.configuration"] = [
        plain(key) for key in store.tables[f"{NAME}.configuration"]
    ]
    texts = {
        "fingerprint": asdict(before),
        "contents": contents_of(dataset, number).model_dump(mode="json", by_alias=True),
        "tables": store.tables,
    }
    file = io.BytesIO()
    packed = np.frombuffer(json.dumps(texts).encode(), dtype="u1")
    np.savez(file, allow_pickle=False, texts=packed, **store.arrays)
    content = file.getvalue()
    with suppress(OSError):
        replace_file(index_of(path), content + checksum(content))


def contents_of(dataset: Dataset, number: int) -> Contents:
    return Contents(
        starts=dataset.starts,
        configurations={plain(key): own for key, own in dataset.configurations.items()},
        unavailable={plain(key): own for key, own in dataset.unavailable.items()},
        blocks=[(n, block.start, block.end) for (_, n), block in dataset.blocks.items()],
        identities={plain(key): own for key, own in dataset.identities.items()},
        complete=dataset.complete.get(number),
        ended=dataset.ended.get(number),
        unreadable=[(line_of(u.place), u.cause, u.reason) for u in dataset.unreadable],
        traced=[line_of(place) for place in dataset.traced],
    )


def plain(key: str) -> str:
    """The key of a configuration without the number of its file."""
    return key.partition(":")[2]


def line_of(place: str) -> int:
    """The line of FILE:LINE."""
    return int(place.rpartition(":")[2])
