# SPDX-License-Identifier: BSD-3-Clause
"""What CMake looks for on the machine."""

from pathlib import Path

import pytest
from cmake_projects import configure
from project import ROOT

NOWHERE = "/nonexistent"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "variables", "line"),
    [
        (
            (f"-DCMAKE_FIND_ROOT_PATH={NOWHERE}", "-DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY"),
            {},
            "The pthread build of OpenBLAS and LAPACKE are needed (Debian: ",
        ),
        (
            ("-DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON",),
            {},
            "pkg-config is needed (Debian: pkg-config)",
        ),
        (
            (),
            {"PKG_CONFIG_LIBDIR": NOWHERE},
            "pkg-config finds no hwloc, which is needed (Debian: libhwloc-dev)",
        ),
    ],
)
def test_a_library_that_is_missing_is_one_line_for_scripts_build(
    tmp_path: Path, options: tuple[str, ...], variables: dict[str, str], line: str
) -> None:
    toolchain = str(ROOT / "cmake/toolchains/libgomp.cmake")
    done = configure(ROOT, tmp_path, "--toolchain", toolchain, *options, **variables)
    assert done.returncode == 1
    assert (tmp_path / "missing.txt").read_text().startswith(f"libgomp: {line}")
    assert f"libgomp: {line}" in done.stderr
