# SPDX-License-Identifier: BSD-3-Clause
"""Which builds and benchmarks there are, and the message if one is missing."""

from pathlib import Path

import pytest
from pollux.core.errors import BadUsageError
from pollux.core.executables.builds import (
    build_type,
    built_presets,
    executable_path,
    executables_in,
    find_tool,
)
from project import write_script


def test_executables_are_found_in_their_build(build_root: Path) -> None:
    assert built_presets(build_root) == ["libgomp", "libomp"]
    lu = build_root / "libomp" / "bin" / "lu"
    assert executable_path(build_root, "libomp", "lu") == lu
    lu.unlink()
    assert lu not in executables_in(build_root / "libomp")
    assert len(executables_in(build_root / "libomp")) == 3


@pytest.mark.parametrize(
    ("preset", "benchmark", "message"),
    [
        ("libomp", "svd", "unknown benchmark 'svd'; choose from cholesky, lu, lu-cw, qr"),
        ("bolt", "lu", "no build 'bolt'; choose from libgomp, libomp; scripts/build makes more"),
        ("libgomp", "qr", "qr is missing; build it with: scripts/build libgomp"),
    ],
)
def test_what_is_missing_is_named(
    build_root: Path, preset: str, benchmark: str, message: str
) -> None:
    (build_root / "libgomp" / "bin" / "qr").unlink()
    with pytest.raises(BadUsageError, match=message):
        executable_path(build_root, preset, benchmark)


def test_a_missing_build_is_reported(tmp_path: Path) -> None:
    with pytest.raises(BadUsageError, match="no build 'libgomp'; nothing is built"):
        executable_path(tmp_path, "libgomp", "lu")


def test_a_tool_is_that_of_the_first_build_that_has_one(build_root: Path) -> None:
    assert find_tool(build_root, ["libgomp", "libomp"], "identify") is None
    write_script(build_root / "libomp" / "bin" / "identify", "true")
    found = build_root / "libomp" / "bin" / "identify"
    assert find_tool(build_root, ["libgomp", "libomp"], "identify") == found
    write_script(build_root / "libgomp" / "bin" / "identify", "true")
    assert find_tool(build_root, ["libomp", "libgomp"], "identify") == found
    found.chmod(0o644)
    assert find_tool(build_root, ["libomp"], "identify") is None


def test_the_build_type_is_that_of_cmake_s_cache(tmp_path: Path) -> None:
    assert build_type(tmp_path) is None
    cache = tmp_path / "CMakeCache.txt"
    cache.write_text("CMAKE_BUILD_TYPE:STRING=Release\nOTHER:STRING=Debug\n")
    assert build_type(tmp_path) == "Release"
    cache.write_text("CMAKE_BUILD_TYPE:STRING=\n")
    assert build_type(tmp_path) is None
