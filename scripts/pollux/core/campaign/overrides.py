# SPDX-License-Identifier: BSD-3-Clause
"""Values of a campaign's file replaced by `--set KEY=VALUE`, or chosen by `--size VALUE,…`."""

import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pollux.core.campaign.choices import NO_BENCHMARK, choose, inherit, tables_of, values_of
from pollux.core.campaign.model import Axes, Campaign
from pollux.core.campaign.toml import BeyondLimitsError, load, only_key
from pollux.core.campaign.values import as_list
from pollux.core.errors import BadUsageError
from pollux.core.runtimes.names import looks_like_label
from pollux.core.text import cut, one_line

OTHER_BASE = re.compile(r"[+-]?0[xob]\w*")
AXES = frozenset(Axes.model_fields)


@dataclass(frozen=True)
class Override:
    """One override: a key of the file, the new value, and both in text."""

    text: str  # KEY=VALUE
    option: str  # as the user wrote it: "--set size=64", "--size 64"
    key: tuple[str, ...]
    value: Any
    everywhere: (
        bool  # an axis by its name alone: replaced in the grid and in all that [include] adds
    )
    chooses: bool = False  # an option named after an axis, which filters what tables have


def parse_all(
    overrides: list[str], axes: Mapping[str, list[str]], keys: Mapping[str, str]
) -> list[Override]:
    """Those of --set, and the keys and axes that have options of their own."""
    found = [parse_override(text) for text in overrides]
    found += [parse_option(key, value) for key, value in keys.items()]
    found += [parse_axis(axis, texts) for axis, texts in axes.items()]
    count = Counter(o.key for o in found)
    for override in found[len(overrides) + len(keys) :]:
        if count[override.key] > 1:
            axis = override.key[-1]
            raise BadUsageError(f"--{axis} and --set {axis}=… replace the same key; give only one")
    return found


def parse_option(key: str, value: str) -> Override:
    """A key by an option of its name; the value is as in TOML."""
    found = parse_override(f"{key}={value}")
    return replace(found, option=f"--{key.replace('_', '-')} {value}")


def refuse_twice(option: str, overrides: list[str]) -> None:
    """BadUsageError if --set replaces the key that an option of that name replaces."""
    key = option.replace("-", "_")
    if any(parse_override(text).key == (key,) for text in overrides):
        raise BadUsageError(f"--{option} and --set {key}=… replace the same key; give only one")


def parse_axis(axis: str, texts: list[str]) -> Override:
    """An axis by an option of its name, whose values may be lists with commas."""
    items = [item.strip() for text in texts for item in text.split(",")]
    option = " ".join(f"--{axis} {text}" for text in texts)
    if not all(items):
        raise BadUsageError(
            f"{cut(one_line(option))}: empty value; a list is written {axis_example(axis)}"
        )
    values = [parse_value(item, lists=False) for item in items]
    text = f"{axis}={','.join(items)}"
    return Override(text, option, ("grid", axis), values, everywhere=True, chooses=True)


def axis_example(axis: str) -> str:
    return "2048,4096" if axis in ("size", "tile") else "A,B"


def parse_override(text: str) -> Override:
    """KEY=VALUE; a key is dotted as in TOML, and an axis needs no `grid.` before it."""
    name, equals, value = text.partition("=")
    key = parse_key(name.strip()) if equals else ()
    if not key:
        raise BadUsageError(f"--set {cut(one_line(text))}: must be KEY=VALUE, such as size=2048")
    everywhere = key[0] in AXES and key[0] not in Campaign.model_fields
    if everywhere:
        key = ("grid", *key)
    if key[0] in ("include", "exclude"):
        raise BadUsageError(
            f"--set {cut(one_line(text))}: [[{key[0]}]] cannot be overridden; an axis can, "
            "such as size=2048"
        )
    found = parse_value(value.strip(), lists=key[0] == "grid")
    return Override(text, f"--set {text}", key, found, everywhere)


def parse_key(text: str) -> tuple[str, ...]:
    """The parts of a dotted key, or none if it is not one."""
    if "\n" in text or "=" in text:
        return ()
    try:
        return only_key(load(f"{text} = 0")[0])
    except ValueError:
        return ()


def parse_value(text: str, *, lists: bool) -> Any:  # noqa: ANN401 (any TOML value)
    """A TOML value if it is one, else text; where lists are expected, commas separate items."""
    if OTHER_BASE.fullmatch(text):
        return text  # 0x64 is no number here: as a tile it would be MB x NB
    try:
        return load(f"value = {text}")[0]["value"]
    except BeyondLimitsError as error:
        raise BadUsageError(f"{cut(one_line(text))}: {error}") from error
    except tomllib.TOMLDecodeError:
        if lists and "," in text:
            return [parse_value(item.strip(), lists=False) for item in text.split(",")]
        return text


def apply(contents: dict[str, Any], overrides: list[Override]) -> None:
    """Replace values in a file's contents; tables on the way are made where they are missing."""
    if any(o.key[0] == "runtimes" and len(o.key) > 1 for o in overrides):
        contents.setdefault("runtimes", default_runtimes())
        check_runtimes(contents["runtimes"], overrides)
    for override in overrides:
        if override.key == ("grid", "benchmark"):
            choose_benchmarks(contents, override)
            continue
        if override.chooses:
            choose(contents, override.key[1], override.value, override.option)
            if override.key[1] == "runtime" and not any(o.key == ("reference",) for o in overrides):
                choose_reference(contents, override.value)
            continue
        table: Any = contents
        for part in override.key[:-1]:
            table = table.setdefault(part, {}) if isinstance(table, dict) else None
        if not isinstance(table, dict):
            raise BadUsageError(f"{override.option}: a part of the key is not a table")
        table[override.key[-1]] = override.value
        if override.everywhere:
            replace_in_includes(contents, override)


def check_runtimes(known: object, overrides: Sequence[Override]) -> None:
    """Refuse to set something of a runtime that neither the file nor an override describes."""
    if not isinstance(known, dict):
        return  # which is reported later
    own = [o for o in overrides if o.key[0] == "runtimes" and len(o.key) > 1]
    labels = [*known, *(o.key[1] for o in own if o.key[2:] in ((), ("preset",)))]
    for override in own:
        if override.key[1] not in labels:
            raise BadUsageError(
                f"{cut(one_line(override.option))}: there is no runtime {cut(override.key[1])}; "
                f"choose from {', '.join(map(cut, labels))}, or set its preset too"
            )


def choose_reference(contents: dict[str, Any], chosen: object) -> None:
    """Compare with the first runtime that is chosen, where that of the file is not."""
    labels = values_of("runtime", chosen)
    if contents.get("by", "runtime") != "runtime" or "all" in labels:
        return
    runtimes = contents.get("runtimes", default_runtimes())
    if not isinstance(runtimes, dict) or not isinstance(labels[0], str):
        return  # which is reported later, as an unknown label is
    if labels[0] not in runtimes and not looks_like_label(labels[0]):
        return
    if contents.get("reference", next(iter(runtimes), None)) in labels:
        return
    contents["reference"] = labels[0]
    if isinstance(entry := runtimes.get(labels[0]), dict):
        entry["optional"] = False  # it was named


def choose_benchmarks(contents: dict[str, Any], override: Override) -> None:
    """Keep those of each table's own benchmarks that are chosen; a table without any drops out.

    Those that no table names run in [grid].
    """
    wanted = as_list(override.value)
    grid, tables = tables_of(contents, override.option)
    named = [name for table in tables for name in as_list(table.get("benchmark", []))]
    if wanted == ["all"]:
        grid["benchmark"] = wanted
        return
    own = as_list(grid.get("benchmark", "all"))
    for table in tables:
        if "benchmark" in table and table["benchmark"] not in ("all", ["all"]):
            left = [name for name in as_list(table["benchmark"]) if name in wanted]
            table["benchmark"] = left or [NO_BENCHMARK]
        elif "benchmark" in table:
            table["benchmark"] = wanted
    left = [name for name in wanted if own == ["all"] or name in own or name not in named]
    grid["benchmark"] = left or ([NO_BENCHMARK] if wanted else wanted)


def default_runtimes() -> dict[str, dict[str, str]]:
    """The runtimes of a file that names none, for overrides to add to or to change."""
    runtimes = Campaign.model_fields["runtimes"].get_default()
    return {label: {"preset": runtime.preset} for label, runtime in runtimes.items()}


def replace_in_includes(contents: dict[str, Any], override: Override) -> None:
    """Use the grid's values of an axis, or of one parameter, in all that [[include]] adds, too."""
    _, tables = tables_of(contents, override.option)
    _, axis, *parameter = override.key
    if not parameter:
        inherit(tables, axis)
        return
    for table in tables:
        if isinstance(own := table.get(axis), dict):
            own[parameter[0]] = override.value
