# SPDX-License-Identifier: BSD-3-Clause
"""An installed tree holds what users need, and runs wherever it is moved to."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from executable import (
    BENCHMARKS,
    BIN,
    DISTRIBUTED,
    FACTORIZATIONS,
    MICRO_BENCHMARKS,
    ROOT,
    of_results,
    run,
)

pytestmark = [pytest.mark.any_runtime, of_results]

SHARED = (
    "README.md",
    "LICENSE",
    "record.schema.json",
    "campaigns/data/poisson2d.mtx",
)


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A prefix that the build was installed to, and that was moved afterwards."""
    cmake = shutil.which("cmake", path=f"{ROOT}/.venv/bin:{os.environ['PATH']}")
    if cmake is None:
        pytest.skip("there is no cmake")
    command = [cmake, "--install", str(BIN.parent), "--prefix", str(tmp_path / "first")]
    subprocess.run(command, check=True, capture_output=True)
    return (tmp_path / "first").rename(tmp_path / "second")


def test_an_installed_tree_runs_where_it_is_moved_to(installed: Path) -> None:
    example = installed / "share/pollux/campaigns/data/poisson2d.mtx"
    for benchmark in FACTORIZATIONS:
        result = run(benchmark, "--matrix", example, "-b", 64, "-r", 1, folder=installed / "bin")
        assert result.status == 0, result.err


def test_an_installed_tree_holds_documents_and_nothing_of_the_tests(installed: Path) -> None:
    for name in SHARED:
        assert (installed / "share/pollux" / name).is_file(), name
    assert {path.name for path in (installed / "bin").iterdir()} == {
        *BENCHMARKS,
        *MICRO_BENCHMARKS,
        *DISTRIBUTED,
        "benchmarks.json",
        "conformance",
        "identify",
        "power-sampler",
    }
