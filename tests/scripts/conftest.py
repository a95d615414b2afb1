# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the scripts share: build trees of fake executables, and `pollux` on them."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from pollux.executables import EXECUTABLES

FAKE = Path(__file__).with_name("fake_benchmark.py")
ROOT = Path(__file__).resolve().parents[2]
Bench = Callable[..., subprocess.CompletedProcess[str]]


def write_script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def build_root(tmp_path: Path) -> Path:
    """Build trees for libgomp and libomp, in a path with a space."""
    root = tmp_path / "a build"
    for preset in ("libgomp", "libomp"):
        for name in EXECUTABLES:
            command = f'exec "{sys.executable}" "{FAKE}" {name} {preset} "$@"'
            write_script(root / preset / "bin" / name, command)
    return root


@pytest.fixture
def bench(build_root: Path, tmp_path: Path) -> Bench:
    """Run `pollux bench` on the fake executables: bench("good,crash", OPTION…)."""

    def run(variants: str, *options: str) -> subprocess.CompletedProcess[str]:
        command = [str(Path(sys.executable).with_name("pollux")), "bench"]
        command += ["--build-root", str(build_root), "--output", str(tmp_path / "records.jsonl")]
        return subprocess.run(
            [*command, "--rounds", "1", *options],
            env={**os.environ, "FAKE_VARIANTS": variants},
            capture_output=True,
            text=True,
            check=False,
        )

    return run
