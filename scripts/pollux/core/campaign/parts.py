# SPDX-License-Identifier: BSD-3-Clause
"""The files of a campaign whose parts are measured apart, each with records of its own."""

import re
from collections.abc import Iterator
from pathlib import Path

from pollux.core.campaign.lines import PartOf, Start
from pollux.core.campaign.reading import read_lines

EVENT = b'"start"'  # in every line on a start, and in few others
NUMBER = re.compile(r"\.[0-9]+$")  # at the end of the stem


def records_of(records: Path, number: int, of: int) -> Path:
    """The file of one of several parts."""
    return records if of == 1 else records.with_suffix(f".{number}{records.suffix}")


def noted_parts(records: Path) -> Iterator[PartOf]:
    """What each job that wrote records noted of its part."""
    lines = read_lines(records, EVENT) if records.exists() else ()
    return (line.part for _, line in lines if isinstance(line, Start) and line.part is not None)


def last_part(records: Path) -> PartOf | None:
    """What the last of these jobs noted; None if there was none."""
    parts = [*noted_parts(records)]
    return parts[-1] if parts else None


def files_of_campaign(records: Path) -> list[Path]:
    """A file of records, with those of all other parts of its campaign."""
    of = next((part.of for part in noted_parts(records)), 1)
    whole = records.with_name(f"{NUMBER.sub('', records.stem)}{records.suffix}")
    files = [file for n in range(1, of + 1) if (file := records_of(whole, n, of)).exists()]
    return files if records in files else [records]
