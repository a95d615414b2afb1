# SPDX-License-Identifier: BSD-3-Clause
"""What messages recommend where something is missing: `scripts/` exists in a source tree only."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from shlex import quote

from pollux.core.paths import IN_SOURCE, ROOT

SAME_COMMAND = "the same command"  # goes on with a campaign that stopped; a search needs --resume
GET_RUNTIME = "scripts/get-runtime" if IN_SOURCE else "pollux-get-runtime"


def build_command(*presets: str) -> str:
    """The command that makes builds; without the source, the one that shows what is there."""
    return " ".join(("scripts/build", *presets)) if IN_SOURCE else "pollux builds"


def rebuild_command(trees: Mapping[str, Path]) -> str:
    """The command that builds these again, by label: presets by name, other trees by folder."""
    known = set(presets()) if IN_SOURCE else set()
    named = [label for label in trees if label in known]
    others = [
        f"cmake --build {quote(str(tree.relative_to(ROOT) if tree.is_relative_to(ROOT) else tree))}"
        for label, tree in trees.items()
        if label not in known and (tree / "CMakeCache.txt").is_file()
    ]
    commands = [*([build_command(*named)] if named else []), *others]
    return " && ".join(commands) or "pollux builds"


def presets() -> Iterator[str]:
    """What scripts/build can build."""
    for name in ("CMakePresets.json", "CMakeUserPresets.json"):
        with suppress(OSError, ValueError):
            for preset in json.loads((ROOT / name).read_bytes()).get("configurePresets", []):
                if not preset.get("hidden"):
                    yield preset["name"]


def makes(what: str, *presets: str) -> str:
    """The end of a message: what makes builds, or where installed ones are looked for."""
    if IN_SOURCE:
        return f"{build_command(*presets)} makes {what}"
    return "pollux builds shows where builds are looked for"
