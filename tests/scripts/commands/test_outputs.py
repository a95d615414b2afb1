# SPDX-License-Identifier: BSD-3-Clause
"""Outputs that fail, and terminals that lack characters: one line and a status, in all commands."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from conform_rules import write_rules
from explain_runs import Files
from forked import Ended, pollux
from listings import BENCHMARKS, write_names
from pollux.core.cli import PARTS, app
from pollux.core.executables import listing, loaded
from pollux.core.executables.process import run_process
from project import answering, write_fake
from synthetic import write_campaign

CAMPAIGN = 'name = "t"\n[grid]\nsize = 512\nbenchmark = "lu"\n[blocks]\nforeign_cpu = 9.0\n'
# Each prints results; {…} are files that the fixture makes. The JSON of all commands is written in
# one of two ways, as that of `builds` and as that of `compare`.
PRINTING = """
--version
--help
run --help
doctor --build-root {builds}
builds --build-root {builds}
builds --build-root {builds} --format json
levers
runtimes --build-root {builds}
run {campaign} --build-root {builds} --output {new} --dry-run
conform --show --conformance {kept}
conform --show --conformance {kept} --format markdown
compare {records}
compare {records} --format markdown
compare {records} --format csv
compare {records} --format json
energy {records}
plot {records} --kind runtimes --output {new}
report {records} --output {new}
tune --table family --output {tuned}
explain {traces} --graph {graph}
gantt {traces} --format svg --output {new}
graph --graph {graph} --check
graph --graph {graph} --format dot
simulate --graph {graph} --rates other=10,move=5 --workers 2
watch {nights}
watch {nights} --format junit
watch {nights} --format markdown
watch {nights} --format html
"""
COMMAND_LINES = PRINTING.strip().splitlines()
TUNED = """{"schema": "pollux-tuned/1", "entries": [{"host": {"cpu": "c", "cores": 1,
"processors": 1}, "benchmark": "lu", "variant": "depend", "n": 64, "threads": 1,
"threads_asked": 1, "runtime": "r", "runtime_name": "r", "runtime_version": null,
"runtime_build_id": null, "blas_version": null, "blas_core": null, "mb": 64, "nb": 64,
"kernels": "tuned", "parameters": {},
"ib": null, "gflops": 1.0, "low": null, "high": null, "points": [], "runs": 1, "seconds": 1.0,
"method": "m", "date": "2026-01-01"}]}"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, answers: Path) -> Iterator[dict[str, Path]]:
    """What the commands read; made once, since they only read it."""
    folder = tmp_path_factory.mktemp("inputs")
    found = {name: folder / name for name in ("builds", "kept", "records.jsonl", "tuned.json")}
    (folder / "campaign.toml").write_text(CAMPAIGN)
    for preset in ("libgomp", "libomp"):
        write_names(found["builds"] / preset / "bin")
        for name in BENCHMARKS:
            write_fake(found["builds"] / preset / "bin" / name, name, preset, answers)
    write_campaign(found["records.jsonl"], {"libgomp": 1.0, "libomp": 1.1}, rounds=6)
    found["tuned.json"].write_text(TUNED)
    traces = Files(folder)
    write_rules(found["builds"] / "libgomp/bin/conformance", "keeps")
    where = ("--build-root", found["builds"], "--conformance", found["kept"])
    assert pollux("conform", "libgomp", "--threads", "1", *where, folder=folder).status == 0
    made = {
        "builds": found["builds"],
        "kept": found["kept"],
        "records": found["records.jsonl"],
        "nights": night_folder(folder / "nights", found["records.jsonl"]),
        "tuned": found["tuned.json"],
        "campaign": folder / "campaign.toml",
        "traces": traces.write("libomp", [1.0]),
        "graph": traces.graph,
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FAKE_VARIANTS", "depend")
        for module in (listing, loaded):
            patch.setattr(module, "run_process", answering(run_process))
        for line in COMMAND_LINES:  # forks of this process need not load what these have loaded
            app(words(line, made, tmp_path_factory.mktemp("new")), standalone_mode=False)
        yield made


def night_folder(folder: Path, records: Path) -> Path:
    """A folder of two equal nights."""
    folder.mkdir()
    for name in ("1.jsonl", "2.jsonl"):
        shutil.copy(records, folder / name)
    return folder


@pytest.fixture
def closed_pipe() -> Iterator[int]:
    reading, writing = os.pipe()
    os.close(reading)
    yield writing
    os.close(writing)


@pytest.fixture
def full_device() -> Iterator[int]:
    descriptor = os.open("/dev/full", os.O_WRONLY)
    yield descriptor
    os.close(descriptor)


def words(line: str, files: dict[str, Path], folder: Path) -> list[str]:
    return [word.format_map({**files, "new": folder / "new"}) for word in line.split()]


def test_every_command_is_in_the_table() -> None:
    named = {word for line in COMMAND_LINES if (word := line.split()[0]).isidentifier()}
    becomes_a_program = {"power"}  # tests/cli/test_power_sampler.py tests its outputs
    runs_campaigns = {"bisect", "diff"}  # tests/scripts/nights/ tests theirs
    assert {
        command.__name__ for commands in PARTS.values() for command in commands
    } == named | becomes_a_program | runs_campaigns


@pytest.mark.slow
@pytest.mark.parametrize("line", COMMAND_LINES)
def test_output_that_fails_is_one_line_and_a_status(
    line: str,
    files: dict[str, Path],
    tmp_path: Path,
    full_device: int,
    closed_pipe: int,
) -> None:
    arguments = words(line, files, tmp_path)
    full = pollux(*arguments, folder=tmp_path, stdout=full_device)
    assert full.stderr.splitlines()[-1] == (
        "pollux: cannot write to standard output (No space left on device)"
    )
    assert full.status == 3
    closed = pollux(*arguments, folder=tmp_path, stdout=closed_pipe)
    assert closed.stderr.splitlines()[-1] == (
        "pollux: standard output was closed by its reader; the rest is not written"
    )
    assert closed.status == 141
    assert "Traceback" not in full.stderr + closed.stderr
    assert len(full.stderr.splitlines()) <= 2  # a command may warn, or say what it left out


@pytest.mark.slow
@pytest.mark.parametrize("line", COMMAND_LINES)
def test_characters_that_an_encoding_lacks_are_replaced(
    line: str, files: dict[str, Path], tmp_path: Path
) -> None:
    ended = pollux(*words(line, files, tmp_path), folder=tmp_path, encoding="ascii")
    assert ended.status == 0, ended.stderr
    assert ended.stdout.strip()
    assert ended.stdout.isascii()
    assert "�" not in ended.stdout


@pytest.mark.slow
def test_standard_error_that_fails_changes_no_status(
    files: dict[str, Path], tmp_path: Path, full_device: int
) -> None:
    def status(*arguments: object) -> int:
        return pollux(*arguments, folder=tmp_path, stderr=full_device).status

    assert status("compare", files["records"], "--format", "json") == 0
    assert status("compare", tmp_path / "nothing.jsonl") == 2
    assert status("nonsense") == 2


def run(
    files: dict[str, Path], folder: Path, stdout: int | None, stderr: int | None = None
) -> Ended:
    where = ("--build-root", files["builds"], "--output", folder / "records.jsonl")
    options = ("--plain", "--set", "processes=2", *where)
    return pollux("run", files["campaign"], *options, folder=folder, stdout=stdout, stderr=stderr)


@pytest.mark.slow
@pytest.mark.parametrize("stream", ["closed_pipe", "full_device"])
def test_a_campaign_whose_output_fails_goes_on_and_says_so(
    stream: str,
    files: dict[str, Path],
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    output: int = request.getfixturevalue(stream)
    ended = run(files, tmp_path, stdout=output)
    assert ended.status == 0, ended.stderr
    first, *others = ended.stderr.splitlines()
    assert first.startswith("pollux: cannot write to standard output (")
    assert first.endswith("the campaign goes on, and its messages continue here")
    assert any(line.startswith("records: ") for line in others)
    text = (tmp_path / "records.jsonl").read_text()
    assert text.count('"event":"sample"') == 4
    assert '"complete":true' in text


@pytest.mark.slow
def test_a_campaign_goes_on_where_no_stream_is_left(
    files: dict[str, Path], tmp_path: Path, closed_pipe: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_VARIANTS", "depend,fail")
    ended = run(files, tmp_path, stdout=closed_pipe, stderr=closed_pipe)
    assert ended.status == 1  # that of the variant that fails its check
    assert (tmp_path / "records.jsonl").read_text().count('"event":"sample"') == 8
