# SPDX-License-Identifier: BSD-3-Clause
"""Repositories whose commits build a library between program and runtime, with a planted cost."""

import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from pollux.core.paths import ROOT

DOUBLES = ROOT / "tests/doubles"
SETTINGS = "user.name=A user.email=a@example.org commit.gpgsign=false init.defaultBranch=main"
BROKEN = {"build.sh": "echo a mistake >&2; exit 1\n"}  # a commit that does not build


def git(folder: Path, *arguments: str) -> str:
    settings = (word for setting in SETTINGS.split() for word in ("-c", setting))
    command = ["git", "-C", str(folder), *settings, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def make_repository(folder: Path, files: Iterable[Mapping[str, str]]) -> list[str]:
    """A commit for each set of files; their names, the oldest first."""
    folder.mkdir()
    git(folder, "init", "--quiet")
    commits = []
    for number, contents in enumerate(files):
        for name, text in contents.items():
            (folder / name).write_text(text)
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "--allow-empty", "--message", f"commit {number}")
        commits.append(git(folder, "rev-parse", "HEAD"))
    return commits


def commit_files(share: float, double: str = "slowed", number: int = 0) -> dict[str, str]:
    """What builds double.so, which slows tasks by a share; each number makes it another library."""
    sources = " ".join(str(DOUBLES / f"{name}.c") for name in (double, "task"))
    return {
        "share.c": "#include <stdlib.h>\n"
        f'const char number[] = "{number}";\n'
        "__attribute__((constructor(101))) static void set(void)\n"
        f'{{ setenv("POLLUX_DOUBLE_DELAY", "{share}", 1); }}\n',
        "build.sh": f"cc -shared -fPIC -O1 -D_GNU_SOURCE -I {ROOT} -o double.so share.c {sources} "
        f"{ROOT}/common/base/clock.c -ldl\n",
    }
