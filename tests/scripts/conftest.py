# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of the scripts share: build trees of fake executables, and `pollux` on them."""

import signal
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import typer.main
from conform_rules import LIMIT, Try, progress_of, write_rules
from listings import BENCHMARKS, write_names
from micro_runs import NAME as MICRO
from planted_commits import make_repository
from pollux.core import cli
from pollux.core.executables import listing, loaded
from pollux.core.executables.process import run_process
from pollux.core.interruption import SIGNALS, interruptible
from pollux.machine.conformance.engine import conform
from pollux.machine.conformance.results import TargetResult
from pollux.machine.conformance.settings import Settings
from project import Campaign, answering, write_fake
from tuning_runs import Simulate, simulated

# Commands are made of their functions once, not at each call here and in each fork.
typer.main.get_command = cache(typer.main.get_command)
typer.main.get_command(cli.app)


@pytest.fixture(scope="session")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What fake executables answered so far."""
    return tmp_path_factory.mktemp("answers")


@pytest.fixture
def build_root(tmp_path: Path, answers: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Build trees for libgomp and libomp, in a path with a space."""
    for module in (listing, loaded):
        monkeypatch.setattr(module, "run_process", answering(run_process))
    root = tmp_path / "a build"
    for preset in ("libgomp", "libomp"):
        write_names(root / preset / "bin", micro=[MICRO])
        for name in (*BENCHMARKS, MICRO):
            write_fake(root / preset / "bin" / name, name, preset, answers)
    return root


@pytest.fixture
def depend_root(build_root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same, of benchmarks with the variant `depend`."""
    monkeypatch.setenv("FAKE_VARIANTS", "depend")
    return build_root


@pytest.fixture
def campaign(build_root: Path, tmp_path: Path) -> Campaign:
    return Campaign(build_root, tmp_path / "trial.toml", tmp_path / "records.jsonl")


@pytest.fixture(scope="session")
def long(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A repository of 33 commits, and their names; who changes it changes it back."""
    folder = tmp_path_factory.mktemp("long") / "repository"
    return folder, make_repository(folder, [{"number": str(n)} for n in range(33)])


@pytest.fixture
def tried(tmp_path: Path) -> Try:
    """The results of fake programs of conformance, in a path with a space."""

    def run(
        rules: str, threads: tuple[int, ...] = (1, 2, 4), seed: int = 7, limit: float = LIMIT
    ) -> TargetResult:
        folder = tmp_path / "a build"
        write_rules(folder, rules)
        return conform(progress_of(folder, Settings(threads, seed, 1.0, limit)), lambda: None)

    return run


@pytest.fixture
def _no_signal_is_ignored() -> Iterator[None]:
    """Tests may themselves run under nohup, or in the background of a script."""
    before = [signal.signal(number, signal.SIG_DFL) for number in SIGNALS]
    yield
    for number, handler in zip(SIGNALS, before, strict=True):
        signal.signal(number, handler)


@pytest.fixture
def _signals_interrupt(_no_signal_is_ignored: None) -> Iterator[None]:
    """Signals raise KeyboardInterrupt, as they do in a command."""
    with interruptible():
        yield


@pytest.fixture
def simulate(monkeypatch: pytest.MonkeyPatch) -> Simulate:
    """Imagines the runs of `pollux tune`, and counts them."""
    return simulated(monkeypatch)
