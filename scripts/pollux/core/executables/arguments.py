# SPDX-License-Identifier: BSD-3-Clause
"""The one place that builds the argument list of a benchmark's executable."""

from collections.abc import Mapping
from pathlib import Path
from typing import TypedDict, Unpack

from pollux.core.parameters import Value, as_options
from pollux.core.tiles import WantedTile


class Options(TypedDict, total=False):
    """The executable's options by their long names, in the order of the argument list.

    None and False leave an option out; True is an option that takes no value. Each of `parameters`
    and `settings` is an option of its own name.
    """

    version: bool
    list: bool
    variant: str
    kernels: str | None
    size: int | str | None  # beside `list`: several, with commas between them
    rows: int | None
    tile: WantedTile | None
    inner: int | None
    parameters: Mapping[str, Value]
    threads: int | str | None
    settings: Mapping[str, Value]  # likewise
    seed: int | None
    repeat: int
    warmup: int
    check: str | None
    format: str
    no_priority: bool
    graph: Path | None
    trace: Path | None
    traced: int | None
    ompt: bool


def arguments(**options: Unpack[Options]) -> list[str]:
    """The arguments that stand for these options."""
    found: list[str] = []
    for name in Options.__annotations__:
        value = options.get(name)
        if name == "parameters":
            found += as_options(options.get("parameters", {}))
        elif name == "settings":
            found += as_options(options.get("settings", {}))
        elif value is not None and value is not False:
            option = f"--{name.replace('_', '-')}"
            found += [option] if value is True else [option, str(value)]
    return found
