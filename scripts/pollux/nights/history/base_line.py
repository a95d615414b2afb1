# SPDX-License-Identifier: BSD-3-Clause
"""The accepted base line: which nights count, for which series, since when and why."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pollux.core.errors import BadUsageError, MachineError
from pollux.core.validation import first_problem, printable_json
from pollux.core.writing import MACHINE, replace_file

NAME = "base-line.json"
WRONG = "wrong"
SCHEMA: Final = "pollux-base-line/1"
Line = Annotated[str, Field(min_length=1, max_length=1000)]


class Written(BaseModel):
    """A part of the file."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Accepted(Written):
    """A series whose base line was moved: nights before `first` count no more.

    Of what was wrong it is the base line of its results, such as digests; its level stays.
    """

    series: Line
    first: Line  # name of a night's file
    night: Line  # the last night when it was accepted
    state: Line  # of the series then
    ratio: float | None
    date: Line
    reason: Line


class BaseLine(Written):
    """All that was accepted, the oldest first."""

    schema_name: Literal["pollux-base-line/1"] = Field(default=SCHEMA, alias="schema")
    accepted: list[Accepted] = []

    def of_level(self, series: str) -> Accepted | None:
        """What was accepted last of a series' level."""
        own = (a for a in reversed(self.accepted) if a.series == series and a.state != WRONG)
        return next(own, None)

    def of_results(self, series: str) -> Accepted | None:
        """What was accepted last of a series that was wrong."""
        own = (a for a in reversed(self.accepted) if a.series == series and a.state == WRONG)
        return next(own, None)


def read_base_line(folder: Path) -> BaseLine:
    path = folder / NAME
    try:
        return BaseLine.model_validate_json(printable_json(path.read_bytes()))
    except FileNotFoundError:
        return BaseLine()
    except OSError as error:
        raise BadUsageError(f"cannot read {path} ({error.strerror})") from error
    except ValidationError as error:
        raise BadUsageError(
            f"{path} is no base line of pollux watch ({first_problem(error, unless='the file')}); "
            "correct it, or move it away to start from the first night"
        ) from error


def add(folder: Path, known: BaseLine, accepted: Sequence[Accepted]) -> None:
    """Write the base line with further entries."""
    path = folder / NAME
    new = known.model_copy(update={"accepted": [*known.accepted, *accepted]})
    try:
        replace_file(path, (new.model_dump_json(by_alias=True, indent=1) + "\n").encode())
    except OSError as error:
        what = f"cannot write {path} ({error.strerror}); the base line is as it was"
        raise (MachineError if error.errno in MACHINE else BadUsageError)(what) from error
