# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the scripts share: build trees of fake executables, and `pollux` on them."""

import sys
from pathlib import Path

import pytest
from listings import BENCHMARKS, write_names
from project import FAKE, Campaign, write_script


@pytest.fixture
def build_root(tmp_path: Path) -> Path:
    """Build trees for libgomp and libomp, in a path with a space."""
    root = tmp_path / "a build"
    for preset in ("libgomp", "libomp"):
        write_names(root / preset / "bin")
        for name in BENCHMARKS:
            command = f'exec "{sys.executable}" "{FAKE}" {name} {preset} "$@"'
            write_script(root / preset / "bin" / name, command)
    return root


@pytest.fixture
def campaign(build_root: Path, tmp_path: Path) -> Campaign:
    return Campaign(build_root, tmp_path / "trial.toml", tmp_path / "records.jsonl")
