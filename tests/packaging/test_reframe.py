# SPDX-License-Identifier: BSD-3-Clause
"""ReFrame itself runs packaging/reframe/: it builds, runs, checks, and reads the speed.

Its configuration there has the local scheduler. `pytest tests/packaging -m builds` lets it build
the programs too.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from installation import install_programs
from project import ROOT, write_script
from tools import environment_of

RECIPE = ROOT / "packaging/reframe"
FACTORIZATIONS = {"cholesky", "lu", "qr"}
SIZE = 64  # set for all tests of the recipe: by the name of their base class, it would be ignored


class Session:
    """What ReFrame says of one run."""

    def __init__(self, folder: Path, *options: str, recipe: Path = RECIPE) -> None:
        report = folder / "report.json"
        files = ("-C", recipe / "config.py", "-c", recipe / "pollux_check.py")
        keep = ("--prefix", folder, f"--report-file={report}", "-S", f"size={SIZE}")
        own = dict.fromkeys(("HOME", "TMPDIR"), str(folder))  # it leaves logs in both
        command = [environment_of("reframe") / "bin/reframe", *files, *keep, "-r", *options]
        done = subprocess.run(
            [*map(str, command)],
            cwd=folder,
            env={**os.environ, **own, "OMP_WAIT_POLICY": "passive"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        self.status, self.text = done.returncode, done.stdout + done.stderr
        assert report.is_file(), self.text
        (run,) = json.loads(report.read_text())["runs"]
        self.cases: list[dict[str, Any]] = run["testcases"]

    def results(self) -> dict[str, str]:
        """Of each factorization, or of the build: pass or fail."""
        return {case.get("benchmark", "build"): case["result"] for case in self.cases}

    def speeds(self) -> dict[str, float]:
        """In GFlop/s, by factorization."""
        found = {}
        for case in self.cases:
            for name, figure in (case["perfvalues"] or {}).items():
                assert name.endswith(":speed") and figure[-2] == "GFlop/s"
                found[case["benchmark"]] = float(figure[0])
        return found


def test_installed_programs_pass_and_their_speed_is_read(tmp_path: Path) -> None:
    prefix = tmp_path / "a prefix"
    install_programs("libgomp", prefix)
    done = Session(tmp_path, "-n", "pollux_installed", "-S", f"installed={prefix}")
    assert done.status == 0, done.text
    assert {case["size"] for case in done.cases} == {SIZE}
    assert done.results() == dict.fromkeys(FACTORIZATIONS, "pass")
    assert {*done.speeds()} == FACTORIZATIONS and min(done.speeds().values()) > 0


@pytest.mark.parametrize(
    "shown",
    [
        {
            "cholesky": "echo PASS cholesky GFlop/s=50",
            "lu": "echo FAIL lu GFlop/s=50; exit 1",
            "qr": "echo PASS qr",
        },
        {
            "cholesky": "echo cholesky GFlop/s=50",
            "lu": "echo PASS lu GFlop/s=50; echo FAIL lu residual",
            "qr": "echo PASS qr GFlop/s=50",
        },
    ],
    ids=["status and speed", "PASS and FAIL"],
)
def test_a_program_that_does_not_pass_fails(tmp_path: Path, shown: dict[str, str]) -> None:
    """By stand-ins for the programs, of which two do not end as they should."""
    folder = tmp_path / "prefix/lib/pollux/libgomp/bin"
    for name, text in shown.items():
        write_script(folder / name, text)
    done = Session(tmp_path, "-n", "pollux_installed", "-S", f"installed={tmp_path / 'prefix'}")
    assert done.status == 1
    passing = [name for name, text in shown.items() if text == f"echo PASS {name} GFlop/s=50"]
    assert [name for name, result in done.results().items() if result == "pass"] == passing
    assert {*done.results()} == FACTORIZATIONS


def test_the_source_may_be_in_a_path_with_a_space(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "a source"
    shutil.copytree(RECIPE, source / "packaging/reframe")
    write_script(tmp_path / "bin/cmake", f'printf "%s\\n" "$@" >>"{tmp_path}/words"')
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    Session(tmp_path, "-n", "pollux_built", recipe=source / "packaging/reframe")
    words = (tmp_path / "words").read_text().splitlines()
    assert f"-DCMAKE_TOOLCHAIN_FILE={source}/cmake/toolchains/libgomp.cmake" in words
    assert words[words.index("-S") + 1] == str(source)


@pytest.mark.builds
def test_programs_that_it_builds_pass_and_their_speed_is_read(tmp_path: Path) -> None:
    done = Session(tmp_path, "-n", "pollux_built")
    assert done.status == 0, done.text
    assert done.results() == dict.fromkeys({"build", *FACTORIZATIONS}, "pass")
    assert {*done.speeds()} == FACTORIZATIONS and min(done.speeds().values()) > 0
