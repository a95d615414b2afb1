# SPDX-License-Identifier: BSD-3-Clause
"""Reads a campaign's file and reports each error in it in one line, with its position."""

import difflib
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from pollux.core.campaign import overrides as overriding
from pollux.core.campaign.model import DEFAULT_ENVIRONMENT, Axes, Campaign, Grid, Rule
from pollux.core.campaign.sections import Blocks, Runtime, Submit
from pollux.core.campaign.source import Key, Source
from pollux.core.campaign.toml import BeyondLimitsError, load, read_text
from pollux.core.errors import BadUsageError
from pollux.core.paths import SHIPPED, possible
from pollux.core.runtimes.names import looks_like_label
from pollux.core.shares import shown
from pollux.core.text import SHOWN_MOST, cut, first_lines, one_line
from pollux.core.validation import must_be

TABLES: dict[str, type] = {
    "grid": Grid,
    "include": Axes,
    "exclude": Rule,
    "blocks": Blocks,
    "runtimes": Runtime,
    "submit": Submit,
}
KNOWN_MOST = 20  # names listed in a message
PLAIN_TYPES = {
    "int_type": "an integer",
    "float_type": "a number",
    "string_type": "a text",
    "dict_type": "a table",
    "model_type": "a table",
    "list_type": "a list of tables",
}


@dataclass(frozen=True)
class LoadedCampaign:
    """A campaign with the text that it was read from."""

    campaign: Campaign
    text: str
    path: Path
    overrides: list[str]  # KEY=VALUE


def load_campaign(
    name_or_path: str,
    overrides: list[str],
    axes: Mapping[str, list[str]] | None = None,
    keys: Mapping[str, str] | None = None,
) -> LoadedCampaign:
    """Read a campaign by its file's path or by its shipped name.

    Overrides are KEY=VALUE; `axes` and `keys` have the values of the options named after axes and
    after other keys.
    """
    path = find_file(name_or_path)
    text = read_text(path, "a campaign's file")
    parsed = overriding.parse_all(overrides, axes or {}, keys or {})
    contents, places = parse(path, text)
    overriding.apply(contents, parsed)
    source = Source(path, places, {o.key: o.option for o in parsed})
    try:
        campaign = Campaign.model_validate(contents)
    except ValidationError as error:
        raise BadUsageError("\n".join(first_lines(problems(error, source)))) from error
    campaign._source = source
    wrong = list(unknown_names(campaign))
    if wrong:
        lines = [source.line(key, message) for key, message in wrong]
        raise BadUsageError("\n".join(first_lines(lines)))
    return LoadedCampaign(campaign, text, path, [o.text for o in parsed])


def find_file(name_or_path: str) -> Path:
    """A file that exists, else the shipped campaign of that name."""
    path = possible(Path(name_or_path))
    if path.is_file():
        return path
    shipped = SHIPPED / f"{name_or_path}.toml"
    if "/" not in name_or_path and shipped.is_file():
        return shipped
    names = sorted(p.stem for p in SHIPPED.glob("*.toml"))
    other = "is not a regular file" if path.exists() else "no such file"
    what = "is a folder" if path.is_dir() else other
    raise BadUsageError(
        f"{name_or_path}: {what}; a campaign is a TOML file or one of those shipped: "
        f"{', '.join(names)}"
    )


def parse(path: Path, text: str) -> tuple[dict[str, Any], dict[Key, int]]:
    """What a file contains, and the line of each key; an error is a line with its position."""
    try:
        return load(text)
    except BeyondLimitsError as error:
        raise BadUsageError(f"{path}:{error.line}: {error}") from error
    except tomllib.TOMLDecodeError as error:
        line, message = position(str(error), text)
        raise BadUsageError(f"{path}:{line}: not TOML: {message}") from error


def position(message: str, text: str) -> tuple[int, str]:
    """The line in tomllib's message "… (at line 3, column 7)", and the message without it."""
    what, _, where = message.rpartition(" (at ")
    digits = "".join(c for c in where.partition(",")[0] if c.isdecimal())
    what = what.replace("Cannot overwrite a value", "a key is given twice")
    return int(digits) if digits else text.count("\n") + 1, what[:1].lower() + what[1:]


def problems(error: ValidationError, source: Source) -> list[str]:
    """One line for each error that pydantic found, in the order of the file's lines."""
    found = []
    for detail in error.errors():
        key = tuple(part for part in detail["loc"] if part != "[key]")
        found.append((source.line_number(key), key, detail))
    found.sort(key=lambda item: item[0])
    return list(dict.fromkeys(source.line(k, describe(detail, k)) for _, k, detail in found))


def describe(detail: ErrorDetails, key: Key) -> str:
    """What is wrong, in terms of this format."""
    kind, value = detail["type"], detail["input"]
    context = detail.get("ctx", {})
    if kind == "extra_forbidden":
        return unknown_key(key)
    if kind in PLAIN_TYPES:
        return f"must be {PLAIN_TYPES[kind]}, not {shown(value)}"
    messages = {
        "missing": "is missing",
        "value_error": str(context.get("error")),
        "literal_error": f"{shown(value)} is unknown; choose from {context.get('expected')}",
        "string_pattern_mismatch": f"{shown(value)} is not a name: letters, digits and _ only"
        if "environments" in key or "variables" in key
        else f"{shown(value)} is not a name: letters, digits, '.', '_' and '-' only",
        "too_short": "is empty",
        "string_too_short": "is empty",
    }
    return messages.get(kind, must_be(detail["msg"], value))


def unknown_key(key: Key) -> str:
    """What is wrong with a key that its table does not have, and what was probably meant."""
    name = str(key[-1])
    if len(key) > 1:
        return (
            f"unknown key{suggestion(name, getattr(TABLES.get(str(key[0])), 'model_fields', {}))}"
        )
    if name in overriding.AXES:
        return "unknown key here; it belongs in [grid]"
    return f"unknown key{suggestion(name, [*Campaign.model_fields, *sorted(overriding.AXES)])}"


def suggestion(name: str, known: Iterable[str]) -> str:
    """The known name that was probably meant, or all of them."""
    names = list(known)
    short = [n for n in names if len(n) <= SHOWN_MOST]
    close = difflib.get_close_matches(name.lower()[:SHOWN_MOST], short, n=1)
    if close:
        return f"; did you mean {shown(close[0])}?"
    more = f" and {len(names) - KNOWN_MOST} more" if len(names) > KNOWN_MOST else ""
    listed = ", ".join(cut(one_line(n)) for n in names[:KNOWN_MOST])
    return f"; choose from {listed}{more}" if names else ""


def unknown_names(campaign: Campaign) -> Iterator[tuple[Key, str]]:
    """Labels that no table defines, rules without a key, and keys that contradict each other.

    What may be the label of a build or a combination is looked for when the campaign is planned.
    """
    runtimes = list(campaign.runtimes)
    environments = [DEFAULT_ENVIRONMENT, *campaign.environments]
    if campaign.reference is not None and campaign.compares_runtimes:
        if campaign.reference not in runtimes and not looks_like_label(campaign.reference):
            yield ("reference",), not_defined(campaign.reference, "runtimes", runtimes)
        elif campaign.reference in runtimes and campaign.runtimes[campaign.reference].optional:
            yield ("reference",), "the reference runtime cannot be optional"
    if campaign.states_length:
        yield from campaign.without_use()
    if campaign.grid.size is None and campaign.grid.benchmark in (None, ["all"]):
        yield ("grid", "size"), "is missing"
    for key, axes in tables(campaign):
        for name in axes.runtime or []:
            if name not in (*runtimes, "all") and not looks_like_label(name):
                yield (*key, "runtime"), not_defined(name, "runtimes", runtimes)
        for name in axes.environment or []:
            if name not in (*environments, "all"):
                yield (*key, "environment"), not_defined(name, "environments", environments)
        if not axes.given() and key != ("grid",):
            yield key, "a table without a key; it needs one at least, such as benchmark"


def tables(campaign: Campaign) -> Iterator[tuple[Key, Axes]]:
    """Every table of axes, with its key."""
    yield ("grid",), campaign.grid
    for index, axes in enumerate(campaign.include):
        yield ("include", index), axes
    for index, rule in enumerate(campaign.exclude):
        yield ("exclude", index), rule


def not_defined(name: str, table: str, known: list[str]) -> str:
    return f"[{table}] has no {shown(name)}{suggestion(name, known)}"
