# SPDX-License-Identifier: BSD-3-Clause
"""Objects of this checkout's build that a copy of its sources need not compile again."""

import json
import shlex
import subprocess
from collections.abc import Collection, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / "build/libomp"
# It runs the compiler, or copies what the same command, but for the level of optimization and
# -Werror, has made of the same files. Ninja reads and deletes the list of headers.
LAUNCHER = """#!/bin/sh
command="${{*%% -MD *}} -o ${{*##* -o }}"
object=${{command##* -o }} object=${{object%% -c *}}
made=
[ ! -f "{kept}/$object" ] || read -r made <"{kept}/$object"
[ "$command" = "$made" ] || exec "$@"
: >"$object.d" && exec cp "{tree}/$object" "$object"
"""


def write_launcher(copy: Path, changed: Collection[str]) -> Path:
    """What compiles a copy of the sources, all of them the same but for the files called so."""
    launcher, kept = copy.with_name("launcher"), copy.with_name("kept")
    made = commands()
    for name in unchanged({ROOT / name for name in changed}) & made.keys():
        path = kept / name
        path.parent.mkdir(parents=True, exist_ok=True)
        command = made[name].replace(str(ROOT), str(copy)).replace(" -O3 ", " -O0 ")
        path.write_text(command.replace(" -Werror ", " ") + "\n")
    launcher.write_text(LAUNCHER.format(kept=kept, tree=TREE))
    launcher.chmod(0o755)
    return launcher


def commands() -> dict[str, str]:
    """What made each object."""
    path = TREE / "compile_commands.json"
    entries = json.loads(path.read_text()) if path.is_file() else []
    return {
        str((TREE / entry["output"]).relative_to(TREE)): " ".join(shlex.split(entry["command"]))
        for entry in entries
    }


def unchanged(changed: Collection[Path]) -> set[str]:
    """Objects as new as what they were made of, none of which is changed or generated."""
    return {
        name
        for name, files in made_of()
        if (TREE / name).is_file()
        and not any(file in changed or TREE in file.parents for file in files)
        and (TREE / name).stat().st_mtime >= max(file.stat().st_mtime for file in files)
    }


def made_of() -> Iterator[tuple[str, list[Path]]]:
    """Each object, with the source and all headers."""
    command = ["ninja", "-C", str(TREE), "--quiet", "-t", "deps"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False)
    for block in listed.stdout.split("\n\n"):
        head, *files = block.splitlines() or [""]
        if head.endswith("(VALID)"):
            yield head.partition(":")[0], [TREE / file.strip() for file in files]
