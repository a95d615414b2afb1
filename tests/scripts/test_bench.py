# SPDX-License-Identifier: BSD-3-Clause
"""scripts/bench with stand-ins for what sets up and builds."""

import shutil
import subprocess
from pathlib import Path

import pytest
from project import POLLUX, ROOT, write_script


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts/bench", tmp_path / "scripts")
    write_script(tmp_path / "scripts/setup", "true")
    write_script(tmp_path / "scripts/build", f'echo "build $*" >>"{tmp_path}/calls"')
    write_script(tmp_path / ".venv/bin/pollux", f'exec "{POLLUX}" "$@"')
    return tmp_path


def bench(
    checkout: Path, *options: str, script: str = "scripts/bench"
) -> subprocess.CompletedProcess[str]:
    command = [str(checkout / script), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_the_help_is_that_of_pollux_run_and_builds_nothing(checkout: Path, option: str) -> None:
    done = bench(checkout, option)
    assert (done.returncode, done.stderr) == (0, "")
    assert "--until-decided" in done.stdout
    assert not (checkout / "calls").exists()


@pytest.mark.parametrize("options", [("--sise", "512"), ("--size",)])
def test_bad_options_are_refused_before_anything_is_built(
    checkout: Path, options: tuple[str, ...]
) -> None:
    done = bench(checkout, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert options[0] in done.stderr
    assert not (checkout / "calls").exists()


@pytest.mark.parametrize("script", ["scripts/bench", "link"])
def test_what_is_built_is_compared(checkout: Path, script: str) -> None:
    (checkout / "link").symlink_to("scripts/bench")
    write_script(checkout / ".venv/bin/pollux", f'echo "$*" >>"{checkout}/calls"')
    assert bench(checkout, "--size", "512", script=script).returncode == 0
    _, built, run = (checkout / "calls").read_text().splitlines()
    assert (built, run) == ("build all", "run quick --fresh --report --size 512")
