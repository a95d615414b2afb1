# SPDX-License-Identifier: BSD-3-Clause
"""The accepted base line: which nights count, for which series, since when and why."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field

from pollux.core.errors import BadUsageError, MachineError
from pollux.core.locks import locked_folder
from pollux.core.models import Strict, read_kept
from pollux.core.writing import MACHINE, replace_file

NAME = "base-line.json"
WRONG = "wrong"
SCHEMA: Final = "pollux-base-line/1"
Line = Annotated[str, Field(min_length=1, max_length=1000)]
Label = Annotated[str, Field(min_length=1, max_length=10_000)]  # with the path of a matrix


class Accepted(Strict):
    """A series whose base line was moved: nights before `first` count no more.

    Of what was wrong it is the base line of its results, such as digests; its level stays.
    """

    series: Label
    first: Line  # name of a night's file
    night: Line  # the last night when it was accepted
    state: Line  # of the series then
    ratio: float | None
    date: Line
    reason: Line


class BaseLine(Strict):
    """All that was accepted, the oldest first."""

    schema_name: Literal["pollux-base-line/1"] = Field(default=SCHEMA, alias="schema")
    accepted: list[Accepted] = Field(default=[])

    def of_level(self, series: str) -> Accepted | None:
        """What was accepted last of a series' level."""
        own = (a for a in reversed(self.accepted) if a.series == series and a.state != WRONG)
        return next(own, None)

    def of_results(self, series: str) -> Accepted | None:
        """What was accepted last of a series that was wrong."""
        return next(reversed(self.all_of_results(series)), None)

    def all_of_results(self, series: str) -> list[Accepted]:
        """Whatever was accepted of a series that was wrong."""
        return [a for a in self.accepted if a.series == series and a.state == WRONG]


def read_base_line(folder: Path) -> BaseLine:
    remedy = "correct it, or move it away to start from the first night"
    return read_kept(folder / NAME, BaseLine, "base line of pollux watch", remedy) or BaseLine()


def add(folder: Path, accepted: Sequence[Accepted]) -> None:
    """Write the base line with further entries."""
    path = folder / NAME
    try:
        with locked_folder(folder):  # another process may add some too
            known = read_base_line(folder)
            new = known.model_copy(update={"accepted": [*known.accepted, *accepted]})
            replace_file(path, (new.model_dump_json(by_alias=True, indent=1) + "\n").encode())
    except OSError as error:
        what = f"cannot write {path} ({error.strerror}); the base line is as it was"
        raise (MachineError if error.errno in MACHINE else BadUsageError)(what) from error
