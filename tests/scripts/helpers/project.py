# SPDX-License-Identifier: BSD-3-Clause
"""Where the project and its command are, and what tests of processes share."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import fake_benchmark
from pollux.core.executables.process import Ended

HELPERS = Path(__file__).parent
ROOT = HELPERS.parents[2]
POLLUX = Path(sys.executable).with_name("pollux")
FAKE = HELPERS / "fake_benchmark.py"


def write_script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def write_stand_in(path: Path, listed: dict[str, object], version: str, command: str) -> None:
    """A benchmark that answers --list and --version at once; else a command that may be slow."""
    write_script(
        path,
        f"""case " $* " in
*" --list "*) exec cat <<'END'
{json.dumps(listed)}
END
;;
*" --version "*) exec echo '{version}' ;;
esac
{command}""",
    )


STAND_INS: dict[str, tuple[str, str]] = {}  # benchmark and preset by the script


def write_fake(path: Path, benchmark: str, preset: str, answers: Path) -> None:
    """The stand-in of FAKE; its answers to --list and --version, often asked for, are kept."""
    write_script(
        path,
        f"""case $1 in
--list | --version) ;;
*) exec "{sys.executable}" -ES "{FAKE}" {benchmark} {preset} "$@" ;;
esac
asked=$({{ echo {benchmark} {preset} "$@"; set | grep '^FAKE_'; }} | md5sum)
kept="{answers}/${{asked%% *}}"
[ -f "$kept" ] || {{
    "{sys.executable}" -ES "{FAKE}" {benchmark} {preset} "$@" >"$kept.$$" && mv "$kept.$$" "$kept"
}} || exit
exec cat "$kept" """.rstrip(),
    )
    STAND_INS[path.read_text()] = benchmark, preset


def answering(run: Callable[..., Ended]) -> Callable[..., Ended]:
    """The same function, which asks FAKE itself what a stand-in of it would be asked."""

    def answer(command: Sequence[str], variables: Mapping[str, str], limit: float) -> Ended:
        script = Path(command[0])
        known = STAND_INS.get(script.read_text(errors="replace")) if script.is_file() else None
        if known is None or command[1] not in ("--list", "--version"):
            return run(command, variables, limit)
        with patch.dict(os.environ, variables), redirect_stdout(StringIO()) as printed:
            try:
                status = fake_benchmark.main(*known, *command[1:])
            except KeyError:  # of a variable: a process ends with that
                return run(command, variables, limit)
        return Ended(status, printed.getvalue(), "")

    return answer


@dataclass(frozen=True)
class Campaign:
    """`pollux run` on fake executables that list the variants named."""

    build_root: Path
    file: Path
    output: Path

    @property
    def output_as_shown(self) -> str:
        """Relative where that is shorter, as from a checkout in /tmp."""
        return min(str(self.output), os.path.relpath(self.output), key=len)

    def command(self, text: str, *options: str) -> list[str]:
        self.file.write_text(f'name = "trial"\n{text}')
        command = [str(POLLUX), "run", str(self.file), "--build-root", str(self.build_root)]
        return [*command, "--output", str(self.output), *options]

    def run(self, variants: str, text: str, *options: str) -> subprocess.CompletedProcess[str]:
        from forked import completed  # which uses this module

        command = self.command(text, *options)
        return completed(*command[1:], folder=self.file.parent, FAKE_VARIANTS=variants)

    def start(self, variants: str, text: str, *options: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            self.command(text, *options),
            env={**os.environ, "FAKE_VARIANTS": variants},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=heed_interrupts,
        )


def heed_interrupts() -> None:
    """In a child: background jobs of a shell, such as these tests may be, ignore such signals."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
