# SPDX-License-Identifier: BSD-3-Clause
"""The reference of the site, from the code: commands with their options, keys of a campaign's file.

Nothing here needs MkDocs; hooks.py adds the pages to the site, and the tests read them.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import typer
from pollux.core.campaign.model import Campaign
from pollux.core.cli import PARTS, app

FOLDER = "reference"
KEYS = f"{FOLDER}/campaign.md"
SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#])")
PAGE = re.compile(r"docs/([\w-]+)\\?\.md")
REF = "#/$defs/"
# How the tables of a campaign's file are written, where not as [NAME].
HEADINGS = {"runtimes": "[runtimes.LABEL]", "include": "[[include]]", "exclude": "[[exclude]]"}


def pages() -> dict[str, str]:
    """The Markdown of each page, by its path in the site."""
    root = typer.main.get_command(app)
    commands: dict[str, Any] = root.commands  # type: ignore[attr-defined]
    single = {command_page(name): command_text(name, one) for name, one in commands.items()}
    return {f"{FOLDER}/index.md": overview(root, commands), **single, KEYS: keys_text()}


def command_page(name: str) -> str:
    """The path of a command's page."""
    return f"{FOLDER}/{name}.md"


def plain(text: str) -> str:
    """Text that Markdown shows as it is, in one line, with links to the pages it names."""
    escaped = SPECIAL.sub(r"\\\1", " ".join(text.split()))
    return PAGE.sub(lambda page: f"[docs/{page[1]}.md](../{page[1]}.md)", escaped)


def code(text: str) -> str:
    """Text as a literal, also in a table."""
    return f"`{text}`" if text else ""


def overview(root: Any, commands: dict[str, Any]) -> str:  # noqa: ANN401 (typer's)
    """What `pollux --help` shows, with links."""
    lines = ["# Commands", "", *paragraphs(root.help or "")]
    for title, functions in PARTS.items():
        lines += [f"## {title}", "", "| command | |", "| --- | --- |"]
        for name in (function.__name__ for function in functions):
            lines.append(f"| [pollux {name}]({name}.md) | {plain(commands[name].short_help)} |")
        lines.append("")
    lines += ["The file of a campaign: [every key](campaign.md)."]
    return "\n".join(lines) + "\n"


def command_text(name: str, command: Any) -> str:  # noqa: ANN401 (typer's)
    """The page of one command: what its `--help` shows."""
    context = typer.Context(command, info_name=f"pollux {name}")
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [f"# pollux {name}", "", "```", f"pollux {name} {usage}", "```", ""]
    lines += paragraphs(command.help or "")
    for title, kind in (("Arguments", "argument"), ("Options", "option")):
        rows = [
            parameter.get_help_record(context)
            for parameter in command.get_params(context)
            if parameter.param_type_name == kind
        ]
        if any(rows):
            lines += [f"## {title}", "", "| | |", "| --- | --- |"]
            lines += [f"| {code(row[0])} | {plain(row[1])} |" for row in rows if row]
            lines.append("")
    return "\n".join(lines) + "\n"


def paragraphs(text: str) -> Iterator[str]:
    """Those of a help text; an example as a command."""
    for paragraph in re.split(r"\n\s*\n", text.strip().replace("\b\n", "")):
        words = " ".join(paragraph.split())
        if words.startswith("Example: "):
            yield from ("```sh", words.removeprefix("Example: "), "```", "")
        else:
            yield from (plain(words), "")


def keys_text() -> str:
    """The page of the keys of a campaign's file."""
    schema = Campaign.model_json_schema()
    lines = ["# Keys of a campaign's file", ""]
    lines += ["[docs/campaigns.md](../campaigns.md) explains them with examples.", ""]
    lines += ["## At the top", "", *table(schema)]
    shown: dict[str, str] = {}
    for name, value in schema["properties"].items():
        if (kind := table_of(value)) is None:
            continue
        heading = HEADINGS.get(name, f"[{name}]")
        keys = schema["$defs"][kind]
        lines += [f"## {plain(heading)}", "", plain(value["description"]), ""]
        same = json.dumps(keys["properties"], sort_keys=True)
        if same in shown:
            lines += [plain(keys["description"]), "", f"The keys of {plain(shown[same])}.", ""]
        else:
            lines += table(keys)
            shown[same] = heading
    return "\n".join(lines) + "\n"


def table_of(value: dict[str, Any]) -> str | None:
    """The kind of table that a key holds, if any."""
    found = re.search(r'"#/\$defs/(\w+)"', json.dumps({**value, "default": None}))
    return found[1] if found else None


def table(keys: dict[str, Any]) -> list[str]:
    """The keys of one table."""
    needed = keys.get("required", ())
    lines = ["| key | values | default | meaning |", "| --- | --- | --- | --- |"]
    for name, value in keys["properties"].items():
        default = "required" if name in needed else code(default_of(value))
        cells = (code(name), values(value), default, plain(value["description"]))
        lines.append(f"| {' | '.join(cells)} |")
    return [*lines, ""]


def default_of(value: dict[str, Any]) -> str:
    """A key's default as the file would have it; empty where the description says what it is."""
    default = value.get("default")
    return "" if default in (None, "", [], {}) or table_of(value) else json.dumps(default)


def values(value: dict[str, Any]) -> str:
    """What a key takes, in a few words."""
    if (kind := table_of(value)) is not None:
        return "tables" if kind in ("Axes", "Rule", "Runtime") else "a table"
    if "anyOf" in value:
        found = [values(one) for one in value["anyOf"] if one.get("type") != "null"]
        return " or ".join(dict.fromkeys(filter(None, found)))
    if "enum" in value or "const" in value:
        words = value.get("enum", [value.get("const")])
        return ", ".join(code(json.dumps(word)) for word in words)
    if value.get("type") == "array":
        return f"a list of {values(value.get('items', {}))}"
    words = {"integer": "integer", "number": "number", "string": "text", "boolean": "true or false"}
    word = str(words.get(value.get("type", ""), "a table"))
    return (word + limits(value)).strip()


def limits(value: dict[str, Any]) -> str:
    """The bounds of a number."""
    least = value.get("minimum", value.get("exclusiveMinimum"))
    most = value.get("maximum", value.get("exclusiveMaximum"))
    above = "above" if "exclusiveMinimum" in value else "from"
    below = "below" if "exclusiveMaximum" in value else "to"
    return (f" {above} {least}" if least is not None else "") + (
        f" {below} {most}" if most is not None else ""
    )
