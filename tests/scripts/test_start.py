# SPDX-License-Identifier: BSD-3-Clause
"""The command `pollux` and the scripts before their own code runs."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from project import POLLUX, ROOT, heed_interrupts

INTERRUPTED = f"import os\nos.kill(os.getpid(), {int(signal.SIGINT)})\nwhile True:\n    pass\n"


def test_an_interruption_while_modules_are_loaded_is_silent(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text(INTERRUPTED)
    done = subprocess.run(
        [POLLUX, "--version"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=heed_interrupts,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_command_that_a_signal_interrupts_says_so(number: signal.Signals, tmp_path: Path) -> None:
    (records := tmp_path / "records.jsonl").touch()
    code = (
        "import os; from pollux.core import cli; from pollux.core.analysis import loading\n"
        f"loading.load = lambda *_: os.kill(os.getpid(), {int(number)})\n"
        "cli.main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "compare", records],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=heed_interrupts,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "pollux: interrupted\n")


def test_campaigns_and_comparisons_start_without_packages_that_are_slow_to_load() -> None:
    code = "import sys, pollux.core.analysis.comparison, pollux.core.commands.run_session"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; print(*sys.modules)"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "scripts")},
        capture_output=True,
        text=True,
        check=True,
    )
    slow = {"scipy", "matplotlib", "numba", "plotly", "jinja2"}
    assert not slow & {*done.stdout.split()}


HELPED = [
    ("build", "--tests builds the tests"),
    *((name, f"scripts/{name}") for name in "draw-graphs release setup site test".split()),
]


def help_of(script: Path | str) -> str:
    """Of a script of the checkout, whose folder is not the first where cd looks."""
    done = subprocess.run(
        [script, "--help"],
        cwd=ROOT,
        env={**os.environ, "CDPATH": ".:/"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize(("name", "words"), HELPED)
def test_a_script_finds_its_checkout_wherever_else_cd_looks(name: str, words: str) -> None:
    assert words in help_of(f"scripts/{name}")


@pytest.mark.parametrize(("name", "words"), HELPED)
def test_a_script_finds_its_checkout_through_a_link(name: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "first").symlink_to(ROOT / "scripts" / name)
    (tmp_path / "link").symlink_to("first")
    assert words in help_of(tmp_path / "link")
