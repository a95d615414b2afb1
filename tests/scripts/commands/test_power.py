# SPDX-License-Identifier: BSD-3-Clause
"""`pollux power` starts the sampler of a build."""

import subprocess
from pathlib import Path

import pytest
import typer
from pollux.energy.commands.power import time_span
from project import POLLUX, write_script


def power(build_root: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [str(POLLUX), "power", "--build-root", str(build_root), *options],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        *(("10ms", 0.01), ("10 ms", 0.01), ("500us", 5e-4), ("2", 2.0), ("1.5s", 1.5)),
        *(("2min", 120.0), ("5m", 300.0), ("1h", 3600.0), ("0", 0.0), ("1e3s", 1000.0)),
    ],
)
def test_times_have_units(text: str, seconds: float) -> None:
    assert time_span(text) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "text", ["", "s", "ten", "-1s", "nan", "inf", "1d", "1e10", "10 m s", "ms"]
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="is not a span of time; write 10ms"):
        time_span(text)


def test_the_command_becomes_the_sampler(tmp_path: Path) -> None:
    sampler = tmp_path / "libgomp/bin/power-sampler"
    sampler.parent.mkdir(parents=True)
    write_script(sampler, 'printf "%s\\n" "$@"; exit 3')
    done = power(tmp_path, "-o", "-a file", "--interval", "2.5ms", "--duration", "2min")
    assert done.returncode == 3
    options = ["--interval", "2.5", "--duration", "120", "--output", "-a file"]
    assert done.stdout.splitlines() == options


def test_without_a_build_or_with_a_wrong_interval_it_is_bad_usage(tmp_path: Path) -> None:
    done = power(tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"pollux: no power-sampler in {tmp_path}; scripts/build makes it\n"
    done = power(tmp_path, "--interval", "1us")
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "between 1ms and 1h" in done.stderr
