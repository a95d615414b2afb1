# SPDX-License-Identifier: BSD-3-Clause
"""Values of axes that options of `pollux run` choose among those of a campaign's tables.

An option filters: each table keeps its values that are chosen, and one without any drops out.
Values that no table has are run in [grid], or in place of all others if that is all that were
chosen. `--set` replaces instead.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from pollux.core.campaign.model import Axes
from pollux.core.campaign.values import as_list
from pollux.core.errors import BadUsageError
from pollux.core.text import cut, one_line

NO_BENCHMARK = "not-chosen"  # of a table whose benchmarks, or other values, are left out
ALL = ["all"]
# What a table without a key of the axis runs, where that can be named.
DEFAULTS = {
    **dict.fromkeys(("runtime", "variant", "threads"), ALL),
    "kernels": ["openblas"],
    **{axis: ["default"] for axis in ("tile", "environment")},
}
NAMES = ("runtime", "variant", "kernels")  # axes whose "all" stands for each value


@dataclass(frozen=True)
class Choice:
    """The values of an axis that are chosen, and the campaign's tables."""

    axis: str
    wanted: list[Any]
    grid: dict[str, Any]
    includes: list[dict[str, Any]]  # those that run anything

    def of(self, table: dict[str, Any]) -> list[Any]:
        """The values that a table has, inherited ones too."""
        default = DEFAULTS.get(self.axis, [])
        return values_of(self.axis, table.get(self.axis, self.grid.get(self.axis, default)))

    def kept(self, table: dict[str, Any]) -> list[Any]:
        """Those of them that are chosen."""
        own = self.of(table)
        if self.axis in NAMES and own == ALL:
            return self.wanted
        return self.in_order(own)

    def in_order(self, values: list[Any]) -> list[Any]:
        """Those values that are chosen, in the order of the choice."""
        texts = {*map(str, values)}
        return [value for value in self.wanted if str(value) in texts]

    def is_inherited(self) -> bool:
        """Whether anything runs the values of [grid]."""
        return runs(self.grid) or any(self.axis not in table for table in self.includes)

    def tables(self) -> Iterator[dict[str, Any]]:
        if runs(self.grid):
            yield self.grid
        yield from self.includes

    def new(self) -> list[Any]:
        """Chosen values that no table has."""
        known = {str(value) for table in self.tables() for value in self.kept(table)}
        return [value for value in self.wanted if str(value) not in known]


def runs(table: dict[str, Any]) -> bool:
    """Whether a table was not left out before."""
    return table.get("benchmark") != [NO_BENCHMARK]


def tables_of(contents: dict[str, Any], option: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """[grid], and those of [[include]], in the contents of a file."""
    grid, include = contents.setdefault("grid", {}), contents.get("include")
    if not isinstance(grid, dict):
        raise BadUsageError(f"{option}: [grid] is not a table")
    return grid, [t for t in include if isinstance(t, dict)] if isinstance(include, list) else []


def choose(contents: dict[str, Any], axis: str, value: object, option: str) -> None:
    """Keep the chosen values of an axis in each table of the contents of a file."""
    grid, tables = tables_of(contents, option)
    wanted = values_of(axis, value)
    choice = Choice(axis, wanted, grid, [table for table in tables if runs(table)])
    new = choice.new()
    if (wanted == ALL and axis in NAMES) or len(new) == len(wanted):
        replace(choice, value)
        return
    if new and not choice.is_inherited():
        listed = ", ".join(map(str, new))
        raise BadUsageError(
            f"{cut(one_line(option))}: no table of the benchmarks that are chosen has "
            f"{cut(one_line(listed))}; --set {axis}=… replaces what they have"
        )
    of_grid = choice.in_order([*choice.kept(grid), *new])
    for table in choice.includes:
        kept = choice.kept(table) if axis in table else of_grid
        if not kept:
            leave_out(table)
        elif axis in table:
            table[axis] = kept
    if of_grid:
        grid[axis] = of_grid
    elif runs(grid):
        leave_out_grid(grid, tables)


def replace(choice: Choice, value: object) -> None:
    """Run these values, and no others, everywhere."""
    choice.grid[choice.axis] = value
    inherit(choice.includes, choice.axis)


def inherit(tables: list[dict[str, Any]], axis: str) -> None:
    """Let tables run the values of [grid]; one that has nothing else drops out."""
    for table in tables:
        table.pop(axis, None)
        if not table:
            leave_out(table)


def values_of(axis: str, value: object) -> list[Any]:
    """The values as a campaign understands them; as they are where it would refuse them."""
    try:
        found = getattr(Axes.model_validate({axis: value}), axis)
    except ValidationError:
        found = value
    return as_list(found)


def leave_out(table: dict[str, Any]) -> None:
    table["benchmark"] = [NO_BENCHMARK]


def leave_out_grid(grid: dict[str, Any], tables: list[dict[str, Any]]) -> None:
    """Run nothing of [grid] itself; the tables that inherit its benchmarks keep them."""
    for table in tables:
        table.setdefault("benchmark", grid.get("benchmark", "all"))
    leave_out(grid)
