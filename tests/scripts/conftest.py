# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the scripts share: build trees of fake executables, and `pollux` on them."""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from pollux.campaign.values import BENCHMARKS

FAKE = Path(__file__).with_name("fake_benchmark.py")
ROOT = Path(__file__).resolve().parents[2]
POLLUX = Path(sys.executable).with_name("pollux")


def write_script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def build_root(tmp_path: Path) -> Path:
    """Build trees for libgomp and libomp, in a path with a space."""
    root = tmp_path / "a build"
    for preset in ("libgomp", "libomp"):
        for name in BENCHMARKS:
            command = f'exec "{sys.executable}" "{FAKE}" {name} {preset} "$@"'
            write_script(root / preset / "bin" / name, command)
    return root


@dataclass(frozen=True)
class Campaign:
    """`pollux run` on fake executables that list the variants named."""

    build_root: Path
    file: Path
    output: Path

    def command(self, text: str, *options: str) -> list[str]:
        self.file.write_text(f'name = "trial"\n{text}')
        command = [str(POLLUX), "run", str(self.file), "--build-root", str(self.build_root)]
        return [*command, "--output", str(self.output), *options]

    def run(self, variants: str, text: str, *options: str) -> subprocess.CompletedProcess[str]:
        process = self.start(variants, text, *options)
        stdout, stderr = process.communicate()
        return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)

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
    """In a child: the background jobs of a shell, such as these tests may be, ignore SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def campaign(build_root: Path, tmp_path: Path) -> Campaign:
    return Campaign(build_root, tmp_path / "trial.toml", tmp_path / "records.jsonl")
