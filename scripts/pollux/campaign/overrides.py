# SPDX-License-Identifier: BSD-3-Clause
"""`--set KEY=VALUE`: values of a campaign's file replaced on the command line."""

import tomllib
from dataclasses import dataclass
from typing import Any

from pollux.campaign.model import Axes, Campaign
from pollux.errors import BadUsageError

AXES = frozenset(Axes.model_fields)


@dataclass(frozen=True)
class Override:
    """One override: a key of the file, the new value, and both as the user wrote them."""

    text: str
    key: tuple[str, ...]
    value: Any
    everywhere: (
        bool  # an axis by its bare name: replaced in the grid and in all that [include] adds
    )

    @property
    def axis(self) -> str | None:
        """The axis that is overridden, if it is one."""
        return self.key[1] if self.key[0] == "grid" and len(self.key) > 1 else None


def parse_override(text: str) -> Override:
    """KEY=VALUE; a key is dotted as in TOML, and an axis may stand without `grid.`."""
    name, equals, value = text.partition("=")
    key = parse_key(name.strip()) if equals else ()
    if not key:
        raise BadUsageError(f"--set {text}: KEY=VALUE is expected, such as size=2048")
    everywhere = key[0] in AXES and key[0] not in Campaign.model_fields
    if everywhere:
        key = ("grid", *key)
    if key[0] in ("include", "exclude"):
        raise BadUsageError(
            f"--set {text}: [[{key[0]}]] cannot be overridden; an axis can, such as size=2048"
        )
    return Override(text, key, parse_value(value.strip(), lists=key[0] == "grid"), everywhere)


def parse_key(text: str) -> tuple[str, ...]:
    """The parts of a dotted key, or none if it is not one."""
    if "\n" in text or "=" in text:
        return ()
    try:
        told: Any = tomllib.loads(f"{text} = 0")
    except tomllib.TOMLDecodeError:
        return ()
    key: tuple[str, ...] = ()
    while isinstance(told, dict):
        name, told = next(iter(told.items()))
        key += (name,)
    return key


def parse_value(text: str, *, lists: bool) -> Any:  # noqa: ANN401 (whatever TOML can say)
    """A TOML value if it is one, else a text; where lists are meant, commas separate items."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        if lists and "," in text:
            return [parse_value(item.strip(), lists=False) for item in text.split(",")]
        return text


def apply(told: dict[str, Any], overrides: list[Override]) -> None:
    """Replace values in a file's contents; tables on the way are made where they are missing."""
    if any(o.key[0] == "runtimes" and len(o.key) > 1 for o in overrides):
        told.setdefault("runtimes", default_runtimes())
    for override in overrides:
        table: Any = told
        for part in override.key[:-1]:
            table = table.setdefault(part, {}) if isinstance(table, dict) else None
        if not isinstance(table, dict):
            raise BadUsageError(f"--set {override.text}: a part of the key is not a table")
        table[override.key[-1]] = override.value
        if override.everywhere:
            forget_axis(told, override.key[-1])


def default_runtimes() -> dict[str, dict[str, str]]:
    """The runtimes of a file that names none, for overrides to add to or to change."""
    runtimes = Campaign.model_fields["runtimes"].get_default()
    return {label: {"preset": runtime.preset} for label, runtime in runtimes.items()}


def forget_axis(told: dict[str, Any], axis: str) -> None:
    """Let the grid's values of an axis stand in all that [[include]] adds, too."""
    include = told.get("include")
    for table in include if isinstance(include, list) else []:
        if isinstance(table, dict):
            table.pop(axis, None)
