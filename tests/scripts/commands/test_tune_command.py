# SPDX-License-Identifier: BSD-3-Clause
"""Tests of `pollux tune` as a command, on fake executables and on real ones."""

import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from forked import completed
from pollux.core.campaign.tuned import by_target, lookup, read
from pollux.core.executables.benchmarks import benchmarks_of
from pollux.core.tiles import Tile
from pollux.machine.tuning.session import FOLDER
from pollux.machine.tuning.targets import find_targets
from project import POLLUX, ROOT
from system_tree import obey_modes

Tune = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def tune(build_root: Path, tmp_path: Path) -> Tune:
    """Run `pollux tune` on fake executables that list the variants named."""

    def run(variants: str, *options: str) -> subprocess.CompletedProcess[str]:
        command = ["tune", "--build-root", build_root, "--rounds", "6"]
        command += ["--output", tmp_path / "tuned.json", "--tile", "64"]
        return completed(*command, *options, folder=tmp_path, FAKE_VARIANTS=variants)

    return run


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--benchmark", "chol"], "unknown benchmark 'chol'; choose from cholesky, lu, lu-cw, qr"),
        (["--variant", "depends"], "unknown variant 'depends'; choose from depend, good, or all"),
        (["--runtime", "other"], "no build 'other'; choose from libgomp, libomp"),
        (["--tile", "0"], "--tile: '0' is not a positive number"),
        (["--size", "a"], "--size: 'a' is not a positive number"),
        (["--size", "2147483648"], "--size: 2147483648 is more than 2147483647"),
        (["--size", "9" * 5000], f"--size: {'9' * 59}… is more than 2147483647"),
        (["--benchmark", "cholesky", "--inner", "16"], "--inner: cholesky has no inner block"),
        (["--resume", "/nowhere"], "cannot read /nowhere"),
    ],
)
def test_bad_usage_is_one_line_and_status_2(tune: Tune, options: list[str], error: str) -> None:
    done = tune("depend,good", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"pollux: {error}")
    assert done.stderr.count("\n") == 1


def test_the_table_s_fastest_tile_is_a_candidate_if_asked_for(
    build_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_VARIANTS", "depend")
    search = partial(find_targets, benchmarks=["lu"], variants=["depend"], kernels=["openblas"])
    for fastest, tile in ((True, Tile(256, 64)), (False, None)):
        (target,) = search(build_root, sizes=[512], threads=2, presets=["libgomp"], fastest=fastest)
        assert target.fastest == tile


def test_without_sizes_a_benchmark_is_tuned_for_its_own(
    build_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_VARIANTS", "depend")
    search = partial(find_targets, benchmarks=["lu"], variants=[], kernels=["openblas"])
    (target,) = search(build_root, sizes=[], threads=2, presets=["libgomp"])
    usual = benchmarks_of(build_root).listing("lu").usual_size
    assert (target.size, usual) == (2048, 2048)


def test_matrices_that_do_not_fit_in_memory_are_refused_before_any_run(
    tune: Tune, tmp_path: Path
) -> None:
    done = tune("depend", "--size", "2147483647")
    assert (done.returncode, done.stdout) == (3, "")
    assert "GiB are needed by cholesky depend on libgomp, N = 2147483647" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "tuning").exists()


@pytest.mark.slow
def test_the_usual_variant_is_depend_else_the_first_listed(tune: Tune, tmp_path: Path) -> None:
    options = ["--benchmark", "cholesky", "--runtime", "libgomp"]
    assert tune("good,depend", *options).returncode == 0
    assert tune("good,other", *options).returncode == 0
    assert [e.variant for e in read(tmp_path / "tuned.json").entries] == ["depend", "good"]


def test_a_variant_that_cannot_run_here_is_shown_and_no_failure(tune: Tune) -> None:
    done = tune("unavailable", "--benchmark", "lu", "--runtime", "libgomp")
    assert done.returncode == 0
    assert "not run: needs a newer compiler" in done.stdout


@pytest.mark.slow
def test_crashing_executables_are_rows_and_status_1(tune: Tune) -> None:
    done = tune("half", "--benchmark", "cholesky", "--size", "128")
    assert done.returncode == 1
    assert "crash: killed by SIGSEGV" in done.stdout


def test_an_output_that_cannot_be_written_is_refused_before_any_run(
    depend_root: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "fixed"
    (folder / FOLDER).mkdir(parents=True)
    folder.chmod(0o555)
    where: list[str | Path] = ["--build-root", depend_root, "--output", folder / "tuned.json"]
    done = subprocess.run(
        [POLLUX, "tune", *where, "--tile", "64", "--inner", "16"],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=obey_modes,
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "--output takes a file in a folder that exists and can be written" in done.stderr
    assert not [*(folder / FOLDER).iterdir()]


def test_real_executables_are_tuned(tmp_path: Path) -> None:
    if not (ROOT / "build/libgomp/bin/cholesky").is_file():
        pytest.skip("needs scripts/build libgomp")
    path = tmp_path / "tuned.json"
    command = ["tune", "--benchmark", "cholesky", "--size", "512", "--rounds", "6"]
    command += ["--tile", "64,128,512", "--heights", "1,all", "--runtime", "libgomp"]
    done = completed(*command, "--output", path, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    (entry,) = read(path).entries
    tiles = ["64", "128", "512", "512x64", "512x128"]
    assert [str(p.tile) for p in entry.points] == tiles
    assert str(entry.tile) in tiles
    assert entry.low is not None
    assert entry.runtime_name == "libgomp"
    found = lookup(
        by_target(path),
        benchmark="cholesky",
        variant="depend",
        kernels="openblas",
        size=512,
        threads=None,
        runtime="libgomp",
    )
    assert found == (entry.tile, None)
